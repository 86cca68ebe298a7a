//===- BlockPoolTest.cpp --------------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/BlockPool.h"
#include "TestPrograms.h"
#include "gtest/gtest.h"
#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fuse::runtime;

static bool coversOnce(int64_t grid, unsigned threads) {
  std::vector<std::atomic<int>> seen(grid);
  forEachBlock(grid, threads, [&](int64_t first, int64_t end) {
    for (int64_t i = first; i < end; ++i)
      ++seen[i];
  });
  return llvm::all_of(seen, [](const auto &count) { return count == 1; });
}

TEST(BlockPool, CoversEachBlockOnce) {
  for (int64_t grid :
       {0, 1, 2, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 4097, 8193})
    for (unsigned threads : {1, 2, 3, 8})
      EXPECT_TRUE(coversOnce(grid, threads)) << grid << " on " << threads;
}

TEST(BlockPool, GridAbove32Bits) {
  const int64_t grid = 2415919104;
  std::atomic<int64_t> blocks{0}, last{0};
  forEachBlock(grid, 4, [&](int64_t first, int64_t end) {
    blocks += end - first;
    if (end == grid)
      last = end;
  });
  EXPECT_EQ(blocks, grid);
  EXPECT_EQ(last, grid);
}

TEST(BlockPool, GridNearTheLimit) {
  std::atomic<uint64_t> blocks{0};
  forEachBlock(INT64_MAX, 4,
               [&](int64_t first, int64_t end) { blocks += end - first; });
  EXPECT_EQ(blocks, uint64_t(INT64_MAX));
}

TEST(BlockPool, OneBlockRunsInTheCaller) {
  std::thread::id id;
  forEachBlock(1, 8,
               [&](int64_t, int64_t) { id = std::this_thread::get_id(); });
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(BlockPool, Nests) {
  std::atomic<int> blocks{0};
  forEachBlock(16, 4, [&](int64_t first, int64_t end) {
    for (int64_t i = first; i < end; ++i)
      forEachBlock(16, 4, [&](int64_t f, int64_t e) { blocks += e - f; });
  });
  EXPECT_EQ(blocks, 256);
}

TEST(BlockPool, WorksInAForkedChild) {
  ASSERT_TRUE(coversOnce(1000, 4)); // The parent's threads exist now.
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(30); // A pool without threads would wait forever.
    _exit(coversOnce(1000, 4) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(coversOnce(1000, 4));
}

TEST(BlockPool, RefusesABadThreadCount) {
  setenv("FUSE_NUM_THREADS", "many", 1);
  EXPECT_EQ(message(cpuThreads()),
            "expected FUSE_NUM_THREADS to be a positive number, but got "
            "'many'; unset it to use all hardware threads");
  setenv("FUSE_NUM_THREADS", "3", 1);
  EXPECT_EQ(llvm::cantFail(cpuThreads()), 3u);
  unsetenv("FUSE_NUM_THREADS");
  EXPECT_GE(llvm::cantFail(cpuThreads()), 1u);
}
