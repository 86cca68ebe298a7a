//===- StreamedParts.cpp - Rows that several blocks share -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedParts.h"

#include "FlowPlaces.h"
#include "Reductions/CombineParts.h"
#include "StreamedTiles.h"
#include "VerifyMma.h"
#include "fuse/Analysis/KernelEdge.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// The pointers of what parts leave, in their order.
static constexpr unsigned maxima = 0, totals = 1, partSums = 2;

/// The axes of the scores but the keys.
static SmallVector<Extent> rowExtents(const StreamedSpace &space,
                                      const DimClasses &dims) {
  SmallVector<Extent> extents =
      dims.extents(ContractOp(space.scores).getResult());
  extents.pop_back();
  return extents;
}

/// Columns of a row that blocks leave: what a warp has, in whole blocks of it.
static int64_t pitchOf(const StreamedSpace &space, const DimClasses &dims) {
  return llvm::alignTo(space.columnExtent(dims).size,
                       StreamedScores::blockColumns);
}

FailureOr<StreamedSpace>
mlir::fuse::verifiedStreamedSpace(KernelOp kernel, const DimClasses &dims,
                                  StreamedScheduleAttr schedule,
                                  const EmitOptions &options) {
  if (failed(verifyStreamedChip(kernel, schedule, options)))
    return failure();
  Reason reason;
  FailureOr<StreamedSpace> space = streamedSpaceOf(
      kernel, dims, {options.aligned, options.divisible}, reason);
  if (failed(space))
    return kernel.emitError()
           << "expected a softmax between two contractions that tensor cores "
              "stream for #fuse.streamed, but "
           << reason.sentence() << "; remove the schedule";
  if (failed(verifyStreamed(kernel, *space, dims, schedule)))
    return failure();
  return space;
}

FailureOr<std::optional<PartLayout>>
mlir::fuse::streamedPartLayoutOf(KernelOp kernel, const DimClasses &dims,
                                 StreamedScheduleAttr schedule,
                                 const EmitOptions &options) {
  if (!schedule.leavesParts())
    return std::optional<PartLayout>();
  FailureOr<StreamedSpace> space =
      verifiedStreamedSpace(kernel, dims, schedule, options);
  if (failed(space))
    return failure();
  PartLayout layout{};
  layout.most = schedule.getSplit();
  layout.step = layout.fold = 1;
  layout.haveBlocks = true;
  if (layout.most > 1) {
    layout.step = schedule.getTileK();
    layout.places = {{space->keyExtent(dims)}};
    layout.blocksOfPart = StreamedTiles::grid(*space, schedule, dims);
  }
  layout.results = {rowExtents(*space, dims)};
  Type element = Float32Type::get(kernel.getContext());
  layout.components = {{element}, {element}, {element, pitchOf(*space, dims)}};
  layout.late = llvm::to_vector(llvm::seq<unsigned>(kernel.getNumResults()));
  // The factors of a row wait for all parts.
  SmallVector<Value> late(kernel.getYield().getValues());
  for (const StreamedSpace::RowFactor &factor : space->rowFactors)
    late.push_back(factor.factor());
  if (space->ceiling)
    late.push_back(space->ceiling);
  Operation *product = space->productOp();
  layout.lateInputs = inputsOf(kernel, late, [&](Operation *op) {
    return op == product || isReduction(op);
  });
  return std::optional(std::move(layout));
}

//===----------------------------------------------------------------------===//
// The first launch
//===----------------------------------------------------------------------===//

void StreamedLeaver::leave(const RowState &state, ArrayRef<Value> sums,
                           Value part, Value lane, Value group) {
  constexpr int64_t pair = StreamedScores::pair,
                    halves = StreamedScores::halves;
  constexpr int64_t blockColumns = StreamedScores::blockColumns;
  const DimClasses &dims = b.frame.dims;
  SmallVector<Extent> extents = rowExtents(space, dims);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(extents.size()));
  Index count = emitter.product(extents), number = b.indexOf(part);
  int64_t width = pitchOf(space, dims);
  int64_t own = group ? schedule.columnsPerConsumer() : width;
  int64_t blocks = std::min(own, width) / blockColumns;
  Index pitch = Index::constant(width);
  Value quadLane = b.rem(lane, 4), ownFirst;
  Value column = b.mul(quadLane, pair), leaves = b.equal(quadLane, 0);
  if (group) {
    ownFirst = b.mul(group, own);
    column = b.add(column, ownFirst);
    leaves = b.frame.both(leaves, b.equal(group, 0));
  }
  Index firstColumn = b.indexOf(column);
  for (int64_t half = 0; half < halves; ++half) {
    Index row = emitter.numberIn(axes, extents, scores.rowPoint(half).dims);
    Value total = rows.total(state, half), inside = scores.isInside(half);
    b.frame.ifTrue(b.frame.both(inside, leaves), [&] {
      leaveStates(b.frame, {{state.max[half]}, {total}}, number, row, count,
                  maxima);
    });
    b.frame.ifTrue(inside, [&] {
      Index first = emitter.add(emitter.mul(row, pitch), firstColumn);
      for (int64_t block = 0; block < blocks; ++block) {
        Value both = emitter.gatherLanes(b.loc(), pair, [&](int64_t i) {
          return sums[halves * pair * block + pair * half + i];
        });
        int64_t further = block * blockColumns;
        // The last consumer may have columns behind the last.
        Value exists;
        if (group && own * schedule.columnGroups() > width)
          exists = b.isLess(b.add(ownFirst, further), b.word(width));
        b.frame.ifTrue(exists, [&] {
          leaveStates(b.frame, {{both}}, number,
                      emitter.add(first, Index::constant(further)),
                      emitter.mul(count, pitch), partSums);
        });
      }
    });
  }
}

//===----------------------------------------------------------------------===//
// The second launch
//===----------------------------------------------------------------------===//

namespace {
/// A thread has a few columns of a row.
class StreamedCombiner {
public:
  StreamedCombiner(KernelFrame &frame, StreamedScheduleAttr schedule,
                   const StreamedSpace &space);

  Grid run();

private:
  /// What parts have left of a row: maximum, total, sums of its columns.
  struct Left {
    Value most, total, sums;
  };
  Left leftBy(const Index &part, Value inside, const Index &row,
              const Index &first);
  Left nothing();
  Left together(ArrayRef<Left> parts);
  Left ofAllParts(const Index &row, const Index &first);
  Value load(unsigned pointer, const Index &part, const Index &result,
             int64_t width = 1);
  Value combined(const Index &row, const Index &column, const Point &rowPoint);
  PartedPoint productPoint(const Point &rowPoint, const Index &column);
  void write(const Index &row, const Index &column);

  KernelFrame &frame;
  PointEmitter &emitter;
  OpBuilder &builder;
  StreamedScheduleAttr schedule;
  const StreamedSpace &space;
  const MmaSegment &segment;
  MmaBuilder b;
  StreamedScores scores;
  StreamedRows rows;
  FlowPlaces flowPlaces;
  SmallVector<Extent> extents;
  Index rowCount, parts;
  int64_t columns, lanes;
};
} // namespace

StreamedCombiner::StreamedCombiner(KernelFrame &frame,
                                   StreamedScheduleAttr schedule,
                                   const StreamedSpace &space)
    : frame(frame), emitter(frame.emitter), builder(frame.builder),
      schedule(schedule), space(space), segment(space.product.segments.front()),
      b(frame), scores(b, space, schedule),
      rows(b, space, scores, schedule.getPolynomials()),
      flowPlaces(emitter, segment.flow), extents(rowExtents(space, frame.dims)),
      rowCount(emitter.product(extents)), parts(frame.partStates->parts),
      columns(space.columnExtent(frame.dims).size), lanes(4) {
  lanes = std::gcd(lanes, columns);
  for (auto &[value, moved] : segment.flow.values)
    while (!emitter.divides(lanes, frame.dims.extents(value).back()))
      lanes /= 2;
}

Value StreamedCombiner::load(unsigned pointer, const Index &part,
                             const Index &result, int64_t width) {
  Index results = emitter.mul(rowCount, Index::constant(width));
  return loadComponent(frame, pointer, builder.getF32Type(), part, result,
                       results, width > 1 ? lanes : 1);
}

/// Nothing, if the part is not `inside` (null for always).
StreamedCombiner::Left StreamedCombiner::leftBy(const Index &part, Value inside,
                                                const Index &row,
                                                const Index &first) {
  int64_t pitch = pitchOf(space, frame.dims);
  Left left = {load(maxima, part, row), load(totals, part, row),
               load(partSums, part, first, pitch)};
  if (!inside)
    return left;
  Left none = nothing();
  return {b.select(inside, left.most, none.most),
          b.select(inside, left.total, none.total),
          b.select(inside, left.sums, none.sums)};
}

StreamedCombiner::Left StreamedCombiner::nothing() {
  Value zero = rows.number(0);
  return {rows.number(-std::numeric_limits<double>::infinity()), zero,
          emitter.splat(frame.loc(), zero, lanes)};
}

/// Brings all to their largest maximum, and adds them up in their order.
StreamedCombiner::Left StreamedCombiner::together(ArrayRef<Left> parts) {
  Location loc = frame.loc();
  Left all = nothing();
  for (const Left &part : parts)
    all.most = arith::MaximumFOp::create(builder, loc, all.most, part.most);
  for (const Left &part : parts) {
    Value weight = rows.turn(part.most, all.most);
    all.total =
        LLVM::FMAOp::create(builder, loc, weight, part.total, all.total);
    all.sums = LLVM::FMAOp::create(
        builder, loc, emitter.splat(loc, weight, lanes), part.sums, all.sums);
  }
  return all;
}

/// In steps, so that the loads of many parts are under way at once.
StreamedCombiner::Left StreamedCombiner::ofAllParts(const Index &row,
                                                    const Index &first) {
  constexpr int64_t most = 16, mostUnknown = 8;
  int64_t count = parts.base ? mostUnknown : std::min(most, parts.offset);
  bool isWhole = !parts.base && parts.offset % count == 0;
  Index last = emitter.add(parts, Index::constant(-1));
  auto step = [&](const Index &start, SmallVector<Left> found) {
    for (int64_t i = 0; i < count; ++i) {
      Index part = emitter.add(start, Index::constant(i));
      Value inside = isWhole ? Value() : emitter.less(part, parts);
      found.push_back(
          leftBy(isWhole ? part : emitter.min(part, last), inside, row, first));
    }
    return together(found);
  };
  if (!parts.base && parts.offset == count)
    return step(Index::constant(0), {});
  Left none = nothing();
  ReductionState state =
      loopOverStates(frame, Index::constant(0), parts, count,
                     {{none.most, none.total, none.sums}},
                     [&](Index start, ReductionStates current) {
                       const ReductionState &before = current.front();
                       Left all =
                           step(start, {{before[0], before[1], before[2]}});
                       return ReductionStates{{all.most, all.total, all.sums}};
                     })
          .front();
  return {state[0], state[1], state[2]};
}

/// The second contraction's elements of the row from `column` on.
Value StreamedCombiner::combined(const Index &row, const Index &column,
                                 const Point &rowPoint) {
  Location loc = frame.loc();
  int64_t pitch = pitchOf(space, frame.dims);
  Index first = emitter.add(emitter.mul(row, Index::constant(pitch)), column);
  Left all = ofAllParts(row, first);
  Value factor = rows.finish(all.most, all.total, rowPoint);
  // Without keys there is nothing to divide.
  if (space.mayHaveNoKeys(frame.dims))
    factor = b.select(emitter.less(Index::constant(0),
                                   emitter.size(space.keyExtent(frame.dims))),
                      factor, rows.number(1));
  return arith::MulFOp::create(builder, loc, all.sums,
                               emitter.splat(loc, factor, lanes));
}

/// Where the second contraction has the column of a row of the scores.
PartedPoint StreamedCombiner::productPoint(const Point &rowPoint,
                                           const Index &column) {
  llvm::SmallDenseMap<char, Index> places;
  StringRef axes = ContractOp(space.scores).getResultAxes();
  for (auto [axis, index] : llvm::zip(axes.drop_back(), rowPoint.dims))
    places[space.productAxis(axis)] = index;
  places[space.product.n] = column;
  PartedPoint point;
  for (auto [number, axis] : llvm::enumerate(space.product.resultAxes)) {
    bool isOne = frame.dims.extent(segment.shape(), number).size == 1;
    point.push_back(isOne ? PartedIndex()
                          : PartedIndex::of(places.lookup(axis)));
  }
  return point;
}

/// All values before the first is written, which may lie where an operand of
/// another does.
void StreamedCombiner::write(const Index &row, const Index &column) {
  Point rowPoint;
  for (auto [extent, index] :
       llvm::zip_equal(extents, emitter.delinearize(row, extents)))
    rowPoint.dims.push_back(extent.size == 1 ? Index::constant(0) : index);
  rowPoint.dims.push_back(Index::constant(0));
  Value sums = combined(row, column, rowPoint);
  PartedPoint at = productPoint(rowPoint, column);
  emitter.define(segment.shape(), flowPlaces.pointOf(at, lanes), sums);
  flowPlaces.declare(at, lanes);
  auto yielded = frame.kernel.getYield().getValues();
  SmallVector<Value> computed, ofRow;
  SmallVector<Point> points;
  for (unsigned number : segment.results) {
    Value value = storedValue(yielded[number]);
    points.push_back(flowPlaces.pointOf(flowPlaces.follow(value, at), lanes));
    computed.push_back(emitter.emitLanes(value, points.back()));
  }
  for (unsigned number : space.rowResults)
    ofRow.push_back(emitter.emit(yielded[number], rowPoint));
  for (auto [number, point, value] :
       llvm::zip_equal(segment.results, points, computed))
    storeResult(frame, number, point, value);
  if (ofRow.empty())
    return;
  frame.ifTrue(emitter.less(column, Index::constant(1)), [&] {
    for (auto [number, value] : llvm::zip_equal(space.rowResults, ofRow))
      emitter.store(number, rowPoint, value);
  });
}

Grid StreamedCombiner::run() {
  int64_t threads = combiningThreads(frame.kernel), perRow = columns / lanes;
  Index number =
      emitter.add(emitter.mul(frame.blockId(), Index::constant(threads)),
                  frame.threadId(threads));
  Index width = Index::constant(perRow);
  frame.ifTrue(emitter.less(number, emitter.mul(rowCount, width)), [&] {
    write(emitter.div(number, width),
          emitter.mul(emitter.rem(number, width), Index::constant(lanes)));
  });
  SmallVector<Extent> all = extents;
  all.push_back({perRow});
  return {{{{all, threads}}}};
}

FailureOr<Grid>
mlir::fuse::lowerStreamedCombination(KernelFrame &frame,
                                     StreamedScheduleAttr schedule) {
  FailureOr<StreamedSpace> space = verifiedStreamedSpace(
      frame.kernel, frame.dims, schedule, frame.emitter.getOptions());
  if (failed(space))
    return failure();
  return StreamedCombiner(frame, schedule, *space).run();
}
