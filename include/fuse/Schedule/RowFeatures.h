//===- RowFeatures.h - What a model of rows is asked ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule of rows in a call of a size, as numbers: of the kernel, of the
// schedule, and what follows from both, such as vectors of a thread, places of
// them that stay empty, and blocks a multiprocessor. A fitted model learns from
// these. They are named, since files of models say which they use.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_ROWFEATURES_H
#define FUSE_SCHEDULE_ROWFEATURES_H

#include "fuse/Schedule/RowFacts.h"

namespace mlir::fuse {

/// In the order of rowFeatures().
ArrayRef<StringLiteral> rowFeatureNames();

/// Of a call of so many rows.
SmallVector<float, 64> rowFeatures(const RowFacts &facts,
                                   RowsScheduleAttr schedule, double rows,
                                   const GPUTarget &gpu);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_ROWFEATURES_H
