//===- EmitRotaryPosition.cpp - Positions of a rotary op's tokens ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In ragged batches a token's sequence is found by bisection of the cumulative
// lengths, once for each token that a thread works on. Where their number is
// static, the steps are unrolled: with 8 sequences they are three loads and
// three selects.
//
//===----------------------------------------------------------------------===//

#include "RotaryPosition.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class PositionBuilder {
public:
  PositionBuilder(PointEmitter &emitter, RotaryOp op, const Point &point)
      : emitter(emitter), builder(emitter.getBuilder()), op(op), point(point),
        loc(op.getLoc()), token(point.dims[op.getTokenAxis()]) {}

  Value build();

private:
  Value read(Value numbers, ArrayRef<Index> dims, Value guard);
  Value tokenNumber() {
    return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                      emitter.materialize(token));
  }
  /// The point's guard, where an index depends on it.
  Value guardOf(ArrayRef<Index> dims) {
    bool guarded = llvm::any_of(dims, [](const Index &i) { return i.guarded; });
    return guarded ? point.guard : Value();
  }
  Value both(Value a, Value b) {
    return a && b ? Value(arith::AndIOp::create(builder, loc, a, b))
                  : (a ? a : b);
  }

  /// The first axis, or 0 where `numbers` has one for all.
  Index batchOf(Value numbers) {
    Extent size = emitter.getDims().extent(numbers, 0);
    return size.size == 1 ? Index::constant(0) : point.dims.front();
  }
  Value ownPosition();
  Value offset(const Index &sequence);

  Value start(const Index &sequence);
  Index findSequence();
  std::pair<Value, Value> halve(Value low, Value high);

  PointEmitter &emitter;
  OpBuilder &builder;
  RotaryOp op;
  const Point &point;
  Location loc;
  Index token;
};
} // namespace

/// An element of an integer tensor, as i64.
Value PositionBuilder::read(Value numbers, ArrayRef<Index> dims, Value guard) {
  Point at;
  at.dims.assign(dims.begin(), dims.end());
  at.guard = guard;
  Value number = emitter.emit(numbers, at);
  if (number.getType().isInteger(32))
    number = arith::ExtSIOp::create(builder, loc, builder.getI64Type(), number);
  return number;
}

Value PositionBuilder::build() {
  Value position;
  Index sequence;
  if (op.getSequences()) {
    sequence = findSequence();
    position =
        arith::SubIOp::create(builder, loc, tokenNumber(), start(sequence));
  } else {
    position = ownPosition();
  }
  if (!op.getOffset())
    return position;
  return arith::AddIOp::create(builder, loc, position, offset(sequence));
}

Value PositionBuilder::ownPosition() {
  Value positions = op.getPositions();
  if (!positions)
    return tokenNumber();
  SmallVector<Index, 2> dims = {token};
  if (cast<RankedTensorType>(positions.getType()).getRank() == 2)
    dims.insert(dims.begin(), batchOf(positions));
  return read(positions, dims, guardOf(dims));
}

Value PositionBuilder::offset(const Index &sequence) {
  Value offsets = op.getOffset();
  if (cast<RankedTensorType>(offsets.getType()).getRank() == 0)
    return read(offsets, {}, {});
  if (!op.getSequences()) {
    Index batch = batchOf(offsets);
    return read(offsets, batch, guardOf(batch));
  }
  // Without any sequence there is no offset either.
  Extent size = emitter.getDims().extent(offsets, 0);
  Value exists = emitter.less(sequence, emitter.size(size));
  return read(offsets, sequence, both(guardOf(sequence), exists));
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// The number of the sequence's first token.
Value PositionBuilder::start(const Index &sequence) {
  Extent size = emitter.getDims().extent(op.getSequences(), 0);
  Value exists;
  if (!size.isStatic())
    exists = emitter.less(Index::constant(0), emitter.size(size));
  return read(op.getSequences(), sequence, both(guardOf(sequence), exists));
}

/// A step of the bisection: the token's sequence is in [low, high).
std::pair<Value, Value> PositionBuilder::halve(Value low, Value high) {
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  Value sum = arith::AddIOp::create(builder, loc, low, high);
  Value middle = arith::ShRUIOp::create(builder, loc, sum, one);
  Value begins =
      read(op.getSequences(), Index{middle, 0, token.guarded}, guardOf(token));
  Value isReached = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::sle, begins, tokenNumber());
  return {arith::SelectOp::create(builder, loc, isReached, middle, low),
          arith::SelectOp::create(builder, loc, isReached, high, middle)};
}

/// The last sequence that starts at or before the token, or the first.
Index PositionBuilder::findSequence() {
  Extent size = emitter.getDims().extent(op.getSequences(), 0);
  Value low = arith::ConstantIndexOp::create(builder, loc, 0);
  Value high =
      emitter.materialize(emitter.add(emitter.size(size), Index::constant(-1)));
  if (size.isStatic()) {
    // A step more than there are halves changes nothing: the middle is low.
    for (int64_t step = llvm::Log2_64_Ceil(std::max<int64_t>(size.size - 1, 1));
         step > 0; --step)
      std::tie(low, high) = halve(low, high);
    return {low, 0, token.guarded};
  }
  emitter.materialize(token);
  Type index = builder.getIndexType();
  auto search = scf::WhileOp::create(
      builder, loc, TypeRange{index, index}, ValueRange{low, high},
      [&](OpBuilder &, Location, ValueRange bounds) {
        Value one = arith::ConstantIndexOp::create(builder, loc, 1);
        Value next = arith::AddIOp::create(builder, loc, bounds[0], one);
        Value goesOn = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, next, bounds[1]);
        scf::ConditionOp::create(builder, loc, goesOn, bounds);
      },
      [&](OpBuilder &, Location, ValueRange bounds) {
        PointEmitter::Scope scope(emitter);
        auto [lower, upper] = halve(bounds[0], bounds[1]);
        scf::YieldOp::create(builder, loc, ValueRange{lower, upper});
      });
  return {search.getResult(0), 0, token.guarded};
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

SmallVector<Index, 4> mlir::fuse::rotaryToken(RotaryOp op, const Point &point) {
  SmallVector<Index, 4> token = {point.dims[op.getTokenAxis()],
                                 Index{point.guard}};
  auto rankOf = [](Value numbers) {
    return numbers ? cast<RankedTensorType>(numbers.getType()).getRank() : 0;
  };
  bool isPerBatch = rankOf(op.getPositions()) == 2 ||
                    (!op.getSequences() && rankOf(op.getOffset()) == 1);
  if (isPerBatch)
    token.push_back(point.dims.front());
  return token;
}

Value mlir::fuse::emitRotaryPosition(PointEmitter &emitter, RotaryOp op,
                                     const Point &point) {
  return emitter.remember(op, rotaryToken(op, point), [&] {
    return PositionBuilder(emitter, op, point).build();
  });
}
