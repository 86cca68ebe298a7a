//===- TilePieces.h - The sums of a thread in a tile ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp has a part of a tile in shared memory, 4 x rows by 8 x columns of the
// schedule. Its 32 pieces lie 4 x 8. A thread's rows and columns come in groups
// of neighbours, which lie so far apart that the threads of a warp read
// neighbouring groups:
//
//   columns of a warp, by lane, with two groups   0011223344556677 001122334...
//
// With mma_k, warps multiply 8 x 8 or 16 x 8 sums of f64 by mma.sync. Of every
// 8 x 8 a thread then has one row and two neighbouring columns, and reads one
// element of each operand for 4 places of the summed axis:
//
//   rows      lane / 4, place lane % 4        sums   row lane / 4,
//   columns   lane / 4, place lane % 4               columns 2 (lane % 4) + 0,
//   1
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_TILES_TILEPIECES_H
#define FUSE_LIB_CONVERSION_TILES_TILEPIECES_H

#include "KernelFrame.h"
#include "NearBuffer.h"
#include "fuse/Analysis/TileSpace.h"

namespace mlir::fuse {

class TilePieces {
public:
  TilePieces(KernelFrame &frame, TiledScheduleAttr schedule,
             const SharedTileLayout &layout)
      : frame(frame), emitter(frame.emitter), builder(frame.builder),
        schedule(schedule), layout(layout), width(schedule.getVector()),
        places(schedule.getMmaK()) {}

  /// Finds the sums of thread `thread` of a group.
  void place(const Index &thread);

  /// Rows and columns of a thread's sums.
  int64_t ownRows() const { return places ? rowBlocks() : schedule.getRows(); }
  int64_t ownColumns() const {
    return schedule.getRows() * schedule.getColumns() / ownRows();
  }
  /// Where a row is in the tile, and a group of as many columns as the
  /// schedule's vector.
  Index rowAt(const Index &number);
  Index columnAt(int64_t group);

  /// Adds the products at some places of a step to sums, which lie row by row.
  SmallVector<Value> multiply(const NearBuffer &rows, const NearBuffer &columns,
                              const Index &buffer, int64_t from, int64_t to,
                              ValueRange sums);

private:
  /// Rows and columns of a product, and places that one element of each
  /// operand is for.
  static constexpr int64_t kBlock = 8, kPlaces = 4;

  int64_t rowBlocks() const { return layout.warpRows() / kBlock; }
  void multiplyPlace(const NearBuffer &rows, const NearBuffer &columns,
                     const Index &rowStart, const Index &columnStart,
                     MutableArrayRef<Value> sums);
  void multiplyBlocks(const NearBuffer &rows, const NearBuffer &columns,
                      const Index &rowStart, const Index &columnStart,
                      MutableArrayRef<Value> sums);
  void addProduct(ArrayRef<Value> a, ArrayRef<Value> b, ArrayRef<Value *> sums);

  KernelFrame &frame;
  PointEmitter &emitter;
  OpBuilder &builder;
  TiledScheduleAttr schedule;
  const SharedTileLayout &layout;
  int64_t width;
  /// Of the summed axis, that a product on tensor cores takes; 0 on the
  /// ordinary cores.
  int64_t places;
  /// Of the first sum in the tile; and of what this thread reads of the first
  /// operands, which is in place `readPlace` of a step.
  Index row, column, readRow, readColumn, readPlace = Index::constant(0);
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TILES_TILEPIECES_H
