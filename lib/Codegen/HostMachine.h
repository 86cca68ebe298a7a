//===- HostMachine.h - LLVM's code generator for the host -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_HOSTMACHINE_H
#define FUSE_LIB_CODEGEN_HOSTMACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace mlir::fuse {

/// The CPU that this process runs on, with code that LLJIT's linker takes.
llvm::Expected<llvm::orc::JITTargetMachineBuilder>
detectHost(unsigned optLevel);

/// Generates code for all of `module`.
llvm::Expected<llvm::SmallVector<char, 0>>
emitHostObject(llvm::Module &module, llvm::TargetMachine &machine);

/// Links an object file into this process. Symbols that are not in `symbols`
/// are resolved from it.
llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>>
linkHostObject(llvm::ArrayRef<char> object,
               llvm::ArrayRef<std::pair<std::string, void *>> symbols = {});

/// Puts the addresses of `kernels`, functions of the linked object, into
/// `entries`.
template <typename Entry>
llvm::Error lookUpKernels(llvm::orc::LLJIT &jit,
                          llvm::ArrayRef<std::string> kernels,
                          llvm::StringMap<Entry> &entries) {
  for (const std::string &name : kernels) {
    llvm::Expected<llvm::orc::ExecutorAddr> address = jit.lookup(name);
    if (!address)
      return address.takeError();
    entries[name] = address->toPtr<Entry>();
  }
  return llvm::Error::success();
}

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_HOSTMACHINE_H
