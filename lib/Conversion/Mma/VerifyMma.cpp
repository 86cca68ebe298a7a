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

/// A block of 64 columns of the matrix is a box; along the summed axis a
/// swizzle repeats after 8 columns, as many as an instruction takes.
static LogicalResult verifyColumns(KernelOp kernel, const MmaSpace &space,
                                   const MmaSegment &segment,
                                   MmaScheduleAttr schedule) {
  if (int64_t whole = segment.flow.wholeColumns;
      segment.columnsPerConsumer(schedule) % whole != 0)
    return kernel.emitError()
           << "expected consumers with multiples of " << whole
           << " columns of a contraction, which are needed together behind "
              "it, but got "
           << segment.columnsPerConsumer(schedule) << "; choose another tile_n";
  bool isAcross = llvm::any_of(llvm::seq(segment.count()), [&](int64_t number) {
    return !rightOperand(space, schedule, segment, number).isAlongK(space.k);
  });
  int64_t unit = isAcross ? MmaScheduleAttr::kRowElements : 8;
  if (schedule.columnsPerConsumer() % (unit * segment.count()) == 0)
    return success();
  InFlightDiagnostic error = kernel.emitError()
                             << "expected consumers with multiples of "
                             << unit * segment.count() << " columns";
  if (segment.count() > 1)
    error << " for " << segment.count() << " contractions";
  if (isAcross)
    error << " where neighbours in memory follow axis '"
          << (schedule.getSwap() ? space.m : space.n) << "'";
  return error << ", but got " << schedule.columnsPerConsumer()
               << "; choose another tile_n";
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

/// What a tile whose sums are exchanged cannot have.
static LogicalResult verifyOrder(KernelOp kernel, const MmaSpace &space,
                                 MmaScheduleAttr schedule) {
  int64_t count = 0;
  for (const MmaSegment &segment : space.segments)
    count += segment.count();
  if (schedule.getSwap() && count > 1)
    return kernel.emitError()
           << "expected one contraction where the operands are swapped, but "
              "got "
           << count << "; use swap = false";
  if (schedule.isMmaSync() && !space.blocks.empty())
    return kernel.emitError()
           << "expected isa = wgmma where the sums of blocks of the summed "
              "axis "
              "are computed with, but got mma_sync; compile for sm_90a";
  bool moves = llvm::any_of(space.segments, [](const MmaSegment &segment) {
    return segment.flow.needsTiles;
  });
  if (schedule.gathersSums() && moves)
    return kernel.emitError()
           << "expected results in the contraction's order where sums are read "
              "from shared memory, but got others; use split_k = 1 and swap = "
              "false";
  if (schedule.gathersSums() && !space.reductions.empty())
    return kernel.emitError()
           << "expected no reduction where sums are read from shared memory, "
              "but got one; use split_k = 1 and swap = false";
  std::optional<int64_t> run;
  if (!space.reductions.empty())
    run = reducedRunOf(space.reductions.front());
  int64_t columns = space.segments.front().columnsPerConsumer(schedule);
  if (run && *run != columns)
    return kernel.emitError() << "expected the columns of a consumer to be the "
                              << *run << " of a run that is reduced, but got "
                              << columns << "; use another tile_n";
  return success();
}

/// Slots have the elements that operands are computed from.
static LogicalResult verifyComputed(KernelOp kernel, const MmaSpace &space,
                                    MmaScheduleAttr schedule) {
  int64_t rows = space.rows.computedBits();
  int64_t columns = space.columnsOperand().computedBits();
  if (schedule.getRowBits() == rows && schedule.getColumnBits() == columns)
    return success();
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
      failed(verifyComputed(kernel, space, schedule)))
    return failure();
  for (const MmaSegment &segment : space.segments)
    if (failed(verifyColumns(kernel, space, segment, schedule)))
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
