//===- ColumnScan.cpp - Scans of the columns of a block -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnScan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

ColumnScan::ColumnScan(KernelFrame &frame, ScanOp op, const SliceGroup &group,
                       int64_t lanes)
    : ScanAlgebra(frame.emitter, frame.builder, op), frame(frame), group(group),
      lanes(lanes) {
  if (group.slices > 1)
    slots = addSlots(frame, type, 2 * group.slices * group.vectors * lanes);
}

/// Lanes lie apart and vectors beside each other, so that the threads of a warp
/// meet in no bank.
Index ColumnScan::slotOf(const Index &parity, const Index &slice,
                         int64_t lane) {
  int64_t perLane = group.slices * group.vectors;
  Index ofTile = emitter.mul(parity, Index::constant(lanes * perLane));
  Index place = emitter.add(emitter.mul(slice, Index::constant(group.vectors)),
                            group.vector);
  return emitter.add(emitter.add(ofTile, place),
                     Index::constant(lane * perLane));
}

/// What the slices before this one come to; `total`: what all do.
Value ColumnScan::scanSlices(Value own, const Index &parity, Value &total) {
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value element =
        lanes == 1 ? own
                   : Value(vector::ExtractOp::create(builder, loc, own, lane));
    storeSlot(frame, slots, slotOf(parity, group.slice, lane), element);
  }
  // A tile later the other half is written, so that none has to wait for those
  // that still read.
  gpu::BarrierOp::create(builder, loc);
  Value slice = emitter.materialize(group.slice);
  Value before = emitter.splat(loc, identity(), lanes);
  for (int64_t number = 0; number < group.slices; ++number) {
    Index other = Index::constant(number);
    Value part = emitter.gatherLanes(loc, lanes, [&](int64_t lane) {
      return loadSlot(frame, slots, slotOf(parity, other, lane), type);
    });
    if (number > 0) {
      Value isThis =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, slice,
                                emitter.materialize(other));
      before = arith::SelectOp::create(builder, loc, isThis, total, before);
    }
    total = number == 0 ? part : combine(total, part);
  }
  return before;
}

ReductionState ColumnScan::take(ArrayRef<Point> points,
                                const ReductionState &before,
                                const Index &parity) {
  // All loads start before the first is waited for.
  auto elements = llvm::map_to_vector(
      points, [&](const Point &point) { return elementsAt(point); });
  Value none = emitter.splat(loc, identity(), lanes);
  SmallVector<Value> scanned;
  for (Value element : elements)
    scanned.push_back(scanned.empty() ? element
                                      : combine(scanned.back(), element));
  Value total = scanned.back();
  Value ofSlices = slots ? scanSlices(scanned.back(), parity, total) : none;
  if (op.getExclusive()) {
    scanned.pop_back();
    scanned.insert(scanned.begin(), none);
  }
  for (auto [point, own] : llvm::zip_equal(points, scanned))
    emitter.define(op.getResult(), point, placed(own, ofSlices, before, lanes));
  return carry(before, total);
}
