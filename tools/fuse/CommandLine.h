//===- CommandLine.h - The driver's options from its arguments --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_COMMANDLINE_H
#define FUSE_TOOLS_FUSE_COMMANDLINE_H

#include "llvm/Support/Error.h"

namespace fuse::driver {

/// Gives all registered options their values. An error says which argument was
/// wrong, what was expected and where to read on. `--help` and `--version` end
/// the process.
llvm::Error parseCommandLine(int argc, char **argv);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_COMMANDLINE_H
