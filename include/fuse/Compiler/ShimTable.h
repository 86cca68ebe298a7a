//===- ShimTable.h - What the emulator's code calls -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_SHIMTABLE_H
#define FUSE_COMPILER_SHIMTABLE_H

#include "fuse/Codegen/Emulator.h"

namespace fuse::jit {

/// The runtime's shims, as codegen asks for them.
const mlir::fuse::EmulatorShims &emulatorShims();

} // namespace fuse::jit

#endif // FUSE_COMPILER_SHIMTABLE_H
