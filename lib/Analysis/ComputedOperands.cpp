//===- ComputedOperands.cpp - What contractions compute of an operand -----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operand is followed backwards, op by op, to the inputs that have an
// element for each of its places. Of
//
//   %q = fuse.unpack %w                                          [n, k]
//   %g = tensor.expand_shape %q [[0], [1, 2]]                    [n, k / 128,
//   128] %d = fuse.mul (cast %g), %scale                              the same
//   %r = tensor.collapse_shape %d [[0], [1, 2]]                  [n, k]
//
// %w is such an input and %scale is not. For each dimension of a value on the
// way it is known which of the operand's it is a part of, and how many places
// of that one step along it is: of %g's dimensions 0, 1 and 2 these are 1 of n,
// 128 of k, and 1 of k; of %w's 1 of n and 2 of k. Where a value is cut or
// padded at the end of the operand's dimension the steps are the same.
//
//===----------------------------------------------------------------------===//

#include "MmaOperands.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

/// Places of the operand that are computed together: 16 bytes of it.
static constexpr int64_t chunkPlaces = 8;

namespace {
/// A dimension of a value: so many places of the operand's dimension `axis`
/// from one index to the next; none where it has size 1.
struct Walk {
  int64_t axis = -1, step = 0;
  Extent extent = {1};

  bool operator==(const Walk &other) const {
    return axis == other.axis && step == other.step && extent == other.extent;
  }
};
using Walks = SmallVector<Walk, 5>;

/// Follows an operand backwards.
class OperandFollower {
public:
  OperandFollower(Value operand, ArrayRef<Operation *> ops,
                  const DimClasses &dims)
      : operand(operand), dims(dims), inside(ops.begin(), ops.end()) {}

  std::optional<OperandSource> run(ArrayRef<Operation *> ops);

private:
  bool isInside(Value value) const {
    return inside.contains(value.getDefiningOp());
  }
  bool collect(Value value);
  void follow(Value value, Walks walks);
  void followInto(Operation *op, Value operand, const Walks &walks);
  std::optional<Walks> throughCollapse(tensor::CollapseShapeOp op,
                                       const Walks &walks) const;
  std::optional<Walks> throughExpand(tensor::ExpandShapeOp op,
                                     const Walks &walks) const;
  std::optional<Walks> throughUnpack(UnpackOp op, Walks walks) const;
  std::optional<Walks> throughCut(Operation *op, Walks walks) const;
  std::optional<OperandSource> sourceAt(Value input, const Walks &walks) const;

  Value operand;
  const DimClasses &dims;
  llvm::SmallPtrSet<Operation *, 16> inside;
  /// All that computes the operand, and the inputs that it needs.
  llvm::SmallPtrSet<Operation *, 16> needed;
  /// Uses that were followed, and the walks of each input.
  llvm::SmallDenseSet<std::pair<Operation *, Value>> followed;
  llvm::MapVector<Value, Walks> inputs;
  /// Of all values that were followed to, and whether each has one.
  DenseMap<Value, Walks> seen;
  bool areSame = true;
};
} // namespace

/// All ops that the value is computed by; not if some are no arithmetic.
bool OperandFollower::collect(Value value) {
  Operation *op = value.getDefiningOp();
  if (!isInside(value) || !needed.insert(op).second)
    return true;
  bool isArithmetic =
      op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
      op->hasTrait<mlir::fuse::OpTrait::Movement>() ||
      isa<CastOp, ConstantOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          op);
  return isArithmetic &&
         llvm::all_of(op->getOperands(), [&](Value v) { return collect(v); });
}

/// A dimension that is split has its inner parts' sizes.
std::optional<Walks>
OperandFollower::throughCollapse(tensor::CollapseShapeOp op,
                                 const Walks &walks) const {
  SmallVector<Extent> extents = dims.extents(op.getSrc());
  Walks source(extents.size());
  for (auto [number, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t step = walks[number].step;
    bool isOutermost = false;
    for (int64_t dim : llvm::reverse(group)) {
      if (extents[dim].size == 1)
        continue;
      if (isOutermost)
        return std::nullopt;
      source[dim] = {walks[number].axis, step, extents[dim]};
      isOutermost = !extents[dim].isStatic();
      if (!isOutermost)
        step *= extents[dim].size;
    }
  }
  return source;
}

/// Dimensions that are joined are parts of one of the operand's. They follow
/// each other there, too: nothing that is followed reorders them.
std::optional<Walks> OperandFollower::throughExpand(tensor::ExpandShapeOp op,
                                                    const Walks &walks) const {
  SmallVector<Extent> extents = dims.extents(op.getSrc());
  Walks source;
  for (auto [number, group] : llvm::enumerate(op.getReassociationIndices())) {
    Walk joined;
    for (int64_t dim : llvm::reverse(group)) {
      const Walk &part = walks[dim];
      if (part.axis < 0)
        continue;
      bool isFirst = joined.axis < 0;
      if (!isFirst && part.axis != joined.axis)
        return std::nullopt;
      if (isFirst)
        joined = part;
    }
    joined.extent = extents[number];
    source.push_back(joined);
  }
  return source;
}

std::optional<Walks> OperandFollower::throughUnpack(UnpackOp op,
                                                    Walks walks) const {
  constexpr int64_t perByte = 2;
  if (walks.empty() || walks.back().axis < 0 || walks.back().step != 1)
    return std::nullopt;
  walks.back().step = perByte;
  walks.back().extent = dims.extents(op.getInput()).back();
  return walks;
}

/// Of a pad or a slice that leaves each element at its index: what changes size
/// is the outermost part of a dimension.
std::optional<Walks> OperandFollower::throughCut(Operation *op,
                                                 Walks walks) const {
  SmallVector<Extent> extents = dims.extents(op->getOperand(0));
  for (auto [number, extent] : llvm::enumerate(extents)) {
    Walk &walk = walks[number];
    if (extent == walk.extent)
      continue;
    bool isOuter = llvm::none_of(walks, [&](const Walk &other) {
      return other.axis == walk.axis && other.step > walk.step;
    });
    if (walk.axis < 0 || extent.size == 1 || !isOuter)
      return std::nullopt;
    walk.extent = extent;
  }
  return walks;
}

static bool areZero(ArrayRef<int64_t> numbers) {
  return llvm::all_of(numbers, [](int64_t number) { return number == 0; });
}

void OperandFollower::followInto(Operation *op, Value value,
                                 const Walks &walks) {
  followed.insert({op, value});
  follow(value, walks);
}

/// Lanes of a chunk lie together in each value on the way.
void OperandFollower::follow(Value value, Walks walks) {
  auto last = static_cast<int64_t>(dims.extents(operand).size()) - 1;
  if (walks.empty() || walks.back().axis != last ||
      (walks.back().extent.isStatic() &&
       walks.back().extent.size * walks.back().step % chunkPlaces))
    return;
  auto [known, isNew] = seen.try_emplace(value, walks);
  areSame &= known->second == walks;
  if (!isNew)
    return;
  if (!isInside(value)) {
    inputs[value] = std::move(walks);
    return;
  }
  Operation *op = value.getDefiningOp();
  auto through = [&](std::optional<Walks> source) {
    if (source)
      followInto(op, op->getOperand(0), *source);
  };
  if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>() || isa<CastOp>(op)) {
    for (Value from : op->getOperands())
      if (dims.sameShape(from, value))
        followInto(op, from, walks);
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tensor::CollapseShapeOp collapse) {
        through(throughCollapse(collapse, walks));
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        through(throughExpand(expand, walks));
      })
      .Case([&](UnpackOp unpack) { through(throughUnpack(unpack, walks)); })
      .Case([&](PadOp pad) {
        if (areZero(pad.getLow()))
          through(throughCut(pad, walks));
      })
      .Case([&](SliceOp slice) {
        bool isPlain =
            slice->getNumOperands() == 1 && areZero(slice.getOffsets()) &&
            llvm::all_of(slice.getSteps(), [](int64_t s) { return s == 1; });
        if (isPlain)
          through(throughCut(slice, walks));
      });
}

/// The input has all places of each of the operand's dimensions, in order.
std::optional<OperandSource>
OperandFollower::sourceAt(Value input, const Walks &walks) const {
  OperandSource source;
  source.input = input;
  SmallVector<Extent> extents = dims.extents(operand);
  source.dims.resize(extents.size());
  source.computed.value = operand;
  source.computed.perElement = walks.back().step;
  // From the innermost on, each axis from its last place on.
  int64_t axis = extents.size(), next = 1;
  Extent outer = {1};
  auto isWhole = [&] {
    if (axis == static_cast<int64_t>(extents.size()))
      return true;
    return outer.isStatic() ? extents[axis] == Extent{next}
                            : extents[axis] == outer;
  };
  for (unsigned number = walks.size(); number-- > 0;) {
    const Walk &walk = walks[number];
    if (walk.axis < 0)
      continue;
    if (walk.axis != axis) {
      if (walk.axis > axis || !isWhole())
        return std::nullopt;
      bool isInnermost = axis == static_cast<int64_t>(extents.size());
      next = isInnermost ? walk.step : 1;
      axis = walk.axis;
    }
    outer = walk.extent;
    bool isOnlyPart = next == 1;
    if (walk.step != next || (!outer.isStatic() && !isOnlyPart))
      return std::nullopt;
    next = outer.isStatic() ? next * outer.size : -1;
    source.dims[axis].insert(source.dims[axis].begin(), number);
  }
  if (!isWhole())
    return std::nullopt;
  // A dimension of one place is any of the input's that has one.
  const Walk *one =
      llvm::find_if(walks, [](const Walk &w) { return w.axis < 0; });
  for (auto [extent, of] : llvm::zip_equal(extents, source.dims)) {
    if (!of.empty())
      continue;
    if (extent.size != 1)
      return std::nullopt;
    if (one != walks.end())
      of.push_back(one - walks.begin());
  }
  return source;
}

std::optional<OperandSource> OperandFollower::run(ArrayRef<Operation *> ops) {
  constexpr unsigned mostBits = 32, mostOfAnyLength = 16, byte = 8;
  if (!collect(operand))
    return std::nullopt;
  Walks start;
  for (auto [axis, extent] : llvm::enumerate(dims.extents(operand)))
    start.push_back(extent.size == 1
                        ? Walk()
                        : Walk{static_cast<int64_t>(axis), 1, extent});
  follow(operand, start);
  std::optional<OperandSource> best;
  // Whoever reads an element asks for that of the same place.
  for (auto &[value, walks] : seen)
    for (Operation *user : value.getUsers())
      areSame &= !needed.contains(user) || followed.contains({user, value});
  if (!areSame)
    return best;
  for (auto &[value, walks] : inputs) {
    Value input = value;
    unsigned bits =
        getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth();
    // Rows of whole 16 bytes have whole chunks.
    unsigned most = walks.back().extent.isStatic() ? mostBits : mostOfAnyLength;
    if (bits < byte || bits > most)
      continue;
    std::optional<OperandSource> source = sourceAt(input, walks);
    if (source && (!best || bits < getElementTypeOrSelf(best->input.getType())
                                       .getIntOrFloatBitWidth()))
      best = std::move(source);
  }
  if (best)
    llvm::copy_if(ops, std::back_inserter(best->computed.ops),
                  [&](Operation *op) { return needed.contains(op); });
  return best;
}

std::optional<OperandSource>
mlir::fuse::operandSourceOf(Value operand, ArrayRef<Operation *> ops,
                            const DimClasses &dims) {
  if (cast<RankedTensorType>(operand.getType()).getRank() == 0)
    return std::nullopt;
  return OperandFollower(operand, ops, dims).run(ops);
}
