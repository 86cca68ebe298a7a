//===- NearBuffer.h - Memory of a block near its core -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_TILES_NEARBUFFER_H
#define FUSE_LIB_CONVERSION_TILES_NEARBUFFER_H

#include "KernelFrame.h"

namespace mlir::fuse {

/// Elements of one type in the memory of a block.
class NearBuffer {
public:
  NearBuffer() = default;
  NearBuffer(PointEmitter &emitter, Value pointer, Type element)
      : emitter(&emitter), pointer(pointer), element(element) {}

  Type elementType() const { return element; }

  /// The part that starts at an element.
  NearBuffer from(const Index &at) const;
  /// `lanes` elements from one on, whose number is a multiple of `aligned`.
  Value load(const Index &at, int64_t lanes, int64_t aligned) const;
  void store(const Index &at, Value value, int64_t aligned) const;

private:
  Value address(const Index &at) const;
  int64_t alignmentOf(int64_t elements) const;

  PointEmitter *emitter = nullptr;
  Value pointer;
  Type element;
};

/// The buffers of a block of one thread: a piece of memory that the host's code
/// gets from its thread; see GPUToCPU.cpp.
class NearMemory {
public:
  /// `buffer` gets so many elements.
  void add(NearBuffer &buffer, int64_t elements) {
    parts.push_back({&buffer, elements});
  }
  void allocate(KernelFrame &frame, Type type);

private:
  SmallVector<std::pair<NearBuffer *, int64_t>> parts;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TILES_NEARBUFFER_H
