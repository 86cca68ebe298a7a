//===- MatrixVector.cpp - Products with a vector as reductions ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where all axes of one operand are axes of the other one, each element of the
// larger operand, the matrix, is used once: no tile is worth keeping, and the
// time is that of reading the matrix. That is what rows and columns are
// scheduled for.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEREDUCEMATRIXVECTOR
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The letters of the dimensions whose size is not 1.
static std::string lettersOf(StringRef axes, ArrayRef<int64_t> shape) {
  std::string letters;
  for (auto [axis, size] : llvm::zip_equal(axes, shape))
    if (size != 1)
      letters += axis;
  return letters;
}

/// Whether the letters of `part` are among those of `all`, in their order.
static bool isSubsequence(StringRef part, StringRef all) {
  for (char letter : all)
    if (part.starts_with(StringRef(&letter, 1)))
      part = part.drop_front();
  return part.empty();
}

/// The dimensions of `shape` by those whose size is not 1: each has the ones
/// before it, the last one those behind it, too.
static SmallVector<ReassociationIndices> joinOnes(ArrayRef<int64_t> shape) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    group.push_back(dim);
    if (size != 1) {
      groups.push_back(group);
      group.clear();
    }
  }
  if (!groups.empty())
    groups.back().append(group);
  return groups;
}

/// `value` with another shape, which differs in sizes of 1 only.
static Value reshape(ImplicitLocOpBuilder &builder, Value value,
                     ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == shape)
    return value;
  SmallVector<int64_t> core;
  llvm::copy_if(type.getShape(), std::back_inserter(core),
                [](int64_t size) { return size != 1; });
  if (type.getShape() != ArrayRef(core))
    value = tensor::CollapseShapeOp::create(builder, type.clone(core), value,
                                            joinOnes(type.getShape()));
  if (shape != ArrayRef(core))
    value = tensor::ExpandShapeOp::create(builder, type.clone(shape), value,
                                          joinOnes(shape));
  return value;
}

namespace {
/// A contraction of a matrix, in whichever dimensions, and a vector.
class Product {
public:
  Product(ContractOp contract, bool isLeft)
      : contract(contract),
        matrix(isLeft ? contract.getLhs() : contract.getRhs()),
        vector(isLeft ? contract.getRhs() : contract.getLhs()),
        summed(contract.getContractedAxes()),
        matrixLetters(
            lettersOf(isLeft ? contract.getLhsAxes() : contract.getRhsAxes(),
                      shapeOf(matrix))),
        vectorLetters(
            lettersOf(isLeft ? contract.getRhsAxes() : contract.getLhsAxes(),
                      shapeOf(vector))) {}

  /// Whether sums of rows or columns of the matrix are the result as it is.
  bool isReduction();
  void rewrite();

private:
  bool isSummed(char letter) const {
    return StringRef(summed).contains(letter);
  }
  SmallVector<char> dimsOfProducts();
  Value spread(ImplicitLocOpBuilder &builder, Value value, StringRef letters,
               ArrayRef<char> dims);

  ContractOp contract;
  Value matrix, vector;
  std::string summed, matrixLetters, vectorLetters;
};
} // namespace

/// In place of the letter of a dimension of size 1.
static constexpr char one = '1';

bool Product::isReduction() {
  std::string kept;
  llvm::copy_if(matrixLetters, std::back_inserter(kept),
                [&](char letter) { return !isSummed(letter); });
  // A number that scales a tensor is no sum.
  return matrixLetters != kept && isSubsequence(vectorLetters, matrixLetters) &&
         kept ==
             lettersOf(contract.getResultAxes(), shapeOf(contract.getResult()));
}

/// The result's dimensions, also those of size 1, and between these the summed
/// ones, where the matrix has them.
SmallVector<char> Product::dimsOfProducts() {
  SmallVector<char> dims;
  StringRef left = matrixLetters;
  auto take = [&] {
    dims.push_back(left.front());
    left = left.drop_front();
  };
  for (int64_t size : shapeOf(contract.getResult())) {
    if (size == 1) {
      dims.push_back(one);
      continue;
    }
    while (isSummed(left.front()))
      take();
    take();
  }
  while (!left.empty())
    take();
  return dims;
}

/// `value` in f32, or f64, with a dimension for each of `dims`.
Value Product::spread(ImplicitLocOpBuilder &builder, Value value,
                      StringRef letters, ArrayRef<char> dims) {
  SmallVector<int64_t> shape, sizes;
  llvm::copy_if(shapeOf(value), std::back_inserter(sizes),
                [](int64_t size) { return size != 1; });
  for (char dim : dims) {
    size_t at = letters.find(dim);
    shape.push_back(at == StringRef::npos ? 1 : sizes[at]);
  }
  return reshape(builder, emitWiden(builder, value), shape);
}

void Product::rewrite() {
  ImplicitLocOpBuilder builder(contract.getLoc(), contract);
  SmallVector<char> dims = dimsOfProducts();
  Value wide = spread(builder, matrix, matrixLetters, dims);
  Value factors = spread(builder, vector, vectorLetters, dims);
  Value products = MulOp::create(builder, wide.getType(), wide, factors);
  SmallVector<int64_t> reduced;
  for (auto [dim, letter] : llvm::enumerate(dims))
    if (isSummed(letter))
      reduced.push_back(dim);
  RankedTensorType type = contract.getType();
  Type element = getElementTypeOrSelf(products.getType());
  Value sums = ReduceOp::create(builder, type.clone(element), ReduceKind::sum,
                                products, reduced, /*keep=*/false);
  contract.replaceAllUsesWith(emitCast(builder, sums, type.getElementType()));
  contract.erase();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Elements of a head that tensor cores stream, and of 16 bytes.
static constexpr int64_t mostOfHead = 256, alignedElements = 8;

/// Whether tensor cores can run a contraction as a part of attention.
static bool mayBeStreamed(ContractOp op) {
  Type element = op.getType().getElementType();
  auto isHead = [](Value value) {
    int64_t size = shapeOf(value).back();
    return size > 0 && size <= mostOfHead && size % alignedElements == 0;
  };
  return (element.isF16() || element.isBF16()) &&
         (isHead(op.getLhs()) || isHead(op.getRhs()));
}

/// The contractions that `value` is computed from, or that are computed from
/// it, element by element.
static void findContractions(Value value, bool isAfter,
                             llvm::SetVector<ContractOp> &found) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> work = {value};
  auto visit = [&](Operation *op) {
    if (!op || !seen.insert(op).second)
      return;
    if (auto contract = dyn_cast<ContractOp>(op))
      found.insert(contract);
    else if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>())
      work.append(isAfter ? SmallVector<Value>(op->getResults())
                          : SmallVector<Value>(op->getOperands()));
  };
  while (!work.empty()) {
    Value next = work.pop_back_val();
    if (isAfter)
      for (Operation *user : next.getUsers())
        visit(user);
    else
      visit(next.getDefiningOp());
  }
}

/// The contractions with a softmax of rows between them.
static llvm::SetVector<ContractOp> streamedContractions(Block &block) {
  llvm::SetVector<ContractOp> all;
  for (ReduceOp sum : block.getOps<ReduceOp>()) {
    ReduceOp max = sum.getMaximumOfExponents();
    if (!max)
      continue;
    llvm::SetVector<ContractOp> scores, products;
    findContractions(max.getInput(), /*isAfter=*/false, scores);
    findContractions(sum.getInput(), /*isAfter=*/true, products);
    if (scores.size() == 1 && products.size() == 1 &&
        mayBeStreamed(scores.front()) && mayBeStreamed(products.front())) {
      all.insert(scores.front());
      all.insert(products.front());
    }
  }
  return all;
}

namespace {
struct ReduceMatrixVector
    : public mlir::fuse::impl::FuseReduceMatrixVectorBase<ReduceMatrixVector> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<std::pair<ContractOp, bool>> found;
    for (Block &block : getOperation().getBody()) {
      llvm::SetVector<ContractOp> kept;
      if (streams)
        kept = streamedContractions(block);
      for (ContractOp op : block.getOps<ContractOp>()) {
        if (kept.contains(op))
          continue;
        if (Product(op, /*isLeft=*/true).isReduction())
          found.push_back({op, true});
        else if (Product(op, /*isLeft=*/false).isReduction())
          found.push_back({op, false});
      }
    }
    // The operand of one may be the result of another.
    for (auto [op, isLeft] : found)
      Product(op, isLeft).rewrite();
  }
};
} // namespace
