//===- RaiseMovement.cpp - Transposes of rows before their reductions -----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that reduces rows writes what it computes where it walks: it can
// read rows in another order, but not write them so. A transpose that only
// moves whole rows therefore goes up past what computes its operand, to where
// that is read, if a reduction is among it. So does an expansion between the
// two, which makes heads of features or windows of an image.
//
// What a movement goes past are the ops that its operand follows
// from, as far back as nobody else needs their results.
//
//===----------------------------------------------------------------------===//

#include "GroupedRegions.h"
#include "ReshapeOperands.h"
#include "SinkTransposes.h"
#include "TransposedRegions.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/SliceSizes.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <queue>

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSERAISEMOVEMENT
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A transpose, an expansion or a slice, as something that ops can follow.
class Movement {
public:
  explicit Movement(Operation *op) : op(op) {}
  virtual ~Movement() = default;

  Operation *getOperation() const { return op; }
  Value operand() const { return op->getOperand(0); }
  int64_t rank() const { return tensorType(operand()).getRank(); }

  /// Whether `other`, all of whose results have this rank, can come after it.
  virtual bool passes(Operation *other) const = 0;
  /// The shape of a value of this rank when it has moved.
  virtual SmallVector<int64_t> shapeOf(Value value) const = 0;
  /// A value that broadcasts to the operand's shape, moved.
  virtual Value move(OpBuilder &builder, Value value) const = 0;
  /// Changes the attributes of an op that comes after it.
  virtual void adapt(Operation *other) const = 0;
  /// Whether it goes up although reductions remain before it.
  virtual bool maySplitReductions() const { return true; }

private:
  Operation *op;
};

class TransposeMovement : public Movement {
public:
  explicit TransposeMovement(TransposeOp op)
      : Movement(op), permutation(op.getPermutation()) {}

  bool passes(Operation *other) const override;
  SmallVector<int64_t> shapeOf(Value value) const override {
    return moved(tensorType(value).getShape());
  }
  Value move(OpBuilder &builder, Value value) const override;
  void adapt(Operation *other) const override;
  /// Their kernel can store in the other order, but walks only one.
  bool maySplitReductions() const override { return false; }

private:
  /// Whether all dimensions from `first` on stay where they are.
  bool staysFrom(int64_t first) const {
    for (int64_t dim = first, rank = permutation.size(); dim < rank; ++dim)
      if (permutation[dim] != dim)
        return false;
    return true;
  }
  bool passesRotary(RotaryOp rotary) const;
  /// Where a dimension goes.
  int64_t placeOf(int64_t dim) const {
    return llvm::find(permutation, dim) - permutation.begin();
  }
  SmallVector<int64_t> moved(ArrayRef<int64_t> list) const {
    return llvm::map_to_vector(permutation,
                               [&](int64_t dim) { return list[dim]; });
  }

  SmallVector<int64_t> permutation;
};

class ExpandMovement : public Movement {
public:
  explicit ExpandMovement(tensor::ExpandShapeOp op)
      : Movement(op), expanded(op.getResultType()),
        groups(op.getReassociationIndices()) {}

  bool passes(Operation *other) const override {
    return isShapeless(other) ||
           (isReduction(other) && keepsReducedDims(other) && expands(other));
  }
  SmallVector<int64_t> shapeOf(Value value) const override;
  Value move(OpBuilder &builder, Value value) const override {
    return expandOperand(builder, value.getLoc(), value, expanded, groups);
  }
  void adapt(Operation *other) const override {
    if (isReduction(other))
      setReducedDims(other, expandedDims(reducedDims(other), groups));
  }

private:
  bool expands(Operation *reduction) const;

  RankedTensorType expanded;
  ReshapeGroups groups;
};

/// A slice of some dimensions, beside which others are reduced.
class SliceMovement : public Movement {
public:
  explicit SliceMovement(SliceOp op) : Movement(op), slice(op) {}

  bool passes(Operation *other) const override;
  SmallVector<int64_t> shapeOf(Value value) const override;
  Value move(OpBuilder &builder, Value value) const override;
  void adapt(Operation *) const override {}

private:
  bool cuts(int64_t dim) const;
  bool isSliceable(Value value) const;

  mutable SliceOp slice;
};

/// The ops that a movement goes up past.
class PassedOps {
public:
  explicit PassedOps(const Movement &movement) : movement(movement) {}

  /// Whether there is a reduction among them, and none that the movement has to
  /// leave before it.
  bool collect();
  /// Finds them.
  void find();
  /// Replaces the movement by the last of them.
  void raise();

private:
  bool takes(Operation *op) const;
  Value moved(OpBuilder &builder, Value value);

  const Movement &movement;
  llvm::SetVector<Operation *> ops;
  IRMapping values;
};
} // namespace

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

/// Tokens and heads may change places where nothing else is the first of a
/// batch.
bool TransposeMovement::passesRotary(RotaryOp rotary) const {
  int64_t tokens = rank() - 2, heads = rank() - 3;
  if (heads < 0 || !staysFrom(rank() - 1) || permutation[tokens] != heads ||
      permutation[heads] != tokens)
    return false;
  for (int64_t dim = 0; dim < heads; ++dim)
    if (permutation[dim] != dim)
      return false;
  // An offset in a tensor belongs to a place of the first dimension, which
  // becomes another.
  auto isNumber = [](TypedValue<RankedTensorType> value) {
    return !value || value.getType().getRank() == 0;
  };
  bool hasBatch = heads > 0;
  bool ofOne = (!rotary.getPositions() ||
                rotary.getPositions().getType().getRank() == 1) &&
               (rotary.getSequences() ||
                isNumber(cast_or_null<TypedValue<RankedTensorType>>(
                    rotary.getOffset())));
  return hasBatch || ofOne;
}

/// Rows stay whole: a transpose of what is reduced makes columns of them.
bool TransposeMovement::passes(Operation *other) const {
  if (auto rotary = dyn_cast<RotaryOp>(other))
    return passesRotary(rotary);
  if (isReduction(other))
    return keepsReducedDims(other) && !reducedDims(other).empty() &&
           staysFrom(reducedDims(other).front());
  return isShapeless(other) ||
         isa<IotaOp, ConcatOp, PadOp, ReverseOp, SliceOp>(other);
}

/// Shapes align at the last dimension. Only dimensions that change places with
/// each other have to be there.
Value TransposeMovement::move(OpBuilder &builder, Value value) const {
  Location loc = value.getLoc();
  RankedTensorType type = tensorType(value);
  int64_t missing = rank() - type.getRank();
  if (type.getRank() == 0 || staysFrom(missing))
    return value;
  if (missing > 0) {
    SmallVector<int64_t> shape(missing, 1);
    llvm::append_range(shape, type.getShape());
    ReshapeGroups groups(type.getRank());
    for (int64_t dim = 0; dim < rank(); ++dim)
      groups[std::max<int64_t>(0, dim - missing)].push_back(dim);
    value = tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        value, groups);
  }
  return TransposeOp::create(
      builder, loc,
      RankedTensorType::get(shapeOf(value), type.getElementType()), value,
      permutation);
}

void TransposeMovement::adapt(Operation *other) const {
  llvm::TypeSwitch<Operation *>(other)
      .Case([&](IotaOp iota) { iota.setDim(placeOf(iota.getDim())); })
      .Case([&](ConcatOp concat) { concat.setDim(placeOf(concat.getDim())); })
      .Case([&](PadOp pad) {
        pad.setLow(moved(pad.getLow()));
        pad.setHigh(moved(pad.getHigh()));
      })
      .Case([&](ReverseOp reverse) {
        auto dims = llvm::map_to_vector(
            reverse.getDims(), [&](int64_t dim) { return placeOf(dim); });
        llvm::sort(dims);
        reverse.setDims(dims);
      })
      .Case([&](SliceOp slice) {
        slice.setOffsets(moved(slice.getOffsets()));
        slice.setSizes(moved(slice.getSizes()));
        slice.setSteps(moved(slice.getSteps()));
      })
      .Case([&](RotaryOp rotary) {
        rotary.setOrder(rotary.getOrder() == HeadOrder::tokens_heads
                            ? HeadOrder::heads_tokens
                            : HeadOrder::tokens_heads);
      });
}

//===----------------------------------------------------------------------===//
// Expansions
//===----------------------------------------------------------------------===//

/// Whether what is reduced has the sizes that the expansion splits.
bool ExpandMovement::expands(Operation *reduction) const {
  ArrayRef<int64_t> shape = tensorType(operand()).getShape();
  ArrayRef<int64_t> input = tensorType(reduction->getOperand(0)).getShape();
  return llvm::all_of(reducedDims(reduction), [&](int64_t dim) {
    bool isKnown = !ShapedType::isDynamic(shape[dim]);
    return shape[dim] == input[dim] && (isKnown || groups[dim].size() == 1);
  });
}

SmallVector<int64_t> ExpandMovement::shapeOf(Value value) const {
  SmallVector<int64_t> shape;
  for (auto [size, group] : llvm::zip(tensorType(value).getShape(), groups))
    for (int64_t dim : group)
      shape.push_back(size == 1 ? 1 : expanded.getDimSize(dim));
  return shape;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Whether the slice leaves out elements of the dimension.
bool SliceMovement::cuts(int64_t dim) const {
  RankedTensorType from = slice.getInput().getType(), to = slice.getType();
  bool isWhole = to.isDynamicDim(dim)
                     ? slice.getSizes()[dim] == -1
                     : from.getDimSize(dim) == to.getDimSize(dim);
  return !isWhole || slice.getOffsets()[dim] != 0 || slice.getSteps()[dim] != 1;
}

/// Whether the value has the dimensions that are cut, or repeats along them.
bool SliceMovement::isSliceable(Value value) const {
  ArrayRef<int64_t> shape = tensorType(value).getShape();
  ArrayRef<int64_t> all = tensorType(operand()).getShape();
  int64_t missing = rank() - static_cast<int64_t>(shape.size());
  for (int64_t dim = std::max<int64_t>(0, missing); dim < rank(); ++dim)
    if (cuts(dim) && shape[dim - missing] != all[dim] &&
        shape[dim - missing] != 1)
      return false;
  return missing >= 0;
}

bool SliceMovement::passes(Operation *other) const {
  auto isTensor = [](Value value) {
    return isa<RankedTensorType>(value.getType());
  };
  bool isKept =
      isReduction(other) && keepsReducedDims(other) &&
      llvm::none_of(reducedDims(other), [&](int64_t dim) { return cuts(dim); });
  return (isKept || isShapeless(other)) &&
         llvm::all_of(other->getOperands(), [&](Value operand) {
           return !isTensor(operand) || isSliceable(operand);
         });
}

SmallVector<int64_t> SliceMovement::shapeOf(Value value) const {
  SmallVector<int64_t> shape(tensorType(value).getShape());
  int64_t missing = rank() - static_cast<int64_t>(shape.size());
  ArrayRef<int64_t> all = tensorType(operand()).getShape();
  for (auto [dim, size] : llvm::enumerate(shape))
    if (int64_t of = dim + missing; cuts(of) && size == all[of])
      size = slice.getType().getDimSize(of);
  return shape;
}

Value SliceMovement::move(OpBuilder &builder, Value value) const {
  SmallVector<int64_t> shape(tensorType(value).getShape()), offsets, sizes,
      steps;
  int64_t missing = rank() - static_cast<int64_t>(shape.size());
  ArrayRef<int64_t> all = tensorType(operand()).getShape();
  bool isCut = false;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t of = dim + missing;
    bool isOwn = cuts(of) && size == all[of];
    isCut |= isOwn;
    offsets.push_back(isOwn ? slice.getOffsets()[of] : 0);
    sizes.push_back(isOwn ? slice.getSizes()[of] : sliceSize(size));
    steps.push_back(isOwn ? slice.getSteps()[of] : 1);
  }
  if (!isCut)
    return value;
  RankedTensorType type = tensorType(value).clone(shapeOf(value));
  return SliceOp::create(builder, slice.getLoc(), type, value, offsets, sizes,
                         steps);
}

//===----------------------------------------------------------------------===//
// What is passed
//===----------------------------------------------------------------------===//

/// Whether a reduction is computed before what the ops start with, in what may
/// be one kernel with them.
static bool followsReductions(ArrayRef<Operation *> ops) {
  llvm::SetVector<Operation *> before;
  auto push = [&](Operation *user) {
    for (Value operand : user->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && !llvm::is_contained(ops, op) && !isa<ContractOp>(op) &&
          isa<RankedTensorType>(operand.getType()))
        before.insert(op);
  };
  llvm::for_each(ops, push);
  for (size_t next = 0; next < before.size(); ++next) {
    if (isReduction(before[next]))
      return true;
    push(before[next]);
  }
  return false;
}

bool PassedOps::takes(Operation *op) const {
  bool hasRank = llvm::all_of(op->getResults(), [&](Value result) {
    return tensorType(result).getRank() == movement.rank();
  });
  auto isInside = [&](Operation *user) {
    return user == movement.getOperation() || ops.contains(user);
  };
  return hasRank && llvm::all_of(op->getUsers(), isInside) &&
         op->getBlock() == movement.getOperation()->getBlock() &&
         movement.passes(op);
}

bool PassedOps::collect() {
  find();
  return llvm::any_of(ops, isReduction) &&
         (movement.maySplitReductions() ||
          !followsReductions(ops.getArrayRef()));
}

/// Users come before what they use, so that all of them are known.
void PassedOps::find() {
  auto isEarlier = [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  };
  std::priority_queue<Operation *, SmallVector<Operation *>,
                      decltype(isEarlier)>
      work(isEarlier);
  auto push = [&](Operation *user) {
    for (Value operand : user->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && isa<FuseDialect>(op->getDialect()) &&
          isa<RankedTensorType>(operand.getType()))
        work.push(op);
  };
  push(movement.getOperation());
  while (!work.empty()) {
    Operation *op = work.top();
    work.pop();
    if (!ops.contains(op) && takes(op)) {
      ops.insert(op);
      push(op);
    }
  }
}

Value PassedOps::moved(OpBuilder &builder, Value value) {
  if (!isa<RankedTensorType>(value.getType()))
    return value;
  if (Value known = values.lookupOrNull(value))
    return known;
  Value result = movement.move(builder, value);
  values.map(value, result);
  return result;
}

void PassedOps::raise() {
  Operation *last = movement.getOperation();
  OpBuilder builder(last);
  for (Operation *op : llvm::reverse(ops)) {
    SmallVector<Value> operands;
    auto rotary = dyn_cast<RotaryOp>(op);
    for (Value operand : op->getOperands())
      operands.push_back(rotary && operand != rotary.getInput()
                             ? operand
                             : moved(builder, operand));
    Operation *clone = builder.clone(*op);
    clone->setOperands(operands);
    for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults())) {
      to.setType(tensorType(from).clone(movement.shapeOf(from)));
      values.map(from, to);
    }
    movement.adapt(clone);
  }
  last->getResult(0).replaceAllUsesWith(values.lookup(movement.operand()));
  last->erase();
  for (Operation *op : ops)
    op->erase();
}

//===----------------------------------------------------------------------===//
// Transposes that go down
//===----------------------------------------------------------------------===//

/// The only value that ops behind the transpose, which it can come after, leave
/// for others: null unless one of them needs other places of its row, which it
/// finds in the kernel of the row only.
static Value leftBehind(TransposeOp transpose) {
  TransposeMovement movement(transpose);
  llvm::SetVector<Value> values;
  values.insert(transpose.getResult());
  llvm::SetVector<Value> left;
  bool needsOthers = false;
  for (size_t next = 0; next < values.size(); ++next)
    for (Operation *user : values[next].getUsers()) {
      bool passes =
          isa<FuseDialect>(user->getDialect()) &&
          user->getBlock() == transpose->getBlock() &&
          llvm::all_of(user->getResults(),
                       [&](Value result) {
                         return tensorType(result).getRank() == movement.rank();
                       }) &&
          movement.passes(user);
      if (!passes) {
        left.insert(values[next]);
        continue;
      }
      needsOthers |= isa<SliceOp, ConcatOp, RotaryOp, ReverseOp>(user) ||
                     isReduction(user);
      values.insert(user->result_begin(), user->result_end());
    }
  bool isOne = needsOthers && left.size() == 1;
  return isOne && left.front() != transpose.getResult() ? left.front()
                                                        : Value();
}

/// A transpose of rows whose reductions it cannot go past goes down instead, to
/// where what follows of these is stored.
static void sinkBehindRows(TransposeOp transpose) {
  SmallVector<int64_t> permutation(transpose.getPermutation());
  if (permutation.empty() ||
      permutation.back() + 1 != static_cast<int64_t>(permutation.size()) ||
      !followsReductions(transpose.getOperation()))
    return;
  Value left = leftBehind(transpose);
  if (!left)
    return;
  OpBuilder builder(transpose.getContext());
  builder.setInsertionPointAfterValue(left);
  SmallVector<int64_t> inverse = invertPermutationVector(permutation);
  SmallVector<int64_t> shape(tensorType(left).getShape());
  auto type = tensorType(left).clone(applyPermutation(shape, inverse));
  auto back = TransposeOp::create(builder, left.getLoc(), type, left, inverse);
  auto again = TransposeOp::create(builder, left.getLoc(), tensorType(left),
                                   back, permutation);
  left.replaceAllUsesExcept(again, back);
  TransposeMovement movement(back);
  PassedOps passed(movement);
  passed.find();
  passed.raise();
}

namespace {
struct RaiseMovementPass
    : public mlir::fuse::impl::FuseRaiseMovementBase<RaiseMovementPass> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    Block &block = getOperation().getBody().front();
    untransposeRegions(block);
    sinkTransposes(block);
    for (auto op : llvm::to_vector(block.getOps<SliceOp>()))
      raise(SliceMovement(op));
    groupSharedRows(block);
    // An expansion may be in a transpose's way.
    for (auto op : llvm::to_vector(block.getOps<tensor::ExpandShapeOp>()))
      if (haveKnownSizes(op.getResultType(), op.getReassociationIndices()))
        raise(ExpandMovement(op));
    for (auto op : llvm::to_vector(block.getOps<TransposeOp>()))
      raise(TransposeMovement(op));
    for (auto op : llvm::to_vector(block.getOps<TransposeOp>()))
      sinkBehindRows(op);
  }

private:
  static void raise(const Movement &movement) {
    PassedOps passed(movement);
    if (passed.collect())
      passed.raise();
  }
};
} // namespace
