//===- Tuning.h - Measured schedules in the driver --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_TUNING_H
#define FUSE_TOOLS_FUSE_TUNING_H

#include "fuse/Execution/Autotune.h"
#include "llvm/Support/CommandLine.h"

namespace fuse::driver {

/// The options of each subcommand that can tune before it runs.
struct TuningOptions {
  TuningOptions(llvm::cl::SubCommand &sub, llvm::cl::OptionCategory &category);

  llvm::cl::opt<bool> autotune;
  llvm::cl::opt<unsigned> candidates;
};

/// Tunes with a bar on a terminal that shows how far it is.
llvm::Expected<std::vector<jit::TunedKernel>>
tune(llvm::StringRef text, llvm::StringRef fileName,
     const jit::CompileOptions &compile,
     llvm::ArrayRef<runtime::Shape> inputShapes, const TuningOptions &options);

/// The shapes of the inputs where the dynamic dims have the sizes `dims`
/// (NAME=SIZE).
llvm::Expected<std::vector<runtime::Shape>>
inputShapes(const runtime::ProgramSpec &spec, llvm::ArrayRef<std::string> dims);

/// A line for each schedule that was measured, the winner marked.
void printTuning(llvm::raw_ostream &os,
                 llvm::ArrayRef<jit::TunedKernel> kernels);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_TUNING_H
