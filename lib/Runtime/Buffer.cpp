//===- Buffer.cpp - Memory with an owner ----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/Buffer.h"
#include "FormatError.h"
#include "fuse/Runtime/CudaDriver.h"
#include "fuse/Runtime/Module.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>

using namespace llvm;
using namespace fuse::runtime;

Expected<std::unique_ptr<HostBuffer>> HostBuffer::create(int64_t bytes) {
  // aligned_alloc takes multiples of the alignment, and 0 bytes need not give
  // an address.
  size_t rounded = alignTo(std::max<int64_t>(bytes, 1), alignment);
  void *pointer = bytes < 0 ? nullptr : std::aligned_alloc(alignment, rounded);
  if (!pointer)
    return formatError("expected to allocate {0} bytes of host memory, but got "
                       "none; pass smaller tensors",
                       bytes);
  return std::unique_ptr<HostBuffer>(new HostBuffer(pointer, bytes));
}

HostBuffer::~HostBuffer() { std::free(data()); }

Expected<std::unique_ptr<DeviceBuffer>> DeviceBuffer::create(CudaDevice &device,
                                                             int64_t bytes) {
  Expected<void *> pointer = device.allocate(bytes);
  if (!pointer)
    return pointer.takeError();
  return std::unique_ptr<DeviceBuffer>(
      new DeviceBuffer(device, *pointer, bytes));
}

DeviceBuffer::~DeviceBuffer() { device.free(data()); }

Expected<std::unique_ptr<AllocatedBuffer>>
AllocatedBuffer::create(std::shared_ptr<const Allocator> allocator,
                        int64_t bytes, Device device) {
  void *pointer = allocator->allocate(std::max<int64_t>(bytes, 1), device);
  if (!pointer)
    return formatError("expected the allocator to give {0} bytes on {1}, but "
                       "got none; pass smaller tensors",
                       bytes, device.str());
  std::unique_ptr<AllocatedBuffer> buffer(
      new AllocatedBuffer(std::move(allocator), pointer, bytes, device));
  int64_t alignment = device.kind == Device::Kind::CUDA
                          ? Allocator::deviceAlignment
                          : HostBuffer::alignment;
  if (reinterpret_cast<uintptr_t>(pointer) % alignment)
    return formatError("expected the allocator to give memory aligned to {0} "
                       "bytes on {1}, but got {2}; align what it returns",
                       alignment, device.str(), pointer);
  return std::move(buffer);
}

AllocatedBuffer::~AllocatedBuffer() {
  if (device.kind == Device::Kind::CUDA) {
    Expected<CudaDevice &> cuda = CudaDevice::get(device.id);
    // At exit the driver may be gone, and its work with it.
    consumeError(cuda ? cuda->synchronizeAll() : cuda.takeError());
  }
  allocator->free(data(), device);
}

Expected<std::unique_ptr<Buffer>> Module::allocate(int64_t bytes) {
  if (!allocator)
    return allocateOwn(bytes);
  return AllocatedBuffer::create(allocator, bytes, device());
}
