//===- f8_quotient.cpp - Corrected quotients against divisions ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Float8Quotient.cpp computes instead of a division, for every mantissa of
// the divisor, every boundary between two neighbours in 8 bits, and the
// dividends around it; for reciprocals to begin with that are up to four units
// in the last place off, which is more than rcp.approx may be. It must lie on
// the same side of the boundary as the quotient of IEEE 754, or on it alike.
// The divisor whose mantissa is all ones has a constant for its reciprocal.
// Takes seconds:
//
//   c++ -O3 -march=native -ffp-contract=off f8_quotient.cpp && ./a.out
//
//===----------------------------------------------------------------------===//

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>

static constexpr uint32_t one = 0x3f800000, mantissas = 1 << 23;
static constexpr int reciprocalError = 4, dividendsBeside = 5;

static float floatOf(uint32_t bits) { return std::bit_cast<float>(bits); }
static uint32_t bitsOf(float number) { return std::bit_cast<uint32_t>(number); }

static float corrected(float x, float y, float approximate) {
  float error = std::fmaf(-y, approximate, 1.0F);
  float inverse = std::fmaf(error, approximate, approximate);
  if (bitsOf(y) == (one | (mantissas - 1)))
    inverse = 2 * (0.25F + 0x1p-25F);
  float quotient = x * inverse;
  float excess = std::fmaf(quotient, y, -x);
  return std::fmaf(-excess, inverse, quotient);
}

static int sideOf(float number, float boundary) {
  return (number > boundary) - (number < boundary);
}

/// Whether all dividends near the divisor's multiples fall on the right side.
/// Numbers and boundaries of e4m3 are multiples of 1/16 of a power of two;
/// e5m2's are among them.
static bool isRight(float y) {
  int wrong = 0;
  for (int sixteenths = 16; sixteenths < 32; ++sixteenths) {
    float boundary = static_cast<float>(sixteenths) / 16;
    for (int beside = -dividendsBeside; beside <= dividendsBeside; ++beside) {
      float x = floatOf(bitsOf(boundary * y) + beside);
      int side = sideOf(x / y, boundary);
      for (int off = -reciprocalError; off <= reciprocalError; ++off)
        wrong += side != sideOf(corrected(x, y, floatOf(bitsOf(1 / y) + off)),
                                boundary);
    }
  }
  return wrong == 0;
}

int main() {
  uint32_t wrong = 0, last = 0;
  for (uint32_t mantissa = 0; mantissa < mantissas; ++mantissa)
    if (!isRight(floatOf(one | mantissa))) {
      ++wrong;
      last = mantissa;
    }
  std::printf("%u of %u divisors are not right; the last is %06x\n", wrong,
              mantissas, last);
  return wrong == 0 ? 0 : 1;
}
