//===- Array.cpp - Arrays in host memory ----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace llvm;
using fuse::runtime::DType;

namespace fuse::driver {

Expected<Array> Array::create(DType dtype, ArrayRef<int64_t> shape) {
  Expected<int64_t> bytes = runtime::byteSize(shape, dtype);
  if (!bytes)
    return bytes.takeError();
  auto buffer = runtime::HostBuffer::create(*bytes);
  if (!buffer)
    return buffer.takeError();
  Array array;
  array.dtype = dtype;
  array.shape.assign(shape.begin(), shape.end());
  array.buffer = std::move(*buffer);
  return std::move(array);
}

Expected<Array> Array::fromBytes(DType dtype, ArrayRef<int64_t> shape,
                                 StringRef bytes) {
  Expected<Array> array = create(dtype, shape);
  if (!array || bytes.empty())
    return array;
  assert(int64_t(bytes.size()) == array->byteSize() && "checked by the caller");
  auto *data = static_cast<uint8_t *>(array->buffer->data());
  std::memcpy(data, bytes.data(), bytes.size());
  if (dtype == DType::I1)
    std::transform(data, data + bytes.size(), data,
                   [](uint8_t value) { return value != 0; });
  return array;
}

int64_t Array::numElements() const {
  return byteSize() / runtime::sizeInBytes(dtype);
}

runtime::TensorView Array::view() const {
  runtime::TensorView view;
  view.data = buffer->data();
  view.dtype = dtype;
  view.shape = shape;
  return view;
}

Error fileError(StringRef path, const Twine &message) {
  return createStringError(inconvertibleErrorCode(), path + ": " + message);
}

Expected<Array> readArray(StringRef spec) {
  if (spec.ends_with(".npy"))
    return readNpy(spec);
  auto [path, key] = spec.rsplit(':');
  if (path.ends_with(".safetensors") && !key.empty())
    return readSafetensors(path, key);
  return createStringError(
      inconvertibleErrorCode(),
      formatv("{0}: expected FILE.npy or FILE.safetensors:KEY, but got another "
              "form; convert the array with numpy.save",
              spec));
}

namespace {
/// SplitMix64 (Steele, Lea and Flood, 2014): small, the same everywhere, and
/// its state counts, so that any part of the numbers can be made alone.
class Random {
public:
  /// Begins after `skipped` numbers.
  explicit Random(uint64_t seed, uint64_t skipped = 0)
      : state(seed + skipped * step) {}

  uint64_t next() {
    uint64_t z = state += step;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// In (0, 1].
  double uniform() { return ((next() >> 11) + 1) * 0x1p-53; }

  /// From the normal distribution, by Box and Muller's transform.
  double normal() {
    double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

private:
  static constexpr uint64_t step = 0x9e3779b97f4a7c15;

  uint64_t state;
};
} // namespace

/// Rounds to nearest even. `value` is finite and normal() never gets near the
/// largest bf16.
static uint16_t toBF16(float value) {
  uint32_t bits = bit_cast<uint32_t>(value);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

/// Rounds to nearest even; |value| is below 1e4. 112 is the difference of the
/// exponents' biases: the scaled value's encoding without its last 13 bits is
/// that of f16, denormals included.
static uint16_t toF16(float value) {
  uint32_t bits = bit_cast<uint32_t>(std::fabs(value) * 0x1p-112f);
  uint32_t rounded = bits + 0xfff + ((bits >> 13) & 1);
  return uint16_t(rounded >> 13) | (std::signbit(value) ? 0x8000 : 0);
}

/// Rounds to nearest even, and to the largest number what is beyond it.
static uint8_t toF8(double value, const fltSemantics &semantics) {
  double largest = APFloat::getLargest(semantics).convertToDouble();
  APFloat rounded(std::clamp(value, -largest, largest));
  bool losesInfo;
  rounded.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.bitcastToAPInt().getZExtValue();
}

/// Elements that one task makes.
static constexpr int64_t chunkElements = 1 << 16;

/// Makes each element from `draws` random numbers of its own, on all cores.
template <typename T>
static void generate(Array &array, uint64_t seed, unsigned draws,
                     function_ref<T(Random &)> next) {
  T *data = static_cast<T *>(array.buffer->data());
  int64_t elements = array.numElements();
  parallelFor(0, divideCeil(elements, chunkElements), [&](size_t chunk) {
    int64_t begin = chunk * chunkElements;
    int64_t end = std::min(begin + chunkElements, elements);
    Random random(seed, begin * draws);
    for (int64_t i = begin; i < end; ++i)
      data[i] = next(random);
  });
}

template <typename T>
static void generateNormal(Array &array, uint64_t seed, double stddev,
                           function_ref<T(double)> round) {
  generate<T>(array, seed, /*draws=*/2,
              [&](Random &random) { return round(stddev * random.normal()); });
}

template <typename T, unsigned shift>
static void generateBits(Array &array, uint64_t seed) {
  generate<T>(array, seed, /*draws=*/1,
              [](Random &random) { return random.next() >> shift; });
}

void fillRandom(Array &array, uint64_t seed, double stddev) {
  switch (array.dtype) {
  case DType::F32:
    return generateNormal<float>(array, seed, stddev,
                                 [](double value) { return value; });
  case DType::F64:
    return generateNormal<double>(array, seed, stddev,
                                  [](double value) { return value; });
  case DType::F16:
    return generateNormal<uint16_t>(array, seed, stddev, toF16);
  case DType::BF16:
    return generateNormal<uint16_t>(array, seed, stddev, toBF16);
  case DType::I1:
    return generateBits<uint8_t, 63>(array, seed);
  case DType::I32:
    return generateBits<int32_t, 58>(array, seed);
  case DType::I64:
    return generateBits<int64_t, 58>(array, seed);
  case DType::I8:
    return generateBits<int8_t, 58>(array, seed);
  case DType::UI8:
    return generateBits<uint8_t, 56>(array, seed);
  case DType::I16:
    return generateBits<int16_t, 48>(array, seed);
  case DType::F8E4M3FN:
    return generateNormal<uint8_t>(array, seed, stddev, [](double value) {
      return toF8(value, APFloat::Float8E4M3FN());
    });
  case DType::F8E5M2:
    return generateNormal<uint8_t>(array, seed, stddev, [](double value) {
      return toF8(value, APFloat::Float8E5M2());
    });
  }
  llvm_unreachable("every dtype is handled");
}

void fillPoison(Array &array) {
  // All bits set is a NaN in every float format.
  if (array.byteSize() > 0)
    std::memset(array.buffer->data(), 0xff, array.byteSize());
}

} // namespace fuse::driver
