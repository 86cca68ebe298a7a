//===- Autotune.h - Schedules by measurement --------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program is compiled several times at once: variant k gives every kernel
// the k-th of its possible schedules. The variants run in turns on the same
// tensors, with a cold L2 cache. For each kernel the fastest variant wins,
// whatever the other kernels do in it, and its schedule goes into the tuning
// file, where later compilations find it without measuring.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_AUTOTUNE_H
#define FUSE_EXECUTION_AUTOTUNE_H

#include "fuse/Execution/JIT.h"
#include "llvm/Support/JSON.h"
#include <functional>

namespace fuse::jit {

struct AutotuneOptions {
  /// Variants to compile, at most.
  unsigned candidates = 15;
  /// Runs of each variant that are measured; the median counts.
  unsigned rounds = 15;
  /// Called from one thread at a time, with what is done of what.
  std::function<void(llvm::StringRef stage, unsigned done, unsigned all)>
      progress;
};

/// One schedule of one kernel.
struct Trial {
  /// "#fuse.rows<threads = 128, ...>".
  std::string schedule;
  /// Whether the assembler spilled registers to memory; not measured then.
  bool spills = false;
  /// The median of its runs.
  double seconds = 0;
};

struct TunedKernel {
  std::string name;
  /// Of the entry in the tuning file.
  std::string key;
  /// Different schedules. The first is what the compiler chooses unmeasured.
  std::vector<Trial> trials;
  /// The number of the fastest one; the first if that is as fast to a percent.
  unsigned best = 0;
};

/// Seconds of the steps of one run.
using Stopwatch =
    llvm::function_ref<llvm::Expected<llvm::SmallVector<runtime::KernelTiming>>(
        CompiledProgram &)>;

/// Tunes the program in `text` for inputs of these shapes, on the GPU that
/// `options` name, and writes what it found to their tuning file. Needs memory
/// for the program's tensors, which it fills with random numbers. Fails if the
/// target is not a GPU.
llvm::Expected<std::vector<TunedKernel>>
autotune(llvm::StringRef text, llvm::StringRef fileName,
         const CompileOptions &options,
         llvm::ArrayRef<runtime::Shape> inputShapes,
         const AutotuneOptions &tuning = {});

/// The same with a stopwatch of the caller's, on any target: what runs, on
/// tensors of which `facts` hold, is up to it.
llvm::Expected<std::vector<TunedKernel>>
autotune(llvm::StringRef text, llvm::StringRef fileName,
         const CompileOptions &options, const runtime::Facts &facts,
         Stopwatch stopwatch, const AutotuneOptions &tuning = {});

/// [{"kernel": "softmax", "key": "9f3c..", "best": 1,
///   "trials": [{"schedule": "#fuse.rows<..>", "us": 12.3, "spills": false}]}]
llvm::json::Array reportTuning(llvm::ArrayRef<TunedKernel> kernels);

} // namespace fuse::jit

#endif // FUSE_EXECUTION_AUTOTUNE_H
