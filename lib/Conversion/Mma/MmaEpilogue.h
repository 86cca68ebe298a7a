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
// are known; what follows from them is computed there. Results are written from
// registers, or through buffers of 64 rows of 128 bytes, swizzled, which are
// copied to memory while threads go on. A copy writes nothing outside of its
// tensor.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_MMAEPILOGUE_H
#define FUSE_LIB_CONVERSION_MMA_MMAEPILOGUE_H

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

/// What becomes of the tiles of one segment.
class MmaEpilogue {
public:
  /// Adds the tensor maps that it needs to the kernel.
  MmaEpilogue(MmaBuilder &b, const MmaSpace &space, const MmaSegment &segment,
              MmaScheduleAttr schedule, TensorFacts facts);

  /// The buffers that a consumer fills in a tile.
  int64_t buffersOfTile() const;

  /// Computes what stays the same for all tiles. The buffers start at `memory`;
  /// `startsAnywhere`: the tile before may have ended with any of them.
  void initialize(const ConsumerThread &thread, Value memory,
                  bool startsAnywhere);

  /// Writes the results of a tile. `sums` are those of each contraction; what
  /// it reads comes from `place` of the ring on.
  void write(const TilePlace &tile, ArrayRef<TileSums> sums, TileRing &ring,
             const RingPlace &place);

  /// What the producer copies behind the steps of a tile.
  TileInputs &inputs() { return tileInputs; }

  /// Waits until all copies have been done.
  void finish();

private:
  struct Result {
    /// Its number among the kernel's.
    unsigned number;
    Value value;
    /// Null where threads write from registers.
    Value map;
    SmallVector<char, 5> axes;
    int64_t bytes = 0;
    bool isCopied() const { return bool(map); }
    /// Columns of a buffer.
    int64_t columns() const { return MmaScheduleAttr::kRowBytes / bytes; }
  };
  /// Where this thread's sums are, as the emitter knows it; as read, and as
  /// they would be without an edge.
  struct Places {
    SmallVector<Index> rows, columns, columnsInside;
    /// One index for each of the axes that rows join.
    SmallVector<SmallVector<Index, 4>> rowsInside;
    llvm::SmallDenseMap<char, Index> outer;
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
  Point pointOf(const Places &places, const Fragment &fragment);
  void writeTile(const TilePlace &tile, ArrayRef<TileSums> sums, TileRing &ring,
                 ArrayRef<RingPlace> stages, bool hasEdges);
  void writeGroup(const TilePlace &tile, const Places &places,
                  int64_t firstColumn, bool hasEdges);
  void readStage(TileRing &ring, const RingPlace &stage, const Places &places,
                 int64_t firstColumn);
  SmallVector<Value> readMatrices(Value panel, int64_t part);
  SmallVector<Value> readWords(Value panel, int64_t part);
  void reduceGroup(const Places &places, int64_t part, int64_t firstColumn,
                   bool hasEdges);
  void leaveStates(const TilePlace &tile, const Places &places, bool hasEdges);
  void defineSums(ContractOp op, const Places &places, const TileSums &sums);
  int64_t groupWidth(int64_t first) const;
  void loadAhead(const Places &places, int64_t firstColumn);
  void writeDirectly(const Result &result, const Places &places, int64_t part,
                     int64_t firstBlock, int64_t blocks, bool hasEdges);
  void writeThroughBuffer(const Result &result, const TilePlace &tile,
                          const Places &places, int64_t part,
                          int64_t firstBlock);
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
  void meet();
  Value firstRow(const TilePlace &tile, int64_t part);
  Value firstColumn(const TilePlace &tile, int64_t block);

  /// Neighbours along a row of 8 columns that a thread has, and of these one
  /// access takes.
  static constexpr int64_t pair = 2, blockColumns = 8;

  MmaBuilder &b;
  PointEmitter &emitter;
  const MmaSpace &space;
  const MmaSegment &segment;
  MmaScheduleAttr schedule;
  SmallVector<Result> results;
  int64_t groupColumns;
  TileInputs tileInputs;
  /// Other inputs with an element for each of a result's, which pointwise ops
  /// read.
  SmallVector<BlockArgument> streamed;
  int64_t lanes;
  TileReductions reductions;
  /// Buffers that have been filled in a tile.
  int64_t filled = 0;
  bool startsAnywhere = false;

  ConsumerThread self;
  Value isLeader, barrier, memory, warpRow, quadRow, quadColumn;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_MMAEPILOGUE_H
