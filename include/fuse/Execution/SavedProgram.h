//===- SavedProgram.h - Programs with their code in a file ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A file has a program's text, the options that decide what its code does, and
// what the compiler made so far, each by the hash of what it was made from:
// whole compilations of this build of Fuse, cubins by their PTX, object files
// by their kernels. Loading is compiling with these at hand. So code of another
// chip or another CPU, or that this build would not make, is never run.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXECUTION_SAVEDPROGRAM_H
#define FUSE_EXECUTION_SAVEDPROGRAM_H

#include "fuse/Execution/JIT.h"

namespace fuse::jit {

/// Writes the program and all code that its calls so far have had compiled. The
/// file is there as a whole or not at all.
llvm::Error save(const CompiledProgram &program, llvm::StringRef path);

/// Of `options` entry, strict, lineInfo, launchOverlap, sizes and lengths are
/// the file's, and so are the target and the chip where `options` leave them
/// open. Fails if the file is no such one, or damaged.
llvm::Expected<std::unique_ptr<CompiledProgram>>
load(llvm::StringRef path, const CompileOptions &options);

} // namespace fuse::jit

#endif // FUSE_EXECUTION_SAVEDPROGRAM_H
