//===- Inputs.h - The arrays that a run starts from -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_INPUTS_H
#define FUSE_TOOLS_FUSE_INPUTS_H

#include "Array.h"
#include "fuse/Runtime/Arguments.h"
#include "fuse/Runtime/ProgramSpec.h"
#include "llvm/ADT/StringMap.h"

namespace fuse::driver {

/// Splits NAME=VALUE arguments of `option`. Fails if there is no '=', or if a
/// name comes twice or is none of `names`.
llvm::Expected<llvm::StringMap<std::string>>
parseAssignments(llvm::ArrayRef<std::string> arguments, llvm::StringRef option,
                 llvm::ArrayRef<std::string> names);

/// The size of each symbol of `spec` as `dims` (NAME=SIZE) gives it. Fails if
/// one is not given.
llvm::Expected<runtime::SymbolValues>
parseSizes(const runtime::ProgramSpec &spec, llvm::ArrayRef<std::string> dims);

/// An array for each input of `spec`: read from the file that `files` gives
/// (NAME=FILE; of rank 0 also NAME=NUMBER), or random, from `seed` and the
/// input's number, with the input's `stddev`. `dims` (NAME=SIZE) gives the
/// dynamic sizes that no file tells.
llvm::Expected<std::vector<Array>>
prepareInputs(const runtime::ProgramSpec &spec,
              llvm::ArrayRef<std::string> files,
              llvm::ArrayRef<std::string> dims, uint64_t seed,
              llvm::ArrayRef<double> stddev);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_INPUTS_H
