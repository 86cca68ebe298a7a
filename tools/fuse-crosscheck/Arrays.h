//===- Arrays.h - Inputs with edges, and buffers with guards ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_CROSSCHECK_ARRAYS_H
#define FUSE_TOOLS_CROSSCHECK_ARRAYS_H

#include "../fuse/Array.h"
#include "Case.h"
#include "fuse/Execution/JIT.h"
#include "fuse/Reference/Value.h"
#include <random>

namespace fuse::crosscheck {

/// Which tensors of a call start at multiples of 64 bytes; in a mixed one the
/// outputs and every other input, from the first on.
enum class Placing { Aligned, Unaligned, Mixed };

inline bool isInputAligned(Placing placing, size_t number) {
  return placing == Placing::Mixed ? number % 2 == 0
                                   : placing == Placing::Aligned;
}
inline bool areOutputsAligned(Placing placing) {
  return placing != Placing::Unaligned;
}

/// `array` as the oracle sees it.
mlir::fuse::reference::Value toValue(const driver::Array &array);

/// Puts the values of `fill` among the random ones that `array` holds.
void fillEdges(driver::Array &array, Fill fill, uint64_t seed);

/// Memory that ends where a page without access begins, so that an access
/// behind it is a fault; what is before it is checked by isIntact().
class GuardedBuffer {
public:
  /// `aligned`: to 64 bytes, which leaves a few bytes up to the guard. Else the
  /// last byte is the last of its page.
  static llvm::Expected<GuardedBuffer> create(int64_t bytes, bool aligned);

  void *data() const { return start; }
  /// Whether nobody has written around the buffer.
  bool isIntact() const;

private:
  struct Unmap {
    void operator()(char *memory) const;
    size_t mapped;
  };

  std::unique_ptr<char, Unmap> memory;
  char *start = nullptr;
  /// In bytes: of the buffer, and of the memory in front of the guard.
  int64_t size = 0, usable = 0;
};

/// Strides for a tensor of this shape: with gaps between the rows, or between
/// the elements, or with the dims in another order. No two elements share a
/// place.
runtime::Shape randomStrides(llvm::ArrayRef<int64_t> shape,
                             std::mt19937_64 &random);

/// The outputs that `program` has for these inputs, poisoned.
llvm::Expected<std::vector<driver::Array>>
createPoisoned(jit::CompiledProgram &program,
               llvm::ArrayRef<runtime::TensorView> inputs);

/// As CompiledProgram::run(), which hides that a program for the inputs'
/// lengths did not compile.
llvm::Error runFixed(jit::CompiledProgram &program,
                     llvm::ArrayRef<runtime::TensorView> inputs,
                     llvm::ArrayRef<runtime::TensorView> outputs);

/// Runs `program` on copies of `inputs`, as views with `strides` if there are
/// any: of each input, then of each output. The outputs are poisoned before,
/// and the buffers' surroundings and gaps checked afterwards.
llvm::Expected<std::vector<driver::Array>>
runGuarded(jit::CompiledProgram &program, llvm::ArrayRef<driver::Array> inputs,
           Placing placing, llvm::ArrayRef<runtime::Shape> strides = {});

} // namespace fuse::crosscheck

#endif // FUSE_TOOLS_CROSSCHECK_ARRAYS_H
