//===- NVPTX.h - A lowered gpu.module to PTX --------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_NVPTX_H
#define FUSE_CODEGEN_NVPTX_H

#include "fuse/Codegen/Translate.h"
#include "fuse/Target/GPUTarget.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::fuse {

struct PTXOptions {
  /// LLVM's optimization level, 0 to 3.
  unsigned optLevel = 3;
  /// Called with the LLVM IR, unless null.
  LLVMObserver observer;
  /// Emit .loc directives, so that every instruction maps to a source line.
  bool lineInfo = false;
  /// Flush f32 denormals to zero.
  bool flushDenormals = false;
};

/// Compiles `module`, the output of fuse-gpu-to-nvvm, to PTX for `target`.
///
/// Multiplications and additions contract to fma only where the ops carry the
/// `contract` flag: the others are emitted with an explicit rounding mode,
/// which ptxas does not contract.
///
/// Kernels that share no symbol are compiled side by side, unless there is an
/// observer or lines are asked for.
///
/// Fails if the PTX calls a function that it does not define, since nothing
/// would resolve it.
llvm::Expected<std::string> emitPTX(gpu::GPUModuleOp module,
                                    const GPUTarget &target,
                                    const PTXOptions &options = {});

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_NVPTX_H
