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

static TensorView strided(Shape shape, Shape strides) {
  TensorView view;
  view.shape = std::move(shape);
  view.strides = std::move(strides);
  return view;
}

TEST(Tensor, LayoutIsTheMostSpecial) {
  EXPECT_EQ(strided({2, 3}, {3, 1}).layout(), Layout::Dense);
  EXPECT_EQ(strided({2, 3}, {8, 1}).layout(), Layout::AlignedRows);
  EXPECT_EQ(strided({2, 3}, {0, 1}).layout(), Layout::AlignedRows);
  EXPECT_EQ(strided({2, 3}, {5, 1}).layout(), Layout::Rows);
  EXPECT_EQ(strided({2, 2, 3}, {8, 5, 1}).layout(), Layout::Rows);
  EXPECT_EQ(strided({2, 3}, {1, 2}).layout(), Layout::Any);
  EXPECT_EQ(strided({2, 3}, {8, 0}).layout(), Layout::Any);
  // The elements of a column lie apart, whatever its unit stride says.
  EXPECT_EQ(strided({2, 1}, {8, 1}).layout(), Layout::Any);
  EXPECT_EQ(strided({1, 1}, {8, 7}).layout(), Layout::Dense);
  EXPECT_EQ(strided({0, 3}, {8, 7}).layout(), Layout::Dense);
  TensorView halves = strided({2, 3}, {12, 1});
  EXPECT_EQ(halves.layout(), Layout::AlignedRows);
  halves.dtype = DType::F16;
  EXPECT_EQ(halves.layout(), Layout::Rows);
}

TEST(Tensor, KernelsReadWhatFits) {
  TensorView dense = strided({2, 3}, {}), aligned = strided({2, 3}, {8, 1}),
             rows = strided({2, 3}, {5, 1}), any = strided({2, 3}, {1, 2});
  EXPECT_TRUE(dense.fits(Layout::Dense));
  EXPECT_TRUE(dense.fits(Layout::Rows));
  // Dense rows of 12 bytes.
  EXPECT_FALSE(dense.fits(Layout::AlignedRows));
  EXPECT_FALSE(aligned.fits(Layout::Dense));
  EXPECT_TRUE(aligned.fits(Layout::AlignedRows));
  EXPECT_TRUE(aligned.fits(Layout::Rows));
  EXPECT_FALSE(rows.fits(Layout::AlignedRows));
  EXPECT_FALSE(any.fits(Layout::Rows));
  for (const TensorView &view : {dense, aligned, rows, any})
    EXPECT_TRUE(view.fits(Layout::Any));
  EXPECT_TRUE(strided({}, {}).fits(Layout::AlignedRows));
}

TEST(Tensor, EffectiveStridesJoinUnitDims) {
  EXPECT_EQ(strided({2, 3}, {}).effectiveStrides(), (Shape{3, 1}));
  EXPECT_EQ(strided({2, 3}, {7, 2}).effectiveStrides(), (Shape{7, 2}));
  // Of the dim before; where there is none, as if contiguous.
  EXPECT_EQ(strided({2, 1, 3}, {7, 99, 2}).effectiveStrides(),
            (Shape{7, 7, 2}));
  EXPECT_EQ(strided({1, 2, 1}, {99, 7, 99}).effectiveStrides(),
            (Shape{14, 7, 7}));
  EXPECT_EQ(strided({1, 1}, {5, 9}).effectiveStrides(), (Shape{1, 1}));
  EXPECT_EQ(strided({4, 0, 3}, {5, 9, 2}).effectiveStrides(), (Shape{0, 3, 1}));
}

TEST(Tensor, SpanCountsGaps) {
  auto span = [](Shape shape, Shape strides) {
    return cantFail(strided(std::move(shape), std::move(strides)).span());
  };
  EXPECT_EQ(span({2, 3}, {}), 6);
  EXPECT_EQ(span({2, 3}, {8, 1}), 11);
  EXPECT_EQ(span({2, 3}, {0, 1}), 3);
  EXPECT_EQ(span({0, 3}, {8, 1}), 0);
  EXPECT_EQ(span({1, 3}, {-5, 1}), 3);
  EXPECT_EQ(message(strided({2, 3}, {-3, 1}).span()),
            "expected strides of 0 or more, but got [-3, 1]; make a contiguous "
            "copy");
  EXPECT_EQ(message(strided({2, 3}, {1}).span()),
            "expected a stride for each of 2 dims, but got 1; pass as many "
            "strides as dims, or none");
  for (int64_t stride : {INT64_MAX, INT64_MAX / 4})
    EXPECT_NE(message(strided({5, 2}, {stride, 1}).span())
                  .find("expected a tensor that spans fewer than 2^63 bytes"),
              std::string::npos);
}

TEST(HostBuffer, IsAligned) {
  for (int64_t bytes : {0, 1, 63, 64, 65}) {
    auto buffer = cantFail(HostBuffer::create(bytes));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % 64, 0u);
    EXPECT_EQ(buffer->size(), bytes);
  }
  EXPECT_NE(message(HostBuffer::create(-1)), "");
}
