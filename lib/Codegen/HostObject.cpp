//===- HostObject.cpp - A lowered gpu.module to code of the host ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/HostObject.h"
#include "fuse/Codegen/Translate.h"
#include "fuse/Target/CPUTarget.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace mlir;
using namespace mlir::fuse;
namespace orc = llvm::orc;

static llvm::Expected<orc::JITTargetMachineBuilder>
detectHost(unsigned optLevel) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Expected<orc::JITTargetMachineBuilder> builder =
      orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder;
  builder->setCodeGenOptLevel(llvm::CodeGenOpt::getLevel(optLevel).value_or(
      llvm::CodeGenOptLevel::Aggressive));
  // As LLJIT's linker wants it. LLVM's default for a JIT is the large code
  // model, which loads every constant through a 64-bit address.
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeModel(llvm::CodeModel::Small);
  return builder;
}

/// Tells LLVM to use the widest registers, which it shuns by default on CPUs
/// that once lowered their clock for them.
static void preferWideVectors(llvm::Module &module,
                              const llvm::TargetMachine &machine) {
  std::string bits = std::to_string(CPUTarget::host().vectorBits);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", bits);
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

  preferWideVectors(**ir, **machine);
  OptimizeOptions optimize;
  optimize.level = options.optLevel;
  optimize.vectorize = true;
  if (llvm::Error error = optimizeLLVMIR(**ir, **machine, optimize))
    return error;

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  if ((*machine)->addPassesToEmitFile(codegen, stream, nullptr,
                                      llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError(
        "expected LLVM's host target to emit object files, but it cannot; use "
        "an LLVM that was built with the host's target");
  codegen.run(**ir);
  return object;
}

llvm::Expected<HostObject>
mlir::fuse::loadHostObject(llvm::ArrayRef<char> object,
                           llvm::ArrayRef<std::string> kernels) {
  auto builder = detectHost(/*optLevel=*/3);
  if (!builder)
    return builder.takeError();
  auto jit = orc::LLJITBuilder().setJITTargetMachineBuilder(*builder).create();
  if (!jit)
    return jit.takeError();
  if (llvm::Error error =
          (*jit)->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(
              llvm::StringRef(object.data(), object.size()), "kernels.o")))
    return error;

  HostObject result;
  for (const std::string &name : kernels) {
    llvm::Expected<orc::ExecutorAddr> address = (*jit)->lookup(name);
    if (!address)
      return address.takeError();
    result.entries[name] = address->toPtr<HostKernel>();
  }
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
