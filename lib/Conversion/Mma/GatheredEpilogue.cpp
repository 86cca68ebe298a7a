//===- GatheredEpilogue.cpp - Results of sums in shared memory ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatheredEpilogue.h"

#include "ResultPoint.h"
#include "SplitSums.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of a sum.
static constexpr int64_t sumBytes = 4;
/// Sums that one access takes: 16 bytes.
static constexpr int64_t mostLanes = 4;
/// Vectors of a thread whose loads are under way together.
static constexpr int64_t mostTogether = 4;
/// How a warp's sums lie, see MmaEpilogue.h.
static constexpr int64_t warpThreads = 32, warpRows = 16, rowStep = 8,
                         blockColumns = 8, pair = 2;

GatheredEpilogue::GatheredEpilogue(MmaBuilder &b, const MmaSpace &space,
                                   const MmaSegment &segment,
                                   MmaScheduleAttr schedule)
    : b(b), emitter(b.frame.emitter), space(space), segment(segment),
      schedule(schedule), streamed(streamedInputs(b.frame, space, segment)),
      lanes(mostLanes),
      threads(schedule.getConsumers() * MmaScheduleAttr::kGroup) {
  // Neither the result's rows nor the tile's cut a vector.
  while (!emitter.divides(lanes, extents(space.n).front()) ||
         columns() % lanes != 0)
    lanes /= 2;
}

int64_t GatheredEpilogue::vectorsPerThread() const {
  return llvm::divideCeil(rows() * columns() / lanes,
                          threads * schedule.exchangingBlocks());
}

void GatheredEpilogue::initialize(const ConsumerThread &self, Value rank,
                                  SumsExchange &sums) {
  exchange = &sums;
  Value thread =
      b.add(b.mul(self.consumer, MmaScheduleAttr::kGroup), self.thread);
  part = rank;
  first = thread;
  // Each takes some of the vectors.
  if (schedule.exchangingBlocks() > 1)
    first = b.add(b.mul(rank, vectorsPerThread() * threads), thread);
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
  place = b.mul(b.add(b.mul(row, schedule.sumsPitch()), column), sumBytes);
}

//===----------------------------------------------------------------------===//
// Into shared memory
//===----------------------------------------------------------------------===//

/// `row` and `column` count from this thread's first sum.
void GatheredEpilogue::storeSum(int64_t row, int64_t column,
                                ArrayRef<Value> values) {
  if (schedule.getSwap())
    std::swap(row, column);
  int64_t offset = (row * schedule.sumsPitch() + column) * sumBytes;
  Value stored = emitter.gatherLanes(b.loc(), values.size(),
                                     [&](int64_t i) { return values[i]; });
  LLVM::StoreOp::create(b.builder, b.loc(), stored,
                        b.behind(exchange->own(), b.add(place, offset)),
                        static_cast<unsigned>(values.size() * sumBytes));
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

/// The vector of that number in the tile. Those past an edge read what is
/// inside, and write nothing.
GatheredEpilogue::Share GatheredEpilogue::shareOf(const TilePlace &tile,
                                                  Value number) {
  int64_t perRow = columns() / lanes, vectors = rows() * perRow;
  Share share;
  if (vectors % (threads * schedule.exchangingBlocks()) != 0) {
    share.isInside = emitter.less(b.indexOf(number), Index::constant(vectors));
    number = b.min(number, b.word(vectors - 1));
  }
  Value row = b.div(number, perRow);
  Value column = b.mul(b.rem(number, perRow), lanes);
  share.offset =
      b.mul(b.add(b.mul(row, schedule.sumsPitch()), column), sumBytes);
  bool swap = schedule.getSwap();
  share.row = b.indexOf(b.add(swap ? tile.column : tile.row, row));
  share.column = b.indexOf(b.add(swap ? tile.row : tile.column, column));
  auto keepInside = [&](Index &index, char axis, int64_t tileSize,
                        int64_t width) {
    std::optional<int64_t> known = staticProduct(extents(axis));
    if (known && *known % tileSize == 0)
      return;
    Index size = emitter.product(extents(axis));
    share.isInside = b.frame.both(share.isInside, emitter.less(index, size));
    index = emitter.min(index, emitter.add(size, Index::constant(-width)));
  };
  keepInside(share.row, space.m, rows() * schedule.clusterRows(), 1);
  keepInside(share.column, space.n, columns() * schedule.clusterColumns(),
             lanes);
  llvm::SmallDenseMap<char, Index> outer;
  for (char axis : space.outer)
    outer[axis] = b.indexOf(tile.outer.lookup(axis));
  auto joined = emitter.delinearize(share.row, extents(space.m));
  share.point = resultPoint(space, segment, b.frame.dims,
                            {joined, share.column, outer, lanes});
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

void GatheredEpilogue::loadInputs(ArrayRef<Share> shares) {
  if (schedule.leavesParts())
    return;
  for (BlockArgument input : streamed)
    for (const Share &share : shares)
      emitter.emit(input, share.point);
}

Value GatheredEpilogue::sumOf(int64_t contraction, const Share &share) {
  Type type = PointEmitter::lanesOf(b.builder.getF32Type(), lanes);
  Value at = b.add(share.offset, contraction * columns() * sumBytes);
  SmallVector<Value> parts;
  for (int64_t part = 0; part < schedule.exchangingBlocks(); ++part)
    parts.push_back(LLVM::LoadOp::create(
        b.builder, b.loc(), type, b.behind(exchange->ofPart(part), at),
        static_cast<unsigned>(lanes * sumBytes)));
  Value sum = parts.front();
  for (Value part : llvm::drop_begin(parts))
    sum = arith::AddFOp::create(b.builder, b.loc(), sum, part);
  return sum;
}

/// From the last to the first: where both axes have size 1 all are one point,
/// whose value is the first's.
void GatheredEpilogue::defineSums(ArrayRef<Share> shares) {
  for (int64_t i = 0; i < segment.count(); ++i) {
    Value sum = segment.contractions[i].sums;
    SmallVector<Value> sums;
    for (const Share &share : shares)
      sums.push_back(sumOf(i, share));
    for (size_t number = shares.size(); number-- > 0;)
      emitter.define(sum, shares[number].point, sums[number]);
  }
}

void GatheredEpilogue::leaveShares(ArrayRef<Share> shares) {
  SmallVector<SmallVector<Value>> sums;
  for (const Share &share : shares) {
    sums.emplace_back();
    for (int64_t i = 0; i < segment.count(); ++i)
      sums.back().push_back(sumOf(i, share));
  }
  for (auto [share, its] : llvm::zip_equal(shares, sums))
    b.frame.ifTrue(share.isInside, [&, &share = share, &its = its] {
      leaveSplitSums(b.frame, space, segment, b.indexOf(part), share.point,
                     its);
    });
}

/// All values before the first result, whose branch would end what the emitter
/// knows.
void GatheredEpilogue::writeShares(ArrayRef<Share> shares) {
  if (schedule.leavesParts())
    return leaveShares(shares);
  defineSums(shares);
  auto yielded = b.frame.kernel.getYield().getValues();
  SmallVector<SmallVector<Value>> values;
  for (const Share &share : shares) {
    values.emplace_back();
    for (unsigned number : segment.results)
      values.back().push_back(emitter.emitLanes(yielded[number], share.point));
  }
  for (auto [share, computed] : llvm::zip(shares, values))
    b.frame.ifTrue(share.isInside, [&, &share = share, &computed = computed] {
      for (auto [number, value] : llvm::zip(segment.results, computed))
        emitter.store(number, share.point, value);
    });
}

void GatheredEpilogue::write(const TilePlace &tile, ArrayRef<TileSums> sums,
                             const TileTurn &turn) {
  exchange->awaitSpace(turn);
  for (auto [contraction, its] : llvm::enumerate(sums))
    leaveSums(contraction, its);
  int64_t each = vectorsPerThread();
  if (each <= mostTogether) {
    SmallVector<Share, 0> shares = sharesFrom(tile, first, each);
    // Under way while the blocks wait for each other.
    loadInputs(shares);
    exchange->exchange(turn);
    writeShares(shares);
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
    writeShares(shares);
  };
  int64_t whole = each / mostTogether * mostTogether;
  steps(0, whole, mostTogether);
  if (whole < each)
    steps(whole, each, 1);
  exchange->release(turn);
}
