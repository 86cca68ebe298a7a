//===- Checks.h - One program in several ways, all compared -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_CROSSCHECK_CHECKS_H
#define FUSE_TOOLS_CROSSCHECK_CHECKS_H

#include "Case.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuse::crosscheck {

struct Summary {
  /// Runs compared with the oracle.
  unsigned runs = 0;
  /// Schedules that were refused with an error.
  unsigned refused = 0;
  /// The oracle bounds no element of any result, so that nothing was checked
  /// but that the program compiles and ends.
  bool unbounded = false;
  /// The largest error of all runs in units of its bound.
  double boundRatio = 0.0;
};

/// Runs the checks of `which` that the case wants, each after a call of
/// `started`. `schedules` is the number of other schedules to try. The error
/// tells the first difference, as "CHECK: expected ...".
llvm::Expected<Summary> crosscheck(const Case &program,
                                   llvm::ArrayRef<Check> which,
                                   unsigned schedules,
                                   llvm::function_ref<void(Check)> started);

} // namespace fuse::crosscheck

#endif // FUSE_TOOLS_CROSSCHECK_CHECKS_H
