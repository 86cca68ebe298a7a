//===- HostModule.h - Code that works on the host's memory ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_HOSTMODULE_H
#define FUSE_RUNTIME_HOSTMODULE_H

#include "fuse/Runtime/Module.h"

namespace fuse::runtime {

/// A module whose buffers are host memory and whose calls run to their end.
class HostModule : public Module {
public:
  Device device() const override { return Device::cpu(); }
  /// The whole grid: the kernels of a host need not run at the same time.
  llvm::Expected<int64_t> mostConcurrentBlocks(KernelHandle kernel,
                                               unsigned threads,
                                               unsigned sharedBytes) override;
  llvm::Error clear(void *data, int64_t bytes, Stream stream) override;
  llvm::Error copy(void *to, const void *from, int64_t bytes,
                   Stream stream) override;
  llvm::Error upload(void *to, const void *from, int64_t bytes) override;
  llvm::Expected<std::optional<QueueId>> queueId(Stream stream) override;
  llvm::Expected<double>
  time(Stream stream, llvm::function_ref<llvm::Error()> enqueue) override;

protected:
  llvm::Expected<std::unique_ptr<Buffer>> allocateOwn(int64_t bytes) override;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_HOSTMODULE_H
