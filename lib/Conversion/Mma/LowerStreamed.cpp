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
//     await an empty slot          turn the sums to the last maximum
//     copy values                  start queries x keys, weights x values
//                                  await the scores, free the keys
//                                  softmax: maximum, exponentials, sum
//                                await values; multiply the last weights
//                                divide; compute and write the results
//
// The wait for keys is a branch, over which ptxas does not move exponentials.
//
//===----------------------------------------------------------------------===//

#include "../TensorMaps.h"
#include "KeyRanges.h"
#include "StreamedRows.h"
#include "VerifyMma.h"
#include "Wgmma.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// Registers of a thread, which are 504 together: what 384 threads get of the
/// 65536 of a multiprocessor.
static constexpr uint32_t producerRegisters = 24, consumerRegisters = 240;
static constexpr int64_t halves = StreamedScores::halves;

namespace {
/// Tiles of keys, from `first` on before `last`, and the keys that all rows
/// see.
struct KeyTiles {
  Value first, last;
  KeyRange all;
};

class StreamedLowering {
public:
  StreamedLowering(KernelFrame &frame, StreamedScheduleAttr schedule,
                   StreamedSpace space, TensorFacts facts);

  Grid run();

private:
  Value addMap(const MmaOperand &operand, const SlotOperand &slot);
  void placeTile();
  KeyTiles findTiles();
  void produce();
  void copy(TileRing &ring, const RingPlace &place, const SlotOperand &slot,
            const MmaOperand &operand, Value map, int64_t bytes,
            llvm::function_ref<Value(char, const SlotBox &)> coordinate);
  void consume();
  Value startScores(Value ownQueries, const RingPlace &place);
  Value startProduct(Value sums, const RingPlace &place,
                     ArrayRef<Value> weights);
  SmallVector<Value> logitsOf(Value scores, Value tile);
  RowState firstTile(Value ownQueries);
  Value lastProduct(Value sums, const RingPlace &place, const RowState &state);
  SmallVector<Value> ifKeys(llvm::function_ref<SmallVector<Value>()> body,
                            llvm::function_ref<SmallVector<Value>()> otherwise);
  Value turned(Value sums, ArrayRef<Value> factors);
  void finish(Value sums, RowState &state);
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
  MmaEpilogue epilogue;
  TileOrder order;
  Value queryMap, keyMap, valueMap;
  Value memory, thread;
  std::optional<TileRing> queryRing, keyRing, valueRing;
  TilePlace tile;
  KeyTiles tiles;
  /// Null where there are always keys.
  Value hasKeys;
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
      values{
          schedule.getTileN(), schedule.getTileK(),
          space.product.segments.front().contractions.front().columns.isAlongK(
              space.product.k),
          MmaScheduleAttr::kElementBytes},
      scoreProduct(b, schedule.getTileK(),
                   getElementTypeOrSelf(space.queries.tensor),
                   getElementTypeOrSelf(space.keys.tensor), queries, keys),
      product(b, schedule.getTileN(),
              space.productOp().getType().getElementType(),
              space.productOp().getType().getElementType(), values, values),
      scores(b, space, schedule), rows(b, space, scores),
      epilogue(b, space.product, space.product.segments.front(), resultTile,
               facts),
      order(b, space.product, resultTile) {
  queryMap = addMap(space.queries, queries);
  keyMap = addMap(space.keys, keys);
  valueMap = addMap(space.product.segments.front().contractions.front().columns,
                    values);
}

Value StreamedLowering::addMap(const MmaOperand &operand,
                               const SlotOperand &slot) {
  TensorMapUse use;
  use.isResult = false;
  use.number = cast<BlockArgument>(operand.tensor).getArgNumber();
  use.dims.assign(operand.dims.begin(), operand.dims.end());
  use.box.assign(operand.dims.size(), 1);
  use.box[0] = slot.rowElements();
  use.box[1] = slot.blockRows();
  return addTensorMap(frame, std::move(use));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Blocks that follow each other have the same keys. Later queries, which see
/// more keys of a causal mask, come first.
void StreamedLowering::placeTile() {
  PointEmitter &emitter = frame.emitter;
  MmaSpace &its = space.product;
  Value rows = b.wordOf(emitter.product(its.extents(its.m, frame.dims)));
  Value count = b.ceilDiv(rows, schedule.getTileM());
  Value block = b.wordOf(frame.blockId());
  Value batch = b.div(block, count);
  Value before = b.sub(block, b.mul(batch, count));
  tile.row = b.mul(b.sub(b.sub(count, b.word(1)), before), schedule.getTileM());
  tile.column = b.word(0);
  SmallVector<Extent> sizes;
  for (char axis : its.outer)
    llvm::append_range(sizes, its.extents(axis, frame.dims));
  auto indices = emitter.delinearize(b.indexOf(batch), sizes);
  for (auto [axis, index] : llvm::zip(its.outer, indices))
    tile.outer[axis] = b.wordOf(index);
  tile = order.fixHere(tile);
}

/// There is one tile at least, so that rows which see nothing have statistics;
/// without keys it is not there.
KeyTiles StreamedLowering::findTiles() {
  PointEmitter &emitter = frame.emitter;
  ContractOp op = space.scores;
  SmallVector<Index> point;
  for (auto [number, axis] : llvm::enumerate(op.getResultAxes())) {
    bool isOne = frame.dims.extent(op.getResult(), number).size == 1;
    bool isPlace = axis == space.m || axis == space.n;
    point.push_back(isOne || isPlace ? Index::constant(0)
                                     : b.indexOf(tile.outer.lookup(
                                           space.productAxis(axis))));
  }
  auto wide = [&](Value word) -> Value {
    return arith::ExtUIOp::create(builder, b.loc(), builder.getI64Type(), word);
  };
  Value rowCount = b.wordOf(emitter.size(space.rowExtent(frame.dims)));
  Value keyCount = b.wordOf(emitter.size(space.keyExtent(frame.dims)));
  Value last =
      b.sub(b.min(b.add(tile.row, schedule.getTileM()), rowCount), b.word(1));
  KeyRangeEmitter ranges(b, point, wide(tile.row), wide(last), wide(keyCount));
  KeyRanges seen = ranges.everything();
  for (const ScoreMask &mask : scores.masks()) {
    KeyRanges its = ranges.emit(mask.condition);
    if (!mask.hides)
      its.some = ranges.everything().some;
    seen = ranges.both(seen, its);
  }
  auto narrow = [&](Value value) -> Value {
    return arith::TruncIOp::create(builder, b.loc(), builder.getI32Type(),
                                   value);
  };
  if (!space.keyExtent(frame.dims).isStatic())
    hasKeys = b.differs(keyCount, b.word(0));
  KeyTiles found;
  found.all = {narrow(seen.all.first), narrow(seen.all.last)};
  Value zero = ranges.number(0);
  Value firstKey = narrow(ranges.max(seen.some.first, zero));
  Value lastKey = narrow(ranges.max(seen.some.last, zero));
  Value count = b.ceilDiv(keyCount, schedule.getTileK());
  // A range may start behind the last key.
  found.first =
      b.min(b.div(firstKey, schedule.getTileK()),
            b.select(b.equal(count, 0), b.word(0), b.sub(count, b.word(1))));
  found.last = b.ceilDiv(lastKey, schedule.getTileK());
  Value least = b.add(found.first, 1);
  found.last = b.select(b.isLess(found.last, least), least, found.last);
  return found;
}

//===----------------------------------------------------------------------===//
// Producer
//===----------------------------------------------------------------------===//

void StreamedLowering::copy(
    TileRing &ring, const RingPlace &place, const SlotOperand &slot,
    const MmaOperand &operand, Value map, int64_t bytes,
    llvm::function_ref<Value(char, const SlotBox &)> coordinate) {
  Value barrier = ring.expect(place, bytes);
  Value at = ring.offset(place.slot);
  for (const SlotBox &box : slot.boxes(0, slot.count)) {
    SmallVector<Value> coordinates;
    for (char axis : operand.axes)
      coordinates.push_back(coordinate(axis, box));
    ring.copy(b.add(at, box.offset), map, coordinates, barrier);
  }
}

void StreamedLowering::produce() {
  // Of an axis of the scores but those of the first product.
  auto outer = [&](char axis) {
    return tile.outer.lookup(space.productAxis(axis));
  };
  copy(*queryRing, queryRing->start(0), queries, space.queries, queryMap,
       schedule.queryBytes(), [&](char axis, const SlotBox &box) {
         return axis == space.k   ? b.word(box.place)
                : axis == space.m ? b.add(tile.row, box.further)
                                  : outer(axis);
       });
  const MmaOperand &valueOperand =
      space.product.segments.front().contractions.front().columns;
  RingPlace start = keyRing->start(/*parity=*/1);
  // An empty tensor has no map.
  Value last =
      hasKeys ? b.select(hasKeys, tiles.last, tiles.first) : tiles.last;
  b.loop(tiles.first, last, b.word(1), {start.slot, start.parity},
         [&](Value step, ValueRange current) -> SmallVector<Value> {
           RingPlace place{current[0], current[1]};
           // From the last to the first.
           Value number =
               b.sub(b.sub(b.add(tiles.last, tiles.first), step), b.word(1));
           Value key = b.mul(number, schedule.getTileK());
           keyRing->awaitEmpty(place);
           copy(*keyRing, place, keys, space.keys, keyMap, schedule.keyBytes(),
                [&](char axis, const SlotBox &box) {
                  return axis == space.k   ? b.word(box.place)
                         : axis == space.n ? b.add(key, box.further)
                                           : outer(axis);
                });
           valueRing->awaitEmpty(place);
           copy(*valueRing, place, values, valueOperand, valueMap,
                schedule.valueBytes(), [&](char axis, const SlotBox &box) {
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

/// In a tile that neither a mask nor the end of the keys cuts, nothing is
/// masked.
SmallVector<Value> StreamedLowering::logitsOf(Value sums, Value number) {
  SmallVector<Value> own;
  for (int64_t i = 0; i < scoreProduct.sumsPerThread(); ++i)
    own.push_back(scoreProduct.extract(sums, i));
  Value key = b.mul(number, schedule.getTileK());
  scores.startTile(key);
  Extent extent = space.keyExtent(frame.dims);
  bool hasEdges = !extent.isStatic() || extent.size % schedule.getTileK() != 0;
  if (!hasEdges && scores.masks().empty())
    return scores.logits(own, /*isWhole=*/true);
  auto signedLess = [&](Value x, Value y) {
    return builder.createOrFold<arith::CmpIOp>(b.loc(),
                                               arith::CmpIPredicate::sle, x, y);
  };
  Value isWhole =
      frame.both(signedLess(tiles.all.first, key),
                 signedLess(b.add(key, schedule.getTileK()), tiles.all.last));
  SmallVector<Type> types(own.size(), builder.getF32Type());
  auto branch = scf::IfOp::create(builder, b.loc(), types, isWhole,
                                  /*withElseRegion=*/true);
  for (bool whole : {true, false}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(whole ? branch.thenBlock()
                                           : branch.elseBlock());
    scf::YieldOp::create(builder, b.loc(), scores.logits(own, whole));
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
               keyRing->awaitFull(keyPlace);
               Value sums = product.awaitAll(current[0]);
               release(*valueRing, valueRing->previousSlot(valuePlace),
                       b.differs(step, b.add(tiles.first, 1)));
               sums = turned(sums, now.turn);
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
               Value number = b.sub(b.sub(b.add(tiles.last, tiles.first), step),
                                    b.word(1));
               rows.follow(logitsOf(found, number), now, /*isFirst=*/false);
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
  if (!hasKeys)
    return body();
  SmallVector<Value> empty = otherwise();
  auto branch =
      scf::IfOp::create(builder, b.loc(), ValueRange(empty).getTypes(), hasKeys,
                        /*withElseRegion=*/true);
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
    keyRing->awaitFull(start);
    Value sums = scoreProduct.awaitAll(startScores(ownQueries, start));
    release(*keyRing, start.slot);
    PointEmitter::Scope scope(frame.emitter);
    RowState state;
    rows.follow(logitsOf(sums, b.sub(tiles.last, b.word(1))), state,
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

/// The factors of rows, the results of rows, and those of the second
/// contraction. An infinite maximum that nothing guards makes NaN of all.
void StreamedLowering::finish(Value sums, RowState &state) {
  PointEmitter &emitter = frame.emitter;
  tile = order.fixHere(tile);
  scores.initialize(tile, self);
  Value factors[halves];
  // From the last to the first: rows at the edge share a point.
  for (int64_t half = halves - 1; half >= 0; --half) {
    Point point = scores.rowPoint(half);
    PointEmitter::Scope scope(emitter);
    factors[half] = rows.finish(state, half, point);
    // Without keys there is nothing to divide.
    if (hasKeys)
      factors[half] = b.select(hasKeys, factors[half], rows.number(1));
    if (space.rowResults.empty())
      continue;
    // One of the four lanes of a row that is inside.
    Value row = b.add(
        b.add(tile.row, b.mul(self.consumer, MmaScheduleAttr::kRows)),
        b.add(b.mul(b.div(self.thread, 32), 16),
              b.add(b.div(self.lane, 4), half * StreamedScores::rowStep)));
    Value rowCount = b.wordOf(emitter.size(space.rowExtent(frame.dims)));
    Value writes =
        frame.both(b.equal(b.rem(self.lane, 4), 0), b.isLess(row, rowCount));
    for (unsigned result : space.rowResults) {
      Value value = frame.kernel.getYield().getValues()[result];
      Value computed = emitter.emit(value, point);
      frame.ifTrue(writes, [&] { emitter.store(result, point, computed); });
    }
  }
  Value scaled = turned(sums, factors);
  TileSums own(1);
  for (int64_t i = 0; i < product.sumsPerThread(); ++i)
    own.front().push_back(product.extract(scaled, i));
  BufferUse use;
  epilogue.addTo(use);
  int64_t buffers =
      schedule.queryBytes() +
      schedule.getStages() * (schedule.keyBytes() + schedule.valueBytes());
  epilogue.initialize(self, b.behind(memory, buffers), use);
  epilogue.write(tile, own, &*keyRing, keyRing->start(0));
  epilogue.finish();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

Grid StreamedLowering::run() {
  frame.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          builder.getI32IntegerAttr(1));
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
  tiles = findTiles();
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
        NVVM::SetMaxRegisterOp::create(builder, frame.loc(), consumerRegisters,
                                       NVVM::SetMaxRegisterAction::increase);
        consume();
      });
  // One thread of the producer's first warp comes late.
  NVVM::SyncWarpOp::create(builder, frame.loc(), b.word(-1));
  GridFactor batches;
  for (char axis : space.product.outer)
    llvm::append_range(batches.extents,
                       space.product.extents(axis, frame.dims));
  return {{{batches,
            {space.product.extents(space.product.m, frame.dims),
             schedule.getTileM()}}}};
}

FailureOr<Grid> mlir::fuse::lowerStreamed(KernelFrame &frame,
                                          StreamedScheduleAttr schedule) {
  const EmitOptions &options = frame.emitter.getOptions();
  if (!options.wgmma)
    return frame.kernel.emitError()
           << "expected a chip with wgmma for #fuse.streamed, such as sm_90a, "
              "but got another; form the kernels for that chip";
  TensorFacts facts{options.aligned, options.divisible};
  Reason reason;
  FailureOr<StreamedSpace> space =
      streamedSpaceOf(frame.kernel, frame.dims, facts, reason);
  if (failed(space))
    return frame.kernel.emitError()
           << "expected a softmax between two contractions that tensor cores "
              "stream for #fuse.streamed, but "
           << reason.sentence() << "; remove the schedule";
  if (failed(verifyStreamed(frame.kernel, *space, frame.dims, schedule)))
    return failure();
  return StreamedLowering(frame, schedule, *space, facts).run();
}
