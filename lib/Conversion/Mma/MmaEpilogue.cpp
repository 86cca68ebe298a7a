//===- MmaEpilogue.cpp - From the sums of a tile to results ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaEpilogue.h"

#include "../TensorMaps.h"
#include "ResultPoint.h"
#include "TileMaps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpThreads = 32;
/// The rows of a warp, and how far the two rows of a thread are apart.
static constexpr int64_t warpRows = 16, rowStep = 8;
/// What stmatrix writes for each thread that gives an address.
static constexpr int64_t matrixRowBytes = 16;

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
      streamed(streamedInputs(b.frame, space, segment)),
      lanes(emitter.divides(pair, extents(space.n).front()) ? pair : 1),
      reductions(b, space, lanes) {
  addResults(facts);
  llvm::erase_if(streamed,
                 [&](BlockArgument input) { return tileInputs.has(input); });
}

/// Results of other widths, or whose rows copies cannot write, are written from
/// registers; those of one element a row by the launch that combines states.
void MmaEpilogue::addResults(TensorFacts facts) {
  KernelFrame &frame = b.frame;
  for (unsigned number : segment.results) {
    Result result;
    Value value = frame.kernel.getYield().getValues()[number];
    result.number = number;
    result.value = value;
    int64_t bits =
        getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    result.bytes = llvm::divideCeil(bits, 8);
    bool isCopied =
        schedule.getStore() == MmaStore::tma &&
        (result.bytes == 1 || result.bytes == 2 || result.bytes == 4) &&
        lanes == pair && groupColumns % result.columns() == 0 &&
        width() % result.columns() == 0 &&
        fitsTensorMap(frame.kernel, frame.dims, value, facts);
    TensorMapUse use = resultLikeMap(frame, space, value, result.columns(),
                                     MmaScheduleAttr::kRows, result.axes);
    use.isResult = true;
    use.number = number;
    constexpr size_t mostDims = 5;
    if (isCopied && use.dims.size() <= mostDims)
      result.map = addTensorMap(frame, std::move(use));
    results.push_back(std::move(result));
  }
}

void MmaEpilogue::initialize(const ConsumerThread &thread, Value buffers,
                             bool startsAnywhere) {
  self = thread;
  this->startsAnywhere = startsAnywhere;
  isLeader = b.equal(self.thread, 0);
  // Barrier 0 is that of all threads.
  barrier = b.add(self.consumer, 1);
  memory = b.behind(buffers,
                    b.mul(self.consumer, MmaScheduleAttr::kBuffers *
                                             MmaScheduleAttr::kBufferBytes));
  warpRow = b.mul(b.div(self.thread, warpThreads), warpRows);
  quadRow = b.div(self.lane, 4);
  quadColumn = b.mul(b.rem(self.lane, 4), pair);
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
// Points
//===----------------------------------------------------------------------===//

/// Constants stay apart from what differs between threads.
MmaEpilogue::Places MmaEpilogue::placesOf(const TilePlace &tile,
                                          bool hasEdges) {
  Places places;
  for (char axis : space.outer)
    places.outer[axis] = b.indexOf(tile.outer.lookup(axis));
  Index row = b.indexOf(b.add(firstRow(tile, 0), b.add(warpRow, quadRow)));
  Index column = b.indexOf(b.add(firstColumn(tile, 0), quadColumn));
  for (int64_t part = 0; part < schedule.partsPerConsumer(); ++part)
    for (int64_t half = 0; half < 2; ++half)
      places.rows.push_back(emitter.add(
          row,
          Index::constant(part * MmaScheduleAttr::kRows + half * rowStep)));
  for (int64_t at = 0; at < width(); at += blockColumns)
    for (int64_t lane = 0; lane < pair; lane += lanes)
      places.columns.push_back(emitter.add(column, Index::constant(at + lane)));
  auto keepInside = [&](const Index &index, char axis, int64_t width) {
    if (!hasEdges)
      return index;
    return emitter.min(index, emitter.add(size(axis), Index::constant(-width)));
  };
  for (const Index &index : places.rows)
    places.rowsInside.push_back(
        emitter.delinearize(keepInside(index, space.m, 1), extents(space.m)));
  for (const Index &index : places.columns)
    places.columnsInside.push_back(keepInside(index, space.n, lanes));
  return places;
}

Point MmaEpilogue::pointOf(const Places &places, const Fragment &fragment) {
  return resultPoint(space, segment, b.frame.dims,
                     {places.rowsInside[fragment.row],
                      places.columnsInside[fragment.column], places.outer,
                      lanes});
}

/// From the last to the first: where an axis has size 1 all are one point,
/// whose value is the first's.
void MmaEpilogue::defineSums(ContractOp op, const Places &places,
                             const TileSums &sums) {
  int64_t perBlock = pair / lanes;
  for (int64_t row = places.rows.size() - 1; row >= 0; --row)
    for (int64_t column = places.columns.size() - 1; column >= 0; --column) {
      int64_t block = column / perBlock, lane = column % perBlock;
      int64_t first = 2 * pair * block + pair * (row % 2) + lane;
      Value value = emitter.gatherLanes(
          b.loc(), lanes, [&](int64_t i) { return sums[row / 2][first + i]; });
      emitter.define(op.getResult(), pointOf(places, {row, column}), value);
    }
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
      Point point = pointOf(places, {row, column});
      Value value = emitter.emitLanes(result.value, point);
      Value inside;
      if (hasEdges)
        inside =
            b.frame.both(emitter.less(places.rows[row], size(space.m)),
                         emitter.less(places.columns[column], size(space.n)));
      b.frame.ifTrue(inside,
                     [&] { emitter.store(result.number, point, value); });
    }
}

/// A pair of each row of each block of columns, as it lies in memory.
SmallVector<Value> MmaEpilogue::storedPairs(const Result &result,
                                            const Places &places, int64_t part,
                                            int64_t firstBlock,
                                            int64_t blocks) {
  SmallVector<Value> pairs;
  Value value = result.value;
  Type element = getElementTypeOrSelf(value.getType());
  for (int64_t block = firstBlock; block < firstBlock + blocks; ++block)
    for (int64_t half = 0; half < 2; ++half)
      pairs.push_back(emitter.toStorage(
          b.loc(), element,
          emitter.emitLanes(value, pointOf(places, {2 * part + half, block}))));
  return pairs;
}

/// Where a row of a matrix lies in a panel, `column` matrices further along the
/// row, and one more in the upper half of the warp.
Value MmaEpilogue::matrixAddress(Value panel, Value row, int64_t column) {
  Value matrix = b.div(self.lane, 8), inMatrix = b.rem(self.lane, 8);
  Value place = b.bitXor(b.add(b.div(matrix, 2), column), inMatrix);
  return b.behind(panel, b.add(b.mul(row, MmaScheduleAttr::kRowBytes),
                               b.mul(place, matrixRowBytes)));
}

/// The row of which a thread gives the address, of four 8 x 8 matrices: 16 rows
/// of 16 columns.
Value MmaEpilogue::matrixRow() {
  Value matrix = b.div(self.lane, 8), inMatrix = b.rem(self.lane, 8);
  return b.add(warpRow, b.add(b.mul(b.rem(matrix, 2), rowStep), inMatrix));
}

/// Where a thread's pair of elements of so many bytes lies in a row of a panel,
/// in its block of 8 columns.
Value MmaEpilogue::pairAddress(Value panel, Value row, int64_t block,
                               int64_t bytes) {
  Value inBlock = b.mul(quadColumn, bytes);
  Value at = b.add(inBlock, block * blockColumns * bytes);
  Value place = b.bitXor(b.div(at, matrixRowBytes), quadRow);
  return b.behind(panel, b.add(b.mul(row, MmaScheduleAttr::kRowBytes),
                               b.add(b.mul(place, matrixRowBytes),
                                     b.rem(at, matrixRowBytes))));
}

static NVVM::LdStMatrixShapeAttr shapeOfMatrices(OpBuilder &builder) {
  return NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
}

/// Pairs of 2-byte elements, four matrices at a time.
void MmaEpilogue::fillWithMatrices(Value buffer, ArrayRef<Value> pairs) {
  OpBuilder &builder = b.builder;
  Value row = matrixRow();
  for (size_t first = 0; first < pairs.size(); first += 4) {
    SmallVector<Value> words;
    for (Value values : pairs.slice(first, 4))
      words.push_back(LLVM::BitcastOp::create(builder, b.loc(),
                                              builder.getI32Type(), values));
    NVVM::StMatrixOp::create(builder, b.loc(),
                             matrixAddress(buffer, row, first / 2), words,
                             NVVM::MMALayout::row, shapeOfMatrices(builder),
                             NVVM::LdStMatrixEltType::B16);
  }
}

/// Pairs of elements of other widths.
void MmaEpilogue::fillWithPairs(Value buffer, ArrayRef<Value> pairs,
                                int64_t bytes) {
  for (auto [number, values] : llvm::enumerate(pairs)) {
    Value row = b.add(b.add(warpRow, quadRow), number % 2 * rowStep);
    LLVM::StoreOp::create(b.builder, b.loc(), values,
                          pairAddress(buffer, row, number / 2, bytes),
                          pair * bytes);
  }
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

/// The buffers take turns. One thread copies, and knows which copies have read
/// theirs; before it says so nobody writes there again.
void MmaEpilogue::writeThroughBuffer(const Result &result,
                                     const TilePlace &tile,
                                     const Places &places, int64_t part,
                                     int64_t firstBlock) {
  int64_t blocks = result.columns() / blockColumns;
  SmallVector<Value> pairs =
      storedPairs(result, places, part, firstBlock, blocks);
  bool followsItself = filled == 0 && startsAnywhere;
  b.frame.ifTrue(isLeader, [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b.builder, b.loc(),
                                         uint32_t(followsItself ? 0 : 1),
                                         b.builder.getUnitAttr());
  });
  meet();
  Value buffer = b.behind(memory, filled++ % MmaScheduleAttr::kBuffers *
                                      MmaScheduleAttr::kBufferBytes);
  if (result.bytes == 2)
    fillWithMatrices(buffer, pairs);
  else
    fillWithPairs(buffer, pairs, result.bytes);
  NVVM::FenceProxyOp::create(
      b.builder, b.loc(), NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.builder.getContext(),
                                 NVVM::SharedSpace::shared_cta));
  meet();
  b.frame.ifTrue(isLeader,
                 [&] { copyBuffer(result, buffer, tile, part, firstBlock); });
}

int64_t MmaEpilogue::buffersOfTile() const {
  int64_t count = 0;
  for (const Result &result : results)
    if (result.isCopied())
      count += schedule.partsPerConsumer() * width() / result.columns();
  return count;
}

int64_t MmaEpilogue::groupWidth(int64_t first) const {
  return std::min(groupColumns, width() - first);
}

/// Starts the loads of a group of columns: they are under way while the group
/// before is written, whose barriers they do not wait for.
void MmaEpilogue::loadAhead(const Places &places, int64_t firstColumn) {
  if (firstColumn >= width())
    return;
  int64_t perBlock = pair / lanes, first = firstColumn / blockColumns;
  int64_t last = first + groupWidth(firstColumn) / blockColumns;
  for (BlockArgument input : streamed)
    for (int64_t column = first * perBlock; column < last * perBlock; ++column)
      for (int64_t row = 0; row < int64_t(places.rows.size()); ++row)
        emitter.emit(input, pointOf(places, {row, column}));
}

//===----------------------------------------------------------------------===//
// What comes through the ring
//===----------------------------------------------------------------------===//

/// This thread's pairs of 2-byte elements of 64 rows and 64 columns.
SmallVector<Value> MmaEpilogue::readMatrices(Value panel, int64_t part) {
  OpBuilder &builder = b.builder;
  SmallVector<Type> types(4, builder.getI32Type());
  auto type = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  Value row = b.add(matrixRow(), part * MmaScheduleAttr::kRows);
  SmallVector<Value> pairs;
  constexpr int64_t matrices = MmaScheduleAttr::kRowBytes / matrixRowBytes;
  for (int64_t column = 0; column < matrices; column += 2) {
    Value four = NVVM::LdMatrixOp::create(
        builder, b.loc(), type, matrixAddress(panel, row, column), /*num=*/4,
        NVVM::MMALayout::row, shapeOfMatrices(builder),
        NVVM::LdStMatrixEltType::B16);
    for (int64_t i = 0; i < 4; ++i)
      pairs.push_back(LLVM::ExtractValueOp::create(builder, b.loc(), four, i));
  }
  return pairs;
}

/// The same of 4-byte elements, of 32 columns.
SmallVector<Value> MmaEpilogue::readWords(Value panel, int64_t part) {
  constexpr int64_t bytes = 4;
  Type type = VectorType::get({pair}, b.builder.getI32Type());
  SmallVector<Value> pairs;
  for (int64_t block = 0;
       block < MmaScheduleAttr::kRowBytes / bytes / blockColumns; ++block)
    for (int64_t half = 0; half < 2; ++half) {
      Value row = b.add(b.add(warpRow, quadRow),
                        part * MmaScheduleAttr::kRows + half * rowStep);
      pairs.push_back(LLVM::LoadOp::create(
          b.builder, b.loc(), type, pairAddress(panel, row, block, bytes),
          pair * bytes));
    }
  return pairs;
}

/// Makes the elements of a group of columns known, from the last on as
/// defineSums() does.
void MmaEpilogue::readStage(TileRing &ring, const RingPlace &stage,
                            const Places &places, int64_t firstColumn) {
  Value share = schedule.sharesColumns() ? self.consumer : b.word(0);
  int64_t parts = schedule.partsPerConsumer();
  Value rows = schedule.sharesColumns()
                   ? b.word(0)
                   : b.mul(self.consumer, parts * MmaScheduleAttr::kRows *
                                              MmaScheduleAttr::kRowBytes);
  int64_t last = firstColumn + groupWidth(firstColumn);
  for (auto [number, input] : llvm::enumerate(tileInputs.all())) {
    Type element = getElementTypeOrSelf(input.value.getType());
    Type type = VectorType::get({pair}, PointEmitter::storageType(element));
    for (int64_t column = last - input.columns(); column >= firstColumn;
         column -= input.columns()) {
      Value at = b.add(tileInputs.panelOffset(number, column, share), rows);
      Value panel = ring.memoryAt(b.add(ring.offset(stage.slot), at));
      for (int64_t part = parts - 1; part >= 0; --part) {
        SmallVector<Value> pairs = input.bytes == 2 ? readMatrices(panel, part)
                                                    : readWords(panel, part);
        for (int64_t i = pairs.size() - 1; i >= 0; --i) {
          Value stored =
              LLVM::BitcastOp::create(b.builder, b.loc(), type, pairs[i]);
          Fragment fragment{2 * part + i % 2, column / blockColumns + i / 2};
          emitter.define(input.value, pointOf(places, fragment),
                         emitter.fromStorage(b.loc(), element, stored));
        }
      }
    }
  }
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
      hasEdges && !isMultiple(space.n, segment.columnsPerTile(schedule));
  for (int64_t row = 2 * part; row < 2 * part + 2; ++row) {
    SmallVector<TileReductions::Element> elements;
    for (int64_t column = first; column < first + count; ++column)
      elements.push_back(
          {pointOf(places, {row, column}),
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
  for (int64_t row = 0; row < int64_t(places.rows.size()); ++row) {
    Point point = pointOf(places, {row, 0});
    Index result = Index::constant(0);
    for (auto [extent, index] : llvm::zip(kept, point.dims))
      result = emitter.add(emitter.mul(result, emitter.size(extent)), index);
    Value writes = isFirst;
    if (hasEdges)
      writes =
          b.frame.both(writes, emitter.less(places.rows[row], size(space.m)));
    reductions.leave(row, part, result, emitter.product(kept), writes);
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void MmaEpilogue::writeGroup(const TilePlace &tile, const Places &places,
                             int64_t firstColumn, bool hasEdges) {
  int64_t width = groupWidth(firstColumn);
  for (int64_t part = 0; part < schedule.partsPerConsumer(); ++part) {
    if (!reductions.empty())
      reduceGroup(places, part, firstColumn, hasEdges);
    for (const Result &result : results) {
      if (!result.isCopied()) {
        writeDirectly(result, places, part, firstColumn / blockColumns,
                      width / blockColumns, hasEdges);
        continue;
      }
      for (int64_t at = firstColumn; at < firstColumn + width;
           at += result.columns())
        writeThroughBuffer(result, tile, places, part, at / blockColumns);
    }
  }
}

/// A stage is free once all threads of the consumer have read it.
void MmaEpilogue::writeTile(const TilePlace &tile, ArrayRef<TileSums> sums,
                            TileRing &ring, ArrayRef<RingPlace> stages,
                            bool hasEdges) {
  Places places = placesOf(tile, hasEdges);
  for (auto [contraction, its] : llvm::zip_equal(segment.contractions, sums))
    defineSums(contraction.op, places, its);
  reductions.start(places.rows.size());
  filled = 0;
  loadAhead(places, 0);
  for (int64_t first = 0; first < width(); first += groupColumns) {
    int64_t last = first + groupWidth(first);
    loadAhead(places, first + groupColumns);
    if (!stages.empty()) {
      const RingPlace &stage = stages[tileInputs.stageOf(first)];
      if (tileInputs.isEdge(first))
        ring.awaitFull(stage);
      readStage(ring, stage, places, first);
      if (tileInputs.isEdge(last) || last == width()) {
        meet();
        b.frame.ifTrue(isLeader, [&] { ring.release(stage.slot); });
      }
    }
    writeGroup(tile, places, first, hasEdges);
  }
  if (!reductions.empty())
    leaveStates(tile, places, hasEdges);
}

/// Whether a tile may be cut where a thread would notice. Copies clip what they
/// write.
bool MmaEpilogue::mayHaveEdges() const {
  if (isMultiple(space.m, schedule.getTileM()) &&
      isMultiple(space.n, segment.columnsPerTile(schedule)))
    return false;
  bool writes = llvm::any_of(
      results, [](const Result &result) { return !result.isCopied(); });
  // A number is the same everywhere.
  auto reads = [&](BlockArgument input) {
    return !tileInputs.has(input) &&
           staticProduct(b.frame.dims.extents(input)) != 1 &&
           llvm::any_of(input.getUsers(),
                        [](Operation *user) { return !isa<ContractOp>(user); });
  };
  return writes || !reductions.empty() ||
         llvm::any_of(b.frame.kernel.getBody().getArguments(), reads);
}

/// Whether a number divides the size of an axis, as far as that is known.
bool MmaEpilogue::isMultiple(char axis, int64_t number) const {
  std::optional<int64_t> size = staticProduct(extents(axis));
  return size && *size % number == 0;
}

void MmaEpilogue::write(const TilePlace &tile, ArrayRef<TileSums> sums,
                        TileRing &ring, const RingPlace &place) {
  SmallVector<RingPlace> stages;
  for (int64_t stage = 0; stage < tileInputs.stages(); ++stage)
    stages.push_back(stage ? ring.next(stages.back()) : place);
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
  if (buffersOfTile() == 0)
    return;
  b.frame.ifTrue(isLeader, [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b.builder, b.loc(), uint32_t(0),
                                         UnitAttr());
  });
}
