//===- Numbers.h - Python's numbers as elements -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_PYTHON_NATIVE_NUMBERS_H
#define FUSE_PYTHON_NATIVE_NUMBERS_H

#include "Python311.h"
#include <cstdint>

namespace fuse::native {

/// Python's number as an element of the type, which is NumPy's character for
/// it, or E for bf16. False, perhaps with a Python error, where it is none of
/// them.
bool readNumber(PyObject *number, char type, int64_t *bits);

/// Python's own numbers; others, such as NumPy's, are arrays or declined.
bool isNumber(PyObject *object);

} // namespace fuse::native

#endif // FUSE_PYTHON_NATIVE_NUMBERS_H
