//===- BoardModel.h - What the models of boards share -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model is a file a board and kind of schedule in lib/Schedule/Models: trees
// over named features that predict by how much a schedule is slower than the
// fastest. Schedules come in two steps, basic ones and refinements of each; few
// trees leave out what is far off before all of them rank the rest.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_BOARDMODEL_H
#define FUSE_SCHEDULE_BOARDMODEL_H

#include "fuse/Schedule/Scheduler.h"
#include "fuse/Schedule/TreeModel.h"

namespace mlir::fuse {

template <typename Schedule> struct RankedSchedule {
  Schedule schedule;
  /// The part of the fastest schedule's time that it takes longer, as
  /// predicted: the logarithm of the ratio.
  double loss;
};

/// The loss of a schedule by so many trees.
template <typename Schedule>
using PredictedLoss = llvm::function_ref<double(Schedule, size_t)>;

class BoardModel {
public:
  StringRef getBoard() const { return board; }

  /// Few trees leave out what is far off, all of them what no refinement makes
  /// the fastest; of each that is refined some remain, so that there are
  /// several kinds to measure.
  struct Limits {
    size_t fewTrees, mostAfterFew, mostRefined, mostOfEach;
  };

protected:
  static llvm::Expected<BoardModel>
  read(const llvm::json::Object &data, ArrayRef<llvm::StringLiteral> features);

  /// From fast to slow: the refinements of the basic schedules that may be the
  /// fastest.
  template <typename Schedule>
  SmallVector<RankedSchedule<Schedule>>
  rankRefined(const Limits &limits, ArrayRef<Schedule> basic,
              llvm::function_ref<SmallVector<Schedule>(Schedule)> refined,
              PredictedLoss<Schedule> loss) const {
    SmallVector<Schedule> all;
    for (Schedule each :
         best(ArrayRef(best(basic, loss, limits.fewTrees, limits.mostAfterFew)),
              loss, trees.numTrees(), limits.mostRefined))
      llvm::append_range(all, best(ArrayRef(refined(each)), loss,
                                   limits.fewTrees, limits.mostOfEach));
    return rankBy(ArrayRef(all), loss, trees.numTrees());
  }

  std::string board;
  TreeModel trees;

private:
  template <typename Schedule>
  static SmallVector<RankedSchedule<Schedule>>
  rankBy(ArrayRef<Schedule> schedules, PredictedLoss<Schedule> loss,
         size_t numTrees) {
    SmallVector<RankedSchedule<Schedule>> ranked;
    for (Schedule each : schedules)
      ranked.push_back({each, loss(each, numTrees)});
    llvm::stable_sort(
        ranked, [](const auto &a, const auto &b) { return a.loss < b.loss; });
    return ranked;
  }

  template <typename Schedule>
  static SmallVector<Schedule> best(ArrayRef<Schedule> schedules,
                                    PredictedLoss<Schedule> loss,
                                    size_t numTrees, size_t most) {
    SmallVector<Schedule> kept;
    for (const auto &each : rankBy(schedules, loss, numTrees))
      if (kept.size() < most)
        kept.push_back(each.schedule);
    return kept;
  }
};

/// Those that are a part of the library, read once.
template <typename Model> const std::vector<Model> &shippedModels() {
  static const std::vector<Model> models = [] {
    std::vector<Model> read;
    for (StringRef text : Model::shipped())
      read.push_back(llvm::cantFail(Model::read(text)));
    return read;
  }();
  return models;
}

/// That of the board; of one that nobody has measured, that of a board that
/// somebody has: features are relative to the board's own numbers.
template <typename Model> const Model &shippedModelOf(const GPUTarget &gpu) {
  const std::vector<Model> &models = shippedModels<Model>();
  auto found = llvm::find_if(models, [&](const Model &model) {
    return model.getBoard() == gpu.board;
  });
  return found == models.end() ? models.front() : *found;
}

/// Bytes of calls that stand for those of the target's size, of which a call
/// may move any number between two bounds.
SmallVector<double, 2> bytesOfCalls(const ScheduleTarget &target);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_BOARDMODEL_H
