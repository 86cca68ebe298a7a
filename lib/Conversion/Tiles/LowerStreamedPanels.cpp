//===- LowerStreamedPanels.cpp - A softmax between contractions, on a CPU -===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has a tile of queries. For each tile of keys
//
//   pack keys       panels [depth][columns], as LowerPanels.cpp has them
//   multiply        queries x keys: scores [rows][keys], which stay in the
//                   caches of the core
//   row by row      the logits; with a new maximum, what has been summed is
//                   turned to it; exponentials in place of the scores
//   pack values     panels [keys][columns]
//   multiply        weights x values, added to the sums, with compensation
//
// and, with all keys seen, the factors of each row and what follows. Tiles of
// keys that a mask hides whole are left out. Whatever a program does with the
// scores the emitter is asked for, as it is for queries, keys and values.
//
//===----------------------------------------------------------------------===//

#include "LowerStreamedPanels.h"
#include "Mma/KeyRanges.h"
#include "Panels.h"
#include "Reductions/CompensatedSum.h"
#include "Reductions/StreamedFactor.h"
#include "StreamedPlaces.h"

#include "fuse/Conversion/MathExpansion.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace mlir::fuse;

namespace {
class StreamedPanels {
public:
  StreamedPanels(KernelFrame &frame, StreamedPanelsScheduleAttr schedule,
                 StreamedSpace space);

  Grid run();

private:
  void allocate();
  void copyQueries();
  void clear();
  void findKeys();
  std::pair<Value, Value> extremesOf(const Index &first, const Index &last,
                                     KeyRows::Numbers numbers);
  void takeKeys(const Index &key);
  void pack(Panels &packed, const StreamedPlaces::Operand &operand, char own,
            char summed, const Index &firstOwn, const Index &firstPlace,
            const Index &count, const Index &placeCount);
  void multiplyKeys();
  void multiplyValues();
  void makeWeights(const Index &row, bool isWhole);
  void follow(const Index &row, bool isWhole);
  Value emitLogits(const Index &row, const Index &column, int64_t width,
                   bool isWhole);
  Value fromExponentials(Value value, const Index &row, const Index &column,
                         Value exponentials);
  void turnSums(const Index &row, Value turn, Value isFirst);
  void finish();
  void finishRow(const Index &row);

  Value overKeys(double start,
                 llvm::function_ref<Value(const Index &, int64_t, Value)> body,
                 vector::CombiningKind kind);
  Value exp(Value exponent);
  Value larger(Value x, Value y);
  Value baseOf(Value max);

  Value number(double value, int64_t width = 1) {
    return emitter.splat(loc(), emitter.constant(loc(), type, value), width);
  }
  Value isNone(Value max) {
    return arith::CmpFOp::create(
        builder, loc(), arith::CmpFPredicate::OEQ, max,
        number(-std::numeric_limits<double>::infinity()));
  }
  Index scoreAt(const Index &row, const Index &column) {
    return emitter.add(emitter.mul(row, Index::constant(scorePitch())), column);
  }
  Index sumAt(const Index &row, const Index &column) {
    return emitter.add(emitter.mul(row, Index::constant(sumPitch())), column);
  }
  /// Rows do not meet in one set of a cache.
  int64_t scorePitch() const { return schedule.getTileK() + 16; }
  int64_t sumPitch() const {
    return llvm::alignTo(columns, schedule.getColumns());
  }
  int64_t paddedRows() const { return schedule.getTileM() + Panels::edgeRows; }
  Location loc() { return frame.loc(); }

  KernelFrame &frame;
  PointEmitter &emitter;
  OpBuilder &builder;
  StreamedPanelsScheduleAttr schedule;
  StreamedSpace space;
  MmaBuilder b;
  StreamedPlaces places;
  SmallVector<ScoreMask> masks;
  Type type;
  int64_t lanes, depth, columns;
  Panels keyPanels, valuePanels;
  NearBuffer queries, scores, sums, rests, maxima, totals, packedKeys,
      packedValues, turned;
  Index rowCount, keyCount;
  /// The keys that some rows see, and those that all of them do.
  KeyRanges seen;
  /// Of the tile of keys.
  Index firstKey, keysHere;
};
} // namespace

StreamedPanels::StreamedPanels(KernelFrame &frame,
                               StreamedPanelsScheduleAttr schedule,
                               StreamedSpace theSpace)
    : frame(frame), emitter(frame.emitter), builder(frame.builder),
      schedule(schedule), space(std::move(theSpace)), b(frame),
      places(frame, space, schedule), masks(scoreMasksOf(space, frame.dims)),
      type(PointEmitter::computeType(
          getElementTypeOrSelf(space.weights.getType()))),
      lanes(schedule.getVector()), depth(space.depthExtent(frame.dims).size),
      columns(space.columnExtent(frame.dims).size),
      keyPanels(frame, type, lanes, schedule.getColumns(),
                llvm::alignTo(depth, lanes)),
      valuePanels(frame, type, lanes, schedule.getColumns(),
                  schedule.getTileK()) {}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void StreamedPanels::allocate() {
  int64_t rows = paddedRows();
  NearMemory memory;
  memory.add(queries, rows * depth);
  memory.add(scores, rows * scorePitch());
  memory.add(sums, rows * sumPitch());
  memory.add(rests, rows * sumPitch());
  memory.add(maxima, rows);
  memory.add(totals, rows);
  memory.add(packedKeys, keyPanels.elements(schedule.getTileK()));
  memory.add(packedValues, valuePanels.elements(sumPitch()));
  memory.add(turned, std::max(keyPanels.turnedElements(),
                              valuePanels.turnedElements()));
  memory.allocate(frame, type);
}

void StreamedPanels::copyQueries() {
  bool alongSummed = places.queries.axes.back() == space.k;
  keyPanels.loop(Index::constant(0), rowCount, 1, [&](const Index &row) {
    StreamedPlaces::Places at = places.ofRow(row);
    Index line = emitter.mul(row, Index::constant(depth));
    keyPanels.inVectors(Index::constant(depth), alongSummed ? lanes : 1,
                        [&](const Index &place, int64_t width) {
                          at[space.k] = place;
                          queries.store(
                              emitter.add(line, place),
                              places.emitOperand(places.queries, at, width), 1);
                        });
  });
}

void StreamedPanels::clear() {
  Index zero = Index::constant(0);
  keyPanels.loop(zero, Index::constant(paddedRows() * sumPitch()), lanes,
                 [&](const Index &at) {
                   sums.store(at, number(0, lanes), lanes);
                   rests.store(at, number(0, lanes), lanes);
                 });
  keyPanels.loop(zero, Index::constant(paddedRows()), 1, [&](const Index &row) {
    maxima.store(row, number(-std::numeric_limits<double>::infinity()), 1);
    totals.store(row, number(0), 1);
  });
}

/// Columns of panels are `own` places from `firstOwn` on.
void StreamedPanels::pack(Panels &packed,
                          const StreamedPlaces::Operand &operand, char own,
                          char summed, const Index &firstOwn,
                          const Index &firstPlace, const Index &count,
                          const Index &placeCount) {
  bool ofKeys = &packed == &keyPanels;
  NearBuffer &into = ofKeys ? packedKeys : packedValues;
  auto elements = [&](const Index &column, const Index &place, int64_t width) {
    StreamedPlaces::Places at = ofKeys ? places.ofKeys() : places.ofValues();
    at[own] = emitter.add(firstOwn, column);
    at[summed] = emitter.add(firstPlace, place);
    return places.emitOperand(operand, at, width);
  };
  if (lanes > 1 && operand.axes.back() == summed)
    return packed.packAlongSummed(into, turned, count, placeCount, elements);
  packed.packAlongOwn(into, count, placeCount,
                      operand.axes.back() == own ? lanes : 1, elements);
}

//===----------------------------------------------------------------------===//
// Keys and values
//===----------------------------------------------------------------------===//

/// Of the integers of the queries from the first to the last.
std::pair<Value, Value> StreamedPanels::extremesOf(const Index &first,
                                                   const Index &last,
                                                   KeyRows::Numbers numbers) {
  Value number = numbers(first);
  auto loop = scf::ForOp::create(
      builder, loc(),
      emitter.materialize(emitter.add(first, Index::constant(1))),
      emitter.materialize(emitter.add(last, Index::constant(1))),
      emitter.materialize(Index::constant(1)), ValueRange{number, number});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  number = numbers({loop.getInductionVar()});
  ValueRange before = loop.getRegionIterArgs();
  Value least = arith::MinSIOp::create(builder, loc(), before[0], number);
  Value largest = arith::MaxSIOp::create(builder, loc(), before[1], number);
  scf::YieldOp::create(builder, loc(), ValueRange{least, largest});
  return {loop.getResult(0), loop.getResult(1)};
}

void StreamedPanels::findKeys() {
  auto wide = [&](const Index &index) {
    return builder.createOrFold<arith::IndexCastOp>(loc(), builder.getI64Type(),
                                                    emitter.materialize(index));
  };
  SmallVector<Index> point = places.outerPoint();
  std::optional<unsigned> varying;
  if (space.heads)
    varying = ContractOp(space.scores).getResultAxes().find(*space.heads);
  Index heads = Index::constant(space.headCount(frame.dims));
  Index lastRow = emitter.add(places.firstRow(),
                              emitter.add(rowCount, Index::constant(-1)));
  Index first = emitter.div(places.firstRow(), heads);
  Index last = emitter.div(lastRow, heads);
  KeyRows rows{wide(first), wide(last),
               static_cast<unsigned>(
                   ContractOp(space.scores).getResultAxes().find(space.m)),
               varying, [&](KeyRows::Numbers numbers) {
                 return extremesOf(first, last, numbers);
               }};
  KeyRangeEmitter ranges(b, point, std::move(rows), wide(keyCount));
  seen = ranges.everything();
  for (const ScoreMask &mask : masks) {
    KeyRanges its = ranges.emit(mask.condition);
    if (!mask.hides)
      its.some = ranges.everything().some;
    seen = ranges.both(seen, its);
  }
  Value zero = ranges.number(0);
  seen.some.first = ranges.max(seen.some.first, zero);
  seen.some.last = ranges.max(seen.some.last, zero);
}

void StreamedPanels::multiplyKeys() {
  keyPanels.inPieces(
      rowCount, schedule.getRows(), [&](const Index &row, int64_t rows) {
        keyPanels.loop(
            Index::constant(0), keysHere, schedule.getColumns(),
            [&](const Index &column) {
              PanelRows own = PanelRows{queries, depth, 1}.from(emitter, row);
              SmallVector<Value> piece = keyPanels.multiply(
                  own, packedKeys.from(keyPanels.offset(column)),
                  schedule.getColumns(), rows, Index::constant(depth));
              int64_t vectors = schedule.getColumns() / lanes;
              for (auto [i, value] : llvm::enumerate(piece))
                scores.store(
                    scoreAt(emitter.add(row, Index::constant(i / vectors)),
                            emitter.add(column,
                                        Index::constant(i % vectors * lanes))),
                    value, lanes);
            });
      });
}

void StreamedPanels::multiplyValues() {
  valuePanels.inPieces(
      rowCount, schedule.getRows(), [&](const Index &row, int64_t rows) {
        valuePanels.loop(
            Index::constant(0), Index::constant(columns), schedule.getColumns(),
            [&](const Index &column) {
              PanelRows own =
                  PanelRows{scores, scorePitch(), 1}.from(emitter, row);
              SmallVector<Value> piece = valuePanels.multiply(
                  own, packedValues.from(valuePanels.offset(column)),
                  schedule.getColumns(), rows, keysHere);
              int64_t vectors = schedule.getColumns() / lanes;
              for (auto [i, value] : llvm::enumerate(piece)) {
                Index at = sumAt(
                    emitter.add(row, Index::constant(i / vectors)),
                    emitter.add(column, Index::constant(i % vectors * lanes)));
                CompensatedSum after = addTerm(
                    builder, loc(),
                    {sums.load(at, lanes, lanes), rests.load(at, lanes, lanes)},
                    value);
                sums.store(at, after.sum, lanes);
                rests.store(at, after.rest, lanes);
              }
            });
      });
}

void StreamedPanels::takeKeys(const Index &key) {
  firstKey = key;
  keysHere = emitter.min(emitter.sub(keyCount, key),
                         Index::constant(schedule.getTileK()));
  Index zero = Index::constant(0);
  pack(keyPanels, places.keys, space.n, space.k, key, zero, keysHere,
       Index::constant(depth));
  multiplyKeys();
  auto followAll = [&](bool isWhole) {
    keyPanels.loop(zero, rowCount, 1,
                   [&](const Index &row) { follow(row, isWhole); });
  };
  if (masks.empty()) {
    followAll(/*isWhole=*/true);
  } else {
    auto wide = [&](const Index &index) {
      return builder.createOrFold<arith::IndexCastOp>(
          loc(), builder.getI64Type(), emitter.materialize(index));
    };
    auto isInOrder = [&](Value x, Value y) {
      return builder.createOrFold<arith::CmpIOp>(
          loc(), arith::CmpIPredicate::sle, x, y);
    };
    Value isWhole =
        frame.both(isInOrder(seen.all.first, wide(key)),
                   isInOrder(wide(emitter.add(key, keysHere)), seen.all.last));
    frame.ifElse(
        isWhole, [&] { followAll(/*isWhole=*/true); },
        [&] { followAll(/*isWhole=*/false); });
  }
  pack(valuePanels, places.values, space.product.n, space.product.k, zero, key,
       Index::constant(columns), keysHere);
  multiplyValues();
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// Of exponents that are not positive. Where the result is below the normal
/// numbers, as of what a mask hides, it is 0: a core takes many times as long
/// for the others.
Value StreamedPanels::exp(Value exponent) {
  Type element = PointEmitter::accuracyOf(space.exponentials);
  bool isNarrow = element.isF16() || element.isBF16();
  int64_t width = lanesIn(exponent);
  Value least = number(type.isF64() ? -708.0 : -87.0, width);
  Value isSmall = arith::CmpFOp::create(
      builder, loc(), arith::CmpFPredicate::OLT, exponent, least);
  exponent = arith::SelectOp::create(builder, loc(), isSmall, least, exponent);
  auto power = math::ExpOp::create(
      builder, loc(), exponent,
      arith::FastMathFlagsAttr::get(builder.getContext(),
                                    isNarrow ? arith::FastMathFlags::afn
                                             : arith::FastMathFlags::none));
  power->setAttr(kNonpositiveAttr, builder.getUnitAttr());
  return arith::SelectOp::create(builder, loc(), isSmall, number(0, width),
                                 power);
}

/// The second where the first is no number, which the sum tells of.
/// The larger, or the first NaN.
Value StreamedPanels::larger(Value x, Value y) {
  Value isLarger =
      arith::CmpFOp::create(builder, loc(), arith::CmpFPredicate::OGT, x, y);
  Value isNaN =
      arith::CmpFOp::create(builder, loc(), arith::CmpFPredicate::UNO, x, x);
  return arith::SelectOp::create(
      builder, loc(), arith::OrIOp::create(builder, loc(), isLarger, isNaN), x,
      y);
}

/// A maximum of -inf counts as 0: all exponentials are 0.
Value StreamedPanels::baseOf(Value max) {
  return b.select(isNone(max), number(0), max);
}

/// What `body` makes of a value for all keys of the tile: vectors first, whose
/// lanes are combined, then what is left one by one.
Value StreamedPanels::overKeys(
    double start, llvm::function_ref<Value(const Index &, int64_t, Value)> body,
    vector::CombiningKind kind) {
  auto loop = [&](const Index &from, const Index &to, int64_t width,
                  Value initial) -> Value {
    auto op = scf::ForOp::create(
        builder, loc(), emitter.materialize(from), emitter.materialize(to),
        emitter.materialize(Index::constant(width)), initial);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(op.getBody());
    PointEmitter::Scope scope(emitter);
    Value next =
        body({op.getInductionVar()}, width, op.getRegionIterArgs().front());
    scf::YieldOp::create(builder, loc(), next);
    return op.getResult(0);
  };
  Index vector = Index::constant(lanes);
  Index whole = emitter.mul(emitter.div(keysHere, vector), vector);
  Value all = loop(Index::constant(0), whole, lanes, number(start, lanes));
  if (lanes > 1) {
    all = vector::ReductionOp::create(builder, loc(), kind, all,
                                      arith::FastMathFlags::reassoc);
    all = loop(whole, keysHere, 1, all);
  }
  return all;
}

Value StreamedPanels::emitLogits(const Index &row, const Index &column,
                                 int64_t width, bool isWhole) {
  Point point = places.scorePoint(row, emitter.add(firstKey, column), width);
  emitter.define(ContractOp(space.scores).getResult(), point,
                 scores.load(scoreAt(row, column), width, width));
  if (isWhole)
    for (const ScoreMask &mask : masks) {
      Value known = arith::ConstantIntOp::create(
          builder, loc(), builder.getI1Type(), mask.wanted);
      Point at = emitter.operandPoint(mask.value, space.logits, point);
      emitter.define(mask.value, at, emitter.splat(loc(), known, at.lanes));
    }
  return emitter.emitLanes(space.logits, point);
}

/// Weights are not rounded to the operand's type: nothing needs to store them.
Value StreamedPanels::fromExponentials(Value value, const Index &row,
                                       const Index &column,
                                       Value exponentials) {
  PointEmitter::Scope scope(emitter);
  Point point = places.scorePoint(row, emitter.add(firstKey, column),
                                  lanesIn(exponentials));
  emitter.define(ExpOp(space.exponentials).getResult(), point, exponentials);
  // A factor of the row waits until the end.
  for (const StreamedSpace::RowFactor &factor : space.rowFactors)
    emitter.define(factor.op->getResult(0), point,
                   emitter.emitLanes(factor.weightOperand(), point));
  return emitter.emitLanes(value, point);
}

/// Sums below no maximum are none, whatever a hidden value has made of them.
void StreamedPanels::turnSums(const Index &row, Value turn, Value isFirst) {
  keyPanels.loop(Index::constant(0), Index::constant(sumPitch()), lanes,
                 [&](const Index &column) {
                   Index at = sumAt(row, column);
                   for (NearBuffer *buffer : {&sums, &rests}) {
                     Value product = arith::MulFOp::create(
                         builder, loc(), buffer->load(at, lanes, lanes),
                         emitter.splat(loc(), turn, lanes));
                     buffer->store(at,
                                   b.select(isFirst, number(0, lanes), product),
                                   lanes);
                   }
                 });
}

/// Weights that need no statistics, in place of a row's scores.
void StreamedPanels::makeWeights(const Index &row, bool isWhole) {
  keyPanels.inVectors(keysHere, lanes, [&](const Index &column, int64_t width) {
    scores.store(scoreAt(row, column), emitLogits(row, column, width, isWhole),
                 width);
  });
}

/// Logits in place of a row's scores, then weights in place of these.
void StreamedPanels::follow(const Index &row, bool isWhole) {
  if (space.isPlain())
    return makeWeights(row, isWhole);
  Value before = maxima.load(row, 1, 1);
  Value most = overKeys(
      -std::numeric_limits<double>::infinity(),
      [&](const Index &column, int64_t width, Value current) -> Value {
        Value logits = emitLogits(row, column, width, isWhole);
        scores.store(scoreAt(row, column), logits, width);
        return larger(logits, current);
      },
      vector::CombiningKind::MAXIMUMF);
  most = larger(most, before);
  Value base = baseOf(most);
  Value total = overKeys(
      0,
      [&](const Index &column, int64_t width, Value current) -> Value {
        Index at = scoreAt(row, column);
        Value below =
            arith::SubFOp::create(builder, loc(), scores.load(at, width, width),
                                  emitter.splat(loc(), base, width));
        Value exponentials = exp(below);
        scores.store(at,
                     fromExponentials(space.unroundedWeights(), row, column,
                                      exponentials),
                     width);
        return arith::AddFOp::create(
            builder, loc(), current,
            fromExponentials(space.summed(), row, column, exponentials));
      },
      vector::CombiningKind::ADD);
  Value grows = arith::CmpFOp::create(builder, loc(), arith::CmpFPredicate::OGT,
                                      most, before);
  Value isFirst = isNone(before);
  Value turn = exp(arith::SubFOp::create(builder, loc(), baseOf(before), base));
  turn = b.select(grows, b.select(isFirst, number(0), turn), number(1));
  frame.ifTrue(grows, [&] { turnSums(row, turn, isFirst); });
  Value turnedTotal =
      arith::MulFOp::create(builder, loc(), totals.load(row, 1, 1), turn);
  totals.store(row, arith::AddFOp::create(builder, loc(), turnedTotal, total),
               1);
  maxima.store(row, most, 1);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void StreamedPanels::finishRow(const Index &row) {
  auto yielded = frame.kernel.getYield().getValues();
  Point point = places.scorePoint(row, Index::constant(0), 1);
  Value factor = streamedRowFactor(
      emitter, space, maxima.load(row, 1, 1), totals.load(row, 1, 1), point,
      [&](Value exponent) { return exp(exponent); });
  // Without keys there is nothing to divide.
  if (space.mayHaveNoKeys(frame.dims))
    factor =
        b.select(emitter.less(Index::constant(0), keyCount), factor, number(1));
  for (unsigned result : space.rowResults)
    emitter.store(result, point, emitter.emit(yielded[result], point));
  const MmaSegment &segment = space.product.segments.front();
  keyPanels.inVectors(
      Index::constant(columns), lanes, [&](const Index &column, int64_t width) {
        Point at = places.productPoint(row, column, width);
        Value sum = totalOf(builder, loc(),
                            {sums.load(sumAt(row, column), width, width),
                             rests.load(sumAt(row, column), width, width)});
        emitter.define(
            ContractOp(space.productOp()).getResult(), at,
            arith::MulFOp::create(builder, loc(), sum,
                                  emitter.splat(loc(), factor, width)));
        SmallVector<Value> computed;
        for (unsigned result : segment.results)
          computed.push_back(emitter.emitLanes(yielded[result], at));
        for (auto [result, value] : llvm::zip_equal(segment.results, computed))
          emitter.store(result, at, value);
      });
}

void StreamedPanels::finish() {
  keyPanels.loop(Index::constant(0), rowCount, 1,
                 [&](const Index &row) { finishRow(row); });
}

Grid StreamedPanels::run() {
  places.findTile();
  rowCount = places.rowCount();
  keyCount = emitter.size(space.keyExtent(frame.dims));
  allocate();
  copyQueries();
  clear();
  findKeys();
  auto indexOf = [&](Value wide) -> Index {
    return {builder.createOrFold<arith::IndexCastOp>(
        loc(), builder.getIndexType(), wide)};
  };
  Index step = Index::constant(schedule.getTileK());
  Index first = emitter.mul(emitter.div(indexOf(seen.some.first), step), step);
  keyPanels.loop(first, indexOf(seen.some.last), schedule.getTileK(),
                 [&](const Index &key) { takeKeys(key); });
  finish();
  return {places.grid()};
}

FailureOr<Grid>
mlir::fuse::lowerStreamedPanels(KernelFrame &frame,
                                StreamedPanelsScheduleAttr schedule) {
  Reason reason;
  FailureOr<StreamedSpace> space =
      panelStreamedSpaceOf(frame.kernel, frame.dims, reason);
  if (failed(space))
    return frame.kernel.emitError()
           << "expected a softmax between two contractions that a CPU streams "
              "for #fuse.streamed_panels, but "
           << reason.sentence() << "; remove the schedule";
  return StreamedPanels(frame, schedule, *space).run();
}
