//===- Value.cpp - A tensor with an error bound ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Reference/Value.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir::fuse::reference;

namespace {

/// A binary float format.
struct Format {
  /// Bits of the significand, with the leading one.
  int precision;
  /// Exponents of the smallest normal and the largest finite value.
  int minExponent, maxExponent;
};

} // namespace

static Format getFormat(DType dtype) {
  switch (dtype) {
  case DType::F8E4M3FN:
    return {4, -6, 8};
  case DType::F8E5M2:
    return {3, -14, 15};
  case DType::F16:
    return {11, -14, 15};
  case DType::BF16:
    return {8, -126, 127};
  case DType::F32:
    return {24, -126, 127};
  default:
    return {53, -1022, 1023};
  }
}

bool mlir::fuse::reference::isFloat(DType dtype) { return dtype <= DType::F64; }

bool mlir::fuse::reference::isNarrow(DType dtype) {
  return dtype == DType::F16 || dtype == DType::BF16;
}

bool mlir::fuse::reference::isSaturating(DType dtype) {
  return dtype == DType::F8E4M3FN || dtype == DType::F8E5M2;
}

llvm::StringRef mlir::fuse::reference::getName(DType dtype) {
  static constexpr llvm::StringLiteral names[] = {
      "f8E4M3FN", "f8E5M2", "f16", "bf16", "f32", "f64",
      "i1",       "i8",     "i16", "i32",  "i64", "ui8"};
  return names[static_cast<int>(dtype)];
}

int64_t mlir::fuse::reference::getBytes(DType dtype) {
  static constexpr int64_t bytes[] = {1, 1, 2, 2, 4, 8, 1, 1, 2, 4, 8, 1};
  return bytes[static_cast<int>(dtype)];
}

std::optional<DType> mlir::fuse::reference::getDType(mlir::Type element) {
  if (llvm::isa<mlir::Float8E4M3FNType>(element))
    return DType::F8E4M3FN;
  if (llvm::isa<mlir::Float8E5M2Type>(element))
    return DType::F8E5M2;
  if (element.isF16())
    return DType::F16;
  if (element.isBF16())
    return DType::BF16;
  if (element.isF32())
    return DType::F32;
  if (element.isF64())
    return DType::F64;
  if (element.isSignlessInteger(1))
    return DType::I1;
  if (element.isSignlessInteger(8))
    return DType::I8;
  if (element.isSignlessInteger(16))
    return DType::I16;
  if (element.isUnsignedInteger(8))
    return DType::UI8;
  if (element.isSignlessInteger(32))
    return DType::I32;
  if (element.isSignlessInteger(64))
    return DType::I64;
  return std::nullopt;
}

int64_t mlir::fuse::reference::getMaxInteger(DType dtype) {
  int bits = 8 * getBytes(dtype);
  return dtype == DType::UI8 ? llvm::maxUIntN(bits) : llvm::maxIntN(bits);
}

int64_t mlir::fuse::reference::getMinInteger(DType dtype) {
  return dtype == DType::UI8 ? 0 : -getMaxInteger(dtype) - 1;
}

int64_t mlir::fuse::reference::wrap(DType dtype, uint64_t value) {
  int bits = 8 * getBytes(dtype);
  if (dtype == DType::UI8)
    return value & llvm::maxUIntN(bits);
  return llvm::SignExtend64(value, bits);
}

double mlir::fuse::reference::getMaxFinite(DType dtype) {
  Format format = getFormat(dtype);
  // The largest significand of f8E4M3FN is NaN.
  double last = dtype == DType::F8E4M3FN ? 2.0 : 1.0;
  double fraction = 2.0 - std::ldexp(last, 1 - format.precision);
  return std::ldexp(fraction, format.maxExponent);
}

double mlir::fuse::reference::getOverflowThreshold(DType dtype) {
  if (isSaturating(dtype))
    return std::numeric_limits<double>::infinity();
  Format format = getFormat(dtype);
  double halfUlp = std::ldexp(0.5, format.maxExponent + 1 - format.precision);
  return getMaxFinite(dtype) + halfUlp;
}

double mlir::fuse::reference::getUlp(DType dtype, double magnitude) {
  Format format = getFormat(dtype);
  constexpr int bias = 1023, fractionBits = 52;
  uint64_t bits = llvm::bit_cast<uint64_t>(magnitude);
  int exponent = static_cast<int>((bits >> fractionBits) & 0x7ff) - bias;
  int spacing = std::max(exponent, format.minExponent) + 1 - format.precision;
  if (spacing <= -bias)
    return std::ldexp(1.0, spacing);
  return llvm::bit_cast<double>(static_cast<uint64_t>(spacing + bias)
                                << fractionBits);
}

double mlir::fuse::reference::roundTo(DType dtype, double value) {
  if (dtype == DType::F64 || !std::isfinite(value))
    return value;
  if (std::fabs(value) >= getOverflowThreshold(dtype))
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  if (dtype == DType::F32)
    return static_cast<float>(value);
  // Dividing by a power of two is exact; nearbyint rounds ties to even.
  double ulp = getUlp(dtype, value);
  double rounded = std::nearbyint(std::fabs(value) / ulp) * ulp;
  return std::copysign(std::min(rounded, getMaxFinite(dtype)), value);
}

int64_t Value::size() const {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return size;
}

Value Value::zeros(DType dtype, llvm::ArrayRef<int64_t> shape) {
  Value value;
  value.dtype = dtype;
  value.shape.assign(shape.begin(), shape.end());
  size_t size = value.size();
  if (isFloat(dtype))
    value.data.resize(size);
  else
    value.ints.resize(size);
  value.error.resize(size);
  return value;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static double decodeF16(uint16_t bits) {
  int exponent = (bits >> 10) & 0x1f;
  int fraction = bits & 0x3ff;
  double sign = bits & 0x8000 ? -1.0 : 1.0;
  if (exponent == 0x1f)
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

/// `value` is NaN or a value of f16.
static uint16_t encodeF16(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (std::isinf(value))
    return sign | 0x7c00;
  if (magnitude < 0x1p-14)
    return sign | static_cast<uint16_t>(magnitude * 0x1p24);
  int exponent = std::ilogb(magnitude);
  auto significand =
      static_cast<uint16_t>(std::ldexp(magnitude, 10 - exponent));
  return sign | static_cast<uint16_t>((exponent + 14) << 10) + significand;
}

static double decodeBF16(uint16_t bits) {
  return llvm::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// `value` is NaN or a value of bf16.
static uint16_t encodeBF16(double value) {
  if (std::isnan(value))
    return std::signbit(value) ? 0xffc0 : 0x7fc0;
  return llvm::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
}

static double decodeF8(const llvm::fltSemantics &semantics, uint8_t bits) {
  llvm::APFloat number(semantics, llvm::APInt(8, bits));
  return number.convertToDouble();
}

/// `value` is NaN or a value of the type.
static uint8_t encodeF8(const llvm::fltSemantics &semantics, double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

template <typename Stored, typename Element, typename Decode>
static void decode(const void *buffer, std::vector<Element> &elements,
                   Decode decodeOne) {
  const auto *bytes = static_cast<const char *>(buffer);
  for (auto [i, element] : llvm::enumerate(elements)) {
    Stored stored;
    std::memcpy(&stored, bytes + i * sizeof(Stored), sizeof(Stored));
    element = decodeOne(stored);
  }
}

template <typename Stored, typename Element, typename Encode>
static void encode(const std::vector<Element> &elements, void *buffer,
                   Encode encodeOne) {
  auto *bytes = static_cast<char *>(buffer);
  for (auto [i, element] : llvm::enumerate(elements)) {
    Stored stored = encodeOne(element);
    std::memcpy(bytes + i * sizeof(Stored), &stored, sizeof(Stored));
  }
}

Value mlir::fuse::reference::fromBuffer(DType dtype,
                                        llvm::ArrayRef<int64_t> shape,
                                        const void *buffer) {
  Value value = Value::zeros(dtype, shape);
  value.error.clear();
  auto same = [](auto element) { return element; };
  const auto &e4m3 = llvm::APFloat::Float8E4M3FN();
  const auto &e5m2 = llvm::APFloat::Float8E5M2();
  switch (dtype) {
  case DType::F8E4M3FN:
    decode<uint8_t>(buffer, value.data,
                    [&](uint8_t bits) { return decodeF8(e4m3, bits); });
    break;
  case DType::F8E5M2:
    decode<uint8_t>(buffer, value.data,
                    [&](uint8_t bits) { return decodeF8(e5m2, bits); });
    break;
  case DType::F16:
    decode<uint16_t>(buffer, value.data, decodeF16);
    break;
  case DType::BF16:
    decode<uint16_t>(buffer, value.data, decodeBF16);
    break;
  case DType::F32:
    decode<float>(buffer, value.data, same);
    break;
  case DType::F64:
    decode<double>(buffer, value.data, same);
    break;
  case DType::I1:
    decode<uint8_t>(buffer, value.ints, [](uint8_t byte) { return byte != 0; });
    break;
  case DType::I8:
    decode<int8_t>(buffer, value.ints, same);
    break;
  case DType::I16:
    decode<int16_t>(buffer, value.ints, same);
    break;
  case DType::UI8:
    decode<uint8_t>(buffer, value.ints, same);
    break;
  case DType::I32:
    decode<int32_t>(buffer, value.ints, same);
    break;
  case DType::I64:
    decode<int64_t>(buffer, value.ints, same);
    break;
  }
  return value;
}

void mlir::fuse::reference::toBuffer(const Value &value, void *buffer) {
  auto rounded = [&](double element) { return roundTo(value.dtype, element); };
  const auto &e4m3 = llvm::APFloat::Float8E4M3FN();
  const auto &e5m2 = llvm::APFloat::Float8E5M2();
  switch (value.dtype) {
  case DType::F8E4M3FN:
    return encode<uint8_t>(value.data, buffer, [&](double element) {
      return encodeF8(e4m3, rounded(element));
    });
  case DType::F8E5M2:
    return encode<uint8_t>(value.data, buffer, [&](double element) {
      return encodeF8(e5m2, rounded(element));
    });
  case DType::F16:
    return encode<uint16_t>(value.data, buffer, [&](double element) {
      return encodeF16(rounded(element));
    });
  case DType::BF16:
    return encode<uint16_t>(value.data, buffer, [&](double element) {
      return encodeBF16(rounded(element));
    });
  case DType::F32:
    return encode<float>(value.data, buffer, rounded);
  case DType::F64:
    return encode<double>(value.data, buffer, rounded);
  case DType::I1:
    return encode<uint8_t>(value.ints, buffer,
                           [](int64_t element) { return element != 0; });
  case DType::I8:
    return encode<int8_t>(value.ints, buffer,
                          [](int64_t element) { return element; });
  case DType::I16:
    return encode<int16_t>(value.ints, buffer,
                           [](int64_t element) { return element; });
  case DType::UI8:
    return encode<uint8_t>(value.ints, buffer,
                           [](int64_t element) { return element; });
  case DType::I32:
    return encode<int32_t>(value.ints, buffer,
                           [](int64_t element) { return element; });
  case DType::I64:
    return encode<int64_t>(value.ints, buffer,
                           [](int64_t element) { return element; });
  }
  llvm_unreachable("unknown element type");
}
