//===- MmaSpace.h - Contractions that tensor cores can run ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor cores multiply tiles of rows and columns that lie in shared memory,
// where copies by tensor map bring them. Such a copy takes a box whose
// innermost dimension has neighbours in memory and whose other dimensions lie
// multiples of 16 bytes apart. In
//
//   fuse.contract "bmk,bkn->bmn" %x, %w
//
// %x is read along k, its rows' neighbours; %w along n. Both orders are fine,
// but 8-bit floats and TF32 are read along k only. f64 is read in both. Axes of
// the rows that follow each other in the operand and in the result, as b and s
// do in "bsk,nk->bsn", are one: tiles cross from one b to the next.
//
// Several contractions are one kernel if they have the operand of the rows in
// common. Where results of some meet, as in silu(x A^T) * (x B^T), the columns
// of a tile are shared evenly among these, so that a thread has the sums of all
// of them at its points. Others have tiles of their own, one after the other:
// with Q, K and V of 4, 1 and 1 tiles of columns
//
//   Q Q Q Q K V
//
// A summed axis of 8-bit floats may come in blocks that are scaled before they
// are added (BlockSum). The blocks and the places in them then are one axis of
// the operands, and the sum of the blocks has the tiles' sums:
//
//   sum over b of scale[b, m, n] * contract "mbk,nbk->bmn"
//
// An operand of 16-bit floats may be computed in the group from a tensor in
// memory, place by place: of bytes, say, that are cast and scaled. Copies then
// bring the tensor's elements, and what they become is computed on the way to
// the tensor cores (ComputedOperand).
//
// What follows may be reduced along n, once, where all tiles are of one shape:
// a tile has a part of each of its rows, and a second launch combines the
// parts. Results then have that shape, or one element a row.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_MMASPACE_H
#define FUSE_ANALYSIS_MMASPACE_H

#include "fuse/Analysis/ContractionFlow.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fuse {

/// What kernels may rely on, see runtime::Facts.
struct TensorFacts {
  /// Tensors start at multiples of 16 bytes.
  bool aligned = false;
  /// Dynamic last dimensions are multiples of 16 bytes.
  bool divisible = false;
};

/// Whether a copy by tensor map can read or write the elements of the kernel's
/// input or result, whose last dimension has neighbours in memory.
bool fitsTensorMap(KernelOp kernel, const DimClasses &dims, Value tensor,
                   TensorFacts facts);

/// What is a kernel, or may become one: its ops in program order, and what
/// crosses its edge.
struct MmaGroup {
  ArrayRef<Operation *> ops;
  ArrayRef<Value> inputs, results;
};

/// A kernel as a group.
struct KernelAsGroup {
  explicit KernelAsGroup(KernelOp kernel);
  operator MmaGroup() const { return {ops, inputs, results}; }

  SmallVector<Operation *> ops;
  SmallVector<Value> inputs, results;
};

/// Pages of a cache, of which an operand's rows are gathered:
///
///   %p = fuse.gather %cache, %ids dim = 0       [sequences, pages, rows, ..]
///   %k = tensor.collapse_shape %p [[0], [1, 2], ..]
///
/// with a transpose in between where other axes lie before the rows. Row r of a
/// sequence is row r mod `rows` of page ids[.., r / rows].
struct MmaPages {
  /// The letter of an operand's dimension that counts the pages of the cache.
  static constexpr char kAxis = '#';

  /// The kernel's input of page numbers, and the space's letters of its
  /// dimensions but the last; 0 of one of size 1.
  Value ids;
  SmallVector<char, 2> idAxes;
  /// The space's letter of the rows, and the rows of a page.
  char axis;
  int64_t rows;
  /// Pages of the cache, and of a sequence.
  Extent count, perSequence;
};

/// An operand that is computed from the elements of a tensor, each from that at
/// its own place, and from what repeats along it, as scales do.
struct ComputedOperand {
  /// What is contracted.
  Value value;
  /// The space's letters of its dimensions; 0 of those of size 1.
  SmallVector<char, 5> axes;
  /// What computes it, in program order.
  SmallVector<Operation *> ops;
  /// Neighbours of the operand that an element of the tensor holds: 2 of what
  /// is unpacked.
  int64_t perElement = 1;
};

/// An operand of a contraction.
struct MmaOperand {
  /// The kernel's input; with pages the cache.
  Value tensor;
  /// The dimensions of its tensor map, the innermost first: for each the
  /// numbers of the input's that it joins, without outer ones of size 1.
  SmallVector<SmallVector<unsigned, 2>, 5> dims;
  /// The space's letters of these, of joined ones the last.
  SmallVector<char, 5> axes;
  std::optional<MmaPages> pages = std::nullopt;
  std::optional<ComputedOperand> computed = std::nullopt;

  /// What is contracted, unless it is gathered from pages.
  Value value() const { return computed ? computed->value : tensor; }
  /// Of an element in memory that is computed with; 0 where none is.
  int64_t computedBits() const;
  /// Whether neighbours in memory follow the summed axis.
  bool isAlongK(char k) const { return axes.front() == k; }
};

/// The columns of a tile that are reduced together: a consumer's, or, where
/// sums go through shared memory, all.
int64_t columnsReducedBy(MmaScheduleAttr schedule);

/// Whether neighbouring threads of a warp have a row of so many columns, read
/// from shared memory as vectors of four.
bool canReduceGathered(int64_t columns);

/// A contraction, and its operand for the columns.
struct MmaContraction {
  ContractOp op;
  MmaOperand columns;
  /// What the tiles' sums are elements of: its result, or the sum of blocks.
  TypedValue<RankedTensorType> sums;
};

/// Contractions of one shape, which a tile computes at the same points.
struct MmaSegment {
  SmallVector<MmaContraction, 2> contractions;
  /// Numbers of the kernel's results that follow from them.
  SmallVector<unsigned> results;
  /// What becomes of the contractions' results.
  ContractionFlow flow = {};

  /// A value of the shape of all of them.
  TypedValue<RankedTensorType> shape() const {
    return contractions.front().sums;
  }
  int64_t count() const { return contractions.size(); }
  /// Contractions that share a tile's columns, or, where the operands are
  /// swapped, its rows.
  int64_t sharersOfColumns(MmaScheduleAttr schedule) const {
    return schedule.getSwap() ? 1 : count();
  }
  int64_t sharersOfRows(MmaScheduleAttr schedule) const {
    return schedule.getSwap() ? count() : 1;
  }
  /// What a tile has of each of them, and a consumer of the columns.
  int64_t rowsPerTile(MmaScheduleAttr schedule) const {
    return schedule.getTileM() / sharersOfRows(schedule);
  }
  int64_t columnsPerTile(MmaScheduleAttr schedule) const {
    return schedule.getTileN() / sharersOfColumns(schedule);
  }
  int64_t columnsPerConsumer(MmaScheduleAttr schedule) const {
    return schedule.columnsPerConsumer() / sharersOfColumns(schedule);
  }
  /// The columns of each result in a tile.
  int64_t resultColumns(MmaScheduleAttr schedule) const {
    return schedule.resultColumns() / count();
  }
  /// Whether vectors of four columns are whole in all that follows.
  bool hasWholeVectors() const;
  /// Whether pairs of neighbouring columns are known to lie in one vector.
  bool keepsNeighbours() const;
  /// The columns that are reduced together where rows are.
  int64_t reducedColumns(MmaScheduleAttr schedule) const {
    return columnsReducedBy(schedule) / count();
  }
};

/// Products of a matrix [m, k] with matrices [n, k], for each place of the
/// outer axes. The letters are those of the first contraction; n may have
/// another size in each segment.
struct MmaSpace {
  char m, n, k;
  /// The axes that are joined to the rows, of which m is the last.
  SmallVector<char> rowAxes;
  /// The result's other axes, of which an operand may lack some.
  SmallVector<char> outer;
  /// The axes of all results.
  SmallVector<char> resultAxes;
  MmaOperand rows;
  SmallVector<MmaSegment, 1> segments;
  /// Reductions along n of what has the only segment's shape, of which
  /// tiles leave states of their parts of a row.
  SmallVector<Operation *> reductions;
  /// Of each contraction of the only segment, where they have some.
  SmallVector<BlockSum, 1> blocks;

  ContractOp first() const { return segments.front().contractions.front().op; }
  /// Those of a contraction; null where there are none.
  const BlockSum *blocksOf(ContractOp op) const {
    const BlockSum *its = llvm::find_if(
        blocks, [&](const BlockSum &each) { return each.contract == op; });
    return its == blocks.end() ? nullptr : its;
  }
  /// Of m, k or an outer axis: several of m if axes are joined, and of k if it
  /// comes in blocks.
  SmallVector<Extent> extents(char axis, const DimClasses &dims) const;
  Extent columns(const MmaSegment &segment, const DimClasses &dims) const {
    return dims.extent(segment.shape(), resultAxes.size() - 1);
  }
  /// Whether neighbours in memory of all operands for the columns follow the
  /// summed axis, or of all of them the columns.
  bool hasOneOrder() const;
  /// Of an element of the operands: 16, 8, 32 of TF32, or 64.
  int64_t operandBits() const;
  /// The operand for the columns of the first contraction, which those of the
  /// others are like.
  const MmaOperand &columnsOperand() const {
    return segments.front().contractions.front().columns;
  }
};

/// Why a chip does not multiply operands of so many bits.
ReasonKind whyNotMultiplied(int64_t operandBits);

/// What gathers an operand from pages, the gather last; none where nothing
/// does.
SmallVector<Operation *> pagingOps(Value operand);

/// Whether the contraction, in a kernel of its own, is a product of matrices
/// that tensor cores run where tensors lie as `facts` says; or why not.
bool isMmaProduct(ContractOp op, const DimClasses &dims, TensorFacts facts,
                  Reason &reason);

/// The space of the contractions, or a reason why tensor cores cannot run them
/// in one kernel, such as "its rows are no multiples of 16 bytes".
FailureOr<MmaSpace> mmaSpaceOf(const MmaGroup &group, const DimClasses &dims,
                               TensorFacts facts, Reason &reason);
FailureOr<MmaSpace> mmaSpaceOf(KernelOp kernel, const DimClasses &dims,
                               TensorFacts facts, Reason &reason);

/// The ops that a segment's results are computed by, and reductions of it.
llvm::DenseSet<Operation *> mmaOpsOf(KernelOp kernel, const MmaSpace &space,
                                     const MmaSegment &segment);

/// Columns that a consumer computes before the next ones: as many as a copied
/// row of the narrowest result has.
int64_t mmaGroupColumns(KernelOp kernel, const MmaSegment &segment,
                        MmaScheduleAttr schedule);

/// The inputs with an element for each of a segment's results, read by
/// pointwise ops, that are copied to shared memory tile by tile: those whose
/// rows tensor maps can read, as many as a slot has room for.
SmallVector<BlockArgument>
mmaTileInputs(KernelOp kernel, const DimClasses &dims, const MmaSpace &space,
              const MmaSegment &segment, MmaScheduleAttr schedule,
              TensorFacts facts);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_MMASPACE_H
