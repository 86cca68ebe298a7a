//===- EvaluateRotary.cpp - Rotary position embedding ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "RotaryFrequencies.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

namespace {

struct Rotation {
  Bounded cos, sin;
};

/// Where a token is in its sequence, and whether that is certain.
struct Position {
  int64_t number;
  bool isCertain = true;
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
    sequences = take(bool(op.getSequences()));
    offset = take(bool(op.getOffset()));
    length = take(bool(op.getLength()));
  }
  const Value *input, *cos, *sin, *positions, *sequences, *offset, *length;
};

class Rotary {
public:
  Rotary(RotaryOp op, Operands operands)
      : op(op), in(op, operands), tokenAxis(op.getTokenAxis()),
        tokens(in.input->shape[tokenAxis]), pairs(op.getRotaryDims() / 2),
        dtype(in.input->dtype), wide(isNarrow(dtype) ? DType::F32 : dtype),
        arithmetic(wide), result(*in.input) {
    result.error.resize(result.size());
    if (op.getBase()) {
      frequencies = computeFrequencies(op, in.length ? in.length->ints[0] : 0);
      magnitude = computeMagnitude(op);
    }
    isEverUncertain = in.length && in.length->getError(0) != 0;
    if (in.sequences)
      isEverUncertain |= !llvm::is_sorted(in.sequences->ints) ||
                         llvm::any_of(llvm::seq<int64_t>(in.sequences->size()),
                                      [&](int64_t i) {
                                        return in.sequences->getError(i) != 0;
                                      });
  }

  llvm::Expected<Value> run() {
    if (auto error = checkSizes())
      return std::move(error);
    // One row of features is a point.
    Sizes rows(in.input->shape);
    int64_t features = rows.pop_back_val();
    Sizes batch(rows.size(), 0), token(rows.size(), 0), head(rows.size(), 0);
    token[tokenAxis] = 1;
    if (op.getHeadAxis() >= 0)
      head[op.getHeadAxis()] = 1;
    if (tokenAxis > 0)
      batch[0] = 1;
    int64_t heads = op.getHeads().value_or(in.input->size());
    forEachPoint(rows, {batch, token, head}, 16,
                 [&](int64_t row, llvm::ArrayRef<int64_t> at) {
                   // The other heads are the input's, as they are here.
                   if (at[2] < heads)
                     rotateRow(row * features, getPosition(at[0], at[1]));
                 });
    return std::move(result);
  }

private:
  llvm::Error checkSizes() {
    if (in.cos)
      if (auto error = checkSize(op, "the rows of the two tables",
                                 in.cos->shape[0], in.sin->shape[0]))
        return error;
    if (in.cos && op.countsTokens())
      return checkSize(op, "the tokens and the rows of the tables", tokens,
                       in.cos->shape[0]);
    if (in.positions)
      if (auto error = checkSize(op, "the tokens and the positions", tokens,
                                 in.positions->shape.back()))
        return error;
    if (in.positions && in.positions->shape.size() == 2)
      if (auto error =
              checkSize(op, "the batches of the input and of the positions",
                        in.input->shape[0], in.positions->shape[0]))
        return error;
    if (!in.offset || in.offset->shape.empty())
      return llvm::Error::success();
    if (in.sequences)
      return checkSize(op, "the sequences and the offsets",
                       in.sequences->shape[0] - 1, in.offset->shape[0]);
    return checkSize(op, "the batches of the input and of the offset",
                     in.input->shape[0], in.offset->shape[0]);
  }

  Position getPosition(int64_t batch, int64_t token) const {
    Position position = {token, !isEverUncertain};
    auto add = [&](const Value &numbers, int64_t index, int64_t sign) {
      // Wraps, as integers do.
      position.number = static_cast<uint64_t>(position.number) +
                        sign * static_cast<uint64_t>(numbers.ints[index]);
      position.isCertain &= numbers.getError(index) == 0;
    };
    int64_t offsetIndex = batch;
    if (in.positions) {
      bool isPerBatch = in.positions->shape.size() == 2;
      position.number = 0;
      add(*in.positions, (isPerBatch ? batch * tokens : 0) + token, 1);
    } else if (in.sequences && in.sequences->size() > 0) {
      llvm::ArrayRef<int64_t> starts(in.sequences->ints);
      if (starts.size() > 1)
        starts = starts.drop_back();
      const int64_t *after = llvm::upper_bound(starts, token);
      offsetIndex = std::max<int64_t>(after - starts.begin() - 1, 0);
      add(*in.sequences, offsetIndex, -1);
    }
    if (in.offset && in.offset->shape.empty())
      offsetIndex = 0;
    if (in.offset && offsetIndex < in.offset->size())
      add(*in.offset, offsetIndex, 1);
    return position;
  }

  Rotation getRotation(int64_t position, int64_t pair) {
    if (!in.cos)
      return computeRotation(position, pair);
    int64_t rows = in.cos->shape[0];
    int64_t row = std::clamp<int64_t>(position, 0, rows - 1);
    int64_t index = row * pairs + pair;
    return {Reader(*in.cos)[index], Reader(*in.sin)[index]};
  }

  /// The bound is docs/math.md's: the angle wraps in units of 2^-64 turn.
  Rotation computeRotation(int64_t position, int64_t pair) {
    long double frequency = frequencies[pair];
    long double angle = position * frequency;
    double unit = op.getScalingAttr() ? 0x1p-59 : 0x1p-60;
    double angleError = std::fabs(static_cast<double>(position)) * unit *
                        std::fmax(1.0, static_cast<double>(frequency));
    auto bound = [&](long double value) {
      Bounded plain =
          arithmetic.round({static_cast<double>(value), angleError}, 2.0);
      if (magnitude == 1)
        return plain;
      return arithmetic.mul(plain, arithmetic.constant(magnitude));
    };
    return {bound(std::cos(angle)), bound(std::sin(angle))};
  }

  /// x c + y s.
  Bounded sumOfProducts(Bounded x, Bounded c, Bounded y, Bounded s) const {
    Bounded sum = arithmetic.add(arithmetic.mul(x, c), arithmetic.mul(y, s));
    return mayRound(wide, dtype, sum);
  }

  void rotateRow(int64_t base, Position position) {
    bool isInterleaved = op.getLayout() == RotaryLayout::interleaved;
    Reader read(*in.input);
    for (int64_t pair = 0; pair < pairs; ++pair) {
      int64_t first = base + (isInterleaved ? 2 * pair : pair);
      int64_t second = isInterleaved ? first + 1 : first + pairs;
      auto [cos, sin] = getRotation(position.number, pair);
      if (op.getInverse())
        sin = Arithmetic::neg(sin);
      if (!position.isCertain)
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
  llvm::SmallVector<long double> frequencies;
  double magnitude = 1;
  /// Whether an operand that every position depends on may be another.
  bool isEverUncertain = false;
  Value result;
};

} // namespace

llvm::Expected<Value> mlir::fuse::reference::evaluateRotary(RotaryOp op,
                                                            Operands operands) {
  return Rotary(op, operands).run();
}
