//===- EmulatorCode.h - The emulator's compiler and its runtime -*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_JIT_EMULATORCODE_H
#define FUSE_LIB_JIT_EMULATORCODE_H

#include "fuse/Codegen/Emulator.h"
#include "fuse/JIT/Compilation.h"
#include "fuse/Runtime/EmulatorModule.h"

namespace fuse::jit {

/// The runtime's shims, as codegen asks for them.
const mlir::fuse::EmulatorShims &emulatorShims();

/// Loads code that was compiled for the emulator.
llvm::Expected<std::shared_ptr<runtime::Module>>
loadForEmulator(const Code &code, uint64_t seed);

} // namespace fuse::jit

#endif // FUSE_LIB_JIT_EMULATORCODE_H
