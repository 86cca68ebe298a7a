//===- HostObject.h - A lowered gpu.module to code of the host --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiling and loading are two steps, so that object files can be cached:
//
//   Expected<SmallVector<char>> object = compileHostObject(module);
//   Expected<HostObject> code = loadHostObject(*object, {"kernel"});
//   code->entries["kernel"](params, 0, numBlocks);
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_HOSTOBJECT_H
#define FUSE_CODEGEN_HOSTOBJECT_H

#include "fuse/Codegen/Translate.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

namespace llvm::orc {
class LLJIT;
} // namespace llvm::orc

namespace mlir::fuse {

/// Runs blocks [firstBlock, endBlock) of a kernel on the calling thread.
/// params[i] points to the value of argument i. Reentrant.
using HostKernel = void (*)(void **params, int64_t firstBlock,
                            int64_t endBlock);

struct HostOptions {
  /// LLVM's optimization level, 0 to 3.
  unsigned optLevel = 3;
  /// Called with the LLVM IR, unless null.
  LLVMObserver observer;
};

/// Loaded code. The functions are valid while a copy of `jit` lives.
struct HostObject {
  std::shared_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<HostKernel> entries;
};

/// Compiles `module`, the output of fuse-gpu-to-cpu, to an object file for the
/// CPU that this process runs on.
llvm::Expected<llvm::SmallVector<char, 0>>
compileHostObject(gpu::GPUModuleOp module, const HostOptions &options = {});

/// Loads an object file of compileHostObject, and looks up `kernels` in it.
/// Symbols of the C library are resolved from this process.
llvm::Expected<HostObject> loadHostObject(llvm::ArrayRef<char> object,
                                          llvm::ArrayRef<std::string> kernels);

/// Names the CPU and the features that compileHostObject compiles for; part of
/// the key of a cached object file.
std::string getHostFingerprint();

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_HOSTOBJECT_H
