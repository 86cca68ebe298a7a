//===- LoadModule.h - Compiled code, loaded where it runs -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_LOADMODULE_H
#define FUSE_LIB_EXECUTION_LOADMODULE_H

#include "fuse/Compiler/Compilation.h"
#include "fuse/Runtime/Program.h"

namespace fuse::jit {

/// The kernels of `code`, which was compiled with `options`, on `device`.
llvm::Expected<std::shared_ptr<runtime::Module>>
loadModule(const Code &code, const CompileOptions &options,
           runtime::Device device);

} // namespace fuse::jit

#endif // FUSE_LIB_EXECUTION_LOADMODULE_H
