//===- Facts.h - What a compiled variant may assume -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is compiled once for each set of facts that occurs, never for a
// length: all calls with aligned rows share one variant, or one for each of a
// few ranges of a size.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_FACTS_H
#define FUSE_RUNTIME_FACTS_H

#include "fuse/Runtime/ProgramSpec.h"
#include "fuse/Runtime/Tensor.h"
#include "fuse/Target/CallSize.h"

namespace fuse::runtime {

using mlir::fuse::CallSize;

/// Tensors of up to this many elements may be indexed with 32 bits: 2^31 less
/// a margin of 2^20, so that the masked lanes of a last block, which lie past
/// the end, do not wrap either.
inline constexpr int64_t maxIndex32Elements =
    (int64_t(1) << 31) - (int64_t(1) << 20);

struct Facts {
  /// Every data pointer is a multiple of 16 bytes, but for those of inputs
  /// whose layout below is Rows or Any.
  bool aligned16 = false;
  /// Every dynamic dim that is the last of a tensor spans a multiple of 16
  /// bytes, so that each row starts as aligned as the first.
  bool divisible = false;
  /// No tensor or temp has more than maxIndex32Elements elements, nor does a
  /// strided tensor span more.
  bool index32 = false;
  /// No output lies where an input does, though it may.
  bool separate = false;
  /// The layout of each input and, where an output is strided, then of each
  /// output; empty where all are dense. An unaligned input beside aligned ones
  /// has Rows at best.
  llvm::SmallVector<Layout, 0> layouts;
  /// By the bytes of all inputs and outputs together: the class with the least
  /// bound that they are within, of those that ProgramSpec has bounds for.
  CallSize callSize = CallSize::large;
  /// The tensors, by their places in `layouts`, whose strides do not let the
  /// program join the dims that it joins (TensorSpec::joined), so that it
  /// copies inputs first and outputs last.
  llvm::SmallVector<unsigned, 0> copied = {};
  /// The ranges of ProgramSpec::ranges that the call's sizes are in, by their
  /// bounds, such as "rows=64" or "batch*tokens=64"; none where a size is above
  /// all bounds.
  llvm::SmallVector<std::string, 0> sizes = {};

  bool operator==(const Facts &other) const {
    return key() == other.key() && layouts == other.layouts &&
           copied == other.copied && sizes == other.sizes;
  }
  bool operator!=(const Facts &other) const { return !(*this == other); }

  /// Those of most calls: aligned, divisible, not huge, separate and dense.
  static Facts usual() { return {true, true, true, true, {}}; }

  /// Exclusive upper bound of key().
  static constexpr unsigned numKeys = 64;
  /// A number unique to the facts other than layouts, copies and sizes.
  unsigned key() const {
    return aligned16 | divisible << 1 | index32 << 2 | separate << 3 |
           static_cast<unsigned>(callSize) << 4;
  }

  /// "aligned16, divisible, index32, separate, small", or "none";
  /// with strides also "layouts: dense any", "copied: 1", for a range of
  /// sizes "sizes: rows=64".
  std::string str() const;
};

/// The facts of a call. `outputs` may be empty if the runtime is going to
/// allocate them; they count as aligned, separate and dense then. A tensor for
/// which `spec` has a layout other than dense counts as dense: it is one for
/// all calls. Fails like bindSymbols(), and like checkOutputs() where one has
/// strides.
llvm::Expected<Facts> computeFacts(const ProgramSpec &spec,
                                   llvm::ArrayRef<TensorView> inputs,
                                   llvm::ArrayRef<TensorView> outputs);

/// Takes from `facts` what does not hold of the values that `spec` keeps
/// between kernels. Code for other facts may keep others than the code whose
/// spec computeFacts() was given. Fails like bindSymbols().
llvm::Error narrowByTemporaries(const ProgramSpec &spec,
                                llvm::ArrayRef<TensorView> inputs,
                                llvm::ArrayRef<TensorView> outputs,
                                Facts &facts);

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_FACTS_H
