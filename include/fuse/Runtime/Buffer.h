//===- Buffer.h - Memory with an owner --------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_BUFFER_H
#define FUSE_RUNTIME_BUFFER_H

#include "fuse/Runtime/Allocator.h"
#include <memory>

namespace fuse::runtime {

class CudaDevice;

/// Memory that is freed with the object.
class Buffer {
public:
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  virtual ~Buffer() = default;

  void *data() const { return pointer; }
  /// In bytes.
  int64_t size() const { return bytes; }

protected:
  Buffer(void *pointer, int64_t bytes) : pointer(pointer), bytes(bytes) {}

private:
  void *pointer;
  int64_t bytes;
};

/// Host memory, aligned to 64 bytes (a cache line, the widest vector).
class HostBuffer final : public Buffer {
public:
  static constexpr int64_t alignment = 64;

  static llvm::Expected<std::unique_ptr<HostBuffer>> create(int64_t bytes);
  ~HostBuffer() override;

private:
  using Buffer::Buffer;
};

/// Memory of one CUDA device, aligned to 256 bytes by the driver. Freeing it
/// waits for the work that uses it.
class DeviceBuffer final : public Buffer {
public:
  static llvm::Expected<std::unique_ptr<DeviceBuffer>>
  create(CudaDevice &device, int64_t bytes);
  ~DeviceBuffer() override;

private:
  DeviceBuffer(CudaDevice &device, void *pointer, int64_t bytes)
      : Buffer(pointer, bytes), device(device) {}

  CudaDevice &device;
};

/// Memory of an allocator.
class AllocatedBuffer final : public Buffer {
public:
  static llvm::Expected<std::unique_ptr<AllocatedBuffer>>
  create(std::shared_ptr<const Allocator> allocator, int64_t bytes,
         Device device);
  /// Waits for the work on the device.
  ~AllocatedBuffer() override;

private:
  AllocatedBuffer(std::shared_ptr<const Allocator> allocator, void *pointer,
                  int64_t bytes, Device device)
      : Buffer(pointer, bytes), allocator(std::move(allocator)),
        device(device) {}

  std::shared_ptr<const Allocator> allocator;
  Device device;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_BUFFER_H
