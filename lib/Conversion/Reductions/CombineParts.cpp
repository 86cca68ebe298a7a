//===- CombineParts.cpp - What blocks have left for each other ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombineParts.h"
#include "PartStates.h"
#include "Reductions/ResultStorer.h"
#include "fuse/Analysis/ReductionSegments.h"

#include "fuse/Analysis/ColumnSegments.h"

#include "llvm/Support/MathExtras.h"
#include <memory>

using namespace mlir;
using namespace mlir::fuse;

/// Results of a block of the second launch, at least: a sector of memory. And
/// its blocks, unless few threads have few parts.
static constexpr int64_t resultsPerBlock = 8, mostBlocks = 1024;
/// Loads in flight of a thread, at most.
static constexpr int64_t mostLoads = 8;

int64_t mlir::fuse::combiningThreads(KernelOp kernel) {
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  // A CPU's blocks have one thread.
  if (schedule.getThreads() == 1)
    return 1;
  // Few rows are on many multiprocessors, each of which reads less.
  if (isa<StreamedScheduleAttr>(schedule))
    return 2 * warpSize;
  return resultsPerBlock * warpSize;
}

PartCombiner::PartCombiner(KernelFrame &frame, const ReductionSpace &space,
                           const Index &parts, unsigned firstPointer,
                           ArrayRef<CombinedResult> results, int64_t threads,
                           int64_t vectors, int64_t mostParts)
    : frame(frame), emitter(frame.emitter), space(space),
      kept(space.keptExtents()), parts(parts), firstPointer(firstPointer),
      written(results), threads(threads), vectors(std::min(threads, vectors)) {
  Index count = emitter.product(kept);
  if (!count.base && count.offset < this->vectors)
    this->vectors = llvm::bit_ceil(std::max<uint64_t>(1, count.offset));
  int64_t each = mostParts / (threads / this->vectors);
  unroll = std::clamp<int64_t>(each, 1, mostLoads);
  mostSteps = each / unroll + 1;
  for (Operation *op : space.levels.front())
    reducers.emplace_back(emitter, op);
}

void PartCombiner::placeThread(const Index &thread, const Index &block) {
  results = emitter.product(kept);
  group.vectors = vectors;
  group.slices = threads / vectors;
  group.vector = emitter.rem(thread, Index::constant(vectors));
  group.slice = emitter.div(thread, Index::constant(vectors));
  Index number =
      emitter.add(emitter.mul(block, Index::constant(vectors)), group.vector);
  // Threads past the end take part in the exchange, and do not write.
  exists = emitter.less(number, results);
  result = emitter.min(number, emitter.add(results, Index::constant(-1)));
  resultDims = emitter.delinearize(result, kept);
}

ReductionState PartCombiner::load(const Index &part, unsigned reduction) {
  unsigned first = firstPointer;
  for (unsigned before = 0; before < reduction; ++before)
    first += numStateComponents(reducers[before].getOp());
  return loadState(frame, reducers[reduction], first, part, result, results);
}

ReductionStates PartCombiner::walk() {
  ReductionStates states;
  for (Reducer &reducer : reducers)
    states.push_back(reducer.identity(1));
  auto take = [&](Index first, ReductionStates current, int64_t count) {
    for (auto [number, reducer] : llvm::enumerate(reducers)) {
      ReductionStates loaded;
      for (int64_t i = 0; i < count; ++i)
        loaded.push_back(load(
            emitter.add(first, Index::constant(i * group.slices)), number));
      for (const ReductionState &state : loaded)
        current[number] = reducer.combine(current[number], state);
    }
    return current;
  };
  int64_t perStep = unroll * group.slices;
  Index stepped = emitter.mul(emitter.div(parts, Index::constant(perStep)),
                              Index::constant(perStep));
  states = accumulateOver(emitter, frame.loc(), reducers,
                          {Index::constant(0), stepped,
                           Index::constant(perStep), unroll, mostSteps},
                          states, [&](Index base, ReductionStates current) {
                            return take(emitter.add(base, group.slice),
                                        std::move(current), unroll);
                          });
  return loopOverStates(frame, emitter.add(stepped, group.slice), parts,
                        group.slices, states,
                        [&](Index part, ReductionStates current) {
                          return take(part, std::move(current), 1);
                        });
}

/// The last places, which are no whole group of those that are walked together
/// and so are in no part's state.
ReductionStates PartCombiner::walkRest(ReductionStates states) {
  SmallVector<Extent> extents = space.reducedExtents();
  Index places = emitter.product(extents);
  Index left = emitter.rem(places, Index::constant(fold));
  if (!left.base && left.offset == 0)
    return states;
  return loopOverStates(
      frame, emitter.add(emitter.sub(places, left), group.slice), places,
      group.slices, std::move(states),
      [&](Index place, ReductionStates current) {
        Point point;
        point.linear = emitter.add(emitter.mul(place, results), result);
        point.dims = emitter.delinearize(*point.linear, space.domain);
        point.shape = space.domain;
        return accumulateAt(emitter, reducers, std::move(current), point);
      });
}

/// The point of a value that has one element for all places.
Point PartCombiner::pointOf(Value value) {
  Point point;
  size_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (rank == kept.size()) {
    point.dims = resultDims;
  } else {
    const Index *next = resultDims.begin();
    for (size_t axis = 0; axis < space.domain.size(); ++axis)
      point.dims.push_back(space.isReduced(axis) ? Index::constant(0)
                                                 : *next++);
  }
  point.linear = result;
  point.shape = emitter.getDims().extents(value);
  return point;
}

void PartCombiner::finish(ArrayRef<ReductionState> states) {
  Index count = emitter.product(space.reducedExtents());
  for (auto [reducer, state] : llvm::zip(reducers, states))
    for (auto [value, computed] :
         llvm::zip(reducer.getOp()->getResults(), reducer.finish(state, count)))
      emitter.define(value, pointOf(value), computed);
  SmallVector<Value> computed;
  for (const CombinedResult &each : written)
    computed.push_back(emitter.emit(each.value, pointOf(each.value)));
  for (auto [each, value] : llvm::zip_equal(written, computed))
    ResultStorer(frame, each.number, each.path)
        .store(pointOf(each.value), value);
}

void PartCombiner::combine(const Index &thread, const Index &block) {
  placeThread(thread, block);
  ReductionStates states = walkRest(walk());
  Value first = group.slices > 1 ? emitter.less(group.slice, Index::constant(1))
                                 : Value();
  combineSlices(frame, reducers, states, group, frame.both(exists, first),
                [&](const ReductionStates &combined) { finish(combined); });
}

/// How many of a block's threads share a result: no more than it has parts, and
/// fewer where there are so many results that these alone fill the device.
static int64_t slicesFor(int64_t mostParts, int64_t threads,
                         ArrayRef<Extent> kept) {
  int64_t slices = std::max<int64_t>(1, threads / resultsPerBlock);
  auto parts = static_cast<int64_t>(llvm::bit_ceil<uint64_t>(mostParts));
  slices = std::min(slices, parts);
  if (std::optional<int64_t> results = staticProduct(kept))
    while (slices > 1 &&
           llvm::divideCeil(*results * slices, threads) > mostBlocks)
      slices /= 2;
  return slices;
}

FailureOr<Grid> mlir::fuse::lowerCombination(KernelFrame &frame) {
  Reason reason;
  auto segments = columnSegmentsOf(frame.kernel, frame.dims, reason);
  if (failed(segments))
    return failure();
  int64_t threads = combiningThreads(frame.kernel);
  ScheduleAttrInterface schedule = frame.kernel.getScheduleAttr();
  const Index &parts = frame.partStates->parts;
  int64_t most =
      parts.base ? mostPartsOf(schedule).value_or(threads) : parts.offset;
  std::vector<std::unique_ptr<PartCombiner>> combiners;
  unsigned firstState = 0;
  Grid grid;
  for (const ReductionSegment &segment : *segments) {
    SmallVector<CombinedResult> results;
    for (auto [number, value, path] :
         llvm::zip_equal(segment.results, segment.stored, segment.paths))
      if (segment.space.isReducedShape(frame.dims.extents(value)))
        results.push_back({number, value, path});
    combiners.push_back(std::make_unique<PartCombiner>(
        frame, segment.space, parts, firstState, results, threads,
        threads / slicesFor(most, threads, segment.space.keptExtents()),
        parts.base ? mostPartsOf(schedule).value_or(INT64_MAX) : most));
    combiners.back()->takeRestOf(foldOf(schedule));
    firstState += stateTypes(segment.space.levels.front()).size();
    grid.push_back(combiners.back()->share());
  }
  Index thread = frame.threadId(threads);
  frame.divideBlocks(grid, [&](unsigned number, const Index &block) {
    combiners[number]->combine(thread, block);
  });
  return grid;
}
