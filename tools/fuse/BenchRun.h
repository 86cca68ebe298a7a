//===- BenchRun.h - One case of fuse bench ----------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_BENCHRUN_H
#define FUSE_TOOLS_FUSE_BENCHRUN_H

#include "BenchCheck.h"
#include "Quartiles.h"
#include "fuse/Compiler/Options.h"
#include <optional>

namespace fuse::driver {

struct BenchOptions {
  jit::CompileOptions compile;
  uint64_t seed = 0;
  /// A case is measured until its median is known to half a percent, but not
  /// for longer than this.
  double seconds = 0.5;
  unsigned minRuns = 10;
  unsigned maxRuns = 1000;
  /// Elements that the oracle may get; see checkBench().
  int64_t checkElements = int64_t(1) << 24;
};

/// One step of the program. A copy is called "copy".
struct KernelResult {
  std::string name;
  /// As the compiler put them together; empty for a copy.
  std::string ops;
  std::string schedule;
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
  /// Whether the bytes are a bound: data decides what is touched.
  bool bytesAtMost = false;
  int64_t grid = 0;
  Quartiles time;
};

struct BenchResult {
  std::string deviceName;
  /// "sm_90", or "cpu".
  std::string chip;
  /// What all kernels together read and write, as planned.
  int64_t bytes = 0;
  bool bytesAtMost = false;
  Quartiles program;
  /// A copy of as many bytes, read and written together.
  Quartiles copy;
  /// The same as parts of a graph of many calls, for programs that are too
  /// short for events.
  std::optional<Quartiles> programInGraph;
  std::optional<Quartiles> copyInGraph;
  std::vector<KernelResult> kernels;
  CheckResult check;
};

/// Compiles, measures and checks.
llvm::Expected<BenchResult> runBench(const BenchCase &benchCase,
                                     const BenchOptions &options);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_BENCHRUN_H
