//===- LaneProducts.h - Products of a row by tensor cores -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum over a row whose terms are products of 16-bit floats needs none of them
// in f32. Each lane of a warp has its own places of the row, and gives them to
// mma.sync m16n8k16 as they are: what it has of the first factor is of row
// lane / 4 of the one operand, and of the second factor of column lane / 4 of
// the other. Both have the same places then:
//
//            column 0   column 1   ...
//   row 0       s0         -              sK: what lanes 4 K .. 4 K + 3 have
//   row 1       -          s1
//
// Seven of eight columns are multiplied in vain, which costs nothing where
// tensor cores would be idle. The rows 8 to 15 of the operand are those of a
// second row of each thread, whose second factor is the same.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_REDUCTIONS_LANEPRODUCTS_H
#define FUSE_LIB_CONVERSION_REDUCTIONS_LANEPRODUCTS_H

#include "KernelFrame.h"
#include "Reducer.h"

namespace mlir::fuse {

/// A reduction of one of a thread's rows, and its next elements.
struct RowTerms {
  Reducer *reducer;
  ReductionState *state;
  Point point;
};

/// Takes the elements of two rows at the same columns, or of one, into their
/// states. All threads of a warp are here, and four neighbours of them have one
/// row. Tensor cores multiply what both rows have a factor of.
void takeByMma(KernelFrame &frame, ArrayRef<RowTerms> rows);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_REDUCTIONS_LANEPRODUCTS_H
