//===- EvaluateIntegers.cpp - Pointwise ops on integers and booleans ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers are exact unless a float that is not was turned into one. Then
// their bound is kept in f64, and what might wrap has none.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "llvm/ADT/TypeSwitch.h"

#include <functional>

using namespace mlir::fuse;
using namespace mlir::fuse::reference;
using llvm::ArrayRef;
using llvm::dyn_cast;
using llvm::isa;
using mlir::Operation;

namespace {

/// An integer, or a boolean (0 or 1, an error of 1 allowing both).
struct Integer {
  int64_t value = 0;
  double error = 0.0;
  bool isExact() const { return error == 0.0; }
};

using Inputs = ArrayRef<Integer>;
using PointFunction = std::function<Integer(Inputs)>;

constexpr int64_t kGrain = 1 << 12;

} // namespace

static Bounded toBounded(Integer x) {
  return {static_cast<double>(x.value), x.error};
}

static Integer toInteger(DType dtype, uint64_t value) {
  return {wrap(dtype, value)};
}

/// `exact` with the bound of the same operation on reals.
static Integer withBound(DType dtype, Integer exact, Bounded real) {
  // Not so if NaN.
  bool fits = real.low() >= static_cast<double>(getMinInteger(dtype)) &&
              real.high() < static_cast<double>(getMaxInteger(dtype));
  bool mayWrap = !fits;
  return {exact.value, mayWrap ? kInfinity : real.error};
}

static int64_t divide(DType dtype, int64_t x, int64_t y) {
  if (y == 0)
    return 0;
  // The smallest integer by -1 wraps to itself.
  return y == -1 ? wrap(dtype, -static_cast<uint64_t>(x)) : x / y;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

template <typename Exact, typename Real>
static PointFunction makeBinary(DType dtype, Exact exact, Real real) {
  return [=](Inputs x) {
    Integer result = toInteger(dtype, exact(x[0].value, x[1].value));
    if (x[0].isExact() && x[1].isExact())
      return result;
    return withBound(dtype, result,
                     mapMonotone(real, toBounded(x[0]), toBounded(x[1])));
  };
}

template <typename Exact, typename Real>
static PointFunction makeUnary(DType dtype, Exact exact, Real real) {
  return [=](Inputs x) {
    Integer result = toInteger(dtype, exact(x[0].value));
    return x[0].isExact() ? result
                          : withBound(dtype, result, real(toBounded(x[0])));
  };
}

static PointFunction makeDivision(DType dtype) {
  return [=](Inputs x) -> Integer {
    Integer result = {divide(dtype, x[0].value, x[1].value)};
    if (x[0].isExact() && x[1].isExact())
      return result;
    Bounded divisor = toBounded(x[1]);
    if (divisor.mayBeZero())
      return {result.value, kInfinity};
    auto real = [](double a, double b) { return std::trunc(a / b); };
    return withBound(dtype, result,
                     mapMonotone(real, toBounded(x[0]), divisor));
  };
}

static PointFunction makeMinMax(DType dtype, bool isMax) {
  return makeBinary(
      dtype,
      [=](int64_t a, int64_t b) {
        return isMax ? std::max(a, b) : std::min(a, b);
      },
      [=](double a, double b) {
        return isMax ? std::max(a, b) : std::min(a, b);
      });
}

static PointFunction getArithmetic(Operation *op, DType dtype) {
  return llvm::TypeSwitch<Operation *, PointFunction>(op)
      .Case([&](AddOp) {
        return makeBinary(
            dtype, [](uint64_t a, uint64_t b) { return a + b; },
            [](double a, double b) { return a + b; });
      })
      .Case([&](SubOp) {
        return makeBinary(
            dtype, [](uint64_t a, uint64_t b) { return a - b; },
            [](double a, double b) { return a - b; });
      })
      .Case([&](MulOp) {
        return makeBinary(
            dtype, [](uint64_t a, uint64_t b) { return a * b; },
            [](double a, double b) { return a * b; });
      })
      .Case([&](DivOp) { return makeDivision(dtype); })
      .Case([&](MinOp) { return makeMinMax(dtype, /*isMax=*/false); })
      .Case([&](MaxOp) { return makeMinMax(dtype, /*isMax=*/true); })
      .Case([&](NegOp) {
        return makeUnary(
            dtype, [](uint64_t a) { return -a; }, &Arithmetic::neg);
      })
      .Case([&](AbsOp) {
        return makeUnary(
            dtype,
            [](int64_t a) { return a < 0 ? -static_cast<uint64_t>(a) : a; },
            &Arithmetic::abs);
      })
      .Case([&](SignOp) {
        return makeUnary(
            dtype, [](int64_t a) { return (a > 0) - (a < 0); },
            &Arithmetic::sign);
      })
      .Case([&](ReluOp) {
        return makeUnary(
            dtype, [](int64_t a) { return std::max<int64_t>(a, 0); },
            [](Bounded a) { return Arithmetic::max(a, {}); });
      })
      .Case([&](ClampOp) {
        PointFunction max = makeMinMax(dtype, true);
        PointFunction min = makeMinMax(dtype, false);
        return [=](Inputs x) {
          Integer atLeast = max({x[0], x[1]});
          return min({atLeast, x[2]});
        };
      })
      .Default([](Operation *) { return nullptr; });
}

//===----------------------------------------------------------------------===//
// Remainders and bits
//===----------------------------------------------------------------------===//

/// Of what is not exact nothing is known.
template <typename Exact>
static PointFunction makeExact(DType dtype, Exact exact) {
  return [=](Inputs x) -> Integer {
    Integer result = toInteger(dtype, exact(x));
    bool isExact = llvm::all_of(x, [](Integer y) { return y.isExact(); });
    return {result.value, isExact ? 0.0 : kInfinity};
  };
}

/// Towards zero; where the divisor is 0, the dividend.
static int64_t takeRest(int64_t x, int64_t y) {
  return y == 0 ? x : y == -1 ? 0 : x % y;
}

/// Towards -inf.
static int64_t takeModulus(int64_t x, int64_t y) {
  int64_t rest = takeRest(x, y);
  return y != 0 && rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

static PointFunction getBits(Operation *op, DType dtype) {
  int64_t bits = 8 * getBytes(dtype);
  auto isInRange = [bits](int64_t amount) {
    return amount >= 0 && amount < bits;
  };
  return llvm::TypeSwitch<Operation *, PointFunction>(op)
      .Case([&](FmodOp) {
        return makeExact(
            dtype, [](Inputs x) { return takeRest(x[0].value, x[1].value); });
      })
      .Case([&](RemainderOp) {
        return makeExact(dtype, [](Inputs x) {
          return takeModulus(x[0].value, x[1].value);
        });
      })
      .Case([&](AndOp) {
        return makeExact(dtype,
                         [](Inputs x) { return x[0].value & x[1].value; });
      })
      .Case([&](OrOp) {
        return makeExact(dtype,
                         [](Inputs x) { return x[0].value | x[1].value; });
      })
      .Case([&](XorOp) {
        return makeExact(dtype,
                         [](Inputs x) { return x[0].value ^ x[1].value; });
      })
      .Case([&](NotOp) {
        return makeExact(dtype, [](Inputs x) { return ~x[0].value; });
      })
      .Case([&](ShlOp) {
        return makeExact(dtype, [=](Inputs x) -> uint64_t {
          return isInRange(x[1].value)
                     ? static_cast<uint64_t>(x[0].value) << x[1].value
                     : 0;
        });
      })
      .Case([&](ShrOp) {
        return makeExact(dtype, [=](Inputs x) {
          return x[0].value >> (isInRange(x[1].value) ? x[1].value : 63);
        });
      })
      .Default([](Operation *) { return nullptr; });
}

//===----------------------------------------------------------------------===//
// Booleans
//===----------------------------------------------------------------------===//

/// `deciding` settles the result whatever the other operand is.
static PointFunction makeLogic(bool deciding) {
  return [=](Inputs x) -> Integer {
    bool isDecided = (x[0].isExact() && x[0].value == deciding) ||
                     (x[1].isExact() && x[1].value == deciding);
    if (isDecided)
      return {deciding};
    bool value = deciding ? x[0].value || x[1].value : x[0].value && x[1].value;
    return {value, std::max(x[0].error, x[1].error)};
  };
}

static PointFunction getLogic(Operation *op) {
  return llvm::TypeSwitch<Operation *, PointFunction>(op)
      .Case([](AndOp) { return makeLogic(false); })
      .Case([](OrOp) { return makeLogic(true); })
      .Case([](XorOp) {
        return [](Inputs x) -> Integer {
          return {x[0].value != x[1].value, std::max(x[0].error, x[1].error)};
        };
      })
      .Case([](NotOp) {
        return [](Inputs x) -> Integer { return {!x[0].value, x[0].error}; };
      })
      .Default([](Operation *) { return nullptr; });
}

static PointFunction getSelect(Operation *op) {
  if (!isa<SelectOp>(op))
    return nullptr;
  return [](Inputs x) -> Integer {
    Integer chosen = x[0].value ? x[1] : x[2];
    Integer other = x[0].value ? x[2] : x[1];
    if (x[0].isExact() ||
        (chosen.value == other.value && chosen.isExact() && other.isExact()))
      return chosen;
    double distance =
        std::fabs(toBounded(chosen).value - toBounded(other).value);
    return {chosen.value, std::max(chosen.error, other.error + distance)};
  };
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

template <typename T>
static bool compare(ComparePredicate predicate, T x, T y) {
  switch (predicate) {
  case ComparePredicate::eq:
    return x == y;
  case ComparePredicate::ne:
    return x != y;
  case ComparePredicate::lt:
    return x < y;
  case ComparePredicate::le:
    return x <= y;
  case ComparePredicate::gt:
    return x > y;
  case ComparePredicate::ge:
    return x >= y;
  }
  llvm_unreachable("unknown comparison");
}

/// Certain where both are exact, one is NaN, or their intervals lie apart.
static Integer compareBounded(ComparePredicate predicate, Bounded x,
                              Bounded y) {
  bool value = compare(predicate, x.value, y.value);
  auto isNaN = [](Bounded z) { return std::isnan(z.value) && z.isExact(); };
  bool certain = (x.isKnown() && y.isKnown()) || isNaN(x) || isNaN(y) ||
                 x.high() < y.low() || y.high() < x.low();
  return {value, certain ? 0.0 : 1.0};
}

static Value evaluateCompare(CompareOp op, const Sizes &space,
                             Operands operands) {
  const Value &x = *operands[0], &y = *operands[1];
  bool isFloats = isFloat(x.dtype);
  ComparePredicate predicate = op.getPredicate();
  Reader readX(x), readY(y);
  Value result = Value::zeros(DType::I1, space);
  auto visit = [&](int64_t number, ArrayRef<int64_t> at) {
    Integer flag;
    if (isFloats)
      flag = compareBounded(predicate, readX[at[0]], readY[at[1]]);
    else if (x.getError(at[0]) == 0.0 && y.getError(at[1]) == 0.0)
      flag = {compare(predicate, x.ints[at[0]], y.ints[at[1]])};
    else
      flag = compareBounded(predicate,
                            toBounded({x.ints[at[0]], x.getError(at[0])}),
                            toBounded({y.ints[at[1]], y.getError(at[1])}));
    result.ints[number] = flag.value;
    result.error[number] = flag.error;
  };
  forEachPoint(space,
               {getBroadcastStrides(x.shape, space),
                getBroadcastStrides(y.shape, space)},
               kGrain, visit);
  return result;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

static Value mapPoints(const PointFunction &function, DType dtype,
                       const Sizes &space, Operands operands) {
  llvm::SmallVector<Sizes> strides;
  for (const Value *operand : operands)
    strides.push_back(getBroadcastStrides(operand->shape, space));
  Value result = Value::zeros(dtype, space);
  forEachPoint(
      space, strides, kGrain, [&](int64_t number, ArrayRef<int64_t> at) {
        std::array<Integer, 3> inputs;
        for (size_t i = 0; i < operands.size(); ++i)
          inputs[i] = {operands[i]->ints[at[i]], operands[i]->getError(at[i])};
        Integer element =
            function(ArrayRef(inputs).take_front(operands.size()));
        result.ints[number] = element.value;
        result.error[number] = element.error;
      });
  return result;
}

llvm::Expected<Value>
mlir::fuse::reference::evaluateIntegers(Operation *op, const Sizes &space,
                                        Operands operands) {
  if (auto compareOp = dyn_cast<CompareOp>(op))
    return evaluateCompare(compareOp, space, operands);
  DType dtype = getResultDType(op);
  PointFunction function = getSelect(op);
  if (!function)
    function = dtype == DType::I1 ? getLogic(op) : getArithmetic(op, dtype);
  if (!function && dtype != DType::I1)
    function = getBits(op, dtype);
  if (!function)
    return makeError(op, "expected an op of the fuse dialect that the oracle "
                         "knows; verify an earlier stage of the program");
  return mapPoints(function, dtype, space, operands);
}
