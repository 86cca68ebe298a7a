//===- DimOptions.cpp - Sizes that --dim gives ----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimOptions.h"
#include "fuse/Compiler/Frontend.h"
#include "fuse/Compiler/SizeNames.h"
#include "fuse/Pipelines/InitAll.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace fuse::driver {

llvm::Expected<std::vector<std::string>>
unifyDims(const jit::CompiledProgram &program, ArrayRef<std::string> dims) {
  const runtime::ProgramSpec &spec = program.spec();
  bool areKnown = llvm::all_of(dims, [&](StringRef dim) {
    return llvm::is_contained(spec.symbols, dim.split('=').first);
  });
  if (areKnown)
    return dims.vec();
  // Only the text still has the other names.
  DialectRegistry registry;
  mlir::fuse::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = jit::parseProgram(context, program.text(), program.fileName());
  if (!module)
    return module.takeError();
  auto entry = jit::selectEntry(**module, program.options().entry);
  if (!entry)
    return entry.takeError();
  return jit::unifySizes(dims, jit::sizeNames(*entry, spec), "dim");
}

} // namespace fuse::driver
