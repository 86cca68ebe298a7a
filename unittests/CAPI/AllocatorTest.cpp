//===- AllocatorTest.cpp - A caller's memory for temporaries --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPITesting.h"
#include <cstdlib>
#include <set>

using namespace fuse::capi::testing;

namespace {

/// Two kernels with a temporary between them: sums of columns are needed as a
/// whole.
constexpr const char *centered = R"(
func.func @centered(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %s = fuse.reduce sum %x dims = [0] keep : tensor<64x32xf32> -> tensor<1x32xf32>
  %y = fuse.sub %x, %s : tensor<64x32xf32>, tensor<1x32xf32>
  %r = fuse.reduce sum %y dims = [1] keep : tensor<64x32xf32> -> tensor<64x1xf32>
  %z = fuse.sub %y, %r : tensor<64x32xf32>, tensor<64x1xf32>
  return %z : tensor<64x32xf32>
})";

/// Counts what it gives.
struct Memory {
  static void *allocate(size_t bytes, DLDevice device, void *user) {
    auto *memory = static_cast<Memory *>(user);
    EXPECT_EQ(device.device_type, kDLCPU);
    if (memory->isEmpty)
      return nullptr;
    void *given = std::aligned_alloc(256, (bytes + 511) / 256 * 256);
    memory->live.insert(given);
    ++memory->count;
    return static_cast<char *>(given) + memory->offset;
  }
  static void release(void *given, DLDevice, void *user) {
    auto *memory = static_cast<Memory *>(user);
    given = static_cast<char *>(given) - memory->offset;
    EXPECT_EQ(memory->live.erase(given), 1u);
    std::free(given);
  }
  FuseAllocator allocator() { return {allocate, release, this}; }

  std::set<void *> live;
  int count = 0;
  int offset = 0;
  bool isEmpty = false;
};

std::string compileWith(const FuseAllocator &allocator, ProgramPtr &program) {
  FuseOptions options = onCpu();
  options.allocator = &allocator;
  FuseProgram *made = nullptr;
  std::string error = message(
      fuseCompile(centered, strlen(centered), nullptr, &options, &made));
  program.reset(made);
  return error;
}

std::string runCentered(FuseProgram *program) {
  Array x({64, 32}, 1.0f), y({64, 32});
  std::string error = run(program, {x.tensor()}, {y.tensor()});
  if (error.empty())
    for (float value : y.values)
      EXPECT_EQ(value, 31 * 63.0f);
  return error;
}

TEST(Allocator, GivesAndGetsBackAllMemory) {
  Memory memory;
  ProgramPtr program;
  ASSERT_EQ(compileWith(memory.allocator(), program), "");
  ASSERT_EQ(runCentered(program.get()), "");
  EXPECT_GT(memory.count, 0);
  int count = memory.count;
  // Memory is kept from call to call.
  ASSERT_EQ(runCentered(program.get()), "");
  EXPECT_EQ(memory.count, count);
  program.reset();
  EXPECT_TRUE(memory.live.empty());
}

TEST(Allocator, ACallFailsWithoutMemory) {
  Memory memory;
  memory.isEmpty = true;
  ProgramPtr program;
  ASSERT_EQ(compileWith(memory.allocator(), program), "");
  std::string error = runCentered(program.get());
  EXPECT_EQ(error.rfind("expected the allocator to give ", 0), 0u) << error;
  memory.isEmpty = false;
  EXPECT_EQ(runCentered(program.get()), "");
}

TEST(Allocator, RefusesMemoryThatIsNotAligned) {
  Memory memory;
  memory.offset = 16;
  ProgramPtr program;
  ASSERT_EQ(compileWith(memory.allocator(), program), "");
  std::string error = runCentered(program.get());
  EXPECT_EQ(error.rfind("expected the allocator to give memory aligned to ", 0),
            0u)
      << error;
  EXPECT_TRUE(memory.live.empty());
}

TEST(Allocator, NeedsBothFunctions) {
  ProgramPtr program;
  EXPECT_EQ(compileWith({Memory::allocate, nullptr, nullptr}, program),
            "expected an allocator with the functions 'allocate' and 'free', "
            "but got NULL; set both");
}

} // namespace
