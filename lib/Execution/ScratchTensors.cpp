//===- ScratchTensors.cpp - Tensors to measure on -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScratchTensors.h"
#include "fuse/Runtime/CudaDriver.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>
#include <random>

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::jit {

/// Elements before the numbers repeat.
static constexpr int64_t period = 1 << 16;

/// Null for what is no float.
static const fltSemantics *semanticsOf(DType dtype) {
  switch (dtype) {
  case DType::F32:
    return &APFloat::IEEEsingle();
  case DType::F16:
    return &APFloat::IEEEhalf();
  case DType::BF16:
    return &APFloat::BFloat();
  case DType::F64:
    return &APFloat::IEEEdouble();
  case DType::F8E4M3FN:
    return &APFloat::Float8E4M3FN();
  case DType::F8E5M2:
    return &APFloat::Float8E5M2();
  case DType::I1:
  case DType::I8:
  case DType::I16:
  case DType::UI8:
  case DType::I32:
  case DType::I64:
    return nullptr;
  }
  llvm_unreachable("every dtype is handled");
}

static std::vector<char> pattern(DType dtype) {
  int64_t size = sizeInBytes(dtype);
  std::vector<char> bytes(period * size);
  std::minstd_rand random;
  std::uniform_real_distribution<double> real(-1, 1);
  const fltSemantics *semantics = semanticsOf(dtype);
  uint64_t limit = dtype == DType::I1 ? 2 : 64;
  for (int64_t i = 0; i < period; ++i) {
    uint64_t bits = random() % limit;
    if (semantics) {
      APFloat value(real(random));
      bool isInexact;
      value.convert(*semantics, APFloat::rmNearestTiesToEven, &isInexact);
      bits = value.bitcastToAPInt().getZExtValue();
    }
    // Little endian, as GPUs and their hosts are.
    std::memcpy(&bytes[i * size], &bits, size);
  }
  return bytes;
}

static Error fill(CudaDevice &device, const Buffer &buffer, DType dtype) {
  std::vector<char> bytes = pattern(dtype);
  int64_t period = bytes.size();
  auto *start = static_cast<char *>(buffer.data());
  int64_t first = std::min(period, buffer.size());
  if (Error error = device.copyToDevice(start, bytes.data(), first))
    return error;
  // Doubling what is there.
  for (int64_t done = first; done < buffer.size(); done *= 2)
    if (Error error = device.copyOnDevice(
            start + done, start, std::min(done, buffer.size() - done), {}))
      return error;
  return Error::success();
}

Expected<TensorView> ScratchTensors::place(DType dtype, const Shape &shape,
                                           Device device) {
  Expected<int64_t> bytes = byteSize(shape, dtype);
  if (!bytes)
    return bytes.takeError();
  Expected<CudaDevice &> cuda = CudaDevice::get(device.id);
  if (!cuda)
    return cuda.takeError();
  Expected<std::unique_ptr<DeviceBuffer>> buffer =
      DeviceBuffer::create(*cuda, *bytes);
  if (!buffer)
    return buffer.takeError();
  if (Error error = fill(*cuda, **buffer, dtype))
    return std::move(error);
  TensorView view;
  view.data = (*buffer)->data();
  view.dtype = dtype;
  view.shape = shape;
  view.device = device;
  buffers.push_back(std::move(*buffer));
  return view;
}

Expected<TensorView> ScratchTensors::placeScalar(DType dtype) {
  auto buffer = HostBuffer::create(sizeInBytes(dtype));
  if (!buffer)
    return buffer.takeError();
  std::memcpy((*buffer)->data(), pattern(dtype).data(), sizeInBytes(dtype));
  TensorView view;
  view.data = (*buffer)->data();
  view.dtype = dtype;
  view.device = Device::cpu();
  buffers.push_back(std::move(*buffer));
  return view;
}

Expected<ScratchTensors> ScratchTensors::create(const CompiledProgram &program,
                                                ArrayRef<Shape> inputShapes) {
  const ProgramSpec &spec = program.spec();
  if (inputShapes.size() != spec.inputs.size())
    return createStringError(formatv(
        "expected a shape for each of the {0} inputs, but got {1}; give one "
        "for each",
        spec.inputs.size(), inputShapes.size()));
  ScratchTensors tensors;
  for (auto [input, shape] : zip_equal(spec.inputs, inputShapes)) {
    Expected<TensorView> view =
        input.isScalar ? tensors.placeScalar(input.dtype)
                       : tensors.place(input.dtype, shape, program.device());
    if (!view)
      return view.takeError();
    tensors.inputViews.push_back(*view);
  }
  Expected<SmallVector<Shape>> shapes =
      program.inferOutputShapes(tensors.inputViews);
  if (!shapes)
    return shapes.takeError();
  for (auto [output, shape] : zip_equal(spec.outputs, *shapes)) {
    Expected<TensorView> view =
        tensors.place(output.dtype, shape, program.device());
    if (!view)
      return view.takeError();
    tensors.outputViews.push_back(*view);
  }
  return std::move(tensors);
}

} // namespace fuse::jit
