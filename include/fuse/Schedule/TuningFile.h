//===- TuningFile.h - What measuring has found ------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A JSON file that can be copied to other machines and shipped with a program:
//
//   {"fuse-tuning": 1,
//    "entries": [{"chip": "sm_90", "kernel": "9f3c...", "log2_bytes": 29,
//                 "schedule": "#fuse.rows<threads = 256, ...>",
//                 "seconds": 0.000262}]}
//
// One entry for each chip, kernel and power of two of the bytes that it moves.
// A kernel of static shapes moves as many bytes each time; one of dynamic
// shapes is compiled once for all sizes, and gets the entry of the largest, for
// which time matters most. Writers add their entries to those that are there,
// under a lock, and replace the file as a whole, so that readers need none.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_TUNINGFILE_H
#define FUSE_SCHEDULE_TUNINGFILE_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Schedule/SizeRanges.h"
#include "fuse/Target/CallSize.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::fuse {

struct TuningEntry {
  std::string chip;
  /// From kernelKey().
  std::string kernel;
  /// The power of two below the bytes that the kernel moved.
  int64_t log2Bytes = 0;
  std::string schedule;
  double seconds = 0;
};

class TuningFile {
public:
  /// The entries in `path`, or none if there is no such file. Fails if it is
  /// damaged or of another version.
  static llvm::Expected<TuningFile> read(StringRef path);

  /// Adds `entries` to the file, where they replace older ones. Safe while
  /// other threads and processes do the same.
  static llvm::Error merge(StringRef path, ArrayRef<TuningEntry> entries);

  /// The entry for the most bytes; null if there is none.
  const TuningEntry *find(StringRef chip, StringRef kernel) const;

  ArrayRef<TuningEntry> entries() const { return known; }

private:
  void add(const TuningEntry &entry);
  std::string text() const;

  std::vector<TuningEntry> known;
};

/// What a kernel computes, from which tensors, as 32 hexadecimal digits. Equal
/// for kernels that differ in names and places in the source only. `divisible`,
/// `size` and `assumed` as in ScheduleTarget.
std::string kernelKey(KernelOp kernel, const DimClasses &dims, bool divisible,
                      CallSize size, ArrayRef<AssumedSize> assumed = {});

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_TUNINGFILE_H
