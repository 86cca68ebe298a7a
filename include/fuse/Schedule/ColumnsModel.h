//===- ColumnsModel.h - Schedules of columns, by a board's times -*- C++ -*-==//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What chooses the schedules of columns on a GPU, as RowsModel.h has it of rows
// but without winners: how many places a column has is known only to the call.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_COLUMNSMODEL_H
#define FUSE_SCHEDULE_COLUMNSMODEL_H

#include "fuse/Schedule/BoardModel.h"
#include "fuse/Schedule/ColumnFacts.h"

namespace mlir::fuse {

class ColumnsModel : public BoardModel {
public:
  static const ColumnsModel &of(const GPUTarget &gpu) {
    return shippedModelOf<ColumnsModel>(gpu);
  }
  static llvm::Expected<ColumnsModel> read(StringRef text);
  /// The files of lib/Schedule/Models that are of columns.
  static std::vector<StringRef> shipped();

  using Ranked = RankedSchedule<ColumnsScheduleAttr>;

  /// What the trees take for the fastest; null where nothing is legal.
  ColumnsScheduleAttr choose(MLIRContext *context, const ColumnFacts &facts,
                             const ScheduleTarget &target) const;
  /// Legal schedules from fast to slow, those that may be the fastest at least.
  SmallVector<Ranked> rank(MLIRContext *context, const ColumnFacts &facts,
                           const ScheduleTarget &target) const;
  /// For calls as `target` says.
  double predictLoss(const ColumnFacts &facts, ColumnsScheduleAttr schedule,
                     const ScheduleTarget &target,
                     size_t mostTrees = SIZE_MAX) const;

private:
  explicit ColumnsModel(BoardModel model) : BoardModel(std::move(model)) {}
};

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_COLUMNSMODEL_H
