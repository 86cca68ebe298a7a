//===- StreamedScores.cpp - A thread's scores of a tile of keys -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedScores.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace mlir::fuse;

StreamedScores::StreamedScores(MmaBuilder &b, const StreamedSpace &space,
                               StreamedScheduleAttr schedule)
    : b(b), emitter(b.frame.emitter), space(space), schedule(schedule),
      found(scoreMasksOf(space, b.frame.dims)) {
  lanes = emitter.divides(pair, space.keyExtent(b.frame.dims)) ? pair : 1;
  double known = scale;
  if (!space.isPlain())
    findScale(space.logits);
  // Without one all ops are as the program has them.
  if (scale == known)
    scaled.clear();
  if (!emitter.getOptions().strict)
    relaxDivisions();
}

/// Beside the rounding of a contraction's sums that of a quotient is nothing:
/// a product with the reciprocal has no branch, which a correctly rounded
/// division has for each element.
void StreamedScores::relaxDivisions() {
  for (Operation *op : space.front)
    if (isa<DivOp>(op) && !op->hasAttr(kAccuracyAttr) &&
        getElementTypeOrSelf(op->getResult(0)).isF32())
      op->setAttr(kAccuracyAttr, TypeAttr::get(b.builder.getF32Type()));
}

static std::optional<double> positiveNumber(Value value) {
  APFloat number(0.0f);
  if (!matchPattern(value, m_ConstantFloat(&number)) ||
      !number.isFiniteNonZero() || number.isNegative())
    return std::nullopt;
  return number.convertToDouble();
}

static bool isMinusInfinity(Value value) {
  APFloat number(0.0f);
  return matchPattern(value, m_ConstantFloat(&number)) && number.isInfinity() &&
         number.isNegative();
}

/// Through masks and wider types, as far as factors go.
void StreamedScores::findScale(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast_or_null<CastOp>(op)) {
    auto bits = [](Value v) {
      return getElementTypeOrSelf(v).getIntOrFloatBitWidth();
    };
    if (!isa<FloatType>(getElementTypeOrSelf(cast.getInput())) ||
        bits(cast.getInput()) > bits(cast.getResult()))
      return;
    scaled.insert(op);
    return findScale(cast.getInput());
  }
  if (auto select = dyn_cast_or_null<SelectOp>(op)) {
    if (!isMinusInfinity(select.getFalseValue()))
      return;
    scaled.insert(op);
    return findScale(select.getTrueValue());
  }
  if (auto mul = dyn_cast_or_null<MulOp>(op))
    for (unsigned number : {0, 1})
      if (auto factor = positiveNumber(mul->getOperand(number))) {
        scale *= *factor;
        scaled.insert(op);
        return findScale(mul->getOperand(1 - number));
      }
}

bool StreamedScores::isStraight() const {
  // Keys in pages are copied.
  llvm::SmallPtrSet<Operation *, 4> ofKeys;
  for (Value operand : space.scores->getOperands())
    ofKeys.insert_range(pagingOps(operand));
  return llvm::all_of(space.front, [&](Operation *op) {
    return ofKeys.contains(op) ||
           isa<ContractOp, ReduceOp, ConstantOp, IotaOp, BroadcastOp, AddOp,
               SubOp, MulOp, MaxOp, MinOp, ClampOp, NegOp, AbsOp, SelectOp,
               CompareOp, AndOp, OrOp, NotOp, CastOp, TanhOp>(op) ||
           (isa<DivOp>(op) && op->hasAttr(kAccuracyAttr)) ||
           op == ExpOp(space.exponentials).getOperation() ||
           llvm::any_of(space.rowFactors,
                        [&](auto &row) { return row.op == op; });
  });
}

/// `row`, of the tile, is this thread's first. Those behind an edge have the
/// place of one inside.
void StreamedScores::placeRow(int64_t half, const TilePlace &tile, Value row) {
  const DimClasses &dims = b.frame.dims;
  inside[half] = {};
  auto keepInside = [&](Index index, const Extent &extent, int64_t tileSize) {
    if (extent.isStatic() && extent.size % tileSize == 0)
      return index;
    Index size = emitter.size(extent);
    inside[half] = b.frame.both(inside[half], emitter.less(index, size));
    return emitter.min(index, emitter.add(size, Index::constant(-1)));
  };
  int64_t queries = schedule.queriesPerTile(), further = half * rowStep;
  Index query =
      emitter.add(b.indexOf(b.add(tile.row, row)), Index::constant(further));
  if (schedule.getHeads() > 1) {
    row = b.add(row, further);
    Value first = tile.outer.lookup(space.productAxis(*space.heads));
    heads[half] = keepInside(b.indexOf(b.add(first, b.div(row, queries))),
                             {space.headCount(dims)}, schedule.getHeads());
    query = b.indexOf(b.add(tile.row, b.rem(row, queries)));
  }
  rows[half] = keepInside(query, space.rowExtent(dims), queries);
}

void StreamedScores::initialize(const TilePlace &tile,
                                const ConsumerThread &self) {
  constexpr int64_t warpThreads = 32, warpRows = 16;
  const DimClasses &dims = b.frame.dims;
  Value row = b.mul(self.consumer, MmaScheduleAttr::kRows);
  row = b.add(row, b.mul(b.div(self.thread, warpThreads), warpRows));
  row = b.add(row, b.div(self.lane, 4));
  quadColumn = b.mul(b.rem(self.lane, 4), pair);
  for (int64_t half = 0; half < halves; ++half)
    placeRow(half, tile, row);
  ContractOp scores = space.scores;
  outer.clear();
  for (auto [number, axis] : llvm::enumerate(scores.getResultAxes())) {
    bool isOne = dims.extent(scores.getResult(), number).size == 1;
    bool isPlace = axis == space.m || axis == space.n;
    outer.push_back(isOne || isPlace ? Index::constant(0)
                                     : b.indexOf(tile.outer.lookup(
                                           space.productAxis(axis))));
  }
  keyCount = b.wordOf(emitter.size(space.keyExtent(dims)));
}

Point StreamedScores::rowPoint(int64_t half) const {
  Point point;
  point.dims.assign(outer.begin(), outer.end());
  StringRef axes = ContractOp(space.scores).getResultAxes();
  if (b.frame.dims
          .extent(ContractOp(space.scores).getResult(), axes.find(space.m))
          .size != 1)
    point.dims[axes.find(space.m)] = rows[half];
  if (schedule.getHeads() > 1)
    point.dims[axes.find(*space.heads)] = heads[half];
  return point;
}

Point StreamedScores::pointAt(int64_t half, int64_t column) const {
  Point point = rowPoint(half);
  if (space.keyExtent(b.frame.dims).size != 1)
    point.dims.back() = columns[column];
  point.lanes = lanes;
  return point;
}

void StreamedScores::startTile(Value firstKey) {
  firstOwn = b.add(firstKey, quadColumn);
  Value base = b.indexOf(firstOwn).base;
  columns.clear();
  for (int64_t block = 0; block < blocks(); ++block)
    for (int64_t lane = 0; lane < pair; lane += lanes)
      columns.push_back({base, block * blockColumns + lane});
}

/// From the last to the first: where a dimension has size 1 all are one point,
/// whose value is the first's.
void StreamedScores::defineAt(Value value, ArrayRef<Value> values) {
  int64_t perBlock = pair / lanes;
  for (int64_t half = halves - 1; half >= 0; --half)
    for (int64_t column = columns.size() - 1; column >= 0; --column) {
      int64_t number =
          halves * pair * (column / perBlock) + pair * half + column % perBlock;
      emitter.define(value, pointAt(half, column),
                     emitter.gatherLanes(b.loc(), lanes, [&](int64_t lane) {
                       return values[number + lane];
                     }));
    }
}

/// The value without what findScale() has found.
Value StreamedScores::emitLogit(Value value, const Point &point) {
  Operation *op = value.getDefiningOp();
  if (!scaled.contains(op))
    return emitter.emitLanes(value, point);
  if (auto select = dyn_cast<SelectOp>(op)) {
    Value condition = emitter.splat(
        b.loc(), emitter.emitOperand(select.getCondition(), value, point),
        point.lanes);
    Value inner = emitLogit(select.getTrueValue(), point);
    Value hidden = emitter.splat(
        b.loc(),
        emitter.constant(b.loc(), b.builder.getF32Type(),
                         -std::numeric_limits<double>::infinity()),
        point.lanes);
    return arith::SelectOp::create(b.builder, b.loc(), condition, inner,
                                   hidden);
  }
  for (Value operand : op->getOperands())
    if (!positiveNumber(operand))
      return emitLogit(operand, point);
  llvm_unreachable("a factor of the scores multiplies something");
}

/// Those behind the last key become that one.
void StreamedScores::clampColumns() {
  Index last = emitter.add(emitter.size(space.keyExtent(b.frame.dims)),
                           Index::constant(-lanes));
  for (Index &column : columns)
    column = emitter.min(column, last);
}

SmallVector<Value> StreamedScores::logits(ArrayRef<Value> sums, bool isWhole,
                                          ArrayRef<Value> missing) {
  PointEmitter::Scope scope(emitter);
  OpBuilder &builder = b.builder;
  SmallVector<Index> inside = columns;
  if (!isWhole)
    clampColumns();
  ContractOp scores = space.scores;
  Type flag = builder.getI1Type();
  int64_t perBlock = pair / lanes;
  SmallVector<Value> result(sums.size());
  for (int64_t half = 0; half < halves; ++half)
    for (int64_t column = 0; column < int64_t(columns.size()); ++column) {
      // Clamped keys share a point.
      std::optional<PointEmitter::Scope> own;
      if (!isWhole)
        own.emplace(emitter);
      int64_t number =
          halves * pair * (column / perBlock) + pair * half + column % perBlock;
      Point point = pointAt(half, column);
      int64_t block = column / perBlock;
      emitter.define(
          scores.getResult(), point,
          emitter.gatherLanes(b.loc(), lanes, [&](int64_t lane) {
            Value sum = sums[number + lane];
            if (isWhole || missing.empty())
              return sum;
            return b.select(
                missing[block * static_cast<int64_t>(missing.size()) /
                        blocks()],
                emitter.constant(b.loc(), builder.getF32Type(), std::nan("")),
                sum);
          }));
      if (isWhole)
        for (const ScoreMask &mask : found) {
          Value known =
              arith::ConstantIntOp::create(builder, b.loc(), flag, mask.wanted);
          Point at = emitter.operandPoint(mask.value, space.logits, point);
          emitter.define(mask.value, at,
                         emitter.splat(b.loc(), known, at.lanes));
        }
      Value logit = emitLogit(space.logits, point);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value one = lanes == 1 ? logit
                               : vector::ExtractOp::create(builder, b.loc(),
                                                           logit, lane);
        if (!isWhole) {
          Value key = b.add(firstOwn, inside[column].offset + lane);
          double none =
              space.isPlain() ? 0 : -std::numeric_limits<double>::infinity();
          one = b.select(b.isLess(key, keyCount), one,
                         emitter.constant(b.loc(), builder.getF32Type(), none));
        }
        result[number + lane] = one;
      }
    }
  columns = inside;
  return result;
}

/// Whether the value follows from a tensor that has elements of its own for
/// each key, other than the exponentials.
bool StreamedScores::readsKeys(Value value) const {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value next = work.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (!op && b.frame.dims.extents(next).back().size != 1)
      return true;
    if (op && op != ExpOp(space.exponentials).getOperation() &&
        !isReduction(op) && seen.insert(op).second)
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

SmallVector<Value>
StreamedScores::fromExponentials(Value value, ArrayRef<Value> exponentials) {
  PointEmitter::Scope scope(emitter);
  Value exp = ExpOp(space.exponentials).getResult();
  // Behind the last key there is nothing to read.
  bool isClamped =
      !emitter.divides(schedule.getTileK(), space.keyExtent(b.frame.dims)) &&
      readsKeys(value);
  SmallVector<Index> before = columns;
  if (isClamped)
    clampColumns();
  else
    defineAt(exp, exponentials);
  int64_t perBlock = pair / lanes;
  SmallVector<Value> found(exponentials.size());
  for (int64_t half = 0; half < halves; ++half)
    for (int64_t column = 0; column < int64_t(columns.size()); ++column) {
      int64_t number =
          halves * pair * (column / perBlock) + pair * half + column % perBlock;
      Point point = pointAt(half, column);
      std::optional<PointEmitter::Scope> own;
      if (isClamped) {
        own.emplace(emitter);
        emitter.define(exp, point,
                       emitter.gatherLanes(b.loc(), lanes, [&](int64_t lane) {
                         return exponentials[number + lane];
                       }));
      }
      // A factor of the row waits until the end.
      for (const StreamedSpace::RowFactor &factor : space.rowFactors)
        emitter.define(factor.op->getResult(0), point,
                       emitter.emitLanes(factor.weightOperand(), point));
      Value made = emitter.emitLanes(value, point);
      for (int64_t lane = 0; lane < lanes; ++lane)
        found[number + lane] =
            lanes == 1
                ? made
                : vector::ExtractOp::create(b.builder, b.loc(), made, lane);
    }
  columns = before;
  return found;
}

SmallVector<Value> StreamedScores::packed(ArrayRef<Value> weights) {
  OpBuilder &builder = b.builder;
  Type element = getElementTypeOrSelf(space.weights.getType());
  SmallVector<Value> words;
  for (size_t i = 0; i < weights.size(); i += pair) {
    Value both = emitter.gatherLanes(
        b.loc(), pair, [&](int64_t lane) { return weights[i + lane]; });
    words.push_back(
        LLVM::BitcastOp::create(builder, b.loc(), builder.getI32Type(),
                                emitter.toStorage(b.loc(), element, both)));
  }
  return words;
}
