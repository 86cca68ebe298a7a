//===- PartStates.h - Reductions that several blocks share ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Few results leave most multiprocessors idle where one block makes each. With
// `parts` in its schedule a kernel takes two launches. In the first, `parts`
// blocks walk the places of one result and leave their states in memory:
//
//   places:  step 0, 1, 2, 3, 4, 5, 6        parts = 3
//   part 0:  step 0,       3,       6     -> state [0, result]
//   part 1:  step    1,       4           -> state [1, result]
//   part 2:  step       2,       5        -> state [2, result]
//
// The second combines the states of a result, whatever the first did, and
// computes what follows from it. The order is fixed, and so is the result.
//
// With `fold` rows that are walked as one, a step is one of groups of so many
// places, and a block leaves a state for each place of a group: the states of
// its vectors, in their order, lie as those of so many parts. The second launch
// takes in the places that are no whole group, too.
//
// Tiles of a contraction leave states of what follows from them, too: a part is
// as many columns as a consumer has.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_PARTSTATES_H
#define FUSE_LIB_CONVERSION_PARTSTATES_H

#include "KernelFrame.h"
#include "Reducer.h"

namespace mlir::fuse {

/// A component of a state: the element type, as it is computed, and the
/// elements of a result.
struct PartComponent {
  Type type;
  int64_t width = 1;
  /// Whose results have it.
  unsigned segment = 0;
};

/// What the two launches of a kernel have between them.
struct PartLayout {
  /// The most parts, and the places that a part takes at a time.
  int64_t most, step;
  /// The blocks of one part: there are as many parts as make `most` blocks.
  /// Nothing where `most` counts parts.
  std::optional<GridTerm> blocksOfPart = std::nullopt;
  /// Neighbouring places that are walked together and have a part each.
  int64_t fold;
  /// Whether each part has blocks of its own; else the grid is what the
  /// schedule says, and there are no parts where there are no places.
  bool haveBlocks;
  /// The extents whose products are the places and the results of each segment;
  /// the largest number of places decides on the parts.
  SmallVector<SmallVector<Extent>, 1> places, results;
  /// The components of all states.
  SmallVector<PartComponent> components;
  /// The results that the first launch writes, because they have the shape that
  /// is reduced, and those of the second with the inputs that it needs.
  SmallVector<unsigned> early, late, lateInputs;
};

/// Neighbouring places that are walked together and have a part each.
int64_t foldOf(ScheduleAttrInterface schedule);
/// The most parts that the schedule makes, if it says so.
std::optional<int64_t> mostPartsOf(ScheduleAttrInterface schedule);

/// The layout of a kernel whose schedule has several parts; nothing if it has
/// one. Fails, with a diagnostic, where parts cannot be combined.
FailureOr<std::optional<PartLayout>> partLayoutOf(KernelOp kernel,
                                                  const DimClasses &dims);

/// The inputs from which the values are computed, without those that only ops
/// for which `isLeft` holds need: their results are known.
SmallVector<unsigned> inputsOf(KernelOp kernel, ArrayRef<Value> values,
                               llvm::function_ref<bool(Operation *)> isLeft);
/// The same of some of the kernel's results.
SmallVector<unsigned> inputsOf(KernelOp kernel, ArrayRef<unsigned> results,
                               llvm::function_ref<bool(Operation *)> isLeft);

/// The element type of each component of the states of reductions, as it is
/// computed.
SmallVector<Type> stateTypes(ArrayRef<Operation *> reductions);

/// Writes the states of a part, for the results from number `result` on. Their
/// first component goes to the frame's pointer number `first`.
void leaveStates(KernelFrame &frame, ArrayRef<ReductionState> states,
                 const Index &part, const Index &result, const Index &results,
                 unsigned first = 0);

/// Reads `lanes` neighbours of the component of a state at pointer `pointer`.
Value loadComponent(KernelFrame &frame, unsigned pointer, Type element,
                    const Index &part, const Index &result,
                    const Index &results, int64_t lanes);

/// Reads the states of a part, of as many results as there are lanes, whose
/// first component is at pointer `first`.
ReductionState loadState(KernelFrame &frame, Reducer &reducer, unsigned first,
                         const Index &part, const Index &result,
                         const Index &results, int64_t lanes = 1);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_PARTSTATES_H
