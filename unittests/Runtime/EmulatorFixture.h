//===- EmulatorFixture.h - Kernels for the emulator's tests -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels as C++ functions, which call the shims that compiled code would.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_RUNTIME_EMULATORFIXTURE_H
#define FUSE_UNITTESTS_RUNTIME_EMULATORFIXTURE_H

#include "EmulatorTensorMap.h"
#include "fuse/Runtime/EmulatorModule.h"
#include "gtest/gtest.h"
#include <string>
#include <vector>

namespace fuse::runtime {

/// The shim of an intrinsic, as a function of the type that code calls it with.
template <typename Function> Function *shim(llvm::StringRef name) {
  for (const EmulatorShim &each : emulatorShims())
    if (each.name == name)
      return reinterpret_cast<Function *>(each.address);
  return nullptr;
}

inline constexpr EmulatorSite site = {"kernel.mlir", 3, 7};
inline constexpr EmulatorSite otherSite = {"kernel.mlir", 5, 1};

inline int thread() { return shim<int()>("llvm.nvvm.read.ptx.sreg.tid.x")(); }
inline int block() { return shim<int()>("llvm.nvvm.read.ptx.sreg.ctaid.x")(); }

using AccessShim = void *(uint64_t, int64_t, int64_t, const EmulatorSite *);

template <typename T> T load(uint64_t array, int64_t index) {
  return *static_cast<T *>(shim<AccessShim>("fuse.load")(
      array + index * sizeof(T), sizeof(T), sizeof(T), &site));
}
template <typename T> void store(uint64_t array, int64_t index, T value) {
  *static_cast<T *>(shim<AccessShim>("fuse.store")(
      array + index * sizeof(T), sizeof(T), sizeof(T), &site)) = value;
}
inline uint64_t argument(void **params, unsigned index) {
  return *static_cast<uint64_t *>(params[index]);
}

inline void barrier(const EmulatorSite &at = site) {
  shim<void(int, const EmulatorSite *)>(
      "llvm.nvvm.barrier.cta.sync.aligned.all")(0, &at);
}
inline void warpSync(uint32_t mask) {
  shim<void(uint32_t, const EmulatorSite *)>("llvm.nvvm.bar.warp.sync")(mask,
                                                                        &site);
}

inline EmulatorGlobal sharedArray = {"slots", nullptr, 64 * sizeof(float), 16};
inline uint64_t shared() {
  return shim<uint64_t(const EmulatorGlobal *)>("fuse.global")(&sharedArray);
}

/// Runs kernels, each launch with a module of its own.
class EmulatorFixture : public testing::Test {
protected:
  /// Runs `kernel` on the input {0, 1, 2, ...}, one result of floats, the
  /// counters, and tensor maps of input and result as rows of 32, of which a
  /// box is two. The error's text, or "".
  std::string run(EmulatorKernel kernel, unsigned threads = 64,
                  int64_t grid = 1, size_t results = 64, bool inPlace = false,
                  uint64_t seed = 0) {
    input.resize(results);
    for (size_t i = 0; i < input.size(); ++i)
      input[i] = float(i);
    output.assign(results, -1);
    void *pointers[] = {input.data(), inPlace ? input.data() : output.data()};
    void *counter = counters;
    TensorMap maps[] = {mapOf(pointers[0], results),
                        mapOf(pointers[1], results)};
    void *params[] = {&pointers[0], &pointers[1], &counter, &maps[0], &maps[1]};
    LaunchOperand operands[] = {
        {"x", int64_t(input.size() * sizeof(float)), false, false},
        {"y", int64_t(output.size() * sizeof(float)), true, false},
        {"arrivals", sizeof(counters)}};
    operands[1].elementBytes = sizeof(float);
    operands[1].steps = resultSteps;
    operands[2].isCounter = true;
    Launch launch;
    launch.name = "kernel";
    launch.kernel = reinterpret_cast<KernelHandle>(kernel);
    launch.grid = grid;
    launch.threads = threads;
    launch.cluster = cluster;
    launch.cooperative = cooperative;
    launch.params = params;
    launch.numParams = 5;
    launch.sharedBytes = sharedBytes;
    launch.operands = operands;
    launch.waits = waits;
    EmulatorModule module(llvm::StringMap<EmulatorKernel>(), {seed});
    return llvm::toString(module.launch(launch, {}));
  }

  static TensorMap mapOf(void *data, size_t count) {
    if (count < 32)
      return {};
    TensorMapShape shape;
    shape.rank = 2;
    shape.elementBytes = sizeof(float);
    shape.sizes = {32, count / 32};
    shape.strides = {0, 32 * sizeof(float)};
    shape.box = {32, 2};
    return llvm::cantFail(
               EmulatorTensorMap::make(data, shape, TensorSwizzle::Bytes128))
        .asArgument();
  }

  std::vector<float> input, output;
  /// Whether the kernel says that it waits for earlier launches.
  bool waits = false;
  /// Blocks a cluster.
  unsigned cluster = 1;
  bool cooperative = false;
  /// Of a result that is a view.
  llvm::SmallVector<std::pair<int64_t, int64_t>, 0> resultSteps;
  /// Of the dynamic shared memory.
  unsigned sharedBytes = 0;
  /// Kept from launch to launch.
  uint32_t counters[2] = {};
};

} // namespace fuse::runtime

#endif // FUSE_UNITTESTS_RUNTIME_EMULATORFIXTURE_H
