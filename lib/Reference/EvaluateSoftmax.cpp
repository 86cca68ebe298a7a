//===- EvaluateSoftmax.cpp - Softmax and its relatives --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A common shift of a line changes neither softmax, log_softmax nor logsumexp,
// so that the error of the maximum, which is such a shift, does not count.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "Softmax.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

static MaxFinder findMax(const Reader &read, const LineSpace &lines,
                         int64_t base) {
  MaxFinder max;
  lines.forEachElement(base, [&](int64_t offset) { max.visit(read[offset]); });
  return max;
}

/// The sum of exp(x - max).
static Bounded sumExponentials(const SoftmaxLine &line,
                               const Arithmetic &arithmetic, const Reader &read,
                               const LineSpace &lines, int64_t base) {
  Summer sum;
  lines.forEachElement(
      base, [&](int64_t offset) { sum.visit(line.exponential(read[offset])); });
  return sum.get(arithmetic);
}

Value mlir::fuse::reference::evaluateSoftmax(SoftmaxOp op, const Value &input) {
  LineSpace lines(input.shape, op.getDims());
  DType dtype = input.dtype, wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic arithmetic = Arithmetic::inside(dtype);
  Value result = Value::zeros(dtype, input.shape);
  Reader read(input);
  lines.forEachLine([&](int64_t, int64_t base) {
    SoftmaxLine line(arithmetic, findMax(read, lines, base));
    Summer sum;
    lines.forEachElement(base, [&](int64_t offset) {
      Bounded element = line.exponential(read[offset]);
      store(result, offset, element);
      sum.visit(element);
    });
    Bounded total = sum.get(arithmetic);
    lines.forEachElement(base, [&](int64_t offset) {
      Bounded element = {result.data[offset], result.error[offset]};
      Bounded quotient = line.normalize(element, total);
      store(result, offset, mayRound(wide, dtype, quotient));
    });
  });
  return result;
}

Value mlir::fuse::reference::evaluateLogSoftmax(LogSoftmaxOp op,
                                                const Value &input) {
  LineSpace lines(input.shape, op.getDims());
  DType dtype = input.dtype, wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic arithmetic = Arithmetic::inside(dtype);
  Value result = Value::zeros(dtype, input.shape);
  Reader read(input);
  lines.forEachLine([&](int64_t, int64_t base) {
    SoftmaxLine line(arithmetic, findMax(read, lines, base));
    Bounded log =
        arithmetic.log(sumExponentials(line, arithmetic, read, lines, base));
    lines.forEachElement(base, [&](int64_t offset) {
      Bounded difference = arithmetic.sub(line.shifted(read[offset]), log);
      store(result, offset, mayRound(wide, dtype, difference));
    });
  });
  return result;
}

Value mlir::fuse::reference::evaluateLogSumExp(LogSumExpOp op,
                                               const Value &input) {
  LineSpace lines(input.shape, op.getDims());
  DType dtype = input.dtype, wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic arithmetic = Arithmetic::inside(dtype);
  Value result =
      Value::zeros(dtype, op.getKeep() ? lines.keptShape : lines.droppedShape);
  Reader read(input);
  lines.forEachLine([&](int64_t number, int64_t base) {
    SoftmaxLine line(arithmetic, findMax(read, lines, base));
    if (!std::isfinite(line.getMax().value))
      return store(result, number, line.getMax());
    Bounded log =
        arithmetic.log(sumExponentials(line, arithmetic, read, lines, base));
    // A power of two of fma(x, log2(e), -max * log2(e)) has the rounding of
    // what is subtracted, which the maximum is added to.
    if (wide == DType::F32)
      log.error += getUlp(wide, line.getMax().value);
    store(result, number,
          mayRound(wide, dtype, arithmetic.add(log, line.getMax())));
  });
  return result;
}

/// The sum of exp(x - max), or of exp(x) where the maximum is infinite.
static Bounded sumGuarded(const MaxFinder &max, const Arithmetic &arithmetic,
                          const Reader &read, const LineSpace &lines,
                          int64_t base) {
  if (!std::isinf(max.get().value))
    return sumExponentials(SoftmaxLine(arithmetic, max), arithmetic, read,
                           lines, base);
  Summer sum;
  lines.forEachElement(
      base, [&](int64_t offset) { sum.visit(arithmetic.exp(read[offset])); });
  return sum.get(arithmetic);
}

std::pair<Value, Value>
mlir::fuse::reference::evaluateSoftmaxStats(SoftmaxStatsOp op,
                                            const Value &input) {
  LineSpace lines(input.shape, op.getDims());
  DType dtype = input.dtype, wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic arithmetic = Arithmetic::inside(dtype);
  Value maxima = Value::zeros(dtype, lines.keptShape);
  Value sums = Value::zeros(dtype, lines.keptShape);
  Reader read(input);
  lines.forEachLine([&](int64_t number, int64_t base) {
    MaxFinder max = findMax(read, lines, base);
    Bounded sum = sumGuarded(max, arithmetic, read, lines, base);
    // The error of the maximum does count here, and each larger maximum on
    // the way has rescaled the sum so far by an exponential.
    Bounded scale = arithmetic.exp({0.0, max.get().error});
    sum.error *= 2.0;
    store(maxima, number, max.get());
    store(sums, number, mayRound(wide, dtype, arithmetic.mul(sum, scale)));
  });
  return {std::move(maxima), std::move(sums)};
}
