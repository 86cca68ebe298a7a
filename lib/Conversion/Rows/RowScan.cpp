//===- RowScan.cpp - Scans of the rows of a block -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowScan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

RowScan::RowScan(KernelFrame &frame, ScanOp op, const RowWalkers &walkers,
                 int64_t unroll)
    : ScanAlgebra(frame.emitter, frame.builder, op), frame(frame),
      walkers(walkers), unroll(unroll) {
  if (walkers.warps() > 1)
    slots = addSlots(frame, type, 2 * unroll * walkers.warps());
}

//===----------------------------------------------------------------------===//
// A vector
//===----------------------------------------------------------------------===//

/// Each lane with all that the scan has before it.
Value RowScan::scanLanes(Value elements, int64_t lanes) {
  if (lanes == 1)
    return elements;
  // A GPU has no instructions for vectors, and a CPU none for lanes.
  return walkers.threads == 1 ? scanLanesByDoubling(elements, lanes)
                              : scanLanesInTurn(elements, lanes);
}

Value RowScan::scanLanesInTurn(Value elements, int64_t lanes) {
  SmallVector<Value> scanned(lanes);
  Value sum;
  for (int64_t i = 0; i < lanes; ++i) {
    int64_t lane = op.getReverse() ? lanes - 1 - i : i;
    Value element = vector::ExtractOp::create(builder, loc, elements, lane);
    sum = sum ? combine(sum, element) : element;
    scanned[lane] = sum;
  }
  return vector::FromElementsOp::create(builder, loc, elements.getType(),
                                        scanned);
}

/// Hillis and Steele, Data parallel algorithms, CACM 29 (1986).
Value RowScan::scanLanesByDoubling(Value elements, int64_t lanes) {
  Value none = emitter.splat(loc, identity(), lanes);
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t source = op.getReverse() ? lane + distance : lane - distance;
      bool exists = source >= 0 && source < lanes;
      from.push_back(exists ? source : lanes);
    }
    Value before =
        vector::ShuffleOp::create(builder, loc, elements, none, from);
    elements = combine(before, elements);
  }
  return elements;
}

/// Each lane with what the lane before it has.
Value RowScan::shifted(Value scanned, int64_t lanes) {
  if (lanes == 1)
    return identity();
  Value none = emitter.splat(loc, identity(), lanes);
  SmallVector<int64_t> from;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    int64_t source = op.getReverse() ? lane + 1 : lane - 1;
    from.push_back(source >= 0 && source < lanes ? source : lanes);
  }
  return vector::ShuffleOp::create(builder, loc, scanned, none, from);
}

Value RowScan::lastOf(Value scanned, int64_t lanes) {
  if (lanes == 1)
    return scanned;
  return vector::ExtractOp::create(builder, loc, scanned,
                                   op.getReverse() ? int64_t{0} : lanes - 1);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// A butterfly: in each step half of the lanes learn that what their partners
/// have comes before them, and all learn what both halves have.
std::pair<Value, Value> RowScan::scanWarp(Value own, int64_t width) {
  Value before = identity(), all = own;
  Value lane = emitter.materialize(walkers.thread);
  for (int64_t distance = 1; distance < width; distance *= 2) {
    Value other = shuffleXor(builder, loc, all, distance);
    Value bit = arith::AndIOp::create(
        builder, loc, lane,
        arith::ConstantIndexOp::create(builder, loc, distance));
    Value isLater =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bit,
                              arith::ConstantIndexOp::create(builder, loc, 0));
    before = arith::SelectOp::create(builder, loc, isLater,
                                     combine(other, before), before);
    all = combine(all, other);
  }
  return {before, all};
}

/// What comes before each stretch of the only warp, or thread.
SmallVector<Value> RowScan::scanStretches(ArrayRef<Value> totals,
                                          Value &total) {
  SmallVector<Value> before;
  Value sum = identity();
  for (Value stretch : totals) {
    before.push_back(sum);
    sum = combine(sum, stretch);
  }
  total = sum;
  return before;
}

/// What comes before this warp's vectors of each stretch.
SmallVector<Value> RowScan::scanWarps(ArrayRef<Value> totals,
                                      const Index &parity, Value &total) {
  int64_t warps = walkers.warps(), count = unroll * warps;
  Index inWarp = emitter.rem(walkers.thread, Index::constant(warpSize));
  Index warp = emitter.div(walkers.thread, Index::constant(warpSize));
  Index first = emitter.mul(parity, Index::constant(count));
  frame.ifTrue(emitter.less(inWarp, Index::constant(1)), [&] {
    for (auto [number, value] : llvm::enumerate(totals)) {
      auto place = Index::constant(static_cast<int64_t>(number) * warps);
      storeSlot(frame, slots, emitter.add(emitter.add(first, place), warp),
                value);
    }
  });
  gpu::BarrierOp::create(builder, loc);
  Index last = Index::constant(count - 1);
  Index place = emitter.add(first, emitter.min(inWarp, last));
  Value part = loadSlot(frame, slots, place, type);
  if (count < warpSize)
    part = arith::SelectOp::create(builder, loc,
                                   emitter.less(inWarp, Index::constant(count)),
                                   part, identity());
  auto [before, all] =
      scanWarp(part, static_cast<int64_t>(llvm::PowerOf2Ceil(count)));
  // Lanes that are beyond the parts have not seen all of them.
  bool haveAll = static_cast<int64_t>(llvm::PowerOf2Ceil(count)) == warpSize;
  auto laneOf = [&](const Index &index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                      emitter.materialize(index));
  };
  total = haveAll ? all
                  : shuffleFrom(builder, loc, all, laneOf(Index::constant(0)));
  SmallVector<Value> ofStretches;
  for (int64_t stretch = 0; stretch < unroll; ++stretch) {
    Index source = emitter.add(warp, Index::constant(stretch * warps));
    ofStretches.push_back(shuffleFrom(builder, loc, before, laneOf(source)));
  }
  return ofStretches;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

ReductionState RowScan::take(ArrayRef<Point> points,
                             const ReductionState &before,
                             const Index &parity) {
  // All loads start before the first is waited for.
  auto elements = llvm::map_to_vector(
      points, [&](const Point &point) { return elementsAt(point); });
  int64_t lanes = points.front().lanes;
  SmallVector<Value> scanned, ofThread, totals;
  for (Value vector : elements) {
    scanned.push_back(scanLanes(vector, lanes));
    Value own = lastOf(scanned.back(), lanes);
    auto [earlier, all] = scanWarp(own, std::min(walkers.threads, warpSize));
    ofThread.push_back(earlier);
    totals.push_back(all);
  }
  Value total;
  SmallVector<Value> ofWarps =
      slots ? scanWarps(totals, parity, total) : scanStretches(totals, total);
  for (auto [number, point] : llvm::enumerate(points)) {
    Value own =
        op.getExclusive() ? shifted(scanned[number], lanes) : scanned[number];
    Value earlier = combine(ofWarps[number], ofThread[number]);
    emitter.define(op.getResult(), point, placed(own, earlier, before, lanes));
  }
  return carry(before, total);
}
