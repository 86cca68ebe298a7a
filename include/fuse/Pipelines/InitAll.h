//===- InitAll.h - Everything a Fuse tool knows -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_PIPELINES_INITALL_H
#define FUSE_PIPELINES_INITALL_H

namespace mlir {
class DialectRegistry;

namespace fuse {

/// Adds the dialects of all stages of a program, from fuse to NVVM.
void registerAllDialects(DialectRegistry &registry);

/// Registers the passes of all libraries, and MLIR's general transformations,
/// for use by name.
void registerAllPasses();

} // namespace fuse
} // namespace mlir

#endif // FUSE_PIPELINES_INITALL_H
