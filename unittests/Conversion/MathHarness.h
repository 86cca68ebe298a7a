//===- MathHarness.h - Runs expanded math on the host -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles one math op for the host and measures its error against the long
// double functions of the C library. Shared by the unit tests and by
// tools/accuracy/math-accuracy.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_CONVERSION_MATHHARNESS_H
#define FUSE_UNITTESTS_CONVERSION_MATHHARNESS_H

#include "fuse/Codegen/HostObject.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace mlir::fuse::testing {

/// A function under test, with the error that docs/math.md promises, in ULP of
/// f32 and f64, and of f16 under `afn`.
struct MathFunction {
  const char *name;
  unsigned arity;
  long double (*truth)(long double, long double);
  double boundF32, boundF64, boundApprox;
};

/// Every op that fuse-expand-math rewrites.
llvm::ArrayRef<MathFunction> getMathFunctions();
const MathFunction &getMathFunction(llvm::StringRef name);

/// `math.NAME` on vectors of `lanes` floats, or on scalars for 0 lanes; the
/// names sin_turns and cos_turns stand for buildSinCosOfTurns.
class CompiledMath {
public:
  static llvm::Expected<CompiledMath> compile(llvm::StringRef name,
                                              unsigned arity, bool isDouble,
                                              unsigned lanes,
                                              bool isApproximate = false);

  /// out[i] = f(a[i], b[i]). Whole vectors only: pads a copy of the input.
  template <typename In, typename Out>
  std::vector<Out> run(std::vector<In> a, std::vector<In> b) const {
    size_t count = a.size(), step = lanes ? lanes : 1;
    size_t padded = (count + step - 1) / step * step;
    a.resize(padded, In(1));
    b.resize(padded, In(1));
    std::vector<Out> out(padded);
    void *data[] = {a.data(), b.data(), out.data()};
    void *params[] = {&data[0], &data[1], &data[2]};
    kernel(params, 0, padded / step);
    out.resize(count);
    return out;
  }

private:
  HostObject object;
  HostKernel kernel = nullptr;
  unsigned lanes = 0;
};

/// The PTX for sm_90 of `math.NAME` on vectors of `lanes` floats with the
/// attributes `attributes`, such as "fastmath<afn> {fuse.bf16}".
llvm::Expected<std::string> emitMathPTX(llvm::StringRef name, unsigned arity,
                                        bool isDouble, unsigned lanes,
                                        llvm::StringRef attributes = "");

/// A float format, for measuring in its ULP.
struct UlpFormat {
  int mantissaBits, minExponent, maxExponent;
};
inline constexpr UlpFormat kUlpF32 = {23, -126, 127};
inline constexpr UlpFormat kUlpF64 = {52, -1022, 1023};
inline constexpr UlpFormat kUlpF16 = {10, -14, 15};
inline constexpr UlpFormat kUlpBF16 = {7, -126, 127};

/// |got - truth| in ULP of `format` at `truth`. Infinity counts as the power of
/// two after the largest number; a NaN on one side alone, or a zero of the
/// wrong sign, is infinitely wrong.
double ulpError(long double got, long double truth, const UlpFormat &format);

/// NaN, infinities, zeros, ones, integers, the denormal and overflow limits,
/// and the thresholds of the formulas, of both signs.
std::vector<float> specialValuesF32();
std::vector<double> specialValuesF64();

} // namespace mlir::fuse::testing

#endif // FUSE_UNITTESTS_CONVERSION_MATHHARNESS_H
