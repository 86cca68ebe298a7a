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
// TilePieces.h says which sums a thread has. They start anew every 256
// products, and are added to totals that each thread has in shared memory. What
// follows the contractions is computed from there, row by row.
//
// Where tiles are few a block has several groups of threads, each with buffers
// and totals for the whole tile. They take the steps in turn, all as many:
//
//   group 0   step 0, 4, 8, ...       group 1   step 1, 5, 9, ...
//
// At the end the totals of an element are added from the first group's to the
// last's, and the groups share the rows of what follows.
//
//===----------------------------------------------------------------------===//

#include "NearBuffer.h"
#include "Reductions/CompensatedSum.h"
#include "Rows/RowStaging.h"
#include "TilePieces.h"
#include "TilePlaces.h"
#include "Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class SharedLowering {
public:
  SharedLowering(KernelFrame &frame, TiledScheduleAttr schedule,
                 const TileSpace &space)
      : frame(frame), emitter(frame.emitter), builder(frame.builder),
        schedule(schedule), space(space), places(frame, space, schedule),
        layout(schedule, space, frame.dims), pieces(frame, schedule, layout),
        width(schedule.getVector()), depth(schedule.getTileK()),
        groups(schedule.groups()), threads(schedule.getThreads() / groups) {}

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
  LogicalResult verifyTensorCores();
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
                              ValueRange sums) {
    return pieces.multiply(rows, columns, buffer, from, to, sums);
  }
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

  /// The places of a group's steps, from the start on.
  Index placesOf(const Index &count);
  Index totalIndex(const Index &row, int64_t column) {
    Index number =
        emitter.add(emitter.mul(row, Index::constant(pieces.ownColumns())),
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
  TilePieces pieces;
  int64_t width, depth;
  /// Groups of threads, and the threads of one.
  int64_t groups, threads;
  Type type;
  /// This thread in its group, and the group.
  Index thread, ownGroup;
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
                   " of a group; use a larger tile_k");
  return verifyTensorCores();
}

/// Whether the chip has such products, and the program may have them.
LogicalResult SharedLowering::verifyTensorCores() {
  int64_t wanted = schedule.getMmaK();
  if (wanted == 0)
    return success();
  const EmitOptions &options = emitter.getOptions();
  auto error = [&](const Twine &expected, const Twine &got) {
    return frame.kernel.emitError()
           << "expected " << expected << " with mma_k = " << wanted
           << ", but got " << got << "; leave mma_k out";
  };
  Type element = getElementTypeOrSelf(space.shape().getType());
  if (!element.isF64())
    return error("contractions of f64", debugString(element));
  if (options.float64Places != wanted)
    return error("a chip whose tensor cores multiply f64",
                 options.float64Places
                     ? "one with mma_k = " + Twine(options.float64Places)
                     : Twine("one whose do not"));
  if (options.strict)
    return error("a program whose products may reach their sums unrounded",
                 "a strict one");
  return success();
}

void SharedLowering::allocate() {
  NearBuffer all(emitter, dynamicSharedMemory(frame), type);
  int64_t at = 0;
  auto add = [&](NearBuffer &buffer, int64_t elements) {
    Index own = emitter.mul(ownGroup, Index::constant(elements));
    buffer = all.from(emitter.add(Index::constant(at), own));
    at += groups * elements;
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
  thread = frame.threadId(groups * threads);
  ownGroup = Index::constant(0);
  if (groups > 1) {
    ownGroup = emitter.div(thread, Index::constant(threads));
    thread = emitter.rem(thread, Index::constant(threads));
  }
  pieces.place(thread);
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
  // The group's step among those of all.
  Index step = emitter.add(emitter.mul(k, Index::constant(groups)),
                           emitter.mul(ownGroup, Index::constant(depth)));
  Index at = emitter.add(step, place);
  Index inside = emitter.min(
      at,
      emitter.add(count, Index::constant(copy.alongSummed ? -copy.width : -1)));
  Value value = places.emitOperand(contraction, copy.isRows, own, inside,
                                   copy.width, copy.alongSummed);
  if (!count.base && count.offset % (groups * depth) == 0)
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

void SharedLowering::clearTotals(unsigned number) {
  for (int64_t row = 0; row < pieces.ownRows(); ++row)
    for (int64_t column = 0; column < pieces.ownColumns(); ++column) {
      Index at = totalIndex(Index::constant(row), column);
      totals[number].store(at, zero(), 1);
      if (layout.hasRests())
        rests[number].store(at, zero(), 1);
    }
}

void SharedLowering::addToTotals(ValueRange sums, unsigned number) {
  for (auto [which, sum] : llvm::enumerate(sums)) {
    Index at = totalIndex(Index::constant(which / pieces.ownColumns()),
                          which % pieces.ownColumns());
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

Index SharedLowering::placesOf(const Index &count) {
  if (groups == 1)
    return count;
  Index all = Index::constant(groups * depth);
  Index steps =
      emitter.div(emitter.add(count, Index::constant(groups * depth - 1)), all);
  return emitter.mul(steps, Index::constant(depth));
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
  Index end = placesOf(count);
  if (!end.base && end.offset <= most) {
    sumBlock(contraction, start, end, count, next, number);
    return;
  }
  auto blocks =
      scf::ForOp::create(builder, frame.loc(), emitter.materialize(start),
                         emitter.materialize(end),
                         emitter.materialize(Index::constant(most)), next);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(blocks.getBody());
  PointEmitter::Scope scope(emitter);
  Index from = {blocks.getInductionVar()};
  Index to = emitter.min(emitter.add(from, Index::constant(most)), end);
  scf::YieldOp::create(builder, frame.loc(),
                       sumBlock(contraction, from, to, count,
                                blocks.getRegionIterArgs(), number));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Of all groups.
Value SharedLowering::totalAt(const Index &at, unsigned number) {
  Location loc = frame.loc();
  Index own = emitter.mul(ownGroup, Index::constant(layout.totalElements()));
  auto load = [&](const NearBuffer &buffer, int64_t of) {
    Index from = Index::constant(of * layout.totalElements());
    return buffer.load(emitter.add(at, emitter.sub(from, own)), 1, 1);
  };
  Value total = load(totals[number], 0);
  if (!layout.hasRests()) {
    for (int64_t of = 1; of < groups; ++of)
      total =
          arith::AddFOp::create(builder, loc, total, load(totals[number], of));
    return total;
  }
  CompensatedSum sum = {total, load(rests[number], 0)};
  for (int64_t of = 1; of < groups; ++of)
    sum = addTerm(builder, loc, sum,
                  totalOf(builder, loc,
                          {load(totals[number], of), load(rests[number], of)}));
  return totalOf(builder, loc, sum);
}

void SharedLowering::finishAt(const Index &row, int64_t group, int64_t first,
                              int64_t lanes) {
  Index tileRow = emitter.add(places.firstRow(), pieces.rowAt(row));
  Index tileColumn =
      emitter.add(places.firstColumn(),
                  emitter.add(pieces.columnAt(group), Index::constant(first)));
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
  if (groups > 1)
    gpu::BarrierOp::create(builder, frame.loc());
  auto loop =
      scf::ForOp::create(builder, frame.loc(), emitter.materialize(ownGroup),
                         emitter.materialize(Index::constant(pieces.ownRows())),
                         emitter.materialize(Index::constant(groups)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  Index row = {loop.getInductionVar()};
  for (int64_t group = 0; group < pieces.ownColumns() / width; ++group)
    for (int64_t first = 0; first < width; first += lanes)
      finishAt(row, group, first, lanes);
}

FailureOr<Grid> SharedLowering::run() {
  if (failed(verify()))
    return failure();
  type = PointEmitter::computeType(space.shape().getType().getElementType());
  places.findTile();
  placeThread();
  allocate();
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
