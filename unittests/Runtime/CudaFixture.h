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
