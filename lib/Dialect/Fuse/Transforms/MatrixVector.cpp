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
// So it is with a few rows and a matrix that is computed from elements of 8 or
// 4 bits, where tensor cores would read it from memory: a kernel of its own had
// to leave it there. Each row is then a vector, and as all of them multiply one
// matrix, one walk over it serves them all. Tensor cores that compute the
// matrix on its way read it once, too, and multiply many rows in no time.
//
//===----------------------------------------------------------------------===//

#include "MatrixVector.h"

#include "Decompose.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/SliceSizes.h"
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

bool mlir::fuse::isMatrixVectorProduct(ContractOp contract, bool isLeft) {
  return Product(contract, isLeft).isReduction();
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
  // 8-bit floats are multiplied exactly.
  bool areBytes = getElementTypeOrSelf(value).getIntOrFloatBitWidth() == 8;
  Value wide = areBytes ? emitCast(builder, value, builder.getF32Type())
                        : emitWiden(builder, value);
  return reshape(builder, wide, shape);
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

/// Whether each element is computed from one of a byte or less.
static bool isFromBytes(Value value) {
  auto elements = [](Value v) {
    auto type = cast<RankedTensorType>(v.getType());
    return type.hasStaticShape() ? type.getNumElements() : -1;
  };
  constexpr unsigned byte = 8;
  SmallVector<Value> work = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value at = work.pop_back_val();
    Operation *op = at.getDefiningOp();
    // Scales have fewer elements.
    if (!op || !seen.insert(at).second || elements(at) != elements(value))
      continue;
    auto bits = [](Value v) {
      return getElementTypeOrSelf(v.getType()).getIntOrFloatBitWidth();
    };
    if (isa<CastOp>(op) && bits(op->getOperand(0)) == byte)
      return true;
    bool goesOn = op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
                  isa<CastOp, TransposeOp, tensor::ExpandShapeOp,
                      tensor::CollapseShapeOp>(op);
    if (goesOn)
      llvm::copy_if(op->getOperands(), std::back_inserter(work),
                    [](Value v) { return isa<RankedTensorType>(v.getType()); });
  }
  return false;
}

/// Whether tensor cores may compute the matrix on its way to them: 16-bit
/// floats, of which eight neighbours along the summed axis are computed alike.
static bool mayBeComputedInTiles(ContractOp contract, Value matrix) {
  Type element = getElementTypeOrSelf(matrix);
  StringRef axes = contract.getLhs() == matrix ? contract.getLhsAxes()
                                               : contract.getRhsAxes();
  if (!StringRef(contract.getContractedAxes()).contains(axes.back()))
    return false;
  auto isWhole = [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return !type || type.getRank() == 0 || type.getShape().back() == 1 ||
           (!type.isDynamicDim(type.getRank() - 1) &&
            type.getShape().back() % alignedElements == 0);
  };
  if (!(element.isF16() || element.isBF16()) ||
      !llvm::all_of(contract.getOperands(), isWhole))
    return false;
  SmallVector<Value> work = {matrix};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value at = work.pop_back_val();
    Operation *op = at.getDefiningOp();
    if (!isWhole(at))
      return false;
    bool isComputed =
        op && (op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
               isa<CastOp, UnpackOp, PadOp, SliceOp, ConstantOp,
                   tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op));
    if (op && !isComputed)
      return false;
    if (op && seen.insert(at).second)
      llvm::append_range(work, op->getOperands());
  }
  return true;
}

/// The contractions of each row of an operand alone, if there are at most
/// `most` of them, which replace that of all; none where they were no products
/// with a vector.
static SmallVector<ContractOp> splitRows(ContractOp contract, bool isLeft,
                                         int64_t most) {
  unsigned number = isLeft ? 0 : 1;
  Value rows = contract->getOperand(number);
  StringRef axes = isLeft ? contract.getLhsAxes() : contract.getRhsAxes();
  StringRef others = isLeft ? contract.getRhsAxes() : contract.getLhsAxes();
  Value matrix = contract->getOperand(1 - number);
  if (isFromBytes(rows) || !isFromBytes(matrix) ||
      mayBeComputedInTiles(contract, matrix))
    return {};
  SmallVector<int64_t> own;
  for (auto [dim, axis] : llvm::enumerate(axes))
    if (!others.contains(axis) && shapeOf(rows)[dim] != 1)
      own.push_back(dim);
  if (own.size() != 1 || shapeOf(rows)[own.front()] < 2 ||
      shapeOf(rows)[own.front()] > most)
    return {};
  int64_t dim = own.front(), count = shapeOf(rows)[dim];
  int64_t inResult = contract.getResultAxes().find(axes[dim]);
  ImplicitLocOpBuilder builder(contract.getLoc(), contract);
  auto withOne = [](RankedTensorType type, int64_t at) {
    SmallVector<int64_t> shape(type.getShape());
    shape[at] = 1;
    return type.clone(shape);
  };
  auto type = cast<RankedTensorType>(rows.getType());
  SmallVector<int64_t> offsets(type.getRank(), 0), steps(type.getRank(), 1);
  SmallVector<int64_t> sizes = sliceSizes(type.getShape());
  sizes[dim] = 1;
  SmallVector<ContractOp> parts;
  for (int64_t row = 0; row < count; ++row) {
    offsets[dim] = row;
    SmallVector<Value> operands(contract->getOperands());
    operands[number] = SliceOp::create(builder, withOne(type, dim), rows,
                                       offsets, sizes, steps);
    parts.push_back(ContractOp::create(
        builder, withOne(contract.getType(), inResult), contract.getSpecAttr(),
        operands[0], operands[1], contract.getPrecisionAttr()));
    if (row == 0 && !Product(parts.front(), !isLeft).isReduction()) {
      parts.front().erase();
      operands[number].getDefiningOp()->erase();
      return {};
    }
  }
  SmallVector<Value> results(parts.begin(), parts.end());
  Value all = ConcatOp::create(builder, contract.getType(), results, inResult);
  contract.replaceAllUsesWith(all);
  contract.erase();
  return parts;
}

namespace {
struct ReduceMatrixVector
    : public mlir::fuse::impl::FuseReduceMatrixVectorBase<ReduceMatrixVector> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<std::pair<ContractOp, bool>> found;
    SmallVector<ContractOp> others;
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
        else
          others.push_back(op);
      }
    }
    for (ContractOp op : others)
      for (bool isLeft : {true, false}) {
        SmallVector<ContractOp> rows = splitRows(op, isLeft, mostRows);
        for (ContractOp row : rows)
          found.push_back({row, !isLeft});
        if (!rows.empty())
          break;
      }
    // The operand of one may be the result of another.
    for (auto [op, isLeft] : found)
      Product(op, isLeft).rewrite();
  }
};
} // namespace
