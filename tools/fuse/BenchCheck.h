//===- BenchCheck.h - Whether what is measured is right ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_BENCHCHECK_H
#define FUSE_TOOLS_FUSE_BENCHCHECK_H

#include "BenchCase.h"
#include "fuse/Execution/JIT.h"

namespace fuse::driver {

/// How the results compare with the oracle.
struct CheckResult {
  enum class Status { Skipped, Right, Wrong };

  Status status = Status::Skipped;
  /// What was compared, where that is not everything; why there was nothing to
  /// compare; what differs.
  std::string detail;
  double maxError = 0;
  /// The largest error as a part of what is allowed.
  double maxBoundRatio = 0;
};

/// Compares the program's results with the oracle, which gets at most
/// `maxElements` elements; 0 compares nothing. A larger case is compared with
/// its dynamic dims halved until they fit; and some of its rows are, if rows of
/// the smaller one show that each depends on itself alone.
llvm::Expected<CheckResult> checkBench(const BenchCase &benchCase,
                                       jit::CompiledProgram &program,
                                       uint64_t seed, int64_t maxElements);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_BENCHCHECK_H
