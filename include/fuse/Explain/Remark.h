//===- Remark.h - What the compiler did, and why ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXPLAIN_REMARK_H
#define FUSE_EXPLAIN_REMARK_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace fuse::jit {

/// A remark of the compiler about a place of the program. The categories, and
/// what each has as `facts`:
///
///   fuse-kernel  Passed: Kernel, Lines, BytesMoved, BytesSaved, Schedule,
///                Predicted, RunnerUp
///   fuse-edge    Missed: Producer, Consumer, BytesCost
///   fuse-launch  Missed: Kernel, Neighbour
///   fuse-access  Missed for a streamed operand, else Analysis: Kernel,
///   Operand,
///                Bits, Count
///   fuse-spill   Missed: Kernel, Bytes; Analysis: Kernel, Registers, where
///                the schedule asks for more blocks than these leave room for
///
/// Sizes are in bytes; where they depend on dynamic dims they are expressions.
struct Remark {
  enum class Kind { Passed, Missed, Analysis };
  Kind kind = Kind::Analysis;
  std::string category;
  /// "" and 0 if the place is not known.
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  std::string message;
  /// Why, and what to change; "" where there is nothing to say.
  std::string reason;
  std::string suggestion;
  std::vector<std::pair<std::string, std::string>> facts;
};

/// "passed", "missed" or "analysis".
llvm::StringRef name(Remark::Kind kind);

/// From now on appends all remarks in `context` to `remarks`, which must
/// outlive the context.
void collectRemarks(mlir::MLIRContext &context, std::vector<Remark> &remarks);

} // namespace fuse::jit

#endif // FUSE_EXPLAIN_REMARK_H
