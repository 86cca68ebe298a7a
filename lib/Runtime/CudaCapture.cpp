//===- CudaCapture.cpp - What a recorded graph keeps alive ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/CudaCapture.h"
#include <atomic>
#include <mutex>
#include <vector>

using namespace fuse::runtime;

using Owner = std::shared_ptr<void>;

namespace {
/// Owners whose graphs are gone.
class FinishedCaptures {
public:
  static FinishedCaptures &get() {
    // Leaked on purpose: the driver may destroy graphs at exit.
    static auto *instance = new FinishedCaptures;
    return *instance;
  }

  void add(std::unique_ptr<Owner> owner) {
    std::lock_guard<std::mutex> guard(mutex);
    owners.push_back(std::move(owner));
    isEmpty.store(false, std::memory_order_release);
  }

  /// Its destructors run without the lock, since the driver may hold one of its
  /// own when it calls add().
  std::vector<std::unique_ptr<Owner>> take() {
    if (isEmpty.load(std::memory_order_acquire))
      return {};
    std::lock_guard<std::mutex> guard(mutex);
    isEmpty.store(true, std::memory_order_release);
    return std::exchange(owners, {});
  }

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<Owner>> owners;
  std::atomic<bool> isEmpty{true};
};
} // namespace

/// What the driver calls when it destroys a user object.
static void finish(void *owner) {
  FinishedCaptures::get().add(
      std::unique_ptr<Owner>(static_cast<Owner *>(owner)));
}

void fuse::runtime::dropFinishedCaptures() { FinishedCaptures::get().take(); }

cuda::Result fuse::runtime::keepForCapture(const cuda::Api &api,
                                           const Owner &owner, Stream stream) {
  cuda::CaptureStatus status = cuda::NotCapturing;
  cuda::Graph graph = nullptr;
  cuda::Result result = api.streamGetCapture(
      static_cast<cuda::StreamPointer>(stream.handle), &status,
      /*id=*/nullptr, &graph, nullptr, nullptr);
  if (result != cuda::success)
    return result;
  if (status == cuda::NotCapturing) {
    dropFinishedCaptures();
    return cuda::success;
  }
  // A capture that was invalidated has no graph, and no launch in it succeeds.
  if (!graph)
    return cuda::success;
  auto share = std::make_unique<Owner>(owner);
  cuda::UserObject object = nullptr;
  result = api.userObjectCreate(&object, share.get(), finish,
                                /*references=*/1, cuda::NoDestructorSync);
  if (result != cuda::success)
    return result;
  // From here on it is the user object's.
  share.release();
  result = api.graphRetainUserObject(graph, object, /*references=*/1,
                                     cuda::MoveReferences);
  if (result != cuda::success)
    api.userObjectRelease(object, 1);
  return result;
}
