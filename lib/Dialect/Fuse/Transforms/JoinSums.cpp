//===- JoinSums.cpp - One sum of the sums of many tensors -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The norm of all gradients adds up the sums of squares of many tensors. A
// kernel for each would take a launch for each, since blocks that share a sum
// wait for each other. Instead every tensor is cut into rows of one length, and
// the sums of all rows are summed:
//
//   sum(x) + sum(y) + sum(z) -> sum(concat(rows(x), rows(y), rows(z)))
//
// Rows of one length share a launch, and are stored side by side. Sums of sums
// have another order of additions than the program's; it is fixed, too.
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEJOINSUMS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Lengths of rows, powers of two.
static constexpr int64_t longestRow = 2048, shortestRow = 256;
/// Tensors from which on two launches are fewer.
static constexpr size_t fewestTensors = 3;

/// The largest length of rows, as a power of two, that divides the tensor; 0
/// where the sum is none of all elements, or is needed elsewhere.
static int64_t rowLength(ReduceOp sum) {
  RankedTensorType type = sum.getInput().getType();
  if (sum.getKind() != ReduceKind::sum || !sum->hasOneUse() ||
      !type.hasStaticShape() || !isa<FloatType>(type.getElementType()) ||
      sum.getDims().size() != static_cast<size_t>(type.getRank()))
    return 0;
  int64_t length = longestRow, elements = type.getNumElements();
  while (length >= shortestRow && elements % length != 0)
    length /= 2;
  return elements > 0 && length >= shortestRow ? length : 0;
}

namespace {
/// A tree of additions with sums of whole tensors at its leaves.
class SumTree {
public:
  explicit SumTree(AddOp root) : root(root) { collect(root); }

  bool isWorthwhile() const { return sums.size() >= fewestTensors; }
  void join();

private:
  void collect(Value value);
  Value rowSums(ImplicitLocOpBuilder &builder, ReduceOp sum, int64_t length);

  AddOp root;
  SmallVector<ReduceOp> sums;
  /// What is added besides.
  SmallVector<Value> others;
};
} // namespace

/// Follows additions that nothing else reads.
void SumTree::collect(Value value) {
  SmallVector<Value> left = {value};
  while (!left.empty()) {
    Value next = left.pop_back_val();
    auto add = next.getDefiningOp<AddOp>();
    auto sum = next.getDefiningOp<ReduceOp>();
    if (add && next.getType() == root.getType() &&
        (add == root || add->hasOneUse())) {
      left.push_back(add.getRhs());
      left.push_back(add.getLhs());
    } else if (sum && rowLength(sum) > 0 && sum.getType() == root.getType() &&
               getElementTypeOrSelf(sum.getInput().getType()) ==
                   getElementTypeOrSelf(root.getType())) {
      sums.push_back(sum);
    } else {
      others.push_back(next);
    }
  }
}

/// [rows, 1]: the sums of rows of `length` elements.
Value SumTree::rowSums(ImplicitLocOpBuilder &builder, ReduceOp sum,
                       int64_t length) {
  Value value = sum.getInput();
  RankedTensorType type = sum.getInput().getType();
  auto all = llvm::to_vector<2>(llvm::seq<int64_t>(type.getRank()));
  int64_t elements = type.getNumElements();
  if (type.getRank() > 1)
    value = tensor::CollapseShapeOp::create(
        builder, value, ArrayRef<ReassociationIndices>{all});
  auto rows =
      RankedTensorType::get({elements / length, length}, type.getElementType());
  value = tensor::ExpandShapeOp::create(builder, rows, value,
                                        ArrayRef<ReassociationIndices>{{0, 1}});
  return ReduceOp::create(builder, ReduceKind::sum, value, {1}, /*keep=*/true);
}

void SumTree::join() {
  ImplicitLocOpBuilder builder(root.getLoc(), root);
  int64_t length = longestRow;
  for (ReduceOp sum : sums)
    length = std::min(length, rowLength(sum));
  SmallVector<Value> parts;
  for (ReduceOp sum : sums)
    parts.push_back(rowSums(builder, sum, length));
  int64_t rows = 0;
  for (Value part : parts)
    rows += cast<RankedTensorType>(part.getType()).getDimSize(0);
  auto joined =
      RankedTensorType::get({rows, 1}, getElementTypeOrSelf(root.getType()));
  Value total = ConcatOp::create(builder, joined, parts, /*dim=*/0);
  total = ReduceOp::create(builder, ReduceKind::sum, total, {0, 1},
                           /*keep=*/false);
  if (root.getType().getRank() > 0)
    total = tensor::ExpandShapeOp::create(builder, root.getType(), total,
                                          ArrayRef<ReassociationIndices>{});
  for (Value other : others)
    total = AddOp::create(builder, total, other);
  root.replaceAllUsesWith(total);
}

namespace {
struct JoinSumsPass : public mlir::fuse::impl::FuseJoinSumsBase<JoinSumsPass> {
  using Base::Base;

  void runOnOperation() override {
    auto isInner = [](AddOp add) {
      return add->hasOneUse() && isa<AddOp>(*add->user_begin()) &&
             add->user_begin()->getResult(0).getType() == add.getType();
    };
    for (AddOp add : llvm::to_vector(getOperation().getOps<AddOp>())) {
      if (isInner(add))
        continue;
      SumTree tree(add);
      if (tree.isWorthwhile())
        tree.join();
    }
    for (Operation &op : llvm::make_early_inc_range(
             llvm::reverse(getOperation().getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
