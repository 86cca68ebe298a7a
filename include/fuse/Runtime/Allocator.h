//===- Allocator.h - Where programs get their memory ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_ALLOCATOR_H
#define FUSE_RUNTIME_ALLOCATOR_H

#include "fuse/Runtime/Tensor.h"
#include <functional>

namespace fuse::runtime {

/// Gives programs the memory of their temporaries and constants, in place of
/// the driver or the C library. Called from any thread that runs a program,
/// also while a stream is captured.
struct Allocator {
  /// On CUDA addresses are multiples of this, on a host of
  /// HostBuffer::alignment.
  static constexpr int64_t deviceAlignment = 256;

  /// Null if there is none.
  std::function<void *(int64_t bytes, Device device)> allocate;
  /// All work on the memory has ended.
  std::function<void(void *memory, Device device)> free;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_ALLOCATOR_H
