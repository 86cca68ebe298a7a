//===- WidenReductions.cpp - Sums that repeat along columns ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mean of the tokens that a mask keeps divides sums of columns by a count
// that all columns have in common:
//
//   %p = mul %x, %f                          [n, k, 64], [n, k, 1]
//   %s = reduce sum %p dims = [1]            [n, 64]
//   %c = reduce sum %f dims = [1]            [n, 1]
//   %y = div %s, %c
//
// Reductions of two shapes are two walks over the same elements. The threads
// that add up a column have read its %f anyway: they add these up as well, by
// one more addition an element, where %f is repeated along the columns. So they
// do where the count is taken of the mask without the 1 that makes it meet %x.
//
//===----------------------------------------------------------------------===//

#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEWIDENREDUCTIONS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Ops that are looked through on the way to a reduction, or from one.
static constexpr size_t mostOps = 16;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether `wide` shows the elements of `value` with ones as last dimensions.
static bool showsWithOnes(Value wide, Value value) {
  ArrayRef<int64_t> own = shapeOf(value), shape = shapeOf(wide);
  if (shape.size() <= own.size() || shape.take_front(own.size()) != own ||
      !llvm::all_of(shape.drop_front(own.size()),
                    [](int64_t size) { return size == 1; }))
    return false;
  if (auto expand = wide.getDefiningOp<tensor::ExpandShapeOp>();
      expand && expand.getSrc() == value)
    return true;
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  return collapse && collapse.getSrc() == wide;
}

/// `value`, or what shows it with ones as last dimensions, among what `from` is
/// computed from element by element; null if neither is.
static Value findBehind(Value from, Value value) {
  llvm::SmallSetVector<Value, 16> seen;
  seen.insert(from);
  for (size_t next = 0; next < seen.size() && next < mostOps; ++next) {
    if (seen[next] == value || showsWithOnes(seen[next], value))
      return seen[next];
    if (Operation *op = seen[next].getDefiningOp(); isShapeless(op))
      seen.insert(op->operand_begin(), op->operand_end());
  }
  return {};
}

/// A reduction of columns that the value follows from element by element.
static ReduceOp columnsBefore(Value value) {
  llvm::SmallSetVector<Value, 16> seen;
  seen.insert(value);
  for (size_t next = 0; next < seen.size() && next < mostOps; ++next) {
    Operation *op = seen[next].getDefiningOp();
    if (auto reduce = dyn_cast_or_null<ReduceOp>(op)) {
      ArrayRef<int64_t> shape = shapeOf(reduce.getInput());
      int64_t last = static_cast<int64_t>(shape.size()) - 1;
      if (!reduce.getDims().empty() && reduce.getDims().back() != last &&
          shape[last] != 1 && shapeOf(reduce.getResult()) == shapeOf(value))
        return reduce;
      continue;
    }
    if (isShapeless(op))
      seen.insert(op->operand_begin(), op->operand_end());
  }
  return {};
}

/// Whether both reduce the same dimensions of one shape.
static bool areAlike(ReduceOp a, ReduceOp b) {
  return a.getDims() == b.getDims() && a.getKeep() == b.getKeep() &&
         shapeOf(a.getInput()) == shapeOf(b.getInput());
}

namespace {
/// A reduction, and what is computed from it up to where it meets columns.
class Widening {
public:
  explicit Widening(ReduceOp reduce) : reduce(reduce) {}

  bool find();
  void apply();

private:
  bool isWider(ReduceOp other);

  ReduceOp reduce, columns;
  /// What is reduced, with the rank of what the columns are of.
  Value input;
  /// In the shape of the reduction's result.
  llvm::SmallSetVector<Operation *, 4> ops;
};
} // namespace

/// Whether the columns read what is reduced, repeated along dimensions of known
/// size that stay.
bool Widening::isWider(ReduceOp other) {
  input = findBehind(other.getInput(), reduce.getInput());
  if (!input || other.getDims() != reduce.getDims())
    return false;
  ArrayRef<int64_t> own = shapeOf(input), wide = shapeOf(other.getInput());
  if (own.size() != wide.size())
    return false;
  SmallVector<int64_t> left;
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip(own, wide))) {
    auto [from, to] = sizes;
    bool isReduced = llvm::is_contained(reduce.getDims(), dim);
    bool repeats = from == 1 && !ShapedType::isDynamic(to) && !isReduced;
    if (from != to && !repeats)
      return false;
    if (!isReduced || other.getKeep())
      left.push_back(isReduced ? 1 : from);
  }
  return own != wide && ArrayRef(left) == shapeOf(reduce.getResult());
}

bool Widening::find() {
  ArrayRef<int64_t> shape = shapeOf(reduce.getResult());
  ops.insert(reduce);
  for (size_t next = 0; next < ops.size(); ++next)
    for (Operation *user : ops[next]->getUsers()) {
      if (!isShapeless(user) || ops.size() > mostOps)
        return false;
      if (shapeOf(user->getResult(0)) == shape) {
        ops.insert(user);
        continue;
      }
      ReduceOp met = columnsBefore(user->getResult(0));
      if (!met || (columns && !areAlike(met, columns)))
        return false;
      if (!columns || !isWider(columns))
        columns = met;
    }
  return columns && isWider(columns);
}

void Widening::apply() {
  OpBuilder builder(reduce);
  // What shows the mask with ones may come behind its reduction.
  if (auto expand = input.getDefiningOp<tensor::ExpandShapeOp>();
      expand && reduce->isBeforeInBlock(expand))
    input = tensor::ExpandShapeOp::create(builder, reduce.getLoc(),
                                          expand.getType(), expand.getSrc(),
                                          expand.getReassociationIndices());
  auto type = cast<RankedTensorType>(input.getType());
  Value wide = BroadcastOp::create(
      builder, reduce.getLoc(), type.clone(shapeOf(columns.getInput())), input,
      /*like=*/Value());
  reduce.getInputMutable().assign(wide);
  reduce.setKeep(columns.getKeep());
  for (Operation *op : ops) {
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    op->getResult(0).setType(result.clone(shapeOf(columns.getResult())));
  }
}

namespace {
struct WidenReductionsPass
    : public mlir::fuse::impl::FuseWidenReductionsBase<WidenReductionsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto reduce : llvm::to_vector(getOperation().getOps<ReduceOp>())) {
      Widening widening(reduce);
      if (widening.find())
        widening.apply();
    }
  }
};
} // namespace
