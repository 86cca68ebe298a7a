//===- UnpackBFloat16.h - bf16 to f32, two to a word ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_UNPACKBFLOAT16_H
#define FUSE_LIB_CODEGEN_UNPACKBFLOAT16_H

#include "llvm/IR/Module.h"

namespace mlir::fuse {

/// Makes f32 of the bf16 lanes of vectors a word at a time: the lower lane is
/// shifted, the upper one masked, one instruction each. Of cvt.f32.bf16 of an
/// upper lane ptxas 13.0 makes two, which move it down and up again. Call it
/// after LLVM's optimizer, which may make single lanes of vectors.
void unpackBFloat16(llvm::Module &module);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_UNPACKBFLOAT16_H
