//===- GatheredEpilogue.cpp - Results of sums in shared memory ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatheredEpilogue.h"

#include "Points/RotaryPosition.h"
#include "ResultPoint.h"
#include "SplitSums.h"
#include "fuse/Analysis/RowParts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Sums that one access takes: 16 bytes in f32, twice as many in f64.
static constexpr int64_t mostLanes = 4;
/// Vectors of a thread whose loads are under way together, if shares have no
/// more.
static constexpr int64_t mostTogether = 4;
/// How a warp's sums lie, see MmaEpilogue.h.
static constexpr int64_t warpThreads = 32, warpRows = 16, rowStep = 8,
                         blockColumns = 8, pair = 2;

GatheredEpilogue::GatheredEpilogue(MmaBuilder &b, const MmaSpace &space,
                                   const MmaSegment &segment,
                                   MmaScheduleAttr schedule)
    : b(b), emitter(b.frame.emitter), space(space), segment(segment),
      schedule(schedule), streamed(streamedInputs(b.frame, space, segment)),
      flowPlaces(emitter, segment.flow), lanes(mostLanes),
      threads(schedule.getConsumers() * MmaScheduleAttr::kGroup),
      pieces(segment.flow.wholeColumns / segment.flow.pairColumns()) {
  // Neither the rows of results nor the tile's, nor pairs, cut a vector.
  auto cutsVector = [&](auto &entry) {
    return !emitter.divides(lanes, b.frame.dims.extents(entry.first).back());
  };
  while (!emitter.divides(lanes, extents(space.n).front()) ||
         inTile() % lanes != 0 || !segment.flow.fitsVectors(lanes) ||
         llvm::any_of(segment.flow.values, cutsVector))
    lanes /= 2;
  if (!space.reductions.empty())
    reductions.emplace(b, space, lanes, columns() / (lanes * pieces));
}

int64_t GatheredEpilogue::sharesPerThread() const {
  return llvm::divideCeil(rows() * columns() / (lanes * pieces),
                          threads * schedule.exchangingBlocks());
}

void GatheredEpilogue::initialize(const ConsumerThread &self, Value rank,
                                  SumsExchange &sums) {
  exchange = &sums;
  Value thread =
      b.add(b.mul(self.consumer, MmaScheduleAttr::kGroup), self.thread);
  part = rank;
  first = thread;
  // Each takes some of the shares.
  if (schedule.exchangingBlocks() > 1)
    first = b.add(b.mul(rank, sharesPerThread() * threads), thread);
  Value row = b.add(b.mul(b.div(self.thread, warpThreads), warpRows),
                    b.div(self.lane, 4));
  Value column = b.mul(b.rem(self.lane, 4), pair);
  if (schedule.sharesColumns())
    column = b.add(column,
                   b.mul(self.consumer, segment.columnsPerConsumer(schedule)));
  else
    row = b.add(row, b.mul(self.consumer, schedule.partsPerConsumer() *
                                              MmaScheduleAttr::kRows));
  if (schedule.getSwap())
    std::swap(row, column);
  place = b.mul(b.add(b.mul(row, schedule.sumsPitch()), column),
                schedule.sumBytes());
}

//===----------------------------------------------------------------------===//
// Into shared memory
//===----------------------------------------------------------------------===//

/// `row` and `column` count from this thread's first sum.
void GatheredEpilogue::storeSum(int64_t row, int64_t column,
                                ArrayRef<Value> values) {
  if (schedule.getSwap())
    std::swap(row, column);
  int64_t offset = (row * schedule.sumsPitch() + column) * schedule.sumBytes();
  Value stored = emitter.gatherLanes(b.loc(), values.size(),
                                     [&](int64_t i) { return values[i]; });
  LLVM::StoreOp::create(
      b.builder, b.loc(), stored,
      b.behind(exchange->own(), b.add(place, offset)),
      static_cast<unsigned>(values.size() * schedule.sumBytes()));
}

void GatheredEpilogue::leaveSums(int64_t contraction, const TileSums &sums) {
  for (auto [part, values] : llvm::enumerate(sums))
    for (int64_t at = 0; at < int64_t(values.size()); at += pair) {
      int64_t row = part * MmaScheduleAttr::kRows + at / pair % 2 * rowStep;
      int64_t column = contraction * columns() + at / (2 * pair) * blockColumns;
      if (!schedule.getSwap()) {
        storeSum(row, column, ArrayRef(values).slice(at, pair));
        continue;
      }
      for (int64_t i = 0; i < pair; ++i)
        storeSum(row, column + i, values[at + i]);
    }
}

//===----------------------------------------------------------------------===//
// Out of it
//===----------------------------------------------------------------------===//

/// Columns past the last one read what is inside; pairs of a head stay
/// together.
PartedIndex GatheredEpilogue::keepInside(PartedIndex column, Share &share) {
  std::optional<int64_t> known = staticProduct(extents(space.n));
  if (known && *known % (columns() * schedule.clusterColumns()) == 0)
    return column;
  Index size = emitter.product(extents(space.n));
  Index at = pieces == 1 ? emitter.add({column.base}, {column.lane})
                         : Index{column.base};
  share.isInside = b.frame.both(share.isInside, emitter.less(at, size));
  int64_t width = pieces == 1 ? lanes : wholeColumns();
  Index inside = emitter.min(at, emitter.add(size, Index::constant(-width)));
  if (pieces == 1)
    return PartedIndex::of(inside);
  column.base = inside.base;
  column.offset += inside.offset;
  return column;
}

/// The share of that number in the tile. Those past an edge read what is
/// inside, and write nothing.
GatheredEpilogue::Share GatheredEpilogue::shareOf(const TilePlace &tile,
                                                  Value number) {
  int64_t together = lanes * pieces, perRow = columns() / together;
  int64_t shares = rows() * perRow, perGroup = inTile() / lanes;
  Share share;
  if (shares % (threads * schedule.exchangingBlocks()) != 0) {
    share.isInside = emitter.less(b.indexOf(number), Index::constant(shares));
    number = b.min(number, b.word(shares - 1));
  }
  Value row = b.div(number, perRow), inRow = b.rem(number, perRow);
  Value group = b.word(0), inGroup = inRow;
  if (perRow > perGroup) {
    group = b.mul(b.div(inRow, perGroup), wholeColumns());
    inGroup = b.rem(inRow, perGroup);
  }
  Value lane = b.mul(inGroup, lanes);
  bool swap = schedule.getSwap();
  Index ofRow = b.indexOf(b.add(swap ? tile.column : tile.row, row));
  std::optional<int64_t> known = staticProduct(extents(space.m));
  if (!known || *known % (rows() * schedule.clusterRows()) != 0) {
    Index size = emitter.product(extents(space.m));
    share.isInside = b.frame.both(share.isInside, emitter.less(ofRow, size));
    ofRow = emitter.min(ofRow, emitter.add(size, Index::constant(-1)));
  }
  share.inRow = inRow;
  Value first = swap ? tile.row : tile.column, inHead = b.word(0);
  if (inTile() < apart()) {
    inHead = b.rem(first, wholeColumns());
    first = b.sub(first, inHead);
  }
  PartedIndex column{b.indexOf(b.add(first, group)).base, wholeColumns(), 0,
                     b.indexOf(b.add(inHead, lane)).base, apart()};
  emitter.setRange(column.lane, 0, apart() - lanes + 1);
  column = keepInside(column, share);
  // Features of the only head.
  if (pieces > 1 && staticProduct(extents(space.n)) == wholeColumns()) {
    column.base = {};
    column.offset %= wholeColumns();
  }
  llvm::SmallDenseMap<char, Index> outer;
  for (char axis : space.outer)
    outer[axis] = b.indexOf(tile.outer.lookup(axis));
  auto joined = emitter.delinearize(ofRow, extents(space.m));
  Value start = b.add(b.mul(row, schedule.sumsPitch()), b.add(group, lane));
  for (int64_t i = 0; i < pieces; ++i, column.offset += apart()) {
    Piece piece;
    piece.offset = b.mul(b.add(start, i * inTile()), schedule.sumBytes());
    piece.at =
        resultPlace(space, segment, b.frame.dims, {joined, column, outer});
    piece.point = flowPlaces.pointOf(piece.at, lanes);
    share.pieces.push_back(std::move(piece));
  }
  return share;
}

SmallVector<GatheredEpilogue::Share, 0>
GatheredEpilogue::sharesFrom(const TilePlace &tile, Value number,
                             int64_t count) {
  SmallVector<Share, 0> shares;
  for (int64_t i = 0; i < count; ++i)
    shares.push_back(shareOf(tile, b.add(number, i * threads)));
  return shares;
}

/// Also tables of angles.
void GatheredEpilogue::loadInputs(ArrayRef<Share> shares) {
  if (schedule.leavesParts())
    return;
  auto forEachPiece = [&](llvm::function_ref<void(const Piece &)> body) {
    for (const Share &share : shares)
      for (const Piece &piece : share.pieces)
        body(piece);
  };
  for (BlockArgument input : streamed)
    forEachPiece([&](const Piece &piece) { emitter.emit(input, piece.point); });
  for (auto &[value, moved] : segment.flow.values)
    if (auto rotary = value.getDefiningOp<RotaryOp>())
      forEachPiece([&](const Piece &piece) {
        prepareRotary(emitter, rotary, placeOf(rotary, piece));
      });
}

/// Where the piece is in a value that follows from the contraction.
Point GatheredEpilogue::placeOf(Value value, const Piece &piece) {
  return flowPlaces.pointOf(flowPlaces.follow(value, piece.at), lanes);
}

Value GatheredEpilogue::sumOf(int64_t contraction, const Piece &piece) {
  Type type = PointEmitter::lanesOf(schedule.sumType(), lanes);
  Value at = b.add(piece.offset, contraction * columns() * schedule.sumBytes());
  SmallVector<Value> parts;
  for (int64_t part = 0; part < schedule.exchangingBlocks(); ++part)
    parts.push_back(LLVM::LoadOp::create(
        b.builder, b.loc(), type, b.behind(exchange->ofPart(part), at),
        static_cast<unsigned>(lanes * schedule.sumBytes())));
  Value sum = parts.front();
  for (Value part : llvm::drop_begin(parts))
    sum = arith::AddFOp::create(b.builder, b.loc(), sum, part);
  return sum;
}

/// From the last to the first: where both axes have size 1 all are one point,
/// whose value is the first's.
void GatheredEpilogue::defineSums(ArrayRef<Share> shares) {
  SmallVector<const Piece *> all;
  for (const Share &share : shares)
    for (const Piece &piece : share.pieces)
      all.push_back(&piece);
  for (int64_t i = 0; i < segment.count(); ++i) {
    Value sum = segment.contractions[i].sums;
    SmallVector<Value> sums;
    for (const Piece *piece : all)
      sums.push_back(sumOf(i, *piece));
    for (size_t number = all.size(); number-- > 0;)
      emitter.define(sum, all[number]->point, sums[number]);
  }
  for (const Piece *piece : llvm::reverse(all))
    flowPlaces.declare(piece->at, lanes);
}

void GatheredEpilogue::leaveShares(ArrayRef<Share> shares) {
  SmallVector<SmallVector<Value>> sums;
  for (const Share &share : shares) {
    sums.emplace_back();
    for (int64_t i = 0; i < segment.count(); ++i)
      sums.back().push_back(sumOf(i, share.pieces.front()));
  }
  for (auto [share, its] : llvm::zip_equal(shares, sums))
    b.frame.ifTrue(share.isInside, [&, &share = share, &its = its] {
      leaveSplitSums(b.frame, space, segment, b.indexOf(part),
                     share.pieces.front().point, its);
    });
}

/// All values before the first result, whose branch would end what the emitter
/// knows.
void GatheredEpilogue::writeShares(const TilePlace &tile,
                                   ArrayRef<Share> shares) {
  if (schedule.leavesParts())
    return leaveShares(shares);
  defineSums(shares);
  if (reductions)
    reduceShares(shares);
  auto yielded = b.frame.kernel.getYield().getValues();
  struct Computed {
    unsigned number;
    Point point;
    Value value;
  };
  SmallVector<SmallVector<Computed, 0>> values;
  for (const Share &share : shares) {
    values.emplace_back();
    for (unsigned number : segment.results)
      for (const Piece &piece : share.pieces) {
        Value value = storedValue(yielded[number]);
        Point point = placeOf(value, piece);
        values.back().push_back(
            {number, point, emitter.emitLanes(value, point)});
      }
  }
  for (auto [share, computed] : llvm::zip_equal(shares, values))
    b.frame.ifTrue(share.isInside, [&, &computed = computed] {
      for (const Computed &one : computed)
        storeResult(b.frame, one.number, one.point, one.value);
    });
  if (reductions)
    leaveStates(tile, shares);
}

/// Takes what is reduced into states, each share's as a row of its own.
void GatheredEpilogue::reduceShares(ArrayRef<Share> shares) {
  Operation *reduction = space.reductions.front();
  Value runs = reducedRunOf(reduction) ? reduction->getOperand(0) : Value();
  reductions->start(shares.size());
  for (auto [number, share] : llvm::enumerate(shares)) {
    SmallVector<TileReductions::Element> elements;
    for (const Piece &piece : share.pieces)
      elements.push_back(
          {runs ? placeOf(runs, piece) : piece.point, share.isInside});
    reductions->take(number, elements);
  }
}

/// The first thread of a row leaves its part.
void GatheredEpilogue::leaveStates(const TilePlace &tile,
                                   ArrayRef<Share> shares) {
  Index part =
      b.indexOf(b.div(schedule.getSwap() ? tile.row : tile.column, columns()));
  SmallVector<Extent> kept = b.frame.dims.extents(segment.shape());
  kept.pop_back();
  auto axes = llvm::to_vector(llvm::seq<int64_t>(kept.size()));
  bool areRuns = reducedRunOf(space.reductions.front()).has_value();
  for (auto [number, share] : llvm::enumerate(shares)) {
    Value writes = b.frame.both(b.equal(share.inRow, 0), share.isInside);
    Point point = share.pieces.front().point;
    if (areRuns) {
      Point ofRun;
      ofRun.dims = point.dims;
      ofRun.dims.back() = part;
      reductions->store(number, ofRun, columns(), writes);
      continue;
    }
    reductions->leave(number, part, emitter.numberIn(axes, kept, point.dims),
                      emitter.product(kept), writes);
  }
}

void GatheredEpilogue::write(const TilePlace &tile, ArrayRef<TileSums> sums,
                             const TileTurn &turn) {
  exchange->awaitSpace(turn);
  for (auto [contraction, its] : llvm::enumerate(sums))
    leaveSums(contraction, its);
  int64_t each = sharesPerThread();
  int64_t together = std::max<int64_t>(1, mostTogether / pieces);
  if (each <= together) {
    SmallVector<Share, 0> shares = sharesFrom(tile, first, each);
    // Under way while the blocks wait for each other.
    loadInputs(shares);
    exchange->exchange(turn);
    writeShares(tile, shares);
    return exchange->release(turn);
  }
  exchange->exchange(turn);
  auto steps = [&](int64_t from, int64_t to, int64_t count) {
    auto loop =
        scf::ForOp::create(b.builder, b.loc(), b.add(first, from * threads),
                           b.add(first, to * threads), b.word(count * threads));
    OpBuilder::InsertionGuard guard(b.builder);
    b.builder.setInsertionPointToStart(loop.getBody());
    PointEmitter::Scope scope(emitter);
    SmallVector<Share, 0> shares =
        sharesFrom(tile, loop.getInductionVar(), count);
    loadInputs(shares);
    writeShares(tile, shares);
  };
  int64_t whole = each / together * together;
  steps(0, whole, together);
  if (whole < each)
    steps(whole, each, 1);
  exchange->release(turn);
}
