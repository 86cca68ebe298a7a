//===- TileInputs.h - What a tile reads beside its operands -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs with an element for each of a tile's results, such as a residual, come
// through the ring, too: behind the last step of a tile the producer copies
// them to further slots, while the tile's products are under way. In a slot
// they lie in panels, all rows of the tile and 128 bytes of each, swizzled as
// results are. A stage is what one slot takes: the panels of some columns of
// each consumer, for all inputs. With a tile of 128 x 256 whose slots have 48
// KiB, a residual of bf16 has panels of 16 KiB, and two stages of 128 columns.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_TILEINPUTS_H
#define FUSE_LIB_CONVERSION_MMA_TILEINPUTS_H

#include "TileOrder.h"
#include "TileRing.h"

namespace mlir::fuse {

class TileInputs {
public:
  /// Adds the tensor maps of `inputs` to the kernel. A consumer computes
  /// `groupColumns` columns at a time.
  TileInputs(MmaBuilder &b, const MmaSpace &space, const MmaSegment &segment,
             MmaScheduleAttr schedule, ArrayRef<BlockArgument> inputs,
             int64_t groupColumns);

  bool has(BlockArgument input) const;
  int64_t stages() const { return numStages; }
  /// Whether a stage of a consumer starts at this column, or ends before it.
  bool isEdge(int64_t column) const {
    return numStages > 0 && column % columnsPerStage == 0;
  }
  int64_t stageOf(int64_t column) const { return column / columnsPerStage; }

  /// By the producer: copies what the tile reads to the slots from `place` on.
  void copy(TileRing &ring, RingPlace place, const TilePlace &tile);

  /// Where the panels of each input start that have a consumer's column,
  /// behind the start of their slot; `share` is the number of the consumer's
  /// columns among the tile's, a word.
  Value panelOffset(unsigned input, int64_t column, Value share);

  struct Input {
    BlockArgument value;
    Value map;
    SmallVector<char, 5> axes;
    int64_t bytes;
    /// Panels of the inputs before it, for so many columns as one row of a
    /// panel has of 2-byte elements.
    int64_t firstPanel;
    /// Columns of a panel.
    int64_t columns() const { return MmaScheduleAttr::kRowBytes / bytes; }
    int64_t panels() const { return MmaScheduleAttr::kRowElements / columns(); }
  };
  ArrayRef<Input> all() const { return inputs; }

private:
  void addInput(BlockArgument value);
  void planStages(int64_t groupColumns);
  int64_t shares() const {
    return schedule.sharesColumns() ? schedule.getConsumers() : 1;
  }
  int64_t panelBytes() const {
    return schedule.getTileM() * MmaScheduleAttr::kRowBytes;
  }
  /// Of all inputs, for 64 columns.
  int64_t panels() const;
  int64_t panelOf(const Input &input, int64_t column) const;
  int64_t panelsOfShare() const {
    return columnsPerStage / MmaScheduleAttr::kRowElements * panels();
  }

  MmaBuilder &b;
  const MmaSpace &space;
  MmaScheduleAttr schedule;
  /// Of a consumer.
  int64_t columns;
  SmallVector<Input> inputs;
  int64_t columnsPerStage = 0, numStages = 0;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_TILEINPUTS_H
