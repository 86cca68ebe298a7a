//===- Numbers.cpp - Python's numbers as elements -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"
#include <algorithm>
#include <cmath>
#include <cstring>

/// The bits of a float of 16 bits, to nearest even. False for what is too large
/// to be one.
static bool readFloat16(double number, int mantissa, int bias, uint16_t *bits) {
  double size = std::fabs(number);
  uint32_t infinity = uint32_t(2 * bias + 1) << mantissa, found = infinity;
  if (std::isnan(number)) {
    found = infinity | 1u << (mantissa - 1);
  } else if (!std::isinf(number)) {
    int exponent;
    std::frexp(size, &exponent);
    // Of numbers below the smallest normal one the exponent is its.
    exponent = std::max(exponent - 1, 1 - bias);
    double steps = std::nearbyint(std::ldexp(size, mantissa - exponent));
    if (exponent > bias)
      return false;
    found = uint32_t(exponent + bias - 1) << mantissa;
    found += static_cast<uint32_t>(steps);
    if (found >= infinity)
      return false;
  }
  *bits = static_cast<uint16_t>(found | (std::signbit(number) ? 0x8000 : 0));
  return true;
}

template <typename T>
static bool storeInteger(long long number, int64_t *bits) {
  T value = static_cast<T>(number);
  std::memcpy(bits, &value, sizeof(T));
  return static_cast<long long>(value) == number;
}

bool fuse::native::readNumber(PyObject *number, char type, int64_t *bits) {
  *bits = 0;
  if (std::strchr("dfeE", type)) {
    double value = PyFloat_AsDouble(number);
    if (value == -1 && PyErr_Occurred())
      return false;
    if (type == 'd') {
      std::memcpy(bits, &value, sizeof(value));
      return true;
    }
    if (type != 'f')
      return readFloat16(value, type == 'e' ? 10 : 7, type == 'e' ? 15 : 127,
                         reinterpret_cast<uint16_t *>(bits));
    auto narrow = static_cast<float>(value);
    std::memcpy(bits, &narrow, sizeof(narrow));
    return std::isinf(narrow) == std::isinf(value);
  }
  if (!PyLong_Check(number))
    return false;
  long long value = PyLong_AsLongLong(number);
  if (value == -1 && PyErr_Occurred())
    return false;
  switch (type) {
  case '?':
    return storeInteger<bool>(value, bits);
  case 'b':
    return storeInteger<int8_t>(value, bits);
  case 'B':
    return storeInteger<uint8_t>(value, bits);
  case 'h':
    return storeInteger<int16_t>(value, bits);
  case 'i':
    return storeInteger<int32_t>(value, bits);
  case 'q':
    return storeInteger<int64_t>(value, bits);
  default:
    return false;
  }
}

bool fuse::native::isNumber(PyObject *object) {
  return PyFloat_Check(object) || PyLong_Check(object);
}
