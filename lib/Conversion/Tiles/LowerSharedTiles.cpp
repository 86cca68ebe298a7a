//===- LowerSharedTiles.cpp - Tiles of contractions in shared memory ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory has two buffers, each for tile_k places of the summed axis of
// the tile's rows [tile_k][tile_m] and columns [tile_k][tile_n]:
//
//   for each step
//     multiply half of what one buffer holds
//     store the next step's elements, from registers, into the other buffer
//     load those of the step after it into the registers
//     multiply the other half
//     wait for all threads
//
// so that a load has half a step to arrive in, wherever ptxas moves it: it
// moves loads behind all that does not need them.
//
// The 32 pieces of a warp lie 4 x 8. A thread's rows and columns come in groups
// of neighbours, which lie so far apart that the threads of a warp read
// neighbouring groups:
//
//   columns of a warp, by lane, with two groups   0011223344556677 001122334...
//
// Sums start anew every 256 products, and are added to totals that each thread
// has in shared memory. What follows the contractions is computed from there,
// row by row.
//
//===----------------------------------------------------------------------===//

#include "NearBuffer.h"
#include "Reductions/CompensatedSum.h"
#include "Rows/RowStaging.h"
#include "TilePlaces.h"
#include "Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class SharedLowering {
public:
  SharedLowering(KernelFrame &frame, TiledScheduleAttr schedule,
                 const TileSpace &space)
      : frame(frame), emitter(frame.emitter), builder(frame.builder),
        schedule(schedule), space(space), places(frame, space, schedule),
        layout(schedule, space, frame.dims), width(schedule.getVector()),
        depth(schedule.getTileK()), threads(schedule.getThreads()) {}

  FailureOr<Grid> run();

private:
  /// How the threads of a block read one operand from memory.
  struct Copy {
    bool isRows;
    int64_t tile, pitch;
    /// Elements of a load, which are neighbours along the summed axis or along
    /// rows or columns; loads of a thread in a step.
    int64_t width;
    bool alongSummed;
    int64_t loads;
  };
  /// The elements of the next step that this thread has loaded.
  using Loaded = SmallVector<SmallVector<Value>, 2>;

  LogicalResult verify();
  void allocate();
  void placeThread();
  Copy copyOf(const TileContraction &contraction, bool isRows);
  int64_t widestCopy(const TileContraction &contraction, bool isRows,
                     bool alongSummed);
  std::pair<Index, Index> placeOf(const Copy &copy, int64_t number);
  Value loadElements(const TileContraction &contraction, const Copy &copy,
                     int64_t number, const Index &k, const Index &count);
  Loaded load(const TileContraction &contraction, const Index &k,
              const Index &count);
  void store(const Loaded &loaded, const Index &buffer);
  SmallVector<Value> multiply(const Index &buffer, int64_t from, int64_t to,
                              ValueRange sums);
  void clearTotals(unsigned number);
  void addToTotals(ValueRange sums, unsigned number);
  void accumulate(const TileContraction &contraction, unsigned number);
  Loaded unflatten(ValueRange values);
  SmallVector<Value> sumBlock(const TileContraction &contraction,
                              const Index &from, const Index &to,
                              const Index &count, ValueRange next,
                              unsigned number);
  Value totalAt(const Index &at, unsigned number);
  void finishRow(const Index &row);
  void finishAt(const Index &row, int64_t group, int64_t first, int64_t lanes);
  void finish();

  Index rowAt(const Index &number);
  Index columnAt(int64_t group);
  Index totalIndex(const Index &row, int64_t column) {
    Index number =
        emitter.add(emitter.mul(row, Index::constant(schedule.getColumns())),
                    Index::constant(column));
    return emitter.add(emitter.mul(number, Index::constant(threads)), thread);
  }
  Value zero() { return emitter.constant(frame.loc(), type, 0); }

  KernelFrame &frame;
  PointEmitter &emitter;
  OpBuilder &builder;
  TiledScheduleAttr schedule;
  const TileSpace &space;
  TilePlaces places;
  SharedTileLayout layout;
  int64_t width, depth, threads;
  Type type;
  Index thread;
  /// Of the piece's first groups in the tile.
  Index pieceRow, pieceColumn;
  NearBuffer rows, columns;
  SmallVector<NearBuffer, 2> totals, rests;
  SmallVector<Copy, 2> copies;
};
} // namespace

LogicalResult SharedLowering::verify() {
  auto error = [&](const Twine &what) {
    return frame.kernel.emitError() << what;
  };
  if (schedule.getTileM() % layout.warpRows() != 0 ||
      schedule.getTileN() % layout.warpColumns() != 0)
    return error("expected tile_m to be a multiple of 4 x rows = " +
                 Twine(layout.warpRows()) +
                 " and tile_n of 8 x columns = " + Twine(layout.warpColumns()) +
                 ", the piece of a warp, but got " +
                 Twine(schedule.getTileM()) + " and " +
                 Twine(schedule.getTileN()) + "; use multiples of these");
  for (int64_t tile : {schedule.getTileM(), schedule.getTileN()})
    if (tile * depth % threads != 0)
      return error("expected threads to share " + Twine(tile) +
                   " x tile_k = " + Twine(tile * depth) +
                   " elements evenly, but got threads = " + Twine(threads) +
                   "; use a larger tile_k");
  return success();
}

void SharedLowering::allocate() {
  NearBuffer all(emitter, dynamicSharedMemory(frame), type);
  int64_t at = 0;
  auto add = [&](NearBuffer &buffer, int64_t elements) {
    buffer = all.from(Index::constant(at));
    at += elements;
  };
  add(rows, layout.rowElements());
  add(columns, layout.columnElements());
  totals.resize(space.contractions.size());
  rests.resize(space.contractions.size());
  for (unsigned number = 0; number < totals.size(); ++number) {
    add(totals[number], layout.totalElements());
    if (layout.hasRests())
      add(rests[number], layout.totalElements());
  }
  frame.sharedBytes = layout.bytes();
}

void SharedLowering::placeThread() {
  thread = frame.threadId(threads);
  Index warpSize = Index::constant(SharedTileLayout::kWarpSize);
  Index lane = emitter.rem(thread, warpSize);
  Index warp = emitter.div(thread, warpSize);
  Index warps = Index::constant(schedule.getTileM() / layout.warpRows());
  Index across = Index::constant(SharedTileLayout::kLaneColumns);
  pieceRow = emitter.add(
      emitter.mul(emitter.rem(warp, warps), Index::constant(layout.warpRows())),
      emitter.mul(emitter.div(lane, across),
                  Index::constant(layout.rowGroup())));
  pieceColumn = emitter.add(
      emitter.mul(emitter.div(warp, warps),
                  Index::constant(layout.warpColumns())),
      emitter.mul(emitter.rem(lane, across), Index::constant(width)));
}

/// Rows come in groups, too.
Index SharedLowering::rowAt(const Index &number) {
  int64_t group = layout.rowGroup();
  Index size = Index::constant(group);
  Index within = emitter.rem(number, size);
  Index start =
      emitter.mul(emitter.div(number, size),
                  Index::constant(SharedTileLayout::kLaneRows * group));
  return emitter.add(pieceRow, emitter.add(start, within));
}

Index SharedLowering::columnAt(int64_t group) {
  return emitter.add(
      pieceColumn,
      Index::constant(group * SharedTileLayout::kLaneColumns * width));
}

//===----------------------------------------------------------------------===//
// From memory to shared memory
//===----------------------------------------------------------------------===//

/// Elements that a load takes where all of them exist or none, and lie in one
/// row of the operand.
int64_t SharedLowering::widestCopy(const TileContraction &contraction,
                                   bool isRows, bool alongSummed) {
  constexpr int64_t vectorBytes = 16;
  int64_t tile = isRows ? schedule.getTileM() : schedule.getTileN();
  int64_t widest = std::min<int64_t>(
      vectorBytes / (type.getIntOrFloatBitWidth() / 8),
      std::min(tile * depth / threads, alongSummed ? depth : tile));
  auto extents = alongSummed ? contraction.summedExtents(frame.dims)
                 : isRows ? space.rowExtents(frame.dims)
                          : SmallVector<Extent>{space.columnExtent(frame.dims)};
  auto isWhole = [&](int64_t lanes) {
    return !extents.empty() && emitter.divides(lanes, extents.back()) &&
           tile * depth / threads % lanes == 0 &&
           (alongSummed ? places.alongSummed(contraction, isRows, lanes)
                        : places.alongOwn(contraction, isRows, lanes));
  };
  while (widest > 1 && !isWhole(widest))
    widest /= 2;
  return widest;
}

SharedLowering::Copy SharedLowering::copyOf(const TileContraction &contraction,
                                            bool isRows) {
  int64_t tile = isRows ? schedule.getTileM() : schedule.getTileN();
  bool alongSummed = places.alongSummed(contraction, isRows, 1);
  int64_t lanes = widestCopy(contraction, isRows, alongSummed);
  return {isRows, tile,        layout.pitch(tile),
          lanes,  alongSummed, tile * depth / threads / lanes};
}

/// The row or column, and the place of the step, of the thread's load.
std::pair<Index, Index> SharedLowering::placeOf(const Copy &copy,
                                                int64_t number) {
  int64_t inner = (copy.alongSummed ? depth : copy.tile) / copy.width;
  Index at = emitter.add(thread, Index::constant(number * threads));
  Index size = Index::constant(inner);
  Index outer = emitter.div(at, size);
  Index along = emitter.mul(emitter.rem(at, size), Index::constant(copy.width));
  return copy.alongSummed ? std::pair(outer, along) : std::pair(along, outer);
}

/// What lies past an edge is read from inside of it. Places past the last one
/// count as zeros.
Value SharedLowering::loadElements(const TileContraction &contraction,
                                   const Copy &copy, int64_t number,
                                   const Index &k, const Index &count) {
  Location loc = frame.loc();
  auto [own, place] = placeOf(copy, number);
  Index last = Index::constant(-(copy.alongSummed ? 1 : copy.width));
  Index size = copy.isRows ? emitter.product(space.rowExtents(frame.dims))
                           : emitter.size(space.columnExtent(frame.dims));
  own =
      emitter.add(copy.isRows ? places.firstRow() : places.firstColumn(), own);
  if (size.base || size.offset % copy.tile != 0)
    own = emitter.min(own, emitter.add(size, last));
  Index at = emitter.add(k, place);
  Index inside = emitter.min(
      at,
      emitter.add(count, Index::constant(copy.alongSummed ? -copy.width : -1)));
  Value value = places.emitOperand(contraction, copy.isRows, own, inside,
                                   copy.width, copy.alongSummed);
  if (!count.base && count.offset % depth == 0)
    return value;
  Value zeros = emitter.splat(loc, zero(), copy.width);
  return arith::SelectOp::create(builder, loc, emitter.less(at, count), value,
                                 zeros);
}

SharedLowering::Loaded SharedLowering::load(const TileContraction &contraction,
                                            const Index &k,
                                            const Index &count) {
  Loaded loaded;
  for (const Copy &copy : copies) {
    loaded.emplace_back();
    for (int64_t number = 0; number < copy.loads; ++number)
      loaded.back().push_back(
          loadElements(contraction, copy, number, k, count));
  }
  return loaded;
}

void SharedLowering::store(const Loaded &loaded, const Index &buffer) {
  for (const auto &[copy, values] : llvm::zip_equal(copies, loaded)) {
    const NearBuffer &shared = copy.isRows ? rows : columns;
    Index start = emitter.mul(buffer, Index::constant(depth * copy.pitch));
    for (auto [number, value] : llvm::enumerate(values)) {
      auto [own, place] = placeOf(copy, number);
      Index at = emitter.add(
          start,
          emitter.add(emitter.mul(place, Index::constant(copy.pitch)), own));
      if (copy.width == 1 || !copy.alongSummed) {
        shared.store(at, value, copy.width);
        continue;
      }
      for (int64_t lane = 0; lane < copy.width; ++lane)
        shared.store(
            emitter.add(at, Index::constant(lane * copy.pitch)),
            vector::ExtractOp::create(builder, frame.loc(), value, lane), 1);
    }
  }
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `count` elements, in groups that lie `stride` apart.
static SmallVector<Value> loadGroups(OpBuilder &builder, Location loc,
                                     PointEmitter &emitter,
                                     const NearBuffer &buffer, const Index &at,
                                     int64_t count, int64_t group,
                                     int64_t stride) {
  SmallVector<Value> elements;
  for (int64_t first = 0; first < count; first += group) {
    Value loaded = buffer.load(
        emitter.add(at, Index::constant(first / group * stride)), group, group);
    for (int64_t lane = 0; lane < group; ++lane)
      elements.push_back(
          group == 1 ? loaded
                     : vector::ExtractOp::create(builder, loc, loaded, lane));
  }
  return elements;
}

/// Adds the products at some places of the step.
SmallVector<Value> SharedLowering::multiply(const Index &buffer, int64_t from,
                                            int64_t to, ValueRange sums) {
  Location loc = frame.loc();
  auto flags = arith::FastMathFlagsAttr::get(
      builder.getContext(), emitter.getOptions().strict
                                ? arith::FastMathFlags::none
                                : arith::FastMathFlags::contract);
  SmallVector<Value> result(sums);
  int64_t rowPitch = layout.pitch(schedule.getTileM());
  int64_t columnPitch = layout.pitch(schedule.getTileN());
  Index rowStart = emitter.add(
      emitter.mul(buffer, Index::constant(depth * rowPitch)), pieceRow);
  Index columnStart = emitter.add(
      emitter.mul(buffer, Index::constant(depth * columnPitch)), pieceColumn);
  for (int64_t place = from; place < to; ++place) {
    SmallVector<Value> a =
        loadGroups(builder, loc, emitter, rows,
                   emitter.add(rowStart, Index::constant(place * rowPitch)),
                   schedule.getRows(), layout.rowGroup(),
                   SharedTileLayout::kLaneRows * layout.rowGroup());
    SmallVector<Value> b = loadGroups(
        builder, loc, emitter, columns,
        emitter.add(columnStart, Index::constant(place * columnPitch)),
        schedule.getColumns(), width, SharedTileLayout::kLaneColumns * width);
    for (auto [number, sum] : llvm::enumerate(result)) {
      Value product =
          arith::MulFOp::create(builder, loc, a[number / schedule.getColumns()],
                                b[number % schedule.getColumns()], flags);
      sum = arith::AddFOp::create(builder, loc, sum, product, flags);
    }
  }
  return result;
}

void SharedLowering::clearTotals(unsigned number) {
  for (int64_t row = 0; row < schedule.getRows(); ++row)
    for (int64_t column = 0; column < schedule.getColumns(); ++column) {
      Index at = totalIndex(Index::constant(row), column);
      totals[number].store(at, zero(), 1);
      if (layout.hasRests())
        rests[number].store(at, zero(), 1);
    }
}

void SharedLowering::addToTotals(ValueRange sums, unsigned number) {
  for (auto [which, sum] : llvm::enumerate(sums)) {
    Index at = totalIndex(Index::constant(which / schedule.getColumns()),
                          which % schedule.getColumns());
    Value before = totals[number].load(at, 1, 1);
    if (!layout.hasRests()) {
      totals[number].store(
          at, arith::AddFOp::create(builder, frame.loc(), before, sum), 1);
      continue;
    }
    CompensatedSum after = addTerm(builder, frame.loc(),
                                   {before, rests[number].load(at, 1, 1)}, sum);
    totals[number].store(at, after.sum, 1);
    rests[number].store(at, after.rest, 1);
  }
}

static SmallVector<Value> flatten(ArrayRef<SmallVector<Value>> loaded) {
  SmallVector<Value> values;
  for (ArrayRef<Value> part : loaded)
    llvm::append_range(values, part);
  return values;
}

SharedLowering::Loaded SharedLowering::unflatten(ValueRange values) {
  Loaded loaded;
  for (const Copy &copy : copies) {
    loaded.emplace_back(values.take_front(copy.loads));
    values = values.drop_front(copy.loads);
  }
  return loaded;
}

/// The products from one place to another. The operands of the first step are
/// in its buffer, `next` those of the second; returns those of the second step
/// behind the last.
SmallVector<Value> SharedLowering::sumBlock(const TileContraction &contraction,
                                            const Index &from, const Index &to,
                                            const Index &count, ValueRange next,
                                            unsigned number) {
  Location loc = frame.loc();
  size_t sumCount = schedule.getRows() * schedule.getColumns();
  SmallVector<Value> carried(sumCount, zero());
  llvm::append_range(carried, next);
  auto loop = scf::ForOp::create(
      builder, loc, emitter.materialize(from), emitter.materialize(to),
      emitter.materialize(Index::constant(depth)), carried);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    PointEmitter::Scope scope(emitter);
    Index k = {loop.getInductionVar()};
    ValueRange args = loop.getRegionIterArgs();
    Index buffer =
        emitter.rem(emitter.div(k, Index::constant(depth)), Index::constant(2));
    SmallVector<Value> sums =
        multiply(buffer, 0, depth / 2, args.take_front(sumCount));
    store(unflatten(args.drop_front(sumCount)),
          emitter.sub(Index::constant(1), buffer));
    Loaded later =
        load(contraction, emitter.add(k, Index::constant(2 * depth)), count);
    sums = multiply(buffer, depth / 2, depth, sums);
    gpu::BarrierOp::create(builder, loc);
    llvm::append_range(sums, flatten(later));
    scf::YieldOp::create(builder, loc, sums);
  }
  ValueRange results = loop.getResults();
  addToTotals(results.take_front(sumCount), number);
  return llvm::to_vector(results.drop_front(sumCount));
}

void SharedLowering::accumulate(const TileContraction &contraction,
                                unsigned number) {
  copies = {copyOf(contraction, /*isRows=*/true),
            copyOf(contraction, /*isRows=*/false)};
  Index start = Index::constant(0), count = places.summedCount(contraction);
  store(load(contraction, start, count), start);
  SmallVector<Value> next =
      flatten(load(contraction, Index::constant(depth), count));
  gpu::BarrierOp::create(builder, frame.loc());
  int64_t most = TiledScheduleAttr::kMostInSequence;
  if (!count.base && count.offset <= most) {
    sumBlock(contraction, start, count, count, next, number);
    return;
  }
  auto blocks =
      scf::ForOp::create(builder, frame.loc(), emitter.materialize(start),
                         emitter.materialize(count),
                         emitter.materialize(Index::constant(most)), next);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(blocks.getBody());
  PointEmitter::Scope scope(emitter);
  Index from = {blocks.getInductionVar()};
  Index to = emitter.min(emitter.add(from, Index::constant(most)), count);
  scf::YieldOp::create(builder, frame.loc(),
                       sumBlock(contraction, from, to, count,
                                blocks.getRegionIterArgs(), number));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value SharedLowering::totalAt(const Index &at, unsigned number) {
  Value total = totals[number].load(at, 1, 1);
  return layout.hasRests() ? totalOf(builder, frame.loc(),
                                     {total, rests[number].load(at, 1, 1)})
                           : total;
}

void SharedLowering::finishAt(const Index &row, int64_t group, int64_t first,
                              int64_t lanes) {
  Index tileRow = emitter.add(places.firstRow(), rowAt(row));
  Index tileColumn =
      emitter.add(places.firstColumn(),
                  emitter.add(columnAt(group), Index::constant(first)));
  auto isInside = [&](const Index &at, ArrayRef<Extent> extents,
                      int64_t tile) -> Value {
    auto size = staticProduct(extents);
    return size && *size % tile == 0
               ? Value()
               : emitter.less(at, emitter.product(extents));
  };
  Value inside = frame.both(
      isInside(tileRow, space.rowExtents(frame.dims), schedule.getTileM()),
      isInside(tileColumn, {space.columnExtent(frame.dims)},
               schedule.getTileN()));
  frame.ifTrue(inside, [&] {
    Point point = places.resultPoint(tileRow, tileColumn, lanes);
    for (auto [number, contraction] : llvm::enumerate(space.contractions)) {
      Value sums = emitter.gatherLanes(
          frame.loc(), lanes, [&, which = number](int64_t lane) {
            return totalAt(totalIndex(row, group * width + first + lane),
                           which);
          });
      emitter.define(ContractOp(contraction.op).getResult(), point, sums);
    }
    frame.storeResults(point);
  });
}

void SharedLowering::finish() {
  Extent columns = space.columnExtent(frame.dims);
  int64_t lanes = emitter.divides(width, columns) ? width : 1;
  auto loop = scf::ForOp::create(
      builder, frame.loc(), emitter.materialize(Index::constant(0)),
      emitter.materialize(Index::constant(schedule.getRows())),
      emitter.materialize(Index::constant(1)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  Index row = {loop.getInductionVar()};
  for (int64_t group = 0; group < schedule.getColumns() / width; ++group)
    for (int64_t first = 0; first < width; first += lanes)
      finishAt(row, group, first, lanes);
}

FailureOr<Grid> SharedLowering::run() {
  if (failed(verify()))
    return failure();
  type = PointEmitter::computeType(space.shape().getType().getElementType());
  places.findTile();
  allocate();
  placeThread();
  for (unsigned number = 0; number < totals.size(); ++number) {
    clearTotals(number);
    const TileContraction &contraction = space.contractions[number];
    Index count = places.summedCount(contraction);
    Value isAny = count.base || count.offset == 0
                      ? emitter.less(Index::constant(0), count)
                      : Value();
    frame.ifTrue(isAny, [&] { accumulate(contraction, number); });
  }
  finish();
  return Grid{places.grid()};
}

FailureOr<Grid> mlir::fuse::lowerSharedTiles(KernelFrame &frame,
                                             TiledScheduleAttr schedule,
                                             const TileSpace &space) {
  return SharedLowering(frame, schedule, space).run();
}
