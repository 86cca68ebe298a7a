//===- Buffer.cpp - Memory with an owner ----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/Buffer.h"
#include "FormatError.h"
#include "fuse/Runtime/CudaDriver.h"
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
