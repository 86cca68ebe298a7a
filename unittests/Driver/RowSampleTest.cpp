//===- RowSampleTest.cpp - Tests of samples of rows -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSample.h"
#include "gtest/gtest.h"

using namespace fuse::driver;
using namespace fuse::runtime;
using llvm::cantFail;

/// 0, 1, 2, ...
static Array count(llvm::ArrayRef<int64_t> shape) {
  Array array = cantFail(Array::create(DType::F32, shape));
  auto *data = static_cast<float *>(array.buffer->data());
  for (int64_t i = 0; i < array.numElements(); ++i)
    data[i] = i;
  return array;
}

static std::vector<float> values(const Array &array) {
  const auto *data = static_cast<const float *>(array.buffer->data());
  return std::vector<float>(data, data + array.numElements());
}

/// x: [rows, 2], w: [2] -> y: `output`.
static ProgramSpec spec(llvm::SmallVector<SizeExpr, 4> output) {
  ProgramSpec spec;
  spec.symbols = {"rows"};
  spec.inputs.resize(2);
  spec.inputs[0].shape = {SizeExpr::symbol(0), 2};
  spec.inputs[1].shape = {2};
  spec.outputs.resize(1);
  spec.outputs[0].shape = std::move(output);
  return spec;
}

static std::optional<RowSample> sample(const ProgramSpec &spec, int64_t rows,
                                       llvm::ArrayRef<int64_t> output,
                                       int64_t wanted) {
  std::vector<Array> inputs, outputs;
  inputs.push_back(count({rows, 2}));
  inputs.push_back(count({2}));
  outputs.push_back(count(output));
  return cantFail(sampleRows(spec, inputs, outputs, wanted));
}

TEST(RowSample, HasTheFirstAndTheLastRow) {
  auto found = sample(spec({SizeExpr::symbol(0)}), 7, {7}, 3);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->rows, 3);
  EXPECT_EQ(found->inputs[0].shape, Shape({3, 2}));
  EXPECT_EQ(values(found->inputs[0]), std::vector<float>({0, 1, 6, 7, 12, 13}));
  // A weight has no rows.
  EXPECT_EQ(values(found->inputs[1]), std::vector<float>({0, 1}));
  EXPECT_EQ(values(found->outputs[0]), std::vector<float>({0, 3, 6}));
}

TEST(RowSample, HasNoMoreRowsThanThereAre) {
  auto found = sample(spec({SizeExpr::symbol(0)}), 2, {2}, 64);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(values(found->outputs[0]), std::vector<float>({0, 1}));
  EXPECT_FALSE(sample(spec({SizeExpr::symbol(0)}), 0, {0}, 64).has_value());
}

TEST(RowSample, NeedsRows) {
  EXPECT_FALSE(sample(spec({2}), 7, {2}, 3).has_value());
  EXPECT_FALSE(sample(spec({2, SizeExpr::symbol(0)}), 7, {2, 7}, 3));
  SizeExpr symbol = SizeExpr::symbol(0);
  EXPECT_FALSE(sample(spec({symbol, symbol}), 7, {7, 7}, 3).has_value());
}
