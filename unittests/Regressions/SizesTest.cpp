//===- SizesTest.cpp - Sizes at the edges of vectors, warps and blocks ----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tails that are dropped (flashinfer#3879, tilelang#2957) and vector accesses
// to what is not aligned (tvm#8540, tilelang#2526).
//
//===----------------------------------------------------------------------===//

#include "GuardedRun.h"
#include "gtest/gtest.h"

using namespace fuse::testing;
using fuse::driver::Array;
using fuse::runtime::DType;
using fuse::runtime::Shape;

namespace {

const int64_t sizes[] = {0,   1,   2,    31,   32,   33,   127,
                         128, 129, 1023, 1024, 1025, 4097, 8193};

struct Case {
  const char *name;
  const char *text;
  /// The shapes of the inputs for one of `sizes`.
  std::vector<Shape> (*shapes)(int64_t);
};

const Case cases[] = {
    {"flat", R"(
      func.func @f(%x: tensor<?xTYPE>, %y: tensor<?xTYPE>) -> tensor<?xTYPE> {
        %a = fuse.mul %x, %y : tensor<?xTYPE>
        %b = fuse.gelu tanh %a : tensor<?xTYPE>
        return %b : tensor<?xTYPE>
      })",
     [](int64_t n) { return std::vector<Shape>{{n}, {n}}; }},
    {"many_rows", R"(
      func.func @f(%x: tensor<?x5xTYPE>, %y: tensor<5xTYPE>) -> tensor<?x5xTYPE> {
        %a = fuse.add %x, %y : tensor<?x5xTYPE>, tensor<5xTYPE> -> tensor<?x5xTYPE>
        %b = fuse.softmax %a dims = [1] : tensor<?x5xTYPE>
        return %b : tensor<?x5xTYPE>
      })",
     [](int64_t n) { return std::vector<Shape>{{n, 5}, {5}}; }},
    {"long_rows", R"(
      func.func @f(%x: tensor<3x?xTYPE>, %w: tensor<?xTYPE>)
          -> (tensor<3x?xTYPE>, tensor<3x1xTYPE>) {
        %a = fuse.softmax %x dims = [1] : tensor<3x?xTYPE>
        %b = fuse.mul %a, %w : tensor<3x?xTYPE>, tensor<?xTYPE> -> tensor<3x?xTYPE>
        %c = fuse.reduce max %x dims = [1] keep : tensor<3x?xTYPE> -> tensor<3x1xTYPE>
        return %b, %c : tensor<3x?xTYPE>, tensor<3x1xTYPE>
      })",
     [](int64_t n) { return std::vector<Shape>{{3, n}, {n}}; }},
    {"columns", R"(
      func.func @f(%x: tensor<?x7xTYPE>) -> (tensor<7xTYPE>, tensor<7xTYPE>) {
        %a = fuse.reduce sum %x dims = [0] : tensor<?x7xTYPE> -> tensor<7xTYPE>
        %b = fuse.reduce max %x dims = [0] : tensor<?x7xTYPE> -> tensor<7xTYPE>
        return %a, %b : tensor<7xTYPE>, tensor<7xTYPE>
      })",
     [](int64_t n) { return std::vector<Shape>{{n, 7}}; }},
    {"to_a_scalar", R"(
      func.func @f(%x: tensor<2x?xTYPE>) -> tensor<TYPE> {
        %a = fuse.reduce mean %x dims = [0, 1] : tensor<2x?xTYPE> -> tensor<TYPE>
        return %a : tensor<TYPE>
      })",
     [](int64_t n) { return std::vector<Shape>{{2, n}}; }},
    {"deep_product", R"(
      func.func @f(%x: tensor<3x?xTYPE>, %y: tensor<?x5xTYPE>) -> tensor<3x5xTYPE> {
        %a = fuse.matmul %x, %y : tensor<3x?xTYPE>, tensor<?x5xTYPE> -> tensor<3x5xTYPE>
        return %a : tensor<3x5xTYPE>
      })",
     [](int64_t n) { return std::vector<Shape>{{3, n}, {n, 5}}; }},
    {"wide_product", R"(
      func.func @f(%x: tensor<?x3xTYPE>, %y: tensor<?x3xTYPE>) -> tensor<?x?xTYPE> {
        %a = fuse.matmul %x, %y transpose_rhs
            : tensor<?x3xTYPE>, tensor<?x3xTYPE> -> tensor<?x?xTYPE>
        return %a : tensor<?x?xTYPE>
      })",
     [](int64_t n) { return std::vector<Shape>{{2, 3}, {n, 3}}; }},
};

using Parameters = std::tuple<size_t, DType>;
class Sizes : public ::testing::TestWithParam<Parameters> {
protected:
  void run(int64_t offset) {
    auto [index, dtype] = GetParam();
    const Case &tested = cases[index];
    GuardedProgram program(withType(tested.text, dtype), offset);
    for (int64_t size : sizes) {
      std::vector<Array> inputs;
      for (const Shape &shape : tested.shapes(size))
        inputs.push_back(randomArray(dtype, shape, inputs.size()));
      EXPECT_EQ(program.check(inputs), "") << "size " << size;
    }
    EXPECT_GT(program.boundedElements(), 0);
  }
};

TEST_P(Sizes, AlignedArrays) { run(0); }

/// One element past a multiple of 64 bytes, as a view of a larger array.
TEST_P(Sizes, MisalignedViews) { run(sizeInBytes(std::get<1>(GetParam()))); }

std::string nameOf(const ::testing::TestParamInfo<Parameters> &info) {
  return std::string(cases[std::get<0>(info.param)].name) + "_" +
         name(std::get<1>(info.param)).str();
}

INSTANTIATE_TEST_SUITE_P(
    All, Sizes,
    ::testing::Combine(::testing::Range(size_t(0), std::size(cases)),
                       ::testing::Values(DType::F32, DType::F16, DType::BF16)),
    nameOf);

} // namespace
