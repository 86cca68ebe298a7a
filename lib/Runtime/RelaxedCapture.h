//===- RelaxedCapture.h - What a capture forbids by default -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_RELAXEDCAPTURE_H
#define FUSE_LIB_RUNTIME_RELAXEDCAPTURE_H

#include "fuse/Runtime/CudaApi.h"

namespace fuse::runtime {

/// Allows this thread what a capture, also another thread's, forbids by
/// default: to allocate, to free and to unload code.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const cuda::Api &api) : api(api) {
    api.exchangeCaptureMode(&mode);
  }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;
  ~RelaxedCapture() { api.exchangeCaptureMode(&mode); }

private:
  const cuda::Api &api;
  cuda::CaptureMode mode = cuda::Relaxed;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_RELAXEDCAPTURE_H
