//===- PTXInspect.h - What a PTX text does to memory ------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads PTX as LLVM emits it, and tells for each kernel which accesses to
// global memory it holds: how wide, from which argument, for which source line.
// This is what checks that the code is what the schedule promised. For
//
//   .loc 1 7 3
//   ld.param.b64   %rd1, [add_param_1];
//   cvta.to.global.u64 %rd2, %rd1;
//   add.s64        %rd4, %rd2, %rd3;
//   ld.global.nc.v4.b32 {%r1, %r2, %r3, %r4}, [%rd4];
//
// it reports a non-coherent load of 128 bits, of type "v4.b32", from argument 1
// for line 7, column 3 of file 1. Counts are of instructions in the text, not
// executed.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_PTXINSPECT_H
#define FUSE_CODEGEN_PTXINSPECT_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse {

/// One ld, st or cp.async of global memory. An access through a generic
/// address counts as one of global memory too. Bulk copies have a size that is
/// known only at run time; they stand in the opcode counts alone.
struct PTXAccess {
  enum class Kind { Load, Store };
  Kind kind = Kind::Load;
  /// What one thread moves with it.
  unsigned bits = 0;
  /// Vector and element type, such as "v4.b32", "b16" or "cp.async".
  std::string type;
  /// Reads through the read-only cache.
  bool nonCoherent = false;
  /// The address has no known state space, which costs a check.
  bool generic = false;
  /// The argument of the kernel whose pointer the address derives from; none
  /// if it cannot be told, or if there is more than one.
  std::optional<unsigned> param;
  /// From .loc; empty and 0 without line information.
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
  /// Line in the PTX text, from 1.
  unsigned ptxLine = 0;
};

struct PTXKernel {
  std::string name;
  unsigned numParams = 0;
  std::vector<PTXAccess> accesses;
  /// Statically allocated shared memory that the kernel uses.
  uint64_t sharedBytes = 0;
  /// Whether every thread runs griddepcontrol.wait before its first access.
  bool waitsAtStart = false;
  /// Number of instructions for each full opcode, such as "fma.rn.f32".
  llvm::StringMap<unsigned> opcodes;

  /// Number of instructions whose opcode is `prefix` or starts with it and a
  /// dot: count("shfl"), count("bar"), count("fma"), count("ex2.approx").
  unsigned count(llvm::StringRef prefix) const;

  /// Instructions of tensor cores by kind, shape and element types, such as
  /// {"wgmma m64n256k16 f32.bf16.bf16": 8}.
  std::map<std::string, unsigned> matrixInstructions() const;

  /// Bulk copies of tiles that a tensor map describes, to shared memory and
  /// from it.
  unsigned tensorLoads() const;
  unsigned tensorStores() const;

  /// The narrowest access of `kind`, of all or of one argument's; none if there
  /// is no such access.
  std::optional<unsigned>
  minBits(PTXAccess::Kind kind,
          std::optional<unsigned> param = std::nullopt) const;
};

struct PTXModule {
  /// PTX ISA version, such as "8.0".
  std::string version;
  /// Such as "sm_90a".
  std::string target;
  std::vector<PTXKernel> kernels;
  /// Functions that are declared but not defined.
  std::vector<std::string> externalFunctions;
};

/// Parses `text`. Fails if it is no PTX, or if a kernel's body has no end.
llvm::Expected<PTXModule> parsePTX(llvm::StringRef text);

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_PTXINSPECT_H
