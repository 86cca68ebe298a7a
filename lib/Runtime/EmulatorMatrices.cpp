//===- EmulatorMatrices.cpp - Where wgmma has its operands ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorMatrices.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include <cmath>

using namespace llvm;
using namespace fuse::runtime;

/// Rows of a pattern.
static constexpr unsigned eight = 8;
static constexpr unsigned chunkBytes = 16;

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

MatrixDescriptor MatrixDescriptor::decode(uint64_t bits) {
  auto field = [&](unsigned from) {
    return uint32_t(bits >> from & 0x3fff) << 4;
  };
  static constexpr TensorSwizzle swizzles[] = {
      TensorSwizzle::None, TensorSwizzle::Bytes128, TensorSwizzle::Bytes64,
      TensorSwizzle::Bytes32};
  return {field(0), field(16), field(32), swizzles[bits >> 62]};
}

std::optional<std::vector<MatrixChunk>>
fuse::runtime::chunksOf(const MatrixDescriptor &descriptor, unsigned rows,
                        bool isTransposed, unsigned elementBytes) {
  // Of a row of the pattern.
  unsigned width = 16u << unsigned(descriptor.swizzle);
  bool isPlain = descriptor.swizzle == TensorSwizzle::None;
  if (isTransposed && (isPlain || elementBytes != 2))
    return std::nullopt;
  std::vector<MatrixChunk> chunks;
  auto add = [&](unsigned row, unsigned k, uint32_t offset) {
    uint64_t address = swizzled(descriptor.start + offset, descriptor.swizzle);
    chunks.push_back({row, k, uint32_t(address)});
  };
  unsigned across = width / elementBytes;
  if (isTransposed) {
    for (unsigned k = 0; k < matrixDepth; ++k)
      for (unsigned row = 0; row < rows; row += eight)
        add(row, k,
            row / across * descriptor.leading + k / eight * descriptor.stride +
                k % eight * width + row % across * elementBytes);
    return chunks;
  }
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned chunk = 0; chunk < 2; ++chunk)
      add(row, chunk * chunkBytes / elementBytes,
          row / eight * descriptor.stride + row % eight * width +
              chunk * (isPlain ? descriptor.leading : chunkBytes));
  return chunks;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

SumPlace fuse::runtime::placeOfSum(unsigned warp, unsigned lane,
                                   unsigned number) {
  return {16 * warp + lane / 4 + 8 * (number >> 1 & 1),
          8 * (number / 4) + 2 * (lane % 4) + (number & 1)};
}

SumPlace fuse::runtime::placeOfA(unsigned warp, unsigned lane,
                                 unsigned number) {
  return {16 * warp + lane / 4 + 8 * (number & 1),
          8 * (number >> 1) + 2 * (lane % 4)};
}

float fuse::runtime::halfToFloat(uint16_t bits, bool isBFloat) {
  if (isBFloat)
    return bit_cast<float>(uint32_t(bits) << 16);
  return APFloat(APFloat::IEEEhalf(), APInt(16, bits)).convertToDouble();
}

float fuse::runtime::factorToFloat(uint32_t bits, EmulatorFactor element) {
  switch (element) {
  case EmulatorFactor::F16:
  case EmulatorFactor::BF16:
    return halfToFloat(bits, element == EmulatorFactor::BF16);
  case EmulatorFactor::TF32: {
    constexpr uint32_t ignored = 0x1fff;
    return bit_cast<float>(bits & ~ignored);
  }
  case EmulatorFactor::E4M3:
    return APFloat(APFloat::Float8E4M3FN(), APInt(8, bits & 0xff))
        .convertToDouble();
  case EmulatorFactor::E5M2:
    return APFloat(APFloat::Float8E5M2(), APInt(8, bits & 0xff))
        .convertToDouble();
  }
  llvm_unreachable("unknown element");
}

/// Towards zero, to a multiple of 2^-13 of the power of two that is no more
/// than `largest`.
static double cut(double value, double largest) {
  if (!std::isfinite(largest) || largest == 0)
    return value;
  constexpr int fractionBits = 13;
  double unit = std::ldexp(1.0, std::ilogb(largest) - fractionBits);
  return std::trunc(value / unit) * unit;
}

void fuse::runtime::multiplyAddShort(ArrayRef<float> a, ArrayRef<float> b,
                                     MutableArrayRef<float> sums, size_t rows) {
  size_t columns = sums.size() / rows, depth = a.size() / rows;
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column) {
      float &total = sums[row * columns + column];
      auto term = [&](size_t k) {
        return k == depth ? double(total)
                          : double(a[row * depth + k]) * b[column * depth + k];
      };
      double largest = 0, sum = 0;
      for (size_t k = 0; k <= depth; ++k)
        largest = std::max(largest, std::fabs(term(k)));
      for (size_t k = 0; k <= depth; ++k)
        sum += cut(term(k), largest);
      total = float(cut(sum, std::fabs(sum)));
    }
}

void fuse::runtime::multiplyAdd(ArrayRef<float> a, ArrayRef<float> b,
                                MutableArrayRef<float> sums, size_t rows) {
  size_t columns = sums.size() / rows, depth = a.size() / rows;
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column) {
      double sum = 0;
      for (size_t k = 0; k < depth; ++k)
        sum += double(a[row * depth + k]) * b[column * depth + k];
      sums[row * columns + column] += float(sum);
    }
}
