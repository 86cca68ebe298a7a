//===- CudaFixture.h - Tests that need a CUDA device ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_RUNTIME_CUDAFIXTURE_H
#define FUSE_UNITTESTS_RUNTIME_CUDAFIXTURE_H

#include "fuse/Runtime/Buffer.h"
#include "fuse/Runtime/CudaDriver.h"
#include "fuse/Runtime/Tensor.h"
#include "gtest/gtest.h"

namespace fuse::runtime {

/// The kernels of addTwice(): add(x, r, out) and twice(in, out), one thread an
/// element, blocks of 1.
inline constexpr const char *addTwicePtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 px, .param .u64 pr, .param .u64 po) {
  .reg .b32 %r<2>; .reg .b64 %d<8>; .reg .f32 %f<3>;
  ld.param.u64 %d0, [px]; ld.param.u64 %d1, [pr]; ld.param.u64 %d2, [po];
  mov.u32 %r0, %ctaid.x; mul.wide.u32 %d3, %r0, 4;
  add.u64 %d4, %d0, %d3; add.u64 %d5, %d1, %d3; add.u64 %d6, %d2, %d3;
  ld.global.f32 %f0, [%d4]; ld.global.f32 %f1, [%d5];
  add.f32 %f2, %f0, %f1; st.global.f32 [%d6], %f2; ret;
}
.visible .entry twice(.param .u64 pi, .param .u64 po) {
  .reg .b32 %r<2>; .reg .b64 %d<8>; .reg .f32 %f<2>;
  ld.param.u64 %d0, [pi]; ld.param.u64 %d1, [po];
  mov.u32 %r0, %ctaid.x; mul.wide.u32 %d3, %r0, 4;
  add.u64 %d4, %d0, %d3; add.u64 %d5, %d1, %d3;
  ld.global.f32 %f0, [%d4]; add.f32 %f1, %f0, %f0;
  st.global.f32 [%d5], %f1; ret;
}
)";

/// A test on the first CUDA device and a stream of its own; skipped where there
/// is no device. `Base` is GoogleTest's.
template <typename Base> class CudaTest : public Base {
protected:
  void SetUp() override {
    llvm::Expected<CudaDevice &> found = CudaDevice::get();
    if (!found)
      GTEST_SKIP() << llvm::toString(found.takeError());
    device = &*found;
    stream = llvm::cantFail(device->createStream());
  }

  void TearDown() override {
    if (device)
      device->destroyStream(stream);
  }

  /// A contiguous f32 view of `buffer`.
  static TensorView deviceView(const DeviceBuffer &buffer, Shape shape) {
    TensorView result;
    result.data = buffer.data();
    result.shape = std::move(shape);
    result.device = Device::cuda();
    return result;
  }

  /// The elements of a contiguous f32 view, after all that is on the stream.
  std::vector<float> download(const TensorView &view) {
    std::vector<float> data(llvm::cantFail(numElements(view.shape)));
    llvm::cantFail(device->synchronize(stream));
    llvm::cantFail(device->copyToHost(data.data(), view.data,
                                      data.size() * sizeof(float)));
    return data;
  }

  CudaDevice *device = nullptr;
  Stream stream;
};

using CudaFixture = CudaTest<testing::Test>;
template <typename Param>
using CudaFixtureWithParam = CudaTest<testing::TestWithParam<Param>>;

} // namespace fuse::runtime

#endif // FUSE_UNITTESTS_RUNTIME_CUDAFIXTURE_H
