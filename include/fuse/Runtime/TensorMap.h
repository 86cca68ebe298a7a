//===- TensorMap.h - How asynchronous copies find a tensor ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose copies move boxes of a tensor, such as 64 columns of 128 rows,
// gets a tensor map by value: where the tensor lies, its sizes and strides, and
// the box. It holds the address, so that it is made for each launch, or kept
// from one before that was equal.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_TENSORMAP_H
#define FUSE_RUNTIME_TENSORMAP_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

namespace fuse::runtime {

/// The 128 bytes that a kernel gets; on CUDA a CUtensorMap.
struct alignas(128) TensorMap {
  std::array<uint64_t, 16> words = {};
};

/// What a map says of its tensor, but for the address. Dimension 0 has the
/// elements that are neighbours in memory.
struct TensorMapShape {
  static constexpr unsigned maxRank = 5;

  unsigned rank = 0;
  /// Of an element: 1, 2, 4 or 8.
  unsigned elementBytes = 0;
  /// In elements.
  std::array<uint64_t, maxRank> sizes = {};
  /// In bytes, multiples of 16; that of dimension 0 is not used.
  std::array<uint64_t, maxRank> strides = {};
  /// Elements that a copy moves.
  std::array<uint32_t, maxRank> box = {};

  bool operator==(const TensorMapShape &other) const {
    return rank == other.rank && elementBytes == other.elementBytes &&
           sizes == other.sizes && strides == other.strides && box == other.box;
  }
  /// A kernel never copies any of a tensor without elements.
  bool isEmpty() const;
};

/// The maps of one kernel, those of the last launch. Thread-safe.
class TensorMapCache {
public:
  using Encode = llvm::function_ref<llvm::Expected<TensorMap>(
      void *data, const TensorMapShape &shape)>;

  explicit TensorMapCache(size_t count) : entries(count) {}

  /// Map number `index` of a tensor, by `encode` if the last was another's.
  llvm::Expected<TensorMap> get(size_t index, void *data,
                                const TensorMapShape &shape, Encode encode);

private:
  struct Entry {
    void *data = nullptr;
    TensorMapShape shape;
    TensorMap map;
  };
  std::mutex mutex;
  std::vector<Entry> entries;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_TENSORMAP_H
