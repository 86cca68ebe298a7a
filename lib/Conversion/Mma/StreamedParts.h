//===- StreamedParts.h - Rows that several blocks share ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few queries against many keys leave most multiprocessors idle where a block
// has all keys of a tile. So the keys are cut into parts, each with a block of
// its own, which leaves of each row (Dao et al., "Flash-Decoding for
// long-context inference"):
//
//   m_p, the maximum of its logits; l_p, the sum of exp(x - m_p); o_p, the sum
//   of exp(x - m_p) times values
//
// With m = max(m_p) and w_p = exp(m_p - m), a second launch computes
//
//   l = sum w_p l_p,  o = sum w_p o_p
//
// in the order of the parts, whatever block was first, and what follows from
// the statistics and the sums. A part without keys has m_p = -inf and counts
// for nothing.
//
// In memory m and l are [parts, rows], o is [parts, rows, pitch]; rows are
// those of the scores.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_MMA_STREAMEDPARTS_H
#define FUSE_LIB_CONVERSION_MMA_STREAMEDPARTS_H

#include "Reductions/PartStates.h"
#include "StreamedRows.h"

namespace mlir::fuse {

/// What the first launch leaves for the second; nothing where there is one.
FailureOr<std::optional<PartLayout>>
streamedPartLayoutOf(KernelOp kernel, const DimClasses &dims,
                     StreamedScheduleAttr schedule, const EmitOptions &options);

/// Fills the second launch.
FailureOr<Grid> lowerStreamedCombination(KernelFrame &frame,
                                         StreamedScheduleAttr schedule);

/// The space of the frame's kernel, or an error at the kernel.
FailureOr<StreamedSpace> verifiedStreamedSpace(KernelOp kernel,
                                               const DimClasses &dims,
                                               StreamedScheduleAttr schedule,
                                               const EmitOptions &options);

/// What a thread has at the end of its part.
class StreamedLeaver {
public:
  StreamedLeaver(MmaBuilder &b, const StreamedSpace &space,
                 StreamedScheduleAttr schedule, StreamedScores &scores,
                 StreamedRows &rows)
      : b(b), emitter(b.frame.emitter), space(space), schedule(schedule),
        scores(scores), rows(rows) {}

  /// `group` are the thread's columns, of consumers that share them; else
  /// null.
  void leave(const RowState &state, ArrayRef<Value> sums, Value part,
             Value lane, Value group);

private:
  MmaBuilder &b;
  PointEmitter &emitter;
  const StreamedSpace &space;
  StreamedScheduleAttr schedule;
  StreamedScores &scores;
  StreamedRows &rows;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_MMA_STREAMEDPARTS_H
