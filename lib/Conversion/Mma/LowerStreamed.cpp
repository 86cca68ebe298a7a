//===- LowerStreamed.cpp - A softmax between two contractions -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has a tile of queries, and takes tiles of keys and values from the
// last that it sees to the first: an edge, or what a causal mask cuts, comes
// first. The products of a tile's weights and values run while the next tile's
// softmax is computed (Shah et al., FlashAttention-3, arXiv:2407.08608):
//
//   producer                     consumer, 64 queries
//   copy the queries             await queries and keys; multiply; softmax
//   for each tile                for each further tile
//     await an empty slot          await its keys
//     copy keys                    await the products before, free the values
//     await an empty slot          turn the sums to the last base, if needed
//     copy values                  start queries x keys, weights x values
//                                  await the scores, free the keys
//                                  softmax: maximum, exponentials, sum
//                                await values; multiply the last weights
//                                divide; compute and write the results
//
// The wait for keys is a branch, over which ptxas does not move exponentials.
//
//===----------------------------------------------------------------------===//

#include "LowerStreamed.h"
#include "Launch/TensorMaps.h"
#include "StreamedPages.h"
#include "StreamedParts.h"
#include "StreamedTiles.h"
#include "Wgmma.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t halves = StreamedScores::halves;

/// Blocks that registers leave room for on a multiprocessor, and what a thread
/// of the producer and of a consumer has of them: 24 + 2 * 240 are the 504 that
/// three threads get of 65536 for 384, and 24 + 232 the 256 that two get of
/// half of them for 256.
static constexpr uint32_t producerRegisters = 24;
static int64_t residentBlocks(StreamedScheduleAttr schedule) {
  return schedule.getConsumers() == 1 ? 2 : 1;
}
static uint32_t consumerRegisters(StreamedScheduleAttr schedule) {
  return schedule.getConsumers() == 1 ? 232 : 240;
}

namespace {
class StreamedLowering {
public:
  StreamedLowering(KernelFrame &frame, StreamedScheduleAttr schedule,
                   StreamedSpace space, TensorFacts facts);

  Grid run();

private:
  Value addMap(const MmaOperand &operand, const SlotOperand &slot,
               int64_t rows);
  void placeTile();
  void produce();
  void consume();
  Value startScores(Value ownQueries, const RingPlace &place);
  Value startProduct(Value sums, const RingPlace &place,
                     ArrayRef<Value> weights);
  SmallVector<Value> missingKeys(Value tile);
  SmallVector<Value> logitsOf(Value scores, Value tile,
                              ArrayRef<Value> missing);
  RowState firstTile(Value ownQueries);
  Value lastProduct(Value sums, const RingPlace &place, const RowState &state);
  SmallVector<Value> ifKeys(llvm::function_ref<SmallVector<Value>()> body,
                            llvm::function_ref<SmallVector<Value>()> otherwise);
  Value turned(Value sums, ArrayRef<Value> factors);
  Value turnedIfNeeded(Value sums, const RowState &state);
  void finish(Value sums, RowState &state);
  void writeResults(Value sums);
  void release(TileRing &ring, Value slot, Value condition = {});

  KernelFrame &frame;
  OpBuilder &builder;
  StreamedScheduleAttr schedule;
  StreamedSpace space;
  MmaScheduleAttr resultTile;
  MmaBuilder b;
  SlotOperand queries, keys, values;
  Wgmma scoreProduct, product;
  StreamedScores scores;
  StreamedRows rows;
  StreamedTiles places;
  StreamedPages keyPages, valuePages;
  /// None where a second launch writes the results.
  std::optional<MmaEpilogue> epilogue;
  TileOrder order;
  Value queryMap, keyMap, valueMap;
  Value memory, thread;
  std::optional<TileRing> queryRing, keyRing, valueRing;
  TilePlace tile;
  KeyTiles tiles;
  Value part;
  ConsumerThread self;
};
} // namespace

StreamedLowering::StreamedLowering(KernelFrame &frame,
                                   StreamedScheduleAttr schedule,
                                   StreamedSpace theSpace, TensorFacts facts)
    : frame(frame), builder(frame.builder), schedule(schedule),
      space(std::move(theSpace)), resultTile(schedule.resultTile()), b(frame),
      queries{schedule.getTileM(), schedule.getDepth(),
              space.queries.isAlongK(space.k), MmaScheduleAttr::kElementBytes},
      keys{schedule.getTileK(), schedule.getDepth(),
           space.keys.isAlongK(space.k), MmaScheduleAttr::kElementBytes},
      values{schedule.getTileN(), schedule.getTileK(),
             space.values().isAlongK(space.product.k),
             MmaScheduleAttr::kElementBytes},
      scoreProduct(b, schedule.getTileK(),
                   getElementTypeOrSelf(space.queries.tensor),
                   getElementTypeOrSelf(space.keys.tensor), queries, keys),
      product(b, schedule.getTileN(),
              space.productOp().getType().getElementType(),
              space.productOp().getType().getElementType(), values, values),
      scores(b, space, schedule), rows(b, space, scores),
      places(b, space, schedule),
      keyPages(b, space.keys, schedule.getTileK(),
               [&](char axis) { return space.productAxis(axis); }),
      valuePages(b, space.values(), schedule.getTileK(),
                 [](char axis) { return axis; }),
      order(b, space.product, resultTile) {
  if (!schedule.leavesParts())
    epilogue.emplace(b, space.product, space.product.segments.front(),
                     resultTile, facts);
  queryMap = addMap(space.queries, queries,
                    schedule.getHeads() > 1 ? schedule.queriesPerTile()
                                            : queries.blockRows());
  keyMap = addMap(space.keys, keys,
                  keyPages.exist() ? keyPages.rowsPerCopy() : keys.blockRows());
  valueMap = addMap(space.values(), values,
                    valuePages.exist() ? valuePages.rowsPerCopy()
                                       : values.blockRows());
}

/// With several heads in a tile a copy brings the queries of one after the
/// other's.
Value StreamedLowering::addMap(const MmaOperand &operand,
                               const SlotOperand &slot, int64_t rows) {
  TensorMapUse use;
  use.isResult = false;
  use.number = cast<BlockArgument>(operand.tensor).getArgNumber();
  use.dims.assign(operand.dims.begin(), operand.dims.end());
  use.box.assign(operand.dims.size(), 1);
  use.box[0] = slot.rowElements();
  use.box[1] = rows;
  bool isQueries = &operand == &space.queries;
  if (int64_t heads = schedule.getHeads(); isQueries && heads > 1)
    use.box[llvm::find(operand.axes, *space.heads) - operand.axes.begin()] =
        heads;
  return addTensorMap(frame, std::move(use));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Divisions by numbers that are not known stay before the products.
void StreamedLowering::placeTile() {
  tile = order.fixHere(places.place());
  tiles = places.find(tile, scores.masks());
  if (!schedule.leavesParts())
    return;
  part = order.fixHere(places.part());
  tiles.first = order.fixHere(tiles.first);
  tiles.last = order.fixHere(tiles.last);
}

//===----------------------------------------------------------------------===//
// Producer
//===----------------------------------------------------------------------===//

void StreamedLowering::produce() {
  // Of an axis of the scores but those of the first product.
  auto outer = [&](char axis) {
    return tile.outer.lookup(space.productAxis(axis));
  };
  copySlot(b, *queryRing, queryRing->start(0), queries, space.queries, queryMap,
           schedule.queryBytes(), [&](char axis, const SlotBox &box) {
             return axis == space.k   ? b.word(box.place)
                    : axis == space.m ? b.add(tile.row, box.further)
                                      : outer(axis);
           });
  RingPlace start = keyRing->start(/*parity=*/1);
  // An empty tensor has no map.
  Value last =
      tiles.exist ? b.select(tiles.exist, tiles.last, tiles.first) : tiles.last;
  b.loop(tiles.first, last, b.word(1), {start.slot, start.parity},
         [&](Value step, ValueRange current) -> SmallVector<Value> {
           RingPlace place{current[0], current[1]};
           // From the last to the first.
           Value number =
               b.sub(b.sub(b.add(tiles.last, tiles.first), step), b.word(1));
           Value key = b.mul(number, schedule.getTileK());
           SmallVector<Value> ofKeys, ofValues;
           if (keyPages.exist())
             ofKeys = keyPages.load(tile, key);
           if (valuePages.exist())
             ofValues = valuePages.load(tile, key);
           keyRing->awaitEmpty(place);
           keyPages.copy(*keyRing, place, keys, ofKeys, keyMap,
                         schedule.keyBytes(), key,
                         [&](char axis, const SlotBox &box) {
                           return axis == space.k   ? b.word(box.place)
                                  : axis == space.n ? b.add(key, box.further)
                                                    : outer(axis);
                         });
           valueRing->awaitEmpty(place);
           valuePages.copy(
               *valueRing, place, values, ofValues, valueMap,
               schedule.valueBytes(), key, [&](char axis, const SlotBox &box) {
                 return axis == space.product.k   ? b.add(key, box.place)
                        : axis == space.product.n ? b.word(box.further)
                                                  : tile.outer.lookup(axis);
               });
           RingPlace next = keyRing->next(place);
           return {next.slot, next.parity};
         });
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

void StreamedLowering::release(TileRing &ring, Value slot, Value condition) {
  ring.release(slot, self.thread, condition);
}

/// The descriptors of the queries' steps are computed anew: held for all tiles
/// they would take the registers of weights.
Value StreamedLowering::startScores(Value ownQueries, const RingPlace &place) {
  Value queryDescriptor =
      scoreProduct.leftDescriptor(b.behind(memory, ownQueries));
  Value keyDescriptor = scoreProduct.rightDescriptor(
      keyRing->memoryAt(keyRing->offset(place.slot)));
  Value sums = scoreProduct.undefined();
  scoreProduct.fence();
  int64_t steps = llvm::divideCeil(space.depthExtent(frame.dims).size,
                                   queries.placesPerStep());
  for (int64_t i = 0; i < steps; ++i)
    sums = scoreProduct.multiply(sums, queryDescriptor, keyDescriptor, i,
                                 b.word(i ? 1 : 0));
  scoreProduct.commit();
  return sums;
}

/// A fence of its own: without one ptxas runs the products one by one.
Value StreamedLowering::startProduct(Value sums, const RingPlace &place,
                                     ArrayRef<Value> weights) {
  Value descriptor = product.rightDescriptor(
      valueRing->memoryAt(valueRing->offset(place.slot)));
  constexpr int64_t words = 4;
  product.fence();
  for (int64_t i = 0; i < schedule.getTileK() / values.placesPerStep(); ++i)
    sums = product.multiply(sums, weights.slice(words * i, words), descriptor,
                            i, b.word(1));
  product.commit();
  return sums;
}

/// For runs of equally many keys of a tile, whether a page of them is missing;
/// none without pages.
SmallVector<Value> StreamedLowering::missingKeys(Value number) {
  SmallVector<Value> missing;
  Value key = b.mul(number, schedule.getTileK());
  StreamedPages *both[] = {&keyPages, &valuePages};
  size_t runs = 0;
  for (StreamedPages *pages : both)
    if (pages->exist())
      runs = std::max<size_t>(runs, pages->copies());
  missing.resize(runs);
  for (StreamedPages *pages : both) {
    if (!pages->exist())
      continue;
    SmallVector<Value> numbers = pages->load(tile, key);
    for (auto [run, value] : llvm::enumerate(missing)) {
      Value is = b.equal(numbers[run * numbers.size() / runs], -1);
      value =
          value ? builder.createOrFold<arith::OrIOp>(b.loc(), value, is) : is;
    }
  }
  return missing;
}

/// In a tile that neither a mask nor the end of the keys cuts, and whose pages
/// all exist, nothing is masked.
SmallVector<Value> StreamedLowering::logitsOf(Value sums, Value number,
                                              ArrayRef<Value> missing) {
  SmallVector<Value> own;
  for (int64_t i = 0; i < scoreProduct.sumsPerThread(); ++i)
    own.push_back(scoreProduct.extract(sums, i));
  Value key = b.mul(number, schedule.getTileK());
  scores.startTile(key);
  Extent extent = space.keyExtent(frame.dims);
  bool hasEdges = !extent.isStatic() || extent.size % schedule.getTileK() != 0;
  if (!hasEdges && scores.masks().empty() && missing.empty())
    return scores.logits(own, /*isWhole=*/true, missing);
  auto signedLess = [&](Value x, Value y) {
    return builder.createOrFold<arith::CmpIOp>(b.loc(),
                                               arith::CmpIPredicate::sle, x, y);
  };
  Value isWhole =
      frame.both(signedLess(tiles.all.first, key),
                 signedLess(b.add(key, schedule.getTileK()), tiles.all.last));
  for (Value run : missing)
    isWhole = frame.both(
        isWhole, b.equal(arith::ExtUIOp::create(builder, b.loc(),
                                                builder.getI32Type(), run),
                         0));
  SmallVector<Type> types(own.size(), builder.getF32Type());
  auto branch = scf::IfOp::create(builder, b.loc(), types, isWhole,
                                  /*withElseRegion=*/true);
  for (bool whole : {true, false}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(whole ? branch.thenBlock()
                                           : branch.elseBlock());
    scf::YieldOp::create(builder, b.loc(), scores.logits(own, whole, missing));
  }
  return SmallVector<Value>(branch.getResults());
}

Value StreamedLowering::turned(Value sums, ArrayRef<Value> factors) {
  Value result = product.undefined();
  for (int64_t i = 0; i < product.sumsPerThread(); ++i)
    result = LLVM::InsertValueOp::create(
        builder, b.loc(), result,
        arith::MulFOp::create(builder, b.loc(), product.extract(sums, i),
                              factors[i / 2 % halves]),
        i);
  return result;
}

/// A warp whose rows all keep their bases has nothing to multiply.
Value StreamedLowering::turnedIfNeeded(Value sums, const RowState &state) {
  auto branch =
      scf::IfOp::create(builder, b.loc(), sums.getType(), rows.areTurned(state),
                        /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, b.loc(), turned(sums, state.turn));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, b.loc(), sums);
  return branch.getResult(0);
}

void StreamedLowering::consume() {
  constexpr int64_t group = MmaScheduleAttr::kGroup, warp = 32;
  self = {b.sub(b.div(thread, group), b.word(1)), b.rem(thread, group),
          b.rem(thread, warp)};
  scores.initialize(tile, self);
  queryRing->awaitFull(queryRing->start(0));
  Value ownQueries =
      b.mul(self.consumer, queries.offsetOf(MmaScheduleAttr::kRows));
  RingPlace start = keyRing->start(0);
  RowState state = firstTile(ownQueries);
  auto pack = [&](const RowState &of, Value sums, const RingPlace &keyPlace,
                  const RingPlace &valuePlace) {
    SmallVector<Value> all = {sums, keyPlace.slot, keyPlace.parity,
                              valuePlace.slot, valuePlace.parity};
    llvm::append_range(all, of.all());
    return all;
  };
  auto unpack = [&](ValueRange all) { return RowState(all.drop_front(5)); };
  bool overlaps = scores.isStraight();
  scf::ForOp loop =
      b.loop(b.add(tiles.first, 1), tiles.last, b.word(1),
             pack(state, product.zeros(), keyRing->next(start), start),
             [&](Value step, ValueRange current) {
               RingPlace keyPlace{current[1], current[2]};
               RingPlace valuePlace{current[3], current[4]};
               RowState now = unpack(current);
               Value queriesHere = order.fixHere(ownQueries);
               Value number = b.sub(b.sub(b.add(tiles.last, tiles.first), step),
                                    b.word(1));
               SmallVector<Value> missing = missingKeys(number);
               keyRing->awaitFull(keyPlace);
               Value sums = product.awaitAll(current[0]);
               release(*valueRing, valueRing->previousSlot(valuePlace),
                       b.differs(step, b.add(tiles.first, 1)));
               sums = turnedIfNeeded(sums, now);
               SmallVector<Value> weights = scores.packed(now.weights);
               Value found = startScores(queriesHere, keyPlace);
               valueRing->awaitFull(valuePlace);
               sums = startProduct(sums, valuePlace, weights);
               found = scoreProduct.awaitAllBut(found, overlaps ? 1 : 0);
               // A call between the start of products and the wait for them
               // would read their sums.
               if (!overlaps)
                 sums = product.awaitAll(sums);
               release(*keyRing, keyPlace.slot);
               rows.follow(logitsOf(found, number, missing), now,
                           /*isFirst=*/false);
               return pack(now, sums, keyRing->next(keyPlace),
                           valueRing->next(valuePlace));
             });
  RowState last = unpack(loop.getResults());
  RingPlace valuePlace{loop.getResult(3), loop.getResult(4)};
  finish(lastProduct(loop.getResult(0), valuePlace, last), last);
}

/// Values of one of two branches; of `body`'s where there always are keys.
SmallVector<Value>
StreamedLowering::ifKeys(llvm::function_ref<SmallVector<Value>()> body,
                         llvm::function_ref<SmallVector<Value>()> otherwise) {
  if (!tiles.exist)
    return body();
  SmallVector<Value> empty = otherwise();
  auto branch =
      scf::IfOp::create(builder, b.loc(), ValueRange(empty).getTypes(),
                        tiles.exist, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, b.loc(), empty);
  builder.setInsertionPointToStart(branch.thenBlock());
  PointEmitter::Scope scope(frame.emitter);
  SmallVector<Value> found = body();
  scf::YieldOp::create(builder, b.loc(), found);
  return SmallVector<Value>(branch.getResults());
}

RowState StreamedLowering::firstTile(Value ownQueries) {
  auto multiply = [&] {
    RingPlace start = keyRing->start(0);
    Value number = b.sub(tiles.last, b.word(1));
    SmallVector<Value> missing = missingKeys(number);
    keyRing->awaitFull(start);
    Value sums = scoreProduct.awaitAll(startScores(ownQueries, start));
    release(*keyRing, start.slot);
    PointEmitter::Scope scope(frame.emitter);
    RowState state;
    rows.follow(logitsOf(sums, number, missing), state, /*isFirst=*/true);
    return state.all();
  };
  auto nothing = [&] {
    return rows.nothing(scoreProduct.sumsPerThread()).all();
  };
  return RowState(ifKeys(multiply, nothing));
}

/// The sums with the last tile's products.
Value StreamedLowering::lastProduct(Value sums, const RingPlace &place,
                                    const RowState &state) {
  sums = product.awaitAll(sums);
  auto multiply = [&]() -> SmallVector<Value> {
    valueRing->awaitFull(place);
    Value turnedSums = turned(sums, state.turn);
    return {product.awaitAll(
        startProduct(turnedSums, place, scores.packed(state.weights)))};
  };
  return ifKeys(multiply,
                [&]() -> SmallVector<Value> { return {product.zeros()}; })
      .front();
}

/// The factors of rows, the results of rows, and those of the second
/// contraction; or what the second launch needs for these.
void StreamedLowering::finish(Value sums, RowState &state) {
  PointEmitter &emitter = frame.emitter;
  tile = order.fixHere(tile);
  scores.initialize(tile, self);
  Value factors[halves];
  for (int64_t half = 0; half < halves; ++half)
    factors[half] = rows.lastTurn(state, half);
  if (schedule.leavesParts()) {
    StreamedLeaver(b, space, schedule, scores, rows)
        .leave(state, turned(sums, factors), product, part, self.lane);
    return;
  }
  // From the last to the first: rows at the edge share a point.
  for (int64_t half = halves - 1; half >= 0; --half) {
    Point point = scores.rowPoint(half);
    PointEmitter::Scope scope(emitter);
    Value total = rows.total(state, half);
    Value factor = rows.finish(state.max[half], total, point);
    factors[half] =
        arith::MulFOp::create(builder, b.loc(), factors[half], factor);
    // Without keys there is nothing to divide.
    if (tiles.exist)
      factors[half] = b.select(tiles.exist, factors[half], rows.number(1));
    if (space.rowResults.empty())
      continue;
    // One of the four lanes of a row that is inside.
    Value writes =
        frame.both(b.equal(b.rem(self.lane, 4), 0), scores.isInside(half));
    for (unsigned result : space.rowResults) {
      Value value = frame.kernel.getYield().getValues()[result];
      Value computed = emitter.emit(value, point);
      frame.ifTrue(writes, [&] { emitter.store(result, point, computed); });
    }
  }
  writeResults(turned(sums, factors));
}

void StreamedLowering::writeResults(Value sums) {
  TileSums own(1);
  for (int64_t i = 0; i < product.sumsPerThread(); ++i)
    own.front().push_back(product.extract(sums, i));
  BufferUse use;
  epilogue->addTo(use);
  int64_t buffers =
      schedule.queryBytes() +
      schedule.getStages() * (schedule.keyBytes() + schedule.valueBytes());
  epilogue->initialize(self, b.behind(memory, buffers), use);
  epilogue->write(tile, own, &*keyRing, keyRing->start(0));
  epilogue->finish();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

Grid StreamedLowering::run() {
  frame.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          builder.getI32IntegerAttr(residentBlocks(schedule)));
  frame.sharedBytes = schedule.sharedBytes();
  memory = b.sharedMemory();
  thread = b.thread();
  int64_t stages = schedule.getStages(), consumers = schedule.getConsumers();
  int64_t keysAt = schedule.queryBytes();
  int64_t valuesAt = keysAt + stages * schedule.keyBytes();
  int64_t barriers =
      valuesAt + stages * schedule.valueBytes() + resultTile.resultBytes();
  auto addRing = [&](std::optional<TileRing> &ring, int64_t slots,
                     int64_t bytes, int64_t at) {
    ring.emplace(b, slots, bytes, consumers, b.behind(memory, at),
                 barriers - at);
    barriers += ring->barriersBytes();
  };
  addRing(queryRing, 1, schedule.queryBytes(), 0);
  addRing(keyRing, stages, schedule.keyBytes(), keysAt);
  addRing(valueRing, stages, schedule.valueBytes(), valuesAt);
  placeTile();
  Value isFirst = b.equal(thread, 0);
  frame.ifTrue(isFirst, [&] {
    for (auto *ring : {&queryRing, &keyRing, &valueRing})
      (*ring)->initialize();
  });
  NVVM::BarrierOp::create(builder, frame.loc());
  Value isProducer = b.equal(b.div(thread, MmaScheduleAttr::kGroup), 0);
  frame.ifElse(
      isProducer,
      [&] {
        NVVM::SetMaxRegisterOp::create(builder, frame.loc(), producerRegisters,
                                       NVVM::SetMaxRegisterAction::decrease);
        frame.ifTrue(isFirst, [&] { produce(); });
      },
      [&] {
        NVVM::SetMaxRegisterOp::create(builder, frame.loc(),
                                       consumerRegisters(schedule),
                                       NVVM::SetMaxRegisterAction::increase);
        consume();
      });
  // One thread of the producer's first warp comes late.
  NVVM::SyncWarpOp::create(builder, frame.loc(), b.word(-1));
  return {StreamedTiles::grid(space, schedule, frame.dims)};
}

FailureOr<Grid> mlir::fuse::lowerStreamed(KernelFrame &frame,
                                          StreamedScheduleAttr schedule) {
  const EmitOptions &options = frame.emitter.getOptions();
  FailureOr<StreamedSpace> space =
      verifiedStreamedSpace(frame.kernel, frame.dims, schedule, options);
  if (failed(space))
    return failure();
  return StreamedLowering(frame, schedule, *space,
                          {options.aligned, options.divisible})
      .run();
}
