//===- MmaEpilogue.h - From the sums of a tile to results -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread of a consumer has sums of two rows in each part of 64, 8 apart, and
// of pairs of columns, 8 apart. With w = thread / 32, g = thread % 32 / 4 and
// q = thread % 4, sum number 4 i + 2 h + e is that of
//
//   row 16 w + g + 8 h, column 8 i + 2 q + e
//
// For the emitter these are the points at which the contractions of a segment
// are known; what follows from them is computed there, or where these elements
// have been moved (FlowPlaces.h). Results are written from registers, or
// through buffers of 64 rows of 128 bytes, swizzled. Where a result lies as the
// contraction's would, these are copied to memory while threads go on; a copy
// writes nothing outside of its tensor. Where rows lie apart, as those of
// transposed heads or of slots of a cache do, threads write them, 16 bytes
// each.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_MMAEPILOGUE_H
#define FUSE_LIB_CONVERSION_MMA_MMAEPILOGUE_H

#include "FlowPlaces.h"
#include "TileInputs.h"
#include "TileReductions.h"

namespace mlir::fuse {

/// This thread among the consumers, in words.
struct ConsumerThread {
  /// The number of its warpgroup among the consumers, its own in that, and its
  /// lane.
  Value consumer, thread, lane;
};

/// A thread's sums of one contraction, by parts of 64 rows.
using TileSums = SmallVector<SmallVector<Value>, 2>;

/// What tiles do with the buffers of a consumer, of all segments together.
struct BufferUse {
  /// A tile may end with any of them.
  bool startsAnywhere = false;
  /// Some are copied by tensor map, some are read by threads.
  bool hasCopies = false, hasStores = false;
};

/// What becomes of the tiles of one segment.
class MmaEpilogue {
public:
  /// Adds the tensor maps that it needs to the kernel.
  MmaEpilogue(MmaBuilder &b, const MmaSpace &space, const MmaSegment &segment,
              MmaScheduleAttr schedule, TensorFacts facts);

  /// Adds what this segment's tiles do.
  void addTo(BufferUse &use) const;

  /// Computes what stays the same for all tiles. The buffers start at `memory`.
  /// `number`, a word, tells the consumer's barrier from those of others that
  /// have tiles of their own; null where they share one.
  void initialize(const ConsumerThread &thread, Value memory,
                  const BufferUse &use, Value number = {});

  /// Writes the results of a tile. `sums` are those of each contraction; what
  /// it reads of inputs() comes from `place` of the ring on.
  void write(const TilePlace &tile, ArrayRef<TileSums> sums,
             TileRing *ring = nullptr, const RingPlace &place = {});

  /// What the producer copies behind the steps of a tile.
  TileInputs &inputs() { return tileInputs; }

  /// Waits until all copies have been done.
  void finish();

  /// What stmatrix writes for each thread that gives an address, and the widest
  /// access to memory.
  static constexpr int64_t chunkBytes = 16;
  /// So many are a row of a buffer.
  static constexpr int64_t rowChunks = MmaScheduleAttr::kRowBytes / chunkBytes;

private:
  struct Result {
    /// Its number among the kernel's.
    unsigned number;
    /// What is computed: the updates of a scatter, else the result.
    Value value;
    ScatterOp scatter;
    /// Null where threads write.
    Value map;
    SmallVector<char, 5> axes;
    int64_t bytes = 0;
    /// Whether threads write rows that lie in shared memory.
    bool isInRows = false;
    bool isCopied() const { return bool(map); }
    bool isBuffered() const { return isCopied() || isInRows; }
    /// Columns of a buffer.
    int64_t columns() const { return MmaScheduleAttr::kRowBytes / bytes; }
  };
  /// Where this thread's sums are, as the emitter knows it; as read, and as
  /// they would be without an edge.
  struct Places {
    SmallVector<Index> rows, columns;
    SmallVector<PartedIndex> columnsInside;
    /// One index for each of the axes that rows join.
    SmallVector<SmallVector<Index, 4>> rowsInside;
    llvm::SmallDenseMap<char, Index> outer;
    /// The tile's first column, and how far behind this thread's first pair is.
    Value columnBase, pairLane;
    /// The row that this thread writes first of those in a buffer, and how far
    /// behind the buffer's first column its chunk of 2-byte or 4-byte elements
    /// is.
    Index chunkRow;
    llvm::SmallDenseMap<int64_t, Value> chunkLanes;
  };
  /// A thread's pair of columns (or a column, where pairs may be cut).
  struct Fragment {
    int64_t row, column;
  };

  SmallVector<Extent> extents(char axis) const {
    if (axis == space.n)
      return {space.columns(segment, b.frame.dims)};
    return space.extents(axis, b.frame.dims);
  }
  Index size(char axis) { return emitter.product(extents(axis)); }
  /// The columns of a consumer.
  int64_t width() const { return segment.columnsPerConsumer(schedule); }
  void addResults(TensorFacts facts);
  bool mayHaveEdges() const;
  bool isMultiple(char axis, int64_t number) const;
  Places placesOf(const TilePlace &tile, bool hasEdges);
  Point pointOf(const Places &places, const Fragment &fragment) {
    return flowPlaces.pointOf(partedPoint(places, fragment), lanes);
  }
  PartedIndex columnAt(const Places &places, int64_t offset, Value lane,
                       int64_t span);
  PartedIndex keepInside(const PartedIndex &column);
  PartedPoint partedPoint(ArrayRef<Index> rows, const PartedIndex &column,
                          const llvm::SmallDenseMap<char, Index> &outer);
  PartedPoint partedPoint(const Places &places, const Fragment &fragment) {
    return partedPoint(places.rowsInside[fragment.row],
                       places.columnsInside[fragment.column], places.outer);
  }
  /// Where a value that follows from the contraction has the fragment.
  Point pointOf(Value value, const Places &places, const Fragment &fragment) {
    return flowPlaces.pointOf(
        flowPlaces.follow(value, partedPoint(places, fragment)), lanes);
  }
  /// Whether the result has these columns; null for always.
  Value takes(const Result &result, const TilePlace &tile, int64_t firstBlock);
  void writeTile(const TilePlace &tile, ArrayRef<TileSums> sums, TileRing *ring,
                 ArrayRef<RingPlace> stages, bool hasEdges);
  void readStages(TileRing &ring, ArrayRef<RingPlace> stages,
                  const Places &places, int64_t first, int64_t width);
  void writeGroup(const TilePlace &tile, const Places &places,
                  int64_t firstColumn, bool hasEdges);
  void forHeads(const Places &places, int64_t first, int64_t width,
                llvm::function_ref<void()> body);
  void writeResult(const Result &result, const TilePlace &tile,
                   const Places &places, int64_t part, int64_t first,
                   int64_t width, bool hasEdges);
  void readStage(TileRing &ring, const RingPlace &stage, const Places &places,
                 int64_t firstColumn);
  SmallVector<Value> readMatrices(Value panel, int64_t part);
  SmallVector<Value> readWords(Value panel, int64_t part);
  void reduceGroup(const Places &places, int64_t part, int64_t firstColumn,
                   bool hasEdges);
  void leaveStates(const TilePlace &tile, const Places &places, bool hasEdges);
  void defineSums(Value sum, const Places &places, const TileSums &sums);
  int64_t stepWidth(int64_t first) const {
    return std::min(groupColumns, width() - first);
  }
  int64_t groupWidth(int64_t first) const;
  int64_t lanesOfFlow() const;
  bool hasWholeChunks(const Result &result) const;
  bool isSliced() const;
  /// The buffers that a consumer fills in a tile.
  int64_t buffersOfTile() const;
  void loadAhead(const Places &places, int64_t firstColumn);
  void writeDirectly(const Result &result, const Places &places, int64_t part,
                     int64_t firstBlock, int64_t blocks, bool hasEdges);
  void writeThroughBuffer(const Result &result, const TilePlace &tile,
                          const Places &places, ArrayRef<Value> pairs,
                          int64_t part, int64_t firstBlock, bool hasEdges);
  Value freeBuffer();
  SmallVector<int64_t> blocksByAngle(int64_t first, int64_t count) const;
  SmallVector<Value> storedPairs(const Result &result, const Places &places,
                                 int64_t part, int64_t firstBlock,
                                 int64_t blocks);
  Value matrixAddress(Value panel, Value row, int64_t column);
  Value matrixRow();
  Value pairAddress(Value panel, Value row, int64_t block, int64_t bytes);
  void fillWithMatrices(Value buffer, ArrayRef<Value> pairs);
  void fillWithPairs(Value buffer, ArrayRef<Value> pairs, int64_t bytes);
  void copyBuffer(const Result &result, Value buffer, const TilePlace &tile,
                  int64_t part, int64_t firstBlock);
  SmallVector<Value> loadChunks(const Result &result, Value buffer);
  void placeChunks(Places &places, const TilePlace &tile);
  void storeRows(const Result &result, Value buffer, const Places &places,
                 int64_t part, int64_t firstBlock, int64_t blocks,
                 bool hasEdges);
  void meet();
  Value firstRow(const TilePlace &tile, int64_t part);
  Value firstColumn(const TilePlace &tile, int64_t block);

  /// Neighbours along a row of 8 columns that a thread has, and of these one
  /// access takes.
  static constexpr int64_t pair = 2, blockColumns = 8;
  /// How far the two rows of a thread are apart.
  static constexpr int64_t rowStep = 8;

  MmaBuilder &b;
  PointEmitter &emitter;
  const MmaSpace &space;
  const MmaSegment &segment;
  MmaScheduleAttr schedule;
  int64_t groupColumns;
  TileInputs tileInputs;
  int64_t lanes;
  FlowPlaces flowPlaces;
  SmallVector<Result> results;
  /// Other inputs with an element for each of the contraction's, which
  /// pointwise ops read, and what these give.
  SmallVector<std::pair<BlockArgument, Value>> streamed;
  TileReductions reductions;
  /// Buffers that have been filled in a tile.
  int64_t filled = 0;
  BufferUse use;

  ConsumerThread self;
  Value isLeader, barrier, memory, warpRow, quadRow, quadColumn;
  /// The row of a buffer, and the 16 bytes of it, that this thread reads first.
  Value bufferRow, bufferChunk;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_MMAEPILOGUE_H
