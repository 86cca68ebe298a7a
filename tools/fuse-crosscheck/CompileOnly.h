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

/// Compiles the code that a case's call would run, the program for its lengths,
/// and the code for tensors with strides and for those of which nothing is
/// known. The error names chip and facts.
llvm::Error compileAsCalled(const Case &program, jit::CompileOptions options);

} // namespace fuse::crosscheck

#endif // FUSE_TOOLS_CROSSCHECK_COMPILEONLY_H
