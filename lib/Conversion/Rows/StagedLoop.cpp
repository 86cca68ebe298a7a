//===- StagedLoop.cpp - Loops whose loads are steps ahead -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedLoop.h"

using namespace mlir;
using namespace mlir::fuse;

using PointsOf = llvm::function_ref<SmallVector<Point>(const Index &)>;
using Visit =
    llvm::function_ref<ReductionStates(ReductionStates, ArrayRef<Point>)>;

namespace {
class StagedLoop {
public:
  StagedLoop(KernelFrame &frame, const StagedWalk &walk, const Index &to,
             const Index &step, PointsOf pointsOf, ArrayRef<Point> points)
      : frame(frame), emitter(frame.emitter), stages(walk.stages), to(to),
        step(step), pointsOf(pointsOf), vectors(points.size()),
        staging(frame, walk.inputs, walk.threads, walk.thread, stages * vectors,
                points.front().lanes) {
    frame.sharedBytes = std::max(frame.sharedBytes, staging.bytes());
  }

  /// The stages behind the one that is walked.
  int64_t ahead() const { return stages - 1; }
  void copy(const Index &base, const Index &stage);
  ReductionStates walk(const Index &base, const Index &stage,
                       ReductionStates states, Visit visit);
  Index after(const Index &stage, int64_t count);

private:
  Index slotOf(const Index &stage) {
    return emitter.mul(stage, Index::constant(vectors));
  }

  KernelFrame &frame;
  PointEmitter &emitter;
  int64_t stages;
  Index to, step;
  PointsOf pointsOf;
  int64_t vectors;
  RowStaging staging;
};
} // namespace

/// Starts the copies of the step at `base`, if it is one of the loop. The group
/// is there in any case, so that as many are younger than any.
void StagedLoop::copy(const Index &base, const Index &stage) {
  frame.ifTrue(emitter.less(base, to), [&] {
    for (auto [number, point] : llvm::enumerate(pointsOf(base)))
      staging.copy(point, emitter.add(slotOf(stage), Index::constant(number)));
  });
  staging.commit();
}

/// `count` stages behind another, in the circle that they are.
Index StagedLoop::after(const Index &stage, int64_t count) {
  Index next = emitter.add(stage, Index::constant(count));
  Index around = Index::constant(stages);
  return emitter.select(emitter.less(next, around), next,
                        emitter.sub(next, around));
}

ReductionStates StagedLoop::walk(const Index &base, const Index &stage,
                                 ReductionStates states, Visit visit) {
  staging.wait(ahead() - 1);
  SmallVector<Point> points = pointsOf(base);
  copy(emitter.add(base, emitter.mul(step, Index::constant(ahead()))),
       after(stage, ahead()));
  emitter.loadThrough(staging.loader(points, slotOf(stage)));
  states = visit(std::move(states), points);
  emitter.loadThrough(nullptr);
  return states;
}

ReductionStates mlir::fuse::loopInStages(KernelFrame &frame,
                                         MutableArrayRef<Reducer> reducers,
                                         const StagedWalk &walk,
                                         const SummingLoop &range,
                                         ReductionStates states,
                                         PointsOf pointsOf, Visit visit) {
  PointEmitter &emitter = frame.emitter;
  if (walk.stages == 1 || walk.inputs.empty())
    return accumulateOver(emitter, frame.loc(), reducers, range,
                          std::move(states),
                          [&](const Index &base, ReductionStates current) {
                            return visit(std::move(current), pointsOf(base));
                          });
  StagedLoop loop(frame, walk, range.to, range.step, pointsOf,
                  pointsOf(range.from));
  for (int64_t stage = 0; stage < loop.ahead(); ++stage)
    loop.copy(emitter.add(range.from,
                          emitter.mul(range.step, Index::constant(stage))),
              Index::constant(stage));
  states.push_back({emitter.materialize(Index::constant(0))});
  states = accumulateOver(
      emitter, frame.loc(), reducers, range, std::move(states),
      [&](const Index &base, ReductionStates current) {
        Index stage = {current.pop_back_val().front()};
        current = loop.walk(base, stage, std::move(current), visit);
        current.push_back({emitter.materialize(loop.after(stage, 1))});
        return current;
      });
  states.pop_back();
  return states;
}
