//===- Program.h - A plan and its code, ready to run ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is a ProgramSpec (plain data) and a Module (loaded code). As an
// example, h = x + r; y = 2 * h, two kernels on rows of 4096:
//
//   SizeExpr T = SizeExpr::symbol(0);
//   ProgramSpec spec;
//   spec.name = "add_double";
//   spec.symbols = {"T"};
//   spec.inputs = {{"x", DType::BF16, {T, 4096}},   // binds T
//                  {"r", DType::BF16, {T, 4096}}};  // must agree with T
//   spec.outputs = {{{"y", DType::BF16, {T, 4096}}, /*mayAlias=*/{1}}};
//   spec.temps = {{"h", DType::F32, T * 4096, /*firstStep=*/0,
//   /*lastStep=*/1}};
//
//   KernelSpec add;
//   add.name = add.symbol = "add";
//   add.args = {BufferRef::input(0), BufferRef::input(1), BufferRef::temp(0),
//   T}; add.grid = ceilDiv(T, 4); add.threads = 256; KernelSpec twice = ... //
//   temp 0 -> output 0 spec.steps = {add, twice};
//
//   Expected<Program> program = Program::create(spec, module);
//   if (Error error = program->run({x, r}, {y}, stream)) ...
//
// A call checks its tensors, binds T, and looks up what T decides: the grids,
// the i64 arguments and the offsets of the temps. These are computed once for
// each T and kept. Then it launches. A PreparedCall has done all but the last
// for tensors of given shapes, and leaves the addresses open. With T seen
// before on this stream it allocates nothing and nothing waits. Calls can be
// captured in a CUDA graph, which gets an arena of its own, and keeps the code
// and the memory of the program as long as it lives.
//
// Temps share one arena a stream. Temps whose lives do not meet share bytes:
// with three steps and lives h: [0, 1], a: [1, 2], b: [2, 2], b takes h's
// place.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_PROGRAM_H
#define FUSE_RUNTIME_PROGRAM_H

#include "fuse/Runtime/Arguments.h"
#include "fuse/Runtime/Module.h"
#include "fuse/Runtime/ProgramSpec.h"

namespace fuse::runtime {

/// One step of a timed run. A copy is called "copy".
struct KernelTiming {
  std::string name;
  double seconds = 0;
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
  int64_t grid = 0;
  /// Whether the bytes are a bound; see KernelSpec.
  bool bytesAtMost = false;
};

/// A call of a program with tensors of given dtypes, shapes, strides and
/// device, all checked, at addresses that are still open. Thread-safe; must not
/// outlive the program.
class PreparedCall {
public:
  PreparedCall(PreparedCall &&);
  PreparedCall &operator=(PreparedCall &&);
  ~PreparedCall();

  /// Checks the addresses, of the first element of each input, then of each
  /// output, and runs all steps like Program::run().
  llvm::Error run(llvm::ArrayRef<void *> addresses, Stream stream = {}) const;

private:
  friend class Program;
  struct State;
  explicit PreparedCall(std::unique_ptr<State> state);

  std::unique_ptr<State> state;
};

/// A callable program. Thread-safe: calls from several threads may overlap.
/// On CUDA its memory must outlive the work it has put on streams; destroying
/// it waits for that. Where a graph has recorded it, both stay for the graph.
class Program {
public:
  /// Verifies the plan, finds the kernels and uploads the constants.
  static llvm::Expected<Program> create(ProgramSpec spec,
                                        std::shared_ptr<Module> module);

  Program(Program &&);
  Program &operator=(Program &&);
  ~Program();

  const ProgramSpec &spec() const;
  Device device() const;

  /// Checks the tensors but for their addresses, which nobody looks at, and
  /// computes what their sizes decide.
  llvm::Expected<PreparedCall>
  prepare(llvm::ArrayRef<TensorView> inputs,
          llvm::ArrayRef<TensorView> outputs) const;

  /// Checks the tensors and runs all steps, on CUDA asynchronously in the
  /// order of `stream`.
  llvm::Error run(llvm::ArrayRef<TensorView> inputs,
                  llvm::ArrayRef<TensorView> outputs, Stream stream = {}) const;

  /// Like run(), but waits after each step that does something and reports
  /// its time: CUDA events, or the steady clock on the CPU.
  llvm::Expected<llvm::SmallVector<KernelTiming>>
  runTimed(llvm::ArrayRef<TensorView> inputs,
           llvm::ArrayRef<TensorView> outputs, Stream stream = {}) const;

  /// The value of each symbol for these inputs; only their dtypes and shapes
  /// are looked at.
  llvm::Expected<SymbolValues> bind(llvm::ArrayRef<TensorView> inputs) const;

  /// The shape that each output must have for these inputs.
  llvm::Expected<llvm::SmallVector<Shape>>
  inferOutputShapes(llvm::ArrayRef<TensorView> inputs) const;

  /// Bytes of the arena that a call with these symbol values uses.
  llvm::Expected<int64_t> arenaBytes(llvm::ArrayRef<int64_t> symbols) const;

private:
  friend class PreparedCall;
  struct State;
  explicit Program(std::shared_ptr<State> state);

  std::shared_ptr<State> state;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_PROGRAM_H
