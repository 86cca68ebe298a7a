//===- EvaluateReduction.cpp - Reductions ---------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "Operations.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

namespace {

/// The product of a line. Partial products in any order lie between the
/// products of all factors below 1 and of all factors above 1.
class Multiplier {
public:
  void visit(Bounded x) {
    product *= x.value;
    upper *= x.magnitude();
    largest *= std::max(x.magnitude(), 1.0);
    if (x.value != 0.0)
      smallest *= std::min(std::fabs(x.value), 1.0);
    hasZero |= x.value == 0.0;
    hasInexact |= !x.isKnown();
    hasNonFinite |= !std::isfinite(x.value);
    hasNaN |= std::isnan(x.value) && x.isExact();
    allAboveOne &= std::fabs(x.value) - x.error >= 1.0;
    ++factors;
  }

  Bounded get(DType wide) const {
    if (hasNaN)
      return {kNaN, 0.0};
    if (hasNonFinite)
      return getNonFinite(wide);
    double max = getMaxFinite(wide);
    if (largest > max) {
      bool overflows = allAboveOne && !hasInexact && largest > 2.0 * max;
      if (!overflows)
        return {product, kInfinity};
      return {std::copysign(kInfinity, product), kOverflowError};
    }
    double unit = factors * getUlp(wide, 1.0);
    double underflow = factors * getUlp(wide, 0.0) * largest;
    double propagated = upper - std::fabs(product);
    return {product, propagated + unit * upper + underflow};
  }

private:
  /// With an infinity among the factors. Where some of the others multiply to
  /// less than the smallest denormal, the result is NaN, but in another order
  /// infinite.
  Bounded getNonFinite(DType wide) const {
    if (hasInexact)
      return {product, kInfinity};
    if (hasZero)
      return {kNaN, 0.0};
    bool underflows = smallest < getUlp(wide, 0.0);
    return {product, underflows ? kInfinity : 0.0};
  }

  double product = 1.0, upper = 1.0, largest = 1.0, smallest = 1.0;
  bool hasInexact = false, hasNonFinite = false, hasNaN = false;
  bool hasZero = false;
  bool allAboveOne = true;
  int64_t factors = 0;
};

} // namespace

static Bounded reduceFloats(ReduceKind kind, const Reader &read,
                            const LineSpace &lines, int64_t base, DType dtype) {
  DType wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic accumulator(wide);
  auto visitAll = [&](auto combiner, auto sign) {
    lines.forEachElement(
        base, [&](int64_t offset) { combiner.visit(sign(read[offset])); });
    return combiner;
  };
  auto same = [](Bounded x) { return x; };
  switch (kind) {
  case ReduceKind::sum:
    return mayRound(wide, dtype, visitAll(Summer(), same).get(accumulator));
  case ReduceKind::mean: {
    Bounded sum = visitAll(Summer(), same).getForMean(accumulator);
    double count = lines.length;
    if (count == 0.0)
      return {kNaN, 0.0};
    // A product with 1 / count, which is rounded, too.
    Bounded mean = {sum.value / count, sum.error / count};
    bool isZero = mean.value == 0.0 && mean.isExact();
    return mayRound(wide, dtype, isZero ? mean : accumulator.round(mean, 1.5));
  }
  case ReduceKind::prod:
    return mayRound(wide, dtype, visitAll(Multiplier(), same).get(wide));
  case ReduceKind::max:
    return visitAll(MaxFinder(), same).get();
  case ReduceKind::min:
    return Arithmetic::neg(visitAll(MaxFinder(), &Arithmetic::neg).get());
  default:
    llvm_unreachable("any and all take i1");
  }
}

//===----------------------------------------------------------------------===//
// Integers and booleans
//===----------------------------------------------------------------------===//

static int64_t getIdentity(ReduceKind kind, DType dtype) {
  switch (kind) {
  case ReduceKind::prod:
  case ReduceKind::all:
    return 1;
  case ReduceKind::max:
    return getMinInteger(dtype);
  case ReduceKind::min:
    return getMaxInteger(dtype);
  default:
    return 0;
  }
}

/// Wraps in 64 bits, of which narrower types take the last.
static int64_t combine(ReduceKind kind, int64_t x, int64_t y) {
  switch (kind) {
  case ReduceKind::sum:
    return static_cast<uint64_t>(x) + static_cast<uint64_t>(y);
  case ReduceKind::prod:
    return static_cast<uint64_t>(x) * static_cast<uint64_t>(y);
  case ReduceKind::max:
    return std::max(x, y);
  case ReduceKind::min:
    return std::min(x, y);
  case ReduceKind::any:
    return x | y;
  case ReduceKind::all:
    return x & y;
  case ReduceKind::mean:
    break;
  }
  llvm_unreachable("a mean takes floats");
}

/// Inexact elements add up in a sum; an extreme moves at most by the largest
/// error, and a boolean by 1 unless an exact element decides it.
static double combineErrors(ReduceKind kind, double sum, double largest,
                            bool decided) {
  switch (kind) {
  case ReduceKind::sum:
    return sum;
  case ReduceKind::max:
  case ReduceKind::min:
    return largest;
  case ReduceKind::any:
  case ReduceKind::all:
    return decided ? 0.0 : largest;
  default:
    return largest > 0.0 ? kInfinity : 0.0;
  }
}

static void reduceIntegers(ReduceKind kind, const Value &input,
                           const LineSpace &lines, int64_t number, int64_t base,
                           Value &result) {
  int64_t value = getIdentity(kind, result.dtype);
  double sum = 0.0, largest = 0.0;
  bool decided = false;
  lines.forEachElement(base, [&](int64_t offset) {
    int64_t element = input.ints[offset];
    double error = input.getError(offset);
    value = combine(kind, value, element);
    sum += error;
    largest = std::max(largest, error);
    decided |= error == 0.0 && element == (kind == ReduceKind::any);
  });
  result.ints[number] =
      result.dtype == DType::I1 ? value : wrap(result.dtype, value);
  result.error[number] = combineErrors(kind, sum, largest, decided);
}

Value mlir::fuse::reference::evaluateReduce(ReduceOp op, const Value &input) {
  LineSpace lines(input.shape, op.getDims());
  Value result = Value::zeros(input.dtype, op.getKeep() ? lines.keptShape
                                                        : lines.droppedShape);
  if (!isFloat(input.dtype)) {
    lines.forEachLine([&](int64_t number, int64_t base) {
      reduceIntegers(op.getKind(), input, lines, number, base, result);
    });
    return result;
  }
  Reader read(input);
  lines.forEachLine([&](int64_t number, int64_t base) {
    store(result, number,
          reduceFloats(op.getKind(), read, lines, base, input.dtype));
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

namespace {
/// Elements that are walked, `stride` apart.
struct ScannedLine {
  int64_t start, length, stride;
};
} // namespace

/// Calls `visit(offset)` for the elements of the line, in the order of the
/// scan.
template <typename Visit>
static void forEachInOrder(ScanOp op, const ScannedLine &line, Visit visit) {
  for (int64_t i = 0; i < line.length; ++i)
    visit(line.start +
          (op.getReverse() ? line.length - 1 - i : i) * line.stride);
}

template <typename Combiner, typename Sign, typename Get>
static void scanFloats(ScanOp op, const Reader &read, const ScannedLine &line,
                       Sign sign, Get get, Value &result) {
  Combiner combiner;
  forEachInOrder(op, line, [&](int64_t offset) {
    if (op.getExclusive())
      store(result, offset, get(combiner));
    combiner.visit(sign(read[offset]));
    if (!op.getExclusive())
      store(result, offset, get(combiner));
  });
}

static void scanFloats(ScanOp op, const Reader &read, const ScannedLine &line,
                       Value &result) {
  DType dtype = result.dtype, wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic accumulator(wide);
  auto same = [](Bounded x) { return x; };
  switch (op.getKind()) {
  case ReduceKind::sum:
    return scanFloats<Summer>(
        op, read, line, same,
        [&](const Summer &sum) {
          return mayRound(wide, dtype, sum.get(accumulator));
        },
        result);
  case ReduceKind::prod:
    return scanFloats<Multiplier>(
        op, read, line, same,
        [&](const Multiplier &product) {
          return mayRound(wide, dtype, product.get(wide));
        },
        result);
  case ReduceKind::max:
    return scanFloats<MaxFinder>(
        op, read, line, same, [](const MaxFinder &max) { return max.get(); },
        result);
  case ReduceKind::min:
    return scanFloats<MaxFinder>(
        op, read, line, &Arithmetic::neg,
        [](const MaxFinder &max) { return Arithmetic::neg(max.get()); },
        result);
  default:
    llvm_unreachable("the verifier refuses other kinds");
  }
}

static void scanIntegers(ScanOp op, const Value &input, const ScannedLine &line,
                         Value &result) {
  ReduceKind kind = op.getKind();
  int64_t value = getIdentity(kind, result.dtype);
  double sum = 0.0, largest = 0.0;
  auto put = [&](int64_t offset) {
    result.ints[offset] = wrap(result.dtype, value);
    result.error[offset] = combineErrors(kind, sum, largest, /*decided=*/false);
  };
  forEachInOrder(op, line, [&](int64_t offset) {
    if (op.getExclusive())
      put(offset);
    value = combine(kind, value, input.ints[offset]);
    sum += input.getError(offset);
    largest = std::max(largest, input.getError(offset));
    if (!op.getExclusive())
      put(offset);
  });
}

Value mlir::fuse::reference::evaluateScan(ScanOp op, const Value &input) {
  Value result = Value::zeros(input.dtype, input.shape);
  Reader read(input);
  int64_t axis = op.getAxis(), stride = 1;
  for (int64_t size : ArrayRef(input.shape).drop_front(axis + 1))
    stride *= size;
  LineSpace lines(input.shape, {axis});
  lines.forEachLine([&](int64_t, int64_t base) {
    ScannedLine line{base, input.shape[axis], stride};
    if (isFloat(input.dtype))
      scanFloats(op, read, line, result);
    else
      scanIntegers(op, input, line, result);
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Runs of rows
//===----------------------------------------------------------------------===//

Value mlir::fuse::reference::evaluateSegmentSum(SegmentSumOp op,
                                                const Value &input,
                                                const Value &offsets) {
  Sizes shape(input.shape);
  int64_t rows = shape[0];
  shape[0] = offsets.shape[0] - 1;
  Value result = Value::zeros(input.dtype, shape);
  int64_t columns = countElements(llvm::ArrayRef(shape).drop_front());
  DType dtype = input.dtype, wide = isNarrow(dtype) ? DType::F32 : dtype;
  Arithmetic accumulator(wide);
  Reader read(input);
  forEachPoint(
      {shape[0], columns}, {}, 64,
      [&](int64_t number, llvm::ArrayRef<int64_t>) {
        int64_t run = number / columns, column = number % columns;
        int64_t from = std::clamp<int64_t>(offsets.ints[run], 0, rows);
        int64_t to = std::clamp<int64_t>(offsets.ints[run + 1], 0, rows);
        bool isCertain =
            offsets.getError(run) == 0.0 && offsets.getError(run + 1) == 0.0;
        Summer sum;
        int64_t total = 0;
        double error = 0.0;
        for (int64_t row = from; row < to; ++row) {
          int64_t at = row * columns + column;
          if (isFloat(dtype)) {
            sum.visit(read[at]);
            continue;
          }
          total = combine(ReduceKind::sum, total, input.ints[at]);
          error += input.getError(at);
        }
        if (isFloat(dtype)) {
          store(result, number, mayRound(wide, dtype, sum.get(accumulator)));
        } else {
          result.ints[number] = wrap(dtype, total);
          result.error[number] = error;
        }
        if (!isCertain)
          result.error[number] = kInfinity;
      });
  return result;
}
