//===- CpuModule.h - Kernels as functions of this process -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CPUMODULE_H
#define FUSE_RUNTIME_CPUMODULE_H

#include "fuse/Runtime/HostModule.h"
#include "llvm/ADT/StringMap.h"

namespace fuse::runtime {

/// A CPU kernel: runs the blocks [firstBlock, endBlock).
using CpuKernel = void (*)(void **params, int64_t firstBlock, int64_t endBlock);

/// Functions that somebody else owns, run over the process's thread pool.
class CpuModule final : public HostModule {
public:
  /// `owner` is kept as long as the module: whatever holds the code. Fails if
  /// FUSE_NUM_THREADS is set to something else than a positive number.
  static llvm::Expected<std::shared_ptr<CpuModule>>
  create(llvm::StringMap<CpuKernel> kernels,
         std::shared_ptr<void> owner = nullptr);

  llvm::Expected<KernelHandle> lookup(llvm::StringRef symbol,
                                      unsigned sharedBytes,
                                      unsigned cluster) override;
  llvm::Error launch(const Launch &launch, Stream stream) override;

private:
  CpuModule(llvm::StringMap<CpuKernel> kernels, std::shared_ptr<void> owner,
            unsigned threads)
      : kernels(std::move(kernels)), owner(std::move(owner)), threads(threads) {
  }

  llvm::StringMap<CpuKernel> kernels;
  std::shared_ptr<void> owner;
  unsigned threads;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_CPUMODULE_H
