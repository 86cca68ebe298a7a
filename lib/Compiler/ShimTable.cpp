//===- ShimTable.cpp - What the emulator's code calls ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/ShimTable.h"
#include "fuse/Runtime/EmulatorModule.h"

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::jit {

const mlir::fuse::EmulatorShims &emulatorShims() {
  static const mlir::fuse::EmulatorShims shims = [] {
    mlir::fuse::EmulatorShims table;
    for (const EmulatorShim &shim : runtime::emulatorShims())
      table[shim.name] = {shim.address, shim.takesSite};
    return table;
  }();
  return shims;
}

} // namespace fuse::jit
