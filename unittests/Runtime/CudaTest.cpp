//===- CudaTest.cpp - The CUDA backend, where there is a device -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"
#include "TestPrograms.h"
#include "fuse/Runtime/CudaGraph.h"
#include "fuse/Runtime/CudaModule.h"
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace fuse::runtime;
using llvm::cantFail;
using llvm::StringRef;

TEST(Cuda, SaysThatThereIsNoDriver) {
  if (dlopen("libcuda.so.1", RTLD_NOW))
    GTEST_SKIP() << "there is one";
  std::string text = message(CudaDevice::get());
  EXPECT_TRUE(StringRef(text).starts_with(
      "expected a CUDA driver (libcuda.so.1), but none could be loaded: "))
      << text;
  EXPECT_TRUE(StringRef(text).ends_with(
      "; use the target cpu, or install the NVIDIA driver"))
      << text;
}

TEST(Cuda, RefusesGridsAbove31Bits) {
  EXPECT_EQ(message(checkCudaGrid("k", INT32_MAX, 1)), "");
  EXPECT_EQ(message(checkCudaGrid("k", 2415919104, 1)),
            "expected kernel 'k' to have at most 2147483647 blocks on CUDA, "
            "but got 2415919104; use a schedule with more work in a block");
  EXPECT_EQ(message(checkCudaGrid("k", 6, 4)),
            "expected the blocks of kernel 'k' to fill clusters of 4, but got "
            "6 blocks; round the grid up");
}

TEST(Cuda, SaysThatNoClusterFits) {
  Launch launch;
  launch.name = "k";
  launch.cluster = 16;
  EXPECT_EQ(message(checkCudaCluster(launch, cuda::invalidClusterSize)),
            "expected a GPU that runs kernel 'k' in clusters of 16 blocks, but "
            "got one whose parts have too few multiprocessors; give the kernel "
            "a schedule with a smaller cluster (the stage schedule "
            "shows it)");
  EXPECT_EQ(message(checkCudaCluster(launch, cuda::invalidValue)), "");
  EXPECT_EQ(message(checkCudaCluster(launch, cuda::success)), "");
}

namespace {
using AttributeIds = std::vector<unsigned>;
constexpr unsigned clusters = cuda::LaunchAttribute::clusterDimension;
constexpr unsigned policy = cuda::LaunchAttribute::clusterSchedulingPolicy;
constexpr unsigned overlap =
    cuda::LaunchAttribute::programmaticStreamSerialization;

/// A driver that notes the attributes of each launch, and may refuse some.
struct FakeDriver {
  static std::vector<AttributeIds> launches;
  static cuda::Result refusal;
  static bool refusesAll;

  static cuda::Result launch(const cuda::LaunchConfig *config, cuda::Function,
                             void **, void **) {
    AttributeIds &ids = launches.emplace_back();
    for (unsigned i = 0; i < config->numAttributes; ++i)
      ids.push_back(config->attributes[i].id);
    return refusesAll || llvm::is_contained(ids, overlap) ? refusal
                                                          : cuda::success;
  }

  /// The attributes of each attempt.
  static std::vector<AttributeIds> run(const Launch &launch, int version,
                                       cuda::Result expected) {
    cuda::Api api;
    api.launchKernel = FakeDriver::launch;
    launches.clear();
    EXPECT_EQ(launchOnCuda(api, version, launch, {}), expected);
    return launches;
  }
};
std::vector<AttributeIds> FakeDriver::launches;
cuda::Result FakeDriver::refusal = cuda::success;
bool FakeDriver::refusesAll = false;
} // namespace

TEST(Cuda, LaunchesAheadWhatWaits) {
  using Attempts = std::vector<AttributeIds>;
  constexpr int cuda122 = 12020, cuda123 = 12030;
  auto run = FakeDriver::run;
  Launch launch;
  EXPECT_EQ(run(launch, cuda123, cuda::success), Attempts({{}}));
  launch.waits = true;
  EXPECT_EQ(run(launch, cuda123, cuda::success), Attempts({{overlap}}));
  EXPECT_EQ(run(launch, cuda122, cuda::success), Attempts({{}}));
  launch.cluster = 4;
  EXPECT_EQ(run(launch, cuda123, cuda::success),
            Attempts({{clusters, policy, overlap}}));

  for (cuda::Result refusal : {cuda::notSupported, cuda::invalidValue}) {
    FakeDriver::refusal = refusal;
    EXPECT_EQ(run(launch, cuda123, cuda::success),
              Attempts({{clusters, policy, overlap}, {clusters, policy}}));
  }
  // Whatever else is wrong with a launch stays an error.
  constexpr cuda::Result outOfMemory = 2;
  FakeDriver::refusal = outOfMemory;
  EXPECT_EQ(run(launch, cuda123, outOfMemory),
            Attempts({{clusters, policy, overlap}}));
  FakeDriver::refusesAll = true;
  FakeDriver::refusal = cuda::invalidValue;
  EXPECT_EQ(run(launch, cuda123, cuda::invalidValue),
            Attempts({{clusters, policy, overlap}, {clusters, policy}}));
  launch.waits = false;
  EXPECT_EQ(run(launch, cuda123, cuda::invalidValue),
            Attempts({{clusters, policy}}));
}

TEST(Cuda, LaunchesBlocksThatWaitForEachOtherTogether) {
  using Attempts = std::vector<AttributeIds>;
  constexpr unsigned together = cuda::LaunchAttribute::cooperativeLaunch;
  FakeDriver::refusesAll = false;
  FakeDriver::refusal = cuda::notSupported;
  Launch launch;
  launch.cooperative = true;
  EXPECT_EQ(FakeDriver::run(launch, 12030, cuda::success),
            Attempts({{together}}));
  launch.waits = true;
  EXPECT_EQ(FakeDriver::run(launch, 12030, cuda::success),
            Attempts({{together, overlap}, {together}}));
}

namespace {
class CudaDeviceTest : public CudaFixture {
protected:
  Program program() {
    return cantFail(Program::create(
        addTwice(), cantFail(CudaModule::load(*device, addTwicePtx))));
  }

  TensorView upload(const std::vector<float> &data, Shape shape) {
    buffers.push_back(cantFail(DeviceBuffer::create(*device, data.size() * 4)));
    cantFail(device->copyToDevice(buffers.back()->data(), data.data(),
                                  data.size() * 4));
    return deviceView(*buffers.back(), std::move(shape));
  }

  std::vector<std::unique_ptr<DeviceBuffer>> buffers;
};
} // namespace

TEST_F(CudaDeviceTest, DescribesItself) {
  EXPECT_GE(device->info().sm, 50);
  EXPECT_GT(device->info().multiprocessors, 0);
  EXPECT_GT(device->info().memoryBytes, 0);
  EXPECT_GT(device->info().l2Bytes, 0);
  EXPECT_EQ(message(device->flushL2(stream)), "");
}

TEST_F(CudaDeviceTest, RunsAndTimes) {
  Program program = this->program();
  TensorView x = upload(std::vector<float>(400, 1.5f), {100, 4});
  TensorView r = upload(std::vector<float>(400, 2.0f), {100, 4});
  TensorView y = upload(std::vector<float>(400, 0.0f), {100, 4});
  EXPECT_EQ(message(program.run({x, r}, {y}, stream)), "");
  EXPECT_EQ(download(y), std::vector<float>(400, 7.0f));
  auto timings = cantFail(program.runTimed({x, r}, {y}, stream));
  ASSERT_EQ(timings.size(), 2u);
  EXPECT_GT(timings[0].seconds, 0);
  EXPECT_LT(timings[0].seconds, 1);
}

TEST_F(CudaDeviceTest, CanBeCaptured) {
  Program program = this->program();
  TensorView x = upload(std::vector<float>(400, 1.5f), {100, 4});
  TensorView y = upload(std::vector<float>(400, 0.0f), {100, 4});
  // Cold and warm: the first call makes its arena while it is captured.
  for (float value : {1.5f, 2.5f}) {
    CudaGraph graph = cantFail(CudaGraph::capture(
        *device, stream, [&] { return program.run({x, x}, {y}, stream); }));
    std::vector<float> data(400, value);
    cantFail(device->copyToDevice(x.data, data.data(), data.size() * 4));
    EXPECT_EQ(message(graph.launch(stream)), "");
    EXPECT_EQ(download(y), std::vector<float>(400, 4 * value));
    EXPECT_EQ(message(program.run({x, x}, {y}, stream)), "");
    EXPECT_EQ(download(y), std::vector<float>(400, 4 * value));
  }
}

TEST_F(CudaDeviceTest, EndsACaptureThatFails) {
  EXPECT_EQ(
      message(CudaGraph::capture(
          *device, stream, [] { return llvm::createStringError("not that"); })),
      "not that");
  // Waiting cannot be recorded.
  EXPECT_NE(message(CudaGraph::capture(
                *device, stream, [&] { return device->synchronize(stream); })),
            "");
  EXPECT_EQ(message(device->synchronize(stream)), "");
}

TEST_F(CudaDeviceTest, GrowsItsArenaBetweenCalls) {
  Program program = this->program();
  for (int64_t rows : {1, 1000, 0, 30000, 2}) {
    TensorView x = upload(std::vector<float>(rows * 4, 1.0f), {rows, 4});
    TensorView y = upload(std::vector<float>(rows * 4, 0.0f), {rows, 4});
    EXPECT_EQ(message(program.run({x, x}, {y}, stream)), "");
    EXPECT_EQ(download(y), std::vector<float>(rows * 4, 4.0f));
  }
}

TEST_F(CudaDeviceTest, RefusesBrokenCodeWithTheDriversLog) {
  std::string text = message(CudaModule::load(
      *device, ".version 8.0\n.target sm_80\n.address_size 64\nnonsense"));
  EXPECT_TRUE(StringRef(text).contains("ptxas")) << text;
}

TEST_F(CudaDeviceTest, RefusesMissingKernels) {
  auto module = cantFail(CudaModule::load(*device, addTwicePtx));
  std::string text = message(module->lookup("thrice", 0, 1));
  EXPECT_TRUE(StringRef(text).contains("'thrice'")) << text;
}

TEST_F(CudaDeviceTest, RefusesHostTensors) {
  Program program = this->program();
  std::vector<float> x(4);
  EXPECT_EQ(message(program.run({view(x, {1, 4}), view(x, {1, 4})},
                                {view(x, {1, 4})}, stream)),
            "expected 'x' to be on cuda:0, but got cpu; move it or compile for "
            "cpu");
}

TEST_F(CudaDeviceTest, SaysThatAForkedChildHasNoDriver) {
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::string text = message(CudaDevice::get());
    bool refused = StringRef(text).starts_with(
        "expected to use CUDA in the process that initialised it");
    _exit(refused && !message(device->synchronize(stream)).empty() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
