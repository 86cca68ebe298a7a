//===- Legality.h - What one kernel can run ---------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_FUSION_LEGALITY_H
#define FUSE_FUSION_LEGALITY_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Analysis/Reason.h"
#include "fuse/Target/GPUTarget.h"

namespace mlir::fuse {

class KnownSegments;

/// How a group of ops would be run.
enum class GroupKind {
  /// Pointwise and rotary ops only.
  Pointwise,
  /// Reductions over the last dimensions of one shape, and what surrounds them;
  /// also several such that are independent, of the same shape or of others.
  Rows,
  /// Reductions over other dimensions of one shape, and what surrounds them.
  Columns,
  /// Scans and selections of rows of one shape, reductions of these, and what
  /// surrounds them.
  Ordered,
  /// Contractions and pointwise ops on their results, perhaps with reductions
  /// along the last axis of these; on tensor cores also what ContractionFlow.h
  /// has.
  Contraction,
  /// Two contractions with a softmax of rows between them, which tensor cores
  /// or a CPU stream (StreamedSpace.h).
  Streamed
};

/// A group in program order, with the values that leave it.
struct GroupView {
  ArrayRef<Operation *> ops;
  ArrayRef<Value> results;
  /// Whether the tiles of a contraction may leave parts of reductions.
  bool tilesReduce = false;
  /// Whether what packs the operands of a contraction computes them, too.
  bool packsOperands = false;
  /// The segments, where others ask for them, too.
  KnownSegments *segments = nullptr;
};

/// The kind of a group that one kernel can run, or why none can.
/// `tensorCores`: the chip if contractions run on such, which read their
/// operands from memory and leave their results in tiles; else null.
FailureOr<GroupKind> classifyGroup(const GroupView &group,
                                   const DimClasses &dims,
                                   const GPUTarget *tensorCores,
                                   Reason &reason);

} // namespace mlir::fuse

#endif // FUSE_FUSION_LEGALITY_H
