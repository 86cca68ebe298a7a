//===- BenchProfile.h - What the hardware counters say ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_BENCHPROFILE_H
#define FUSE_TOOLS_FUSE_BENCHPROFILE_H

#include "BenchRun.h"
#include "llvm/Support/raw_ostream.h"

namespace fuse::driver {

/// One launch of a kernel, as Nsight Compute (ncu) saw it.
struct KernelProfile {
  std::string name;
  /// Read from and written to device memory.
  double bytesRead = 0;
  double bytesWritten = 0;
  double seconds = 0;
  /// Warps on a multiprocessor as a part of the most that fit, in percent: as
  /// measured, and as registers and shared memory allow.
  double occupancy = 0;
  double possibleOccupancy = 0;
  /// Why warps waited most ("long_scoreboard": for memory), and how many cycles
  /// of it there were for each instruction.
  std::string stall;
  double stallCycles = 0;
};

/// Reads what `ncu --csv --page raw --print-units base` writes; the last launch
/// of each kernel counts.
llvm::Expected<std::vector<KernelProfile>> parseProfile(llvm::StringRef csv);

/// Runs the case in a process of its own under ncu, for the kernels of
/// `result`. Fails if there is no ncu, and with its reason if it refuses.
llvm::Expected<std::vector<KernelProfile>>
profileBench(const BenchCase &benchCase, const BenchOptions &options,
             const BenchResult &result);

/// A line for each kernel of `result`: planned and achieved bytes and more.
void printProfile(llvm::raw_ostream &os, const BenchResult &result,
                  llvm::ArrayRef<KernelProfile> profiles);

/// [{"name": .., "bytes_read": .., "bytes_written": .., "us": ..,
///   "occupancy": .., "possible_occupancy": .., "stall": "..",
///   "stall_cycles": ..}]
llvm::json::Array profileJSON(llvm::ArrayRef<KernelProfile> profiles);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_BENCHPROFILE_H
