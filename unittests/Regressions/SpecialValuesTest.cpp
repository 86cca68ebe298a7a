//===- SpecialValuesTest.cpp - NaN, infinities and limits at every lane ---===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A NaN that a minimum loses (pytorch#100572), that a guard of masked rows
// erases (intel/torch-xpu-ops#5022), or that only some lanes lose (tvm#12274):
// each row of the input has one special value, at another lane.
//
//===----------------------------------------------------------------------===//

#include "GuardedRun.h"
#include "fuse/Reference/Value.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace fuse::testing;
using fuse::driver::Array;
using fuse::runtime::DType;

namespace {

struct Case {
  const char *name;
  /// x is [rows, columns] of TYPE.
  const char *text;
  /// Whether a row of x is one of the program's lines, or a column is.
  bool alongRows = true;
};

const Case cases[] = {
    {"pointwise", R"(
      func.func @f(%x: tensor<?x?xTYPE>) -> (tensor<?x?xTYPE>, tensor<?x?xTYPE>,
          tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xi1>,
          tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi32>) {
        %c = fuse.constant dense<0.5> : tensor<TYPE>
        %a = fuse.max %x, %c : tensor<?x?xTYPE>, tensor<TYPE> -> tensor<?x?xTYPE>
        %b = fuse.min %x, %c : tensor<?x?xTYPE>, tensor<TYPE> -> tensor<?x?xTYPE>
        %d = fuse.relu %x : tensor<?x?xTYPE>
        %e = fuse.sign %x : tensor<?x?xTYPE>
        %f = fuse.sigmoid %x : tensor<?x?xTYPE>
        %g = fuse.compare ne %x, %c : tensor<?x?xTYPE>, tensor<TYPE> -> tensor<?x?xi1>
        %h = fuse.compare ge %x, %x : tensor<?x?xTYPE>, tensor<?x?xTYPE> -> tensor<?x?xi1>
        %i = fuse.compare lt %x, %c : tensor<?x?xTYPE>, tensor<TYPE> -> tensor<?x?xi1>
        %j = fuse.iota dim = 1 from_end like %x : tensor<?x?xTYPE> -> tensor<?x?xi32>
        return %a, %b, %d, %e, %f, %g, %h, %i, %j : tensor<?x?xTYPE>,
          tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>, tensor<?x?xTYPE>,
          tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi1>, tensor<?x?xi32>
      })"},
    {"reduce_rows", R"(
      func.func @f(%x: tensor<?x?xTYPE>) -> (tensor<?x1xTYPE>, tensor<?x1xTYPE>,
          tensor<?x1xTYPE>, tensor<?x1xTYPE>) {
        %a = fuse.reduce max %x dims = [1] keep : tensor<?x?xTYPE> -> tensor<?x1xTYPE>
        %b = fuse.reduce min %x dims = [1] keep : tensor<?x?xTYPE> -> tensor<?x1xTYPE>
        %c = fuse.reduce sum %x dims = [1] keep : tensor<?x?xTYPE> -> tensor<?x1xTYPE>
        %d = fuse.reduce mean %x dims = [1] keep : tensor<?x?xTYPE> -> tensor<?x1xTYPE>
        return %a, %b, %c, %d : tensor<?x1xTYPE>, tensor<?x1xTYPE>,
          tensor<?x1xTYPE>, tensor<?x1xTYPE>
      })"},
    {"reduce_columns", R"(
      func.func @f(%x: tensor<?x?xTYPE>) -> (tensor<1x?xTYPE>, tensor<1x?xTYPE>,
          tensor<1x?xTYPE>) {
        %a = fuse.reduce max %x dims = [0] keep : tensor<?x?xTYPE> -> tensor<1x?xTYPE>
        %b = fuse.reduce min %x dims = [0] keep : tensor<?x?xTYPE> -> tensor<1x?xTYPE>
        %c = fuse.reduce sum %x dims = [0] keep : tensor<?x?xTYPE> -> tensor<1x?xTYPE>
        return %a, %b, %c : tensor<1x?xTYPE>, tensor<1x?xTYPE>, tensor<1x?xTYPE>
      })",
     false},
    {"softmax", R"(
      func.func @f(%x: tensor<?x?xTYPE>) -> tensor<?x?xTYPE> {
        %y = fuse.softmax %x dims = [1] : tensor<?x?xTYPE>
        return %y : tensor<?x?xTYPE>
      })"},
    {"log_softmax", R"(
      func.func @f(%x: tensor<?x?xTYPE>) -> tensor<?x?xTYPE> {
        %y = fuse.log_softmax %x dims = [1] : tensor<?x?xTYPE>
        return %y : tensor<?x?xTYPE>
      })"},
    {"logsumexp", R"(
      func.func @f(%x: tensor<?x?xTYPE>) -> tensor<?xTYPE> {
        %y = fuse.logsumexp %x dims = [1] : tensor<?x?xTYPE> -> tensor<?xTYPE>
        return %y : tensor<?xTYPE>
      })"},
    {"exponentials", R"(
      func.func @f(%x: tensor<?x?xTYPE>) -> tensor<?x1xTYPE> {
        %m = fuse.reduce max %x dims = [1] keep : tensor<?x?xTYPE> -> tensor<?x1xTYPE>
        %d = fuse.sub %x, %m : tensor<?x?xTYPE>, tensor<?x1xTYPE> -> tensor<?x?xTYPE>
        %e = fuse.exp %d : tensor<?x?xTYPE>
        %s = fuse.reduce sum %e dims = [1] keep : tensor<?x?xTYPE> -> tensor<?x1xTYPE>
        return %s : tensor<?x1xTYPE>
      })"},
    {"rms_norm", R"(
      func.func @f(%x: tensor<?x?xTYPE>) -> tensor<?x?xTYPE> {
        %y = fuse.rms_norm %x eps = 1.0e-5 : tensor<?x?xTYPE>
        return %y : tensor<?x?xTYPE>
      })"},
    {"layer_norm", R"(
      func.func @f(%x: tensor<?x?xTYPE>) -> tensor<?x?xTYPE> {
        %y = fuse.layer_norm %x eps = 1.0e-5 : tensor<?x?xTYPE>
        return %y : tensor<?x?xTYPE>
      })"},
    {"matmul", R"(
      func.func @f(%x: tensor<?x?xTYPE>) -> tensor<?x?xTYPE> {
        %y = fuse.matmul %x, %x transpose_rhs
            : tensor<?x?xTYPE>, tensor<?x?xTYPE> -> tensor<?x?xTYPE>
        return %y : tensor<?x?xTYPE>
      })"},
};

std::vector<double> specialValues(DType dtype) {
  double inf = std::numeric_limits<double>::infinity();
  double largest = dtype == DType::F16 ? 65504.0
                   : dtype == DType::BF16
                       ? 0x1.fep127
                       : double(std::numeric_limits<float>::max());
  double denormal = dtype == DType::F16    ? 0x1p-24
                    : dtype == DType::BF16 ? 0x1p-133
                                           : 0x1p-149;
  return {std::nan(""), inf,       -inf,    0.0,     -0.0,
          denormal,     -denormal, largest, -largest};
}

/// The lanes of a line of `length`: all of a short one, those next to edges of
/// vectors and threads of a long one.
std::vector<int64_t> lanes(int64_t length) {
  std::vector<int64_t> result;
  for (int64_t lane = 0; lane < length; ++lane)
    if (length <= 70 || lane < 2 || lane >= length - 2 || lane % 512 == 511)
      result.push_back(lane);
  return result;
}

/// A line for each lane and value, and one line that is that value alone.
Array makeInput(DType dtype, int64_t length, bool alongRows, double value) {
  std::vector<int64_t> positions = lanes(length);
  int64_t lines = positions.size() + 1;
  Array array = randomArray(dtype,
                            alongRows ? fuse::runtime::Shape{lines, length}
                                      : fuse::runtime::Shape{length, lines},
                            1);
  auto set = [&](int64_t line, int64_t lane) {
    setElement(array, alongRows ? line * length + lane : lane * lines + line,
               value);
  };
  for (size_t line = 0; line < positions.size(); ++line)
    set(line, positions[line]);
  for (int64_t lane = 0; lane < length; ++lane)
    set(lines - 1, lane);
  return array;
}

using Parameters = std::tuple<size_t, DType>;
class SpecialValues : public ::testing::TestWithParam<Parameters> {};

TEST_P(SpecialValues, AtEveryLane) {
  auto [index, dtype] = GetParam();
  const Case &tested = cases[index];
  GuardedProgram program(withType(tested.text, dtype));
  bool isProduct = llvm::StringRef(tested.name) == "matmul";
  // Whole vectors, a tail, and a row in many vectors.
  for (int64_t length : {64, 33, 4097}) {
    if (isProduct && length > 64)
      continue;
    for (double value : specialValues(dtype)) {
      std::vector<Array> inputs;
      inputs.push_back(makeInput(dtype, length, tested.alongRows, value));
      EXPECT_EQ(program.check(inputs), "")
          << value << " in lines of " << length;
    }
  }
  EXPECT_GT(program.boundedElements(), 0);
}

std::string nameOf(const ::testing::TestParamInfo<Parameters> &info) {
  return std::string(cases[std::get<0>(info.param)].name) + "_" +
         name(std::get<1>(info.param)).str();
}

INSTANTIATE_TEST_SUITE_P(
    All, SpecialValues,
    ::testing::Combine(::testing::Range(size_t(0), std::size(cases)),
                       ::testing::Values(DType::F32, DType::F16, DType::BF16)),
    nameOf);

} // namespace
