//===- EmulatorMatrices.h - Where wgmma has its operands --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts of PTX's m64nNk16 for 16-bit elements, m64nNk32 for 8-bit ones and
// m64nNk8 for TF32: operands in shared memory by descriptor, A in registers,
// sums in registers.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORMATRICES_H
#define FUSE_LIB_RUNTIME_EMULATORMATRICES_H

#include "EmulatorTensorMap.h"
#include "fuse/Runtime/EmulatorModule.h"
#include <array>
#include <optional>

namespace fuse::runtime {

/// A matrix descriptor of 64 bits: bits 0 to 13 have the address, 16 to 29 and
/// 32 to 45 two strides, all in units of 16 bytes, and 62 to 63 the swizzle.
struct MatrixDescriptor {
  /// Of shared memory, as PTX counts it.
  uint32_t start = 0;
  /// Bytes from a column of 8 x 8 matrices to the next where K is contiguous
  /// and nothing is swizzled, or from a row of swizzle patterns to the next
  /// where M or N is contiguous.
  uint32_t leading = 0;
  /// Bytes from 8 rows to the next 8.
  uint32_t stride = 0;
  TensorSwizzle swizzle = TensorSwizzle::None;

  static MatrixDescriptor decode(uint64_t bits);
};

/// Where 16 bytes of elements lie that are neighbours in memory.
struct MatrixChunk {
  /// Of the first element: in M or N, and in K.
  unsigned row = 0;
  unsigned k = 0;
  /// Of shared memory, as PTX counts it.
  uint32_t address = 0;
};

/// The chunks of `rows` x 32 bytes. `isTransposed`: M or N is contiguous, not
/// K. Nothing for what is not modelled: M or N contiguous without a swizzle, or
/// of elements that have not 16 bits.
std::optional<std::vector<MatrixChunk>>
chunksOf(const MatrixDescriptor &descriptor, unsigned rows, bool isTransposed,
         unsigned elementBytes = 2);

/// Row and column in the 64 x N sums of register `number` of a lane.
struct SumPlace {
  unsigned row = 0;
  unsigned column = 0;
};
SumPlace placeOfSum(unsigned warp, unsigned lane, unsigned number);

/// Row and column in the 64 x 16 of A of the lower half of register `number`;
/// the upper half is the next column. 8-bit elements lie in its bytes, of twice
/// as many columns; a 32-bit one fills both halves.
SumPlace placeOfA(unsigned warp, unsigned lane, unsigned number);

float halfToFloat(uint16_t bits, bool isBFloat);

/// The number that the lowest bits, as many as an element has, stand for. Of
/// TF32 tensor cores ignore the 13 lowest bits.
float factorToFloat(uint32_t bits, EmulatorFactor element);

inline constexpr unsigned matrixRows = 64;
inline constexpr unsigned matrixDepth = 16;

inline unsigned bytesOf(EmulatorFactor element) {
  if (element == EmulatorFactor::TF32)
    return 4;
  return element == EmulatorFactor::F16 || element == EmulatorFactor::BF16 ? 2
                                                                           : 1;
}
inline unsigned depthOf(EmulatorFactor element) {
  return 2 * matrixDepth / bytesOf(element);
}

/// sums[rows][columns] += a[rows][depth] b[columns][depth]^T. The products of a
/// multiplication are added in f64, which the hardware is no better than.
void multiplyAdd(llvm::ArrayRef<float> a, llvm::ArrayRef<float> b,
                 llvm::MutableArrayRef<float> sums, size_t rows = matrixRows);
/// The same of 8-bit elements. As on an H100 the products and the sum before
/// are cut to 13 bits behind the first bit of the largest, and so is the
/// result.
void multiplyAddShort(llvm::ArrayRef<float> a, llvm::ArrayRef<float> b,
                      llvm::MutableArrayRef<float> sums,
                      size_t rows = matrixRows);

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORMATRICES_H
