//===- HostScratch.cpp - Memory of a thread for its blocks ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostScratch.h"
#include "llvm/Support/MemAlloc.h"

namespace {
class Scratch {
public:
  ~Scratch() { release(); }

  void *get(int64_t bytes) {
    if (bytes > size) {
      release();
      data = llvm::allocate_buffer(bytes, page);
      size = bytes;
    }
    return data;
  }

private:
  static constexpr size_t page = 4096;

  void release() {
    if (data)
      llvm::deallocate_buffer(data, size, page);
    data = nullptr;
  }

  void *data = nullptr;
  int64_t size = 0;
};
} // namespace

void *mlir::fuse::hostScratch(int64_t bytes) {
  static thread_local Scratch scratch;
  return scratch.get(bytes);
}
