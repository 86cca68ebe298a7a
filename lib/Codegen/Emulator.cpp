//===- Emulator.cpp - A lowered gpu.module to code that checks ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/Emulator.h"
#include "EmulatorFloats.h"
#include "HostMachine.h"
#include "fuse/Codegen/Translate.h"
#include "llvm/IR/Verifier.h"

using namespace mlir;
using namespace mlir::fuse;

/// Register allocation and instruction selection of the cheap kind: a test
/// compiles once and runs little.
static constexpr unsigned optLevel = 1;

llvm::Expected<llvm::SmallVector<char, 0>>
mlir::fuse::compileEmulatorObject(gpu::GPUModuleOp module,
                                  const EmulatorShims &shims) {
  auto builder = detectHost(optLevel);
  if (!builder)
    return builder.takeError();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  auto ir = translateToLLVMIR(module, context, /*lineInfo=*/true);
  if (!ir)
    return ir.takeError();
  (*ir)->setTargetTriple((*machine)->getTargetTriple());
  (*ir)->setDataLayout((*machine)->createDataLayout());
  if (llvm::Error error = instrumentForEmulator(**ir, shims))
    return error;
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(**ir, &stream))
    return llvm::createStringError(
        "expected valid LLVM IR after instrumentation, but got: " + message +
        "; report this kernel");
  return emitHostObject(**ir, **machine);
}

llvm::Expected<EmulatorObject>
mlir::fuse::loadEmulatorObject(llvm::ArrayRef<char> object,
                               llvm::ArrayRef<std::string> kernels,
                               const EmulatorShims &shims) {
  std::vector<std::pair<std::string, void *>> symbols;
  for (const auto &shim : shims)
    symbols.emplace_back(emulatorSymbol(shim.getKey()),
                         shim.getValue().address);
  auto jit = linkHostObject(object, symbols);
  if (!jit)
    return jit.takeError();
  EmulatorObject result;
  if (llvm::Error error = lookUpKernels(**jit, kernels, result.entries))
    return error;
  result.jit = std::move(*jit);
  return result;
}
