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
      cuda::TensorMapSwizzle128, cuda::TensorMapPromotion256,
      cuda::TensorMapFillZeros);
  if (Error error =
          cudaDevice.driver().check(result, "describe a tensor to its copies"))
    return std::move(error);
  return map;
}
