//===- VerifyMma.cpp - Schedules that a tensor-core kernel takes ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyMma.h"

#include "TileSlot.h"
#include "fuse/Analysis/RowParts.h"
#include "fuse/Analysis/ScoreMasks.h"

using namespace mlir;
using namespace mlir::fuse;

/// What follows has the columns together that it needs so. A tile of swapped
/// operands may have a part of each side of a head's pairs.
static LogicalResult verifyWhole(KernelOp kernel, const MmaSegment &segment,
                                 MmaScheduleAttr schedule) {
  bool isGathered = schedule.gathersSums();
  int64_t together = isGathered ? segment.resultColumns(schedule)
                                : segment.columnsPerConsumer(schedule);
  int64_t whole = segment.flow.wholeColumns;
  bool isAlone = schedule.getClusterM() == 1 && schedule.getClusterN() == 1;
  bool isPart = schedule.getSwap() && isAlone && whole % together == 0;
  if (together % whole != 0 && !isPart)
    return kernel.emitError()
           << "expected " << (isGathered ? "tiles" : "consumers")
           << " with multiples of " << whole
           << " columns of a contraction, which are needed together behind "
              "it, but got "
           << together << "; choose another "
           << (schedule.getSwap() ? "tile_m" : "tile_n");
  return success();
}

/// A block of 64 columns of the matrix is a box, of f64 of 16; along the summed
/// axis a swizzle repeats after 8 columns, as many as an instruction takes.
static LogicalResult verifyColumns(KernelOp kernel, const MmaSpace &space,
                                   const MmaSegment &segment,
                                   MmaScheduleAttr schedule) {
  int64_t sharers = segment.sharersOfColumns(schedule);
  bool isAcross = llvm::any_of(llvm::seq(sharers), [&](int64_t number) {
    return !rightOperand(space, schedule, segment, number).isAlongK(space.k);
  });
  int64_t unit = isAcross ? schedule.rowElements() : 8;
  if (schedule.columnsPerConsumer() % (unit * sharers) == 0)
    return success();
  InFlightDiagnostic error = kernel.emitError()
                             << "expected consumers with multiples of "
                             << unit * sharers << " columns";
  if (sharers > 1)
    error << " for " << sharers << " contractions";
  if (isAcross)
    error << " where neighbours in memory follow axis '"
          << (schedule.getSwap() ? space.m : space.n) << "'";
  return error << ", but got " << schedule.columnsPerConsumer()
               << "; choose another tile_n";
}

/// The same of the rows that come from several places in memory.
static LogicalResult verifyRows(KernelOp kernel, const MmaSpace &space,
                                const MmaSegment &segment,
                                MmaScheduleAttr schedule) {
  int64_t places =
      segment.sharersOfRows(schedule) * headParts(segment, schedule);
  if (places == 1)
    return success();
  bool isAlongK = leftOperand(space, schedule, segment, 0).isAlongK(space.k);
  int64_t unit = isAlongK ? 8 * schedule.getClusterN() : schedule.rowElements();
  if (schedule.getTileM() % (unit * places) == 0)
    return success();
  return kernel.emitError()
         << "expected tiles with multiples of " << unit * places
         << " rows, which come from " << places << " places in memory, but got "
         << schedule.getTileM() << "; choose another tile_m";
}

/// Blocks that share columns each copy some rows of memory of a box, and a
/// swizzle repeats after 8 of them.
static LogicalResult verifyShares(KernelOp kernel, const MmaSpace &space,
                                  MmaScheduleAttr schedule) {
  TileSlot slot(space, schedule);
  for (const MmaSegment &segment : space.segments)
    for (const ColumnRun &run : slot.runs) {
      int64_t rows = run.operand.boxRows(slot.pieceColumns(segment));
      if (rows % (8 * schedule.getClusterM()) != 0)
        return kernel.emitError()
               << "expected cluster_m to divide the " << rows
               << " columns of a copy into multiples of 8, but got "
               << schedule.getClusterM() << "; use cluster_m = 1";
    }
  if (schedule.getClusterN() > 1 && !space.reductions.empty())
    return kernel.emitError()
           << "expected cluster_n = 1 where rows are reduced, but got "
           << schedule.getClusterN() << "; use cluster_m";
  return success();
}

/// What sums that are read from memory cannot be followed by. Threads that have
/// a row together are in one warp, with vectors of 4 columns.
static LogicalResult verifyGathered(KernelOp kernel, const MmaSpace &space,
                                    MmaScheduleAttr schedule) {
  if (!schedule.gathersSums())
    return success();
  for (const MmaSegment &segment : space.segments) {
    bool isInParts = schedule.leavesParts() || !space.blocks.empty();
    if (segment.flow.isSliced() || !segment.keepsNeighbours() ||
        (segment.flow.needsTiles && isInParts))
      return kernel.emitError()
             << "expected whole results in the contraction's order where sums "
                "are read from memory, but got others; use split_k = 1 and "
                "swap = false";
  }
  const MmaSegment &first = space.segments.front();
  int64_t columns = first.resultColumns(schedule);
  if (space.reductions.empty() ||
      (!schedule.leavesParts() && first.hasWholeVectors() &&
       canReduceGathered(columns)))
    return success();
  return kernel.emitError()
         << "expected no reduction where sums are read from memory, or one "
            "launch with tiles of 8, 16, 32, 64 or 128 of 4 i columns, but got "
         << columns << "; use split_k = 1 and swap = false";
}

/// What a tile whose operands change places cannot have.
static LogicalResult verifyOrder(KernelOp kernel, const MmaSpace &space,
                                 MmaScheduleAttr schedule) {
  if (schedule.getSwap() && !space.hasOneOrder())
    return kernel.emitError()
           << "expected right operands of one order in memory where the "
              "operands are swapped, but got two; use swap = false";
  if (schedule.getSwap() && space.blocks.size() > 1)
    return kernel.emitError()
           << "expected one contraction with scales of blocks where the "
              "operands are swapped, but got "
           << space.blocks.size() << "; use swap = false";
  if (schedule.isMmaSync() && !space.blocks.empty())
    return kernel.emitError()
           << "expected isa = wgmma where the sums of blocks of the summed "
              "axis "
              "are computed with, but got mma_sync; compile for sm_90a";
  std::optional<int64_t> run;
  if (!space.reductions.empty())
    run = reducedRunOf(space.reductions.front());
  int64_t columns = space.segments.front().reducedColumns(schedule);
  if (run && *run != columns)
    return kernel.emitError()
           << "expected the columns that are reduced together to be the "
           << *run << " of a run that is reduced, but got " << columns
           << "; use another tile_n";
  return success();
}

/// Whether warps compute whole parts of a tile's rows, in registers.
static LogicalResult verifyComputedRows(KernelOp kernel, const MmaSpace &space,
                                        MmaScheduleAttr schedule) {
  if (!schedule.getSwap() || schedule.leftBits() == 0)
    return success();
  if (!space.rows.isAlongK(space.k) ||
      !space.columnsOperand().isAlongK(space.k))
    return kernel.emitError()
           << "expected operands along the summed axis in memory where they "
              "are swapped and the columns are computed, but got others; use "
              "swap = false";
  for (const MmaSegment &segment : space.segments) {
    int64_t places =
        segment.sharersOfRows(schedule) * headParts(segment, schedule);
    int64_t unit = MmaScheduleAttr::kRows * places;
    if (schedule.getTileM() % unit != 0)
      return kernel.emitError()
             << "expected tile_m to be a multiple of " << unit
             << ", 64 rows of each of " << places
             << " places in memory, where these are computed, but got "
             << schedule.getTileM() << "; choose " << unit;
  }
  return success();
}

/// Slots have the elements that operands are computed from.
static LogicalResult verifyComputed(KernelOp kernel, const MmaSpace &space,
                                    MmaScheduleAttr schedule) {
  int64_t rows = space.rows.computedBits();
  int64_t columns = space.columnsOperand().computedBits();
  if (schedule.getRowBits() == rows && schedule.getColumnBits() == columns)
    return verifyComputedRows(kernel, space, schedule);
  return kernel.emitError()
         << "expected row_bits = " << rows << " and column_bits = " << columns
         << ", of the elements that operands are computed from, but got "
         << schedule.getRowBits() << " and " << schedule.getColumnBits()
         << "; 0 is for operands that are read from memory";
}

/// Whether the schedule suits the contractions.
static LogicalResult verifyMma(KernelOp kernel, const MmaSpace &space,
                               MmaScheduleAttr schedule) {
  if (schedule.getOperandBits() != space.operandBits())
    return kernel.emitError()
           << "expected operand_bits = " << space.operandBits()
           << " as the contraction's operands have, but got "
           << schedule.getOperandBits()
           << "; write operand_bits = " << space.operandBits();
  if (failed(verifyOrder(kernel, space, schedule)) ||
      failed(verifyGathered(kernel, space, schedule)) ||
      failed(verifyComputed(kernel, space, schedule)))
    return failure();
  for (const MmaSegment &segment : space.segments)
    if (failed(verifyWhole(kernel, segment, schedule)) ||
        failed(verifyColumns(kernel, space, segment, schedule)) ||
        failed(verifyRows(kernel, space, segment, schedule)))
      return failure();
  return verifyShares(kernel, space, schedule);
}

/// What the chip has.
static LogicalResult verifyChip(KernelOp kernel, MmaScheduleAttr schedule,
                                const EmitOptions &options) {
  if (!schedule.isMmaSync() && !options.wgmma)
    return kernel.emitError()
           << "expected a chip with wgmma for #fuse.mma with isa = wgmma, such "
              "as sm_90a, but got another; use isa = mma_sync";
  if (!schedule.isMmaSync())
    return success();
  if (options.sharedBytes == 0)
    return kernel.emitError()
           << "expected a GPU for #fuse.mma, but got another target; use "
              "#fuse.contraction";
  if (schedule.getOperandBits() == 8 && !options.float8)
    return kernel.emitError()
           << "expected a chip that multiplies 8-bit floats for operand_bits = "
              "8, sm_89 or later, but got another; remove the schedule";
  if (schedule.getOperandBits() == 64 && options.float64Places == 0)
    return kernel.emitError()
           << "expected a chip whose tensor cores multiply f64 for "
              "operand_bits = 64, sm_80 or sm_90, but got another; remove the "
              "schedule";
  if (schedule.getOperandBits() == 64 && options.strict)
    return kernel.emitError()
           << "expected a program whose products may reach their sums "
              "unrounded for operand_bits = 64, but got a strict one; remove "
              "the schedule";
  if (schedule.sharedBytes() <= options.sharedBytes)
    return success();
  return kernel.emitError()
         << "expected at most " << options.sharedBytes
         << " bytes of shared memory, as the chip has for a block, but got "
         << schedule.sharedBytes() << " for " << schedule.getStages()
         << " stages; use fewer stages or a smaller tile";
}

FailureOr<MmaSpace> mlir::fuse::verifiedMmaSpace(KernelOp kernel,
                                                 const DimClasses &dims,
                                                 MmaScheduleAttr schedule,
                                                 const EmitOptions &options) {
  if (failed(verifyChip(kernel, schedule, options)))
    return failure();
  Reason reason;
  FailureOr<MmaSpace> space =
      mmaSpaceOf(kernel, dims, {options.aligned, options.divisible}, reason);
  if (failed(space))
    return kernel.emitError()
           << "expected a contraction that tensor cores run for #fuse.mma, but "
           << reason.sentence() << "; use #fuse.contraction";
  if (failed(verifyMma(kernel, *space, schedule)))
    return failure();
  return space;
}

LogicalResult mlir::fuse::verifyStreamedChip(KernelOp kernel,
                                             StreamedScheduleAttr schedule,
                                             const EmitOptions &options) {
  bool isSync = schedule.getIsa() == MmaIsa::mma_sync;
  if (!isSync && !options.wgmma)
    return kernel.emitError()
           << "expected a chip with wgmma for #fuse.streamed with isa = wgmma, "
              "such as sm_90a, but got another; use isa = mma_sync";
  if (!isSync)
    return success();
  if (options.sharedBytes == 0)
    return kernel.emitError()
           << "expected a GPU for #fuse.streamed, but got another target; use "
              "#fuse.streamed_panels";
  if (schedule.sharedBytes() <= options.sharedBytes)
    return success();
  return kernel.emitError()
         << "expected at most " << options.sharedBytes
         << " bytes of shared memory, as the chip has for a block, but got "
         << schedule.sharedBytes() << "; use fewer stages or a smaller tile_k";
}

/// Rows of keys or values that follow each other in memory make whole rows of
/// shared memory.
static LogicalResult verifyKeyRows(KernelOp kernel, const StreamedSpace &space,
                                   StreamedScheduleAttr schedule) {
  bool areAlong =
      !space.keys.isAlongK(space.k) || space.values().isAlongK(space.product.k);
  constexpr int64_t row = MmaScheduleAttr::kRowElements;
  if (!areAlong || schedule.getTileK() % row == 0)
    return success();
  return kernel.emitError() << "expected tile_k to be a multiple of " << row
                            << " where neighbours in memory are rows of the "
                               "second or third operand, but got "
                            << schedule.getTileK() << "; choose " << row;
}

/// Values that are read where the keys lie: features of these.
static LogicalResult verifyValuesInKeys(KernelOp kernel,
                                        const StreamedSpace &space,
                                        StreamedScheduleAttr schedule) {
  if (schedule.getValuesInKeys() != space.firstOfKeys.has_value())
    return kernel.emitError()
           << "expected values_in_keys = "
           << (space.firstOfKeys ? "true where the third operand is a slice of"
                                 : "false where the third operand is none of")
           << " the second, but got the opposite; change it";
  int64_t last = space.firstOfKeys.value_or(0) + schedule.getTileN();
  if (!space.firstOfKeys || last <= schedule.getDepth())
    return success();
  return kernel.emitError() << "expected depth of at least " << last
                            << ", where the columns of the third operand end "
                               "in the second, but got "
                            << schedule.getDepth() << "; choose " << last;
}

LogicalResult mlir::fuse::verifyStreamed(KernelOp kernel,
                                         const StreamedSpace &space,
                                         const DimClasses &dims,
                                         StreamedScheduleAttr schedule) {
  int64_t columns = space.columnExtent(dims).size;
  int64_t depth = space.depthExtent(dims).size;
  if (columns > schedule.getTileN())
    return kernel.emitError()
           << "expected tile_n of at least " << columns
           << ", the columns of the second contraction, but got "
           << schedule.getTileN() << "; choose a larger one";
  if (depth > schedule.getDepth())
    return kernel.emitError() << "expected depth of at least " << depth
                              << ", what the first contraction sums, but got "
                              << schedule.getDepth() << "; choose a larger one";
  if (failed(verifyKeyRows(kernel, space, schedule)) ||
      failed(verifyValuesInKeys(kernel, space, schedule)))
    return failure();
  if (schedule.getPersistent() > 0 && !scoreMasksOf(space, dims).empty())
    return kernel.emitError() << "expected persistent = 0 where a mask hides "
                                 "keys of some rows, so "
                                 "that tiles take different times, but got "
                              << schedule.getPersistent() << "; choose 0";
  if (space.computes() && schedule.getIsa() == MmaIsa::wgmma)
    return kernel.emitError()
           << "expected isa = mma_sync where an operand is computed in the "
              "kernel, but got wgmma; use isa = mma_sync";
  for (const MmaOperand *operand : {&space.keys, &space.values()})
    if (operand->pages && operand->pages->rows % schedule.getTileK() != 0 &&
        schedule.getTileK() % operand->pages->rows != 0)
      return kernel.emitError()
             << "expected tile_k to be a multiple of the "
             << operand->pages->rows
             << " rows of a page, or a part of them, but got "
             << schedule.getTileK() << "; choose 64";
  if (schedule.getHeads() > 1 && !space.heads)
    return kernel.emitError()
           << "expected query heads that share a head of keys and values for "
              "heads = "
           << schedule.getHeads() << ", but got none; choose heads = 1";
  if (schedule.leavesParts() && !space.canLeaveParts())
    return kernel.emitError()
           << "expected no rotary op behind the second contraction where "
              "blocks leave parts of it, but got one; choose heads = 1 and "
              "split = 1";
  return success();
}
