//===- CAPITesting.h - What tests of the C API share ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_CAPI_CAPITESTING_H
#define FUSE_UNITTESTS_CAPI_CAPITESTING_H

#include "fuse-c/Fuse.h"
#include "gtest/gtest.h"
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace fuse::capi::testing {

/// The message; frees the status.
inline std::string message(FuseStatus *status) {
  std::string text = fuseStatusMessage(status);
  fuseStatusFree(status);
  return text;
}

inline FuseOptions onCpu() {
  FuseOptions options;
  fuseOptionsInit(&options);
  options.target = FUSE_TARGET_CPU;
  return options;
}

struct FreeProgram {
  void operator()(FuseProgram *program) const { fuseProgramFree(program); }
};
using ProgramPtr = std::unique_ptr<FuseProgram, FreeProgram>;

inline ProgramPtr compile(const char *text) {
  FuseOptions options = onCpu();
  FuseProgram *program = nullptr;
  EXPECT_EQ(
      message(fuseCompile(text, strlen(text), "test.mlir", &options, &program)),
      "");
  return ProgramPtr(program);
}

/// An f32 tensor on the CPU that owns its elements.
struct Array {
  explicit Array(std::vector<int64_t> dims, float value = 0)
      : shape(std::move(dims)) {
    int64_t count = 1;
    for (int64_t dim : shape)
      count *= dim;
    values.assign(count, value);
  }

  DLTensor tensor() {
    return {values.data(),
            {kDLCPU, 0},
            int32_t(shape.size()),
            {kDLFloat, 32, 1},
            shape.data(),
            nullptr,
            0};
  }

  std::vector<int64_t> shape;
  std::vector<float> values;
};

/// The first elements of `array`, of its shape, with other strides.
inline DLTensor strided(Array &array, int64_t *strides) {
  DLTensor tensor = array.tensor();
  tensor.strides = strides;
  return tensor;
}

inline std::string run(FuseProgram *program,
                       const std::vector<DLTensor> &inputs,
                       const std::vector<DLTensor> &outputs) {
  std::vector<const DLTensor *> in, out;
  for (const DLTensor &tensor : inputs)
    in.push_back(&tensor);
  for (const DLTensor &tensor : outputs)
    out.push_back(&tensor);
  return message(
      fuseRun(program, in.data(), in.size(), out.data(), out.size(), nullptr));
}

/// The code; frees the status.
inline int32_t code(FuseStatus *status) {
  int32_t result = fuseStatusCode(status);
  fuseStatusFree(status);
  return result;
}

} // namespace fuse::capi::testing

#endif // FUSE_UNITTESTS_CAPI_CAPITESTING_H
