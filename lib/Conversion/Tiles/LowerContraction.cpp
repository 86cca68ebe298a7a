//===- LowerContraction.cpp - One thread an output tile -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread holds tile_m x tile_n accumulators and walks the summed axes. Tiles
// at the edge read the last row or column again instead of past the end, and
// do not write what they read twice. What follows the contraction in the
// kernel is computed on the finished accumulators.
//
//===----------------------------------------------------------------------===//

#include "LowerContraction.h"
#include "KernelFrame.h"
#include "Math/Float8.h"
#include "Reductions/CompensatedSum.h"
#include "Reductions/Reducer.h"

#include "fuse/Analysis/ContractionSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class ContractionLowering {
public:
  ContractionLowering(KernelFrame &frame, ContractionScheduleAttr schedule,
                      ContractOp op)
      : frame(frame), emitter(frame.emitter), builder(frame.builder),
        schedule(schedule), op(op), space(contractionSpaceOf(op)),
        lanes(schedule.getVector()), alongN(schedule.getAlong() == LaneAxis::n),
        type(PointEmitter::computeType(op.getType().getElementType())) {}

  FailureOr<Grid> run();

private:
  LogicalResult verify();
  Extent extent(char axis) { return space.extent(axis, frame.dims); }
  int64_t resultLanes() const { return alongN ? lanes : 1; }
  int64_t columnsPerTile() const { return schedule.getTileN() * resultLanes(); }

  /// One factor for the outer axes, one for the rows (if any), one for the
  /// columns, in tiles; tiles are numbered with columns fastest.
  GridTerm tiles();
  void placeTile();
  Point operandPoint(Value operand, StringRef axes,
                     const llvm::SmallDenseMap<char, Index> &at, char laneAxis);
  Value factor(Value operand, Value element);
  SmallVector<Value> step(ArrayRef<Index> summed, int64_t stepLanes,
                          ValueRange sums);
  SmallVector<Value> stepLoop(const Index &from, const Index &to,
                              int64_t stride, int64_t stepLanes,
                              ValueRange sums);
  SmallVector<Value> sumLoop(const Index &from, const Index &to, int64_t stride,
                             int64_t stepLanes, ValueRange sums);
  Value addLanes(Value sum);
  void finish(ValueRange sums);
  Point resultPoint(int64_t i, int64_t j);
  Value isInside(int64_t i, int64_t j);

  KernelFrame &frame;
  PointEmitter &emitter;
  OpBuilder &builder;
  ContractionScheduleAttr schedule;
  ContractOp op;
  ContractionSpace space;
  int64_t lanes;
  bool alongN;
  Type type;
  Value exists;
  /// Where the tile lies; rows and columns before and after keeping them
  /// inside.
  llvm::SmallDenseMap<char, Index> outer;
  SmallVector<Index> rows, columns, rowsInside, columnsInside;
};
} // namespace

LogicalResult ContractionLowering::verify() {
  Extent n = extent(space.n);
  if (alongN && lanes > 1 && (!n.isStatic() || n.size % lanes != 0))
    return frame.kernel.emitError()
           << "expected a vector that divides axis '" << space.n
           << "', but got vector = " << lanes << "; use vector = 1";
  if (!alongN && !space.kIsContiguous)
    return frame.kernel.emitError()
           << "expected both operands to end in the summed axis with along = "
              "k, but got \""
           << op.getSpec() << "\"; use along = n";
  for (Value value : frame.kernel.getYield().getValues())
    if (frame.dims.extents(value) != frame.dims.extents(op.getResult()))
      return frame.kernel.emitError()
             << "expected results of the contraction's shape, but got "
             << value.getType() << "; put it into a kernel of its own";
  return success();
}

GridTerm ContractionLowering::tiles() {
  GridFactor batches;
  for (char axis : space.outer)
    batches.extents.push_back(extent(axis));
  GridTerm term{{batches}};
  if (space.m)
    term.factors.push_back({{extent(*space.m)}, schedule.getTileM()});
  term.factors.push_back({{extent(space.n)}, columnsPerTile()});
  return term;
}

void ContractionLowering::placeTile() {
  int64_t threads = schedule.getThreads();
  Index tile =
      emitter.add(emitter.mul(frame.blockId(), Index::constant(threads)),
                  frame.threadId(threads));
  GridTerm all = tiles();
  exists = threads == 1 ? Value() : emitter.less(tile, frame.blocks(all));

  Index columnTiles = frame.blocks({{all.factors.back()}});
  Index column = emitter.mul(emitter.rem(tile, columnTiles),
                             Index::constant(columnsPerTile()));
  Index rest = emitter.div(tile, columnTiles), row = Index::constant(0);
  if (space.m) {
    Index rowTiles = frame.blocks({{all.factors[1]}});
    row = emitter.mul(emitter.rem(rest, rowTiles),
                      Index::constant(schedule.getTileM()));
    rest = emitter.div(rest, rowTiles);
  }
  SmallVector<Extent> extents;
  for (char axis : space.outer)
    extents.push_back(extent(axis));
  for (auto [axis, index] :
       llvm::zip(space.outer, emitter.delinearize(rest, extents)))
    outer[axis] = index;

  auto place = [&](Index first, int64_t count, int64_t stride, Extent size,
                   SmallVector<Index> &all, SmallVector<Index> &inside) {
    Index last = emitter.add(emitter.size(size), Index::constant(-stride));
    for (int64_t i = 0; i < count; ++i) {
      all.push_back(emitter.add(first, Index::constant(i * stride)));
      bool fits = size.isStatic() && size.size % (count * stride) == 0;
      inside.push_back(fits ? all.back() : emitter.min(all.back(), last));
    }
  };
  place(column, schedule.getTileN(), resultLanes(), extent(space.n), columns,
        columnsInside);
  if (space.m)
    place(row, schedule.getTileM(), 1, extent(*space.m), rows, rowsInside);
  else
    rows = rowsInside = {Index::constant(0)};
}

Point ContractionLowering::operandPoint(
    Value operand, StringRef axes, const llvm::SmallDenseMap<char, Index> &at,
    char laneAxis) {
  Point point;
  for (auto [number, axis] : llvm::enumerate(axes))
    point.dims.push_back(frame.dims.extent(operand, number).size == 1
                             ? Index::constant(0)
                             : at.lookup(axis));
  bool hasLanes = !axes.empty() && axes.back() == laneAxis &&
                  frame.dims.extent(operand, axes.size() - 1).size != 1;
  point.lanes = hasLanes ? lanes : 1;
  return point;
}

/// What is multiplied, of an element of the operand: a number also where the
/// emitter has the bits of an 8-bit float.
Value ContractionLowering::factor(Value operand, Value element) {
  Type format = getElementTypeOrSelf(operand.getType());
  if (!isFloat8(format))
    return element;
  Value number = buildFromFloat8(builder, op.getLoc(), format, element,
                                 emitter.getOptions().float8);
  if (getElementTypeOrSelf(type) == builder.getF32Type())
    return number;
  auto lanes = dyn_cast<VectorType>(number.getType());
  return arith::ExtFOp::create(builder, op.getLoc(),
                               lanes ? Type(lanes.clone(type)) : type, number);
}

/// Adds the products at one place of the summed axes (`stepLanes` places along
/// the last one) to the sums.
SmallVector<Value> ContractionLowering::step(ArrayRef<Index> summed,
                                             int64_t stepLanes,
                                             ValueRange sums) {
  char laneAxis = alongN ? space.n : space.summed.back();
  bool vectorStep = alongN || stepLanes > 1;
  auto read = [&](bool isRhs, const Index &row, const Index &column) -> Value {
    llvm::SmallDenseMap<char, Index> at = outer;
    for (auto [axis, index] : llvm::zip(space.summed, summed))
      at[axis] = index;
    if (space.m)
      at[*space.m] = row;
    at[space.n] = column;
    Value operand = isRhs ? op.getRhs() : op.getLhs();
    StringRef axes = isRhs ? op.getRhsAxes() : op.getLhsAxes();
    bool hasN = axes.contains(space.n);
    // Neighbouring results that are not neighbours in memory: lane by lane.
    if (alongN && lanes > 1 && hasN && axes.back() != space.n)
      return factor(
          operand, emitter.gatherLanes(op.getLoc(), lanes, [&](int64_t lane) {
            at[space.n] = emitter.add(column, Index::constant(lane));
            return emitter.emit(operand, operandPoint(operand, axes, at, '\0'));
          }));
    return factor(
        operand,
        emitter.emit(operand, operandPoint(operand, axes, at,
                                           vectorStep ? laneAxis : '\0')));
  };
  auto flags = arith::FastMathFlagsAttr::get(
      op.getContext(), emitter.getOptions().strict
                           ? arith::FastMathFlags::none
                           : arith::FastMathFlags::contract);
  SmallVector<Value> result;
  for (const Index &row : rowsInside)
    for (const Index &column : columnsInside) {
      Value sum = sums[result.size()];
      auto sumType = dyn_cast<VectorType>(sum.getType());
      int64_t width = sumType ? sumType.getDimSize(0) : 1;
      Location loc = op.getLoc();
      Value a = emitter.splat(loc, read(false, row, column), width);
      Value b = emitter.splat(loc, read(true, row, column), width);
      Value product = arith::MulFOp::create(builder, loc, a, b, flags);
      result.push_back(
          arith::AddFOp::create(builder, loc, sum, product, flags));
    }
  return result;
}

SmallVector<Value> ContractionLowering::stepLoop(const Index &from,
                                                 const Index &to,
                                                 int64_t stride,
                                                 int64_t stepLanes,
                                                 ValueRange sums) {
  auto loop = scf::ForOp::create(
      builder, op.getLoc(), emitter.materialize(from), emitter.materialize(to),
      emitter.materialize(Index::constant(stride)), sums);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  SmallVector<Extent> extents;
  for (char axis : space.summed)
    extents.push_back(extent(axis));
  SmallVector<Index, 4> summed =
      emitter.delinearize({loop.getInductionVar()}, extents);
  scf::YieldOp::create(builder, op.getLoc(),
                       step(summed, stepLanes, loop.getRegionIterArgs()));
  return SmallVector<Value>(loop.getResults());
}

/// Sums of blocks of terms, as in BlockedReducer.cpp.
SmallVector<Value> ContractionLowering::sumLoop(const Index &from,
                                                const Index &to, int64_t stride,
                                                int64_t stepLanes,
                                                ValueRange sums) {
  int64_t blockSize = Reducer::longBlock * stride;
  bool isShort = !from.base && !to.base && to.offset - from.offset <= blockSize;
  if (isShort)
    return stepLoop(from, to, stride, stepLanes, sums);
  Location loc = op.getLoc();
  size_t count = sums.size();
  int64_t width = lanesIn(sums.front());
  SmallVector<Value> zeros(
      count, emitter.splat(loc, emitter.constant(loc, type, 0), width));
  SmallVector<Value> carried(sums);
  carried.append(zeros);
  auto loop = scf::ForOp::create(
      builder, loc, emitter.materialize(from), emitter.materialize(to),
      emitter.materialize(Index::constant(blockSize)), carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    PointEmitter::Scope scope(emitter);
    Index first = {loop.getInductionVar()};
    Index end = emitter.min(emitter.add(first, Index::constant(blockSize)), to);
    carried = SmallVector<Value>(loop.getRegionIterArgs());
    for (auto [number, block] :
         llvm::enumerate(stepLoop(first, end, stride, stepLanes, zeros))) {
      Value &sum = carried[number], &rest = carried[count + number];
      CompensatedSum added = addTerm(builder, loc, {sum, rest}, block);
      sum = added.sum;
      rest = added.rest;
    }
    scf::YieldOp::create(builder, loc, carried);
  }
  SmallVector<Value> totals;
  for (size_t number = 0; number < count; ++number)
    totals.push_back(
        totalOf(builder, loc,
                {loop.getResult(number), loop.getResult(count + number)}));
  return totals;
}

/// The sum of a vector's lanes, as a tree.
Value ContractionLowering::addLanes(Value sum) {
  Location loc = op.getLoc();
  SmallVector<Value> parts;
  for (int64_t i = 0; i < lanes; ++i)
    parts.push_back(vector::ExtractOp::create(builder, loc, sum, i));
  while (parts.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < parts.size(); i += 2)
      next.push_back(
          arith::AddFOp::create(builder, loc, parts[i], parts[i + 1]));
    parts = std::move(next);
  }
  return parts.front();
}

Point ContractionLowering::resultPoint(int64_t i, int64_t j) {
  Point point;
  for (auto [number, axis] : llvm::enumerate(op.getResultAxes())) {
    Index index = axis == space.n   ? columnsInside[j]
                  : axis == space.m ? rowsInside[i]
                                    : outer.lookup(axis);
    bool single = frame.dims.extent(op.getResult(), number).size == 1;
    point.dims.push_back(single ? Index::constant(0) : index);
  }
  point.lanes = resultLanes();
  return point;
}

Value ContractionLowering::isInside(int64_t i, int64_t j) {
  Value inside;
  if (rows[i].key() != rowsInside[i].key())
    inside = emitter.less(rows[i], emitter.size(extent(*space.m)));
  if (columns[j].key() != columnsInside[j].key())
    inside = frame.both(
        inside, emitter.less(columns[j], emitter.size(extent(space.n))));
  return inside;
}

void ContractionLowering::finish(ValueRange sums) {
  size_t next = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t j = 0; j < columns.size(); ++j) {
      Value sum = sums[next++];
      frame.ifTrue(isInside(i, j), [&] {
        Point point = resultPoint(i, j);
        emitter.define(op.getResult(), point, sum);
        frame.storeResults(point);
      });
    }
}

FailureOr<Grid> ContractionLowering::run() {
  if (failed(verify()))
    return failure();
  placeTile();
  SmallVector<Extent> extents;
  for (char axis : space.summed)
    extents.push_back(extent(axis));
  Index count = emitter.product(extents);
  Location loc = op.getLoc();
  size_t sumCount = rows.size() * columns.size();
  auto zeros = [&](int64_t width) {
    Value zero = emitter.splat(loc, emitter.constant(loc, type, 0), width);
    return SmallVector<Value>(sumCount, zero);
  };
  frame.ifTrue(exists, [&] {
    Index start = Index::constant(0);
    if (alongN || lanes == 1)
      return finish(sumLoop(start, count, 1, alongN ? lanes : 1,
                            zeros(alongN ? lanes : 1)));
    // Whole vectors along the last summed axis, then what is left of it.
    bool fits = extents.back().isStatic() && extents.back().size % lanes == 0;
    bool several = extents.size() > 1;
    if (several && !fits)
      return finish(sumLoop(start, count, 1, 1, zeros(1)));
    Index whole = emitter.mul(emitter.div(count, Index::constant(lanes)),
                              Index::constant(lanes));
    SmallVector<Value> sums = sumLoop(start, whole, lanes, lanes, zeros(lanes));
    for (Value &sum : sums)
      sum = addLanes(sum);
    finish(fits ? sums : sumLoop(whole, count, 1, 1, sums));
  });
  GridTerm grid = tiles();
  grid.divisor = schedule.getThreads();
  return Grid{grid};
}

FailureOr<Grid> mlir::fuse::lowerContraction(KernelFrame &frame,
                                             ContractionScheduleAttr schedule) {
  ContractOp contract;
  for (ContractOp op : frame.kernel.getBody().getOps<ContractOp>()) {
    if (contract)
      return frame.kernel.emitError()
             << "expected one contraction for #fuse.contraction, but got two; "
                "put them into kernels of their own";
    contract = op;
  }
  if (!contract)
    return frame.kernel.emitError()
           << "expected a contraction for #fuse.contraction, but got none; use "
              "#fuse.pointwise";
  return ContractionLowering(frame, schedule, contract).run();
}
