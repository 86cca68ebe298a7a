//===- Compilation.h - From text to code, without a device ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Compilation holds one program in its front form (primitives in kernels) and
// makes code from it for each set of facts. It needs no device: this is what
// `fuse inspect` works on. Execution/JIT.h loads the code and calls it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_COMPILATION_H
#define FUSE_COMPILER_COMPILATION_H

#include "fuse/Codegen/Assemble.h"
#include "fuse/Compiler/Options.h"
#include "fuse/Compiler/Plan.h"
#include "fuse/Explain/KernelInfo.h"
#include "fuse/Explain/Remark.h"
#include "fuse/Runtime/Facts.h"
#include "fuse/Schedule/TimeModel.h"

namespace fuse::jit {

/// The forms that a program goes through.
enum class Stage {
  /// Kernels of primitives, without a schedule.
  Kernels,
  /// Kernels with their schedules.
  Schedule,
  /// gpu.func, and a host function with launches.
  Gpu,
  /// LLVM IR, before LLVM's optimizations.
  LLVM,
};

/// A kernel and its key in a tuning file.
struct TuningKey {
  std::string kernel;
  std::string key;
};

/// A schedule that a kernel could have.
struct ScheduleCandidate {
  /// "#fuse.rows<threads = 128, ...>".
  std::string schedule;
  /// What one block does, and how long the model says that the kernel takes;
  /// none on a CPU.
  std::optional<mlir::fuse::BlockWork> work;
  std::optional<mlir::fuse::TimeEstimate> estimate;
};

/// The choice first, then the others from fast to slow.
struct KernelCandidates {
  std::string kernel;
  std::vector<ScheduleCandidate> schedules;
};

/// A program for one set of facts.
struct Code {
  Plan plan;
  std::vector<KernelInfo> kernels;
  std::vector<MissedFusion> missed;
  std::vector<Remark> remarks;
  /// CUDA: the PTX of all kernels, and what became of it.
  std::string ptx;
  mlir::fuse::AssembledModule assembled;
  /// CPU: an object file.
  llvm::SmallVector<char, 0> object;
};

/// Thread-safe.
class Compilation {
public:
  /// Parses `text`, checks the entry and forms kernels. `fileName` stands for
  /// the text in errors. Target::Auto is not allowed here, and CUDA needs a
  /// chip.
  static llvm::Expected<std::unique_ptr<Compilation>>
  create(llvm::StringRef text, llvm::StringRef fileName,
         const CompileOptions &options);
  ~Compilation();

  const CompileOptions &options() const;

  llvm::Expected<Code> generate(const runtime::Facts &facts);

  /// Of each kernel, in the order of the launches.
  llvm::Expected<std::vector<TuningKey>>
  tuningKeys(const runtime::Facts &facts);

  /// Of each kernel, in the order of the launches; a kernel whose schedule the
  /// program's text gives has that one.
  llvm::Expected<std::vector<KernelCandidates>>
  candidates(const runtime::Facts &facts);

  /// The program at `stage`, as text.
  llvm::Expected<std::string> print(Stage stage, const runtime::Facts &facts);

private:
  struct State;
  explicit Compilation(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

} // namespace fuse::jit

#endif // FUSE_COMPILER_COMPILATION_H
