//===- EvaluateRotary.cpp - Rotary position embedding ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

namespace {

struct Rotation {
  Bounded cos, sin;
};

/// The operands of a rotary op by name; null where they are not given.
struct RotaryOperands {
  RotaryOperands(RotaryOp op, Operands operands) {
    auto take = [&](bool given) -> const Value * {
      if (!given)
        return nullptr;
      const Value *first = operands.front();
      operands = operands.drop_front();
      return first;
    };
    input = take(true);
    cos = take(bool(op.getCosTable()));
    sin = take(bool(op.getSinTable()));
    positions = take(bool(op.getPositions()));
  }
  const Value *input, *cos, *sin, *positions;
};

class Rotary {
public:
  Rotary(RotaryOp op, Operands operands)
      : op(op), in(op, operands), tokenAxis(op.getTokenAxis()),
        tokens(in.input->shape[tokenAxis]), pairs(op.getRotaryDims() / 2),
        dtype(in.input->dtype), wide(isNarrow(dtype) ? DType::F32 : dtype),
        arithmetic(wide),
        base(op.getBase() ? op.getBase()->convertToDouble() : 0.0),
        result(*in.input) {
    result.error.resize(result.size());
  }

  llvm::Expected<Value> run() {
    if (auto error = checkSizes())
      return std::move(error);
    // One row of features is a point.
    Sizes rows(in.input->shape);
    int64_t features = rows.pop_back_val();
    Sizes batch(rows.size(), 0), token(rows.size(), 0);
    token[tokenAxis] = 1;
    // Positions of shape [tokens] are shared by all batches.
    bool perBatch = in.positions && in.positions->shape.size() == 2;
    if (perBatch)
      batch[0] = 1;
    forEachPoint(rows, {batch, token}, 16,
                 [&](int64_t row, llvm::ArrayRef<int64_t> at) {
                   rotateRow(row * features, at[0], at[1]);
                 });
    return std::move(result);
  }

private:
  llvm::Error checkSizes() const {
    if (in.cos)
      if (auto error = checkSize(op, "the rows of the two tables",
                                 in.cos->shape[0], in.sin->shape[0]))
        return error;
    if (in.cos && !in.positions)
      return checkSize(op, "the tokens and the rows of the tables", tokens,
                       in.cos->shape[0]);
    if (!in.positions)
      return llvm::Error::success();
    if (auto error = checkSize(op, "the tokens and the positions", tokens,
                               in.positions->shape.back()))
      return error;
    if (in.positions->shape.size() < 2)
      return llvm::Error::success();
    return checkSize(op, "the batches of the input and of the positions",
                     in.input->shape[0], in.positions->shape[0]);
  }

  Rotation getRotation(int64_t position, int64_t pair) const {
    if (!in.cos)
      return computeRotation(position, pair);
    int64_t rows = in.cos->shape[0];
    int64_t row = std::clamp<int64_t>(position, 0, rows - 1);
    int64_t index = row * pairs + pair;
    return {Reader(*in.cos)[index], Reader(*in.sin)[index]};
  }

  /// The bound is docs/math.md's: the angle wraps in units of 2^-64 turn.
  Rotation computeRotation(int64_t position, int64_t pair) const {
    long double exponent = -static_cast<long double>(pair) / pairs;
    long double angle = position * std::pow(base, exponent);
    double angleError = std::fabs(static_cast<double>(position)) * 0x1p-60;
    auto bound = [&](long double value) {
      return arithmetic.round({static_cast<double>(value), angleError}, 2.0);
    };
    return {bound(std::cos(angle)), bound(std::sin(angle))};
  }

  /// x c + y s. One of the products need not be rounded, and then it does not
  /// overflow either.
  Bounded sumOfProducts(Bounded x, Bounded c, Bounded y, Bounded s) const {
    Bounded first = arithmetic.mul(x, c), second = arithmetic.mul(y, s);
    Bounded sum = arithmetic.add(first, second);
    auto overflows = [](Bounded x, Bounded y, Bounded product) {
      return std::isfinite(x.value) && std::isfinite(y.value) &&
             !std::isfinite(product.value);
    };
    if (overflows(x, c, first) || overflows(y, s, second))
      sum.error = kInfinity;
    return mayRound(wide, dtype, sum);
  }

  void rotateRow(int64_t base, int64_t batch, int64_t token) {
    int64_t position = token;
    bool certain = true;
    if (in.positions) {
      int64_t index = batch * tokens + token;
      position = in.positions->ints[index];
      certain = in.positions->getError(index) == 0.0;
    }
    bool isInterleaved = op.getLayout() == RotaryLayout::interleaved;
    Reader read(*in.input);
    for (int64_t pair = 0; pair < pairs; ++pair) {
      int64_t first = base + (isInterleaved ? 2 * pair : pair);
      int64_t second = isInterleaved ? first + 1 : first + pairs;
      auto [cos, sin] = getRotation(position, pair);
      if (op.getInverse())
        sin = Arithmetic::neg(sin);
      if (!certain)
        cos.error = sin.error = kInfinity;
      Bounded a = read[first], b = read[second];
      store(result, first, sumOfProducts(a, cos, b, Arithmetic::neg(sin)));
      store(result, second, sumOfProducts(b, cos, a, sin));
    }
  }

  RotaryOp op;
  RotaryOperands in;
  int64_t tokenAxis, tokens, pairs;
  DType dtype, wide;
  Arithmetic arithmetic;
  /// Of computed angles.
  long double base;
  Value result;
};

} // namespace

llvm::Expected<Value> mlir::fuse::reference::evaluateRotary(RotaryOp op,
                                                            Operands operands) {
  return Rotary(op, operands).run();
}
