//===- SplitSums.cpp - Sums of parts of the summed axis -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitSums.h"

#include "Reductions/CombineParts.h"
#include "VerifyMma.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

/// Neighbouring sums that a thread adds: 16 bytes in f32.
static constexpr int64_t mostLanes = 4;

FailureOr<std::optional<PartLayout>>
mlir::fuse::splitPartLayoutOf(KernelOp kernel, const DimClasses &dims,
                              MmaScheduleAttr schedule,
                              const EmitOptions &options) {
  FailureOr<MmaSpace> space = verifiedMmaSpace(kernel, dims, schedule, options);
  if (failed(space))
    return failure();
  PartLayout layout{};
  layout.most = schedule.getSplitK();
  layout.step = schedule.getTileK();
  layout.fold = 1;
  layout.haveBlocks = true;
  layout.places = {space->extents(space->k, dims)};
  Type element = schedule.sumType();
  for (auto [number, segment] : llvm::enumerate(space->segments)) {
    layout.results.push_back(dims.extents(segment.shape()));
    layout.components.append(segment.count(),
                             {element, 1, static_cast<unsigned>(number)});
  }
  layout.late = llvm::to_vector(llvm::seq<unsigned>(kernel.getNumResults()));
  layout.lateInputs = inputsOf(kernel, layout.late, llvm::IsaPred<ContractOp>);
  return std::optional(std::move(layout));
}

/// The pointer of the segment's first contraction.
static unsigned firstPointerOf(const MmaSpace &space,
                               const MmaSegment &segment) {
  unsigned first = 0;
  for (const MmaSegment &before : space.segments) {
    if (&before == &segment)
      return first;
    first += before.count();
  }
  llvm_unreachable("the space has the segment");
}

void mlir::fuse::leaveSplitSums(KernelFrame &frame, const MmaSpace &space,
                                const MmaSegment &segment, const Index &part,
                                const Point &point, ArrayRef<Value> sums) {
  SmallVector<Extent> extents = frame.dims.extents(segment.shape());
  auto axes = llvm::to_vector(llvm::seq<int64_t>(extents.size()));
  PointEmitter &emitter = frame.emitter;
  Index number = emitter.numberIn(axes, extents, point.dims);
  leaveStates(
      frame,
      llvm::map_to_vector(sums, [](Value sum) { return ReductionState{sum}; }),
      part, number, emitter.product(extents), firstPointerOf(space, segment));
}

//===----------------------------------------------------------------------===//
// The second launch
//===----------------------------------------------------------------------===//

namespace {
/// A thread has a vector along a row of a segment's results.
class SplitCombiner {
public:
  SplitCombiner(KernelFrame &frame, const MmaSpace &space)
      : frame(frame), emitter(frame.emitter), space(space),
        schedule(cast<MmaScheduleAttr>(frame.kernel.getScheduleAttr())),
        threads(combiningThreads(frame.kernel)) {}

  Grid run();

private:
  int64_t lanesOf(const MmaSegment &segment);
  Value sumOf(unsigned pointer, const Index &number, const Index &count,
              int64_t lanes);
  void write(const MmaSegment &segment, const Index &vector);

  KernelFrame &frame;
  PointEmitter &emitter;
  const MmaSpace &space;
  MmaScheduleAttr schedule;
  int64_t threads;
};
} // namespace

int64_t SplitCombiner::lanesOf(const MmaSegment &segment) {
  int64_t lanes = mostLanes;
  while (!emitter.divides(lanes, space.columns(segment, frame.dims)))
    lanes /= 2;
  return lanes;
}

/// Where the number of parts is not known there are loads for the most, and
/// those behind the last count for nothing.
Value SplitCombiner::sumOf(unsigned pointer, const Index &number,
                           const Index &count, int64_t lanes) {
  Location loc = frame.loc();
  const Index &parts = frame.partStates->parts;
  Index last = emitter.add(parts, Index::constant(-1));
  int64_t most = parts.base ? schedule.getSplitK() : parts.offset;
  Type type = schedule.sumType();
  SmallVector<Value> loaded;
  for (int64_t i = 0; i < most; ++i) {
    Index part = Index::constant(i);
    loaded.push_back(loadComponent(frame, pointer, type,
                                   parts.base ? emitter.min(part, last) : part,
                                   number, count, lanes));
  }
  Value sum = loaded.front();
  for (int64_t i = 1; i < most; ++i) {
    Value next = arith::AddFOp::create(frame.builder, loc, sum, loaded[i]);
    sum = parts.base
              ? frame.builder.createOrFold<arith::SelectOp>(
                    loc, emitter.less(Index::constant(i), parts), next, sum)
              : next;
  }
  return sum;
}

/// All values before the first is written, which may lie where an operand of
/// another does.
void SplitCombiner::write(const MmaSegment &segment, const Index &vector) {
  int64_t lanes = lanesOf(segment);
  SmallVector<Extent> extents = frame.dims.extents(segment.shape());
  Index number = emitter.mul(vector, Index::constant(lanes));
  Index count = emitter.product(extents);
  Point point;
  for (auto [extent, index] :
       llvm::zip_equal(extents, emitter.delinearize(number, extents)))
    point.dims.push_back(extent.size == 1 ? Index::constant(0) : index);
  point.lanes = lanes;
  unsigned first = firstPointerOf(space, segment);
  for (int64_t i = 0; i < segment.count(); ++i)
    emitter.define(ContractOp(segment.contractions[i].op).getResult(), point,
                   sumOf(first + i, number, count, lanes));
  auto yielded = frame.kernel.getYield().getValues();
  SmallVector<Value> values;
  for (unsigned result : segment.results)
    values.push_back(emitter.emitLanes(yielded[result], point));
  for (auto [result, value] : llvm::zip_equal(segment.results, values))
    emitter.store(result, point, value);
}

Grid SplitCombiner::run() {
  Grid grid;
  for (const MmaSegment &segment : space.segments)
    grid.push_back(
        {{{frame.dims.extents(segment.shape()), threads * lanesOf(segment)}}});
  frame.divideBlocks(grid, [&](unsigned number, const Index &block) {
    const MmaSegment &segment = space.segments[number];
    Index vector = emitter.add(emitter.mul(block, Index::constant(threads)),
                               frame.threadId(threads));
    Index vectors =
        emitter.div(emitter.product(frame.dims.extents(segment.shape())),
                    Index::constant(lanesOf(segment)));
    frame.ifTrue(emitter.less(vector, vectors),
                 [&] { write(segment, vector); });
  });
  return grid;
}

FailureOr<Grid> mlir::fuse::lowerSplitCombination(KernelFrame &frame) {
  auto schedule = cast<MmaScheduleAttr>(frame.kernel.getScheduleAttr());
  FailureOr<MmaSpace> space = verifiedMmaSpace(
      frame.kernel, frame.dims, schedule, frame.emitter.getOptions());
  if (failed(space))
    return failure();
  return SplitCombiner(frame, *space).run();
}
