//===- GridExchange.h - What all blocks of a launch share -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks that run at the same time can wait for each other. Each leaves its
// states in memory, all meet, and each combines the states of all, from the
// first block to the last.
//
// They meet as the grids of CUDA's cooperative groups do: the first block adds
// 2^31 - (blocks - 1) to a counter and each other one adds 1, so that the
// counter's highest bit changes when the last has arrived, and the other bits
// are what they were before. Nobody has to set it back, neither between two
// meetings nor between two launches.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_GRIDEXCHANGE_H
#define FUSE_LIB_CONVERSION_GRIDEXCHANGE_H

#include "KernelFrame.h"
#include "ThreadReduce.h"

namespace mlir::fuse {

/// The tensors in which the blocks of a kernel that meet leave their states:
/// one for each component of each reduction, in the order of the levels, or of
/// the spaces of what is reduced over all rows. Empty where blocks do not meet.
SmallVector<Type> gridStateTypes(KernelOp kernel, const DimClasses &dims);

/// All threads of all blocks of a cooperative launch wait for each other; what
/// one has written before, others may read behind it. `thread` is this thread's
/// number in its block.
void meetInGrid(KernelFrame &frame, const Index &thread);

/// Gives every thread of a cooperative launch the combination of all blocks'
/// states, of which all threads of a block (`group`, one a block) have the
/// block's. `first` is the number of the frame's pointer to the first of them.
SmallVector<ReductionState> combineBlocks(KernelFrame &frame,
                                          MutableArrayRef<Reducer> reducers,
                                          ArrayRef<ReductionState> states,
                                          const ThreadGroup &group,
                                          unsigned first);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_GRIDEXCHANGE_H
