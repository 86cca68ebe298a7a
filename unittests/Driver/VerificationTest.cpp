//===- VerificationTest.cpp - Tests of the driver's --verify --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Verification.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace fuse::driver;
using fuse::runtime::DType;

static Array array(std::vector<float> values) {
  return llvm::cantFail(Array::fromBytes(
      DType::F32, {int64_t(values.size())},
      {reinterpret_cast<const char *>(values.data()), values.size() * 4}));
}

static bool verifies(std::vector<float> output) {
  std::vector<Array> inputs, outputs;
  inputs.push_back(array({1, 2, 3}));
  outputs.push_back(array(std::move(output)));
  auto reports = llvm::cantFail(verify(R"(
    func.func @twice(%x: tensor<?xf32>) -> tensor<?xf32> {
      %y = fuse.add %x, %x : tensor<?xf32>
      return %y : tensor<?xf32>
    })",
                                       "a.mlir", "", inputs, outputs));
  return reports.size() == 1 && reports[0].ok();
}

TEST(Verification, TellsRightFromWrong) {
  EXPECT_TRUE(verifies({2, 4, 6}));
  EXPECT_FALSE(verifies({2, 4, 6.001f}));
  EXPECT_FALSE(verifies({2, std::nanf(""), 6}));
}
