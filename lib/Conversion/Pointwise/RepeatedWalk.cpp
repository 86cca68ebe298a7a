//===- RepeatedWalk.cpp - A thread's places where values repeat -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatedWalk.h"

using namespace mlir;
using namespace mlir::fuse;

Point mlir::fuse::vectorPoint(PointEmitter &emitter, const Segment &segment,
                              ArrayRef<Index> place, int64_t lanes) {
  Point point;
  point.dims.assign(place.begin(), place.end());
  Index linear = Index::constant(0);
  for (auto [index, extent] : llvm::zip_equal(point.dims, segment.extents))
    linear = emitter.add(emitter.mul(linear, emitter.size(extent)), index);
  point.linear = linear;
  point.shape = segment.extents;
  point.flat = true;
  point.lanes = lanes;
  return point;
}

Index mlir::fuse::indexInRange(PointEmitter &emitter, const Index &index,
                               int64_t low, int64_t high) {
  Value base = emitter.materialize(index);
  emitter.setRange(base, low, high);
  return {base};
}

SmallVector<Extent> RepeatedWalk::groups() const {
  SmallVector<Extent> extents(segment.extents);
  extents[axis] = {extents[axis].size / together};
  return extents;
}

/// Where parts of a row start but the first, if vectors stay in parts.
SmallVector<int64_t> RepeatedWalk::seams() const {
  SmallVector<int64_t> found;
  int64_t last = segment.extents.size() - 1;
  for (auto concat : frame.kernel.getBody().getOps<ConcatOp>()) {
    if (frame.dims.extents(concat.getResult()) != segment.extents ||
        static_cast<int64_t>(concat.getDim()) != last)
      continue;
    int64_t start = 0;
    for (Value part : concat.getInputs().drop_back()) {
      int64_t size = tensorType(part).getDimSize(last);
      if (ShapedType::isDynamic(size))
        return {};
      start += size;
      if (start % lanes == 0)
        found.push_back(start);
    }
  }
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  return found;
}

void RepeatedWalk::emitPart(ArrayRef<Index> place, Store store) const {
  SmallVector<Point> points;
  SmallVector<Index, 4> at(place);
  for (int64_t number = 0; number < together; ++number, ++at[axis].offset)
    points.push_back(vectorPoint(frame.emitter, segment, at, lanes));
  store(points);
}

void RepeatedWalk::emitFrom(int64_t start, ArrayRef<int64_t> seams,
                            ArrayRef<Index> place, Store store) const {
  const Extent &row = segment.extents.back();
  SmallVector<Index, 4> at(place);
  auto emitUpTo = [&](int64_t end) {
    at.back() = indexInRange(frame.emitter, place.back(), start, end);
    emitPart(at, store);
  };
  if (seams.empty())
    return row.isStatic() ? emitUpTo(row.size) : emitPart(at, store);
  frame.ifElse(
      frame.emitter.less(place.back(), Index::constant(seams.front())),
      [&] { emitUpTo(seams.front()); },
      [&] { emitFrom(seams.front(), seams.drop_front(), place, store); });
}

void RepeatedWalk::emit(const Index &unit, Store store) const {
  PointEmitter &emitter = frame.emitter;
  Index first = emitter.mul(unit, Index::constant(lanes));
  SmallVector<Extent> all = groups();
  frame.ifTrue(emitter.less(first, emitter.product(all)), [&] {
    SmallVector<Index, 4> place = emitter.delinearize(first, all);
    place[axis] = emitter.mul(place[axis], Index::constant(together));
    emitFrom(0, seams(), place, store);
  });
}
