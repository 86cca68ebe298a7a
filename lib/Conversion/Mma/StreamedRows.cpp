//===- StreamedRows.cpp - Softmaxes that follow their rows ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedRows.h"

#include "Reductions/StreamedFactor.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

#include <limits>

using namespace mlir;
using namespace mlir::fuse;

static constexpr double log2OfE = 1.4426950408889634;
static constexpr int64_t halves = StreamedScores::halves;
/// By so many powers of two exponentials may be above 1.
static constexpr double mostAboveBase = 8;

/// ex2.approx, to 2^-22; what is below 2^-126 is 0.
Value StreamedRows::exp2(Value x) {
  return LLVM::CallIntrinsicOp::create(
             builder, b.loc(), builder.getF32Type(),
             builder.getStringAttr("llvm.nvvm.ex2.approx.ftz.f32"), x)
      .getResult(0);
}

/// exp2 without special functions, to 2^-18: an addition that leaves no bits
/// behind the point splits x into the nearest integer, in the low bits of the
/// sum, and a rest r in [-1/2, 1/2]; 2^r is a minimax polynomial, and the
/// integer with 127 added the exponent's bits of a factor (Shah et al.,
/// FlashAttention-4). What is below 2^-126 is 0, NaN stays.
Value StreamedRows::polynomialExp2(Value x) {
  constexpr int64_t bias = 127, mantissaBits = 23;
  constexpr double shifter = 12582912 + bias; // 1.5 * 2^23
  static constexpr double coefficients[] = {0x1.3a02ccp-7, 0x1.c9fc46p-5,
                                            0x1.ec0378p-3, 0x1.62e12cp-1, 1.0};
  Value inside = make<arith::MaximumFOp>(x, number(-bias));
  Value shifted = make<arith::AddFOp>(inside, number(shifter));
  Value rest = make<arith::SubFOp>(
      inside, make<arith::SubFOp>(shifted, number(shifter)));
  Value power = number(coefficients[0]);
  for (double next : ArrayRef(coefficients).drop_front())
    power = fma(power, rest, number(next));
  Value bits = arith::ShLIOp::create(
      builder, b.loc(),
      LLVM::BitcastOp::create(builder, b.loc(), builder.getI32Type(), shifted),
      b.word(mantissaBits));
  return make<arith::MulFOp>(
      power,
      LLVM::BitcastOp::create(builder, b.loc(), builder.getF32Type(), bits));
}

Value StreamedRows::tree(SmallVector<Value> values,
                         llvm::function_ref<Value(Value, Value)> join) {
  for (; values.size() > 1; values.resize(values.size() / 2))
    for (size_t i = 0; i < values.size() / 2; ++i)
      values[i] = join(values[2 * i], values[2 * i + 1]);
  return values.front();
}

/// Four lanes have a row.
Value StreamedRows::overQuad(Value value,
                             llvm::function_ref<Value(Value, Value)> join) {
  constexpr int32_t warpThreads = 32;
  for (int32_t distance : {1, 2})
    value =
        join(value,
             gpu::ShuffleOp::create(builder, b.loc(), value, b.word(distance),
                                    b.word(warpThreads), gpu::ShuffleMode::XOR)
                 .getShuffleResult());
  return value;
}

RowState StreamedRows::nothing(int64_t weights) {
  RowState state;
  for (int64_t half = 0; half < halves; ++half) {
    state.max[half] = state.base[half] =
        number(space.isPlain() ? 0 : -std::numeric_limits<double>::infinity());
    state.sum[half] = number(0);
    state.turn[half] = number(1);
  }
  state.weights.assign(weights, number(0));
  return state;
}

/// Where c m is so large that its rounding alone would overflow, as below the
/// least numbers that programs mask with, c counts as 1: keys differ from the
/// maximum by nothing or by too much.
StreamedRows::Shift StreamedRows::shiftOf(Value max) {
  constexpr double mostShift = 134217728; // 2^27, whose last place is 16.
  double factor = scores.factor() * log2OfE;
  Value magnitude = LLVM::FAbsOp::create(builder, b.loc(), max);
  Value isHuge =
      arith::CmpFOp::create(builder, b.loc(), arith::CmpFPredicate::OGT,
                            magnitude, number(mostShift / factor));
  return {b.select(isHuge, number(1), number(factor)),
          b.select(isHuge, max, make<arith::MulFOp>(max, number(factor)))};
}

/// A maximum of -inf counts as 0: all exponentials are 0.
Value StreamedRows::minusBase(Value max, const Shift &shift) {
  Value isNone =
      arith::CmpFOp::create(builder, b.loc(), arith::CmpFPredicate::OEQ, max,
                            number(-std::numeric_limits<double>::infinity()));
  return arith::NegFOp::create(builder, b.loc(),
                               b.select(isNone, number(0), shift.base));
}

Value StreamedRows::turn(Value max, Value other) {
  return exp2(
      make<arith::AddFOp>(shiftOf(max).base, minusBase(other, shiftOf(other))));
}

/// The maximum, if it is much larger; or not a number.
Value StreamedRows::nextBase(Value base, Value max) {
  double least = mostAboveBase / (scores.factor() * log2OfE);
  Value isNear =
      arith::CmpFOp::create(builder, b.loc(), arith::CmpFPredicate::OLE, max,
                            make<arith::AddFOp>(base, number(least)));
  return b.select(isNear, base, max);
}

Value StreamedRows::areTurned(const RowState &state) {
  if (space.isPlain())
    return arith::ConstantIntOp::create(builder, b.loc(), builder.getI1Type(),
                                        false);
  Value any;
  for (Value turn : state.turn) {
    Value differs = arith::CmpFOp::create(
        builder, b.loc(), arith::CmpFPredicate::UNE, turn, number(1));
    any = any ? builder.createOrFold<arith::OrIOp>(b.loc(), any, differs)
              : differs;
  }
  return LLVM::CallIntrinsicOp::create(
             builder, b.loc(), builder.getI1Type(),
             builder.getStringAttr("llvm.nvvm.vote.any.sync"),
             ValueRange{b.word(-1), any})
      .getResult(0);
}

/// Evenly among those that a thread computes.
bool StreamedRows::isPolynomialAt(size_t number) const {
  constexpr int64_t all = StreamedScheduleAttr::kExponentials;
  auto before = static_cast<int64_t>(number % all) * polynomials;
  return (before + polynomials) / all > before / all;
}

/// exp(x - m) = exp2(c x - c m), with one rounding of c m for all of a row,
/// which its sum cancels.
void StreamedRows::follow(ArrayRef<Value> logits, RowState &state,
                          bool isFirst) {
  if (space.isPlain()) {
    if (isFirst)
      state = nothing(logits.size());
    state.weights.assign(logits.begin(), logits.end());
    return;
  }
  // NaN stays, also where nothing but the maximum is used.
  auto larger = [&](Value x, Value y) { return make<arith::MaximumFOp>(x, y); };
  auto plus = [&](Value x, Value y) { return make<arith::AddFOp>(x, y); };
  SmallVector<Value> exponentials(logits.size());
  bool isMasked = space.summed() != ExpOp(space.exponentials).getResult();
  for (int64_t half = 0; half < halves; ++half) {
    SmallVector<size_t> own = numbersOf(half, logits.size());
    Value max = overQuad(tree(ofHalf(logits, half), larger), larger);
    Value base = max;
    if (!isFirst) {
      max = larger(state.max[half], max);
      base = nextBase(state.base[half], max);
    }
    Shift shift = shiftOf(base);
    Value minus = minusBase(base, shift);
    if (!isFirst)
      state.turn[half] = b.select(
          arith::CmpFOp::create(builder, b.loc(), arith::CmpFPredicate::OEQ,
                                base, state.base[half]),
          number(1), exp2(plus(shiftOf(state.base[half]).base, minus)));
    for (auto [number, i] : llvm::enumerate(own)) {
      Value exponent = fma(logits[i], shift.factor, minus);
      bool isPolynomial = isPolynomialAt(number);
      exponentials[i] =
          isPolynomial ? polynomialExp2(exponent) : exp2(exponent);
    }
    if (!isMasked)
      addUp(ofHalf(exponentials, half), state, half, isFirst);
    state.max[half] = max;
    state.base[half] = base;
    if (isFirst)
      state.turn[half] = number(1);
  }
  if (isMasked) {
    SmallVector<Value> shown =
        scores.fromExponentials(space.summed(), exponentials);
    for (int64_t half = 0; half < halves; ++half)
      addUp(ofHalf(shown, half), state, half, isFirst);
  }
  // What packs the weights rounds them.
  state.weights =
      scores.fromExponentials(space.unroundedWeights(), exponentials);
}

void StreamedRows::addUp(SmallVector<Value> values, RowState &state,
                         int64_t half, bool isFirst) {
  Value sum = tree(std::move(values),
                   [&](Value x, Value y) { return make<arith::AddFOp>(x, y); });
  state.sum[half] = isFirst ? sum : fma(state.sum[half], state.turn[half], sum);
}

SmallVector<size_t> StreamedRows::numbersOf(int64_t half, size_t count) {
  constexpr int64_t pair = StreamedScores::pair;
  SmallVector<size_t> numbers;
  for (size_t i = pair * half; i < count; i += halves * pair)
    numbers.append({i, i + 1});
  return numbers;
}

SmallVector<Value> StreamedRows::ofHalf(ArrayRef<Value> values, int64_t half) {
  return llvm::map_to_vector(numbersOf(half, values.size()),
                             [&](size_t number) { return values[number]; });
}

Value StreamedRows::total(const RowState &state, int64_t half) {
  if (space.isPlain())
    return number(1);
  Value sum = overQuad(state.sum[half], [&](Value x, Value y) {
    return make<arith::AddFOp>(x, y);
  });
  return make<arith::MulFOp>(sum, lastTurn(state, half));
}

Value StreamedRows::finish(Value max, Value total, const Point &point) {
  Value most = make<arith::MulFOp>(max, number(scores.factor()));
  return streamedRowFactor(
      b.frame.emitter, space, most, total, point,
      [&](Value x) { return exp2(make<arith::MulFOp>(x, number(log2OfE))); });
}
