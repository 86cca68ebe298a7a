//===- Session.cpp - A program with its arrays on a device ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "fuse/Runtime/CudaDriver.h"
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::driver {

Expected<TensorView> Session::place(const Array &array) {
  TensorView view = array.view();
  view.device = program.device();
  if (view.device.kind == Device::Kind::CPU) {
    auto buffer = HostBuffer::create(array.byteSize());
    if (!buffer)
      return buffer.takeError();
    view.data = (*buffer)->data();
    buffers.push_back(std::move(*buffer));
    return view;
  }
  Expected<CudaDevice &> device = CudaDevice::get(view.device.id);
  if (!device)
    return device.takeError();
  auto buffer = DeviceBuffer::create(*device, array.byteSize());
  if (!buffer)
    return buffer.takeError();
  view.data = (*buffer)->data();
  buffers.push_back(std::move(*buffer));
  return view;
}

Error Session::upload(const TensorView &to, const Array &from) {
  if (from.byteSize() == 0)
    return Error::success();
  if (to.device.kind == Device::Kind::CPU) {
    std::memcpy(to.data, from.buffer->data(), from.byteSize());
    return Error::success();
  }
  Expected<CudaDevice &> device = CudaDevice::get(to.device.id);
  if (!device)
    return device.takeError();
  return device->copyToDevice(to.data, from.buffer->data(), from.byteSize());
}

Error Session::download(Array &to, const TensorView &from) {
  if (to.byteSize() == 0)
    return Error::success();
  if (from.device.kind == Device::Kind::CPU) {
    std::memcpy(to.buffer->data(), from.data, to.byteSize());
    return Error::success();
  }
  Expected<CudaDevice &> device = CudaDevice::get(from.device.id);
  if (!device)
    return device.takeError();
  return device->copyToHost(to.buffer->data(), from.data, to.byteSize());
}

Error Session::allocate() {
  for (const Array &input : hostInputs) {
    Expected<TensorView> view = place(input);
    if (!view)
      return view.takeError();
    inputViews.push_back(*view);
  }
  auto shapes = program.inferOutputShapes(inputViews);
  if (!shapes)
    return shapes.takeError();
  for (auto [index, shape] : enumerate(*shapes)) {
    Expected<Array> output =
        Array::create(program.spec().outputs[index].dtype, shape);
    if (!output)
      return output.takeError();
    std::optional<unsigned> input = program.inPlace()[index];
    Expected<TensorView> view =
        input ? Expected<TensorView>(inputViews[*input]) : place(*output);
    if (!view)
      return view.takeError();
    // The same buffer, seen with the output's shape.
    view->shape.assign(shape.begin(), shape.end());
    outputViews.push_back(*view);
    hostOutputs.push_back(std::move(*output));
  }
  return Error::success();
}

Expected<Session> Session::create(jit::CompiledProgram &program,
                                  std::vector<Array> inputs) {
  Session session(program);
  session.hostInputs = std::move(inputs);
  if (Error error = session.allocate())
    return std::move(error);
  return std::move(session);
}

Error Session::run() {
  for (auto [index, output] : enumerate(hostOutputs)) {
    fillPoison(output);
    if (Error error = upload(outputViews[index], output))
      return error;
  }
  for (auto [index, input] : enumerate(hostInputs))
    if (Error error = upload(inputViews[index], input))
      return error;
  if (Error error = program.run(inputViews, outputViews))
    return error;
  for (auto [index, output] : enumerate(hostOutputs))
    if (Error error = download(output, outputViews[index]))
      return error;
  return Error::success();
}

Expected<SmallVector<KernelTiming>> Session::measure(unsigned count) {
  std::vector<SmallVector<KernelTiming>> runs;
  for (unsigned i = 0; i < count; ++i) {
    if (program.device().kind == Device::Kind::CUDA) {
      Expected<CudaDevice &> device = CudaDevice::get(program.device().id);
      if (!device)
        return device.takeError();
      if (Error error = device->flushL2({}))
        return std::move(error);
    }
    auto timings = program.runTimed(inputViews, outputViews);
    if (!timings)
      return timings.takeError();
    runs.push_back(std::move(*timings));
  }
  SmallVector<KernelTiming> median = runs.front();
  for (auto [step, timing] : enumerate(median)) {
    SmallVector<double> seconds;
    for (const auto &run : runs)
      seconds.push_back(run[step].seconds);
    llvm::sort(seconds);
    timing.seconds = seconds[count / 2];
  }
  return std::move(median);
}

} // namespace fuse::driver
