//===- HostModule.cpp - Code that works on the host's memory --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/HostModule.h"
#include <chrono>
#include <cstring>
#include <limits>

using namespace llvm;
using namespace fuse::runtime;

Expected<int64_t> HostModule::mostConcurrentBlocks(KernelHandle kernel,
                                                   unsigned threads,
                                                   unsigned sharedBytes) {
  return std::numeric_limits<int64_t>::max();
}

Error HostModule::clear(void *data, int64_t bytes, Stream stream) {
  std::memset(data, 0, bytes);
  return Error::success();
}

Error HostModule::copy(void *to, const void *from, int64_t bytes,
                       Stream stream) {
  std::memcpy(to, from, bytes);
  return Error::success();
}

Error HostModule::upload(void *to, const void *from, int64_t bytes) {
  std::memcpy(to, from, bytes);
  return Error::success();
}

Expected<std::unique_ptr<Buffer>> HostModule::allocateOwn(int64_t bytes) {
  return HostBuffer::create(bytes);
}

Expected<std::optional<QueueId>> HostModule::queueId(Stream stream) {
  return std::nullopt;
}

Expected<double> HostModule::time(Stream stream,
                                  function_ref<Error()> enqueue) {
  auto start = std::chrono::steady_clock::now();
  if (Error error = enqueue())
    return std::move(error);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}
