//===- SinkTransposes.h - Transposes behind other movements -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SINKTRANSPOSES_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SINKTRANSPOSES_H

#include "mlir/IR/Block.h"

namespace mlir::fuse {

/// Pads, reverses and joins what is transposed alike before the transpose.
void sinkTransposes(Block &block);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SINKTRANSPOSES_H
