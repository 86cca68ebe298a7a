//===- EvaluateArgExtreme.cpp - Indices of largest and smallest elements --===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An index is certain where all elements are exact, or the extreme one stands
// apart. Otherwise its bound reaches to the farthest element that may be it.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

namespace {

/// The first largest of a line of floats.
class FloatLine {
public:
  void visit(Bounded x) {
    // A NaN is larger than everything, an unbounded element may be one.
    bool isNaN = std::isnan(x.value);
    double value = isNaN ? kInfinity : x.value;
    bool isLarger = isNaN ? !bestIsNaN : !bestIsNaN && value > best;
    if (index == -1 || isLarger) {
      best = value;
      bestIsNaN = isNaN;
      index = highs.size();
    }
    bool mayBeNaN = x.isUnbounded() || isNaN;
    highs.push_back(mayBeNaN ? kNaN : x.high());
    if (isNaN && x.isExact())
      certainNaN = std::min<int64_t>(certainNaN, highs.size() - 1);
    else if (!mayBeNaN)
      atLeast = std::max(atLeast, x.low());
    isInexact |= !x.isKnown();
  }

  std::pair<int64_t, double> get() const {
    double error = 0.0;
    if (isInexact)
      for (auto [i, high] : llvm::enumerate(highs))
        if (mayBeFirst(i, high))
          error = std::max(error, std::fabs(double(i) - double(index)));
    return {index, error};
  }

private:
  bool mayBeFirst(int64_t i, double high) const {
    if (certainNaN != kNone)
      return std::isnan(high) && i <= certainNaN;
    return std::isnan(high) || high >= atLeast;
  }

  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

  double best = 0.0;
  bool bestIsNaN = false;
  int64_t index = -1;
  /// The upper end of each element; NaN for one that may be NaN.
  std::vector<double> highs;
  int64_t certainNaN = kNone;
  double atLeast = -kInfinity;
  bool isInexact = false;
};

} // namespace

/// The first largest, or smallest, of a line of integers.
static std::pair<int64_t, double> findInteger(const Value &input, bool isMin,
                                              const LineSpace &lines,
                                              int64_t base) {
  int64_t index = -1, best = 0, i = 0;
  bool isInexact = false;
  lines.forEachElement(base, [&](int64_t offset) {
    int64_t element = input.ints[offset];
    if (index == -1 || (isMin ? element < best : element > best)) {
      best = element;
      index = i;
    }
    isInexact |= input.getError(offset) != 0.0;
    ++i;
  });
  return {index, isInexact ? kInfinity : 0.0};
}

static std::pair<int64_t, double> findFloat(const Reader &read, bool isMin,
                                            const LineSpace &lines,
                                            int64_t base) {
  FloatLine line;
  lines.forEachElement(base, [&](int64_t offset) {
    line.visit(isMin ? Arithmetic::neg(read[offset]) : read[offset]);
  });
  return line.get();
}

template <typename Op>
static Value evaluateArg(Op op, const Value &input, bool isMin) {
  LineSpace lines(input.shape, {static_cast<int64_t>(op.getDim())});
  DType dtype = getResultDType(op);
  Value result =
      Value::zeros(dtype, op.getKeep() ? lines.keptShape : lines.droppedShape);
  lines.forEachLine([&](int64_t number, int64_t base) {
    auto [index, error] = isFloat(input.dtype)
                              ? findFloat(Reader(input), isMin, lines, base)
                              : findInteger(input, isMin, lines, base);
    // An empty line has no index.
    result.ints[number] = index == -1 ? getMaxInteger(dtype) : index;
    result.error[number] = error;
  });
  return result;
}

Value mlir::fuse::reference::evaluateArgMax(ArgMaxOp op, const Value &input) {
  return evaluateArg(op, input, /*isMin=*/false);
}

Value mlir::fuse::reference::evaluateArgMin(ArgMinOp op, const Value &input) {
  return evaluateArg(op, input, /*isMin=*/true);
}
