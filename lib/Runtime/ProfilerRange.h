//===- ProfilerRange.h - What a profiler calls a launch ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_PROFILERRANGE_H
#define FUSE_LIB_RUNTIME_PROFILERRANGE_H

#include <string>

namespace fuse::runtime {

/// A named range of the host's timeline in NVIDIA's profilers (NVTX), for as
/// long as the object lives. It costs nanoseconds without a profiler, and
/// nothing without NVTX.
class ProfilerRange {
public:
  explicit ProfilerRange(const std::string &name);
  ProfilerRange(const ProfilerRange &) = delete;
  ProfilerRange &operator=(const ProfilerRange &) = delete;
  ~ProfilerRange();
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_PROFILERRANGE_H
