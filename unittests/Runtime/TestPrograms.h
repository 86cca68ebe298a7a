//===- TestPrograms.h - Small plans with handwritten kernels ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_RUNTIME_TESTPROGRAMS_H
#define FUSE_UNITTESTS_RUNTIME_TESTPROGRAMS_H

#include "fuse/Runtime/CpuModule.h"
#include "fuse/Runtime/Program.h"
#include "gtest/gtest.h"

namespace fuse::runtime {

/// A contiguous f32 view of `data`.
inline TensorView view(std::vector<float> &data, Shape shape) {
  TensorView result;
  result.data = data.data();
  result.shape = std::move(shape);
  return result;
}

/// add(x, r, out): one block an element.
inline void addKernel(void **params, int64_t first, int64_t end) {
  auto *x = *static_cast<const float **>(params[0]);
  auto *r = *static_cast<const float **>(params[1]);
  auto *out = *static_cast<float **>(params[2]);
  for (int64_t i = first; i < end; ++i)
    out[i] = x[i] + r[i];
}

/// twice(in, out).
inline void twiceKernel(void **params, int64_t first, int64_t end) {
  auto *in = *static_cast<const float **>(params[0]);
  auto *out = *static_cast<float **>(params[1]);
  for (int64_t i = first; i < end; ++i)
    out[i] = 2 * in[i];
}

inline std::shared_ptr<CpuModule> testModule() {
  llvm::StringMap<CpuKernel> kernels;
  kernels["add"] = addKernel;
  kernels["twice"] = twiceKernel;
  return llvm::cantFail(CpuModule::create(std::move(kernels)));
}

inline KernelSpec kernel(std::string symbol, std::vector<KernelArg> args,
                         SizeExpr grid) {
  KernelSpec spec;
  spec.name = spec.symbol = std::move(symbol);
  spec.args = std::move(args);
  spec.grid = std::move(grid);
  return spec;
}

/// y = 2 * (x + r) over [T, 4], through the temp h. y may be x.
inline ProgramSpec addTwice() {
  SizeExpr rows = SizeExpr::symbol(0);
  ProgramSpec spec;
  spec.name = "add_twice";
  spec.symbols = {"T"};
  spec.inputs = {{"x", DType::F32, {rows, 4}, 4},
                 {"r", DType::F32, {rows, 4}, 4}};
  spec.outputs = {{{"y", DType::F32, {rows, 4}, 4}, {0}}};
  spec.temps = {{"h", DType::F32, rows * 4, 0, 1}};
  spec.steps = {
      kernel("add",
             {BufferRef::input(0), BufferRef::input(1), BufferRef::temp(0)},
             rows * 4),
      kernel("twice", {BufferRef::temp(0), BufferRef::output(0)}, rows * 4)};
  return spec;
}

inline Program makeProgram(ProgramSpec spec) {
  return llvm::cantFail(Program::create(std::move(spec), testModule()));
}

/// The text of an error; "" for success.
inline std::string message(llvm::Error error) {
  return llvm::toString(std::move(error));
}
template <typename T> std::string message(llvm::Expected<T> value) {
  return llvm::toString(value.takeError());
}

} // namespace fuse::runtime

#endif // FUSE_UNITTESTS_RUNTIME_TESTPROGRAMS_H
