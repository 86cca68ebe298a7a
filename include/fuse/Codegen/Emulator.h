//===- Emulator.h - A lowered gpu.module to code that checks ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the very LLVM IR that PTX is made from to a function of the host
// that runs one thread of a block. What a host cannot do is a call:
//
//   %v = load <4 x float>, ptr %p, align 16
//   call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
//
// becomes
//
//   %h = call ptr @emu.fuse.load(ptr %p, i64 16, i64 16, ptr @site.0)
//   %v = load <4 x float>, ptr %h, align 1
//   call void @emu.llvm.nvvm.barrier.cta.sync.aligned.all(i32 0, ptr @site.1)
//
// runtime/EmulatorModule.h has the callees, and runs the code. A new intrinsic,
// or a line of inline PTX, needs one entry in its table.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_EMULATOR_H
#define FUSE_CODEGEN_EMULATOR_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class Module;
namespace orc {
class LLJIT;
} // namespace orc
} // namespace llvm

namespace mlir::fuse {

/// A function that stands for an intrinsic, or for inline PTX of this text.
struct EmulatorShim {
  void *address = nullptr;
  /// Whether a pointer to a site {file, line, column} follows the arguments.
  bool takesSite = false;
};

/// By the name of the intrinsic, or the text of the PTX.
using EmulatorShims = llvm::StringMap<EmulatorShim>;

/// Runs a kernel as one thread. params[i] points to the value of argument i.
using EmulatedKernel = void (*)(void **params);

/// Loaded code. The functions are valid while a copy of `jit` lives.
struct EmulatorObject {
  std::shared_ptr<llvm::orc::LLJIT> jit;
  llvm::StringMap<EmulatedKernel> entries;
};

/// Replaces what the host cannot run, in place, and adds to each kernel NAME of
/// `module` an entry void NAME(void **params). The module has the host's data
/// layout. Fails if the code uses an intrinsic or inline PTX without a shim.
llvm::Error instrumentForEmulator(llvm::Module &module,
                                  const EmulatorShims &shims);

/// Compiles `module`, the output of fuse-gpu-to-nvvm, to an object file.
llvm::Expected<llvm::SmallVector<char, 0>>
compileEmulatorObject(gpu::GPUModuleOp module, const EmulatorShims &shims);

/// Loads an object file of compileEmulatorObject, and looks up `kernels`.
llvm::Expected<EmulatorObject>
loadEmulatorObject(llvm::ArrayRef<char> object,
                   llvm::ArrayRef<std::string> kernels,
                   const EmulatorShims &shims);

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_EMULATOR_H
