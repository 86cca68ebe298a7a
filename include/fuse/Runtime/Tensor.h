//===- Tensor.h - A caller's buffer with its shape --------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_TENSOR_H
#define FUSE_RUNTIME_TENSOR_H

#include "fuse/Runtime/DType.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace fuse::runtime {

/// Where memory lives: the host, or CUDA device number `id`.
struct Device {
  enum class Kind : uint8_t { CPU, CUDA };

  Kind kind = Kind::CPU;
  int id = 0;

  static Device cpu() { return {}; }
  static Device cuda(int id = 0) { return {Kind::CUDA, id}; }

  bool operator==(const Device &other) const {
    return kind == other.kind && id == other.id;
  }
  bool operator!=(const Device &other) const { return !(*this == other); }

  /// "cpu" or "cuda:0".
  std::string str() const;
};

using Shape = llvm::SmallVector<int64_t, 4>;

/// A shape as text: "[2, 4096]".
std::string str(llvm::ArrayRef<int64_t> shape);

/// Product of the dims. Fails if one is negative or the product overflows.
llvm::Expected<int64_t> numElements(llvm::ArrayRef<int64_t> shape);

/// Bytes of a contiguous tensor. Fails where numElements() does, and if the
/// byte count does not fit an int64_t.
llvm::Expected<int64_t> byteSize(llvm::ArrayRef<int64_t> shape, DType dtype);

/// How the elements of a tensor lie in memory. A kernel for one of these reads
/// tensors of it, and a kernel for Any reads all.
enum class Layout : uint8_t {
  /// Row major without gaps.
  Dense,
  /// Neighbours of the last dim are neighbours in memory, and every other
  /// stride is a multiple of 16 bytes.
  AlignedRows,
  /// Neighbours of the last dim are neighbours in memory.
  Rows,
  Any
};

/// "dense", "aligned_rows", "rows" or "any".
llvm::StringRef name(Layout layout);
std::optional<Layout> parseLayout(llvm::StringRef name);

/// A tensor that somebody else owns.
struct TensorView {
  /// The first element; may be null if there are no elements.
  void *data = nullptr;
  DType dtype = DType::F32;
  Shape shape;
  /// In elements, none negative. Empty means contiguous, row major.
  Shape strides;
  Device device;

  /// True if the elements lie row major without gaps. The stride of a dim of
  /// size 1 does not matter, nor does any stride of a tensor without elements.
  bool isContiguous() const;

  /// A stride for each dim. A dim of size 1 has no neighbours: it gets the
  /// stride of the dim before it, so that joining the two is possible. A tensor
  /// without elements has those of a contiguous one.
  Shape effectiveStrides() const;

  /// Elements from the first to the last in memory, both included; what lies
  /// between them in gaps counts. Fails if a stride is negative, if there is
  /// not one for each dim, or if the bytes do not fit an int64_t.
  llvm::Expected<int64_t> span() const;

  /// The most special one that holds.
  Layout layout() const;

  /// Whether a kernel for `wanted` reads this tensor rightly.
  bool fits(Layout wanted) const;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_TENSOR_H
