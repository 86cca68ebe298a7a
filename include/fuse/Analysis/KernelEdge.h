//===- KernelEdge.h - What enters and leaves a kernel -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_KERNELEDGE_H
#define FUSE_ANALYSIS_KERNELEDGE_H

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include <optional>

namespace mlir::fuse {

/// Whether the op needs the sizes of this operand alone.
bool needsOnlySizes(OpOperand &use);

/// Whether a kernel only gathers from this input of its body: the elements that
/// it reads are as many as the results have.
bool isOnlyGathered(BlockArgument input);

/// The kernel's inputs that have an element for each point of `domain`.
SmallVector<BlockArgument> streamedInputs(KernelOp kernel,
                                          const DimClasses &dims,
                                          ArrayRef<Extent> domain);

/// What is stored where a kernel or a group has this result: the updates of a
/// scatter, else the result itself.
Value storedValue(Value result);

/// What the value shows in another shape, through reshapes on the host.
Value behindReshapes(Value value);

/// Bits of the narrowest and of the widest elements, in memory, of the tensors
/// at the kernel's edge whose last dimension is `inner`; none if there are
/// none. In programs compiled for divisible rows (runtime::Facts), 16 bytes of
/// each divide the dimension; of others nothing is known.
std::optional<std::pair<int64_t, int64_t>>
elementBitsAlong(KernelOp kernel, const DimClasses &dims, const Extent &inner);
/// The same of these tensors at the edge of what is or becomes a kernel.
std::optional<std::pair<int64_t, int64_t>>
elementBitsAlong(ArrayRef<Value> edge, const DimClasses &dims,
                 const Extent &inner);
/// The kernel's inputs, as its body has them, and the results that it yields.
SmallVector<Value> edgeOf(KernelOp kernel);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_KERNELEDGE_H
