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

static std::optional<DType> toDType(DLDataType type) {
  if (type.lanes != 1)
    return std::nullopt;
  switch (type.code << 8 | type.bits) {
  case kDLFloat << 8 | 16:
    return DType::F16;
  case kDLFloat << 8 | 32:
    return DType::F32;
  case kDLFloat << 8 | 64:
    return DType::F64;
  case kDLBfloat << 8 | 16:
    return DType::BF16;
  case kDLBool << 8 | 8:
    return DType::I1;
  case kDLFloat8_e4m3fn << 8 | 8:
    return DType::F8E4M3FN;
  case kDLFloat8_e5m2 << 8 | 8:
    return DType::F8E5M2;
  case kDLInt << 8 | 8:
    return DType::I8;
  case kDLInt << 8 | 16:
    return DType::I16;
  case kDLUInt << 8 | 8:
    return DType::UI8;
  case kDLInt << 8 | 32:
    return DType::I32;
  case kDLInt << 8 | 64:
    return DType::I64;
  default:
    return std::nullopt;
  }
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
