//===- Plan.h - What a program does, step by step ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_PLAN_H
#define FUSE_COMPILER_PLAN_H

#include "fuse/Runtime/ProgramSpec.h"

namespace fuse::jit {

/// The runtime's plan, and what the caller may leave to it.
struct Plan {
  runtime::ProgramSpec spec;
  /// For each output the input whose buffer takes it, by `fuse.in_place`.
  std::vector<std::optional<unsigned>> inPlace;
  /// For each input the standard deviation of its random numbers, by
  /// `fuse.stddev`.
  std::vector<double> stddev;
};

} // namespace fuse::jit

#endif // FUSE_COMPILER_PLAN_H
