//===- EmulatorTensorMap.h - Tensor maps that a host reads ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU's tensor map is opaque. The emulator's says the same in the open, and
// takes the same place among a launch's params:
//
//   TensorMapShape shape;                    // rows of 100 bf16, 256 bytes
//   apart shape.rank = 2; shape.elementBytes = 2; shape.sizes = {100, 37};
//   shape.strides = {0, 256};
//   shape.box = {64, 16};
//   Expected<EmulatorTensorMap> map =
//       EmulatorTensorMap::make(x, shape, TensorSwizzle::Bytes128);
//   map->rows({64, -1});                     // 36 elements of 15 rows
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORTENSORMAP_H
#define FUSE_LIB_RUNTIME_EMULATORTENSORMAP_H

#include "fuse/Runtime/TensorMap.h"
#include "llvm/ADT/ArrayRef.h"

namespace fuse::runtime {

/// How chunks of 16 bytes change places in shared memory: bits of an address
/// from bit 7 are added, without carry, to those from bit 4. There are 0, 1, 2
/// or 3 of them, by the width of the pattern.
enum class TensorSwizzle : uint8_t { None, Bytes32, Bytes64, Bytes128 };

/// "no swizzle" or "a swizzle of 128 bytes".
std::string nameOf(TensorSwizzle swizzle);

/// Where a byte of shared memory lies, by its address without swizzle.
uint64_t swizzled(uint64_t address, TensorSwizzle swizzle);

/// A row of a box, as far as it lies in the tensor.
struct TensorRow {
  /// Of the first byte, from the start of the tensor.
  int64_t global = 0;
  /// Of the same byte, from the start of the box, without swizzle.
  int64_t shared = 0;
  int64_t bytes = 0;
};

class EmulatorTensorMap {
public:
  /// Takes what cuTensorMapEncodeTiled takes: a base aligned to 16 bytes, sizes
  /// from 1, strides that are multiples of 16 bytes below 2^40, boxes of 1 to
  /// 256 elements a dimension and, which is stricter, rows as long as the
  /// swizzle's.
  static llvm::Expected<EmulatorTensorMap>
  make(void *base, const TensorMapShape &shape, TensorSwizzle swizzle);

  /// The map that a kernel's argument points to; null if it is none.
  static const EmulatorTensorMap *of(const void *argument);

  /// As a launch passes it.
  TensorMap asArgument() const;

  char *base() const { return data; }
  TensorSwizzle swizzle() const { return pattern; }
  const TensorMapShape &shape() const { return tensor; }

  /// Bytes of a box, which a copy counts even where it leaves the tensor.
  int64_t boxBytes() const;

  /// The rows of the box whose first element is at `origin`, one coordinate a
  /// dimension. Parts outside of the tensor are left out.
  std::vector<TensorRow> rows(llvm::ArrayRef<int32_t> origin) const;

private:
  uint32_t mark = 0;
  TensorSwizzle pattern = TensorSwizzle::None;
  char *data = nullptr;
  TensorMapShape tensor;
};

static_assert(sizeof(EmulatorTensorMap) <= sizeof(TensorMap),
              "a kernel has room for so much");

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORTENSORMAP_H
