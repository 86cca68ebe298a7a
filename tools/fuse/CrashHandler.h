//===- CrashHandler.h - What a crash of the driver says ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_CRASHHANDLER_H
#define FUSE_TOOLS_FUSE_CRASHHANDLER_H

namespace fuse::driver {

/// If the process dies from a signal, it first prints the command that does the
/// same again and writes down every stage, so that the last file shows where.
/// Call it before InitLLVM, whose handlers print the stack.
void installCrashHandler(int argc, char **argv);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_CRASHHANDLER_H
