//===- DType.h - Element types of runtime tensors ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_DTYPE_H
#define FUSE_RUNTIME_DTYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace fuse::runtime {

/// Element type of a tensor in memory. I1 is stored as one byte, 0 or 1. The
/// 8-bit floats are storage: programs cast them before they compute.
enum class DType : uint8_t {
  F32,
  F16,
  BF16,
  F64,
  I1,
  I32,
  I64,
  I8,
  F8E4M3FN,
  F8E5M2,
  I16,
  UI8
};

/// Bytes one element takes in memory.
int64_t sizeInBytes(DType dtype);

/// The MLIR spelling: "f32", "bf16", "i1"...
llvm::StringRef name(DType dtype);

/// The inverse of name(); nullopt for any other text.
std::optional<DType> parseDType(llvm::StringRef text);

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_DTYPE_H
