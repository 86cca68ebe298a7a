//===- Bundle.h - Compiled programs as files --------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bundle is a folder with all that a program needs to run where there is no
// compiler: its code for some chips, its plan as C tables, and a runtime in C
// that interprets them (fuse_bundle.h).
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_BUNDLE_BUNDLE_H
#define FUSE_BUNDLE_BUNDLE_H

#include "fuse/Compiler/Options.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fuse::bundle {

/// What was written: names of files in the folder.
struct Written {
  /// Of the program; the tables are NAME_bundle.
  std::string name;
  std::vector<std::string> files;
};

/// Compiles `text` for each of `chips`, of which "cpu" means the host, and
/// writes the bundle to `directory`, which is made if need be. `options` says
/// the rest; its target and chip are not looked at. `fileName` stands for the
/// text in errors.
llvm::Expected<Written> write(llvm::StringRef text, llvm::StringRef fileName,
                              llvm::ArrayRef<std::string> chips,
                              const jit::CompileOptions &options,
                              llvm::StringRef directory);

} // namespace fuse::bundle

#endif // FUSE_BUNDLE_BUNDLE_H
