//===- MmaEpilogue.cpp - From the sums of a tile to results ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaEpilogue.h"

#include "../TensorMaps.h"
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
/// Columns that are computed before the next ones.
static constexpr int64_t groupColumns = 64;

/// The ops that the segment's results are computed by.
static llvm::DenseSet<Operation *> neededOps(KernelOp kernel,
                                             const MmaSegment &segment) {
  SmallVector<Value> work;
  for (unsigned number : segment.results)
    work.push_back(kernel.getYield().getValues()[number]);
  llvm::DenseSet<Operation *> needed;
  while (!work.empty())
    if (Operation *op = work.pop_back_val().getDefiningOp();
        op && needed.insert(op).second)
      llvm::append_range(work, op->getOperands());
  return needed;
}

MmaEpilogue::MmaEpilogue(MmaBuilder &b, const MmaSpace &space,
                         const MmaSegment &segment, MmaScheduleAttr schedule,
                         TensorFacts facts)
    : b(b), emitter(b.frame.emitter), space(space), segment(segment),
      schedule(schedule),
      lanes(emitter.divides(pair, extents(space.n).front()) ? pair : 1) {
  addResults(facts);
  llvm::DenseSet<Operation *> needed = neededOps(b.frame.kernel, segment);
  auto isRead = [&](Operation *user) {
    return user->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
           needed.contains(user);
  };
  for (BlockArgument input : b.frame.kernel.getBody().getArguments())
    if (b.frame.dims.sameShape(input, segment.shape()) &&
        llvm::any_of(input.getUsers(), isRead))
      streamed.push_back(input);
}

/// Results of other widths, or whose rows copies cannot write, are written from
/// registers.
void MmaEpilogue::addResults(TensorFacts facts) {
  KernelFrame &frame = b.frame;
  StringRef axes(space.resultAxes.data(), space.resultAxes.size());
  for (unsigned number : segment.results) {
    Result result;
    Value value = frame.kernel.getYield().getValues()[number];
    result.number = number;
    result.value = value;
    int64_t bits =
        getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
    result.bytes = llvm::divideCeil(bits, 8);
    bool isCopied = schedule.getStore() == MmaStore::tma &&
                    (result.bytes == 2 || result.bytes == 4) && lanes == pair &&
                    width() % result.columns() == 0 &&
                    fitsTensorMap(frame.kernel, frame.dims, value, facts);
    TensorMapUse use{/*isResult=*/true, number, {}, {}};
    // The last axis, the rows', and then the outer ones.
    auto addAxis = [&](char axis, ArrayRef<char> joined, int64_t size) {
      result.axes.push_back(axis);
      use.dims.emplace_back();
      for (char letter : joined)
        use.dims.back().push_back(axes.find(letter));
      use.box.push_back(size);
    };
    addAxis(space.n, {space.n}, result.columns());
    addAxis(space.m, space.rowAxes, MmaScheduleAttr::kRows);
    for (char axis : llvm::reverse(space.outer))
      if (frame.dims.extent(value, axes.find(axis)).size != 1)
        addAxis(axis, {axis}, 1);
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
  Point point;
  auto indexOf = [&](char axis) {
    if (axis == space.n)
      return places.columnsInside[fragment.column];
    const auto *joined = llvm::find(space.rowAxes, axis);
    if (joined == space.rowAxes.end())
      return places.outer.lookup(axis);
    return places.rowsInside[fragment.row][joined - space.rowAxes.begin()];
  };
  for (auto [number, axis] : llvm::enumerate(space.resultAxes)) {
    bool isOne = b.frame.dims.extent(segment.shape(), number).size == 1;
    point.dims.push_back(isOne ? Index::constant(0) : indexOf(axis));
  }
  point.lanes = lanes;
  return point;
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

/// Pairs of 2-byte elements. Four 8 x 8 matrices at a time: 16 rows of 16
/// columns; each thread says where a row of one of them goes.
void MmaEpilogue::fillWithMatrices(Value buffer, ArrayRef<Value> pairs) {
  OpBuilder &builder = b.builder;
  Value matrix = b.div(self.lane, 8), inMatrix = b.rem(self.lane, 8);
  Value row = b.add(warpRow, b.add(b.mul(b.rem(matrix, 2), rowStep), inMatrix));
  Value rowOffset = b.mul(row, MmaScheduleAttr::kRowBytes);
  Value half = b.div(matrix, 2);
  auto shape = NVVM::LdStMatrixShapeAttr::get(builder.getContext(), 8, 8);
  for (size_t first = 0; first < pairs.size(); first += 4) {
    SmallVector<Value> words;
    for (Value values : pairs.slice(first, 4))
      words.push_back(LLVM::BitcastOp::create(builder, b.loc(),
                                              builder.getI32Type(), values));
    Value column = b.bitXor(b.add(half, first / 2), inMatrix);
    Value at = b.add(rowOffset, b.mul(column, matrixRowBytes));
    NVVM::StMatrixOp::create(builder, b.loc(), b.behind(buffer, at), words,
                             NVVM::MMALayout::row, shape,
                             NVVM::LdStMatrixEltType::B16);
  }
}

/// Pairs of 4-byte elements: two of them are 16 bytes.
void MmaEpilogue::fillWithWords(Value buffer, ArrayRef<Value> pairs) {
  constexpr int64_t pairBytes = 8;
  Value quad = b.rem(self.lane, 4);
  Value half = b.div(quad, 2), inHalf = b.mul(b.rem(quad, 2), pairBytes);
  for (auto [number, values] : llvm::enumerate(pairs)) {
    int64_t block = number / 2;
    Value row = b.add(b.add(warpRow, quadRow), number % 2 * rowStep);
    Value column = b.bitXor(b.add(half, 2 * block), quadRow);
    Value at = b.add(b.mul(row, MmaScheduleAttr::kRowBytes),
                     b.add(b.mul(column, matrixRowBytes), inHalf));
    LLVM::StoreOp::create(b.builder, b.loc(), values, b.behind(buffer, at),
                          pairBytes);
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
  SmallVector<Value> coordinates;
  for (char axis : result.axes)
    coordinates.push_back(axis == space.n   ? firstColumn(tile, firstBlock)
                          : axis == space.m ? firstRow(tile, part)
                                            : tile.outer.lookup(axis));
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
    fillWithWords(buffer, pairs);
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

void MmaEpilogue::writeTile(const TilePlace &tile, ArrayRef<TileSums> sums,
                            bool hasEdges) {
  Places places = placesOf(tile, hasEdges);
  for (auto [contraction, its] : llvm::zip_equal(segment.contractions, sums))
    defineSums(contraction.op, places, its);
  filled = 0;
  loadAhead(places, 0);
  for (int64_t first = 0; first < width(); first += groupColumns) {
    int64_t group = groupWidth(first);
    loadAhead(places, first + groupColumns);
    for (int64_t part = 0; part < schedule.partsPerConsumer(); ++part)
      for (const Result &result : results) {
        if (!result.isCopied()) {
          writeDirectly(result, places, part, first / blockColumns,
                        group / blockColumns, hasEdges);
          continue;
        }
        for (int64_t at = first; at < first + group; at += result.columns())
          writeThroughBuffer(result, tile, places, part, at / blockColumns);
      }
  }
}

/// Whether a tile may be cut where a thread would notice. Copies clip what they
/// write.
bool MmaEpilogue::mayHaveEdges() const {
  auto isMultiple = [&](char axis, int64_t number) {
    std::optional<int64_t> size = staticProduct(extents(axis));
    return size && *size % number == 0;
  };
  if (isMultiple(space.m, schedule.getTileM()) &&
      isMultiple(space.n, segment.columnsPerTile(schedule)))
    return false;
  bool writes = llvm::any_of(
      results, [](const Result &result) { return !result.isCopied(); });
  auto reads = [&](BlockArgument input) {
    return llvm::any_of(input.getUsers(),
                        [](Operation *user) { return !isa<ContractOp>(user); });
  };
  return writes || llvm::any_of(b.frame.kernel.getBody().getArguments(), reads);
}

void MmaEpilogue::write(const TilePlace &tile, ArrayRef<TileSums> sums) {
  if (!mayHaveEdges())
    return writeTile(tile, sums, /*hasEdges=*/false);
  auto fits = [&](Value first, int64_t count, char axis) {
    return emitter.less(
        emitter.add(b.indexOf(first), Index::constant(count - 1)), size(axis));
  };
  Value isWhole = b.frame.both(
      fits(tile.row, schedule.getTileM(), space.m),
      fits(tile.column, segment.columnsPerTile(schedule), space.n));
  b.frame.ifElse(
      isWhole, [&] { writeTile(tile, sums, /*hasEdges=*/false); },
      [&] { writeTile(tile, sums, /*hasEdges=*/true); });
}

void MmaEpilogue::finish() {
  if (buffersOfTile() == 0)
    return;
  b.frame.ifTrue(isLeader, [&] {
    NVVM::CpAsyncBulkWaitGroupOp::create(b.builder, b.loc(), uint32_t(0),
                                         UnitAttr());
  });
}
