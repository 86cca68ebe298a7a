//===- TensorMap.cpp - How asynchronous copies find a tensor --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/TensorMap.h"
#include "FormatError.h"
#include "fuse/Runtime/CudaModule.h"
#include "llvm/ADT/ArrayRef.h"

using namespace llvm;
using namespace fuse::runtime;

bool TensorMapShape::isEmpty() const {
  return is_contained(ArrayRef(sizes).take_front(rank), 0U);
}

Expected<TensorMap> TensorMapCache::get(size_t index, void *data,
                                        const TensorMapShape &shape,
                                        Encode encode) {
  std::lock_guard<std::mutex> lock(mutex);
  Entry &entry = entries[index];
  if (entry.shape == shape && entry.data == data)
    return entry.map;
  // The driver refuses sizes of 0.
  TensorMap map;
  if (!shape.isEmpty()) {
    Expected<TensorMap> encoded = encode(data, shape);
    if (!encoded)
      return encoded;
    map = *encoded;
  }
  entry = {data, shape, map};
  return map;
}

Expected<TensorMap> Module::encode(void *, const TensorMapShape &) {
  return formatError(
      "expected a GPU whose copies take tensor maps, but got {0}; "
      "compile for the chip of the device",
      device().kind == Device::Kind::CPU ? "the host" : "another");
}

/// Elements are moved, never computed with, so that their bytes say it all.
static int dataTypeOf(unsigned elementBytes) {
  switch (elementBytes) {
  case 1:
    return cuda::TensorMapUint8;
  case 2:
    return cuda::TensorMapUint16;
  case 4:
    return cuda::TensorMapUint32;
  default:
    return cuda::TensorMapUint64;
  }
}

/// How much the L2 fetches where a copy reads 128 bytes. Where rows do not
/// start at multiples of it, that is mostly of other rows: on an H100 a product
/// of rows of 2000 bytes takes 75 us with 128 bytes and 87 with 256.
static int promotionOf(const TensorMapShape &shape) {
  constexpr uint64_t most = 256;
  bool fits = all_of(ArrayRef(shape.strides).slice(1, shape.rank - 1),
                     [](uint64_t stride) { return stride % most == 0; });
  return fits ? cuda::TensorMapPromotion256 : cuda::TensorMapPromotion128;
}

Expected<TensorMap> CudaModule::encode(void *data,
                                       const TensorMapShape &shape) {
  CudaDevice::Scope scope(cudaDevice);
  if (Error error = scope.error())
    return std::move(error);
  std::array<uint32_t, TensorMapShape::maxRank> elementStrides;
  elementStrides.fill(1);
  TensorMap map;
  cuda::Result result = api().tensorMapEncode(
      &map, dataTypeOf(shape.elementBytes), shape.rank, data,
      shape.sizes.data(), shape.strides.data() + 1, shape.box.data(),
      elementStrides.data(), cuda::TensorMapNoInterleave,
      cuda::TensorMapSwizzle128, promotionOf(shape), cuda::TensorMapFillZeros);
  if (Error error =
          cudaDevice.driver().check(result, "describe a tensor to its copies"))
    return std::move(error);
  return map;
}
