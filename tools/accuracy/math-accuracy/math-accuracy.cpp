//===- math-accuracy.cpp - The largest error of every math function -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the table of docs/math.md: for every function the largest error on
// this host. f32 inputs are every STRIDE-th bit pattern (1 is exhaustive), 16
// bit inputs are all of them, and f64 inputs are as many random ones.
//
//===----------------------------------------------------------------------===//

#include "MathHarness.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <random>

using namespace mlir::fuse;
using namespace mlir::fuse::testing;
namespace cl = llvm::cl;

static cl::opt<uint64_t> stride("stride", cl::init(4099),
                                cl::desc("Step between f32 bit patterns"));
static cl::opt<std::string> only("function", cl::desc("Measure this one"));

static llvm::ExitOnError exitOnError("math-accuracy: ");

namespace {

template <typename T> struct Inputs {
  std::vector<T> a, b;
};

template <typename T>
double worstError(const MathFunction &function, const CompiledMath &compiled,
                  const Inputs<T> &inputs, const UlpFormat &format) {
  std::vector<T> got = compiled.run<T, T>(inputs.a, inputs.b);
  double worst = 0;
  for (size_t i = 0; i < got.size(); ++i)
    worst = std::max(
        worst,
        ulpError(got[i], function.truth(inputs.a[i], inputs.b[i]), format));
  return worst;
}

/// Second operands of pow that keep the result finite for most bases.
template <typename T> void addExponents(Inputs<T> &inputs, uint64_t seed) {
  std::mt19937_64 random(seed);
  T most = std::numeric_limits<T>::max_exponent;
  std::uniform_real_distribution<T> target(-most, most);
  for (T x : inputs.a)
    inputs.b.push_back(target(random) / std::log2(std::fabs(x)));
}

double measureF32(const MathFunction &function) {
  auto compiled = exitOnError(
      CompiledMath::compile(function.name, function.arity, false, 16));
  double worst = 0;
  constexpr uint64_t chunk = uint64_t(1) << 20, end = uint64_t(1) << 32;
  for (uint64_t bits = 0; bits < end;) {
    Inputs<float> inputs;
    for (uint64_t i = 0; i < chunk && bits < end; ++i, bits += stride)
      inputs.a.push_back(llvm::bit_cast<float>(static_cast<uint32_t>(bits)));
    addExponents(inputs, bits);
    worst = std::max(worst, worstError(function, compiled, inputs, kUlpF32));
  }
  return worst;
}

double measureF64(const MathFunction &function) {
  auto compiled = exitOnError(
      CompiledMath::compile(function.name, function.arity, true, 8));
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> wide(-700, 700), narrow(-2, 2);
  Inputs<double> inputs;
  for (uint64_t i = 0, n = (uint64_t(1) << 32) / stride; i < n; i += 3) {
    inputs.a.push_back(llvm::bit_cast<double>(random()));
    inputs.a.push_back(wide(random));
    inputs.a.push_back(narrow(random));
  }
  addExponents(inputs, 2);
  return worstError(function, compiled, inputs, kUlpF64);
}

double measureApproximate(const MathFunction &function, bool bf16) {
  auto compiled = exitOnError(
      CompiledMath::compile(function.name, function.arity, false, 16, true));
  const llvm::fltSemantics &semantics =
      bf16 ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf();
  Inputs<float> inputs;
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    inputs.a.push_back(
        llvm::APFloat(semantics, llvm::APInt(16, bits)).convertToFloat());
  addExponents(inputs, 3);
  return worstError(function, compiled, inputs, bf16 ? kUlpBF16 : kUlpF16);
}

} // namespace

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv,
                              "Measures the error of the expanded math\n");
  llvm::outs() << "| function | f32 | f64 | afn, f16 | afn, bf16 |\n"
               << "| --- | --- | --- | --- | --- |\n";
  for (const MathFunction &function : getMathFunctions()) {
    if (!only.empty() && only != function.name)
      continue;
    llvm::outs() << llvm::formatv(
        "| {0} | {1:f3} | {2:f3} | {3:f3} | {4:f3} |\n", function.name,
        measureF32(function), measureF64(function),
        measureApproximate(function, false),
        measureApproximate(function, true));
    llvm::outs().flush();
  }
  return 0;
}
