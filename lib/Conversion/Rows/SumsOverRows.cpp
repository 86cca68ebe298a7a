//===- SumsOverRows.cpp - Sums over all rows that blocks keep -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SumsOverRows.h"

#include "Reductions/CombineParts.h"
#include "Reductions/GridExchange.h"
#include "Reductions/PartStates.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Results that a block combines at a time, at least: a sector of memory.
static constexpr int64_t fewestResults = 8;
/// At most: more would leave few threads for the parts of each.
static constexpr int64_t mostResults = 32;

AcrossRowsLowering::AcrossRowsLowering(KernelFrame &frame,
                                       RowsScheduleAttr schedule,
                                       const ReductionSegment &segment,
                                       ArrayRef<Columns> columns)
    : frame(frame), emitter(frame.emitter), schedule(schedule),
      segment(segment), columns(columns) {
  for (const ReductionSpace &space : segment.across.spaces)
    for (Operation *op : space.levels.front())
      sums.push_back({Reducer(emitter, op),
                      AcrossRows::keepsColumns(space, segment.space)});
}

ReductionStates AcrossRowsLowering::identities() {
  ReductionStates states;
  for (Sum &sum : sums) {
    if (sum.keepsColumns)
      states.append(columns.size(), sum.reducer.identity(schedule.getVector()));
    else
      states.push_back(sum.reducer.identity(1));
  }
  return states;
}

ReductionStates AcrossRowsLowering::start() {
  ReductionStates states = identities();
  if (!sums.empty())
    states.push_back({emitter.materialize(Index::constant(0))});
  return states;
}

void AcrossRowsLowering::forEachSum(
    ReductionStates &states,
    llvm::function_ref<void(Sum &, ReductionState *)> body) {
  ReductionState *next = states.begin();
  for (Sum &sum : sums) {
    body(sum, next);
    next += sum.keepsColumns ? columns.size() : 1;
  }
}

void AcrossRowsLowering::takeColumns(ReductionStates &states, size_t number,
                                     const Point &point, Value exists) {
  forEachSum(states, [&](Sum &sum, ReductionState *first) {
    if (!sum.keepsColumns)
      return;
    ReductionState &state = first[number];
    Value elements = emitter.emitLanes(sum.reducer.getInput(), point);
    state = sum.reducer.accumulate(
        state, ReducedElements{elements, exists, point.lanes});
  });
}

void AcrossRowsLowering::takeRow(ReductionStates &states,
                                 llvm::function_ref<Point(Value)> rowPoint,
                                 Value exists) {
  forEachSum(states, [&](Sum &sum, ReductionState *state) {
    if (sum.keepsColumns)
      return;
    Value input = sum.reducer.getInput();
    Value element = emitter.emit(input, rowPoint(input));
    *state = sum.reducer.accumulate(
        *state, ReducedElements{element, exists, /*lanes=*/1});
  });
}

/// Of a space whose reductions keep columns each thread leaves what it holds,
/// of others the first thread of a row.
Index AcrossRowsLowering::partOf(const ThreadGroup &group) {
  Index rowsPerBlock = Index::constant(schedule.getRowsPerBlock());
  return emitter.add(emitter.mul(frame.blockId(), rowsPerBlock), group.group);
}

void AcrossRowsLowering::leaveSums(MutableArrayRef<Sum> ofSpace,
                                   ArrayRef<ReductionState> states,
                                   const Index &result, const Index &results,
                                   const Index &part, unsigned firstPointer,
                                   Value again) {
  for (auto [sum, state] : llvm::zip(ofSpace, states)) {
    Reducer &reducer = sum.reducer;
    ReductionStates left = {state};
    int64_t lanes = lanesIn(state.back());
    // The thread that left a state is the one that reads it again.
    auto addToLeft = [&,
                      lanes](const ReductionStates &block) -> ReductionStates {
      ReductionState before =
          loadState(frame, reducer, firstPointer, part, result, results, lanes);
      return {reducer.combine(before, block[0])};
    };
    if (again)
      left = statesIf(emitter, frame.loc(), again, left, addToLeft);
    leaveStates(frame, left, part, result, results, firstPointer);
    firstPointer += numStateComponents(reducer.getOp());
  }
}

void AcrossRowsLowering::leave(ArrayRef<ReductionState> states,
                               const ThreadGroup &group, Value again) {
  const ReductionState *next = states.begin();
  MutableArrayRef<Sum> left = sums;
  unsigned firstPointer = 0;
  Index zero = Index::constant(0), one = Index::constant(1);
  Index part = partOf(group);
  for (const ReductionSpace &space : segment.across.spaces) {
    size_t count = space.levels.front().size();
    MutableArrayRef<Sum> ofSpace = left.take_front(count);
    left = left.drop_front(count);
    if (AcrossRows::keepsColumns(space, segment.space)) {
      Index results = emitter.product(space.keptExtents());
      for (auto [number, column] : llvm::enumerate(columns))
        frame.ifTrue(column.exists, [&, number = number] {
          ReductionStates ofColumn;
          for (size_t sum = 0; sum < count; ++sum)
            ofColumn.push_back(next[sum * columns.size() + number]);
          leaveSums(ofSpace, ofColumn, columns[number].first, results, part,
                    firstPointer, again);
        });
      next += count * columns.size();
    } else {
      frame.ifTrue(emitter.less(group.lane, one), [&] {
        leaveSums(ofSpace, ArrayRef(next, count), zero, one, part, firstPointer,
                  again);
      });
      next += count;
    }
    for (Operation *op : space.levels.front())
      firstPointer += numStateComponents(op);
  }
}

/// Whether a block may have more rows than a sum takes in sequence.
bool AcrossRowsLowering::mayBeLong() {
  bool addsUp =
      llvm::any_of(sums, [](const Sum &sum) { return sum.reducer.addsUp(); });
  std::optional<int64_t> rows = staticProduct(segment.space.rows());
  int64_t atOnce = schedule.getPersistent() * schedule.getRowsPerBlock();
  return addsUp && (!rows || *rows > atOnce * Reducer::longBlock);
}

void AcrossRowsLowering::endRow(ReductionStates &states,
                                const ThreadGroup &group) {
  if (!mayBeLong())
    return;
  Index length = Index::constant(Reducer::longBlock);
  Index rows = emitter.add({states.pop_back_val().front()}, Index::constant(1));
  Value isWhole = emitter.less(emitter.rem(rows, length), Index::constant(1));
  states = statesIf(emitter, frame.loc(), isWhole, states,
                    [&](const ReductionStates &block) {
                      leave(block, group, emitter.less(length, rows));
                      return identities();
                    });
  states.push_back({emitter.materialize(rows)});
}

SmallVector<CombinedResult> AcrossRowsLowering::resultsOf(unsigned space) {
  SmallVector<CombinedResult> found;
  auto yielded = frame.kernel.getYield().getValues();
  for (auto [result, from] :
       llvm::zip(segment.across.results, segment.across.resultSpaces))
    if (from == space)
      found.push_back({result, yielded[result], {}});
  return found;
}

void AcrossRowsLowering::combine(const Index &parts, const Index &thread) {
  unsigned firstPointer = 0;
  Index blocks = {
      gpu::GridDimOp::create(frame.builder, frame.loc(), gpu::Dimension::x)};
  for (auto [number, space] : llvm::enumerate(segment.across.spaces)) {
    int64_t results = staticProduct(space.keptExtents()).value_or(1);
    auto each = static_cast<int64_t>(llvm::PowerOf2Ceil(
        llvm::divideCeil(results, schedule.getPersistent())));
    PartCombiner combiner(frame, space, parts, firstPointer, resultsOf(number),
                          schedule.getThreads(),
                          std::clamp(each, fewestResults, mostResults));
    loopOverStates(frame, frame.blockId(), frame.blocks(combiner.share()),
                   blocks, {}, [&](Index share, ReductionStates none) {
                     combiner.combine(thread, share);
                     // What the threads exchanged may be written again.
                     gpu::BarrierOp::create(frame.builder, frame.loc());
                     return none;
                   });
    for (Operation *op : space.levels.front())
      firstPointer += numStateComponents(op);
  }
}

void AcrossRowsLowering::finish(const ReductionStates &states,
                                const ThreadGroup &group, const Index &thread) {
  Index rows = {states.back().front()};
  Value again;
  if (mayBeLong())
    again = emitter.less(Index::constant(Reducer::longBlock - 1), rows);
  leave(ArrayRef(states).drop_back(), group, again);
  meetInGrid(frame, thread);
  Index blocks = {
      gpu::GridDimOp::create(frame.builder, frame.loc(), gpu::Dimension::x)};
  Index rowsPerBlock = Index::constant(schedule.getRowsPerBlock());
  combine(emitter.mul(blocks, rowsPerBlock), thread);
}
