//===- WheelMain.cpp - The driver inside of a wheel's library -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "llvm/Support/raw_ostream.h"

/// What `fuse` of a wheel calls, so that driver and C API share one copy of
/// LLVM.
extern "C" __attribute__((visibility("default"))) int
fuseDriverMain(int argc, char **argv) {
  int status = fuse::driver::runDriver(argc, argv);
  llvm::outs().flush();
  return status;
}
