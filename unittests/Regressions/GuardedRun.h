//===- GuardedRun.h - A program between red zones ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a program on the CPU so that nothing it does wrong stays unseen: results
// start as NaN, and every array lies between two zones of NaN. A read beyond an
// array poisons the result, a write beyond it changes a zone, and the oracle
// tells what the result should be.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_REGRESSIONS_GUARDEDRUN_H
#define FUSE_UNITTESTS_REGRESSIONS_GUARDEDRUN_H

#include "Array.h"
#include "fuse/Execution/JIT.h"
#include <string>
#include <vector>

namespace fuse::testing {

/// A program, compiled once and run on many arrays.
class GuardedProgram {
public:
  /// `offset`: how far past a multiple of 64 bytes all arrays start. It must be
  /// a multiple of every element's size.
  explicit GuardedProgram(std::string text, int64_t offset = 0);

  /// Runs the program and returns everything that is wrong: "" for nothing.
  std::string check(const std::vector<driver::Array> &inputs);

  /// Elements of all runs that the oracle has a bound for.
  int64_t boundedElements() const { return bounded; }

private:
  std::string text;
  int64_t offset;
  int64_t bounded = 0;
  std::unique_ptr<jit::CompiledProgram> program;
};

/// Normally distributed numbers, the same ones for the same `seed`.
driver::Array randomArray(runtime::DType dtype, runtime::Shape shape,
                          uint64_t seed);

/// Element `index` of a float array becomes `value`, rounded to its type.
void setElement(driver::Array &array, int64_t index, double value);

/// `text` with each "TYPE" replaced by the name of `dtype`.
std::string withType(llvm::StringRef text, runtime::DType dtype);

} // namespace fuse::testing

#endif // FUSE_UNITTESTS_REGRESSIONS_GUARDEDRUN_H
