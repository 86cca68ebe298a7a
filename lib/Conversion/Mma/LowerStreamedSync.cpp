//===- LowerStreamedSync.cpp - Streamed rows by the warps' products -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every chip has mma.sync, ldmatrix and cp.async. All threads of a block copy
// and multiply; a warp has 16 rows of queries, all keys of a tile and all
// columns of the values, so that its scores become the left operand of the
// second product where they are (Dao, FlashAttention-2, arXiv:2307.08691).
// With s stages:
//
//   copy the queries and the first s tiles of keys, s - 1 of values
//   for each tile
//     await its keys, and all threads         values of the tile before are
//     free copy the values s - 1 tiles ahead multiply queries and keys await
//     its values, and all threads       its keys are free copy the keys s tiles
//     ahead softmax: maximum, exponentials, sum; turn the sums, if needed
//     multiply the weights and values
//   divide; compute and write the results, where tiles were
//
// Each copy is a group of its own, also where nothing is left to copy: those
// of keys and values take turns, and 2 (s - 1) of them are ahead of the one
// that is awaited.
//
// Where the keys have the values there is one arrival a tile: behind it the
// tile before is free, and is filled with that s - 1 tiles ahead.
//
//===----------------------------------------------------------------------===//

#include "LowerStreamedSync.h"

#include "ComputedTiles.h"
#include "MmaSync.h"
#include "StreamedCopies.h"
#include "StreamedKernel.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpThreads = 32;
/// Registers of sums, scores, weights and queries up to which a thread keeps
/// the last of these for all keys.
static constexpr int64_t mostHeld = 176;
/// Fragments of so many columns of the right operand come together.
static constexpr int64_t columnsAtOnce = 2 * MmaSync::kColumns;

/// Blocks that share a multiprocessor: while one computes a softmax the other
/// multiplies. Two consumers take its registers.
static int64_t residentBlocks(StreamedScheduleAttr schedule) {
  return schedule.getConsumers() == 1 ? 2 : 1;
}

namespace {
class StreamedSyncLowering final : StreamedKernel {
public:
  StreamedSyncLowering(KernelFrame &frame, StreamedScheduleAttr schedule,
                       const StreamedSpace &space, TensorFacts facts);

  Grid run();

private:
  /// Where tiles of keys or values go, which are copied or computed.
  struct Ring {
    std::vector<StreamedCopies> copies;
    std::optional<ComputedTiles> computed;
    StreamedPages &pages;
    char walked;
    /// Of the first slot, and of each.
    int64_t start, bytes;
  };

  void placeThread();
  void addCopies();
  void addRing(std::optional<Ring> &ring, ContractOp op,
               ArrayRef<FeaturePart> parts, const SlotOperand &slot,
               StreamedPages &pages, const Extent &features, int64_t start,
               llvm::function_ref<Value(char)> outer);
  void addCopies(std::vector<StreamedCopies> &copies,
                 ArrayRef<FeaturePart> parts, const SlotOperand &slot,
                 char walked, const Extent &places,
                 llvm::function_ref<Value(char)> outer);
  void addReaders();
  StreamedCopies::Row rowOfQueries(StreamedCopies &copies, Value place);
  StreamedCopies::Row rowOfPage(Ring &ring, StreamedCopies &copies, Value key);
  ComputedTiles::Row computedQuery(Value place);
  void copyQueries();
  void copyTile(Ring &ring, Value step, Value slot);
  void startCopies();
  void awaitCopies();
  void meet() { NVVM::BarrierOp::create(builder, frame.loc()); }

  SmallVector<Value> queryFragments(int64_t step);
  SmallVector<Value> multiplyKeys(Value slot);
  void multiplyValues(MutableArrayRef<Value> sums, ArrayRef<Value> weights,
                      Value slot);
  SmallVector<Value> turnedIfNeeded(ArrayRef<Value> sums,
                                    const RowState &state);
  SmallVector<Value> takeTile(Value step, ValueRange current);
  void multiply();
  void writeResults(ArrayRef<Value> sums) override;

  bool holdsQueries() const {
    int64_t tileK = schedule.getTileK();
    return (schedule.columnsPerConsumer() + tileK) / 2 + tileK / 4 +
               schedule.getDepth() / 4 <=
           mostHeld;
  }
  int64_t stages() const { return schedule.getStages(); }
  /// Whether values have slots of their own, and not the keys'.
  bool haveValueSlots() const { return !schedule.getValuesInKeys(); }
  int64_t depthSteps() const {
    return llvm::divideCeil(space.depthExtent(frame.dims).size,
                            queries.placesPerStep());
  }
  /// Sums of the columns that there are, in whole fragments.
  int64_t sumCount() const {
    int64_t columns =
        llvm::alignTo(space.columnExtent(frame.dims).size, columnsAtOnce);
    return std::min(columns, schedule.columnsPerConsumer()) /
           MmaSync::kColumns * MmaSync::kSums;
  }
  Value at(const Ring &ring, Value slot) {
    return b.add(b.mul(slot, ring.bytes), ring.start);
  }
  Value nextSlot(Value slot);
  Value previousSlot(Value slot);

  MmaSync scoreProduct, product;
  std::optional<ThreadChunk> chunk;
  SmallVector<FeaturePart, 1> valueParts;
  std::vector<StreamedCopies> queryCopies;
  std::optional<ComputedTiles> computedQueries;
  std::optional<Ring> keyRing, valueRing;
  std::optional<FragmentReader> queryReader, keyReader, valueReader;
  /// Those of all steps, where registers hold them.
  SmallVector<Value> heldQueries;
  Value zero;
};
} // namespace

StreamedSyncLowering::StreamedSyncLowering(KernelFrame &frame,
                                           StreamedScheduleAttr schedule,
                                           const StreamedSpace &theSpace,
                                           TensorFacts facts)
    : StreamedKernel(frame, schedule, theSpace, facts),
      scoreProduct(b, getElementTypeOrSelf(space.queries.tensor),
                   getElementTypeOrSelf(space.keys.tensor)),
      product(b, space.productOp().getType().getElementType(),
              space.productOp().getType().getElementType()),
      zero(rows.number(0)) {}

void StreamedSyncLowering::placeThread() {
  constexpr int64_t group = MmaScheduleAttr::kGroup;
  // The same in a warp, as far as anyone can tell.
  self = {order.fixHere(b.div(thread, group)), b.rem(thread, group),
          b.rem(thread, warpThreads)};
}

Value StreamedSyncLowering::nextSlot(Value slot) {
  return b.select(b.equal(slot, stages() - 1), b.word(0), b.add(slot, 1));
}

Value StreamedSyncLowering::previousSlot(Value slot) {
  return b.select(b.equal(slot, 0), b.word(stages() - 1),
                  b.sub(slot, b.word(1)));
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Of keys or values; the first two axes of these are in the slot.
void StreamedSyncLowering::addRing(std::optional<Ring> &ring, ContractOp op,
                                   ArrayRef<FeaturePart> parts,
                                   const SlotOperand &slot,
                                   StreamedPages &pages, const Extent &features,
                                   int64_t start,
                                   llvm::function_ref<Value(char)> outer) {
  bool areKeys = &slot == &keys;
  char walked = areKeys ? space.n : space.product.k;
  Extent count = space.keyExtent(frame.dims);
  ring.emplace(Ring{{}, {}, pages, walked, start, slot.bytes()});
  if (areKeys ? space.computesKeys : space.computesValues)
    ring->computed.emplace(b, *chunk, op, parts.front().operand, slot, count,
                           features, outer);
  else
    addCopies(ring->copies, parts, slot, walked, count, outer);
}

void StreamedSyncLowering::addCopies(std::vector<StreamedCopies> &copies,
                                     ArrayRef<FeaturePart> parts,
                                     const SlotOperand &slot, char walked,
                                     const Extent &places,
                                     llvm::function_ref<Value(char)> outer) {
  for (const FeaturePart &part : parts)
    copies.emplace_back(b, *chunk, part, &part == &parts.back(), slot, walked,
                        places, outer);
}

void StreamedSyncLowering::addCopies() {
  const DimClasses &dims = frame.dims;
  chunk.emplace(b, thread, schedule.getThreads());
  auto ofScores = [&](char axis) { return outerPlace(axis); };
  auto ofProduct = [&](char axis) { return tile.outer.lookup(axis); };
  Extent depth = space.depthExtent(dims);
  if (space.computesQueries)
    computedQueries.emplace(b, *chunk, space.scores, space.queries, queries,
                            space.rowExtent(dims), depth, ofScores);
  else
    addCopies(queryCopies, space.queryParts, queries, space.m,
              space.rowExtent(dims), ofScores);
  int64_t keysAt = schedule.queryBytes();
  addRing(keyRing, space.scores, space.keyParts, keys, keyPages, depth, keysAt,
          ofScores);
  Extent columns = space.columnExtent(dims);
  valueParts.push_back({space.values(), Value(), "", 0, columns.size});
  if (haveValueSlots())
    addRing(valueRing, space.productOp(), valueParts, values, valuePages,
            columns, keysAt + stages() * keys.bytes(), ofProduct);
}

/// With several heads in a tile its rows are the queries of one after the
/// other's.
StreamedCopies::Row StreamedSyncLowering::rowOfQueries(StreamedCopies &copies,
                                                       Value place) {
  PointEmitter &emitter = frame.emitter;
  const DimClasses &dims = frame.dims;
  int64_t perHead = schedule.queriesPerTile();
  Value query = b.add(tile.row, b.rem(place, perHead));
  Value head = b.div(place, perHead);
  Value number = b.add(outerPlace(*space.heads), head);
  Index at =
      emitter.add(emitter.mul(b.indexOf(query), copies.stride(space.m)),
                  emitter.mul(b.indexOf(head), copies.stride(*space.heads)));
  Value exists =
      frame.both(b.isLess(query, b.wordOf(emitter.size(space.rowExtent(dims)))),
                 b.isLess(number, b.word(space.headCount(dims))));
  return {at, exists};
}

/// The same of queries that are computed.
ComputedTiles::Row StreamedSyncLowering::computedQuery(Value place) {
  PointEmitter &emitter = frame.emitter;
  int64_t perHead = schedule.queriesPerTile();
  Value query = b.add(tile.row, b.rem(place, perHead));
  Value head = b.add(outerPlace(*space.heads), b.div(place, perHead));
  Value count = b.wordOf(emitter.size(space.rowExtent(frame.dims)));
  Value heads = b.word(space.headCount(frame.dims));
  return {b.indexOf(b.min(query, b.sub(count, b.word(1)))),
          frame.both(b.isLess(query, count), b.isLess(head, heads)),
          *space.heads, b.indexOf(b.min(head, b.sub(heads, b.word(1))))};
}

void StreamedSyncLowering::copyQueries() {
  if (computedQueries) {
    if (schedule.getHeads() > 1)
      computedQueries->compute(
          memory, tile.row, [&](Value place) { return computedQuery(place); });
    else
      computedQueries->compute(memory, tile.row);
    return;
  }
  for (StreamedCopies &copies : queryCopies)
    if (schedule.getHeads() > 1)
      copies.copy(memory, b.word(0),
                  [&](Value place) { return rowOfQueries(copies, place); });
    else
      copies.copy(memory, tile.row);
}

/// A key where its page is.
StreamedCopies::Row
StreamedSyncLowering::rowOfPage(Ring &ring, StreamedCopies &copies, Value key) {
  PointEmitter &emitter = frame.emitter;
  Value page = ring.pages.pageOf(tile, key);
  Index inPage = emitter.mul(b.indexOf(ring.pages.rowInPage(key)),
                             copies.stride(ring.walked));
  Index ofPage = emitter.mul(b.indexOf(page), copies.stride(MmaPages::kAxis));
  return {emitter.add(ofPage, inPage), b.differs(page, b.word(-1))};
}

/// Starts the copies that a step takes, or computes them, if there is such a
/// step.
void StreamedSyncLowering::copyTile(Ring &ring, Value step, Value slot) {
  frame.ifTrue(b.isLess(step, tiles.last), [&] {
    Value first = b.mul(tileAt(step), schedule.getTileK());
    Value to = b.behind(memory, at(ring, slot));
    if (ring.computed)
      return ring.computed->compute(to, first);
    for (StreamedCopies &copies : ring.copies)
      if (ring.pages.exist())
        copies.copy(to, first, [&](Value place) {
          return rowOfPage(ring, copies, b.add(first, place));
        });
      else
        copies.copy(to, first);
  });
  NVVM::CpAsyncCommitGroupOp::create(builder, frame.loc());
}

/// The queries come with the first keys. What computes them waits for what it
/// reads.
void StreamedSyncLowering::startCopies() {
  if (!computedQueries)
    copyQueries();
  for (int64_t stage = 0; stage < stages(); ++stage) {
    Value step = b.add(tiles.first, stage);
    bool isAhead = stage + 1 < stages();
    if (haveValueSlots() || isAhead)
      copyTile(*keyRing, step, b.word(stage));
    if (haveValueSlots() && isAhead)
      copyTile(*valueRing, step, b.word(stage));
  }
  if (computedQueries)
    copyQueries();
}

/// What all threads have copied of the oldest tile is there, and what all have
/// read before is free.
void StreamedSyncLowering::awaitCopies() {
  int64_t ahead = haveValueSlots() ? 2 * (stages() - 1) : stages() - 2;
  NVVM::CpAsyncWaitGroupOp::create(builder, frame.loc(), ahead);
  meet();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void StreamedSyncLowering::addReaders() {
  using Side = FragmentReader::Side;
  Value warp = order.fixHere(b.div(self.thread, warpThreads));
  Value row = b.mul(warp, MmaSync::kRows);
  Value start =
      b.mul(rowThread().consumer, queries.offsetOf(MmaScheduleAttr::kRows));
  if (queries.isAlongK)
    queryReader.emplace(b, queries, Side::rows, self.lane,
                        b.add(start, b.mul(row, SlotOperand::rowBytes)),
                        Value());
  else
    queryReader.emplace(b, queries, Side::rows, self.lane, start,
                        b.div(row, MmaSync::kColumns));
  keyReader.emplace(b, keys, Side::columns, self.lane, b.word(0), Value());
  valueReader.emplace(b, values, Side::columns, self.lane, b.word(0), Value());
}

SmallVector<Value> StreamedSyncLowering::queryFragments(int64_t step) {
  if (heldQueries.empty())
    return queryReader->rows(memory, b.word(0), /*first=*/0, step);
  return SmallVector<Value>(
      ArrayRef(heldQueries)
          .slice(step * MmaSync::kRowWords, MmaSync::kRowWords));
}

/// The scores of a tile.
SmallVector<Value> StreamedSyncLowering::multiplyKeys(Value slot) {
  int64_t count = schedule.getTileK() / MmaSync::kColumns * MmaSync::kSums;
  SmallVector<Value> sums(count, zero);
  MutableArrayRef<Value> all(sums);
  Value from = at(*keyRing, slot);
  for (int64_t step = 0; step < depthSteps(); ++step) {
    SmallVector<Value> own = queryFragments(step);
    for (int64_t key = 0; key < schedule.getTileK(); key += columnsAtOnce) {
      SmallVector<Value> words =
          keyReader->columns(memory, from, key, columnsAtOnce, step);
      for (int64_t i = 0; i < columnsAtOnce; i += MmaSync::kColumns)
        scoreProduct.multiply(
            all.slice((key + i) / MmaSync::kColumns * MmaSync::kSums,
                      MmaSync::kSums),
            own,
            ArrayRef(words).slice(i / MmaSync::kColumns * MmaSync::kColumnWords,
                                  MmaSync::kColumnWords));
    }
  }
  return sums;
}

void StreamedSyncLowering::multiplyValues(MutableArrayRef<Value> sums,
                                          ArrayRef<Value> weights, Value slot) {
  Value from =
      b.add(at(haveValueSlots() ? *valueRing : *keyRing, slot), ownValues());
  for (int64_t step = 0; step < schedule.getTileK() / values.placesPerStep();
       ++step)
    for (int64_t first = 0; first < sumCount();
         first += columnsAtOnce / MmaSync::kColumns * MmaSync::kSums) {
      int64_t column = first / MmaSync::kSums * MmaSync::kColumns;
      SmallVector<Value> words =
          valueReader->columns(memory, from, column, columnsAtOnce, step);
      for (int64_t i = 0; i < columnsAtOnce / MmaSync::kColumns; ++i)
        product.multiply(
            sums.slice(first + i * MmaSync::kSums, MmaSync::kSums),
            weights.slice(step * MmaSync::kRowWords, MmaSync::kRowWords),
            ArrayRef(words).slice(i * MmaSync::kColumnWords,
                                  MmaSync::kColumnWords));
    }
}

/// A warp whose rows all keep their bases has nothing to multiply.
SmallVector<Value> StreamedSyncLowering::turnedIfNeeded(ArrayRef<Value> sums,
                                                        const RowState &state) {
  auto branch = scf::IfOp::create(builder, b.loc(), ValueRange(sums).getTypes(),
                                  rows.areTurned(state),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, b.loc(), turned(sums, state.turn));
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, b.loc(), sums);
  return SmallVector<Value>(branch.getResults());
}

/// `current` are the sums, the slot of this tile, and the state of the rows;
/// returns the next ones.
SmallVector<Value> StreamedSyncLowering::takeTile(Value step,
                                                  ValueRange current) {
  SmallVector<Value> sums(current.take_front(sumCount()));
  Value slot = current[sumCount()];
  RowState state(current.drop_front(sumCount() + 1));
  awaitCopies();
  copyTile(haveValueSlots() ? *valueRing : *keyRing, b.add(step, stages() - 1),
           previousSlot(slot));
  Value number = tileAt(step);
  SmallVector<Value> missing = missingKeys(number);
  SmallVector<Value> found = multiplyKeys(slot);
  if (haveValueSlots()) {
    awaitCopies();
    copyTile(*keyRing, b.add(step, stages()), slot);
  }
  rows.follow(logitsOf(found, number, missing), state, /*isFirst=*/false);
  sums = turnedIfNeeded(sums, state);
  multiplyValues(sums, scores.packed(state.weights), slot);
  state.weights.clear();
  sums.push_back(nextSlot(slot));
  llvm::append_range(sums, state.all());
  return sums;
}

void StreamedSyncLowering::multiply() {
  scores.initialize(tile, rowThread());
  if (holdsQueries()) {
    awaitCopies();
    for (int64_t step = 0; step < depthSteps(); ++step)
      llvm::append_range(
          heldQueries, queryReader->rows(memory, b.word(0), /*first=*/0, step));
  }
  SmallVector<Value> start(sumCount(), zero);
  start.push_back(b.word(0));
  llvm::append_range(start, rows.nothing(/*weights=*/0).all());
  scf::ForOp loop = b.loop(
      tiles.first, tiles.last, b.word(1), start,
      [&](Value step, ValueRange current) { return takeTile(step, current); });
  // Without keys nobody has waited for the queries.
  NVVM::CpAsyncWaitGroupOp::create(builder, frame.loc(), 0);
  // Columns that there are not have no sums.
  SmallVector<Value> sums(loop.getResults().take_front(sumCount()));
  sums.resize(
      schedule.columnsPerConsumer() / MmaSync::kColumns * MmaSync::kSums, zero);
  RowState state(loop.getResults().drop_front(sumCount() + 1));
  finish(sums, state);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Each consumer has a tile of its own, of which the last may have no row, or
/// columns of the only one.
void StreamedSyncLowering::writeResults(ArrayRef<Value> sums) {
  if (schedule.getStore() != MmaStore::direct)
    meet();
  TileSums own = {SmallVector<Value>(sums)};
  BufferUse use;
  epilogue->addTo(use);
  if (columnGroup()) {
    epilogue->initialize(self, memory, use);
    return epilogue->write(tile, own);
  }
  TilePlace place = tile;
  place.row = b.add(tile.row, b.mul(self.consumer, MmaScheduleAttr::kRows));
  Extent extent = space.rowExtent(frame.dims);
  bool isWhole = extent.isStatic() && extent.size % schedule.getTileM() == 0;
  Value exists;
  if (schedule.getConsumers() > 1 && !isWhole)
    exists = b.isLess(place.row, b.wordOf(frame.emitter.size(extent)));
  frame.ifTrue(exists, [&] {
    Value buffers = b.behind(
        memory, b.mul(self.consumer, MmaScheduleAttr::kBuffers *
                                         MmaScheduleAttr::kBufferBytes));
    epilogue->initialize({b.word(0), self.thread, self.lane}, buffers, use,
                         self.consumer);
    epilogue->write(place, own);
  });
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

Grid StreamedSyncLowering::run() {
  frame.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          builder.getI32IntegerAttr(residentBlocks(schedule)));
  frame.sharedBytes = schedule.sharedBytes();
  memory = b.sharedMemory();
  thread = b.thread();
  placeThread();
  placeTile();
  if (tiles.exist)
    tiles.last = b.select(tiles.exist, tiles.last, tiles.first);
  addCopies();
  addReaders();
  startCopies();
  multiply();
  return {StreamedTiles::grid(space, schedule, frame.dims)};
}

Grid mlir::fuse::lowerStreamedSync(KernelFrame &frame,
                                   StreamedScheduleAttr schedule,
                                   const StreamedSpace &space,
                                   TensorFacts facts) {
  return StreamedSyncLowering(frame, schedule, space, facts).run();
}
