//===- Reducer.h - The algebra of one reduction -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction keeps a state of one to three values: the running sum, for
// fuse.softmax_stats the running maximum m and s = sum of exp(x - m), for
// fuse.welford a number of elements, their sum and their squared deviations.
// States start at an identity, take elements in, and combine with each other;
// lanes, threads and warps are all combined by the same rule.
//
// The maximum and the sum belong together: a sum is rescaled where its maximum
// grows. Where the lanes of a vector are parts of one result they share one
// maximum, so that a step rescales once and not once a lane, and so do threads:
// first all agree on the maximum, then each rescales its sum once.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_REDUCER_H
#define FUSE_LIB_CONVERSION_REDUCER_H

#include "Points/PointEmitter.h"

namespace mlir::fuse {

/// One value per component of the state; scalars or vectors.
using ReductionState = SmallVector<Value, 2>;

/// What is taken into a state at once: as many elements as it has lanes, or one
/// that goes to the first of them.
struct ReducedElements {
  Value value;
  /// An i1; where it is false they count as nothing. Null for always.
  Value guard;
  /// 1, or those of the state. The value has one lane where all are the same.
  int64_t lanes;
};

class Reducer {
public:
  /// What the lanes of a vector state are.
  enum class Lanes { results, partsOfOneResult };

  /// `op` is a reduction.
  Reducer(PointEmitter &emitter, Operation *op, Lanes lanes = Lanes::results);

  Operation *getOp() const { return op; }
  Value getInput() const { return op->getOperand(0); }
  ArrayRef<int64_t> getDims() const { return dims; }

  ReductionState identity(int64_t lanes);
  /// Takes elements in; an online sum is rescaled once for all of them.
  ReductionState accumulate(const ReductionState &state,
                            ArrayRef<ReducedElements> elements);
  ReductionState combine(const ReductionState &a, const ReductionState &b);
  /// All of them, as a tree over their order.
  ReductionState combineAll(ArrayRef<ReductionState> states);

  /// Whether the state is a maximum and a sum relative to it.
  bool isOnline() const { return isa<SoftmaxStatsOp>(op); }
  /// Whether it is a number, a sum and deviations; no component of it can be
  /// combined without the others.
  bool isWelford() const { return isa<WelfordOp>(op); }
  /// One component of two states. Sums must be relative to one maximum.
  Value combineComponent(unsigned component, Value a, Value b);
  /// The sum of an online state, relative to another maximum.
  Value rescale(const ReductionState &state, Value maximum);
  /// Terms of a block, which are added up one after the other: more where a
  /// block costs more than a few additions, where a sum has registers only, and
  /// where elements of 16 bits leave less of a sum anyway.
  static constexpr int64_t shortBlock = 64, longBlock = 256;
  int64_t blockSize() const;
  /// Whether the error of the state grows with the number of terms that are
  /// taken in one after the other, as a sum's does, and in blocks it does not.
  bool addsUp() const;
  /// What the additions of blocks have rounded off before the first one.
  ReductionState noRest(const ReductionState &state);
  ReductionState startBlock(const ReductionState &state);
  /// The state and its rest when the state of a block comes to them.
  std::pair<ReductionState, ReductionState>
  addBlock(const ReductionState &state, const ReductionState &rest,
           const ReductionState &block);
  ReductionState addRest(ReductionState state, const ReductionState &rest);
  /// Whether all lanes of a state have one value of that component: a number of
  /// elements.
  bool isShared(unsigned component) const {
    return isWelford() && component == 0;
  }
  /// Combines the lanes of a vector state, as a tree.
  ReductionState reduceLanes(ReductionState state);
  /// The op's results from the final state of `count` elements.
  SmallVector<Value, 2> finish(const ReductionState &state, const Index &count);

  /// The point of result `number` that belongs to a point of the input.
  Point resultPoint(const Point &inputPoint);
  /// The point of the input that belongs to a point of the result and to
  /// indices of the reduced dimensions.
  Point inputPoint(const Point &resultPoint, ArrayRef<Index> reduced);
  /// The extents of the reduced dimensions.
  SmallVector<Extent> reducedExtents() const;

private:
  bool isReduced(int64_t axis) const { return llvm::is_contained(dims, axis); }
  bool isExtreme();
  Value narrowed(Value value);
  /// `make` of the values, or where all are widened, of what they were, widened
  /// after it.
  Value inNarrow(ArrayRef<Value> values,
                 llvm::function_ref<Value(ArrayRef<Value>)> make);
  Value extremeOf(Value a, Value b);
  bool isFloatSum() const;
  Value addUp(Value total, ArrayRef<ReducedElements> elements);
  Value takeTerms(Value total, Value terms);
  Value dividedBy(Value sum, const Index &count);
  Value combineOne(Value a, Value b);
  Value combineTree(unsigned component, ArrayRef<Value> parts);
  Value mask(Value elements, Value guard);
  Value takeIn(unsigned component, Value total, Value elements);
  ReductionState takeOnline(const ReductionState &state,
                            ArrayRef<Value> elements);
  /// The lanes of `value` combined as component `component`, as a tree.
  Value foldLanes(unsigned component, Value value);
  /// m, or 0 where m is -inf: exp(x - m) is then 0 and not NaN. Sums relative
  /// to +inf are anything until the end.
  Value safeMaximum(Value maximum);
  /// Of what is at most 0; as a term of the sum, or as a factor.
  Value exp(Value exponent, bool isTerm);
  /// The sum, but +inf where the maximum is.
  Value sumOfInfinity(Value maximum, Value sum);
  Value identityOf(unsigned component);

  Value addCounts(Value a, Value b);
  Value reciprocalOfCount(Value n);
  Value meanOf(const ReductionState &state);
  std::pair<Value, Value> distanceOf(const ReductionState &a,
                                     const ReductionState &b, Value n);
  ReductionState welfordOf(ArrayRef<Value> elements, Value otherSquares);
  ReductionState takeWelford(ReductionState state,
                             ArrayRef<ReducedElements> elements);
  ReductionState combineWelford(const ReductionState &a,
                                const ReductionState &b);
  SmallVector<Value, 2> finishWelford(const ReductionState &state,
                                      const Index &number);

  PointEmitter &emitter;
  OpBuilder &builder;
  Operation *op;
  Location loc;
  ArrayRef<int64_t> dims;
  bool keep;
  /// Null for other ops.
  ReduceOp reduce;
  Lanes lanes;
  Type type;
};

/// Whether the value, or each of its lanes, is the constant 0.
bool isZero(Value value);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_REDUCER_H
