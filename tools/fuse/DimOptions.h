//===- DimOptions.h - Sizes that --dim gives --------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_DIMOPTIONS_H
#define FUSE_TOOLS_FUSE_DIMOPTIONS_H

#include "fuse/Execution/JIT.h"

namespace fuse::driver {

/// `dims` (NAME=SIZE) by the names that the program's spec has: where the
/// program makes dims of several names one, it has the first. Fails if their
/// sizes differ.
llvm::Expected<std::vector<std::string>>
unifyDims(const jit::CompiledProgram &program,
          llvm::ArrayRef<std::string> dims);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_DIMOPTIONS_H
