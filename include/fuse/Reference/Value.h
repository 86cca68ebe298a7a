//===- Value.h - A tensor with an error bound -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the oracle computes with: numbers in f64, and for each of them how far
// a correct program may be from it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_REFERENCE_VALUE_H
#define FUSE_REFERENCE_VALUE_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace mlir::fuse::reference {

/// The element types of the dialect. An i1 takes one byte in a buffer.
enum class DType {
  F8E4M3FN,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64,
  I1,
  I8,
  I16,
  I32,
  I64,
  UI8
};

bool isFloat(DType dtype);
/// f16 or bf16.
bool isNarrow(DType dtype);
/// An 8-bit float: storage, to which numbers round without overflow.
bool isSaturating(DType dtype);
llvm::StringRef getName(DType dtype);
/// Bytes of an element in a buffer.
int64_t getBytes(DType dtype);
/// None for a type that the dialect does not have.
std::optional<DType> getDType(mlir::Type element);

/// The smallest and the largest number of an integer type that has more than a
/// bit.
int64_t getMinInteger(DType dtype);
int64_t getMaxInteger(DType dtype);
/// What is left of a number in the bits of such a type.
int64_t wrap(DType dtype, uint64_t value);

/// The largest finite value of a float type.
double getMaxFinite(DType dtype);
/// The smallest magnitude that rounds to infinity; infinity for a type to which
/// numbers saturate.
double getOverflowThreshold(DType dtype);
/// The spacing of a float type's values at a finite `magnitude`; its smallest
/// denormal at 0.
double getUlp(DType dtype, double magnitude);
/// `value` rounded to a float type: to nearest, ties to even, beyond the
/// overflow threshold to infinity, or to the largest finite value of a type to
/// which numbers saturate. Infinities and NaN stay.
double roundTo(DType dtype, double value);

/// A dense tensor in row-major order.
struct Value {
  DType dtype = DType::F32;
  llvm::SmallVector<int64_t> shape;
  /// The elements of a float type. They are not rounded to it.
  std::vector<double> data;
  /// The elements of i1 (0 or 1) and of integers.
  std::vector<int64_t> ints;
  /// Element i of a correct program is within error[i] of the element here;
  /// infinite where nothing can be said (NaN and infinity included). For i1,
  /// 1 means that it may be either. Empty where all elements are exact.
  std::vector<double> error;

  /// Number of elements.
  int64_t size() const;
  double getError(int64_t index) const {
    return error.empty() ? 0.0 : error[index];
  }

  /// A value of `size()` zeros, with errors of 0.
  static Value zeros(DType dtype, llvm::ArrayRef<int64_t> shape);
};

/// Reads a row-major buffer of `dtype`; every element is exact.
Value fromBuffer(DType dtype, llvm::ArrayRef<int64_t> shape,
                 const void *buffer);
/// Writes the elements, rounded to their type, to a row-major buffer of
/// size() * getBytes(dtype) bytes.
void toBuffer(const Value &value, void *buffer);

} // namespace mlir::fuse::reference

#endif // FUSE_REFERENCE_VALUE_H
