//===- RowsModel.h - Schedules of rows, as a board's times say --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tools/tuning/fit_schedules.py has learned from the times of a board: by
// how much a schedule is slower than the fastest of its kernel. A file a board,
// which becomes a part of the library (lib/Schedule/Models). A file has a
// margin for calls of each size: the part of a call's time that the model has
// to promise before its choice replaces that of the rules, as cross-validation
// found it. Where there is none the rules decide.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_ROWSMODEL_H
#define FUSE_SCHEDULE_ROWSMODEL_H

#include "fuse/Schedule/RowFacts.h"
#include "fuse/Schedule/TreeModel.h"
#include <array>

namespace mlir::fuse {

class RowsModel {
public:
  /// That of the board; null where nobody has measured it.
  static const RowsModel *of(const GPUTarget &gpu);
  static llvm::Expected<RowsModel> read(StringRef text);

  struct Ranked {
    RowsScheduleAttr schedule;
    /// The part of the fastest schedule's time that it takes longer, as
    /// predicted: the logarithm of the ratio.
    double loss;
  };

  /// What it has to promise before it replaces a choice of the rules; nothing
  /// where these decide.
  std::optional<double> marginFor(const RowFacts &facts,
                                  const ScheduleTarget &target) const;
  /// The schedule that it replaces that of the rules with, or that one.
  RowsScheduleAttr choose(RowsScheduleAttr ruled, const RowFacts &facts,
                          const ScheduleTarget &target) const;
  /// Legal schedules from fast to slow, those that may be the fastest at least.
  SmallVector<Ranked> rank(MLIRContext *context, const RowFacts &facts,
                           const ScheduleTarget &target) const;
  /// For calls as `target` says.
  double predictLoss(const RowFacts &facts, RowsScheduleAttr schedule,
                     const ScheduleTarget &target,
                     size_t mostTrees = SIZE_MAX) const;

  StringRef getBoard() const { return board; }

private:
  explicit RowsModel(TreeModel trees) : trees(std::move(trees)) {}

  std::string board;
  /// For large calls, small, brief and few ones.
  std::array<std::optional<double>, 4> margins;
  TreeModel trees;
};

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_ROWSMODEL_H
