//===- Driver.h - The driver's main function --------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_DRIVER_H
#define FUSE_TOOLS_FUSE_DRIVER_H

namespace fuse::driver {

/// Runs the subcommand that the arguments name. Returns the exit status: 0, or
/// 1 after an error on the standard error. Once in a process.
int runDriver(int argc, char **argv);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_DRIVER_H
