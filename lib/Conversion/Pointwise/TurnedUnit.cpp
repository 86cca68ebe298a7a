//===- TurnedUnit.cpp - A box of results, turned by a thread --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is read in vectors is declared known, lane by lane, at the points where
// the ops between it and the results ask for it. The results are then computed
// one element after the other, and stored in vectors.
//
//===----------------------------------------------------------------------===//

#include "TurnedUnit.h"
#include "Points/OpEmitters.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

namespace {
class TurnedUnit {
public:
  TurnedUnit(KernelFrame &frame, const Segment &segment, const TurnedBox &box)
      : frame(frame), emitter(frame.emitter), segment(segment), box(box) {}

  void emit(const Index &unit);

private:
  void place(Index unit);
  Point pointAt(ArrayRef<int64_t> place);
  Point follow(ArrayRef<OpOperand *> path, Point point);
  Point flatPoint(Value tensor, const Point &first, int64_t lanes);
  std::pair<Point, bool> inputPoint(const TurnedBox::Read &read,
                                    ArrayRef<int64_t> at);
  void read(const TurnedBox::Read &read);
  Value compute(unsigned result, int64_t first, int64_t lanes);

  KernelFrame &frame;
  PointEmitter &emitter;
  const Segment &segment;
  const TurnedBox &box;
  /// The results' indices where the box starts.
  SmallVector<Index, 4> origin;
};
} // namespace

/// Place number `number` of these sizes, row by row.
static SmallVector<int64_t> placeAt(int64_t number, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> place(sizes.size());
  for (int64_t axis = sizes.size() - 1; axis >= 0; --axis) {
    place[axis] = number % sizes[axis];
    number /= sizes[axis];
  }
  return place;
}

void TurnedUnit::place(Index unit) {
  origin.resize(box.sizes.size());
  for (int64_t axis = box.sizes.size() - 1; axis >= 0; --axis) {
    Index size = Index::constant(box.sizes[axis]);
    Index count = emitter.div(emitter.size(segment.extents[axis]), size);
    bool isOne = !count.base && count.offset == 1;
    Index number = axis == 0 ? unit : emitter.rem(unit, count);
    origin[axis] = isOne ? Index::constant(0) : emitter.mul(number, size);
    unit = emitter.div(unit, count);
  }
}

Point TurnedUnit::pointAt(ArrayRef<int64_t> place) {
  Point point;
  for (auto [first, further] : llvm::zip_equal(origin, place))
    point.dims.push_back(emitter.add(first, Index::constant(further)));
  return point;
}

/// Where the value at the end of a path has what a result has at a point.
Point TurnedUnit::follow(ArrayRef<OpOperand *> path, Point point) {
  for (OpOperand *operand : path) {
    Operation *op = operand->getOwner();
    point = op->hasTrait<mlir::fuse::OpTrait::Pointwise>()
                ? emitter.operandPoint(operand->get(), op->getResult(0), point)
                : movedPoint(emitter, op, point);
  }
  return point;
}

/// Neighbours in memory from `first` on, at a multiple of their number.
Point TurnedUnit::flatPoint(Value tensor, const Point &first, int64_t lanes) {
  Point point = first;
  point.lanes = lanes;
  point.shape = frame.dims.extents(tensor);
  point.flat = true;
  Index linear = Index::constant(0);
  for (auto [index, extent] : llvm::zip_equal(point.dims, point.shape))
    if (extent.size != 1)
      linear = emitter.add(emitter.mul(linear, emitter.size(extent)), index);
  point.linear = linear;
  return point;
}

/// Where a place of what is read is in the input, and whether the box needs it.
std::pair<Point, bool> TurnedUnit::inputPoint(const TurnedBox::Read &read,
                                              ArrayRef<int64_t> at) {
  const WalkedInput &walked = read.walked;
  SmallVector<int64_t> place(origin.size(), 0);
  bool isNeeded = true;
  for (size_t dim = 0; dim < at.size(); ++dim) {
    int64_t axis = walked.axes[dim];
    int64_t further = at[dim] - (read.whole[dim] ? walked.starts[dim] : 0);
    isNeeded &= further >= 0 && further < (axis < 0 ? 1 : box.sizes[axis]);
    if (axis >= 0)
      place[axis] = further;
  }
  Point point = follow(walked.path, pointAt(place));
  for (size_t dim = 0; dim < at.size(); ++dim)
    if (read.whole[dim])
      point.dims[dim] = Index::constant(at[dim]);
  return {point, isNeeded};
}

void TurnedUnit::read(const TurnedBox::Read &read) {
  BlockArgument input = read.walked.input;
  int64_t elements = std::accumulate(read.sizes.begin(), read.sizes.end(),
                                     int64_t(1), std::multiplies<>());
  for (int64_t first = 0; first < elements; first += read.lanes) {
    Point start = inputPoint(read, placeAt(first, read.sizes)).first;
    Value lanes = emitter.emitLanes(input, flatPoint(input, start, read.lanes));
    for (int64_t lane = 0; lane < read.lanes; ++lane)
      if (auto [point, isNeeded] =
              inputPoint(read, placeAt(first + lane, read.sizes));
          isNeeded)
        emitter.define(input, point,
                       vector::ExtractOp::create(frame.builder, input.getLoc(),
                                                 lanes, lane));
  }
}

/// The lanes of a result from element `first` of the box on.
Value TurnedUnit::compute(unsigned result, int64_t first, int64_t lanes) {
  Value value = frame.kernel.getYield().getValues()[result];
  return emitter.gatherLanes(value.getLoc(), lanes, [&](int64_t lane) {
    return emitter.emit(value, pointAt(placeAt(first + lane, box.sizes)));
  });
}

void TurnedUnit::emit(const Index &unit) {
  place(unit);
  for (const TurnedBox::Read &each : box.reads)
    read(each);
  // All are computed before one is stored, which may lie where an input does.
  struct Vector {
    unsigned result;
    int64_t first, lanes;
    Value value;
  };
  SmallVector<Vector> vectors;
  for (auto [result, lanes] : llvm::zip_equal(segment.results, box.lanes))
    for (int64_t first = 0; first < box.elements(); first += lanes)
      vectors.push_back({result, first, lanes, compute(result, first, lanes)});
  for (const Vector &vector : vectors) {
    Value tensor = frame.kernel.getYield().getValues()[vector.result];
    Point first = pointAt(placeAt(vector.first, box.sizes));
    emitter.store(vector.result, flatPoint(tensor, first, vector.lanes),
                  vector.value);
  }
}

void mlir::fuse::emitTurnedUnit(KernelFrame &frame, const Segment &segment,
                                const TurnedBox &box, const Index &unit) {
  TurnedUnit(frame, segment, box).emit(unit);
}
