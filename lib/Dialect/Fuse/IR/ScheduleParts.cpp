//===- ScheduleParts.cpp - Verifiers of parts of schedules ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifiers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// What the largest chips take.
static constexpr int64_t kMaxCluster = 16;
/// Copies wait for groups by their number, which is a constant of the code.
static constexpr int64_t kMaxStages = 8;
/// Some blocks for every multiprocessor of the largest chips.
static constexpr int64_t kMaxParts = 4096;
/// All are code of their own.
static constexpr int64_t kMaxRowsPerThread = 16;

LogicalResult RegistersHoldAttr::verify(EmitError emitError, bool preload,
                                        int64_t rowsPerThread) {
  return verifyRange(emitError, "rows_per_thread", rowsPerThread,
                     kMaxRowsPerThread);
}

LogicalResult SharedHoldAttr::verify(EmitError emitError, int64_t unroll,
                                     int64_t inRegisters, bool preload,
                                     int64_t copyGroups, int64_t stages) {
  if (failed(verifyRange(emitError, "unroll", unroll, kMaxFactor)) ||
      failed(verifyRange(emitError, "copy_groups", copyGroups, kMaxFactor)) ||
      failed(verifyRange(emitError, "stages", stages, kMaxStages)))
    return failure();
  if (inRegisters < 0)
    return emitError() << "expected in_registers from 0 on, but got "
                       << inRegisters << "; leave it out";
  if (stages > 1 && !preload)
    return emitError() << "expected preload = true with stages = " << stages
                       << " in shared memory, but got none; write "
                          "shared<preload = true, stages = "
                       << stages << ">";
  return success();
}

LogicalResult LoopHoldAttr::verify(EmitError emitError, int64_t unroll,
                                   int64_t stages) {
  if (failed(verifyRange(emitError, "unroll", unroll, kMaxFactor)))
    return failure();
  return verifyRange(emitError, "stages", stages, kMaxStages);
}

LogicalResult ClusterShareAttr::verify(EmitError emitError, int64_t blocks) {
  if (blocks > 1 && blocks <= kMaxCluster && llvm::isPowerOf2_64(blocks))
    return success();
  return emitError() << "expected a cluster of a power of two from 2 to "
                     << kMaxCluster << " blocks, but got " << blocks
                     << "; choose one of those, or leave share out";
}

LogicalResult GridShareAttr::verify(EmitError emitError, int64_t blocks) {
  return verifyRange(emitError, "blocks of the grid", blocks, kMaxParts);
}

LogicalResult PartsShareAttr::verify(EmitError emitError, int64_t blocks) {
  if (blocks > 1 && blocks <= kMaxParts)
    return success();
  return emitError() << "expected from 2 to " << kMaxParts << " parts, but got "
                     << blocks << "; choose so many, or leave share out";
}

ShareAttrInterface mlir::fuse::clusterOf(MLIRContext *context, int64_t blocks) {
  return blocks > 1 ? ClusterShareAttr::get(context, blocks)
                    : ShareAttrInterface();
}

ShareAttrInterface mlir::fuse::partsOf(MLIRContext *context, int64_t parts) {
  return parts > 1 ? PartsShareAttr::get(context, parts) : ShareAttrInterface();
}
