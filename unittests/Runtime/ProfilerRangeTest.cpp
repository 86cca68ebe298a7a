//===- ProfilerRangeTest.cpp - What a profiler sees of a call -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfilerRange.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <dlfcn.h>

using fuse::runtime::ProfilerRange;

TEST(ProfilerRange, ShowsItsName) {
  // Before the first range, which looks for a profiler.
  ASSERT_EQ(setenv("NVTX_INJECTION64_PATH", FUSE_NVTX_RECORDER, 1), 0);
  {
    ProfilerRange outer("norm norm.mlir:4:8");
    ProfilerRange inner("copy");
  }
  void *library = dlopen(FUSE_NVTX_RECORDER, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  auto *recorded =
      reinterpret_cast<const char *(*)()>(dlsym(library, "recordedRanges"));
  ASSERT_NE(recorded, nullptr);
  EXPECT_STREQ(recorded(), "[norm norm.mlir:4:8[copy]]");
}
