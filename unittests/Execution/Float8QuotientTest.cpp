//===- Float8QuotientTest.cpp - Divisions that end in 8 bits --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GPUs multiply by a reciprocal and correct the product; the host divides
// The results have to be the same to the bit.
//
//===----------------------------------------------------------------------===//

#include "CudaFixture.h"
#include "fuse/Execution/JIT.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <random>

using namespace fuse::jit;
using namespace fuse::runtime;
using llvm::cantFail;

namespace {
struct Format {
  const char *name;
  DType dtype;
  /// Bits of the mantissa, and the exponents of the smallest and the largest
  /// number.
  int mantissaBits, smallest, largest;
};

constexpr int64_t columns = 512;

class Float8Quotient : public CudaFixtureWithParam<Format> {
protected:
  // Most of the tests need no device.
  void SetUp() override {}

  /// Each dividend by its own divisor, and by its row's.
  std::string text() const {
    return llvm::formatv(R"(
      func.func @f(%x: tensor<?x{1}xf32>, %y: tensor<?x{1}xf32>,
                   %s: tensor<?x1xf32>)
          -> (tensor<?x{1}x{0}>, tensor<?x{1}x{0}>) {{
        %a = fuse.div %x, %y : tensor<?x{1}xf32>
        %b = fuse.div %x, %s : tensor<?x{1}xf32>, tensor<?x1xf32>
             -> tensor<?x{1}xf32>
        %p = fuse.cast %a : tensor<?x{1}xf32> -> tensor<?x{1}x{0}>
        %q = fuse.cast %b : tensor<?x{1}xf32> -> tensor<?x{1}x{0}>
        return %p, %q : tensor<?x{1}x{0}>, tensor<?x{1}x{0}>
      })",
                         GetParam().name, columns);
  }

  std::unique_ptr<CompiledProgram> compile(Target target) const {
    CompileOptions options;
    options.target = target;
    options.cache = false;
    return cantFail(::fuse::jit::compile(text(), "quotient.mlir", options));
  }

  /// Of `rows` rows: any bits, and what is as near as f32 can be to where
  /// rounding changes. The first divisor of a row is that of the row.
  void draw(int64_t rows) {
    std::mt19937_64 random(rows);
    auto anyBits = [&] {
      return llvm::bit_cast<float>(static_cast<uint32_t>(random()));
    };
    // Of either sign, as the dividends are, zeros among them.
    auto moderate = [&] {
      float size =
          std::ldexp(1 + static_cast<float>(random() % (1 << 20)) / (1 << 20),
                     static_cast<int>(random() % 40) - 20);
      return random() % 2 ? size : -size;
    };
    for (int64_t row = 0; row < rows; ++row) {
      bool isWild = row % 4 == 0;
      scales.push_back(isWild ? anyBits() : moderate());
      for (int64_t column = 0; column < columns; ++column) {
        bool ofRow = column % 2;
        float divisor = isWild ? anyBits() : ofRow ? scales.back() : moderate();
        divisors.push_back(divisor);
        dividends.push_back(isWild ? anyBits() : nearBoundary(random, divisor));
      }
    }
  }

  float nearBoundary(std::mt19937_64 &random, float divisor) const {
    const Format &format = GetParam();
    // Twice as many as the format has, so that each other lies between two.
    int64_t mantissa = random() % (int64_t(4) << format.mantissaBits);
    int exponents = format.largest - format.smallest + 3;
    int exponent = format.smallest - 1 + static_cast<int>(random() % exponents);
    double boundary =
        std::ldexp(double(mantissa), exponent - format.mantissaBits - 1);
    auto dividend = static_cast<float>(boundary * divisor);
    auto bits = llvm::bit_cast<uint32_t>(dividend) + random() % 9 - 4;
    auto moved = llvm::bit_cast<float>(static_cast<uint32_t>(bits));
    return random() % 2 ? moved : -moved;
  }

  TensorView view(void *data, DType dtype, int64_t width, Device where) const {
    TensorView result;
    result.data = data;
    result.dtype = dtype;
    result.shape = {int64_t(scales.size()), width};
    result.device = where;
    return result;
  }

  /// Both results, one behind the other.
  std::vector<uint8_t> runOnHost(Target target) {
    auto program = compile(target);
    std::vector<uint8_t> bits(2 * dividends.size());
    Device host;
    cantFail(program->run({view(dividends.data(), DType::F32, columns, host),
                           view(divisors.data(), DType::F32, columns, host),
                           view(scales.data(), DType::F32, 1, host)},
                          {view(bits.data(), GetParam().dtype, columns, host),
                           view(bits.data() + dividends.size(),
                                GetParam().dtype, columns, host)}));
    return bits;
  }

  std::vector<uint8_t> runOnDevice();

  /// The sign of a NaN is anything.
  bool isNaN(unsigned bits) const {
    unsigned largest = GetParam().mantissaBits == 3 ? 0x7e : 0x7c;
    return (bits & 0x7f) > largest;
  }

  void expectSame(const std::vector<uint8_t> &got,
                  const std::vector<uint8_t> &expected) {
    for (size_t i = 0; i < got.size(); ++i) {
      if (isNaN(got[i]) && isNaN(expected[i]))
        continue;
      size_t place = i % dividends.size();
      float divisor =
          i < dividends.size() ? divisors[place] : scales[place / columns];
      ASSERT_EQ(unsigned(got[i]), unsigned(expected[i]))
          << llvm::formatv("{0:E9} / {1:E9}", dividends[place], divisor).str();
    }
  }

  std::vector<float> dividends, divisors, scales;
};
} // namespace

std::vector<uint8_t> Float8Quotient::runOnDevice() {
  auto program = compile(Target::CUDA);
  auto upload = [&](const std::vector<float> &data) {
    auto buffer = cantFail(DeviceBuffer::create(*device, data.size() * 4));
    cantFail(
        device->copyToDevice(buffer->data(), data.data(), data.size() * 4));
    return buffer;
  };
  auto x = upload(dividends), y = upload(divisors), s = upload(scales);
  auto size = static_cast<int64_t>(dividends.size());
  auto results = cantFail(DeviceBuffer::create(*device, 2 * size));
  auto *first = static_cast<uint8_t *>(results->data());
  Device there = Device::cuda();
  cantFail(program->run({view(x->data(), DType::F32, columns, there),
                         view(y->data(), DType::F32, columns, there),
                         view(s->data(), DType::F32, 1, there)},
                        {view(first, GetParam().dtype, columns, there),
                         view(first + size, GetParam().dtype, columns, there)},
                        stream));
  cantFail(device->synchronize(stream));
  std::vector<uint8_t> bits(2 * size);
  cantFail(device->copyToHost(bits.data(), first, bits.size()));
  return bits;
}

TEST_P(Float8Quotient, IsThatOfADivision) {
  draw(/*rows=*/256);
  expectSame(runOnHost(Target::Emulator), runOnHost(Target::CPU));
}

TEST_P(Float8Quotient, IsThatOfADivisionOnADevice) {
  CudaTest::SetUp();
  if (IsSkipped())
    return;
  draw(/*rows=*/65536);
  expectSame(runOnDevice(), runOnHost(Target::CPU));
}

INSTANTIATE_TEST_SUITE_P(
    Formats, Float8Quotient,
    testing::Values(Format{"f8E4M3FN", DType::F8E4M3FN, 3, -9, 8},
                    Format{"f8E5M2", DType::F8E5M2, 2, -16, 15}),
    [](const auto &info) { return std::string(info.param.name); });
