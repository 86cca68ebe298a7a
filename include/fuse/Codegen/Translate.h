//===- Translate.h - A lowered gpu.module to LLVM IR ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_TRANSLATE_H
#define FUSE_CODEGEN_TRANSLATE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <functional>

namespace mlir::fuse {

/// Registers what translateToLLVMIR needs. Call it before the context is used
/// for translation; calling it again is harmless.
void registerCodegenTranslations(DialectRegistry &registry);

/// Translates `module`, which holds LLVM and NVVM ops only, to LLVM IR. The op
/// is left as it is. With `lineInfo`, every instruction carries the file and
/// line of the first source location in its op's location.
llvm::Expected<std::unique_ptr<llvm::Module>>
translateToLLVMIR(gpu::GPUModuleOp module, llvm::LLVMContext &context,
                  bool lineInfo);

/// Sees the LLVM IR of a kernels' module at a stage: "translated", then
/// "optimized".
using LLVMObserver =
    std::function<void(llvm::StringRef stage, const llvm::Module &module)>;

/// How to run LLVM's pipeline.
struct OptimizeOptions {
  /// 0 to 3.
  unsigned level = 3;
  /// Loop and SLP vectorization. Off for GPUs: a thread's vectors are decided
  /// by the schedule, and SLP would only lengthen live ranges.
  bool vectorize = false;
  /// Called before and after, unless null.
  LLVMObserver observer;
};

/// Runs LLVM's standard pipeline for `machine` on `module`, after setting the
/// module's triple and data layout.
llvm::Error optimizeLLVMIR(llvm::Module &module, llvm::TargetMachine &machine,
                           const OptimizeOptions &options);

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_TRANSLATE_H
