//===- MathExpansionTest.cpp - Error bounds of the expanded math ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathHarness.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Conversion/MathExpansion.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/RotaryAngles.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir::fuse;
using namespace mlir::fuse::testing;

namespace {

/// Inputs of a unary function: the special values, every exponent, and more
/// where the result is neither 0, 1 nor infinity.
template <typename T, typename Bits>
std::vector<T> unaryInputs(std::vector<T> values) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i)
    values.push_back(llvm::bit_cast<T>(static_cast<Bits>(random())));
  std::uniform_real_distribution<T> wide(-100, 100), narrow(-2, 2);
  for (int i = 0; i < 20000; ++i) {
    values.push_back(wide(random));
    values.push_back(narrow(random));
  }
  // Next to multiples of pi / 2, where the reduction of an angle cancels.
  for (int64_t k = 1; k < int64_t(1) << 40; k += 1 + k / 4000)
    values.push_back(static_cast<T>(k * 1.57079632679489661923L));
  return values;
}

template <typename T>
void crossProduct(const std::vector<T> &values, std::vector<T> &a,
                  std::vector<T> &b) {
  for (T x : values)
    for (T y : values) {
      a.push_back(x);
      b.push_back(y);
    }
}

/// Pairs for pow: the cross product of the special values, and random bases
/// with exponents that keep the result finite.
template <typename T, typename Bits>
void powInputs(const std::vector<T> &special, std::vector<T> &a,
               std::vector<T> &b) {
  crossProduct(special, a, b);
  std::mt19937_64 random(2);
  T most = std::numeric_limits<T>::max_exponent;
  std::uniform_real_distribution<T> target(-most, most), near(0.5, 2);
  for (int i = 0; i < 40000; ++i) {
    T x = i % 2 ? near(random)
                : std::fabs(llvm::bit_cast<T>(static_cast<Bits>(random())));
    a.push_back(x);
    b.push_back(target(random) / std::log2(x));
  }
}

template <typename T>
void expectWithin(const MathFunction &function, const CompiledMath &compiled,
                  const std::vector<T> &a, const std::vector<T> &b,
                  const UlpFormat &format, double bound) {
  std::vector<T> got = compiled.run<T, T>(a, b);
  double worst = 0;
  size_t at = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    double error = ulpError(got[i], function.truth(a[i], b[i]), format);
    if (error > worst) {
      worst = error;
      at = i;
    }
  }
  EXPECT_LE(worst, bound) << function.name << "(" << a[at] << ", " << b[at]
                          << ") is " << got[at] << ", but should be "
                          << function.truth(a[at], b[at]);
}

template <typename T, typename Bits>
void testFunction(const MathFunction &function, unsigned lanes,
                  const std::vector<T> &special, const UlpFormat &format,
                  double bound) {
  auto compiled = CompiledMath::compile(function.name, function.arity,
                                        sizeof(T) == 8, lanes);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  std::vector<T> a, b;
  if (function.arity == 2) {
    powInputs<T, Bits>(special, a, b);
  } else {
    a = unaryInputs<T, Bits>(special);
    b.assign(a.size(), 1);
  }
  expectWithin(function, *compiled, a, b, format, bound);
}

class MathBounds : public ::testing::TestWithParam<MathFunction> {};

TEST_P(MathBounds, ScalarF32) {
  testFunction<float, uint32_t>(GetParam(), 0, specialValuesF32(), kUlpF32,
                                GetParam().boundF32);
}

TEST_P(MathBounds, VectorF32) {
  testFunction<float, uint32_t>(GetParam(), 16, specialValuesF32(), kUlpF32,
                                GetParam().boundF32);
}

TEST_P(MathBounds, VectorF64) {
  testFunction<double, uint64_t>(GetParam(), 8, specialValuesF64(), kUlpF64,
                                 GetParam().boundF64);
}

/// Every f16 and bf16 value: the error before the rounding to 16 bits.
TEST_P(MathBounds, ApproximateOfEvery16BitValue) {
  const MathFunction &function = GetParam();
  if (function.arity != 1)
    GTEST_SKIP() << "Two operands have too many 16-bit values";
  auto compiled = CompiledMath::compile(function.name, 1, false, 16, true);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  std::vector<float> f16, bf16;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    bf16.push_back(llvm::bit_cast<float>(bits << 16));
    llvm::APFloat half(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
    f16.push_back(half.convertToFloat());
  }
  std::vector<float> unused(f16.size(), 1);
  expectWithin(function, *compiled, f16, unused, kUlpF16, function.boundApprox);
  expectWithin(function, *compiled, bf16, unused, kUlpBF16,
               function.boundApprox);
}

/// An expansion is many instructions, also to the models of time.
TEST_P(MathBounds, ItsOpCostsMoreThanAnAddition) {
  llvm::StringRef name = GetParam().name;
  name = name == "powf" ? "pow" : name;
  mlir::MLIRContext context;
  context.loadDialect<FuseDialect>();
  mlir::OperationState state(mlir::UnknownLoc::get(&context),
                             ("fuse." + name).str());
  ASSERT_TRUE(state.name.isRegistered()) << name.str();
  mlir::OwningOpRef<mlir::Operation *> op(mlir::Operation::create(state));
  EXPECT_GT(instructionsOf(op.get()), 1) << name.str();
}

INSTANTIATE_TEST_SUITE_P(All, MathBounds,
                         ::testing::ValuesIn(getMathFunctions()),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// The exact (sin, cos) of `turns`: its quadrant first, since sinl and cosl
/// would lose accuracy near the zeros.
std::pair<long double, long double> sinCosOfTurns(uint64_t turns) {
  uint64_t quadrant = (turns + (uint64_t(1) << 61)) >> 62;
  auto rest = static_cast<int64_t>(turns - (quadrant << 62));
  long double angle = std::ldexp(6.283185307179586476925287L * rest, -64);
  long double sin = std::sin(angle), cos = std::cos(angle);
  switch (quadrant & 3) {
  case 0:
    return {sin, cos};
  case 1:
    return {cos, -sin};
  case 2:
    return {-sin, -cos};
  default:
    return {-cos, sin};
  }
}

std::vector<int64_t> turnsInputs() {
  std::vector<int64_t> turns;
  // Around the edges of the octants, down to one unit from them.
  for (int octant = 0; octant < 8; ++octant)
    for (int bit = 0; bit < 61; ++bit)
      for (int sign : {-1, 1})
        turns.push_back((uint64_t(octant) << 61) + sign * (int64_t(1) << bit));
  std::mt19937_64 random(3);
  for (int i = 0; i < 20000; ++i)
    turns.push_back(random());
  return turns;
}

template <typename T>
void testTurns(bool wantsSin, unsigned lanes, const UlpFormat &format) {
  auto compiled = CompiledMath::compile(wantsSin ? "sin_turns" : "cos_turns", 1,
                                        sizeof(T) == 8, lanes);
  ASSERT_TRUE(bool(compiled)) << llvm::toString(compiled.takeError());
  std::vector<int64_t> turns = turnsInputs();
  std::vector<T> got = compiled->run<int64_t, T>(turns, turns);
  for (size_t i = 0; i < turns.size(); ++i) {
    auto [sin, cos] = sinCosOfTurns(turns[i]);
    EXPECT_LE(ulpError(got[i], wantsSin ? sin : cos, format), 1.5)
        << "at " << turns[i];
  }
}

TEST(SinCosOfTurns, F32) {
  testTurns<float>(true, 16, kUlpF32);
  testTurns<float>(false, 16, kUlpF32);
  testTurns<float>(true, 0, kUlpF32);
}

TEST(SinCosOfTurns, F64) {
  testTurns<double>(true, 8, kUlpF64);
  testTurns<double>(false, 8, kUlpF64);
}

/// 2^64 * base^(-2 i / dims) / (2 pi), rounded, computed in 60 digits.
TEST(RotaryFrequency, MatchesExtendedPrecision) {
  struct Case {
    double base;
    int64_t i, dims;
    uint64_t turns;
  } cases[] = {{10000.0, 0, 128, 2935890503282001226U},
               {10000.0, 1, 128, 2542376433133839919U},
               {10000.0, 63, 128, 339031346221092U},
               {500000.0, 37, 128, 1489439339535606U},
               {500000.0, 63, 128, 7208024532904U},
               {1000000.0, 5, 96, 696209354218470131U},
               {1000000.0, 17, 64, 1906513365150370U},
               {150000.0, 31, 64, 28405435162815U},
               {10000.0, 3, 80, 1471430839572486358U}};
  for (const Case &c : cases) {
    uint64_t got = turnsOfAngle(rotaryFrequency(c.base, c.i, c.dims));
    uint64_t distance = got > c.turns ? got - c.turns : c.turns - got;
    EXPECT_LE(distance, 1 + (c.turns >> 61)) << c.base << " " << c.i;
  }
}

} // namespace
