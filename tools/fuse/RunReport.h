//===- RunReport.h - What a run took, and whether it was right --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_RUNREPORT_H
#define FUSE_TOOLS_FUSE_RUNREPORT_H

#include "Session.h"
#include "Verification.h"
#include "llvm/Support/JSON.h"

namespace fuse::driver {

/// One step of a run: a kernel, or a copy.
struct StepTime {
  std::string name, ops;
  int64_t bytes = 0;
  bool atMost = false;
  double seconds = 0;
  bool isKernel = false;
};

/// The steps in their order, from the timings of those that had work. Kernels
/// that copied views for this call alone are among them.
std::vector<StepTime> stepsOf(const jit::CompiledProgram &program,
                              llvm::ArrayRef<runtime::KernelTiming> timings);

/// A line a step, and a summary.
void printSteps(llvm::ArrayRef<StepTime> steps, llvm::StringRef chip);
llvm::json::Object stepsToJSON(llvm::ArrayRef<StepTime> steps);

/// A line for each result, and what the oracle found on the way.
void printVerification(const Verification &verification,
                       const runtime::ProgramSpec &spec,
                       llvm::ArrayRef<Array> outputs);
llvm::json::Object verificationToJSON(const Verification &verification,
                                      const runtime::ProgramSpec &spec,
                                      llvm::ArrayRef<Array> outputs);

/// Fails for results that are wrong, or of which nothing can be said.
llvm::Error checkVerification(const Verification &verification,
                              const runtime::ProgramSpec &spec);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_RUNREPORT_H
