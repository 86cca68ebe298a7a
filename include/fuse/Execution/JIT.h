//===- JIT.h - Text or file in, callable program out ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Expected<std::unique_ptr<CompiledProgram>> program =
//       fuse::jit::compileFile("gelu.mlir", CompileOptions());
//   if (!program) ...
//   if (Error error = (*program)->run({x}, {y})) ...
//
// x and y are runtime::TensorViews of memory on the program's device. A program
// is compiled once for each set of facts about its arguments that occurs
// (runtime/Facts.h); compile() does it for the usual one. Where rows have a
// dynamic length, the first CompileOptions::lengths lengths that occur get
// programs of their own, as if their sizes were static; the one for any length
// serves the others. Inputs may be views with strides, which is one of the
// facts; outputs are dense.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_JIT_H
#define FUSE_EXECUTION_JIT_H

#include "fuse/Compiler/Compilation.h"
#include "fuse/Runtime/CudaDriver.h"
#include "fuse/Runtime/Program.h"
#include <array>
#include <atomic>
#include <map>
#include <mutex>

namespace fuse::jit {

class CompiledProgram;

/// A call of a program with tensors of given dtypes, shapes, strides and
/// device, all checked, at addresses that are still open. Thread-safe; must not
/// outlive the program.
class PreparedCall {
public:
  ~PreparedCall();

  /// Of all outputs, with their shapes; contiguous, without addresses.
  llvm::ArrayRef<runtime::TensorView> outputs() const { return results; }

  size_t numTensors() const { return arguments.size() + results.size(); }

  /// Runs the program like CompiledProgram::run() on tensors at `addresses`: of
  /// the first element of each input, then of each output. Only launches,
  /// unless no call so far has had addresses with the same facts: which are
  /// aligned to 16 bytes, and whether an output is where an input is.
  llvm::Error run(llvm::ArrayRef<void *> addresses,
                  runtime::Stream stream = {});

private:
  friend class CompiledProgram;
  PreparedCall(CompiledProgram &program,
               llvm::ArrayRef<runtime::TensorView> inputs,
               llvm::ArrayRef<runtime::TensorView> outputs);
  using Slot = std::atomic<const runtime::PreparedCall *>;
  bool isSeparate(llvm::ArrayRef<void *> addresses) const;
  llvm::Expected<const runtime::PreparedCall &>
  variant(llvm::ArrayRef<void *> addresses);
  llvm::Expected<const runtime::PreparedCall &>
  variant(llvm::ArrayRef<void *> addresses, Slot &slot);

  CompiledProgram &program;
  llvm::SmallVector<runtime::TensorView, 4> arguments, results;
  /// Where all addresses are aligned, by isSeparate().
  std::array<Slot, 2> aligned{};
  std::mutex mutex;
  /// Elsewhere, by isSeparate() and which of them are not.
  std::map<std::vector<bool>, Slot> unaligned;
  std::vector<std::unique_ptr<runtime::PreparedCall>> owned;
};

/// A compiled program. Thread-safe.
class CompiledProgram {
public:
  ~CompiledProgram();

  /// Names, dtypes and shapes of inputs and outputs, and the symbols.
  const runtime::ProgramSpec &spec() const;

  /// For each output, the input whose buffer the program's text wants it in.
  llvm::ArrayRef<std::optional<unsigned>> inPlace() const;

  /// For each input the standard deviation that random numbers for it should
  /// have.
  llvm::ArrayRef<double> stddev() const;

  runtime::Device device() const;

  /// The chip, or "cpu".
  llvm::StringRef chip() const;

  /// Checks the tensors and runs the program; on CUDA asynchronously on
  /// `stream`. Compiles first if their facts are new.
  llvm::Error run(llvm::ArrayRef<runtime::TensorView> inputs,
                  llvm::ArrayRef<runtime::TensorView> outputs,
                  runtime::Stream stream = {});

  /// Like run(), but waits, and reports the time of each step.
  llvm::Expected<llvm::SmallVector<runtime::KernelTiming>>
  runTimed(llvm::ArrayRef<runtime::TensorView> inputs,
           llvm::ArrayRef<runtime::TensorView> outputs,
           runtime::Stream stream = {});

  /// Compiles and computes all that calls with tensors of these layouts need.
  /// Without `outputs` these are contiguous. Where a tensor has no address,
  /// all count as aligned, and outputs as apart from inputs but for those that
  /// the program wants in place.
  llvm::Expected<std::unique_ptr<PreparedCall>>
  prepare(llvm::ArrayRef<runtime::TensorView> inputs,
          std::optional<llvm::ArrayRef<runtime::TensorView>> outputs = {});

  /// The shape of each output for these inputs.
  llvm::Expected<llvm::SmallVector<runtime::Shape>>
  inferOutputShapes(llvm::ArrayRef<runtime::TensorView> inputs) const;

  /// The program, and what stands for it in errors.
  llvm::StringRef text() const;
  llvm::StringRef fileName() const;

  /// What the program was compiled with; target and chip are those it got, and
  /// the archive has all code compiled so far.
  const CompileOptions &options() const;

  /// The program that calls with these inputs run: one for the lengths of their
  /// rows, which the first such call compiles, or this one. Lives as long as
  /// this. Fails once if it does not compile; run() takes this program then.
  llvm::Expected<CompiledProgram &>
  specialized(llvm::ArrayRef<runtime::TensorView> inputs);

  /// The code that calls with these facts run. Lives as long as the program.
  llvm::Expected<const Code &>
  code(const runtime::Facts &facts = runtime::Facts::usual());

  /// Of each kernel, in the order of the launches.
  llvm::Expected<std::vector<TuningKey>>
  tuningKeys(const runtime::Facts &facts = runtime::Facts::usual());

  llvm::Expected<std::string>
  print(Stage stage, const runtime::Facts &facts = runtime::Facts::usual());

  /// The remarks of code(), and those of the category fuse-copy of all that
  /// calls so far have had compiled: which views it copies, and why.
  std::vector<Remark> remarks() const;

  /// How many sets of facts the program has been compiled for so far.
  unsigned numVariants() const;

  /// The facts whose code serves a call: true of its tensors, and of what that
  /// code keeps between kernels. `outputs` may be empty. Compiles that code.
  llvm::Expected<runtime::Facts>
  factsOf(llvm::ArrayRef<runtime::TensorView> inputs,
          llvm::ArrayRef<runtime::TensorView> outputs);

private:
  friend class PreparedCall;
  struct State;
  explicit CompiledProgram(std::unique_ptr<State> state);
  llvm::Expected<const runtime::Program &>
  programFor(llvm::ArrayRef<runtime::TensorView> inputs,
             llvm::ArrayRef<runtime::TensorView> outputs);
  friend llvm::Expected<std::unique_ptr<CompiledProgram>>
  compile(llvm::StringRef, llvm::StringRef, const CompileOptions &);

  std::unique_ptr<State> state;
};

/// The newest chip that Fuse knows whose code the device runs: of the same
/// major version, and not newer; of sm_90 the variant with wgmma. With the
/// board, as lookupGPUTarget() takes it. Fails for devices before sm_80.
llvm::Expected<std::string> chipOf(const runtime::CudaDeviceInfo &device);

/// Compiles the program in `text`; `fileName` stands for it in errors.
llvm::Expected<std::unique_ptr<CompiledProgram>>
compile(llvm::StringRef text, llvm::StringRef fileName,
        const CompileOptions &options);

llvm::Expected<std::unique_ptr<CompiledProgram>>
compileFile(llvm::StringRef path, const CompileOptions &options);

} // namespace fuse::jit

#endif // FUSE_EXECUTION_JIT_H
