//===- Schedules.h - Why a schedule is what it is ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXPLAIN_SCHEDULES_H
#define FUSE_LIB_EXPLAIN_SCHEDULES_H

#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

/// Why the schedule of `kernel` is what it is. On a GPU kernels may rely on
/// `facts` of their tensors; on a CPU there are none.
std::string explainSchedule(KernelOp kernel, const DimClasses &dims,
                            std::optional<TensorFacts> facts);

/// Why a kernel that contracts is not on tensor cores; nothing if it is, or if
/// another schedule than that of ordinary cores runs it.
Reason whyOrdinaryCores(KernelOp kernel, const DimClasses &dims,
                        std::optional<TensorFacts> facts);

} // namespace mlir::fuse

#endif // FUSE_LIB_EXPLAIN_SCHEDULES_H
