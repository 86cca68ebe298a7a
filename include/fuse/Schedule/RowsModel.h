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

#include "fuse/Schedule/RowFacts.h"
#include "fuse/Schedule/TreeModel.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::fuse {

class RowsModel {
public:
  /// That of the board; of one that nobody has measured, that of a board that
  /// somebody has: features are relative to the board's own numbers.
  static const RowsModel &of(const GPUTarget &gpu);
  static llvm::Expected<RowsModel> read(StringRef text);
  /// The files of lib/Schedule/Models.
  static std::vector<StringRef> shipped();

  struct Ranked {
    RowsScheduleAttr schedule;
    /// The part of the fastest schedule's time that it takes longer, as
    /// predicted: the logarithm of the ratio.
    double loss;
  };

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

  StringRef getBoard() const { return board; }

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
  explicit RowsModel(TreeModel trees) : trees(std::move(trees)) {}
  llvm::Error readWinners(const llvm::json::Object &data);
  SmallVector<Ranked> rankBy(ArrayRef<RowsScheduleAttr> schedules,
                             const RowFacts &facts,
                             const ScheduleTarget &target,
                             size_t numTrees) const;

  std::string board;
  TreeModel trees;
  /// By the key of facts.
  llvm::StringMap<std::vector<Winner>> winners;
  std::vector<std::string> schedules;
};

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_ROWSMODEL_H
