//===- ProposeMmaSync.h - Tiles multiplied by the warps themselves *- C++
//-*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same of mma.sync as MmaModel.h has for every instruction. Blocks are
// small enough that a multiprocessor has several, each with a tile; what one
// waits for the others fill. Alone, a block takes for a step of the summed axis
// as long as the busiest of the three takes, and what threads wait for each
// other; or as long as a copy takes to arrive, over the steps under way.
//
// Parts of the summed axis are tiles of fewer steps, whose results are their
// sums; another launch adds these.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_SCHEDULE_PROPOSEMMASYNC_H
#define FUSE_LIB_SCHEDULE_PROPOSEMMASYNC_H

#include "fuse/Schedule/MmaModel.h"

namespace mlir::fuse {

/// Rows of a tile, and the most groups of warps that share one.
inline constexpr int64_t tileRows[] = {64, 128, 192, 256};
inline constexpr int64_t mostConsumers = 2;

/// Clocks in which each unit of a multiprocessor does its part of a tile.
struct TileClocks {
  double tensorCores, sharedMemory, cache, ordinaryCores = 0;

  double most() const { return std::max({tensorCores, sharedMemory, cache}); }
  /// Where warps wait for one of these while they could use another.
  double all(const GPUTarget &gpu) const {
    return softMaximum(gpu, {tensorCores, sharedMemory, cache, ordinaryCores});
  }
};

/// What `seconds` consist of most, of which tiles keep a multiprocessor `busy`.
TimeLimit mmaLimit(double seconds, double busy, double memory,
                   const TileClocks &clocks, const GPUTarget &gpu);

/// Tiles of all batches, rows and columns.
double mmaTilesOf(MmaScheduleAttr schedule, const MmaProduct &product);
/// Clocks in which a block computes what follows for its share of a tile.
double mmaEpilogueClocks(MmaScheduleAttr schedule, const MmaProduct &product,
                         const GPUTarget &gpu);
/// Seconds of the launch that combines what tiles leave of rows.
double mmaCombiningSeconds(MmaScheduleAttr schedule, const MmaProduct &product,
                           const GPUTarget &gpu);
/// Rows of tiles that are walked together.
int64_t mmaRasterOf(int64_t tileM, int64_t tileN, double tilesAtOnce);

/// The usual widths of a tile, and those of whole heads where what follows
/// needs these.
SmallVector<int64_t> mmaTileColumns(ArrayRef<int64_t> usual,
                                    const MmaForm &form);

/// Registers of a thread, and blocks that a multiprocessor has room for.
int64_t mmaSyncRegisters(MmaScheduleAttr schedule, const GPUTarget &gpu);
int64_t mmaSyncResidentBlocks(MmaScheduleAttr schedule, const GPUTarget &gpu);

double mmaSyncClocks(MmaScheduleAttr schedule, const MmaProduct &product,
                     const GPUTarget &gpu);
TimeEstimate estimateMmaSync(MmaScheduleAttr schedule,
                             const MmaProduct &product, const GPUTarget &gpu);

/// All that the chip has room for and that suit the form.
SmallVector<MmaScheduleAttr> mmaSyncSchedules(MLIRContext *context,
                                              int64_t operandBits,
                                              const MmaForm &form,
                                              const GPUTarget &gpu);

} // namespace mlir::fuse

#endif // FUSE_LIB_SCHEDULE_PROPOSEMMASYNC_H
