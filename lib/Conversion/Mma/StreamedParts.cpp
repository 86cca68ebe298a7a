//===- StreamedParts.cpp - Rows that several blocks share -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedParts.h"

#include "Reductions/CombineParts.h"
#include "StreamedCombiner.h"
#include "StreamedTiles.h"
#include "VerifyMma.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/StreamedClusters.h"

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

int64_t mlir::fuse::streamedClusterOf(KernelOp kernel, const DimClasses &dims,
                                      StreamedScheduleAttr schedule,
                                      const EmitOptions &options) {
  Reason reason;
  FailureOr<StreamedSpace> space = streamedSpaceOf(
      kernel, dims, {options.aligned, options.divisible}, reason);
  // Another error is said where the kernel is filled.
  if (failed(space))
    return 1;
  return std::max<int64_t>(1,
                           clusterOf(*space, schedule, dims, options.cluster));
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
  if (clusterOf(*space, schedule, dims, options.cluster) > 0)
    return std::optional<PartLayout>();
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

namespace {
/// In memory, behind those of the parts before.
class LeftInMemory final : public StreamedLeaver {
public:
  LeftInMemory(MmaBuilder &b, const StreamedSpace &space,
               StreamedScheduleAttr schedule, StreamedScores &scores,
               StreamedRows &rows, Value part)
      : StreamedLeaver(b, schedule, scores, rows, pitchOf(space, b.frame.dims)),
        extents(rowExtents(space, b.frame.dims)), part(b.indexOf(part)) {}

private:
  Index rowOf(int64_t half) {
    auto axes = llvm::to_vector(llvm::seq<int64_t>(extents.size()));
    return b.frame.emitter.numberIn(axes, extents, scores.rowPoint(half).dims);
  }
  void leaveStatistics(int64_t half, Value max, Value total) override {
    leaveStates(b.frame, {{max}, {total}}, part, rowOf(half),
                b.frame.emitter.product(extents), maxima);
  }
  void leaveSums(int64_t half, Value firstColumn, int64_t further,
                 Value both) override {
    PointEmitter &emitter = b.frame.emitter;
    Index pitch = Index::constant(width);
    Index first =
        emitter.add(emitter.mul(rowOf(half), pitch), b.indexOf(firstColumn));
    leaveStates(b.frame, {{both}}, part,
                emitter.add(first, Index::constant(further)),
                emitter.mul(emitter.product(extents), pitch), partSums);
  }

  SmallVector<Extent> extents;
  Index part;
};
} // namespace

void StreamedLeaver::leave(const RowState &state, ArrayRef<Value> sums,
                           Value lane, Value group) {
  constexpr int64_t pair = StreamedScores::pair,
                    halves = StreamedScores::halves;
  constexpr int64_t blockColumns = StreamedScores::blockColumns;
  PointEmitter &emitter = b.frame.emitter;
  int64_t own = group ? schedule.columnsPerConsumer() : width;
  int64_t blocks = std::min(own, width) / blockColumns;
  Value quadLane = b.rem(lane, 4), ownFirst;
  Value column = b.mul(quadLane, pair), leaves = b.equal(quadLane, 0);
  if (group) {
    ownFirst = b.mul(group, own);
    column = b.add(column, ownFirst);
    leaves = b.frame.both(leaves, b.equal(group, 0));
  }
  for (int64_t half = 0; half < halves; ++half) {
    Value total = rows.total(state, half), inside = scores.isInside(half);
    b.frame.ifTrue(b.frame.both(inside, leaves),
                   [&] { leaveStatistics(half, state.max[half], total); });
    b.frame.ifTrue(inside, [&] {
      for (int64_t block = 0; block < blocks; ++block) {
        Value both = emitter.gatherLanes(b.loc(), pair, [&](int64_t i) {
          return sums[halves * pair * block + pair * half + i];
        });
        int64_t further = block * blockColumns;
        // The last consumer may have columns behind the last.
        Value exists;
        if (group && own * schedule.columnGroups() > width)
          exists = b.isLess(b.add(ownFirst, further), b.word(width));
        b.frame.ifTrue(exists, [&] { leaveSums(half, column, further, both); });
      }
    });
  }
}

void mlir::fuse::leaveInMemory(MmaBuilder &b, const StreamedSpace &space,
                               StreamedScheduleAttr schedule,
                               StreamedScores &scores, StreamedRows &rows,
                               const RowState &state, ArrayRef<Value> sums,
                               Value part, Value lane, Value group) {
  LeftInMemory(b, space, schedule, scores, rows, part)
      .leave(state, sums, lane, group);
}

//===----------------------------------------------------------------------===//
// The second launch
//===----------------------------------------------------------------------===//

FailureOr<Grid>
mlir::fuse::lowerStreamedCombination(KernelFrame &frame,
                                     StreamedScheduleAttr schedule) {
  FailureOr<StreamedSpace> space = verifiedStreamedSpace(
      frame.kernel, frame.dims, schedule, frame.emitter.getOptions());
  if (failed(space))
    return failure();
  PointEmitter &emitter = frame.emitter;
  StreamedCombiner combiner(frame, schedule, *space, frame.partStates->parts);
  SmallVector<Extent> extents = rowExtents(*space, frame.dims);
  Index count = emitter.product(extents);
  int64_t lanes = combiner.lanesOfThread(), pitch = pitchOf(*space, frame.dims);
  int64_t perRow = combiner.columnsOfRow() / lanes;
  int64_t threads = combiningThreads(frame.kernel);
  auto load = [&](unsigned pointer, const Index &part, const Index &result,
                  int64_t width) {
    Index results = emitter.mul(count, Index::constant(width));
    return loadComponent(frame, pointer, frame.builder.getF32Type(), part,
                         result, results, width > 1 ? lanes : 1);
  };
  Index number =
      emitter.add(emitter.mul(frame.blockId(), Index::constant(threads)),
                  frame.threadId(threads));
  Index width = Index::constant(perRow);
  frame.ifTrue(emitter.less(number, emitter.mul(count, width)), [&] {
    Index row = emitter.div(number, width);
    Index column =
        emitter.mul(emitter.rem(number, width), Index::constant(lanes));
    Index first = emitter.add(emitter.mul(row, Index::constant(pitch)), column);
    Point rowPoint;
    for (auto [extent, index] :
         llvm::zip_equal(extents, emitter.delinearize(row, extents)))
      rowPoint.dims.push_back(extent.size == 1 ? Index::constant(0) : index);
    rowPoint.dims.push_back(Index::constant(0));
    combiner.write(
        rowPoint, column,
        {[&](const Index &part) { return load(maxima, part, row, 1); },
         [&](const Index &part) { return load(totals, part, row, 1); },
         [&](const Index &part) {
           return load(partSums, part, first, pitch);
         }});
  });
  extents.push_back({perRow});
  return Grid{{{{extents, threads}}}};
}
