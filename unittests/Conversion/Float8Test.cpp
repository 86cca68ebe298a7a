//===- Float8Test.cpp - Conversions of 8-bit floats -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expansion that targets without the instructions run, against APFloat.
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/HostObject.h"
#include "fuse/Codegen/Passes.h"
#include "fuse/Codegen/Translate.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using llvm::APFloat;
using llvm::APInt;

namespace {
struct Format {
  const char *name;
  const llvm::fltSemantics &semantics;
  double largest;
};

class Float8Test : public ::testing::TestWithParam<unsigned> {
protected:
  static constexpr size_t kVector = 16;

  /// Casts `in` with a kernel of vectors of GetParam() elements.
  template <typename Out, typename In>
  std::vector<Out> cast(std::vector<In> in, llvm::StringRef from,
                        llvm::StringRef to) {
    size_t count = in.size();
    in.resize((count + kVector - 1) / kVector * kVector);
    std::vector<Out> out(in.size());
    compile(in.size(), from, to);
    if (HasFatalFailure())
      return out;
    void *data[] = {in.data(), out.data()};
    void *params[] = {&data[0], &data[1]};
    object.entries["k"](params, 0, in.size() / GetParam());
    out.resize(count);
    return out;
  }

private:
  void compile(size_t count, llvm::StringRef from, llvm::StringRef to) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    DialectRegistry registry;
    registerCodegenTranslations(registry);
    MLIRContext context(registry);
    context
        .loadDialect<FuseDialect, func::FuncDialect, tensor::TensorDialect>();
    std::string text = llvm::formatv(
        R"(func.func @f(%x: tensor<{0}x{1}>) -> tensor<{0}x{2}> {{
          %y = fuse.kernel "k" ins(%x : tensor<{0}x{1}>) -> tensor<{0}x{2}>
              schedule = #fuse.pointwise<threads = 1, vector = {3}, unroll = 1> {{
          ^bb0(%a: tensor<{0}x{1}>):
            %c = fuse.cast %a : tensor<{0}x{1}> -> tensor<{0}x{2}>
            fuse.yield %c : tensor<{0}x{2}>
          }
          return %y : tensor<{0}x{2}>
        })",
        count, from, to, GetParam());
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    PassManager passes(&context);
    LowerKernelsOptions options;
    options.aligned = false;
    passes.addPass(createLowerKernels(options));
    passes.addNestedPass<gpu::GPUModuleOp>(createFuseGPUToCPU());
    ASSERT_TRUE(succeeded(passes.run(*module)));
    auto code = compileHostObject(*module->getOps<gpu::GPUModuleOp>().begin());
    ASSERT_TRUE(static_cast<bool>(code)) << llvm::toString(code.takeError());
    auto loaded = loadHostObject(*code, {"k"});
    ASSERT_TRUE(static_cast<bool>(loaded))
        << llvm::toString(loaded.takeError());
    object = *loaded;
  }

  HostObject object;
};
} // namespace

static const Format kE4M3{"f8E4M3FN", APFloat::Float8E4M3FN(), 448};
static const Format kE5M2{"f8E5M2", APFloat::Float8E5M2(), 57344};

static float decode(const Format &format, uint8_t bits) {
  APFloat number(format.semantics, APInt(8, bits));
  bool losesInfo;
  number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToFloat();
}

static uint8_t encode(const Format &format, double value) {
  APFloat number(std::fmin(std::fmax(value, -format.largest), format.largest));
  bool losesInfo;
  number.convert(format.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

/// All f16 numbers, and what lies at and beside the middle of two neighbours.
static std::vector<float> numbersToRound(const Format &format) {
  std::vector<float> numbers;
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    APFloat half(APFloat::IEEEhalf(), APInt(16, bits));
    numbers.push_back(half.convertToFloat());
  }
  for (unsigned bits = 0; bits < 0x7f; ++bits) {
    float middle = (decode(format, bits) + decode(format, bits + 1)) / 2;
    for (float sign : {-1.0f, 1.0f})
      for (float number : {middle, std::nextafter(middle, 0.0f),
                           std::nextafter(middle, INFINITY)})
        numbers.push_back(sign * number);
  }
  for (float number : {1e-45f, 1e-38f, 447.99997f, 448.00003f, 464.0f, 480.0f,
                       57343.996f, 57344.004f, 61440.0f, 65536.0f, 3e38f})
    numbers.insert(numbers.end(), {number, -number});
  return numbers;
}

TEST_P(Float8Test, WidensAllExactly) {
  std::vector<uint8_t> all(256);
  for (unsigned bits = 0; bits < 256; ++bits)
    all[bits] = bits;
  for (const Format &format : {kE4M3, kE5M2}) {
    std::vector<float> got = cast<float>(all, format.name, "f32");
    for (unsigned bits = 0; bits < 256; ++bits) {
      float want = decode(format, bits);
      if (std::isnan(want))
        EXPECT_TRUE(std::isnan(got[bits])) << format.name << " " << bits;
      else
        EXPECT_TRUE(got[bits] == want &&
                    std::signbit(got[bits]) == std::signbit(want))
            << format.name << " " << bits << ": " << got[bits];
    }
  }
}

TEST_P(Float8Test, RoundsToNearestEvenAndSaturates) {
  for (const Format &format : {kE4M3, kE5M2}) {
    std::vector<float> numbers = numbersToRound(format);
    std::vector<uint8_t> got = cast<uint8_t>(numbers, "f32", format.name);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (std::isnan(numbers[i]))
        EXPECT_TRUE(std::isnan(decode(format, got[i])));
      else
        EXPECT_EQ(got[i], encode(format, numbers[i]))
            << format.name << " of " << numbers[i];
    }
  }
}

// Rounding to f32 in between would lose on which side of a middle a number is.
TEST_P(Float8Test, RoundsF64Once) {
  for (const Format &format : {kE4M3, kE5M2}) {
    std::vector<double> numbers;
    for (unsigned bits = 0; bits < 0x7b; ++bits) {
      double middle =
          (double(decode(format, bits)) + decode(format, bits + 1)) / 2;
      for (double side : {1 - 0x1p-45, 1.0, 1 + 0x1p-45})
        numbers.insert(numbers.end(), {middle * side, -middle * side});
    }
    std::vector<uint8_t> got = cast<uint8_t>(numbers, "f64", format.name);
    for (size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(got[i], encode(format, numbers[i]))
          << format.name << " of " << numbers[i];
  }
}

TEST_P(Float8Test, ConvertsIntegers) {
  std::vector<int32_t> numbers;
  for (int32_t i = -600; i <= 600; ++i)
    numbers.push_back(i);
  numbers.insert(numbers.end(), {57344, 61441, INT32_MAX, INT32_MIN});
  for (const Format &format : {kE4M3, kE5M2}) {
    std::vector<uint8_t> got = cast<uint8_t>(numbers, "i32", format.name);
    for (size_t i = 0; i < numbers.size(); ++i)
      EXPECT_EQ(got[i], encode(format, numbers[i]))
          << format.name << " of " << numbers[i];
  }
}

TEST_P(Float8Test, StoresIntegersInBytes) {
  std::vector<float> numbers = {0,    -0.9f, 1.9f,  127.9f,   128,
                                -129, 300,   -1e9f, INFINITY, NAN};
  EXPECT_EQ(cast<int8_t>(numbers, "f32", "i8"),
            (std::vector<int8_t>{0, 0, 1, 127, 127, -128, 127, -128, 127, 0}));
  EXPECT_EQ(
      cast<int8_t>(std::vector<int32_t>{127, 128, -129, 511}, "i32", "i8"),
      (std::vector<int8_t>{127, -128, 127, -1}));
  std::vector<int8_t> bytes = {-128, -1, 0, 127};
  EXPECT_EQ(cast<float>(bytes, "i8", "f32"),
            (std::vector<float>{-128, -1, 0, 127}));
  EXPECT_EQ(cast<int64_t>(bytes, "i8", "i64"),
            (std::vector<int64_t>{-128, -1, 0, 127}));
}

INSTANTIATE_TEST_SUITE_P(Vectors, Float8Test, ::testing::Values(1, 2, 16));
