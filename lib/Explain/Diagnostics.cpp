//===- Diagnostics.cpp - MLIR diagnostics as one llvm::Error --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Explain/Diagnostics.h"
#include "Remedies.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::formatv;
using namespace mlir;

namespace fuse::jit {

std::string str(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  return formatv("{0}:{1}:{2}", file.getFilename().getValue(), file.getLine(),
                 file.getColumn());
}

/// Prefixes `message` with the place, if there is one.
static std::string locate(Location location, const Twine &message) {
  std::string place = str(location);
  return place.empty() ? message.str() : place + ": " + message.str();
}

llvm::Error makeError(Location location, const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 locate(location, message));
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, StringRef source)
    : source(source),
      handler(context, [this](Diagnostic &diagnostic) { handle(diagnostic); }) {
}

void DiagnosticCollector::handle(Diagnostic &diagnostic) {
  if (isClosed || diagnostic.getSeverity() != DiagnosticSeverity::Error ||
      errors++ > 0)
    return;
  std::string message = diagnostic.str();
  Location location = diagnostic.getLocation();
  SourcePlace place;
  if (auto inFile = location->findInstanceOf<FileLineColLoc>())
    place = {source, inFile.getLine(), inFile.getColumn()};
  text =
      locate(location, improveMessage(message, place, *location.getContext()));
  for (Diagnostic &note : diagnostic.getNotes())
    // What is registered besides is no help.
    if (!StringRef(note.str()).starts_with("Available dialects"))
      text += "\n" + locate(note.getLocation(), "note: " + note.str());
}

llvm::Error DiagnosticCollector::takeError(StringRef fallback) {
  if (errors == 0)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), fallback);
  if (errors > 1)
    text += formatv("\n({0} more)", errors - 1);
  errors = 0;
  return llvm::createStringError(llvm::inconvertibleErrorCode(), text);
}

} // namespace fuse::jit
