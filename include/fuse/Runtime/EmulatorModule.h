//===- EmulatorModule.h - GPU kernels run on the host -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs kernels that codegen/Emulator.h compiled, every access and every
// exchange between threads checked. docs/testing.md tells what is checked. A
// launch that breaks a rule fails with one error, such as
//
//   kernel 'softmax', block 1, thread 40 (softmax.mlir:3:8): expected a load
//   inside input 'x' of 64 bytes, but got bytes 64 to 79; check the index and
//   the mask
//
// The compiled code calls functions of this process: emulatorShims().
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_EMULATORMODULE_H
#define FUSE_RUNTIME_EMULATORMODULE_H

#include "fuse/Runtime/HostModule.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include <memory>

namespace fuse::runtime {

/// Runs a kernel as one thread of a block. params[i] points to argument i.
using EmulatorKernel = void (*)(void **params);

/// Where an access or an exchange stands in the program. Compiled code holds
/// these, so the layout is fixed: codegen/Emulator.h.
struct EmulatorSite {
  const char *file;
  uint32_t line;
  uint32_t column;
};

/// A global of the compiled code. The layout is fixed.
struct EmulatorGlobal {
  const char *name;
  /// The content of a constant; null for shared memory.
  void *content;
  /// 0 for the launch's dynamic shared memory.
  int64_t bytes;
  int64_t alignment;
};

/// wgmma.mma_async of m64nNk16 with sums of f32, all but its operands. The
/// layout is fixed.
enum class EmulatorFactor : int32_t { F16, BF16, E4M3, E5M2, TF32 };

struct EmulatorWgmma {
  /// N.
  int32_t columns;
  EmulatorFactor elementA;
  EmulatorFactor elementB;
  int32_t negatesA;
  int32_t negatesB;
  /// Whether M or N is contiguous in shared memory, not K.
  int32_t transposesA;
  int32_t transposesB;
};

/// The bits of sums of wgmma that nothing has computed; a NaN.
inline constexpr uint32_t undefinedSum = 0xffffff80;

/// A function that compiled code calls in place of `name`: an intrinsic, the
/// text of inline PTX, or a hook that instrumentation adds ("fuse.load").
struct EmulatorShim {
  llvm::StringLiteral name;
  void *address;
  /// Whether a pointer to an EmulatorSite follows the arguments.
  bool takesSite;
};

/// All there are. A shim's C type is the intrinsic's type with these changes:
/// 16-bit floats and vectors of at most 64 bits are integers of their size,
/// and a struct is stored through a pointer that comes first.
llvm::SmallVector<EmulatorShim> emulatorShims();

struct EmulatorModuleOptions {
  /// Decides the order of blocks, warps and lanes, and when asynchronous copies
  /// and multiplications happen: modulo 3, 0 is as late as the waits allow, 1
  /// at once, and 2 at random.
  uint64_t seed = 0;
};

class EmulatorModule final : public HostModule {
public:
  /// `owner` holds the code and is kept as long as the module.
  EmulatorModule(llvm::StringMap<EmulatorKernel> kernels,
                 const EmulatorModuleOptions &options,
                 std::shared_ptr<void> owner = nullptr);
  ~EmulatorModule() override;

  bool checksAccesses() const override { return true; }
  llvm::Expected<KernelHandle> lookup(llvm::StringRef symbol,
                                      unsigned sharedBytes,
                                      unsigned cluster) override;
  /// As many as there are threads for.
  llvm::Expected<int64_t> mostConcurrentBlocks(KernelHandle kernel,
                                               unsigned threads,
                                               unsigned sharedBytes) override;
  llvm::Expected<TensorMap> encode(void *data,
                                   const TensorMapShape &shape) override;
  /// Runs all blocks on the calling thread.
  llvm::Error launch(const Launch &launch, Stream stream) override;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_EMULATORMODULE_H
