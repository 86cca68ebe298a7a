//===- MmaModel.h - How long tiles on tensor cores take ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seconds of a contraction on tensor cores, as DeepGEMM estimates them: tiles
// come in waves of one a multiprocessor, and each takes as long as the busiest
// of three: the tensor cores, shared memory, and its share of the L2. For a
// place of the summed axis, a tile of 128 x 256 whose two consumers have 64
// rows each takes, in clocks of an H100 with all of 132 multiprocessors busy,
//
//   tensor cores   128 x 256 products / 2048                            16
//   shared memory  (128 + 256) x 2 bytes written,
//                  2 x (64 + 256) x 2 read / 128                        16
//   L2             (128 + 256) x 2 bytes / min(48, 7900 / 132)          16
//
// A step of k has some clocks beside these, and more where blocks of a cluster
// copy operands for each other; then the L2 delivers these once.
//
// Behind its products each tile computes what follows, and leaves its results.
// Blocks that share a tile each take a part of the summed axis, and exchange
// their sums. States of rows take another launch.
//
// The whole takes no less than three things: the multiprocessor with the most
// tiles at the clock that it has beside idle ones; all tiles together at the
// clock that the board's power leaves when all tensor cores are busy; and
// memory for the operands, what is read beside them, and the results. The
// second is why a wave that is not full costs less than a full one: the others
// run faster meanwhile. The last works beside the others, but not all the time
// (softMaximum()).
//
// Where operands are computed from narrower elements, tiles of mma.sync copy
// these, and the time that ordinary cores take to compute the operands of a
// step stands beside the three.
//
// Everything here is counted or stands in GPUTarget.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_MMAMODEL_H
#define FUSE_SCHEDULE_MMAMODEL_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Schedule/TimeModel.h"

namespace mlir::fuse {

/// Contractions that share the columns of a tile, in which each has so many
/// columns of its own.
struct MmaColumns {
  double columns = 1;
  int64_t contractions = 1;
};

/// A product of matrices [m, k] and [n, k], for each of `batches` places.
struct MmaProduct {
  double batches = 1, m = 1, n = 1, k = 1;
  /// Of one of m x n places, of all results together.
  double resultBytes = 2;
  /// Of an element of the operands.
  int64_t operandBits = 16;
  /// Instructions that compute an element of a row's and of a column's operand
  /// from what memory has; see MmaForm.
  double rowInstructions = 0, columnInstructions = 0;
  /// How the n columns are several contractions'; empty where one has all.
  SmallVector<MmaColumns, 1> segments = {};
  /// Instructions for the columns of a consumer.
  int64_t runs = 1;
  /// Lines of the L2 that 128 bytes of an operand's row lie on, on average: 1
  /// where rows start at lines, and near 2 where they start anywhere.
  double rowLines = 1, columnLines = 1;
  /// Of one place of all inputs together that what follows reads there.
  double readBytes = 0;
  /// Instructions of what follows for one place.
  double instructions = 0;
  /// Components of states that tiles leave of each row, which another launch
  /// combines.
  double states = 0;
};

/// What is known of a kernel's contraction beside its sizes.
struct MmaForm {
  /// Results that a tensor map can write.
  bool mayCopyResults = true;
  /// Neighbours in memory of an operand follow the summed axis; else its copies
  /// take 64 rows or columns each.
  bool rowsAreAlongK = true, columnsAreAlongK = true;
  /// Operands may change places: right ones have one order in memory.
  bool mayBeSwapped = true;
  /// Sums may go through shared memory.
  bool mayGather = true;
  /// Another launch may compute what follows from parts of sums: in order.
  bool mayLeaveParts = true;
  /// Tiles leave states of their parts of rows.
  bool reducesRows = false;
  /// The columns of a consumer, or the rows of a tile of swapped operands, are
  /// shared evenly among so many contractions, or divisors of that number.
  int64_t contractions = 1;
  /// What follows needs so many columns together, as those of a head.
  int64_t wholeColumns = 1;
  /// Sides of the pairs of heads of one size, of which a tile of swapped
  /// operands may have a part each; 0 where it has whole heads.
  int64_t pairSides = 0;
  /// The summed axis is in blocks, whose sums are scaled before they are added.
  bool hasBlocks = false;
  /// Bits in memory of an element of the operands, where these are computed;
  /// else 0.
  int64_t rowBits = 0, columnBits = 0;

  bool computesOperands() const { return rowBits || columnBits; }
};

/// Tiles of all columns, for a row of tiles.
double mmaColumnTiles(MmaScheduleAttr schedule, const MmaProduct &product);

/// On a reduction in a contraction's kernel: microseconds that it takes there,
/// and that a kernel of its own would take, by the model.
inline constexpr llvm::StringLiteral kInTilesAttr = "fuse.in_tiles";

/// On a contraction with a norm before it: microseconds that the norm takes as
/// a scale of the contraction's rows, and as a kernel of its own.
inline constexpr llvm::StringLiteral kRowScaleAttr = "fuse.row_scale";

/// Products of a multiprocessor in a clock, by the schedule's instructions.
double mmaPerClock(MmaScheduleAttr schedule, const GPUTarget &gpu);

/// Clocks of a multiprocessor in which it has as many tiles, or parts of them,
/// as any.
double mmaClocks(MmaScheduleAttr schedule, const MmaProduct &product,
                 const GPUTarget &gpu);

TimeEstimate estimateMma(MmaScheduleAttr schedule, const MmaProduct &product,
                         const GPUTarget &gpu);

/// Whether the lowering takes the schedule for a product of this form, and each
/// of its parts does what it says.
bool isLegalMma(MmaScheduleAttr schedule, const MmaForm &form);

/// The legal schedules of all tiles, from fast to slow; of equally fast ones
/// those first that keep multiprocessors busy for fewer clocks. Empty on chips
/// without such instructions.
SmallVector<MmaScheduleAttr> rankMmaSchedules(MLIRContext *context,
                                              const MmaProduct &product,
                                              const MmaForm &form,
                                              const GPUTarget &gpu);

/// The one of them that would be first for another product; there is one.
MmaScheduleAttr firstMmaFor(const MmaProduct &product,
                            ArrayRef<MmaScheduleAttr> schedules,
                            const GPUTarget &gpu);

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_MMAMODEL_H
