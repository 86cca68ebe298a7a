//===- LowerPointwise.cpp - Segments cut into vectors ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"

#include "fuse/Analysis/KernelSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Lowers one segment; blocks are counted from the segment's first.
class SegmentLowering {
public:
  SegmentLowering(KernelFrame &frame, const Segment &segment, int64_t threads,
                  int64_t vector, int64_t unroll)
      : frame(frame), emitter(frame.emitter), segment(segment),
        threads(threads), vector(vector), unroll(unroll) {}

  LogicalResult verify();
  GridTerm grid() const;
  void emit(const Index &block);

private:
  bool isPaired() const;
  int64_t headDim() const { return segment.extents.back().size; }
  /// Vectors of a head that a thread starts from: one of each pair, and those
  /// past the rotated features.
  int64_t pairedUnits() const {
    return (headDim() - *segment.pairedDims / 2) / vector;
  }
  SmallVector<Extent> heads() const {
    return SmallVector<Extent>(ArrayRef(segment.extents).drop_back());
  }
  bool isWholeVectors() const;

  void emitFlat(const Index &unit);
  void emitPaired(const Index &unit);
  Point flatPoint(const Index &linear, int64_t lanes);
  Point featurePoint(const Index &head, const Index &feature);
  /// A value on its way to memory.
  struct Pending {
    unsigned result;
    Point point;
    Value value;
    /// Whether it is written; null means true.
    Value condition;
  };
  void prepare(unsigned result, const Point &point,
               SmallVectorImpl<Pending> &pending);
  void storeAt(ArrayRef<Point> points);

  KernelFrame &frame;
  PointEmitter &emitter;
  const Segment &segment;
  int64_t threads, vector, unroll;
};
} // namespace

bool SegmentLowering::isPaired() const {
  if (!segment.pairedDims || segment.extents.empty())
    return false;
  int64_t half = *segment.pairedDims / 2;
  return half % vector == 0 && (headDim() - 2 * half) % vector == 0;
}

LogicalResult SegmentLowering::verify() {
  if (segment.flat || vector == 1)
    return success();
  Extent inner = segment.extents.empty() ? Extent{1} : segment.extents.back();
  if (inner.isStatic() ? inner.size % vector == 0
                       : emitter.getOptions().divisible)
    return success();
  return frame.kernel.emitError()
         << "expected a schedule whose vector divides the last dimension, but "
            "got vector = "
         << vector << " for a last dimension of "
         << (inner.isStatic() ? std::to_string(inner.size) : "unknown size")
         << "; use vector = 1";
}

/// Whether the segment's elements are a multiple of the vector.
bool SegmentLowering::isWholeVectors() const {
  int64_t known = 1;
  for (const Extent &extent : segment.extents)
    if (extent.isStatic())
      known *= extent.size;
  if (known % vector == 0)
    return true;
  return !segment.flat && emitter.getOptions().divisible;
}

GridTerm SegmentLowering::grid() const {
  if (!isPaired())
    return {{{segment.extents, vector * threads * unroll}}};
  GridFactor units{heads(), threads * unroll};
  units.extents.push_back({pairedUnits()});
  return {{units}};
}

void SegmentLowering::emit(const Index &block) {
  Index thread = frame.threadId(threads);
  auto emitUnit = [&](const Index &step) {
    Index first = emitter.mul(
        emitter.add(emitter.mul(block, Index::constant(unroll)), step),
        Index::constant(threads));
    Index unit = emitter.add(first, thread);
    isPaired() ? emitPaired(unit) : emitFlat(unit);
  };
  if (unroll == 1)
    return emitUnit(Index::constant(0));
  OpBuilder &builder = frame.builder;
  auto loop = scf::ForOp::create(builder, frame.loc(),
                                 emitter.materialize(Index::constant(0)),
                                 emitter.materialize(Index::constant(unroll)),
                                 emitter.materialize(Index::constant(1)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  emitUnit({loop.getInductionVar()});
}

/// Computes a result at a point of the segment. Neighbouring updates of the
/// last dimension are scattered one by one.
void SegmentLowering::prepare(unsigned result, const Point &point,
                              SmallVectorImpl<Pending> &pending) {
  Value yielded = frame.kernel.getYield().getValues()[result];
  auto scatter = yielded.getDefiningOp<ScatterOp>();
  if (!scatter) {
    pending.push_back({result, point, emitter.emitLanes(yielded, point), {}});
    return;
  }
  bool lanesLieApart =
      static_cast<int64_t>(scatter.getDim()) + 1 == scatter.getType().getRank();
  if (point.lanes > 1 && lanesLieApart) {
    for (int64_t lane = 0; lane < point.lanes; ++lane)
      prepare(result, emitter.lanePoint(point, lane), pending);
    return;
  }
  ScatterTarget target = emitScatterTarget(emitter, scatter, point);
  pending.push_back({result, target.point,
                     emitter.emitLanes(scatter.getUpdates(), point),
                     target.exists});
}

/// All results are computed before any is written: a result may be written
/// where an input is.
void SegmentLowering::storeAt(ArrayRef<Point> points) {
  SmallVector<Pending, 2> pending;
  for (const Point &point : points)
    for (unsigned result : segment.results)
      prepare(result, point, pending);
  for (const Pending &each : pending)
    frame.ifTrue(each.condition,
                 [&] { emitter.store(each.result, each.point, each.value); });
}

Point SegmentLowering::flatPoint(const Index &linear, int64_t lanes) {
  Point point;
  point.dims = emitter.delinearize(linear, segment.extents);
  point.linear = linear;
  point.shape = segment.extents;
  point.flat = true;
  point.lanes = lanes;
  return point;
}

void SegmentLowering::emitFlat(const Index &unit) {
  Index first = emitter.mul(unit, Index::constant(vector));
  Index total = emitter.product(segment.extents);
  if (isWholeVectors() || vector == 1)
    return frame.ifTrue(emitter.less(first, total),
                        [&] { storeAt(flatPoint(first, vector)); });
  Index last = emitter.add(first, Index::constant(vector - 1));
  frame.ifElse(
      emitter.less(last, total), [&] { storeAt(flatPoint(first, vector)); },
      [&] {
        OpBuilder &builder = frame.builder;
        auto loop =
            scf::ForOp::create(builder, frame.loc(), emitter.materialize(first),
                               emitter.materialize(total),
                               emitter.materialize(Index::constant(1)));
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointToStart(loop.getBody());
        PointEmitter::Scope scope(emitter);
        storeAt(flatPoint({loop.getInductionVar()}, 1));
      });
}

Point SegmentLowering::featurePoint(const Index &head, const Index &feature) {
  Point point;
  point.dims = emitter.delinearize(head, heads());
  point.dims.push_back(feature);
  point.linear =
      emitter.add(emitter.mul(head, Index::constant(headDim())), feature);
  point.shape = segment.extents;
  point.flat = true;
  point.lanes = vector;
  return point;
}

void SegmentLowering::emitPaired(const Index &unit) {
  int64_t half = *segment.pairedDims / 2;
  Index units = Index::constant(pairedUnits());
  GridFactor all = grid().factors.front();
  frame.ifTrue(emitter.less(unit, emitter.product(all.extents)), [&] {
    Index head = emitter.div(unit, units);
    Index feature =
        emitter.mul(emitter.rem(unit, units), Index::constant(vector));
    // A base of its own, so that its range is known for it alone.
    auto rebase = [&](const Index &index, int64_t low, int64_t high) -> Index {
      Value base = emitter.materialize(index);
      emitter.setRange(base, low, high);
      return {base};
    };
    auto walkPair = [&] {
      Index low = rebase(feature, 0, half);
      Index high = emitter.add(low, Index::constant(half));
      storeAt({featurePoint(head, low), featurePoint(head, high)});
    };
    if (2 * half == headDim())
      return walkPair();
    frame.ifElse(emitter.less(feature, Index::constant(half)), walkPair, [&] {
      Index copied = rebase(emitter.add(feature, Index::constant(half)),
                            2 * half, headDim());
      storeAt(featurePoint(head, copied));
    });
  });
}

FailureOr<Grid> mlir::fuse::lowerPointwise(KernelFrame &frame, int64_t threads,
                                           int64_t vector, int64_t unroll) {
  SmallVector<Segment> segments = segmentsOf(frame.kernel, frame.dims);
  Grid grid;
  SmallVector<SegmentLowering> lowerings;
  for (const Segment &segment : segments) {
    lowerings.emplace_back(frame, segment, threads, vector, unroll);
    if (failed(lowerings.back().verify()))
      return failure();
    grid.push_back(lowerings.back().grid());
  }
  // Blocks of the first segment, else of the second, ...
  std::function<void(unsigned, Index)> emitFrom = [&](unsigned number,
                                                      Index block) {
    if (number + 1 == segments.size())
      return lowerings[number].emit(block);
    Index count = frame.blocks(grid[number]);
    frame.ifElse(
        frame.emitter.less(block, count),
        [&] { lowerings[number].emit(block); },
        [&] {
          Index rest = frame.emitter.add(
              block, frame.emitter.mul(count, Index::constant(-1)));
          emitFrom(number + 1, rest);
        });
  };
  emitFrom(0, frame.blockId());
  return grid;
}
