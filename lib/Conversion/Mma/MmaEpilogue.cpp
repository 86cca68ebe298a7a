//===- MmaEpilogue.cpp - From the sums of a tile to results ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaEpilogue.h"

#include "Launch/TensorMaps.h"
#include "Points/ResultLayout.h"
#include "Points/RotaryPosition.h"
#include "ResultPoint.h"
#include "TileMaps.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/RowParts.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpThreads = 32;
/// The rows of a warp.
static constexpr int64_t warpRows = 16;

MmaEpilogue::MmaEpilogue(MmaBuilder &b, const MmaSpace &space,
                         const MmaSegment &segment, MmaScheduleAttr schedule,
                         TensorFacts facts)
    : b(b), emitter(b.frame.emitter), space(space), segment(segment),
      schedule(schedule),
      groupColumns(mmaGroupColumns(b.frame.kernel, segment, schedule)),
      tileInputs(b, space, segment, schedule,
                 mmaTileInputs(b.frame.kernel, b.frame.dims, space, segment,
                               schedule, facts),
                 groupColumns),
      lanes(lanesOfFlow()), flowPlaces(emitter, segment.flow),
      reductions(b, space, lanes) {
  addResults(facts);
  llvm::DenseSet<Operation *> needed = mmaOpsOf(b.frame.kernel, space, segment);
  auto isRead = [&](BlockArgument input, Operation *user) {
    return user->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
           needed.contains(user) &&
           segment.flow.values.contains(user->getResult(0)) &&
           b.frame.dims.sameShape(input, user->getResult(0));
  };
  for (BlockArgument input : b.frame.kernel.getBody().getArguments())
    for (Operation *user : input.getUsers())
      if (!tileInputs.has(input) && isRead(input, user)) {
        streamed.push_back({input, user->getResult(0)});
        break;
      }
}

/// Vectors of two columns stay whole where elements are moved.
int64_t MmaEpilogue::lanesOfFlow() const {
  for (auto &[value, moved] : segment.flow.values)
    if (!emitter.divides(pair, b.frame.dims.extents(value).back()))
      return 1;
  return pair;
}

/// Whether 16 bytes of columns are 16 bytes of the result.
bool MmaEpilogue::hasWholeChunks(const Result &result) const {
  ScatterOp scatter = result.scatter;
  if (scatter &&
      static_cast<int64_t>(scatter.getDim()) + 1 == scatter.getType().getRank())
    return false;
  int64_t chunk = chunkBytes / result.bytes;
  return llvm::all_of(segment.flow.values, [&](auto &entry) {
    return emitter.divides(chunk, b.frame.dims.extents(entry.first).back());
  });
}

/// Whether a tensor map can say where the result lies: `shape` is the segment's
/// where elements are moved on their way.
static bool canCopy(KernelFrame &frame, unsigned number, Value shape,
                    bool isMoved, TensorFacts facts) {
  const InputLayout *strided = stridesOfResult(frame.emitter.getAbi(), number);
  bool fits =
      !strided || (strided->kind == StrideKind::aligned_rows && !isMoved);
  return fits && fitsTensorMap(frame.kernel, frame.dims, shape, facts);
}

/// Results of other widths, or whose rows copies cannot write, are written from
/// registers; those of one element a row by the launch that combines states.
void MmaEpilogue::addResults(TensorFacts facts) {
  KernelFrame &frame = b.frame;
  for (unsigned number : segment.results) {
    Result result;
    Value value = frame.kernel.getYield().getValues()[number];
    result.number = number;
    result.value = storedValue(value);
    result.scatter = value.getDefiningOp<ScatterOp>();
    int64_t bits =
        getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    result.bytes = llvm::divideCeil(bits, 8);
    bool isMoved = !segment.flow.of(result.value).moves.empty();
    Value shape = isMoved ? Value(segment.shape()) : result.value;
    bool mayBuffer = schedule.getStore() != MmaStore::direct && bits >= 8 &&
                     result.bytes <= 4 && lanes == pair;
    bool mayCopy = mayBuffer && schedule.getStore() == MmaStore::tma;
    bool isCopied = mayCopy && isInOrder(value, segment.flow) &&
                    groupColumns % result.columns() == 0 &&
                    width() >= result.columns() &&
                    canCopy(frame, number, shape, isMoved, facts);
    TensorMapUse use = resultLikeMap(frame, space, shape, result.columns(),
                                     MmaScheduleAttr::kRows, result.axes);
    use.isResult = true;
    use.number = number;
    use.shape = shape;
    constexpr size_t mostDims = 5;
    // With strides of the caller dimensions need not follow each other.
    bool isStrided = stridesOfResult(emitter.getAbi(), number);
    bool isApart =
        isStrided && llvm::any_of(use.dims, [](ArrayRef<unsigned> joined) {
          return joined.size() > 1;
        });
    if (isCopied && !isApart && use.dims.size() <= mostDims)
      result.map = addTensorMap(frame, std::move(use));
    // Matrices of registers have 16 columns of 2 bytes.
    constexpr int64_t matrixColumns = 16;
    result.isInRows = mayBuffer && !result.isCopied() &&
                      width() % matrixColumns == 0 && hasWholeChunks(result);
    results.push_back(std::move(result));
  }
}

void MmaEpilogue::initialize(const ConsumerThread &thread, Value buffers,
                             const BufferUse &all, Value number) {
  self = thread;
  use = all;
  isLeader = b.equal(self.thread, 0);
  // Barrier 0 is that of all threads.
  barrier = b.add(number ? number : self.consumer, 1);
  memory = b.behind(buffers,
                    b.mul(self.consumer, MmaScheduleAttr::kBuffers *
                                             MmaScheduleAttr::kBufferBytes));
  warpRow = b.mul(b.div(self.thread, warpThreads), warpRows);
  quadRow = b.div(self.lane, 4);
  quadColumn = b.mul(b.rem(self.lane, 4), pair);
  bufferRow = b.div(self.thread, rowChunks);
  bufferChunk = b.rem(self.thread, rowChunks);
}

Value MmaEpilogue::firstRow(const TilePlace &tile, int64_t part) {
  Value row = tile.row;
  if (!schedule.sharesColumns())
    row = b.add(row, b.mul(self.consumer, schedule.partsPerConsumer() *
                                              MmaScheduleAttr::kRows));
  return b.add(row, part * MmaScheduleAttr::kRows);
}

Value MmaEpilogue::firstColumn(const TilePlace &tile, int64_t block) {
  Value column = tile.column;
  if (schedule.sharesColumns())
    column = b.add(column, b.mul(self.consumer, width()));
  return b.add(column, block * blockColumns);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void MmaEpilogue::writeDirectly(const Result &result, const Places &places,
                                int64_t part, int64_t firstBlock,
                                int64_t blocks, bool hasEdges) {
  int64_t perBlock = pair / lanes;
  for (int64_t row = 2 * part; row < 2 * part + 2; ++row)
    for (int64_t column = firstBlock * perBlock;
         column < (firstBlock + blocks) * perBlock; ++column) {
      Point point = pointOf(result.value, places, {row, column});
      Value value = emitter.emitLanes(result.value, point);
      Value inside;
      if (hasEdges)
        inside =
            b.frame.both(emitter.less(places.rows[row], size(space.m)),
                         emitter.less(places.columns[column], size(space.n)));
      b.frame.ifTrue(
          inside, [&] { storeResult(b.frame, result.number, point, value); });
    }
}

/// Blocks in the order in which they are computed: those that the same angles
/// turn one after the other, so that these are held for a moment only.
SmallVector<int64_t> MmaEpilogue::blocksByAngle(int64_t first,
                                                int64_t count) const {
  auto blocks = llvm::to_vector(llvm::seq(first, first + count));
  for (auto &[value, moved] : segment.flow.values)
    if (auto rotary = value.getDefiningOp<RotaryOp>()) {
      int64_t head = rotary.getHeadDim(), rotated = rotary.getRotaryDims();
      bool isHalf = rotary.getLayout() == RotaryLayout::half;
      auto angleOf = [=](int64_t block) {
        int64_t feature = block * blockColumns % head;
        return isHalf && feature < rotated ? feature % (rotated / 2) : feature;
      };
      llvm::stable_sort(blocks, [&](int64_t a, int64_t b) {
        return angleOf(a) < angleOf(b);
      });
      break;
    }
  return blocks;
}

/// A pair of each row of each block of columns, as it lies in memory.
SmallVector<Value> MmaEpilogue::storedPairs(const Result &result,
                                            const Places &places, int64_t part,
                                            int64_t firstBlock,
                                            int64_t blocks) {
  SmallVector<Value> pairs(2 * blocks);
  Value value = result.value;
  Type element = getElementTypeOrSelf(value.getType());
  for (int64_t block : blocksByAngle(firstBlock, blocks))
    for (int64_t half = 0; half < 2; ++half)
      pairs[2 * (block - firstBlock) + half] = emitter.toStorage(
          b.loc(), element,
          emitter.emitLanes(value,
                            pointOf(value, places, {2 * part + half, block})));
  return pairs;
}

/// Until all threads of the consumer are here.
void MmaEpilogue::meet() {
  NVVM::BarrierOp::create(b.builder, b.loc(), Type(), barrier,
                          b.word(MmaScheduleAttr::kGroup),
                          NVVM::BarrierReductionAttr(), Value());
}

void MmaEpilogue::copyBuffer(const Result &result, Value buffer,
                             const TilePlace &tile, int64_t part,
                             int64_t firstBlock) {
  SmallVector<Value> coordinates =
      tileCoordinates(space, result.axes, firstRow(tile, part),
                      firstColumn(tile, firstBlock), tile);
  NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
      b.builder, b.loc(), result.map, buffer, coordinates,
      /*l2CacheHint=*/Value(), NVVM::TMAStoreMode::TILE,
      /*predicate=*/Value());
  NVVM::CpAsyncBulkCommitGroupOp::create(b.builder, b.loc());
}

/// The next buffer, which nobody reads any more. The buffers take turns. One
/// thread copies, and knows which copies have read theirs; before it says so
/// nobody writes there again. Rows that threads have stored are read when all
/// have met over the next buffer.
Value MmaEpilogue::freeBuffer() {
  // A tile with slices fills any.
  bool followsItself = isSliced() || (filled == 0 && use.startsAnywhere);
  if (use.hasCopies)
    b.frame.ifTrue(isLeader, [&] {
      NVVM::CpAsyncBulkWaitGroupOp::create(
          b.builder, b.loc(), uint32_t(followsItself || use.hasStores ? 0 : 1),
          b.builder.getUnitAttr());
    });
  if (use.hasCopies || followsItself)
    meet();
  return b.behind(memory, filled++ % MmaScheduleAttr::kBuffers *
                              MmaScheduleAttr::kBufferBytes);
}

void MmaEpilogue::writeThroughBuffer(const Result &result,
                                     const TilePlace &tile,
                                     const Places &places,
                                     ArrayRef<Value> pairs, int64_t part,
                                     int64_t firstBlock, bool hasEdges) {
  Value buffer = freeBuffer();
  // stmatrix came with wgmma.
  if (result.bytes == 2 && !schedule.isMmaSync())
    fillWithMatrices(buffer, pairs);
  else
    fillWithPairs(buffer, pairs, result.bytes);
  if (!result.isCopied()) {
    meet();
    return storeRows(result, buffer, places, part, firstBlock, pairs.size() / 2,
                     hasEdges);
  }
  NVVM::FenceProxyOp::create(
      b.builder, b.loc(), NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  meet();
  b.frame.ifTrue(isLeader,
                 [&] { copyBuffer(result, buffer, tile, part, firstBlock); });
}

void MmaEpilogue::addTo(BufferUse &all) const {
  all.startsAnywhere |=
      isSliced() || buffersOfTile() % MmaScheduleAttr::kBuffers != 0;
  for (const Result &result : results) {
    all.hasCopies |= result.isCopied();
    all.hasStores |= result.isInRows;
  }
}

int64_t MmaEpilogue::buffersOfTile() const {
  int64_t count = 0;
  for (const Result &result : results)
    if (result.isBuffered())
      for (int64_t first = 0; first < width(); first += groupWidth(first))
        count += schedule.partsPerConsumer() *
                 (result.isCopied()
                      ? groupWidth(first) / result.columns()
                      : llvm::divideCeil(groupWidth(first), result.columns()));
  return count;
}

/// What needs whole heads computes all of a head together.
int64_t MmaEpilogue::groupWidth(int64_t first) const {
  int64_t all = width(), whole = segment.flow.wholeColumns;
  int64_t group = std::lcm(groupColumns, whole);
  if (whole > 1 && all % group != 0)
    group = all;
  return std::min(group, all - first);
}

/// Starts the loads of a group of columns, also from tables of angles: they are
/// under way while the group before is written, whose barriers they do not wait
/// for.
void MmaEpilogue::loadAhead(const Places &places, int64_t firstColumn) {
  if (firstColumn >= width())
    return;
  int64_t perBlock = pair / lanes, first = firstColumn / blockColumns;
  int64_t last = first + groupWidth(firstColumn) / blockColumns;
  // A slice lacks columns of the tile.
  auto forEachPoint = [&](Value value,
                          llvm::function_ref<void(const Point &)> body) {
    if (segment.flow.of(value).columns)
      return;
    for (int64_t column = first * perBlock; column < last * perBlock; ++column)
      for (int64_t row = 0; row < int64_t(places.rows.size()); ++row)
        body(pointOf(value, places, {row, column}));
  };
  for (auto [input, value] : streamed)
    forEachPoint(value, [&, input = input](const Point &point) {
      emitter.emit(input, point);
    });
  for (auto &[value, moved] : segment.flow.values)
    if (auto rotary = value.getDefiningOp<RotaryOp>())
      forEachPoint(value, [&](const Point &point) {
        prepareRotary(emitter, rotary, point);
      });
}

bool MmaEpilogue::isSliced() const {
  return llvm::any_of(results, [&](const Result &result) {
    return segment.flow.of(result.value).columns.has_value();
  });
}

Value MmaEpilogue::takes(const Result &result, const TilePlace &tile,
                         int64_t firstBlock) {
  const MovedElements &moved = segment.flow.of(result.value);
  if (!moved.columns)
    return {};
  Index column = b.indexOf(firstColumn(tile, firstBlock));
  Index last = Index::constant(moved.firstColumn + *moved.columns);
  return b.frame.both(
      emitter.less(Index::constant(moved.firstColumn - 1), column),
      emitter.less(column, last));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

void MmaEpilogue::reduceGroup(const Places &places, int64_t part,
                              int64_t firstColumn, bool hasEdges) {
  int64_t perBlock = pair / lanes;
  int64_t first = firstColumn / blockColumns * perBlock;
  int64_t count = groupWidth(firstColumn) / blockColumns * perBlock;
  bool isCut =
      hasEdges && !isMultiple(space.n, segment.columnsPerTile(schedule) *
                                           schedule.getClusterN());
  Operation *reduction = space.reductions.front();
  Value runs = reducedRunOf(reduction) ? reduction->getOperand(0) : Value();
  auto pointAt = [&](const Fragment &fragment) {
    return runs ? pointOf(runs, places, fragment) : pointOf(places, fragment);
  };
  for (int64_t row = 2 * part; row < 2 * part + 2; ++row) {
    SmallVector<TileReductions::Element> elements;
    for (int64_t column = first; column < first + count; ++column)
      elements.push_back(
          {pointAt({row, column}),
           isCut ? emitter.less(places.columns[column], size(space.n))
                 : Value()});
    reductions.take(row, elements);
  }
}

/// The states of a consumer's columns are a part.
void MmaEpilogue::leaveStates(const TilePlace &tile, const Places &places,
                              bool hasEdges) {
  Value first = firstColumn(tile, 0);
  Index part = b.indexOf(b.div(first, width()));
  SmallVector<Extent> kept = b.frame.dims.extents(segment.shape());
  kept.pop_back();
  Value isFirst = b.equal(b.rem(self.lane, 4), 0);
  if (hasEdges)
    isFirst =
        b.frame.both(isFirst, emitter.less(b.indexOf(first), size(space.n)));
  bool areRuns = reducedRunOf(space.reductions.front()).has_value();
  for (int64_t row = 0; row < int64_t(places.rows.size()); ++row) {
    Point point = pointOf(places, {row, 0});
    Index result = Index::constant(0);
    for (auto [extent, index] : llvm::zip(kept, point.dims))
      result = emitter.add(emitter.mul(result, emitter.size(extent)), index);
    Value writes = isFirst;
    if (hasEdges)
      writes =
          b.frame.both(writes, emitter.less(places.rows[row], size(space.m)));
    if (areRuns) {
      Point ofRun;
      ofRun.dims = point.dims;
      ofRun.dims.back() = part;
      reductions.store(row, ofRun, width(), writes);
      continue;
    }
    reductions.leave(row, part, result, emitter.product(kept), writes);
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Runs `body` where it is known of a group of columns in one head whether that
/// is rotated: once for each case, not a branch for each pair.
void MmaEpilogue::forHeads(const Places &places, int64_t first, int64_t width,
                           llvm::function_ref<void()> body) {
  RotaryOp rotary;
  for (auto &[value, moved] : segment.flow.values)
    if (auto op = value.getDefiningOp<RotaryOp>(); op && op.getHeads())
      rotary = op;
  if (!rotary || rotary.getHeadDim() % width != 0)
    return body();
  int64_t column = first / blockColumns * (pair / lanes);
  auto headOf = [&](int64_t row) {
    PartedPoint point = partedPoint(places, {row, column});
    return flowPlaces.follow(rotary.getResult(), point)[rotary.getHeadAxis()];
  };
  PartedIndex head = headOf(0), next = headOf(1);
  // Where heads are rows, neighbouring threads have several.
  bool areRows = next.base != head.base || next.offset != head.offset;
  if (!head.base || head.lane || areRows)
    return body();
  int64_t heads = *rotary.getHeads() - head.offset, start = filled;
  auto run = [&](int64_t low, int64_t high) {
    filled = start;
    emitter.setRange(head.base, low, high);
    body();
    emitter.clearRange(head.base);
  };
  b.frame.ifElse(
      emitter.less({head.base}, Index::constant(heads)), [&] { run(0, heads); },
      [&] { run(heads, INT64_MAX / 2); });
}

/// All of the group is computed before any of it is written: of pairs that lie
/// apart both are then there, and their sums are needed no more.
void MmaEpilogue::writeResult(const Result &result, const TilePlace &tile,
                              const Places &places, int64_t part, int64_t first,
                              int64_t width, bool hasEdges) {
  int64_t firstBlock = first / blockColumns, blocks = width / blockColumns;
  if (!result.isBuffered())
    return writeDirectly(result, places, part, firstBlock, blocks, hasEdges);
  SmallVector<Value> pairs =
      storedPairs(result, places, part, firstBlock, blocks);
  int64_t most = result.columns() / blockColumns;
  // A copy takes whole rows of a buffer.
  int64_t buffered = result.isCopied() ? blocks / most * most : blocks;
  for (int64_t at = 0; at < buffered; at += most)
    writeThroughBuffer(
        result, tile, places,
        ArrayRef(pairs).slice(2 * at, 2 * std::min(most, buffered - at)), part,
        firstBlock + at, hasEdges);
  writeDirectly(result, places, part, firstBlock + buffered, blocks - buffered,
                hasEdges);
}

void MmaEpilogue::writeGroup(const TilePlace &tile, const Places &places,
                             int64_t firstColumn, bool hasEdges) {
  int64_t width = groupWidth(firstColumn);
  for (int64_t part = 0; part < schedule.partsPerConsumer(); ++part) {
    if (!reductions.empty())
      reduceGroup(places, part, firstColumn, hasEdges);
    for (const Result &result : results)
      b.frame.ifTrue(takes(result, tile, firstColumn / blockColumns), [&] {
        forHeads(places, firstColumn, width, [&] {
          writeResult(result, tile, places, part, firstColumn, width, hasEdges);
        });
      });
  }
}

/// Reads what a group needs of the ring. A stage is free once all threads of
/// the consumer have read it.
void MmaEpilogue::readStages(TileRing &ring, ArrayRef<RingPlace> stages,
                             const Places &places, int64_t first,
                             int64_t width) {
  for (int64_t at = first; at < first + width; at += groupColumns) {
    const RingPlace &stage = stages[tileInputs.stageOf(at)];
    int64_t last = at + stepWidth(at);
    if (tileInputs.isEdge(at))
      ring.awaitFull(stage);
    readStage(ring, stage, places, at);
    if (!tileInputs.isEdge(last) && last != this->width())
      continue;
    meet();
    ring.release(stage.slot, self.thread);
  }
}

void MmaEpilogue::writeTile(const TilePlace &tile, ArrayRef<TileSums> sums,
                            TileRing *ring, ArrayRef<RingPlace> stages,
                            bool hasEdges) {
  Places places = placesOf(tile, hasEdges);
  for (auto [contraction, its] : llvm::zip_equal(segment.contractions, sums))
    defineSums(contraction.sums, places, its);
  reductions.start(places.rows.size());
  filled = 0;
  loadAhead(places, 0);
  for (int64_t first = 0; first < width();) {
    int64_t group = groupWidth(first);
    loadAhead(places, first + group);
    if (!stages.empty())
      readStages(*ring, stages, places, first, group);
    writeGroup(tile, places, first, hasEdges);
    first += group;
  }
  if (!reductions.empty())
    leaveStates(tile, places, hasEdges);
}

/// Whether a tile may be cut where a thread would notice. Copies clip what they
/// write.
bool MmaEpilogue::mayHaveEdges() const {
  if (isMultiple(space.m, schedule.getTileM() * schedule.getClusterM()) &&
      isMultiple(space.n,
                 segment.columnsPerTile(schedule) * schedule.getClusterN()))
    return false;
  bool writes = llvm::any_of(results, [&](const Result &result) {
    return !result.isCopied() || width() % result.columns() != 0;
  });
  // A number is the same everywhere.
  auto reads = [&](BlockArgument input) {
    return !tileInputs.has(input) &&
           staticProduct(b.frame.dims.extents(input)) != 1 &&
           llvm::any_of(input.getUsers(),
                        [](Operation *user) { return !isa<ContractOp>(user); });
  };
  // Frequencies are read by the column.
  bool rotates = llvm::any_of(segment.flow.values, [](auto &entry) {
    return isa_and_nonnull<RotaryOp>(entry.first.getDefiningOp());
  });
  return writes || rotates || !reductions.empty() ||
         llvm::any_of(b.frame.kernel.getBody().getArguments(), reads);
}

/// Whether a number divides the size of an axis, as far as that is known.
bool MmaEpilogue::isMultiple(char axis, int64_t number) const {
  std::optional<int64_t> size = staticProduct(extents(axis));
  return size && *size % number == 0;
}

void MmaEpilogue::write(const TilePlace &tile, ArrayRef<TileSums> sums,
                        TileRing *ring, const RingPlace &place) {
  SmallVector<RingPlace> stages;
  for (int64_t stage = 0; stage < tileInputs.stages(); ++stage)
    stages.push_back(stage ? ring->next(stages.back()) : place);
  auto writeAll = [&](bool hasEdges) {
    writeTile(tile, sums, ring, stages, hasEdges);
  };
  if (!mayHaveEdges())
    return writeAll(/*hasEdges=*/false);
  auto fits = [&](Value first, int64_t count, char axis) {
    return emitter.less(
        emitter.add(b.indexOf(first), Index::constant(count - 1)), size(axis));
  };
  Value isWhole = b.frame.both(
      fits(tile.row, schedule.getTileM(), space.m),
      fits(tile.column, segment.columnsPerTile(schedule), space.n));
  b.frame.ifElse(
      isWhole, [&] { writeAll(/*hasEdges=*/false); },
      [&] { writeAll(/*hasEdges=*/true); });
}

void MmaEpilogue::finish() {
  if (!use.hasCopies)
    return;
  b.frame.ifTrue(isLeader, [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b.builder, b.loc(), uint32_t(0),
                                         UnitAttr());
  });
}
