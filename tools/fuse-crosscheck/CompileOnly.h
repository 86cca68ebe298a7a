//===- CompileOnly.h - A program compiled, not run --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_CROSSCHECK_COMPILEONLY_H
#define FUSE_TOOLS_CROSSCHECK_COMPILEONLY_H

#include "Case.h"
#include "fuse/Compiler/Options.h"

namespace fuse::crosscheck {

/// Compiles what the case's call would run, also as a program for its lengths
/// alone, and the code for views and for tensors of which nothing is known. The
/// error names the chip and the facts of the code that failed.
llvm::Error compileAsCalled(const Case &program, jit::CompileOptions options);

} // namespace fuse::crosscheck

#endif // FUSE_TOOLS_CROSSCHECK_COMPILEONLY_H
