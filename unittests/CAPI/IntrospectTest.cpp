//===- IntrospectTest.cpp - What the C API says of a program --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPITesting.h"

using namespace fuse::capi::testing;

namespace {

constexpr const char *pairs = R"(
func.func @pairs(%x: tensor<?x4xf16> {fuse.dims = ["rows"]},
                 %s: tensor<i64> {fuse.scalar})
    -> (tensor<?x4xf16> {fuse.in_place = "x"}, tensor<?xf32>, tensor<?xf16>) {
  %c = fuse.cast %x : tensor<?x4xf16> -> tensor<?x4xf32>
  %t = fuse.cast %s : tensor<i64> -> tensor<f32>
  %d = fuse.mul %c, %t : tensor<?x4xf32>, tensor<f32>
  %m = fuse.reduce max %d dims = [1] : tensor<?x4xf32> -> tensor<?xf32>
  %y = fuse.add %x, %x : tensor<?x4xf16>
  %z = tensor.collapse_shape %y [[0, 1]] : tensor<?x4xf16> into tensor<?xf16>
  %n = fuse.neg %z : tensor<?xf16>
  return %y, %m, %n : tensor<?x4xf16>, tensor<?xf32>, tensor<?xf16>
})";

FuseTensorInfo input(FuseProgram *program, int32_t index) {
  FuseTensorInfo info;
  info.size = sizeof(info);
  EXPECT_EQ(message(fuseProgramInput(program, index, &info)), "");
  return info;
}

FuseTensorInfo output(FuseProgram *program, int32_t index) {
  FuseTensorInfo info;
  info.size = sizeof(info);
  EXPECT_EQ(message(fuseProgramOutput(program, index, &info)), "");
  return info;
}

TEST(Introspect, SaysWhatAProgramTakes) {
  ProgramPtr program = compile(pairs);
  ASSERT_EQ(fuseProgramNumInputs(program.get()), 2);
  FuseTensorInfo x = input(program.get(), 0);
  EXPECT_STREQ(x.name, "x");
  EXPECT_EQ(x.dtype.code, kDLFloat);
  EXPECT_EQ(x.dtype.bits, 16);
  ASSERT_EQ(x.ndim, 2);
  EXPECT_EQ(x.shape[0], -1);
  EXPECT_STREQ(x.dims[0], "rows");
  EXPECT_EQ(x.shape[1], 4);
  EXPECT_EQ(x.dims[1], nullptr);
  EXPECT_EQ(x.is_scalar, 0);
  FuseTensorInfo scale = input(program.get(), 1);
  EXPECT_EQ(scale.dtype.code, kDLInt);
  EXPECT_EQ(scale.dtype.bits, 64);
  EXPECT_EQ(scale.ndim, 0);
  EXPECT_NE(scale.is_scalar, 0);
}

TEST(Introspect, SaysWhatAProgramGives) {
  ProgramPtr program = compile(pairs);
  ASSERT_EQ(fuseProgramNumOutputs(program.get()), 3);
  FuseTensorInfo y = output(program.get(), 0);
  EXPECT_EQ(y.in_place, 0);
  ASSERT_EQ(y.num_may_alias, 1);
  EXPECT_EQ(y.may_alias[0], 0);
  FuseTensorInfo most = output(program.get(), 1);
  EXPECT_EQ(most.in_place, -1);
  EXPECT_EQ(most.dtype.bits, 32);
  FuseTensorInfo flat = output(program.get(), 2);
  ASSERT_EQ(flat.ndim, 1);
  EXPECT_EQ(flat.shape[0], -1);
  EXPECT_STREQ(flat.dims[0], "(rows * 4)");
}

TEST(Introspect, SaysWhatIsLaunched) {
  ProgramPtr program = compile(pairs);
  int32_t count = fuseProgramNumKernels(program.get());
  ASSERT_GE(count, 1);
  std::string ops;
  for (int32_t i = 0; i < count; ++i) {
    FuseKernelInfo info;
    info.size = sizeof(info);
    ASSERT_EQ(message(fuseProgramKernel(program.get(), i, &info)), "");
    EXPECT_NE(std::string(info.name), "");
    EXPECT_EQ(std::string(info.schedule).rfind("#fuse.", 0), 0u);
    // No assembler says what a CPU's kernel takes.
    EXPECT_EQ(info.registers, -1);
    ops += info.ops;
  }
  EXPECT_NE(ops.find("reduce"), std::string::npos);
}

TEST(Introspect, RefusesNumbersThatAreNone) {
  ProgramPtr program = compile(pairs);
  FuseTensorInfo info;
  info.size = sizeof(info);
  for (int32_t index : {-1, 2})
    EXPECT_EQ(
        message(fuseProgramInput(program.get(), index, &info)),
        "expected the number of one of the 2 inputs of 'pairs', but got " +
            std::to_string(index) + "; count from 0");
  FuseKernelInfo kernel;
  kernel.size = sizeof(kernel);
  EXPECT_NE(message(fuseProgramKernel(program.get(), 99, &kernel)), "");
  EXPECT_NE(message(fuseProgramOutput(program.get(), 0, nullptr)), "");
  info.size = 0;
  EXPECT_EQ(message(fuseProgramOutput(program.get(), 0, &info)),
            "expected the field 'size' of what fuseProgramOutput() fills to be "
            "the size of the struct, but got 0; set it before the call");
  EXPECT_EQ(fuseProgramNumInputs(nullptr), 0);
}

/// A struct of an older header has fewer fields, and nothing behind it is
/// written.
TEST(Introspect, KnowsOlderHeaders) {
  ProgramPtr program = compile(pairs);
  FuseTensorInfo info;
  memset(&info, 0x5a, sizeof(info));
  info.size = offsetof(FuseTensorInfo, ndim);
  ASSERT_EQ(message(fuseProgramInput(program.get(), 0, &info)), "");
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.ndim, 0x5a5a5a5a);
  EXPECT_EQ(info.size, offsetof(FuseTensorInfo, ndim));
}

} // namespace
