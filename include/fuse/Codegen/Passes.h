//===- Passes.h - Passes from gpu.module to LLVM ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_PASSES_H
#define FUSE_CODEGEN_PASSES_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::fuse {

#define GEN_PASS_DECL
#include "fuse/Codegen/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "fuse/Codegen/Passes.h.inc"

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_PASSES_H
