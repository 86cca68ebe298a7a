//===- FlowPlaces.cpp - Where a thread's sums are needed ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlowPlaces.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

Index FlowPlaces::indexOf(const PartedIndex &index) {
  return emitter.add(emitter.add(Index{index.base}, Index{index.lane}),
                     Index::constant(index.offset));
}

Point FlowPlaces::pointOf(const PartedPoint &at, int64_t lanes) {
  Point point;
  for (const PartedIndex &index : at)
    point.dims.push_back(indexOf(index));
  point.lanes = lanes;
  return point;
}

std::pair<PartedIndex, PartedIndex> FlowPlaces::divide(const PartedIndex &index,
                                                       const Extent &size) {
  if (!size.isStatic() || size.size == 0)
    return {PartedIndex::of(emitter.div(indexOf(index), emitter.size(size))),
            PartedIndex::of(emitter.rem(indexOf(index), emitter.size(size)))};
  int64_t part = size.size, rest = llvm::mod(index.offset, part);
  Index divisor = Index::constant(part);
  // Parts start where `base` does.
  if ((!index.base || index.unit % part == 0) && rest + index.span <= part) {
    PartedIndex outer{emitter.div(Index{index.base}, divisor).base,
                      std::max<int64_t>(1, index.unit / part),
                      llvm::divideFloorSigned(index.offset, part),
                      {},
                      1};
    return {outer, {Value(), 1, rest, index.lane, index.span}};
  }
  // What starts in one unit of a part ends in it.
  int64_t inUnit = llvm::mod(index.offset, index.unit);
  if (index.base && index.unit > 1 && part % index.unit == 0 &&
      inUnit + index.span <= index.unit) {
    Index start{index.base, index.offset - inUnit};
    PartedIndex inner = PartedIndex::of(emitter.rem(start, divisor));
    return {PartedIndex::of(emitter.div(start, divisor)),
            {inner.base, index.unit, inner.offset + inUnit, index.lane,
             index.span}};
  }
  // They start between the threads of a group.
  bool keepsGroups = part % index.span == 0 && index.unit % index.span == 0 &&
                     index.offset % index.span == 0;
  Index first = keepsGroups ? Index{index.base, index.offset} : indexOf(index);
  PartedIndex outer = PartedIndex::of(emitter.div(first, divisor));
  PartedIndex inner = PartedIndex::of(emitter.rem(first, divisor));
  if (keepsGroups) {
    inner.unit = index.span;
    inner.lane = index.lane;
    inner.span = index.span;
  }
  return {outer, inner};
}

/// The first dimension of a group takes what is left: the place is inside.
PartedPoint FlowPlaces::split(tensor::ExpandShapeOp expand,
                              const PartedPoint &from) {
  SmallVector<Extent> extents = emitter.getDims().extents(expand.getResult());
  PartedPoint to(extents.size());
  for (auto [axis, group] : llvm::enumerate(expand.getReassociationIndices())) {
    PartedIndex rest = from[axis];
    auto walked = llvm::to_vector(llvm::make_filter_range(
        group, [&](int64_t dim) { return extents[dim].size != 1; }));
    for (int64_t dim :
         llvm::reverse(ArrayRef(walked).drop_front(walked.empty() ? 0 : 1)))
      std::tie(rest, to[dim]) = divide(rest, extents[dim]);
    if (!walked.empty())
      to[walked.front()] = rest;
  }
  return to;
}

PartedIndex FlowPlaces::append(const PartedIndex &outer, const Extent &size,
                               const PartedIndex &inner) {
  Index scaled = emitter.mul(indexOf(outer), emitter.size(size));
  PartedIndex index = inner;
  int64_t unit =
      size.isStatic() ? size.size * (outer.lane ? 1 : outer.unit) : 1;
  index.unit = inner.base ? std::gcd(unit, inner.unit) : unit;
  index.base = emitter.add(Index{scaled.base}, Index{inner.base}).base;
  index.offset += scaled.offset;
  return index;
}

PartedPoint FlowPlaces::join(tensor::CollapseShapeOp collapse,
                             const PartedPoint &from) {
  SmallVector<Extent> extents = emitter.getDims().extents(collapse.getSrc());
  PartedPoint to;
  for (const ReassociationIndices &group : collapse.getReassociationIndices()) {
    PartedIndex index;
    bool isFirst = true;
    for (int64_t dim : group) {
      if (extents[dim].size == 1)
        continue;
      index = isFirst ? from[dim] : append(index, extents[dim], from[dim]);
      isFirst = false;
    }
    to.push_back(index);
  }
  return to;
}

PartedPoint FlowPlaces::move(Operation *moved, const PartedPoint &from) {
  return llvm::TypeSwitch<Operation *, PartedPoint>(moved)
      .Case([&](tensor::ExpandShapeOp expand) { return split(expand, from); })
      .Case([&](tensor::CollapseShapeOp collapse) {
        return join(collapse, from);
      })
      .Case([&](TransposeOp transpose) {
        PartedPoint to;
        for (int64_t axis : transpose.getPermutation())
          to.push_back(from[axis]);
        return to;
      })
      .Case([&](SliceOp slice) {
        PartedPoint to = from;
        for (auto [index, offset] : llvm::zip_equal(to, slice.getOffsets()))
          index.offset -= offset;
        return to;
      });
}

PartedPoint FlowPlaces::follow(Value value, const PartedPoint &from) {
  PartedPoint at = from;
  for (Operation *moved : flow.of(value).moves)
    at = move(moved, at);
  return at;
}

void FlowPlaces::declare(const PartedPoint &from, int64_t lanes) {
  for (auto &[value, moved] : flow.values) {
    Operation *last = value.getDefiningOp();
    if (moved.moves.empty() || moved.moves.back() != last)
      continue;
    PartedPoint source = follow(last->getOperand(0), from);
    emitter.defineSource(last, pointOf(move(last, source), lanes),
                         pointOf(source, lanes));
  }
}
