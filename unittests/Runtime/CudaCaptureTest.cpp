//===- CudaCaptureTest.cpp - What a recorded graph keeps alive ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/CudaCapture.h"
#include "CudaFixture.h"
#include "TestPrograms.h"
#include "fuse/Runtime/CudaGraph.h"
#include "fuse/Runtime/CudaModule.h"

using namespace fuse::runtime;
using llvm::cantFail;

namespace {
constexpr cuda::Result outOfMemory = 2;

/// A driver with one stream, which may be captured, and user objects with
/// counts.
struct FakeDriver {
  struct Object {
    void *data;
    cuda::HostFunction destroy;
    unsigned references;
  };
  static bool isCaptured;
  static cuda::Result creation, retention;
  static std::vector<Object *> ofGraph;

  static cuda::Result capture(cuda::StreamPointer, cuda::CaptureStatus *status,
                              uint64_t *, cuda::Graph *graph, void *,
                              size_t *) {
    *status = static_cast<cuda::CaptureStatus>(isCaptured);
    *graph = isCaptured ? reinterpret_cast<cuda::Graph>(8) : nullptr;
    return cuda::success;
  }
  static cuda::Result create(cuda::UserObject *object, void *data,
                             cuda::HostFunction destroy, unsigned references,
                             unsigned flags) {
    EXPECT_EQ(flags, cuda::NoDestructorSync);
    if (creation == cuda::success)
      *object = reinterpret_cast<cuda::UserObject>(
          new Object{data, destroy, references});
    return creation;
  }
  static cuda::Result release(cuda::UserObject object, unsigned references) {
    auto *given = reinterpret_cast<Object *>(object);
    given->references -= references;
    if (given->references == 0) {
      given->destroy(given->data);
      delete given;
    }
    return cuda::success;
  }
  static cuda::Result retain(cuda::Graph, cuda::UserObject object,
                             unsigned references, unsigned flags) {
    EXPECT_EQ(flags, cuda::MoveReferences);
    EXPECT_EQ(references, 1u);
    if (retention == cuda::success)
      ofGraph.push_back(reinterpret_cast<Object *>(object));
    return retention;
  }
  static void destroyGraph() {
    for (Object *object : std::exchange(ofGraph, {}))
      release(reinterpret_cast<cuda::UserObject>(object), 1);
  }

  static cuda::Result keep(const std::shared_ptr<void> &owner) {
    cuda::Api api;
    api.streamGetCapture = capture;
    api.userObjectCreate = create;
    api.userObjectRelease = release;
    api.graphRetainUserObject = retain;
    return keepForCapture(api, owner, {});
  }
};
bool FakeDriver::isCaptured = false;
cuda::Result FakeDriver::creation = cuda::success;
cuda::Result FakeDriver::retention = cuda::success;
std::vector<FakeDriver::Object *> FakeDriver::ofGraph;

class CudaCapture : public testing::Test {
protected:
  void SetUp() override {
    FakeDriver::isCaptured = true;
    FakeDriver::creation = FakeDriver::retention = cuda::success;
  }

  std::shared_ptr<int> owner = std::make_shared<int>();
  std::weak_ptr<int> watched = owner;
};
} // namespace

TEST_F(CudaCapture, KeepsNothingOutsideOfOne) {
  FakeDriver::isCaptured = false;
  EXPECT_EQ(FakeDriver::keep(owner), cuda::success);
  EXPECT_EQ(watched.use_count(), 1);
}

TEST_F(CudaCapture, KeepsTheOwnerUntilTheNextCallAfterTheGraph) {
  EXPECT_EQ(FakeDriver::keep(owner), cuda::success);
  EXPECT_EQ(FakeDriver::keep(owner), cuda::success);
  owner.reset();
  dropFinishedCaptures();
  EXPECT_EQ(watched.use_count(), 2);
  // The driver's thread must not destroy what calls the driver.
  FakeDriver::destroyGraph();
  EXPECT_EQ(watched.use_count(), 2);
  // Nor does a call that is recorded itself.
  EXPECT_EQ(FakeDriver::keep(std::make_shared<int>()), cuda::success);
  EXPECT_EQ(watched.use_count(), 2);
  FakeDriver::isCaptured = false;
  EXPECT_EQ(FakeDriver::keep(nullptr), cuda::success);
  EXPECT_TRUE(watched.expired());
  FakeDriver::destroyGraph();
  dropFinishedCaptures();
}

TEST_F(CudaCapture, LosesNothingIfTheDriverRefuses) {
  FakeDriver::creation = outOfMemory;
  EXPECT_EQ(FakeDriver::keep(owner), outOfMemory);
  EXPECT_EQ(watched.use_count(), 1);
  FakeDriver::creation = cuda::success;
  FakeDriver::retention = outOfMemory;
  EXPECT_EQ(FakeDriver::keep(owner), outOfMemory);
  dropFinishedCaptures();
  EXPECT_EQ(watched.use_count(), 1);
}

namespace {
using CudaCaptureOnDevice = CudaFixture;
}

TEST_F(CudaCaptureOnDevice, GraphOutlivesItsProgram) {
  constexpr int64_t bytes = 400 * sizeof(float);
  auto memory = [&] { return cantFail(DeviceBuffer::create(*device, bytes)); };
  auto in = memory(), out = memory();
  TensorView x = deviceView(*in, {100, 4}), y = deviceView(*out, {100, 4});
  std::vector<float> ones(400, 1.0f);
  cantFail(device->copyToDevice(x.data, ones.data(), bytes));
  std::optional<Program> program = cantFail(Program::create(
      addTwice(), cantFail(CudaModule::load(*device, addTwicePtx))));
  CudaGraph graph = cantFail(CudaGraph::capture(
      *device, stream, [&] { return program->run({x, x}, {y}, stream); }));
  program.reset();
  // Whatever was freed is somebody else's now.
  std::vector<std::unique_ptr<DeviceBuffer>> others;
  for (int i = 0; i < 64; ++i) {
    others.push_back(memory());
    cantFail(device->setBytes(others.back()->data(), 0xff, bytes, stream));
  }
  EXPECT_EQ(message(graph.launch(stream)), "");
  EXPECT_EQ(download(y), std::vector<float>(400, 4.0f));
  for (auto &other : others) {
    std::vector<uint8_t> seen(bytes);
    cantFail(device->copyToHost(seen.data(), other->data(), bytes));
    EXPECT_EQ(seen, std::vector<uint8_t>(bytes, 0xff));
  }
}
