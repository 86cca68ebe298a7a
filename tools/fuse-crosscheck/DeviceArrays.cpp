//===- DeviceArrays.cpp - Runs on the GPU between canaries ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceArrays.h"
#include "../fuse/StridedImage.h"
#include "Arrays.h"
#include "fuse/Runtime/CudaDriver.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::crosscheck {

/// Bytes in front of a tensor, and at least as many behind it. What stands
/// there is no number that a kernel would compute by chance.
static constexpr int64_t zone = 512;
static constexpr char canary = 0x5a;

namespace {
/// The tensors of one call.
class DeviceTensors {
public:
  explicit DeviceTensors(CudaDevice &device) : device(device) {}

  /// Unaligned tensors start one element behind a multiple of 64 bytes.
  Error add(TensorView view, ArrayRef<char> bytes, bool aligned);
  /// What the tensors hold, once nothing around them has changed.
  Expected<std::vector<std::vector<char>>> read(StringRef what) const;

  SmallVector<TensorView> views;

private:
  struct Placed {
    std::unique_ptr<DeviceBuffer> buffer;
    int64_t start, size, total;
  };

  CudaDevice &device;
  std::vector<Placed> placed;
};
} // namespace

Error DeviceTensors::add(TensorView view, ArrayRef<char> bytes, bool aligned) {
  int64_t start = zone + (aligned ? 0 : sizeInBytes(view.dtype));
  int64_t size = bytes.size(), total = start + size + zone;
  auto buffer = DeviceBuffer::create(device, total);
  if (!buffer)
    return buffer.takeError();
  std::vector<char> image(total, canary);
  copy(bytes, image.begin() + start);
  if (Error error = device.copyToDevice((*buffer)->data(), image.data(), total))
    return error;
  view.data = static_cast<char *>((*buffer)->data()) + start;
  view.device = {Device::Kind::CUDA, device.ordinal()};
  views.push_back(std::move(view));
  placed.push_back({std::move(*buffer), start, size, total});
  return Error::success();
}

Expected<std::vector<std::vector<char>>>
DeviceTensors::read(StringRef what) const {
  std::vector<std::vector<char>> contents;
  for (auto [index, tensor] : enumerate(placed)) {
    std::vector<char> image(tensor.total);
    if (Error error = device.copyToHost(image.data(), tensor.buffer->data(),
                                        tensor.total))
      return std::move(error);
    auto begin = image.begin() + tensor.start;
    auto end = begin + tensor.size;
    auto isCanary = [](char byte) { return byte == canary; };
    if (!std::all_of(image.begin(), begin, isCanary) ||
        !std::all_of(end, image.end(), isCanary))
      return createStringError(inconvertibleErrorCode(),
                               "expected writes inside of the outputs only, "
                               "but got one beside %s %u",
                               what.str().c_str(), unsigned(index));
    contents.emplace_back(begin, end);
  }
  return std::move(contents);
}

static Error addTensor(DeviceTensors &tensors, const driver::Array &input,
                       bool aligned, ArrayRef<int64_t> strides) {
  TensorView view = input.view();
  if (strides.empty()) {
    const auto *bytes = static_cast<const char *>(input.buffer->data());
    return tensors.add(view, {bytes, size_t(input.byteSize())}, aligned);
  }
  view.strides.assign(strides.begin(), strides.end());
  auto image = driver::spread(input, view);
  return image ? tensors.add(view, *image, aligned) : image.takeError();
}

Expected<std::vector<driver::Array>> runOnDevice(jit::CompiledProgram &program,
                                                 ArrayRef<driver::Array> inputs,
                                                 Placing placing,
                                                 ArrayRef<Shape> strides) {
  auto device = CudaDevice::get(program.device().id);
  if (!device)
    return device.takeError();
  DeviceTensors given(*device), made(*device);
  for (auto [index, input] : enumerate(inputs))
    if (program.spec().inputs[index].isScalar)
      given.views.push_back(input.view());
    else if (Error error =
                 addTensor(given, input, isInputAligned(placing, index),
                           strides.empty() ? Shape() : strides[index]))
      return std::move(error);
  auto outputs = createPoisoned(program, given.views);
  if (!outputs)
    return outputs.takeError();
  for (auto [index, output] : enumerate(*outputs))
    if (Error error = addTensor(
            made, output, areOutputsAligned(placing),
            strides.empty() ? Shape() : strides[inputs.size() + index]))
      return std::move(error);
  if (Error error = runFixed(program, given.views, made.views))
    return std::move(error);
  auto contents = made.read("output");
  if (!contents)
    return contents.takeError();
  for (auto [index, output, bytes] : enumerate(*outputs, *contents)) {
    const TensorView &view = made.views[index];
    if (!view.strides.empty()) {
      if (Error error = driver::gatherWritten(
              output, view, bytes, program.spec().outputs[index].name))
        return std::move(error);
    } else if (!bytes.empty()) {
      std::memcpy(output.buffer->data(), bytes.data(), bytes.size());
    }
  }
  auto untouched = given.read("input");
  if (!untouched)
    return untouched.takeError();
  return outputs;
}

} // namespace fuse::crosscheck
