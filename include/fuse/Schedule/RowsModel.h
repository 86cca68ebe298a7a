//===- RowsModel.h - Schedules of rows, as a board's times say --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What chooses the schedules of rows on a GPU: a file a board, which
// tools/tuning/fit_schedules.py writes from measured times and which becomes a
// part of the library (lib/Schedule/Models). It has the winners among what was
// measured, by kernel and length of rows, and trees that predict for all others
// by how much a schedule is slower than the fastest.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_ROWSMODEL_H
#define FUSE_SCHEDULE_ROWSMODEL_H

#include "fuse/Schedule/BoardModel.h"
#include "fuse/Schedule/RowFacts.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::fuse {

class RowsModel : public BoardModel {
public:
  static const RowsModel &of(const GPUTarget &gpu) {
    return shippedModelOf<RowsModel>(gpu);
  }
  static llvm::Expected<RowsModel> read(StringRef text);
  /// The files of lib/Schedule/Models that are of rows.
  static std::vector<StringRef> shipped();

  using Ranked = RankedSchedule<RowsScheduleAttr>;

  /// What was the fastest of those measured on this board, of such rows and
  /// calls as `target` says; null where none was.
  RowsScheduleAttr winner(MLIRContext *context, const RowFacts &facts,
                          const ScheduleTarget &target) const;
  /// The winner, or else what the trees take for the fastest; null where
  /// nothing is legal.
  RowsScheduleAttr choose(MLIRContext *context, const RowFacts &facts,
                          const ScheduleTarget &target) const;
  /// Legal schedules from fast to slow, those that may be the fastest at least.
  SmallVector<Ranked> rank(MLIRContext *context, const RowFacts &facts,
                           const ScheduleTarget &target) const;
  /// For calls as `target` says.
  double predictLoss(const RowFacts &facts, RowsScheduleAttr schedule,
                     const ScheduleTarget &target,
                     size_t mostTrees = SIZE_MAX) const;

  /// A kernel's rows of one length, in calls of one of four sizes.
  struct Winner {
    int64_t length;
    CallSize size;
    unsigned schedule;
  };
  const llvm::StringMap<std::vector<Winner>> &getWinners() const {
    return winners;
  }
  ArrayRef<std::string> getSchedules() const { return schedules; }

private:
  explicit RowsModel(BoardModel model) : BoardModel(std::move(model)) {}
  llvm::Error readWinners(const llvm::json::Object &data);

  /// By the key of facts.
  llvm::StringMap<std::vector<Winner>> winners;
  std::vector<std::string> schedules;
};

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_ROWSMODEL_H
