//===- BlockedReducer.cpp - Sums of blocks of terms -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one accumulator rounds off grows with the number of terms, so that long
// loops add up blocks: in
//
//   block = 0;  block += x[0], ..., block += x[63];  sum += block
//
// an error is made 64 times for each block, and once for each block. The latter
// is kept beside the sum: where the sum is the larger of the two, an addition
// is off by a float, which three more find (FastTwoSum; Dekker, Numerische
// Mathematik 18, 1971). Where the block is the larger one, what they miss is
// half a unit in the last place of the block. So the error of the whole is that
// of one block, however many there are.
//
//===----------------------------------------------------------------------===//

#include "CompensatedSum.h"
#include "Reducer.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::fuse;

CompensatedSum mlir::fuse::addTerm(OpBuilder &builder, Location loc,
                                   const CompensatedSum &to, Value term) {
  Value sum = arith::AddFOp::create(builder, loc, to.sum, term);
  Value taken = arith::SubFOp::create(builder, loc, sum, to.sum);
  Value off = arith::SubFOp::create(builder, loc, term, taken);
  return {sum, arith::AddFOp::create(builder, loc, to.rest, off)};
}

Value mlir::fuse::totalOf(OpBuilder &builder, Location loc,
                          const CompensatedSum &sum) {
  Value total = arith::AddFOp::create(builder, loc, sum.sum, sum.rest);
  // What an infinity is off by is an infinity of the other sign, or no number.
  Value isNumber = arith::CmpFOp::create(
      builder, loc, arith::CmpFPredicate::ORD, total, total);
  return arith::SelectOp::create(builder, loc, isNumber, total, sum.sum);
}

/// The rest, or 0 where `test` is an infinity or no number. Once a sum is an
/// infinity its rests are infinities or no numbers, and what they go into is no
/// number.
static Value restIfFinite(OpBuilder &builder, Location loc, Value rest,
                          Value test) {
  Type type = getElementTypeOrSelf(rest.getType());
  auto constant = [&](const APFloat &value) -> Value {
    TypedAttr attr = builder.getFloatAttr(type, value);
    if (auto vector = dyn_cast<VectorType>(rest.getType()))
      attr = DenseElementsAttr::get(vector, attr);
    return arith::ConstantOp::create(builder, loc, attr);
  };
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  Value magnitude = math::AbsFOp::create(builder, loc, test);
  Value isFinite =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, magnitude,
                            constant(APFloat::getInf(semantics)));
  return arith::SelectOp::create(builder, loc, isFinite, rest,
                                 constant(APFloat::getZero(semantics)));
}

CompensatedSum mlir::fuse::normalized(OpBuilder &builder, Location loc,
                                      const CompensatedSum &sum) {
  Value total = totalOf(builder, loc, sum);
  Value taken = arith::SubFOp::create(builder, loc, total, sum.sum);
  Value rest = arith::SubFOp::create(builder, loc, sum.rest, taken);
  return {total, restIfFinite(builder, loc, rest, rest)};
}

/// Kahan, Communications of the ACM 8, 1965.
CompensatedSum mlir::fuse::addNormalized(OpBuilder &builder, Location loc,
                                         const CompensatedSum &to, Value term) {
  Value corrected = arith::AddFOp::create(builder, loc, term, to.rest);
  Value sum = arith::AddFOp::create(builder, loc, to.sum, corrected);
  Value taken = arith::SubFOp::create(builder, loc, sum, to.sum);
  Value rest = arith::SubFOp::create(builder, loc, corrected, taken);
  return {sum, restIfFinite(builder, loc, rest, taken)};
}

bool Reducer::addsUp() const {
  return isOnline() || isWelford() || isFloatSum();
}

int64_t Reducer::blockSize() const {
  Type element = PointEmitter::accuracyOf(op);
  bool isNarrow = element.isF16() || element.isBF16();
  return isOnline() || isWelford() || isNarrow ? longBlock : shortBlock;
}

/// Squared deviations have none: their blocks are combined by products.
ReductionState Reducer::noRest(const ReductionState &state) {
  if (!addsUp() || isWelford())
    return {};
  Value zero = emitter.constant(loc, type, 0);
  return {emitter.splat(loc, zero, lanesIn(state.back()))};
}

/// A maximum runs on from block to block, so that only sums before it have to
/// be rescaled.
ReductionState Reducer::startBlock(const ReductionState &state) {
  ReductionState start = identity(lanesIn(state.back()));
  if (isOnline())
    start[0] = state[0];
  return start;
}

std::pair<ReductionState, ReductionState>
Reducer::addBlock(const ReductionState &state, const ReductionState &rest,
                  const ReductionState &block) {
  if (isWelford())
    return {combineWelford(state, block), {}};
  if (!isOnline()) {
    CompensatedSum sum = addTerm(builder, loc, {state[0], rest[0]}, block[0]);
    return {{sum.sum}, {sum.rest}};
  }
  CompensatedSum rescaled = {rescale(state, block[0]),
                             rescale({state[0], rest[0]}, block[0])};
  CompensatedSum sum = addTerm(builder, loc, rescaled, block[1]);
  return {{block[0], sum.sum}, {sum.rest}};
}

ReductionState Reducer::addRest(ReductionState state,
                                const ReductionState &rest) {
  if (!rest.empty())
    state.back() = totalOf(builder, loc, {state.back(), rest[0]});
  return state;
}
