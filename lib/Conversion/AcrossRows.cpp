//===- AcrossRows.cpp - Sums over all rows that blocks keep ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AcrossRows.h"

#include "CombineParts.h"
#include "GridExchange.h"
#include "PartStates.h"

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

ReductionStates AcrossRowsLowering::start() {
  ReductionStates states;
  for (Sum &sum : sums) {
    if (sum.keepsColumns)
      states.append(columns.size(), sum.reducer.identity(schedule.getVector()));
    else
      states.push_back(sum.reducer.identity(1));
  }
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
void AcrossRowsLowering::leave(const ReductionStates &states,
                               const ThreadGroup &group, const Index &part) {
  const ReductionState *next = states.begin();
  unsigned firstPointer = 0;
  Index zero = Index::constant(0), one = Index::constant(1);
  for (const ReductionSpace &space : segment.across.spaces) {
    size_t count = space.levels.front().size();
    if (AcrossRows::keepsColumns(space, segment.space)) {
      Index results = emitter.product(space.keptExtents());
      for (auto [number, column] : llvm::enumerate(columns))
        frame.ifTrue(column.exists, [&, number = number] {
          ReductionStates ofColumn;
          for (size_t sum = 0; sum < count; ++sum)
            ofColumn.push_back(next[sum * columns.size() + number]);
          leaveStates(frame, ofColumn, part, columns[number].first, results,
                      firstPointer);
        });
      next += count * columns.size();
    } else {
      frame.ifTrue(emitter.less(group.lane, one), [&] {
        leaveStates(frame, ArrayRef(next, count), part, zero, one,
                    firstPointer);
      });
      next += count;
    }
    for (Operation *op : space.levels.front())
      firstPointer += numStateComponents(op);
  }
}

/// The kernel's results that follow from the reductions of a space.
SmallVector<unsigned> AcrossRowsLowering::resultsOf(unsigned space) {
  SmallVector<unsigned> numbers;
  for (auto [result, from] :
       llvm::zip(segment.across.results, segment.across.resultSpaces))
    if (from == space)
      numbers.push_back(result);
  return numbers;
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
  Index rowsPerBlock = Index::constant(schedule.getRowsPerBlock());
  Index part =
      emitter.add(emitter.mul(frame.blockId(), rowsPerBlock), group.group);
  leave(states, group, part);
  meetInGrid(frame, thread);
  Index blocks = {
      gpu::GridDimOp::create(frame.builder, frame.loc(), gpu::Dimension::x)};
  combine(emitter.mul(blocks, rowsPerBlock), thread);
}
