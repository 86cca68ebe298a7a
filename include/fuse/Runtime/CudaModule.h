//===- CudaModule.h - A cubin or PTX loaded on a CUDA device ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CUDAMODULE_H
#define FUSE_RUNTIME_CUDAMODULE_H

#include "fuse/Runtime/CudaDriver.h"
#include "fuse/Runtime/Module.h"

namespace fuse::runtime {

class CudaModule final : public Module {
public:
  /// Loads a cubin, or PTX text that the driver compiles. Its log is part of
  /// the error if it refuses.
  static llvm::Expected<std::shared_ptr<CudaModule>> load(CudaDevice &device,
                                                          llvm::StringRef code);
  ~CudaModule() override;

  Device device() const override { return Device::cuda(cudaDevice.ordinal()); }
  llvm::Expected<KernelHandle> lookup(llvm::StringRef symbol,
                                      unsigned sharedBytes,
                                      unsigned cluster) override;
  /// Refuses grids above 2^31 - 1, the most that gridDim.x takes.
  llvm::Error launch(const Launch &launch, Stream stream) override;
  llvm::Error keepForCapture(const std::shared_ptr<void> &owner,
                             Stream stream) override;
  llvm::Expected<TensorMap> encode(void *data,
                                   const TensorMapShape &shape) override;
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

private:
  CudaModule(CudaDevice &device, cuda::CodeModule handle)
      : cudaDevice(device), handle(handle) {}

  const cuda::Api &api() const { return cudaDevice.driver().api(); }

  CudaDevice &cudaDevice;
  cuda::CodeModule handle;
};

/// Puts a launch on a stream. A kernel that waits itself may start before what
/// precedes it has ended, if the driver is of CUDA 12.3 at least; if it refuses
/// that, the kernel is launched after it.
cuda::Result launchOnCuda(const cuda::Api &api, int driverVersion,
                          const Launch &launch, Stream stream);

/// The error for a launch that the driver refuses because no part of the device
/// has room for its clusters; success for other results, whatever they are.
llvm::Error checkCudaCluster(const Launch &launch, cuda::Result result);

/// The error for a grid that gridDim.x cannot take; success otherwise.
llvm::Error checkCudaGrid(llvm::StringRef kernel, int64_t grid,
                          unsigned cluster);

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_CUDAMODULE_H
