//===- EvaluateRandom.cpp - Random numbers and dropout --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"

#include <array>

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

namespace {

/// Philox4x32-10: Salmon et al., SC 2011, section 3.3.
class Philox {
public:
  Philox(uint64_t seed, uint64_t stream) : seed(seed), stream(stream) {}

  /// The four words of block `number`.
  std::array<uint32_t, 4> getBlock(uint64_t number) const {
    std::array<uint32_t, 4> words = {low(number), high(number), low(stream),
                                     high(stream)};
    uint32_t key0 = low(seed), key1 = high(seed);
    for (int round = 0; round < 10; ++round) {
      uint64_t product0 = uint64_t(0xD2511F53) * words[0];
      uint64_t product1 = uint64_t(0xCD9E8D57) * words[2];
      words = {high(product1) ^ words[1] ^ key0, low(product1),
               high(product0) ^ words[3] ^ key1, low(product0)};
      key0 += 0x9E3779B9; // The golden ratio.
      key1 += 0xBB67AE85; // sqrt(3) - 1.
    }
    return words;
  }

  /// The number in [0, 1) of place `position`.
  double operator()(int64_t position) const {
    uint32_t word = getBlock(position / 4)[position % 4];
    return static_cast<double>(word >> 8) * 0x1p-24;
  }

private:
  static uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
  static uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

  uint64_t seed, stream;
};

} // namespace

Value mlir::fuse::reference::evaluateRandom(RandomOp op, const Value &seed,
                                            const Value *like) {
  Sizes shape = like ? like->shape : Sizes(op.getType().getShape());
  Value result = Value::zeros(DType::F32, shape);
  Philox philox(seed.ints.front(), op.getStream());
  double error = seed.getError(0) == 0.0 ? 0.0 : kInfinity;
  forEachPoint({result.size()}, {}, 1 << 12,
               [&](int64_t number, llvm::ArrayRef<int64_t>) {
                 store(result, number, {philox(number), error});
               });
  return result;
}

Value mlir::fuse::reference::evaluateDropout(DropoutOp op, const Value &input,
                                             const Value &seed) {
  DType dtype = input.dtype, wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic arithmetic = Arithmetic::inside(dtype);
  double p = op.getP().convertToDouble();
  // The random numbers are f32, and so is what they are compared with.
  double threshold = roundTo(DType::F32, p);
  Bounded scale = arithmetic.constant(1.0 / (1.0 - p));
  Value result = Value::zeros(dtype, input.shape);
  Philox philox(seed.ints.front(), op.getStream());
  bool isCertain = seed.getError(0) == 0.0;
  Reader read(input);
  forEachPoint({result.size()}, {}, 1 << 12,
               [&](int64_t number, llvm::ArrayRef<int64_t>) {
                 Bounded x = {0.0, 0.0};
                 if (philox(number) >= threshold)
                   x = mayRound(wide, dtype,
                                arithmetic.mul(read[number], scale));
                 if (!isCertain)
                   x.error = kInfinity;
                 store(result, number, x);
               });
  return result;
}
