//===- Verification.cpp - A run against the oracle ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"
#include "fuse/Compiler/Frontend.h"
#include "fuse/Pipelines/InitAll.h"
#include "fuse/Reference/Evaluate.h"

using namespace mlir;
namespace reference = mlir::fuse::reference;

namespace fuse::driver {

llvm::Expected<Verification> verify(StringRef text, StringRef fileName,
                                    StringRef entryName, ArrayRef<Array> inputs,
                                    ArrayRef<Array> outputs) {
  DialectRegistry registry;
  mlir::fuse::registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = jit::parseProgram(context, text, fileName);
  if (!module)
    return module.takeError();
  auto entry = jit::selectEntry(**module, entryName);
  if (!entry)
    return entry.takeError();

  SmallVector<reference::Value> values;
  for (auto [type, input] : llvm::zip(entry->getArgumentTypes(), inputs)) {
    auto dtype =
        reference::getDType(cast<RankedTensorType>(type).getElementType());
    values.push_back(
        reference::fromBuffer(*dtype, input.shape, input.buffer->data()));
  }
  Verification verification;
  auto expected = reference::evaluate(*entry, values, &verification.findings);
  if (!expected)
    return expected.takeError();
  for (auto [value, output] : llvm::zip(*expected, outputs))
    verification.reports.push_back(
        reference::compare(value, output.buffer->data()));
  return std::move(verification);
}

} // namespace fuse::driver
