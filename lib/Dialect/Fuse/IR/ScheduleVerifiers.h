//===- ScheduleVerifiers.h - What verifiers of schedules share --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_IR_SCHEDULEVERIFIERS_H
#define FUSE_LIB_DIALECT_FUSE_IR_SCHEDULEVERIFIERS_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse {

using EmitError = function_ref<InFlightDiagnostic()>;

/// An error that nobody reads, and whose text is never made: for a verifier
/// that is only asked whether its schedule is legal.
inline InFlightDiagnostic droppedError(MLIRContext *context) {
  InFlightDiagnostic error = emitError(UnknownLoc::get(context));
  error.abandon();
  return error;
}

/// Registers of a thread for sums, beside addresses and what an epilogue needs.
inline constexpr int64_t kMaxSums = 160;
/// A number of lanes above it is a typing error.
inline constexpr int64_t kMaxFactor = 64;
/// More blocks than the largest chips run at the same time.
inline constexpr int64_t kMaxPersistent = 8192;

inline LogicalResult verifyRange(EmitError emitError, StringRef name,
                                 int64_t value, int64_t high) {
  if (value >= 1 && value <= high)
    return success();
  return emitError() << "expected " << name << " from 1 to " << high
                     << ", but got " << value << "; choose one in that range";
}

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_IR_SCHEDULEVERIFIERS_H
