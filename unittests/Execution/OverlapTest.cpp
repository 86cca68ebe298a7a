//===- OverlapTest.cpp - Kernels launched ahead, where there is a device --===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"
#include "fuse/Execution/JIT.h"
#include "fuse/Runtime/CudaGraph.h"
#include <random>

using namespace fuse::jit;
using namespace fuse::runtime;
using llvm::cantFail;

/// A chaotic map over all rows and columns, so that a value that is read too
/// early is in every digit of the results. Three kernels: parts of the mean,
/// what combines them, and the rows.
static constexpr llvm::StringLiteral chain = R"(
  func.func @chain(%x: tensor<?x1024xf32> {fuse.dims = ["T"]})
      -> tensor<?x1024xf32> {
    %tenth = fuse.constant dense<0.1> : tensor<f32>
    %one = fuse.constant dense<1.0> : tensor<f32>
    %slope = fuse.constant dense<1.9> : tensor<f32>
    %mean = fuse.reduce mean %x dims = [0] keep
            : tensor<?x1024xf32> -> tensor<1x1024xf32>
    %part = fuse.mul %mean, %tenth : tensor<1x1024xf32>, tensor<f32>
    %d = fuse.sub %x, %part : tensor<?x1024xf32>, tensor<1x1024xf32>
    %abs = fuse.abs %d : tensor<?x1024xf32>
    %most = fuse.reduce max %abs dims = [1] keep
            : tensor<?x1024xf32> -> tensor<?x1xf32>
    %q = fuse.div %d, %most : tensor<?x1024xf32>, tensor<?x1xf32>
    %square = fuse.mul %q, %q : tensor<?x1024xf32>
    %scaled = fuse.mul %square, %slope : tensor<?x1024xf32>, tensor<f32>
    %y = fuse.sub %one, %scaled : tensor<f32>, tensor<?x1024xf32>
    return %y : tensor<?x1024xf32>
  })";

namespace {
class Overlap : public CudaFixtureWithParam<int64_t> {
protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped())
      return;
    std::mt19937 random(GetParam());
    std::uniform_real_distribution<float> draw(-1, 1);
    start.resize(GetParam() * 1024);
    for (float &value : start)
      value = draw(random);
    for (auto *buffer : {&a, &b})
      *buffer = cantFail(DeviceBuffer::create(*device, bytes()));
  }

  int64_t bytes() const { return start.size() * sizeof(float); }

  static std::unique_ptr<CompiledProgram> compile(bool launchOverlap) {
    CompileOptions options;
    options.target = Target::CUDA;
    options.cache = false;
    options.launchOverlap = launchOverlap;
    return cantFail(::fuse::jit::compile(chain, "chain.mlir", options));
  }

  TensorView view(const DeviceBuffer &buffer) const {
    return deviceView(buffer, {GetParam(), 1024});
  }

  /// Puts `steps` applications of the map on the stream, in pairs: a to b to a.
  llvm::Error enqueue(CompiledProgram &program, int steps) {
    for (int i = 0; i < steps; i += 2) {
      if (llvm::Error error = program.run({view(*a)}, {view(*b)}, stream))
        return error;
      if (llvm::Error error = program.run({view(*b)}, {view(*a)}, stream))
        return error;
    }
    return llvm::Error::success();
  }

  void load() {
    cantFail(device->copyToDevice(a->data(), start.data(), bytes()));
  }

  std::vector<float> result() { return download(view(*a)); }

  std::vector<float> start;
  std::unique_ptr<DeviceBuffer> a, b;
};
} // namespace

TEST_P(Overlap, ChangesNoBit) {
  constexpr int steps = 64, repeats = 20;
  auto plain = compile(/*launchOverlap=*/false);
  auto program = compile(/*launchOverlap=*/true);
  if (device->info().sm >= 90)
    EXPECT_TRUE(std::get<KernelSpec>(program->spec().steps[0]).waits);
  EXPECT_FALSE(std::get<KernelSpec>(plain->spec().steps[0]).waits);
  load();
  cantFail(enqueue(*plain, steps));
  std::vector<float> expected = result();
  for (int i = 0; i < repeats; ++i) {
    load();
    cantFail(enqueue(*program, steps));
    ASSERT_EQ(result(), expected) << "run " << i;
  }
  // After a copy and a memset, between kernels that do not wait, and replayed.
  CudaGraph graph = cantFail(CudaGraph::capture(*device, stream, [&] {
    cantFail(device->setBytes(b->data(), 0xff, bytes(), stream));
    return enqueue(*program, steps);
  }));
  for (int i = 0; i < repeats; ++i) {
    load();
    cantFail(graph.launch(stream));
    ASSERT_EQ(result(), expected) << "replay " << i;
  }
  load();
  for (int i = 0; i < steps; i += 4) {
    cantFail(enqueue(*program, 2));
    cantFail(enqueue(*plain, 2));
  }
  EXPECT_EQ(result(), expected);
}

INSTANTIATE_TEST_SUITE_P(Rows, Overlap, testing::Values(1, 8, 64, 500));
