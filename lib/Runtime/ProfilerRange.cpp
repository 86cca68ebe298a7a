//===- ProfilerRange.cpp - What a profiler calls a launch -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfilerRange.h"

// The header alone is all of NVTX: a profiler that runs the program hands its
// library over in an environment variable.
#if FUSE_HAS_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

using namespace fuse::runtime;

#if FUSE_HAS_NVTX
ProfilerRange::ProfilerRange(const std::string &name) {
  nvtxRangePushA(name.c_str());
}
ProfilerRange::~ProfilerRange() { nvtxRangePop(); }
#else
ProfilerRange::ProfilerRange(const std::string &) {}
ProfilerRange::~ProfilerRange() = default;
#endif
