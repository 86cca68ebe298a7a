//===- TransposedRegions.cpp - Norms between two transposes ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A norm of the channels of images is often written between two transposes:
//
//   planes -> transpose -> mean over the last dim, ... -> transpose -> planes
//
// The mean over dimension 1 is the same without either. A region is what
// follows from transposes of one permutation by pointwise ops and reductions;
// all that leaves it is transposed back, or has so few dimensions that are not
// of size 1 that a reshape does what the transpose would.
//
//===----------------------------------------------------------------------===//

#include "TransposedRegions.h"
#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// Ops of a region, at most.
static constexpr size_t mostOps = 64;

namespace {
class TransposedRegion {
public:
  explicit TransposedRegion(TransposeOp first)
      : permutation(first.getPermutation()),
        inverse(invertPermutationVector(permutation)) {
    starts.insert(first);
  }

  /// Fails where something of it is needed as it is transposed.
  bool collect();
  void untranspose();
  ArrayRef<Operation *> getStarts() const { return starts.getArrayRef(); }

private:
  bool isStart(Value value) const;
  bool isOfRegion(Value value) const {
    Operation *op = value.getDefiningOp();
    return op && (starts.contains(op) || ops.contains(op));
  }
  bool isBack(Operation *user) const;
  bool keepsOrder(ArrayRef<int64_t> shape, ArrayRef<int64_t> order) const;
  bool mayJoin(Operation *op) const;
  bool mayLeave(Value value) const;
  bool visit(Value value);
  bool haveOperands();
  Value operandOf(ImplicitLocOpBuilder &builder, Value operand);
  void rebuild(Operation *op);
  void leave(Value value);

  SmallVector<int64_t> permutation, inverse;
  /// Transposes that start the region, and its ops.
  llvm::SetVector<Operation *> starts, ops;
  bool reduces = false, isTransposedBack = false;
  /// What stands for the region's values, before the transpose.
  IRMapping before;
};
} // namespace

bool TransposedRegion::isStart(Value value) const {
  auto transpose = value.getDefiningOp<TransposeOp>();
  return transpose && transpose.getPermutation() == ArrayRef(permutation);
}

bool TransposedRegion::isBack(Operation *user) const {
  auto transpose = dyn_cast<TransposeOp>(user);
  return transpose && transpose.getPermutation() == ArrayRef(inverse);
}

/// Whether dimensions that are not of size 1 follow each other as before where
/// the dimensions of the shape are taken in that order.
bool TransposedRegion::keepsOrder(ArrayRef<int64_t> shape,
                                  ArrayRef<int64_t> order) const {
  SmallVector<int64_t> others(order);
  llvm::erase_if(others, [&](int64_t dim) { return shape[dim] == 1; });
  return llvm::is_sorted(others);
}

bool TransposedRegion::mayJoin(Operation *op) const {
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    // Without the reduced dimensions the others have to stay in their order.
    SmallVector<int64_t> kept(permutation);
    for (int64_t dim : llvm::reverse(reduce.getDims()))
      kept.erase(kept.begin() + dim);
    return reduce.getKeep() || llvm::is_sorted(kept);
  }
  return isShapeless(op) && tensorType(op->getResult(0)).getRank() ==
                                static_cast<int64_t>(permutation.size());
}

bool TransposedRegion::mayLeave(Value value) const {
  return keepsOrder(tensorType(value).getShape(), inverse);
}

/// The users of a value of the region.
bool TransposedRegion::visit(Value value) {
  if (auto reduce = value.getDefiningOp<ReduceOp>();
      reduce && !reduce.getKeep())
    return true;
  for (Operation *user : value.getUsers()) {
    isTransposedBack |= isBack(user);
    if (isBack(user) || ops.contains(user))
      continue;
    if (!mayJoin(user)) {
      if (!mayLeave(value))
        return false;
      continue;
    }
    reduces |= isa<ReduceOp>(user);
    ops.insert(user);
    for (Value operand : user->getOperands())
      if (isStart(operand))
        starts.insert(operand.getDefiningOp());
  }
  return ops.size() <= mostOps;
}

/// Whether a reshape makes of each operand from elsewhere what it would be
/// before the transpose.
bool TransposedRegion::haveOperands() {
  auto fits = [&](Value operand) {
    SmallVector<int64_t> shape(permutation.size(), 1);
    ArrayRef<int64_t> own = tensorType(operand).getShape();
    llvm::copy(own, shape.end() - own.size());
    return isOfRegion(operand) || keepsOrder(shape, inverse);
  };
  return llvm::all_of(ops, [&](Operation *op) {
    return llvm::all_of(op->getOperands(), fits);
  });
}

bool TransposedRegion::collect() {
  size_t seenStarts = 0, seenOps = 0;
  while (seenStarts < starts.size() || seenOps < ops.size()) {
    Operation *next =
        seenStarts < starts.size() ? starts[seenStarts++] : ops[seenOps++];
    if (!visit(next->getResult(0)))
      return false;
  }
  return reduces && isTransposedBack && haveOperands();
}

/// A list with an element for each dimension, as it is before the transpose.
static SmallVector<int64_t> takenBy(ArrayRef<int64_t> order,
                                    ArrayRef<int64_t> list) {
  return llvm::map_to_vector(order, [&](int64_t dim) { return list[dim]; });
}

Value TransposedRegion::operandOf(ImplicitLocOpBuilder &builder,
                                  Value operand) {
  if (Value known = before.lookupOrNull(operand))
    return known;
  RankedTensorType type = tensorType(operand);
  if (llvm::all_of(type.getShape(), [](int64_t size) { return size == 1; }))
    return operand;
  auto missing = static_cast<int64_t>(permutation.size()) - type.getRank();
  SmallVector<int64_t> shape(missing, 1);
  llvm::append_range(shape, type.getShape());
  ReshapeGroups groups(type.getRank());
  for (int64_t dim = 0; dim < missing; ++dim)
    groups.front().push_back(dim);
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    groups[axis].push_back(missing + axis);
  SmallVector<OpFoldResult> sizes(missing, builder.getIndexAttr(1));
  llvm::append_range(sizes,
                     tensor::getMixedSizes(builder, builder.getLoc(), operand));
  if (missing > 0)
    operand = tensor::ExpandShapeOp::create(builder, type.clone(shape), operand,
                                            groups, sizes);
  return TransposeOp::create(builder, type.clone(takenBy(inverse, shape)),
                             operand, inverse);
}

void TransposedRegion::rebuild(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    SmallVector<int64_t> dims;
    for (int64_t dim : reduce.getDims())
      dims.push_back(permutation[dim]);
    llvm::sort(dims);
    Value result = ReduceOp::create(builder, reduce.getKind(),
                                    before.lookup(reduce.getInput()), dims,
                                    reduce.getKeep());
    result.getDefiningOp()->setDiscardableAttrs(
        reduce->getDiscardableAttrDictionary());
    before.map(reduce.getResult(), result);
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(operandOf(builder, operand));
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  RankedTensorType type = tensorType(op->getResult(0));
  clone->getResult(0).setType(type.clone(takenBy(inverse, type.getShape())));
  before.map(op->getResult(0), clone->getResult(0));
}

/// Gives those who are not of the region what they read.
void TransposedRegion::leave(Value value) {
  Value known = before.lookup(value);
  auto reduce = value.getDefiningOp<ReduceOp>();
  if (reduce && !reduce.getKeep())
    return value.replaceAllUsesWith(known);
  for (Operation *user : llvm::make_early_inc_range(value.getUsers())) {
    if (isBack(user))
      user->getResult(0).replaceAllUsesWith(known);
    if (isBack(user) || ops.contains(user) ||
        starts.contains(value.getDefiningOp()))
      continue;
    OpBuilder builder(user);
    user->replaceUsesOfWith(value, TransposeOp::create(builder, value.getLoc(),
                                                       tensorType(value), known,
                                                       permutation));
  }
}

void TransposedRegion::untranspose() {
  SmallVector<Operation *> sorted = ops.takeVector();
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  ops.insert_range(sorted);
  for (Operation *start : starts)
    before.map(start->getResult(0), start->getOperand(0));
  llvm::for_each(sorted, [&](Operation *op) { rebuild(op); });
  for (Operation *op : starts)
    leave(op->getResult(0));
  for (Operation *op : sorted)
    leave(op->getResult(0));
}

void mlir::fuse::untransposeRegions(Block &block) {
  llvm::DenseSet<Operation *> done;
  for (TransposeOp start : llvm::to_vector(block.getOps<TransposeOp>())) {
    TransposedRegion region(start);
    if (done.contains(start) || !region.collect())
      continue;
    region.untranspose();
    done.insert_range(region.getStarts());
  }
  if (done.empty())
    return;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}
