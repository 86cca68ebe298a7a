//===- Remedies.h - Diagnostics in the user's words -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages of the fuse dialect end in a remedy after a semicolon. Those of
// MLIR's parser and of the constraints that TableGen checks do not, and they
// number operands. For line 2 of
//
//   func.func @f(%x: tensor<4xf32>, %w: tensor<4xi32>) -> tensor<4xf32> {
//     %y = fuse.select %w, %x, %x : ...
//
// "operand #0 must be tensor of i1 values, but got ..." becomes "operand '%w'
// must be tensor of i1 values, but got ...; convert it with fuse.cast, ...".
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXPLAIN_REMEDIES_H
#define FUSE_LIB_EXPLAIN_REMEDIES_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fuse::jit {

/// A place in a program's text; line and column count from 1.
struct SourcePlace {
  llvm::StringRef text;
  unsigned line = 0;
  unsigned column = 0;
};

/// `message` with operands called as the op at `place` calls them, and with a
/// remedy if it has none. The text may be empty.
std::string improveMessage(llvm::StringRef message, const SourcePlace &place,
                           mlir::MLIRContext &context);

} // namespace fuse::jit

#endif // FUSE_LIB_EXPLAIN_REMEDIES_H
