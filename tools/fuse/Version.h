//===- Version.h - Which Fuse this is ---------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_VERSION_H
#define FUSE_TOOLS_FUSE_VERSION_H

#include "llvm/Support/raw_ostream.h"
#include <string>

namespace fuse::driver {

/// "0.1.0 (1a2b3c4d)"; without a commit where the sources have none.
std::string versionText();

/// Three lines, of Fuse, its commit and LLVM.
void printVersion(llvm::raw_ostream &os);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_VERSION_H
