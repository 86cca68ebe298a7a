//===- WgmmaCopies.h - Copies of sums that wgmma computes -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_WGMMACOPIES_H
#define FUSE_LIB_CODEGEN_WGMMACOPIES_H

#include "llvm/IR/Module.h"

namespace mlir::fuse {

/// Copies sums that a loop carries on as they are, and does not add to, behind
/// the wgmma.wait_group that they are tied to. LLVM copies what is tied before
/// the instruction where registers do not coalesce, as where the loop still
/// reads the sums of its last iteration; ptxas then serialises all products
/// (C7514). Call it after LLVM's optimizer, which would see through the copies.
void copySumsBehindWaits(llvm::Module &module);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_WGMMACOPIES_H
