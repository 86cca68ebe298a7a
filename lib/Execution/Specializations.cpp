//===- Specializations.cpp - Programs for single lengths ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Specializations.h"
#include "fuse/Explain/Passes.h"
#include "fuse/Runtime/Arguments.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::jit {

/// A dynamic size of 1 is never broadcast, and one of 0 needs no kernel.
static constexpr int64_t shortestLength = 2;

std::optional<CompiledProgram *> Specializations::find(const Lengths &lengths) {
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &[known, program] : entries)
    if (known == lengths)
      return program.get();
  if (entries.size() < options.lengths)
    return std::nullopt;
  return nullptr;
}

Expected<std::unique_ptr<CompiledProgram>>
Specializations::compileFor(const ProgramSpec &spec,
                            const Lengths &lengths) const {
  CompileOptions fixed = options;
  fixed.lengths = 0;
  for (auto [symbol, length] : zip_equal(spec.lengths, lengths))
    fixed.sizes.push_back(formatv("{0}={1}", spec.symbols[symbol], length));
  // The stages of all programs would have the same files.
  if (!fixed.dumpDirectory.empty()) {
    SmallString<128> folder(fixed.dumpDirectory);
    sys::path::append(folder, join(fixed.sizes, ","));
    fixed.dumpDirectory = std::string(folder);
  }
  return compile(source, name, fixed);
}

Expected<CompiledProgram *> Specializations::get(const ProgramSpec &spec,
                                                 ArrayRef<TensorView> inputs) {
  if (spec.lengths.empty() || options.lengths == 0)
    return nullptr;
  Expected<SymbolValues> symbols = bindSymbols(spec, inputs);
  if (!symbols)
    return symbols.takeError();
  Lengths lengths;
  for (unsigned symbol : spec.lengths)
    lengths.push_back((*symbols)[symbol]);
  if (any_of(lengths, [](int64_t length) { return length < shortestLength; }))
    return nullptr;
  if (std::optional<CompiledProgram *> found = find(lengths))
    return *found;
  std::lock_guard<std::mutex> lock(compiling);
  if (std::optional<CompiledProgram *> found = find(lengths))
    return *found;
  auto program = compileFor(spec, lengths);
  std::lock_guard<std::mutex> adding(mutex);
  entries.emplace_back(lengths, program ? std::move(*program) : nullptr);
  if (!program)
    return program.takeError();
  return entries.back().second.get();
}

std::vector<Remark> Specializations::copyRemarks() {
  std::vector<Remark> result;
  std::lock_guard<std::mutex> lock(mutex);
  for (const auto &entry : entries)
    if (entry.second)
      copy_if(entry.second->remarks(), std::back_inserter(result),
              [](const Remark &remark) {
                return remark.category == mlir::fuse::kCopyCategory;
              });
  return result;
}

} // namespace fuse::jit
