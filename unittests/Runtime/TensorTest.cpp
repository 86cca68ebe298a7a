//===- TensorTest.cpp -----------------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/Tensor.h"
#include "TestPrograms.h"
#include "fuse/Runtime/Buffer.h"
#include "gtest/gtest.h"

using namespace fuse::runtime;
using llvm::cantFail;

TEST(DType, NamesRoundTrip) {
  for (DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F64,
                      DType::I1, DType::I32, DType::I64})
    EXPECT_EQ(parseDType(name(dtype)), dtype);
  EXPECT_EQ(parseDType("f8"), std::nullopt);
  EXPECT_EQ(sizeInBytes(DType::I1), 1);
  EXPECT_EQ(sizeInBytes(DType::BF16), 2);
}

TEST(Tensor, ByteSizeRefusesOverflow) {
  EXPECT_EQ(cantFail(byteSize({2, 3}, DType::F32)), 24);
  EXPECT_EQ(cantFail(byteSize({}, DType::F64)), 8);
  const int64_t big = int64_t(1) << 32;
  EXPECT_EQ(message(byteSize({big, big}, DType::I1)),
            "expected a shape of fewer than 2^63 elements, but got "
            "[4294967296, 4294967296]; split the tensor");
  EXPECT_EQ(message(byteSize({big, big / 4}, DType::F64)),
            "expected a tensor of fewer than 2^63 bytes, but got shape "
            "[4294967296, 1073741824] of f64; split the tensor");
}

TEST(Tensor, EmptyEvenIfTheOtherDimsOverflow) {
  const int64_t big = int64_t(1) << 62;
  EXPECT_EQ(cantFail(numElements({big, big, 0})), 0);
}

TEST(Tensor, RefusesNegativeDims) {
  EXPECT_NE(message(numElements({2, -1})), "");
}

static bool contiguous(Shape shape, Shape strides) {
  TensorView view;
  view.shape = std::move(shape);
  view.strides = std::move(strides);
  return view.isContiguous();
}

TEST(Tensor, Contiguity) {
  EXPECT_TRUE(contiguous({2, 3}, {}));
  EXPECT_TRUE(contiguous({2, 3}, {3, 1}));
  EXPECT_TRUE(contiguous({2, 1, 3}, {3, 99, 1}));
  EXPECT_TRUE(contiguous({0, 3}, {7, 7}));
  EXPECT_FALSE(contiguous({2, 3}, {1, 2}));
  EXPECT_FALSE(contiguous({2, 3}, {4, 1}));
  EXPECT_FALSE(contiguous({2, 3}, {1}));
}

TEST(HostBuffer, IsAligned) {
  for (int64_t bytes : {0, 1, 63, 64, 65}) {
    auto buffer = cantFail(HostBuffer::create(bytes));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
    EXPECT_EQ(buffer->size(), bytes);
  }
  EXPECT_NE(message(HostBuffer::create(-1)), "");
}
