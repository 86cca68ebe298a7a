//===- Tensors.cpp - From DLTensor to the runtime's views -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::capi {

template <typename... Args>
static Error makeError(const char *format, Args &&...args) {
  return createStringError(inconvertibleErrorCode(),
                           formatv(format, std::forward<Args>(args)...));
}

/// The types of elements in both worlds.
static constexpr struct {
  DType dtype;
  DLDataTypeCode code;
  uint8_t bits;
} dtypes[] = {
    {DType::F16, kDLFloat, 16},
    {DType::F32, kDLFloat, 32},
    {DType::F64, kDLFloat, 64},
    {DType::BF16, kDLBfloat, 16},
    {DType::I1, kDLBool, 8},
    {DType::F8E4M3FN, kDLFloat8_e4m3fn, 8},
    {DType::F8E5M2, kDLFloat8_e5m2, 8},
    {DType::I8, kDLInt, 8},
    {DType::I16, kDLInt, 16},
    {DType::UI8, kDLUInt, 8},
    {DType::I32, kDLInt, 32},
    {DType::I64, kDLInt, 64},
};

static std::optional<DType> toDType(DLDataType type) {
  for (const auto &known : dtypes)
    if (type.lanes == 1 && type.code == known.code && type.bits == known.bits)
      return known.dtype;
  return std::nullopt;
}

DLDataType toDLDataType(DType dtype) {
  for (const auto &known : dtypes)
    if (dtype == known.dtype)
      return {uint8_t(known.code), known.bits, 1};
  llvm_unreachable("each type of elements has one of DLPack's");
}

static std::optional<Device> toDevice(DLDevice device) {
  switch (int(device.device_type)) {
  case kDLCPU:
  case kDLCUDAHost:
    return Device::cpu();
  case kDLCUDA:
  case kDLCUDAManaged:
    return Device::cuda(device.device_id);
  default:
    return std::nullopt;
  }
}

DLDevice toDLDevice(const Device &device) {
  return {device.kind == Device::Kind::CPU ? kDLCPU : kDLCUDA, device.id};
}

static Error fill(TensorView &view, const DLTensor *tensor,
                  function_ref<std::string()> label) {
  if (!tensor)
    return makeError("expected {0} to be a tensor, but got NULL; pass a "
                     "DLTensor",
                     label());
  std::optional<DType> dtype = toDType(tensor->dtype);
  if (!dtype)
    return makeError("expected {0} to be f32, f16, bf16, f64, f8E4M3FN, "
                     "f8E5M2, bool, i8, i16, i32, i64 or ui8, but got DLPack "
                     "type code {1} of {2} bits x {3}; convert it",
                     label(), unsigned(tensor->dtype.code),
                     unsigned(tensor->dtype.bits),
                     unsigned(tensor->dtype.lanes));
  std::optional<Device> device = toDevice(tensor->device);
  if (!device)
    return makeError("expected {0} to be on the CPU or a CUDA device, but got "
                     "DLPack device type {1}; move it",
                     label(), int(tensor->device.device_type));
  if (tensor->ndim < 0 || (tensor->ndim > 0 && !tensor->shape))
    return makeError("expected {0} to have a shape, but got rank {1} with "
                     "shape {2}; fill in the DLTensor",
                     label(), tensor->ndim, (void *)tensor->shape);
  view.dtype = *dtype;
  view.device = *device;
  if (tensor->data)
    view.data = static_cast<char *>(tensor->data) + tensor->byte_offset;
  view.shape.assign(tensor->shape, tensor->shape + tensor->ndim);
  if (tensor->strides)
    view.strides.assign(tensor->strides, tensor->strides + tensor->ndim);
  return Error::success();
}

Expected<Views> toViews(const DLTensor *const *tensors, int32_t count,
                        function_ref<std::string(int32_t)> label) {
  if (count < 0 || (count > 0 && !tensors))
    return makeError("expected an array of tensors, but got {0} at {1}; pass "
                     "their number and a pointer to each",
                     count, (const void *)tensors);
  Views views(count);
  for (int32_t i = 0; i != count; ++i)
    if (Error error = fill(views[i], tensors[i], [&] { return label(i); }))
      return std::move(error);
  return std::move(views);
}

} // namespace fuse::capi
