//===- CudaDriver.h - The CUDA driver and its devices -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_CUDADRIVER_H
#define FUSE_RUNTIME_CUDADRIVER_H

#include "fuse/Runtime/Buffer.h"
#include "fuse/Runtime/CudaApi.h"
#include "fuse/Runtime/Module.h"
#include <mutex>
#include <vector>

namespace fuse::runtime {

/// The driver library, loaded and initialised on first use.
class CudaDriver {
public:
  /// Fails if there is no driver, if it cannot be initialised, and in a child
  /// process forked after it was (CUDA does not survive fork()).
  static llvm::Expected<CudaDriver &> get();

  const cuda::Api &api() const { return table; }
  int deviceCount() const { return count; }
  /// 13000 for CUDA 13.0: the newest version that the driver supports.
  int version() const { return driverVersion; }

  /// Turns a status into an error that names the failed `action` ("load the
  /// module").
  llvm::Error check(cuda::Result result, const llvm::Twine &action) const;

private:
  llvm::Error load();
  llvm::Error initialize();

  cuda::Api table;
  int count = 0;
  int driverVersion = 0;
};

struct CudaDeviceInfo {
  std::string name;
  /// 90 for compute capability 9.0.
  int sm = 0;
  int multiprocessors = 0;
  int64_t memoryBytes = 0;
  int64_t l2Bytes = 0;
  /// Of the memory, and of the multiprocessors; 0 where the driver says
  /// nothing.
  double memoryBytesPerSecond = 0, clockHertz = 0;
  /// The most dynamic shared memory that a block may ask for.
  int maxSharedBytes = 0;
};

/// One device with its primary context, which CUDA's runtime API and PyTorch
/// use too, so pointers and streams can be exchanged. Lives as long as the
/// process. Every function makes the context current for its own duration.
class CudaDevice {
public:
  static llvm::Expected<CudaDevice &> get(int ordinal = 0);

  int ordinal() const { return index; }
  const CudaDeviceInfo &info() const { return description; }
  CudaDriver &driver() const { return *owner; }

  /// Allowed while a stream of this thread is captured into a graph.
  llvm::Expected<void *> allocate(int64_t bytes);
  /// Waits for the work that uses the memory.
  void free(void *pointer);

  llvm::Error copyToDevice(void *to, const void *from, int64_t bytes);
  llvm::Error copyToHost(void *to, const void *from, int64_t bytes);
  llvm::Error copyOnDevice(void *to, const void *from, int64_t bytes,
                           Stream stream);
  llvm::Error setBytes(void *to, uint8_t value, int64_t bytes, Stream stream);

  llvm::Expected<Stream> createStream();
  void destroyStream(Stream stream);
  llvm::Error synchronize(Stream stream);
  llvm::Error synchronizeAll();

  llvm::Expected<QueueId> queueId(Stream stream);

  /// Seconds between two events around the work that `enqueue` puts on
  /// `stream`. Waits for it.
  llvm::Expected<double> time(Stream stream,
                              llvm::function_ref<llvm::Error()> enqueue);

  /// Replaces the contents of the L2 cache, so that what is measured next
  /// reads from memory.
  llvm::Error flushL2(Stream stream);

  /// Makes the device's context current; restores the caller's at the end.
  class Scope {
  public:
    explicit Scope(CudaDevice &device);
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    ~Scope();

    /// Whether that worked; look at it before using the driver.
    llvm::Error error() const;

  private:
    CudaDevice &device;
    cuda::Result result = cuda::success;
    bool pushed = false;
    bool forked = false;
  };

private:
  CudaDevice(CudaDriver &driver, int index) : owner(&driver), index(index) {}

  llvm::Error initialize();
  llvm::Error describe(cuda::DeviceOrdinal device);

  CudaDriver *owner;
  int index;
  cuda::Context context = nullptr;
  CudaDeviceInfo description;
  std::mutex flushMutex;
  std::unique_ptr<DeviceBuffer> flushBuffer;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_CUDADRIVER_H
