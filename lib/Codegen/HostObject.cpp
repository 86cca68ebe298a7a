//===- HostObject.cpp - A lowered gpu.module to code of the host ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/HostObject.h"
#include "HostMachine.h"
#include "fuse/Codegen/Translate.h"
#include "fuse/Target/CPUTarget.h"

using namespace mlir;
using namespace mlir::fuse;

/// Says which machine the functions are for. LLVM is to use the widest
/// registers, which it shuns by default on CPUs that once lowered their clock
/// for them. It is to divide where a program divides: an estimate of a
/// reciprocal root, and a Newton step, would make NaN of an infinity or 0.
static void setTarget(llvm::Module &module,
                      const llvm::TargetMachine &machine) {
  std::string bits = std::to_string(CPUTarget::host().vectorBits);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", bits);
    function.addFnAttr("reciprocal-estimates", "none");
  }
}

llvm::Expected<llvm::SmallVector<char, 0>>
mlir::fuse::compileHostObject(gpu::GPUModuleOp module,
                              const HostOptions &options) {
  auto builder = detectHost(options.optLevel);
  if (!builder)
    return builder.takeError();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto ir = translateToLLVMIR(module, context, /*lineInfo=*/false);
  if (!ir)
    return ir.takeError();

  setTarget(**ir, **machine);
  OptimizeOptions optimize;
  optimize.level = options.optLevel;
  optimize.observer = options.observer;
  optimize.vectorize = true;
  if (llvm::Error error = optimizeLLVMIR(**ir, **machine, optimize))
    return error;

  return emitHostObject(**ir, **machine);
}

llvm::Expected<HostObject>
mlir::fuse::loadHostObject(llvm::ArrayRef<char> object,
                           llvm::ArrayRef<std::string> kernels) {
  auto jit = linkHostObject(object);
  if (!jit)
    return jit.takeError();
  HostObject result;
  if (llvm::Error error = lookUpKernels(**jit, kernels, result.entries))
    return error;
  result.jit = std::move(*jit);
  return result;
}

std::string mlir::fuse::getHostFingerprint() {
  auto builder = detectHost(/*optLevel=*/3);
  if (!builder) {
    llvm::consumeError(builder.takeError());
    return CPUTarget::host().name;
  }
  return builder->getTargetTriple().str() + " " + builder->getCPU() + " " +
         builder->getFeatures().getString();
}
