//===- CPUTarget.h - What the host CPU can do -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data about the CPU that kernels run on.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TARGET_CPUTARGET_H
#define FUSE_TARGET_CPUTARGET_H

#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Triple.h"
#include <cstdint>
#include <string>

namespace mlir::fuse {

struct CPUTarget {
  /// LLVM's name of the CPU, such as "icelake-client".
  std::string name;
  /// Width of the vector registers that code should use: 512, 256 or 128.
  unsigned vectorBits = 128;
  /// Vector registers that code can name.
  unsigned vectorRegisters = 16;
  /// Hardware threads that this process may use.
  unsigned cores = 1;
  /// Data cache of one core.
  uint64_t l1Bytes = 32 * 1024;
  uint64_t l2Bytes = 1024 * 1024;

  /// The CPU that this process runs on. Never fails: what the system does not
  /// tell keeps the defaults above.
  static CPUTarget host();
};

/// The vector width for a CPU with LLVM's `features`. AVX-512 counts only with
/// BW, DQ and VL, without which 8-bit and 16-bit vectors fall back to 256 bits.
unsigned getVectorBits(const llvm::StringMap<bool> &features);

/// The vector registers of a CPU of architecture `triple` whose registers are
/// used in a width of `vectorBits`.
unsigned getVectorRegisters(const llvm::Triple &triple, unsigned vectorBits);

} // namespace mlir::fuse

#endif // FUSE_TARGET_CPUTARGET_H
