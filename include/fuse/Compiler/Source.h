//===- Source.h - Program text from untrusted places ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is checked before MLIR's parser sees a text. The parser recurses once a
// bracket and once an operator of an affine expression, so that deep nesting
// overflows its stack; for `%y#1000000` it makes room for a million results;
// it crashes on a dense array of indices, and the verifier of tensor.concat on
// a negative dimension; and the bytecode reader trusts its input.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_SOURCE_H
#define FUSE_COMPILER_SOURCE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace fuse::jit {

/// The largest program text, in bytes.
inline constexpr uint64_t maxSourceBytes = 64ull << 20;

/// The deepest nesting of brackets, and the longest chain of operators that
/// stands in one pair of them.
inline constexpr unsigned maxNesting = 256;

/// Reads a regular file of at most maxSourceBytes, or standard input if `path`
/// is "-". The text is not checked.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readSource(llvm::StringRef path);

/// Checks that `text` is text (not bytecode), not too large, not nested too
/// deeply, and without `array<index: ...>`, a tensor.concat of a negative
/// dimension, and numbers of results (`%y#1000`, `%y:1000 = `) that are more
/// than its bytes. `name` stands for the file in the error.
llvm::Error checkSource(llvm::StringRef text, llvm::StringRef name);

} // namespace fuse::jit

#endif // FUSE_COMPILER_SOURCE_H
