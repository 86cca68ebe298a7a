//===- Python311.h - Python's stable ABI from 3.11 on -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_PYTHON_NATIVE_PYTHON311_H
#define FUSE_PYTHON_NATIVE_PYTHON311_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#include <Python.h>

#endif // FUSE_PYTHON_NATIVE_PYTHON311_H
