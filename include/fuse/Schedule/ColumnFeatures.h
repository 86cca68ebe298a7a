//===- ColumnFeatures.h - What a model of columns is asked ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule of columns in a call as numbers, as RowFeatures.h has them of
// rows: of the kernel, of the schedule, and what follows from both, such as
// blocks a multiprocessor, places of a thread, and bytes that are left for a
// second launch.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_COLUMNFEATURES_H
#define FUSE_SCHEDULE_COLUMNFEATURES_H

#include "fuse/Schedule/ColumnFacts.h"

namespace mlir::fuse {

/// In the order of columnFeatures().
ArrayRef<StringLiteral> columnFeatureNames();

SmallVector<float, 64> columnFeatures(const ColumnFacts &facts,
                                      ColumnsScheduleAttr schedule,
                                      const ColumnFacts::Call &call,
                                      const GPUTarget &gpu);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_COLUMNFEATURES_H
