//===- Targets.h - The ways into the compiler -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_DEV_TEXT_FUZZ_TARGETS_H
#define FUSE_TOOLS_DEV_TEXT_FUZZ_TARGETS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace fuse::fuzz {

/// A way in for a program text. Whether the text is right does not matter, only
/// that the call returns.
struct Target {
  const char *name;
  /// True if the text went through.
  bool (*run)(llvm::StringRef text);
};

/// Host code, as `fuse run --target cpu` and fuseCompile() make it; PTX, as
/// `fuse inspect` does; and the passes of fuse-opt, on any IR.
llvm::ArrayRef<Target> getTargets();

} // namespace fuse::fuzz

#endif // FUSE_TOOLS_DEV_TEXT_FUZZ_TARGETS_H
