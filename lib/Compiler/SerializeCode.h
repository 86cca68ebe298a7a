//===- SerializeCode.h - Compiled code as bytes -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_COMPILER_SERIALIZECODE_H
#define FUSE_LIB_COMPILER_SERIALIZECODE_H

#include "fuse/Compiler/Compilation.h"

namespace fuse::jit {

/// For the build of Fuse that runs: the bytes have no names of fields.
std::string serializeCode(const Code &code);

/// Nullopt if the bytes are not whole.
std::optional<Code> deserializeCode(llvm::StringRef bytes);

/// A text that is another for every build of what this code was linked into;
/// nullopt if the linker gave it none.
std::optional<std::string> buildId();

} // namespace fuse::jit

#endif // FUSE_LIB_COMPILER_SERIALIZECODE_H
