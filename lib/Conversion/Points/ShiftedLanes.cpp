//===- ShiftedLanes.cpp - Lanes between the vectors of a tensor -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is sliced or padded by other steps than a vector's lies between two
// vectors that are whole in memory. With four lanes, one to the left:
//
//   in memory    | x0 x1 x2 x3 | x4 x5 x6 x7 |
//   pad low = 1             | x3 x4 x5 x6 |
//
// Both are read and shuffled. Rows have whole vectors, so that one of a padding
// is in its row or has nothing but padding. What is joined is so many paddings,
// each of which has its own lanes.
//
//===----------------------------------------------------------------------===//

#include "ShiftedLanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::isNearMemory(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  return isa<BlockArgument>(value);
}

/// Negative numbers are the largest without a sign.
Value mlir::fuse::emitIsInside(PointEmitter &emitter, Location loc,
                               const Index &index, const Extent &extent) {
  return arith::CmpIOp::create(
      emitter.getBuilder(), loc, arith::CmpIPredicate::ult,
      emitter.materialize(index), emitter.materialize(emitter.size(extent)));
}

/// Bytes of an element where it is in memory.
static int64_t storedBytes(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  return getElementBytes(getElementTypeOrSelf(value.getType()));
}

namespace {
/// Lanes of `input` from a place on that is `skew` past a multiple of them.
class ShiftedLanes {
public:
  ShiftedLanes(PointEmitter &emitter, Value input, const Point &point)
      : emitter(emitter), builder(emitter.getBuilder()), input(input),
        loc(input.getLoc()), lanes(point.lanes), skew(point.skew) {
    source.guard = point.guard;
    source.lanes = lanes;
  }

  /// Whether rows of what is in memory have whole vectors.
  bool hasWholeVectors() const;
  int64_t past() const { return llvm::mod(skew, lanes); }
  /// The vectors around the lanes, of which each is read where `condition` is
  /// null or holds and its row has it; else it is `fill`.
  Value aroundPlace(Value condition, Value fill);
  /// The same of lanes that are all there.
  Value inRow();
  Value isInside(const Index &index, const Extent &extent);

  PointEmitter &emitter;
  OpBuilder &builder;
  Value input;
  Location loc;
  int64_t lanes, skew;
  /// The first lane's place, which a padding may lie before.
  Point source;

private:
  Extent inner() const { return emitter.getDims().extents(input).back(); }
  Value readFrom(int64_t distance);
  Value join(llvm::function_ref<Value(int64_t)> read);
};
} // namespace

bool ShiftedLanes::hasWholeVectors() const {
  bool isForGPU = emitter.getOptions().sharedBytes > 0;
  return isForGPU && lanes > 1 && isNearMemory(input) && inner().isStatic() &&
         inner().size % lanes == 0;
}

Value ShiftedLanes::isInside(const Index &index, const Extent &extent) {
  return emitIsInside(emitter, loc, index, extent);
}

Value ShiftedLanes::readFrom(int64_t distance) {
  Point whole = source;
  whole.dims.back() = emitter.add(whole.dims.back(), Index::constant(distance));
  return emitter.emitLanes(input, whole);
}

/// The lanes out of what `read` gives for the distances of the vectors.
Value ShiftedLanes::join(llvm::function_ref<Value(int64_t)> read) {
  Value first = read(-past());
  if (past() == 0)
    return first;
  Value second = read(lanes - past());
  auto taken = llvm::to_vector(llvm::seq<int64_t>(past(), past() + lanes));
  return vector::ShuffleOp::create(builder, loc, first, second, taken);
}

Value ShiftedLanes::inRow() {
  return join([&](int64_t distance) { return readFrom(distance); });
}

Value ShiftedLanes::aroundPlace(Value condition, Value fill) {
  return join([&](int64_t distance) -> Value {
    Index first = emitter.add(source.dims.back(), Index::constant(distance));
    bool isOutside =
        !first.base && (first.offset < 0 || first.offset >= inner().size);
    if (isOutside)
      return fill;
    Value inside = isInside(first, inner());
    if (condition)
      inside = arith::AndIOp::create(builder, loc, condition, inside);
    return emitter.choose(
        loc, inside, fill.getType(), [&] { return readFrom(distance); },
        [&] { return fill; });
  });
}

Value mlir::fuse::emitShiftedLanes(PointEmitter &emitter, SliceOp slice,
                                   const Point &point) {
  constexpr int64_t leastBytes = 8;
  ShiftedLanes lanes(emitter, slice.getInput(), point);
  if (slice.getSteps().empty() || slice.getSteps().back() != 1 ||
      !lanes.hasWholeVectors())
    return {};
  for (auto [index, offset, step] :
       llvm::zip_equal(point.dims, slice.getOffsets(), slice.getSteps()))
    lanes.source.dims.push_back(emitter.add(
        emitter.mul(index, Index::constant(step)), Index::constant(offset)));
  lanes.skew += slice.getOffsets().back();
  // As far apart as accesses may start.
  int64_t past = lanes.past();
  int64_t apart = (past & -past) * storedBytes(slice.getInput());
  return past == 0 || apart >= leastBytes ? Value() : lanes.inRow();
}

Value mlir::fuse::emitShiftedLanes(PointEmitter &emitter, PadOp pad,
                                   const Point &point) {
  // A slice that is padded again is a shift of what it takes.
  auto slice = pad.getInput().getDefiningOp<SliceOp>();
  if (slice && llvm::any_of(slice.getSteps(), [](int64_t s) { return s != 1; }))
    slice = {};
  ShiftedLanes lanes(emitter, slice ? slice.getInput() : pad.getInput(), point);
  if (!lanes.hasWholeVectors())
    return {};
  OpBuilder &builder = lanes.builder;
  Location loc = pad.getLoc();
  Value fill = emitter.splat(loc, emitter.elementConstant(loc, pad.getValue()),
                             point.lanes);
  Value condition;
  int64_t last = point.dims.size() - 1;
  Index place;
  for (int64_t axis = 0; axis <= last; ++axis) {
    place = emitter.add(point.dims[axis], Index::constant(-pad.getLow()[axis]));
    int64_t start = slice ? slice.getOffsets()[axis] : 0;
    lanes.source.dims.push_back(emitter.add(place, Index::constant(start)));
    if (axis == last) {
      lanes.skew += start - pad.getLow()[axis];
      break;
    }
    Extent size = emitter.getDims().extent(pad.getInput(), axis);
    if (pad.getLow()[axis] == 0 && pad.getHigh()[axis] == 0)
      continue;
    if (!place.base &&
        (place.offset < 0 || (size.isStatic() && place.offset >= size.size)))
      return fill;
    Value inside = lanes.isInside(place, size);
    condition =
        condition
            ? Value(arith::AndIOp::create(builder, loc, condition, inside))
            : inside;
  }
  Value shifted = lanes.aroundPlace(condition, fill);
  if (!slice)
    return shifted;
  // What the slice left out is padding, too.
  Extent size = emitter.getDims().extent(pad.getInput(), last);
  return emitter.gatherLanes(loc, point.lanes, [&](int64_t lane) -> Value {
    Index at = emitter.add(place, Index::constant(lane));
    return arith::SelectOp::create(
        builder, loc, lanes.isInside(at, size),
        vector::ExtractOp::create(builder, loc, shifted, lane),
        vector::ExtractOp::create(builder, loc, fill, lane));
  });
}

namespace {
/// An operand of a concatenation along the last dimension.
struct JoinedPart {
  /// What it is cut out of, and from where on in each dimension.
  Value source;
  SmallVector<int64_t> offsets;
  /// Its places in the result.
  int64_t start, end;
};
} // namespace

/// The operands of a concatenation along the last dimension that have elements;
/// nullopt where the size of one is not known.
static std::optional<SmallVector<JoinedPart>> joinedParts(PointEmitter &emitter,
                                                          ConcatOp concat) {
  SmallVector<JoinedPart> parts;
  int64_t start = 0, rank = concat.getType().getRank();
  for (Value input : concat.getInputs()) {
    Extent size = emitter.getDims().extent(input, rank - 1);
    if (!size.isStatic())
      return std::nullopt;
    JoinedPart part{input, SmallVector<int64_t>(rank, 0), start,
                    start + size.size};
    start = part.end;
    auto slice = input.getDefiningOp<SliceOp>();
    if (slice &&
        llvm::all_of(slice.getSteps(), [](int64_t s) { return s == 1; })) {
      part.source = slice.getInput();
      part.offsets = llvm::to_vector(slice.getOffsets());
    }
    if (size.size > 0)
      parts.push_back(std::move(part));
  }
  return parts;
}

/// A vector with lanes of a part. Where the part starts inside of it, the lanes
/// before `start` are those of `before`.
static Value lanesFrom(OpBuilder &builder, Location loc, Value startsHere,
                       int64_t start, Value lanes, Value before) {
  if (start == 0)
    return lanes;
  int64_t count = cast<VectorType>(lanes.getType()).getNumElements();
  auto taken = llvm::to_vector(llvm::seq<int64_t>(0, count));
  for (int64_t lane = start; lane < count; ++lane)
    taken[lane] = count + lane;
  Value both = vector::ShuffleOp::create(builder, loc, before, lanes, taken);
  return arith::SelectOp::create(builder, loc, startsHere, both, lanes);
}

/// How the lanes that the part has of a point are read from its source; nullopt
/// where rows of that have no whole vectors.
static std::optional<ShiftedLanes>
lanesOf(PointEmitter &emitter, const JoinedPart &part, const Point &point) {
  ShiftedLanes lanes(emitter, part.source, point);
  if (!lanes.hasWholeVectors())
    return std::nullopt;
  for (auto [index, offset] : llvm::zip_equal(point.dims, part.offsets))
    lanes.source.dims.push_back(emitter.add(index, Index::constant(offset)));
  lanes.skew += part.offsets.back() - part.start;
  lanes.source.dims.back() =
      emitter.add(lanes.source.dims.back(), Index::constant(-part.start));
  return lanes;
}

Value mlir::fuse::emitShiftedLanes(PointEmitter &emitter, ConcatOp concat,
                                   const Point &point) {
  if (concat.getDim() + 1 != point.dims.size() || point.skew % point.lanes != 0)
    return {};
  auto parts = joinedParts(emitter, concat);
  if (!parts)
    return {};
  std::vector<ShiftedLanes> moved;
  for (const JoinedPart &part : *parts) {
    auto lanes = lanesOf(emitter, part, point);
    if (!lanes)
      return {};
    moved.push_back(std::move(*lanes));
  }
  OpBuilder &builder = emitter.getBuilder();
  Location loc = concat.getLoc();
  Type element = getElementTypeOrSelf(concat.getType());
  Value fill = emitter.splat(
      loc, emitter.elementConstant(loc, builder.getZeroAttr(element)),
      point.lanes);
  Value joined = fill;
  Index place = point.dims.back();
  for (size_t number = 0; number < moved.size(); ++number) {
    const JoinedPart &part = (*parts)[number];
    int64_t first = part.start % point.lanes;
    Value startsHere = emitter.less(place, Index::constant(part.start));
    Value hasLanes = arith::AndIOp::create(
        builder, loc, emitter.less(place, Index::constant(part.end)),
        emitter.less(Index::constant(part.start - first - 1), place));
    joined = emitter.choose(
        loc, hasLanes, joined.getType(),
        [&] {
          return lanesFrom(builder, loc, startsHere, first,
                           moved[number].aroundPlace({}, fill), joined);
        },
        [&] { return joined; });
  }
  return joined;
}
