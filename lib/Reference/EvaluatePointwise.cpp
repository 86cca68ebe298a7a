//===- EvaluatePointwise.cpp - Pointwise ops on floats --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <functional>

using namespace mlir::fuse;
using namespace mlir::fuse::reference;
using llvm::ArrayRef;
using llvm::isa;
using mlir::Operation;

namespace {
using Inputs = ArrayRef<Bounded>;
/// What an op does at a point. Empty for an op that is not one on floats.
using PointFunction = std::function<Bounded(Inputs)>;

constexpr int64_t kGrain = 1 << 12;
} // namespace

/// The arithmetic of a primitive, with the accuracy that a composite it comes
/// from left on it.
static Arithmetic getArithmetic(Operation *op, DType dtype) {
  if (auto accuracy = op->getAttrOfType<mlir::TypeAttr>(kAccuracyAttr))
    return Arithmetic(dtype, getDType(accuracy.getValue()).value_or(dtype));
  return Arithmetic(dtype);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// 0.5 x (1 + tanh(u)) is x sigmoid(2 u), which does not cancel.
static Bounded geluTanh(const Arithmetic &a, Bounded x) {
  const double slope = 2.0 * std::sqrt(2.0 / llvm::numbers::pi);
  Bounded cubic = a.mul(a.mul(x, x), a.constant(slope * 0.044715));
  Bounded angle = a.mul(x, a.add(cubic, a.constant(slope)));
  return a.mul(x, a.sigmoid(angle));
}

static Bounded geluErf(const Arithmetic &a, Bounded x) {
  Bounded erf = a.erf(a.mul(x, a.constant(llvm::numbers::inv_sqrt2)));
  Bounded half = a.mul(x, a.constant(0.5));
  return a.mul(half, a.add(erf, a.constant(1.0)));
}

static Bounded gelu(const Arithmetic &a, GeluForm form, Bounded x) {
  switch (form) {
  case GeluForm::tanh:
    return geluTanh(a, x);
  case GeluForm::erf:
    return geluErf(a, x);
  case GeluForm::sigmoid:
    return a.mul(x, a.sigmoid(a.mul(x, a.constant(1.702))));
  }
  llvm_unreachable("unknown form of gelu");
}

static Bounded silu(const Arithmetic &a, Bounded x) {
  return a.mul(x, a.sigmoid(x));
}

static PointFunction getActivation(Operation *op, DType dtype) {
  Arithmetic outer(dtype), inner = Arithmetic::inside(dtype);
  DType wide = isNarrow(dtype) ? DType::F32 : dtype;
  return llvm::TypeSwitch<Operation *, PointFunction>(op)
      .Case([=](SiluOp) { return [=](Inputs x) { return silu(outer, x[0]); }; })
      .Case([=](SwigluOp) {
        return [=](Inputs x) { return outer.mul(silu(outer, x[0]), x[1]); };
      })
      .Case([=](ReluOp) {
        return [=](Inputs x) { return Arithmetic::max(x[0], {0.0, 0.0}); };
      })
      .Case([=](GeluOp gate) {
        return [=, form = gate.getForm()](Inputs x) {
          return mayRound(wide, dtype, gelu(inner, form, x[0]));
        };
      })
      .Case([=](GegluOp gate) {
        return [=, form = gate.getForm()](Inputs x) {
          Bounded product = inner.mul(gelu(inner, form, x[0]), x[1]);
          return mayRound(wide, dtype, product);
        };
      })
      .Default([](Operation *) { return nullptr; });
}

//===----------------------------------------------------------------------===//
// Primitives
//===----------------------------------------------------------------------===//

using Unary = Bounded (Arithmetic::*)(Bounded) const;
using ExactUnary = Bounded (*)(Bounded);
using Binary = Bounded (Arithmetic::*)(Bounded, Bounded) const;

static PointFunction getUnary(Operation *op, const Arithmetic &a) {
  auto exact = [](ExactUnary f) { return [=](Inputs x) { return f(x[0]); }; };
  auto rounded = [&](Unary f) {
    return [=](Inputs x) { return (a.*f)(x[0]); };
  };
  using A = Arithmetic;
  return llvm::TypeSwitch<Operation *, PointFunction>(op)
      .Case([&](NegOp) { return exact(&A::neg); })
      .Case([&](AbsOp) { return exact(&A::abs); })
      .Case([&](SignOp) { return exact(&A::sign); })
      .Case([&](FloorOp) { return exact(&A::floor); })
      .Case([&](CeilOp) { return exact(&A::ceil); })
      .Case([&](RoundOp) { return exact(&A::roundEven); })
      .Case([&](TruncOp) { return exact(&A::trunc); })
      .Case([&](ExpOp) { return rounded(&A::exp); })
      .Case([&](Exp2Op) { return rounded(&A::exp2); })
      .Case([&](Expm1Op) { return rounded(&A::expm1); })
      .Case([&](LogOp) { return rounded(&A::log); })
      .Case([&](Log2Op) { return rounded(&A::log2); })
      .Case([&](Log1pOp) { return rounded(&A::log1p); })
      .Case([&](SqrtOp) { return rounded(&A::sqrt); })
      .Case([&](RsqrtOp) { return rounded(&A::rsqrt); })
      .Case([&](RecipOp) { return rounded(&A::recip); })
      .Case([&](SinOp) { return rounded(&A::sin); })
      .Case([&](CosOp) { return rounded(&A::cos); })
      .Case([&](TanhOp) { return rounded(&A::tanh); })
      .Case([&](ErfOp) { return rounded(&A::erf); })
      .Case([&](SigmoidOp) { return rounded(&A::sigmoid); })
      .Default([](Operation *) { return nullptr; });
}

static PointFunction getBinary(Operation *op, const Arithmetic &a) {
  auto rounded = [&](Binary f) {
    return [=](Inputs x) { return (a.*f)(x[0], x[1]); };
  };
  using A = Arithmetic;
  return llvm::TypeSwitch<Operation *, PointFunction>(op)
      .Case([&](AddOp) { return rounded(&A::add); })
      .Case([&](SubOp) { return rounded(&A::sub); })
      .Case([&](MulOp) { return rounded(&A::mul); })
      .Case([&](DivOp) {
        return rounded(op->hasAttr(kAccuracyAttr) ? &A::quotient : &A::div);
      })
      .Case([&](PowOp) { return rounded(&A::pow); })
      .Case([&](RemainderOp) { return rounded(&A::remainder); })
      .Case([](FmodOp) { return [](Inputs x) { return A::fmod(x[0], x[1]); }; })
      .Case([](MinOp) { return [](Inputs x) { return A::min(x[0], x[1]); }; })
      .Case([](MaxOp) { return [](Inputs x) { return A::max(x[0], x[1]); }; })
      .Case([](ClampOp) {
        return [](Inputs x) { return A::min(A::max(x[0], x[1]), x[2]); };
      })
      .Default([](Operation *) { return nullptr; });
}

static PointFunction getFunction(Operation *op, DType dtype) {
  Arithmetic arithmetic = getArithmetic(op, dtype);
  if (PointFunction function = getUnary(op, arithmetic))
    return function;
  if (PointFunction function = getBinary(op, arithmetic))
    return function;
  return getActivation(op, dtype);
}

//===----------------------------------------------------------------------===//
// Walking the operands
//===----------------------------------------------------------------------===//

static Value mapPoints(const PointFunction &function, DType dtype,
                       const Sizes &space, Operands operands) {
  llvm::SmallVector<Sizes> strides;
  llvm::SmallVector<Reader> readers;
  for (const Value *operand : operands) {
    strides.push_back(getBroadcastStrides(operand->shape, space));
    readers.emplace_back(*operand);
  }
  Value result = Value::zeros(dtype, space);
  forEachPoint(space, strides, kGrain,
               [&](int64_t number, ArrayRef<int64_t> offsets) {
                 std::array<Bounded, 3> inputs;
                 for (size_t i = 0; i < readers.size(); ++i)
                   inputs[i] = readers[i][offsets[i]];
                 Inputs used = ArrayRef(inputs).take_front(readers.size());
                 store(result, number, function(used));
               });
  return result;
}

/// A condition that is not certain allows both values.
static Bounded select(bool condition, bool certain, Bounded x, Bounded y) {
  Bounded chosen = condition ? x : y;
  if (certain)
    return chosen;
  Bounded other = condition ? y : x;
  if (chosen.isUnbounded() || other.isUnbounded())
    return {chosen.value, kInfinity};
  return include(include(include(chosen, other.value), other.low()),
                 other.high());
}

static Value evaluateSelect(const Sizes &space, Operands operands) {
  llvm::SmallVector<Sizes> strides;
  for (const Value *operand : operands)
    strides.push_back(getBroadcastStrides(operand->shape, space));
  const Value &condition = *operands[0];
  Reader x(*operands[1]), y(*operands[2]);
  Value result = Value::zeros(operands[1]->dtype, space);
  forEachPoint(
      space, strides, kGrain, [&](int64_t number, ArrayRef<int64_t> at) {
        bool certain = condition.getError(at[0]) == 0.0;
        store(result, number,
              select(condition.ints[at[0]], certain, x[at[1]], y[at[2]]));
      });
  return result;
}

llvm::Expected<Value>
mlir::fuse::reference::evaluatePointwise(Operation *op, Operands operands) {
  auto space = getBroadcastShape(op, operands);
  if (!space)
    return space.takeError();
  DType dtype = getResultDType(op);
  if (!isFloat(dtype))
    return evaluateIntegers(op, *space, operands);
  if (isa<SelectOp>(op))
    return evaluateSelect(*space, operands);
  PointFunction function = getFunction(op, dtype);
  if (!function)
    return makeError(op, "expected an op of the fuse dialect that the oracle "
                         "knows; verify an earlier stage of the program");
  return mapPoints(function, dtype, *space, operands);
}
