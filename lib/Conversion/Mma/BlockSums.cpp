//===- BlockSums.cpp - Sums of blocks, scaled in registers ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockSums.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// How a warp's sums lie, see MmaEpilogue.h.
static constexpr int64_t warpThreads = 32, warpRows = 16, rowStep = 8,
                         blockColumns = 8, pair = 2;

BlockSums::BlockSums(MmaBuilder &b, const MmaSpace &space,
                     MmaScheduleAttr schedule, int64_t contraction)
    : b(b), emitter(b.frame.emitter), space(space),
      blocks(
          *space.blocksOf(space.segments.front().contractions[contraction].op)),
      schedule(schedule), places(emitter, blocks.flow),
      lanes(schedule.getSwap() ? 1 : pair) {
  for (auto &[value, moved] : blocks.flow.values)
    if (!emitter.divides(pair, b.frame.dims.extents(value).back()))
      lanes = 1;
  findScales();
}

int64_t BlockSums::columnCount() const {
  return ownColumns() / blockColumns * (pair / lanes);
}

void BlockSums::startTile(const TilePlace &tile, const ConsumerThread &self,
                          const BlockSums *other) {
  placeTile(tile, self);
  if (other)
    rows = other->rows;
}

/// Of the sums, whose rows are the result's columns where operands are swapped.
void BlockSums::placeTile(const TilePlace &tile, const ConsumerThread &self) {
  rows.clear();
  columns.clear();
  outer.clear();
  for (char axis : space.outer)
    outer[axis] = b.indexOf(tile.outer.lookup(axis));
  Value firstRow = tile.row, firstColumn = tile.column;
  if (schedule.sharesColumns())
    firstColumn = b.add(firstColumn, b.mul(self.consumer, ownColumns()));
  else
    firstRow =
        b.add(firstRow, b.mul(self.consumer, schedule.partsPerConsumer() *
                                                 MmaScheduleAttr::kRows));
  Value ownRow = b.add(b.mul(b.div(self.thread, warpThreads), warpRows),
                       b.div(self.lane, 4));
  Value ownColumn = b.mul(b.rem(self.lane, 4), pair);
  SmallVector<int64_t> rowSteps, columnSteps;
  for (int64_t row = 0; row < rowCount(); ++row)
    rowSteps.push_back(row / 2 * MmaScheduleAttr::kRows + row % 2 * rowStep);
  for (int64_t column = 0; column < columnCount(); ++column)
    columnSteps.push_back(column * lanes / pair * blockColumns +
                          column * lanes % pair);
  if (schedule.getSwap()) {
    placeRows(b.add(firstColumn, ownColumn), columnSteps, schedule.getTileN());
    placeColumns(firstRow, ownRow, rowSteps, MmaScheduleAttr::kRows - rowStep,
                 schedule.getTileM());
  } else {
    placeRows(b.add(firstRow, ownRow), rowSteps, schedule.getTileM());
    placeColumns(firstColumn, ownColumn, columnSteps, blockColumns,
                 tileColumns());
  }
}

/// Places beyond the result are those of its last row or column: what is read
/// for them is there, and what is computed for them is not written.
void BlockSums::placeRows(Value first, ArrayRef<int64_t> steps,
                          int64_t tileRows) {
  SmallVector<Extent> extents = space.extents(space.m, b.frame.dims);
  std::optional<int64_t> known = staticProduct(extents);
  bool isCut = !known || *known % (tileRows * schedule.clusterSize()) != 0;
  Index last = emitter.add(emitter.product(extents), Index::constant(-1));
  Index start = b.indexOf(first);
  for (int64_t step : steps) {
    Index row = emitter.add(start, Index::constant(step));
    if (isCut)
      row = emitter.min(row, last);
    rows.push_back(emitter.delinearize(row, extents));
  }
}

/// `own` differs between threads, and is less than `span`. Neighbours that have
/// a factor in common stay together at the edge.
void BlockSums::placeColumns(Value first, Value own, ArrayRef<int64_t> steps,
                             int64_t span, int64_t tileWidth) {
  constexpr int64_t most = MmaScheduleAttr::kRowElements;
  Extent extent = space.columns(space.segments.front(), b.frame.dims);
  int64_t width = schedule.getSwap()
                      ? schedule.partsPerConsumer() * MmaScheduleAttr::kRows
                      : ownColumns();
  bool isCut = !extent.isStatic() ||
               extent.size % (tileWidth * schedule.clusterSize()) != 0;
  int64_t together = std::gcd(width, most);
  bool isWhole = extent.isStatic() && extent.size % together == 0;
  Index start = b.indexOf(first), lane = b.indexOf(own);
  int64_t unit = std::gcd(width, blocks.wholeColumns);
  auto lastOf = [&](int64_t count) {
    return emitter.add(emitter.size(extent), Index::constant(-count));
  };
  for (int64_t step : steps) {
    Index column = emitter.add(start, Index::constant(step));
    if (!isCut) {
      columns.push_back({column.base, unit, column.offset, lane.base, span});
      continue;
    }
    if (!isWhole) {
      columns.push_back(PartedIndex::of(
          emitter.min(emitter.add(column, lane), lastOf(lanes))));
      continue;
    }
    int64_t rest = step % together;
    Index inside = emitter.min(emitter.add(column, Index::constant(-rest)),
                               lastOf(together));
    columns.push_back({inside.base, std::gcd(unit, together),
                       inside.offset + rest, lane.base, span});
  }
}

PartedPoint BlockSums::place(const Index &step, int64_t row, int64_t column) {
  ContractOp contract = blocks.contract;
  if (schedule.getSwap())
    std::swap(row, column);
  PartedPoint point;
  // The space's letters, which are the first contraction's.
  char axisOfBlocks = space.blocks.front().axis;
  StringRef letters = space.first().getResultAxes();
  for (auto [number, letter] : llvm::enumerate(letters)) {
    const auto *joined = llvm::find(space.rowAxes, letter);
    Extent extent = b.frame.dims.extent(contract.getResult(), number);
    if (extent.size == 1)
      point.push_back({});
    else if (letter == axisOfBlocks)
      point.push_back(PartedIndex::of(step));
    else if (letter == space.n)
      point.push_back(columns[column]);
    else if (joined != space.rowAxes.end())
      point.push_back(
          PartedIndex::of(rows[row][joined - space.rowAxes.begin()]));
    else
      point.push_back(PartedIndex::of(outer.lookup(letter)));
  }
  return point;
}

void BlockSums::forEach(
    llvm::function_ref<void(int64_t row, int64_t column)> body) {
  for (int64_t row = 0; row < rowCount(); ++row)
    for (int64_t column = 0; column < columnCount(); ++column)
      body(row, column);
}

/// The other operands of what follows from the contraction.
void BlockSums::findScales() {
  for (auto &[value, moved] : blocks.flow.values) {
    Operation *op = value.getDefiningOp();
    if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>())
      for (Value operand : op->getOperands())
        if (!blocks.flow.values.contains(operand))
          scales.push_back({operand, value});
  }
  // From what is summed back to the contraction.
  Value at = blocks.sum->getOperand(0);
  size_t products = 0;
  while (at != blocks.contract->getResult(0)) {
    Operation *op = at.getDefiningOp();
    if (auto mul = dyn_cast<MulOp>(op)) {
      bool isLeft = blocks.flow.values.contains(mul.getLhs());
      if (isLeft == blocks.flow.values.contains(mul.getRhs()))
        return;
      at = isLeft ? mul.getLhs() : mul.getRhs();
      ++products;
    } else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op)) {
      at = op->getOperand(0);
    } else {
      return;
    }
  }
  isProduct = !emitter.getOptions().strict && products == scales.size();
}

void BlockSums::load(const Index &step, llvm::SetVector<Value> &loaded) {
  llvm::SmallDenseMap<Value, unsigned> known;
  for (auto [number, value] : llvm::enumerate(loaded))
    known[value] = number;
  numbers.clear();
  for (const Scale &scale : scales)
    forEach([&](int64_t row, int64_t column) {
      Value value = scaleAt(scale, step, row, column);
      loaded.insert(value);
      numbers.push_back(known.try_emplace(value, known.size()).first->second);
    });
}

bool BlockSums::mayLoadAhead(ArrayRef<Value> loaded) const {
  // Beside the most sums there is room for the scales of two rows, and of the
  // blocks of columns that a tile of 256 meets.
  constexpr int64_t mostSums = 96, besideMost = 8;
  int64_t sums =
      rowCount() * columnCount() * lanes * space.segments.front().count();
  int64_t words = 0;
  for (Value value : loaded)
    words += lanesIn(value);
  return words <= besideMost + std::max<int64_t>(0, mostSums - sums) / 2;
}

void BlockSums::define(const Index &step, ArrayRef<Value> loaded) {
  const unsigned *number = numbers.begin();
  for (const Scale &scale : scales)
    forEach([&](int64_t row, int64_t column) {
      Point point = pointOf(scale.result, place(step, row, column));
      emitter.define(scale.operand,
                     emitter.operandPoint(scale.operand, scale.result, point),
                     loaded[*number++]);
    });
}

Value BlockSums::factorAt(const Index &step, int64_t row, int64_t column) {
  Value factor;
  for (const Scale &scale : scales) {
    Value next = scaleAt(scale, step, row, column);
    if (!factor) {
      factor = next;
      continue;
    }
    Value &product = factors[{factor, next}];
    if (!product) {
      int64_t wide = std::max(lanesIn(factor), lanesIn(next));
      product = arith::MulFOp::create(b.builder, b.loc(),
                                      emitter.splat(b.loc(), factor, wide),
                                      emitter.splat(b.loc(), next, wide));
    }
    factor = product;
  }
  return factor;
}

/// A sum with what becomes of a lane of a block's sums, a product of which may
/// reach it unrounded.
Value BlockSums::addTo(Value total, Value lane) {
  auto flags = arith::FastMathFlagsAttr::get(
      b.builder.getContext(),
      isProduct ? arith::FastMathFlags::contract : arith::FastMathFlags::none);
  return arith::AddFOp::create(b.builder, b.loc(), total, lane, flags);
}

/// What becomes of sums of the block.
Value BlockSums::scaledAt(const Index &step, int64_t row, int64_t column,
                          Value sums) {
  if (isProduct && scales.empty())
    return sums;
  if (isProduct) {
    Value factor = emitter.splat(b.loc(), factorAt(step, row, column), lanes);
    return arith::MulFOp::create(b.builder, b.loc(), sums, factor,
                                 arith::FastMathFlags::contract);
  }
  Value summed = blocks.sum->getOperand(0);
  PartedPoint from = place(step, row, column);
  emitter.define(blocks.contract->getResult(0), places.pointOf(from, lanes),
                 sums);
  places.declare(from, lanes);
  return emitter.emitLanes(summed, pointOf(summed, from));
}

TileSums BlockSums::add(const Index &step, const TileSums &sums,
                        const TileSums &added) {
  TileSums totals = sums;
  int64_t perBlock = pair / lanes;
  factors.clear();
  forEach([&](int64_t row, int64_t column) {
    int64_t first =
        2 * pair * (column / perBlock) + pair * (row % 2) + column % perBlock;
    int64_t part = row / 2;
    Value value = scaledAt(step, row, column,
                           emitter.gatherLanes(b.loc(), lanes, [&](int64_t i) {
                             return added[part][first + i];
                           }));
    for (int64_t i = 0; i < lanes; ++i) {
      Value lane = value;
      if (lanes > 1)
        lane = vector::ExtractOp::create(b.builder, b.loc(), value, i);
      Value &total = totals[part][first + i];
      total = addTo(total, lane);
    }
  });
  return totals;
}
