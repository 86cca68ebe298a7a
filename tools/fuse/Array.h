//===- Array.h - Arrays in host memory and in files -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_ARRAY_H
#define FUSE_TOOLS_FUSE_ARRAY_H

#include "fuse/Runtime/Buffer.h"
#include "fuse/Runtime/Tensor.h"

namespace fuse::driver {

/// A contiguous array, row major, little endian.
struct Array {
  runtime::DType dtype = runtime::DType::F32;
  runtime::Shape shape;
  std::unique_ptr<runtime::HostBuffer> buffer;

  /// Allocates the elements. Fails if their bytes overflow or are not to be
  /// had.
  static llvm::Expected<Array> create(runtime::DType dtype,
                                      llvm::ArrayRef<int64_t> shape);

  /// Copies `bytes`, which must be as many as the shape says. A bool that is
  /// not 0 becomes 1.
  static llvm::Expected<Array> fromBytes(runtime::DType dtype,
                                         llvm::ArrayRef<int64_t> shape,
                                         llvm::StringRef bytes);

  int64_t byteSize() const { return buffer->size(); }
  int64_t numElements() const;
  runtime::TensorView view() const;
};

/// "PATH: MESSAGE".
llvm::Error fileError(llvm::StringRef path, const llvm::Twine &message);

/// Reads `spec`: FILE.npy, or FILE.safetensors:KEY. A 16-bit void array in a
/// .npy, which is how NumPy stores bfloat16, is taken as bf16.
llvm::Expected<Array> readArray(llvm::StringRef spec);

/// NumPy's format, versions 1 to 3 (numpy.lib.format): little endian, C order,
/// with as many bytes as the shape says. The elements f16, f32, f64, i8, i16,
/// i32, i64, ui8, bool, bf16 and 8-bit floats.
llvm::Expected<Array> readNpy(llvm::StringRef path);
llvm::Error writeNpy(llvm::StringRef path, const Array &array);

/// The tensor `key` of a safetensors file
/// (github.com/huggingface/safetensors, "Format").
llvm::Expected<Array> readSafetensors(llvm::StringRef path,
                                      llvm::StringRef key);

/// Fills `array` from `seed` alone: floats from the normal distribution
/// with mean 0, i8, i32 and i64 evenly from [0, 64), i1 evenly.
void fillRandom(Array &array, uint64_t seed, double stddev = 1.0);

/// Fills floats with NaN, and other elements with bytes of 0xff, so that what a
/// kernel does not write is seen.
void fillPoison(Array &array);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_ARRAY_H
