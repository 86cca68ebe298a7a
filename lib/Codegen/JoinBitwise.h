//===- JoinBitwise.h - Two bitwise operations of a word ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_JOINBITWISE_H
#define FUSE_LIB_CODEGEN_JOINBITWISE_H

#include "llvm/IR/Module.h"

namespace mlir::fuse {

/// Makes a lop3 of each (x & a) | b and (x & a) ^ b of 32 bits with constants a
/// and b. ptxas 13.0 joins such operations where one of the others is no
/// constant only, and of these makes two instructions. Call it after LLVM's
/// optimizer, which does not know what the PTX computes.
void joinBitwise(llvm::Module &module);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_JOINBITWISE_H
