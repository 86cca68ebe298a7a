//===- HostMachine.cpp - LLVM's code generator for the host ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostMachine.h"
#include "HostScratch.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

using namespace mlir;
using namespace mlir::fuse;
namespace orc = llvm::orc;

/// f32 to bf16, to nearest even: what LLVM calls where it has moved a bf16
/// between blocks as an f32. The lower half of the returned register counts.
static float roundToBFloat(float value) {
  auto bits = llvm::bit_cast<uint32_t>(value);
  bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  uint32_t rounded = isNaN ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
  return llvm::bit_cast<float>(rounded >> 16);
}

llvm::Expected<orc::JITTargetMachineBuilder>
mlir::fuse::detectHost(unsigned optLevel) {
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
  // These convert to bf16 in one instruction, which takes denormals for zeros.
  if (builder->getTargetTriple().isX86()) {
    builder->getFeatures().AddFeature("avx512bf16", false);
    builder->getFeatures().AddFeature("avxneconvert", false);
  }
  // As LLJIT's linker wants it. LLVM's default for a JIT is the large code
  // model, which loads every constant through a 64-bit address.
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeModel(llvm::CodeModel::Small);
  return builder;
}

llvm::Expected<llvm::SmallVector<char, 0>>
mlir::fuse::emitHostObject(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  if (machine.addPassesToEmitFile(codegen, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError(
        "expected LLVM's host target to emit object files, but it cannot; use "
        "an LLVM that was built with the host's target");
  codegen.run(module);
  return object;
}

llvm::Expected<std::unique_ptr<orc::LLJIT>> mlir::fuse::linkHostObject(
    llvm::ArrayRef<char> object,
    llvm::ArrayRef<std::pair<std::string, void *>> symbols) {
  auto builder = detectHost(/*optLevel=*/3);
  if (!builder)
    return builder.takeError();
  auto jit = orc::LLJITBuilder().setJITTargetMachineBuilder(*builder).create();
  if (!jit)
    return jit.takeError();
  orc::SymbolMap defined;
  defined[(*jit)->mangleAndIntern("__truncsfbf2")] = {
      orc::ExecutorAddr::fromPtr(&roundToBFloat),
      llvm::JITSymbolFlags::Exported};
  defined[(*jit)->mangleAndIntern(kScratchFunction)] = {
      orc::ExecutorAddr::fromPtr(&hostScratch),
      llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  for (const auto &[name, address] : symbols)
    defined[(*jit)->mangleAndIntern(name)] = {
        orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
  if (llvm::Error error = (*jit)->getMainJITDylib().define(
          orc::absoluteSymbols(std::move(defined))))
    return error;
  if (llvm::Error error =
          (*jit)->addObjectFile(llvm::MemoryBuffer::getMemBufferCopy(
              llvm::StringRef(object.data(), object.size()), "kernels.o")))
    return error;
  return jit;
}
