//===- Panels.h - Packed operands of a CPU's contractions -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a block of one thread multiplies: elements of rows, each repeated in a
// vector, with vectors of columns. Columns lie in panels [place][columns] of as
// many as a piece of sums has, so that vectors follow each other in memory.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_TILES_PANELS_H
#define FUSE_LIB_CONVERSION_TILES_PANELS_H

#include "NearBuffer.h"

namespace mlir::fuse {

/// The rows that are multiplied, and how they lie.
struct PanelRows {
  NearBuffer buffer;
  int64_t perRow, perPlace;

  PanelRows from(PointEmitter &emitter, const Index &row) const {
    return {buffer.from(emitter.mul(row, Index::constant(perRow))), perRow,
            perPlace};
  }
};

class Panels {
public:
  /// Panels of so many columns, and of so many places at most, whose elements
  /// have the type, `lanes` in a vector.
  Panels(KernelFrame &frame, Type type, int64_t lanes, int64_t columns,
         int64_t depth)
      : frame(frame), emitter(frame.emitter), builder(frame.builder),
        type(type), lanes(lanes), columns(columns), depth(depth) {}

  /// The rows of the pieces that a tile's edge is cut into.
  static constexpr int64_t edgeRows = 4;

  /// for (i = from; i < to; i += step) body(i)
  void loop(const Index &from, const Index &to, int64_t step,
            llvm::function_ref<void(const Index &)> body);
  /// Vectors of `width` from 0 to `count`, then what is left one by one.
  void inVectors(const Index &count, int64_t width,
                 llvm::function_ref<void(const Index &, int64_t)> body);
  /// Pieces of `rows` from 0 to `count`, then smaller ones for what is left,
  /// which may end behind it.
  void inPieces(const Index &count, int64_t rows,
                llvm::function_ref<void(const Index &, int64_t)> body);

  Value zero(int64_t width) {
    return emitter.splat(frame.loc(), emitter.constant(frame.loc(), type, 0),
                         width);
  }

  /// Elements of the panels of so many columns, a multiple of a panel's, and of
  /// what packAlongSummed() turns.
  int64_t elements(int64_t count) const { return count / columns * stride(); }
  int64_t turnedElements() const { return lanes * depth; }
  /// Where a panel with the column starts, at the column.
  Index offset(const Index &column);

  /// Gives `width` elements of an operand, from a column and a place on.
  using Elements =
      llvm::function_ref<Value(const Index &, const Index &, int64_t)>;
  /// Fills panels with `count` columns of `places`; the elements are neighbours
  /// along the columns, or along the places: then as many rows of memory as a
  /// vector has lanes are read at a time, and turned in registers.
  void packAlongOwn(const NearBuffer &panels, const Index &count,
                    const Index &places, int64_t width, Elements elements);
  void packAlongSummed(const NearBuffer &panels, const NearBuffer &turned,
                       const Index &count, const Index &places,
                       Elements elements);

  /// The sums of `rows` rows and a panel's columns, vector by vector. The lines
  /// of the panel are `pitch` apart.
  SmallVector<Value> multiply(const PanelRows &scalars, const NearBuffer &panel,
                              int64_t pitch, int64_t rows, const Index &places);

private:
  /// Padded, so that rows of panels do not meet in one set of a cache.
  int64_t stride() const { return depth * columns + 16; }

  KernelFrame &frame;
  PointEmitter &emitter;
  OpBuilder &builder;
  Type type;
  int64_t lanes, columns, depth;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TILES_PANELS_H
