//===- ResultStorer.cpp - Values on their way to a result
//-------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reductions/ResultStorer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

/// The same lanes elsewhere.
static Point elsewhere(const Point &point) {
  Point moved;
  moved.dims = point.dims;
  moved.lanes = point.lanes;
  moved.skew = point.skew;
  moved.ragged = point.ragged;
  moved.guard = point.guard;
  return moved;
}

/// Moves the lanes along the last dimension by an unknown number of elements.
static void shiftAnyhow(Point &point) { point.ragged = point.lanes > 1; }

static int64_t lastAxis(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank() - 1;
}

std::optional<Point> ResultStorer::expanded(tensor::ExpandShapeOp op,
                                            const Point &point) {
  SmallVector<Extent> extents = frame.dims.extents(op.getResult());
  Point place = elsewhere(point);
  place.dims.assign(extents.size(), Index::constant(0));
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  for (auto [axis, group] : llvm::enumerate(groups)) {
    SmallVector<Extent> inner;
    for (int64_t dim : group)
      inner.push_back(extents[dim]);
    // Lanes stay neighbours in one run of the last dimension.
    bool isLast = axis + 1 == groups.size();
    bool isWhole = llvm::all_of(ArrayRef(inner).drop_back(),
                                [](const Extent &e) { return e.size == 1; });
    bool divides = inner.back().isStatic() && inner.back().size > 1 &&
                   inner.back().size % point.lanes == 0 && !point.ragged &&
                   point.skew % point.lanes == 0;
    if (isLast && point.lanes > 1 && !isWhole && !divides)
      return std::nullopt;
    auto indices = emitter.delinearize(point.dims[axis], inner);
    for (auto [dim, index] : llvm::zip_equal(group, indices))
      place.dims[dim] = index;
  }
  if (groups.empty() && point.lanes > 1)
    return std::nullopt;
  return place;
}

std::optional<Point> ResultStorer::collapsed(tensor::CollapseShapeOp op,
                                             const Point &point) {
  SmallVector<Extent> extents = frame.dims.extents(op.getSrc());
  Point place = elsewhere(point);
  place.dims.clear();
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    place.dims.push_back(emitter.numberIn(group, extents, point.dims));
    bool isLast = group.back() == lastAxis(op.getSrc());
    bool divides = extents[group.back()].isStatic() &&
                   extents[group.back()].size % point.lanes == 0;
    if (isLast && group.size() > 1 && !divides)
      shiftAnyhow(place);
  }
  return place;
}

/// Where the lanes are behind a step that takes all of them; none where they
/// lie apart.
std::optional<Point> ResultStorer::moved(const StoreStep &step,
                                         const Point &point) {
  return llvm::TypeSwitch<Operation *, std::optional<Point>>(step.op)
      .Case([&](ConcatOp concat) {
        int64_t axis = concat.getDim();
        Index start = Index::constant(0);
        for (Value before : concat.getInputs().take_front(step.operand))
          start = emitter.add(start, emitter.size(extent(before, axis)));
        Point place = elsewhere(point);
        place.dims[axis] = emitter.add(point.dims[axis], start);
        if (axis == lastAxis(concat.getResult()))
          start.base ? shiftAnyhow(place) : void(place.skew += start.offset);
        return place;
      })
      .Case([&](PadOp pad) {
        Point place = elsewhere(point);
        for (auto [index, low] : llvm::zip_equal(place.dims, pad.getLow()))
          index = emitter.add(index, Index::constant(low));
        if (!pad.getLow().empty())
          place.skew += pad.getLow().back();
        return place;
      })
      .Case([&](TransposeOp transpose) -> std::optional<Point> {
        ArrayRef<int64_t> permutation = transpose.getPermutation();
        if (point.lanes > 1 &&
            permutation.back() != lastAxis(transpose.getInput()))
          return std::nullopt;
        Point place = elsewhere(point);
        for (auto [axis, from] : llvm::enumerate(permutation))
          place.dims[axis] = point.dims[from];
        return place;
      })
      .Case([&](tensor::ExpandShapeOp op) { return expanded(op, point); })
      .Case([&](tensor::CollapseShapeOp op) { return collapsed(op, point); });
}

/// Each lane by itself.
void ResultStorer::storeLanes(size_t step, const Point &point, Value lanes) {
  for (int64_t lane = 0; lane < point.lanes; ++lane) {
    Value one =
        vector::ExtractOp::create(frame.builder, frame.loc(), lanes, lane);
    storeFrom(step, emitter.lanePoint(point, lane), one);
  }
}

/// What lies outside of the slice is not stored.
void ResultStorer::storeSliced(size_t step, SliceOp slice, const Point &point,
                               Value lanes) {
  OpBuilder &builder = frame.builder;
  Value inside;
  Point place = elsewhere(point);
  for (auto [axis, offset] : llvm::enumerate(slice.getOffsets())) {
    Extent from = extent(slice.getInput(), axis);
    Extent to = extent(slice.getResult(), axis);
    if (from == to)
      continue;
    bool isLast = static_cast<int64_t>(axis) == lastAxis(slice.getInput());
    bool keepsLanes = to.isStatic() && offset % point.lanes == 0 &&
                      to.size % point.lanes == 0 && !point.ragged &&
                      point.skew % point.lanes == 0;
    if (isLast && point.lanes > 1 && !keepsLanes)
      return storeLanes(step, point, lanes);
    place.dims[axis] = emitter.add(point.dims[axis], Index::constant(-offset));
    Value isIn =
        arith::CmpIOp::create(builder, frame.loc(), arith::CmpIPredicate::ult,
                              emitter.materialize(place.dims[axis]),
                              emitter.materialize(emitter.size(to)));
    inside = frame.both(inside, isIn);
  }
  frame.ifTrue(inside, [&] { storeBehind(step, place, lanes); });
}

/// What the step has moved to a place, or what is computed from it there.
void ResultStorer::storeBehind(size_t step, const Point &place, Value lanes) {
  Value moved = path[step].op->getResult(0);
  if (path[step].value == moved)
    return storeFrom(step + 1, place, lanes);
  PointEmitter::Scope scope(emitter);
  emitter.define(moved, place, lanes);
  storeFrom(step + 1, place, emitter.emitLanes(path[step].value, place));
}

void ResultStorer::storeFrom(size_t step, const Point &point, Value lanes) {
  if (step == path.size())
    return storeResult(frame, result, point, lanes);
  Operation *op = path[step].op;
  if (auto slice = dyn_cast<SliceOp>(op))
    return storeSliced(step, slice, point, lanes);
  if (std::optional<Point> place = moved(path[step], point))
    return storeBehind(step, *place, lanes);
  storeLanes(step, point, lanes);
}

PadOp ResultStorer::padding() const {
  return path.empty() ? PadOp() : dyn_cast<PadOp>(path.front().op);
}

/// How many elements beside a row are filled together: 16 bytes, where all
/// runs of them start and end at multiples of these.
int64_t ResultStorer::lanesBeside(PadOp pad) const {
  Extent inner = extent(pad.getInput(), lastAxis(pad.getInput()));
  if (!inner.isStatic())
    return 1;
  Type type = getElementTypeOrSelf(pad.getResult().getType());
  int64_t bytes = std::max<int64_t>(type.getIntOrFloatBitWidth() / 8, 1);
  int64_t lanes = 16 / bytes;
  while ((pad.getLow().back() | pad.getHigh().back() | inner.size) % lanes)
    lanes /= 2;
  return lanes;
}

int64_t ResultStorer::placesBeside() const {
  PadOp pad = padding();
  return pad ? (pad.getLow().back() + pad.getHigh().back()) / lanesBeside(pad)
             : 0;
}

void ResultStorer::fillBeside(const Point &row, const Index &number) {
  PadOp pad = padding();
  Index low = Index::constant(pad.getLow().back());
  Index inner = emitter.size(extent(pad.getInput(), row.dims.size() - 1));
  Point place = elsewhere(row);
  place.lanes = lanesBeside(pad);
  place.skew = 0;
  place.ragged = false;
  Index first = emitter.mul(number, Index::constant(place.lanes));
  place.dims.back() = emitter.select(emitter.less(first, low), first,
                                     emitter.add(first, inner));
  Value filling = emitter.elementConstant(frame.loc(), pad.getValue());
  storeBehind(0, place, emitter.splat(frame.loc(), filling, place.lanes));
}
