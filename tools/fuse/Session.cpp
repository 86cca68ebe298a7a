//===- Session.cpp - A program with its arrays on a device ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Inputs.h"
#include "StridedImage.h"
#include "fuse/Runtime/CudaDriver.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::driver {

Error checkCandidate(jit::Compilation &compilation, const Facts &facts) {
  unsigned candidate = compilation.options().candidate;
  if (candidate == 0)
    return Error::success();
  auto kernels = compilation.candidates(facts);
  if (!kernels)
    return kernels.takeError();
  size_t most = 1;
  for (const jit::KernelCandidates &kernel : *kernels)
    most = std::max(most, kernel.schedules.size());
  if (candidate < most)
    return Error::success();
  return createStringError(
      formatv("expected --candidate below {0}, which is how many schedules a "
              "kernel has at most, but got {1}; 'fuse inspect "
              "--emit=candidates' lists them",
              most, candidate));
}

/// Memory of the program's device for what `view` spans.
Expected<TensorView> Session::place(TensorView view, bool isScalar) {
  Expected<int64_t> span = view.span();
  if (!span)
    return span.takeError();
  int64_t bytes = *span * sizeInBytes(view.dtype);
  view.device = isScalar ? Device::cpu() : program.device();
  if (view.device.kind == Device::Kind::CPU) {
    auto buffer = HostBuffer::create(bytes);
    if (!buffer)
      return buffer.takeError();
    view.data = (*buffer)->data();
    buffers.push_back(std::move(*buffer));
    return view;
  }
  Expected<CudaDevice &> device = CudaDevice::get(view.device.id);
  if (!device)
    return device.takeError();
  auto buffer = DeviceBuffer::create(*device, bytes);
  if (!buffer)
    return buffer.takeError();
  view.data = (*buffer)->data();
  buffers.push_back(std::move(*buffer));
  return view;
}

static Error uploadBytes(const TensorView &to, const void *from,
                         int64_t bytes) {
  if (bytes == 0)
    return Error::success();
  if (to.device.kind == Device::Kind::CPU) {
    std::memcpy(to.data, from, bytes);
    return Error::success();
  }
  Expected<CudaDevice &> device = CudaDevice::get(to.device.id);
  if (!device)
    return device.takeError();
  return device->copyToDevice(to.data, from, bytes);
}

Error Session::upload(const TensorView &to, const Array &from) {
  if (to.strides.empty())
    return uploadBytes(to, from.buffer->data(), from.byteSize());
  Expected<std::vector<char>> image = spread(from, to);
  if (!image)
    return image.takeError();
  return uploadBytes(to, image->data(), image->size());
}

static Error downloadBytes(void *to, const TensorView &from, int64_t bytes) {
  if (bytes == 0)
    return Error::success();
  if (from.device.kind == Device::Kind::CPU) {
    std::memcpy(to, from.data, bytes);
    return Error::success();
  }
  Expected<CudaDevice &> device = CudaDevice::get(from.device.id);
  if (!device)
    return device.takeError();
  return device->copyToHost(to, from.data, bytes);
}

Error Session::download(Array &to, const TensorView &from, StringRef name) {
  if (from.strides.empty())
    return downloadBytes(to.buffer->data(), from, to.byteSize());
  std::vector<char> image(cantFail(from.span()) * sizeInBytes(from.dtype));
  if (Error error = downloadBytes(image.data(), from, image.size()))
    return error;
  return gatherWritten(to, from, image, name);
}

Error Session::placeInputs(ArrayRef<Shape> strides) {
  for (auto [input, wanted, spec] :
       zip_equal(hostInputs, strides, program.spec().inputs)) {
    TensorView dense = input.view();
    dense.strides = wanted;
    Expected<TensorView> view = place(dense, spec.isScalar);
    if (!view)
      return view.takeError();
    inputViews.push_back(*view);
    if (wanted.empty())
      continue;
    // Where elements share a place, the oracle must see what lies there.
    Expected<std::vector<char>> image = spread(input, *view);
    if (!image)
      return image.takeError();
    gather(input, *view, *image);
  }
  return Error::success();
}

Error Session::placeOutputs(ArrayRef<Shape> strides) {
  auto shapes = program.inferOutputShapes(inputViews);
  if (!shapes)
    return shapes.takeError();
  for (auto [index, shape] : enumerate(*shapes)) {
    Expected<Array> output =
        Array::create(program.spec().outputs[index].dtype, shape);
    if (!output)
      return output.takeError();
    std::optional<unsigned> input = program.inPlace()[index];
    TensorView wanted = output->view();
    wanted.strides = strides[index];
    // A result takes the buffer of an input with the same strides only.
    bool isInPlace = input && inputViews[*input].strides == wanted.strides;
    Expected<TensorView> view =
        isInPlace ? Expected<TensorView>(inputViews[*input]) : place(wanted);
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
                                  std::vector<Array> inputs,
                                  ArrayRef<Shape> strides) {
  Session session(program);
  session.hostInputs = std::move(inputs);
  size_t numInputs = session.hostInputs.size();
  if (Error error = session.placeInputs(strides.take_front(numInputs)))
    return std::move(error);
  if (Error error = session.placeOutputs(strides.drop_front(numInputs)))
    return std::move(error);
  return std::move(session);
}

Expected<std::unique_ptr<Session>>
Session::createRandom(jit::CompiledProgram &program, ArrayRef<std::string> dims,
                      uint64_t seed) {
  auto inputs =
      prepareInputs(program.spec(), /*files=*/{}, dims, seed, program.stddev());
  if (!inputs)
    return inputs.takeError();
  std::vector<Shape> dense(inputs->size() + program.spec().outputs.size());
  auto session = create(program, std::move(*inputs), dense);
  if (!session)
    return session.takeError();
  return std::make_unique<Session>(std::move(*session));
}

Error Session::load() {
  for (auto [index, output] : enumerate(hostOutputs)) {
    fillPoison(output);
    if (Error error = upload(outputViews[index], output))
      return error;
  }
  for (auto [index, input] : enumerate(hostInputs))
    if (Error error = upload(inputViews[index], input))
      return error;
  return Error::success();
}

Expected<Session::Called> Session::findCalled() {
  auto fixed = program.specialized(inputViews);
  if (!fixed)
    return fixed.takeError();
  auto facts = fixed->factsOf(inputViews, outputViews);
  if (!facts)
    return facts.takeError();
  return Called{*fixed, *facts};
}

Expected<const jit::Code &> Session::code() {
  auto called = findCalled();
  if (!called)
    return called.takeError();
  return called->program.code(called->facts);
}

Error Session::checkCandidate() {
  if (program.options().candidate == 0)
    return Error::success();
  auto called = findCalled();
  if (!called)
    return called.takeError();
  auto compilation = jit::Compilation::create(called->program.text(),
                                              called->program.fileName(),
                                              called->program.options());
  if (!compilation)
    return compilation.takeError();
  return driver::checkCandidate(**compilation, called->facts);
}

Error Session::enqueue(Stream stream) {
  return program.run(inputViews, outputViews, stream);
}

Expected<SmallVector<KernelTiming>> Session::timeSteps() {
  return program.runTimed(inputViews, outputViews);
}

Error Session::run() {
  if (Error error = load())
    return error;
  if (Error error = enqueue({}))
    return error;
  for (auto [index, output] : enumerate(hostOutputs))
    if (Error error = download(output, outputViews[index],
                               program.spec().outputs[index].name))
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
    auto timings = timeSteps();
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
