//===- Specializations.h - Programs for single lengths ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_SPECIALIZATIONS_H
#define FUSE_LIB_EXECUTION_SPECIALIZATIONS_H

#include "fuse/Execution/JIT.h"
#include <mutex>

namespace fuse::jit {

/// A program, compiled again for the lengths of rows that occur first.
/// Thread-safe.
class Specializations {
public:
  /// `options` as they are for any length, with a target and a chip.
  Specializations(llvm::StringRef text, llvm::StringRef fileName,
                  CompileOptions options)
      : source(text), name(fileName), options(std::move(options)) {}

  llvm::StringRef text() const { return source; }
  llvm::StringRef fileName() const { return name; }

  /// The program for the lengths that `inputs` have, or null where the one for
  /// any length, whose `spec` this is, is to run.
  llvm::Expected<CompiledProgram *>
  get(const runtime::ProgramSpec &spec,
      llvm::ArrayRef<runtime::TensorView> inputs);

  /// What the programs for single lengths have to say of copies.
  std::vector<Remark> copyRemarks();

private:
  using Lengths = llvm::SmallVector<int64_t, 2>;

  /// The program that stands for the lengths, null where that is the one for
  /// any: it did not compile, or there are as many as may be. Nothing where one
  /// is to be compiled.
  std::optional<CompiledProgram *> find(const Lengths &lengths);
  llvm::Expected<std::unique_ptr<CompiledProgram>>
  compileFor(const runtime::ProgramSpec &spec, const Lengths &lengths) const;

  std::string source, name;
  CompileOptions options;
  /// Guards the entries; `compiling` is held while one is made.
  std::mutex mutex, compiling;
  std::vector<std::pair<Lengths, std::unique_ptr<CompiledProgram>>> entries;
};

} // namespace fuse::jit

#endif // FUSE_LIB_EXECUTION_SPECIALIZATIONS_H
