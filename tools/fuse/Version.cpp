//===- Version.cpp - Which Fuse this is -----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Version.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"

#include "Commit.inc"

using namespace llvm;

namespace fuse::driver {

std::string versionText() {
  StringRef commit = fuseCommit;
  std::string text = fuseVersion;
  return commit.empty() ? text
                        : text + " (" + commit.take_front(12).str() + ")";
}

void printVersion(raw_ostream &os) {
  StringRef commit = fuseCommit;
  os << "fuse " << fuseVersion << "\ncommit "
     << (commit.empty() ? "unknown" : commit) << "\nLLVM "
     << LLVM_VERSION_STRING << "\n";
}

} // namespace fuse::driver
