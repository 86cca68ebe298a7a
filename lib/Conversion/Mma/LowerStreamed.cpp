//===- LowerStreamed.cpp - A softmax between contractions by warpgroups ---===//
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
// Taken in turn, a tile's products end before the next softmax:
//
//   for each tile
//     await the products before, free the values
//     await its keys; queries x keys; free the keys; softmax; turn the sums
//     await its values; start weights x values
//
// So a thread holds no weights beside scores, and a tile whose keys have the
// values is free before the next one is needed. While one consumer computes a
// softmax the others multiply.
//
//===----------------------------------------------------------------------===//

#include "LowerStreamed.h"
#include "Launch/TensorMaps.h"
#include "LowerStreamedSync.h"
#include "StreamedKernel.h"
#include "StreamedParts.h"
#include "Wgmma.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

/// Blocks that registers leave room for on a multiprocessor, and what a thread
/// of the producer and of a consumer has of them: 24 + 2 * 240 are the 504 that
/// three threads get of 65536 for 384, 24 + 232 the 256 that two get of half
/// of them for 256, and 24 + 3 * 160 are below the 512 that four get for 512.
static constexpr uint32_t producerRegisters = 24;
static int64_t residentBlocks(StreamedScheduleAttr schedule) {
  return schedule.getConsumers() == 1 ? 2 : 1;
}
static uint32_t consumerRegisters(StreamedScheduleAttr schedule) {
  switch (schedule.getConsumers()) {
  case 1:
    return 232;
  case 2:
    return 240;
  default:
    return 160;
  }
}

namespace {
class StreamedLowering final : StreamedKernel {
public:
  StreamedLowering(KernelFrame &frame, StreamedScheduleAttr schedule,
                   StreamedSpace space, TensorFacts facts);

  Grid run();

private:
  Value addMap(const MmaOperand &operand, const SlotOperand &slot, int64_t rows,
               int64_t heads = 1);
  void forTiles(
      int64_t parity,
      llvm::function_ref<RingPlace(const RingPlace &, const RingPlace &)> body);
  void produce();
  RingPlace produceTile(const RingPlace &ofQueries, const RingPlace &start);
  void copyValues(const RingPlace &place, Value key, ArrayRef<Value> pages);
  void consume();
  Value ownQueries();
  void releaseQueries(const RingPlace &place, bool haveKeys);
  RingPlace consumeAhead(const RingPlace &ofQueries, const RingPlace &start);
  RingPlace consumeInTurn(const RingPlace &ofQueries, const RingPlace &start);
  Value startScores(Value ownQueries, const RingPlace &place);
  Value startProduct(Value sums, const RingPlace &place,
                     ArrayRef<Value> weights);
  RowState firstTile(const RingPlace &start);
  Value lastProduct(Value sums, const RingPlace &place, const RowState &state);
  SmallVector<Value> ifKeys(llvm::function_ref<SmallVector<Value>()> body,
                            llvm::function_ref<SmallVector<Value>()> otherwise);
  Value turned(Value sums, ArrayRef<Value> factors);
  Value turnedIfNeeded(Value sums, const RowState &state);
  void startEpilogue();
  void writeResults(ArrayRef<Value> sums) override;
  void release(TileRing &ring, Value slot, Value condition = {});
  /// Where values are: in slots of their own, or in the keys'.
  bool haveValueSlots() const { return !schedule.getValuesInKeys(); }
  TileRing &ringOfValues() { return haveValueSlots() ? *valueRing : *keyRing; }

  Wgmma scoreProduct, product;
  SmallVector<MappedPart, 1> queryMaps, keyMaps, valueMaps;
  std::optional<TileRing> queryRing, keyRing, valueRing;
};
} // namespace

StreamedLowering::StreamedLowering(KernelFrame &frame,
                                   StreamedScheduleAttr schedule,
                                   StreamedSpace theSpace, TensorFacts facts)
    : StreamedKernel(frame, schedule, std::move(theSpace), facts),
      scoreProduct(b, schedule.getTileK(),
                   getElementTypeOrSelf(space.queries.tensor),
                   getElementTypeOrSelf(space.keys.tensor), queries, keys),
      product(b, schedule.columnsPerConsumer(),
              space.productOp().getType().getElementType(),
              space.productOp().getType().getElementType(), values, values) {
  int64_t heads = schedule.getHeads();
  for (const FeaturePart &part : space.queryParts)
    queryMaps.push_back(
        {&part.operand,
         addMap(part.operand, queries,
                heads > 1 ? schedule.queriesPerTile() : queries.blockRows(),
                heads),
         part.first});
  int64_t keyRows =
      keyPages.exist() ? keyPages.rowsPerCopy() : keys.blockRows();
  for (const FeaturePart &part : space.keyParts)
    keyMaps.push_back(
        {&part.operand, addMap(part.operand, keys, keyRows), part.first});
  if (haveValueSlots())
    valueMaps.push_back(
        {&space.values(), addMap(space.values(), values,
                                 valuePages.exist() ? valuePages.rowsPerCopy()
                                                    : values.blockRows())});
}

/// With several heads in a tile a copy brings the queries of one after the
/// other's.
Value StreamedLowering::addMap(const MmaOperand &operand,
                               const SlotOperand &slot, int64_t rows,
                               int64_t heads) {
  TensorMapUse use;
  use.isResult = false;
  use.number = cast<BlockArgument>(operand.tensor).getArgNumber();
  use.dims.assign(operand.dims.begin(), operand.dims.end());
  use.box.assign(operand.dims.size(), 1);
  use.box[0] = slot.rowElements();
  use.box[1] = rows;
  if (heads > 1)
    use.box[llvm::find(operand.axes, *space.heads) - operand.axes.begin()] =
        heads;
  return addTensorMap(frame, std::move(use));
}

//===----------------------------------------------------------------------===//
// Producer
//===----------------------------------------------------------------------===//

/// The places of both rings that a tile leaves.
RingPlace StreamedLowering::produceTile(const RingPlace &ofQueries,
                                        const RingPlace &start) {
  auto outer = [&](char axis) { return outerPlace(axis); };
  copySlot(b, *queryRing, ofQueries, queries, queryMaps, schedule.queryBytes(),
           [&](char axis, const SlotBox &box) {
             return axis == space.k   ? b.word(box.place)
                    : axis == space.m ? b.add(tile.row, box.further)
                                      : outer(axis);
           });
  // An empty tensor has no map.
  Value last =
      tiles.exist ? b.select(tiles.exist, tiles.last, tiles.first) : tiles.last;
  scf::ForOp loop =
      b.loop(tiles.first, last, b.word(1), {start.slot, start.parity},
             [&](Value step, ValueRange current) -> SmallVector<Value> {
               RingPlace place{current[0], current[1]};
               Value number = tileAt(step);
               Value key = b.mul(number, schedule.getTileK());
               SmallVector<Value> ofKeys, ofValues;
               if (keyPages.exist())
                 ofKeys = keyPages.load(tile, key);
               if (haveValueSlots() && valuePages.exist())
                 ofValues = valuePages.load(tile, key);
               keyRing->awaitEmpty(place);
               keyPages.copy(*keyRing, place, keys, ofKeys, keyMaps,
                             schedule.keyBytes(), key,
                             [&](char axis, const SlotBox &box) {
                               return axis == space.k ? b.word(box.place)
                                      : axis == space.n
                                          ? b.add(key, box.further)
                                          : outer(axis);
                             });
               if (haveValueSlots())
                 copyValues(place, key, ofValues);
               RingPlace next = keyRing->next(place);
               return {next.slot, next.parity};
             });
  return {loop.getResult(0), loop.getResult(1)};
}

/// Tiles of queries from the block's own on: one, or as many as there are for
/// the blocks that take them in turn. `body` gets the places of the rings of
/// queries, and of keys and values, and returns that of the latter.
void StreamedLowering::forTiles(
    int64_t parity,
    llvm::function_ref<RingPlace(const RingPlace &, const RingPlace &)> body) {
  if (schedule.getPersistent() == 0) {
    body(queryRing->start(parity), keyRing->start(parity));
    return;
  }
  Value stride = b.wordOf(
      {gpu::GridDimOp::create(builder, frame.loc(), gpu::Dimension::x)});
  RingPlace ofQueries = queryRing->start(parity);
  RingPlace others = keyRing->start(parity);
  b.loop(b.wordOf(frame.blockId()), places.count(), stride,
         {ofQueries.slot, ofQueries.parity, others.slot, others.parity},
         [&](Value number, ValueRange current) -> SmallVector<Value> {
           placeTile(number);
           RingPlace own{current[0], current[1]};
           RingPlace next = body(own, {current[2], current[3]});
           RingPlace after = queryRing->next(own);
           return {after.slot, after.parity, next.slot, next.parity};
         });
}

void StreamedLowering::produce() {
  forTiles(/*parity=*/1,
           [&](const RingPlace &ofQueries, const RingPlace &place) {
             if (schedule.getPersistent() > 0)
               queryRing->awaitEmpty(ofQueries);
             return produceTile(ofQueries, place);
           });
}

void StreamedLowering::copyValues(const RingPlace &place, Value key,
                                  ArrayRef<Value> pages) {
  valueRing->awaitEmpty(place);
  valuePages.copy(*valueRing, place, values, pages, valueMaps,
                  schedule.valueBytes(), key,
                  [&](char axis, const SlotBox &box) {
                    return axis == space.product.k   ? b.add(key, box.place)
                           : axis == space.product.n ? b.word(box.further)
                                                     : tile.outer.lookup(axis);
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
  TileRing &ring = ringOfValues();
  Value descriptor = product.rightDescriptor(
      ring.memoryAt(b.add(ring.offset(place.slot), ownValues())));
  constexpr int64_t words = 4;
  product.fence();
  for (int64_t i = 0; i < schedule.getTileK() / values.placesPerStep(); ++i)
    sums = product.multiply(sums, weights.slice(words * i, words), descriptor,
                            i, b.word(1));
  product.commit();
  return sums;
}

Value StreamedLowering::turned(Value sums, ArrayRef<Value> factors) {
  return product.collect(StreamedKernel::turned(product.values(sums), factors));
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
  bool persists = schedule.getPersistent() > 0;
  if (persists)
    startEpilogue();
  forTiles(/*parity=*/0,
           [&](const RingPlace &ofQueries, const RingPlace &start) {
             scores.initialize(tile, rowThread());
             queryRing->awaitFull(ofQueries);
             return schedule.takesTurns() ? consumeInTurn(ofQueries, start)
                                          : consumeAhead(ofQueries, start);
           });
  if (persists)
    epilogue->finish();
}

/// The queries of this consumer's rows, in bytes from the first.
Value StreamedLowering::ownQueries() {
  return b.mul(rowThread().consumer, queries.offsetOf(MmaScheduleAttr::kRows));
}

/// Only blocks that take tiles in turn fill the queries' slot again. Without
/// keys only what writes results orders the threads of a consumer.
void StreamedLowering::releaseQueries(const RingPlace &place, bool haveKeys) {
  if (schedule.getPersistent() == 0 || (!haveKeys && !tiles.exist))
    return;
  Value condition = tiles.exist;
  if (!haveKeys)
    condition = arith::XOrIOp::create(
        builder, b.loc(), condition,
        arith::ConstantIntOp::create(builder, b.loc(), 1, 1));
  release(*queryRing, place.slot, condition);
}

RingPlace StreamedLowering::consumeAhead(const RingPlace &ofQueries,
                                         const RingPlace &start) {
  RowState state = firstTile(start);
  auto pack = [&](const RowState &of, Value sums, const RingPlace &keyPlace,
                  const RingPlace &valuePlace) {
    SmallVector<Value> all = {sums, keyPlace.slot, keyPlace.parity,
                              valuePlace.slot, valuePlace.parity};
    llvm::append_range(all, of.all());
    return all;
  };
  auto unpack = [&](ValueRange all) { return RowState(all.drop_front(5)); };
  bool overlaps = scores.isStraight();
  scf::ForOp loop = b.loop(
      b.add(tiles.first, 1), tiles.last, b.word(1),
      pack(state, product.zeros(), keyRing->next(start), start),
      [&](Value step, ValueRange current) {
        RingPlace keyPlace{current[1], current[2]};
        RingPlace valuePlace{current[3], current[4]};
        RowState now = unpack(current);
        Value queriesHere = order.fixHere(ownQueries());
        Value number = tileAt(step);
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
        rows.follow(logitsOf(scoreProduct.values(found), number, missing), now,
                    /*isFirst=*/false);
        return pack(now, sums, keyRing->next(keyPlace),
                    valueRing->next(valuePlace));
      });
  releaseQueries(ofQueries, /*haveKeys=*/true);
  RowState last = unpack(loop.getResults());
  RingPlace valuePlace{loop.getResult(3), loop.getResult(4)};
  Value sums = lastProduct(loop.getResult(0), valuePlace, last);
  RingPlace next = valueRing->next(valuePlace);
  if (schedule.getPersistent() > 0) {
    // The loop has freed all values but the last two.
    release(
        *valueRing, valueRing->previousSlot(valuePlace),
        frame.both(tiles.exist, b.isLess(b.add(tiles.first, 1), tiles.last)));
    release(*valueRing, valuePlace.slot, tiles.exist);
    if (tiles.exist)
      next = {b.select(tiles.exist, next.slot, valuePlace.slot),
              b.select(tiles.exist, next.parity, valuePlace.parity)};
  }
  finish(product.values(sums), last);
  releaseQueries(ofQueries, /*haveKeys=*/false);
  return next;
}

/// The slot of the tile before is free before the next one is awaited.
RingPlace StreamedLowering::consumeInTurn(const RingPlace &ofQueries,
                                          const RingPlace &start) {
  auto pack = [](Value sums, const RingPlace &place, const RowState &of) {
    SmallVector<Value> all = {sums, place.slot, place.parity};
    llvm::append_range(all, of.all());
    return all;
  };
  Value last =
      tiles.exist ? b.select(tiles.exist, tiles.last, tiles.first) : tiles.last;
  scf::ForOp loop = b.loop(
      tiles.first, last, b.word(1),
      pack(product.zeros(), start, rows.nothing(/*weights=*/0)),
      [&](Value step, ValueRange current) {
        RingPlace place{current[1], current[2]};
        RowState now(current.drop_front(3));
        Value queriesHere = order.fixHere(ownQueries());
        Value number = tileAt(step);
        SmallVector<Value> missing = missingKeys(number);
        Value sums = product.awaitAll(current[0]);
        release(ringOfValues(), keyRing->previousSlot(place),
                b.differs(step, tiles.first));
        keyRing->awaitFull(place);
        Value found = scoreProduct.awaitAll(startScores(queriesHere, place));
        if (haveValueSlots())
          release(*keyRing, place.slot);
        rows.follow(logitsOf(scoreProduct.values(found), number, missing), now,
                    /*isFirst=*/false);
        sums = turnedIfNeeded(sums, now);
        SmallVector<Value> weights = scores.packed(now.weights);
        now.weights.clear();
        if (haveValueSlots())
          valueRing->awaitFull(place);
        sums = startProduct(sums, place, weights);
        return pack(sums, keyRing->next(place), now);
      });
  releaseQueries(ofQueries, /*haveKeys=*/true);
  Value sums = product.awaitAll(loop.getResult(0));
  RingPlace next{loop.getResult(1), loop.getResult(2)};
  if (schedule.getPersistent() > 0)
    release(ringOfValues(), keyRing->previousSlot(next), tiles.exist);
  RowState state(loop.getResults().drop_front(3));
  finish(product.values(sums), state);
  releaseQueries(ofQueries, /*haveKeys=*/false);
  return next;
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

RowState StreamedLowering::firstTile(const RingPlace &start) {
  auto multiply = [&] {
    Value number = b.sub(tiles.last, b.word(1));
    SmallVector<Value> missing = missingKeys(number);
    keyRing->awaitFull(start);
    Value sums = scoreProduct.awaitAll(startScores(ownQueries(), start));
    release(*keyRing, start.slot);
    PointEmitter::Scope scope(frame.emitter);
    RowState state;
    rows.follow(logitsOf(scoreProduct.values(sums), number, missing), state,
                /*isFirst=*/true);
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

void StreamedLowering::startEpilogue() {
  BufferUse use;
  epilogue->addTo(use);
  int64_t buffers =
      schedule.queryBytes() +
      schedule.getStages() * (schedule.keyBytes() + schedule.valueBytes());
  epilogue->initialize(self, b.behind(memory, buffers), use);
}

/// Where a block has one tile nothing of this is computed, and held, before.
void StreamedLowering::writeResults(ArrayRef<Value> sums) {
  TileSums own = {SmallVector<Value>(sums)};
  bool isOnlyTile = schedule.getPersistent() == 0;
  if (isOnlyTile)
    startEpilogue();
  epilogue->write(tile, own, &*keyRing, keyRing->start(0));
  if (isOnlyTile)
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
  if (haveValueSlots())
    addRing(valueRing, stages, schedule.valueBytes(), valuesAt);
  if (schedule.getPersistent() == 0)
    placeTile();
  Value isFirst = b.equal(thread, 0);
  frame.ifTrue(isFirst, [&] {
    for (auto *ring : {&queryRing, &keyRing, &valueRing})
      if (*ring)
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
  TensorFacts facts{options.aligned, options.divisible};
  return schedule.getIsa() == MmaIsa::mma_sync
             ? lowerStreamedSync(frame, schedule, *space, facts)
             : StreamedLowering(frame, schedule, *space, facts).run();
}
