//===- KnownArrays.h - Arrays that are read without Python ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_PYTHON_NATIVE_KNOWNARRAYS_H
#define FUSE_PYTHON_NATIVE_KNOWNARRAYS_H

#include "Python311.h"
#include <cstdint>

namespace fuse::native {

/// The layouts of a call's arrays as words that are compared.
struct Key {
  static constexpr unsigned capacity = 256;
  int64_t words[capacity];
  unsigned size = 0;
  uint64_t hash = 0;

  void push(int64_t word) {
    // One more than there is room for marks a key that is too long.
    if (size < capacity)
      words[size] = word;
    if (size <= capacity)
      ++size;
    hash = (hash ^ static_cast<uint64_t>(word)) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  bool isWhole() const { return size <= capacity; }
};

/// Of attributes that are read; once, when the module is made.
void internArrayNames();

/// know(type, exchange_api): whether arrays of exactly this type can be read.
PyObject *knowType(PyObject *, PyObject *args);

/// The array's address, and what its layout adds to the key, if there is one.
/// False, perhaps with a Python error, where it cannot be read here.
bool readArray(PyObject *array, Key *key, void **address);

/// Whether the array is a tensor of a framework, and no NumPy array.
bool isTensor(PyObject *array);

/// Whether what readArray() reads may be written to.
bool isWritable(PyObject *array);

/// The stream that the framework of a tensor puts its work on. False where it
/// does not say.
bool currentStream(PyObject *tensor, void **stream);

/// Adds what the words of an array's key are addresses of to a list: its type,
/// and its dtype. False with an error.
bool keepKeyed(PyObject *array, PyObject *list);

} // namespace fuse::native

#endif // FUSE_PYTHON_NATIVE_KNOWNARRAYS_H
