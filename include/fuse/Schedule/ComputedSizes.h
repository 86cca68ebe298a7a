//===- ComputedSizes.h - Rows beside operands in one kernel -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction of many rows may be faster where a kernel before it computes
// its operand, and one of few rows where its own kernel does. If only the call
// knows how many there are, few rows get a range of sizes with a program of
// their own.
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

/// On a kernel that contracts what the kernel before it computes: a dictionary
/// for each size at which one kernel for both is faster by the model, with that
/// kernel's schedule.
inline constexpr llvm::StringLiteral kComputedSizesAttr = "fuse.computed_sizes";
inline constexpr llvm::StringLiteral kComputedSize = "size";
inline constexpr llvm::StringLiteral kComputedSchedule = "schedule";

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_COMPUTEDSIZES_H
