//===- CallSize.h - How much a call moves -----------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls of a program are in one of four classes by the bytes of their inputs
// and outputs together; schedules are chosen for each.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TARGET_CALLSIZE_H
#define FUSE_TARGET_CALLSIZE_H

#include "llvm/ADT/StringRef.h"
#include <array>

namespace mlir::fuse {

/// From many bytes to few, so that a later class has all that makes an earlier
/// one special.
enum class CallSize : unsigned char {
  /// Bandwidth is the time.
  large,
  /// The latency of a kernel counts more than its bandwidth.
  small,
  /// A block or two for each multiprocessor, whose time is that of the call.
  brief,
  /// So few rows that multiprocessors would be idle if each had one.
  few
};

inline constexpr std::array<CallSize, 4> allCallSizes = {
    CallSize::large, CallSize::small, CallSize::brief, CallSize::few};

inline llvm::StringLiteral name(CallSize size) {
  constexpr llvm::StringLiteral names[] = {"large", "small", "brief", "few"};
  return names[static_cast<unsigned>(size)];
}

} // namespace mlir::fuse

#endif // FUSE_TARGET_CALLSIZE_H
