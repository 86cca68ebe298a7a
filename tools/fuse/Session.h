//===- Session.h - A program with its arrays on a device --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_SESSION_H
#define FUSE_TOOLS_FUSE_SESSION_H

#include "Array.h"
#include "fuse/Execution/JIT.h"

namespace fuse::driver {

/// Fails if no kernel has as many schedules as the options' candidate says.
llvm::Error checkCandidate(jit::Compilation &compilation,
                           const runtime::Facts &facts);

/// Holds the program's arguments where it runs. The inputs are kept as they
/// were, also where the program writes a result over one.
class Session {
public:
  /// `strides` has the strides of each input, then of each output; none means
  /// dense.
  static llvm::Expected<Session> create(jit::CompiledProgram &program,
                                        std::vector<Array> inputs,
                                        llvm::ArrayRef<runtime::Shape> strides);

  /// With random inputs of the sizes that `dims` (NAME=SIZE) gives.
  static llvm::Expected<std::unique_ptr<Session>>
  createRandom(jit::CompiledProgram &program, llvm::ArrayRef<std::string> dims,
               uint64_t seed);

  llvm::ArrayRef<Array> inputs() const { return hostInputs; }
  /// As of the last run().
  llvm::ArrayRef<Array> outputs() const { return hostOutputs; }

  /// Fails if no kernel that the arguments get has as many schedules as
  /// --candidate says.
  llvm::Error checkCandidate();

  /// Puts the inputs where the program runs, and poison where its results go.
  llvm::Error load();

  /// Loads, runs once and fetches the outputs.
  llvm::Error run();

  /// The code for these arguments. Lives as long as the program.
  llvm::Expected<const jit::Code &> code();

  /// Runs once on what is loaded; on a GPU without waiting for it.
  llvm::Error enqueue(runtime::Stream stream);

  /// Runs once on what is loaded. The time of each step.
  llvm::Expected<llvm::SmallVector<runtime::KernelTiming>> timeSteps();

  /// Runs `count` times, with a cold L2 on a GPU. The median time of each
  /// step.
  llvm::Expected<llvm::SmallVector<runtime::KernelTiming>>
  measure(unsigned count);

private:
  explicit Session(jit::CompiledProgram &program) : program(program) {}

  /// What runs for these arguments, and what its code may rely on.
  struct Called {
    jit::CompiledProgram &program;
    runtime::Facts facts;
  };
  llvm::Expected<Called> findCalled();
  llvm::Error placeInputs(llvm::ArrayRef<runtime::Shape> strides);
  llvm::Error placeOutputs(llvm::ArrayRef<runtime::Shape> strides);
  llvm::Expected<runtime::TensorView> place(runtime::TensorView view,
                                            bool isScalar = false);
  llvm::Error upload(const runtime::TensorView &to, const Array &from);
  llvm::Error download(Array &to, const runtime::TensorView &from,
                       llvm::StringRef name);

  jit::CompiledProgram &program;
  std::vector<Array> hostInputs;
  std::vector<Array> hostOutputs;
  std::vector<std::unique_ptr<runtime::Buffer>> buffers;
  llvm::SmallVector<runtime::TensorView> inputViews;
  llvm::SmallVector<runtime::TensorView> outputViews;
};

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_SESSION_H
