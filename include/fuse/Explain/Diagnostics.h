//===- Diagnostics.h - MLIR diagnostics as one llvm::Error ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXPLAIN_DIAGNOSTICS_H
#define FUSE_EXPLAIN_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include <string>

namespace fuse::jit {

/// "file.mlir:3:8" of the innermost place in a file that `location` names, or
/// "" if it names none.
std::string str(mlir::Location location);

/// An error at `location`: "file.mlir:3:8: MESSAGE".
llvm::Error makeError(mlir::Location location, const llvm::Twine &message);

/// While it lives, keeps the context's errors from being printed. Warnings and
/// remarks are dropped: what a user should know stands in the IR.
class DiagnosticCollector {
public:
  /// With `source`, the text that locations point into, operands are called by
  /// their names there.
  explicit DiagnosticCollector(mlir::MLIRContext *context,
                               llvm::StringRef source = {});

  bool hasError() const { return errors > 0; }

  /// Drops all errors from now on.
  void close() { isClosed = true; }

  /// The first error with a remedy and its notes, as lines "file:line:col:
  /// message", and the number of those that followed. `fallback` if nothing was
  /// reported.
  llvm::Error takeError(llvm::StringRef fallback);

private:
  void handle(mlir::Diagnostic &diagnostic);

  llvm::StringRef source;
  std::string text;
  unsigned errors = 0;
  bool isClosed = false;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace fuse::jit

#endif // FUSE_EXPLAIN_DIAGNOSTICS_H
