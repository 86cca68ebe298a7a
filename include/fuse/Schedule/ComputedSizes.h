//===- ComputedSizes.h - Rows beside operands in one kernel -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where only the call knows how many rows there are, a contraction of many may
// be faster behind a kernel that computes its operand, and one of few rows with
// it. Programs for few rows then need a range of sizes of their own.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_COMPUTEDSIZES_H
#define FUSE_SCHEDULE_COMPUTEDSIZES_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::fuse {

/// The sizes that get a choice are these and those in between, doubled. Twice
/// the rows are less than twice the tiles only below the smallest; above the
/// largest, waves of tiles are full.
inline constexpr int64_t kSmallestRange = 16, kLargestRange = 2048;

/// On a contracting kernel behind one that computes its operand: dictionaries
/// of each size for which the model has both in one, and its schedule.
inline constexpr llvm::StringLiteral kComputedSizesAttr = "fuse.computed_sizes";
inline constexpr llvm::StringLiteral kComputedSize = "size";
inline constexpr llvm::StringLiteral kComputedSchedule = "schedule";

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_COMPUTEDSIZES_H
