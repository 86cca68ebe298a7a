//===- BlockBranches.h - Branches that whole blocks take --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_BLOCKBRANCHES_H
#define FUSE_LIB_CONVERSION_BLOCKBRANCHES_H

#include "llvm/ADT/StringRef.h"

namespace mlir::fuse {

/// On a branch that all threads of a block take, or none: what only the one
/// side uses of shared memory, the other may use as well.
inline constexpr llvm::StringLiteral kOfBlocksAttr = "fuse.of_blocks";

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_BLOCKBRANCHES_H
