//===- OutputFile.h - Files that are whole or as they were ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_OUTPUTFILE_H
#define FUSE_RUNTIME_OUTPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace fuse::runtime {

/// Writes the file at `path` under another name in its folder, and renames it
/// when all of it is on disk: where that fails, an old file stays as it was.
/// What is no regular file, such as a pipe, is written directly. The error is
/// the system's.
llvm::Error writeFile(llvm::StringRef path,
                      llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_OUTPUTFILE_H
