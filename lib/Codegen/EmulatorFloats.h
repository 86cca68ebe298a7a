//===- EmulatorFloats.h - Conversions as the GPU does them ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_EMULATORFLOATS_H
#define FUSE_LIB_CODEGEN_EMULATORFLOATS_H

#include "llvm/IR/Instruction.h"
#include <string>

namespace mlir::fuse {

/// The symbol that stands for an intrinsic, a hook or a text of inline PTX.
std::string emulatorSymbol(llvm::StringRef name);

/// Replaces a conversion from or to bf16, or from f64 to f16, by arithmetic or
/// a call: LLVM would call a library function on the host, and the instruction
/// of hosts that have one flushes denormals. Other instructions stay.
void expandFloatConversion(llvm::Instruction &instruction);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_EMULATORFLOATS_H
