//===- Arrays.cpp - Inputs with edges, and buffers with guards ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "../fuse/StridedImage.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sys/mman.h>

using namespace llvm;
using namespace fuse::runtime;
namespace reference = mlir::fuse::reference;

namespace fuse::crosscheck {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static reference::DType toReference(runtime::DType dtype) {
  for (reference::DType each :
       {reference::DType::F16, reference::DType::BF16, reference::DType::F32,
        reference::DType::F64, reference::DType::I1, reference::DType::I32,
        reference::DType::I64, reference::DType::I8, reference::DType::I16,
        reference::DType::UI8, reference::DType::F8E4M3FN,
        reference::DType::F8E5M2})
    if (reference::getName(each) == runtime::name(dtype))
      return each;
  llvm_unreachable("the oracle knows every dtype");
}

reference::Value toValue(const driver::Array &array) {
  return reference::fromBuffer(
      toReference(array.dtype),
      SmallVector<int64_t>(array.shape.begin(), array.shape.end()),
      array.buffer->data());
}

namespace {
/// Changes the elements of one tensor.
class EdgeFiller {
public:
  EdgeFiller(reference::Value &value, uint64_t seed)
      : value(value), random(seed), isFloat(reference::isFloat(value.dtype)) {}

  void apply(Fill fill);

private:
  uint64_t below(uint64_t limit) { return random() % limit; }
  double special();
  int64_t specialInteger();
  double wide();
  void setSpecial(int64_t index);
  void maskRows();

  reference::Value &value;
  std::mt19937_64 random;
  bool isFloat;
};
} // namespace

double EdgeFiller::special() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double sign = below(2) ? 1 : -1;
  switch (below(6)) {
  case 0:
    return std::numeric_limits<double>::quiet_NaN();
  case 1:
    return sign * infinity;
  case 2:
    return sign * 0.0;
  case 3:
    return sign * reference::getUlp(value.dtype, 0);
  case 4:
    return sign * reference::getMaxFinite(value.dtype);
  default:
    return sign;
  }
}

int64_t EdgeFiller::specialInteger() {
  int64_t largest = reference::getMaxInteger(value.dtype);
  int64_t smallest = reference::getMinInteger(value.dtype);
  const int64_t values[] = {0, reference::wrap(value.dtype, -1), 1, largest,
                            smallest};
  return values[below(std::size(values))];
}

double EdgeFiller::wide() {
  double largest = std::log2(reference::getMaxFinite(value.dtype));
  double smallest = std::log2(reference::getUlp(value.dtype, 0));
  double part = below(uint64_t(1) << 32) * 0x1p-32;
  double magnitude = std::exp2(smallest + part * (largest - smallest));
  return below(2) ? magnitude : -magnitude;
}

void EdgeFiller::setSpecial(int64_t index) {
  if (isFloat)
    value.data[index] = special();
  else if (value.dtype != reference::DType::I1)
    value.ints[index] = specialInteger();
}

void EdgeFiller::maskRows() {
  int64_t columns = value.shape.empty() ? 1 : value.shape.back();
  for (int64_t first = 0; isFloat && first < value.size(); first += columns)
    if (below(4) == 0)
      std::fill_n(value.data.begin() + first, columns,
                  -std::numeric_limits<double>::infinity());
}

void EdgeFiller::apply(Fill fill) {
  int64_t size = value.size();
  if (size == 0 || fill == Fill::Normal)
    return;
  if (fill == Fill::Masked)
    return maskRows();
  if (fill == Fill::Rare)
    return setSpecial(below(size));
  for (int64_t i = 0; i < size; ++i) {
    if (fill == Fill::Special && below(8) == 0)
      setSpecial(i);
    else if (fill == Fill::Wide && isFloat)
      value.data[i] = wide();
    else if (fill == Fill::Small && isFloat)
      value.data[i] = int64_t(below(7)) - 3;
    else if (fill == Fill::Small && value.dtype != reference::DType::I1)
      value.ints[i] = reference::wrap(value.dtype, below(9) - 2);
  }
}

void fillEdges(driver::Array &array, Fill fill, uint64_t seed) {
  reference::Value value = toValue(array);
  EdgeFiller(value, seed).apply(fill);
  reference::toBuffer(value, array.buffer->data());
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// What stands around a buffer.
static constexpr char canary = 0x5a;

void GuardedBuffer::Unmap::operator()(char *memory) const {
  munmap(memory, mapped);
}

Expected<GuardedBuffer> GuardedBuffer::create(int64_t bytes, bool aligned) {
  int64_t page = sys::Process::getPageSizeEstimate();
  int64_t taken = aligned ? alignTo(bytes, HostBuffer::alignment) : bytes;
  // At least one page for the canaries in front of the buffer.
  int64_t usable = alignTo(taken, page) + page;
  void *base = mmap(nullptr, usable + page, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED)
    return errorCodeToError(errnoAsErrorCode());
  GuardedBuffer buffer;
  buffer.memory = {static_cast<char *>(base), Unmap{size_t(usable + page)}};
  std::memset(base, canary, usable);
  if (mprotect(buffer.memory.get() + usable, page, PROT_NONE) != 0)
    return errorCodeToError(errnoAsErrorCode());
  buffer.start = buffer.memory.get() + usable - taken;
  buffer.size = bytes;
  buffer.usable = usable;
  return std::move(buffer);
}

bool GuardedBuffer::isIntact() const {
  auto isCanary = [](char byte) { return byte == canary; };
  return std::all_of(memory.get(), start, isCanary) &&
         std::all_of(start + size, memory.get() + usable, isCanary);
}

Shape randomStrides(ArrayRef<int64_t> shape, std::mt19937_64 &random) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(shape.size()));
  if (random() % 4 == 0)
    std::shuffle(order.begin(), order.end(), random);
  // Of the innermost dim, and what every other stride is a multiple of.
  int64_t step = random() % 3 == 0 ? 2 + random() % 2 : 1;
  int64_t multiple = random() % 2 == 0 ? 16 : 1;
  Shape strides(shape.size());
  for (unsigned dim : llvm::reverse(order)) {
    strides[dim] = step;
    int64_t gap = random() % 4;
    step = alignTo(step * std::max<int64_t>(1, shape[dim]) + gap, multiple);
  }
  return strides;
}

namespace {
/// The tensors of one call.
struct GuardedTensors {
  Error add(const driver::Array &array, bool aligned,
            ArrayRef<int64_t> strides) {
    views.push_back(array.view());
    views.back().strides.assign(strides.begin(), strides.end());
    if (!strides.empty()) {
      auto image = driver::spread(array, views.back());
      return image ? add(*image, aligned) : image.takeError();
    }
    const auto *bytes = static_cast<const char *>(array.buffer->data());
    return add({bytes, size_t(array.byteSize())}, aligned);
  }

  /// Adds the memory of the last view.
  Error add(ArrayRef<char> bytes, bool aligned) {
    auto buffer = GuardedBuffer::create(bytes.size(), aligned);
    if (!buffer)
      return buffer.takeError();
    if (!bytes.empty())
      std::memcpy(buffer->data(), bytes.data(), bytes.size());
    views.back().data = buffer->data();
    buffers.push_back(std::move(*buffer));
    return Error::success();
  }

  Error check(StringRef what) const {
    for (auto [index, buffer] : enumerate(buffers))
      if (!buffer.isIntact())
        return createStringError(inconvertibleErrorCode(),
                                 "expected writes inside of the outputs only, "
                                 "but got one beside %s %u",
                                 what.str().c_str(), unsigned(index));
    return Error::success();
  }

  std::vector<GuardedBuffer> buffers;
  SmallVector<TensorView> views;
};
} // namespace

Expected<std::vector<driver::Array>>
createPoisoned(jit::CompiledProgram &program, ArrayRef<TensorView> inputs) {
  auto shapes = program.inferOutputShapes(inputs);
  if (!shapes)
    return shapes.takeError();
  std::vector<driver::Array> outputs;
  for (auto [spec, shape] : zip(program.spec().outputs, *shapes)) {
    auto output = driver::Array::create(spec.dtype, shape);
    if (!output)
      return output.takeError();
    driver::fillPoison(*output);
    outputs.push_back(std::move(*output));
  }
  return std::move(outputs);
}

Error runFixed(jit::CompiledProgram &program, ArrayRef<TensorView> inputs,
               ArrayRef<TensorView> outputs) {
  Expected<jit::CompiledProgram &> fixed = program.specialized(inputs);
  return fixed ? fixed->run(inputs, outputs) : fixed.takeError();
}

static Error fetch(driver::Array &output, const TensorView &view,
                   StringRef name) {
  const auto *from = static_cast<const char *>(view.data);
  if (!view.strides.empty())
    return driver::gatherWritten(
        output, view,
        {from, size_t(cantFail(view.span()) * sizeInBytes(view.dtype))}, name);
  if (output.byteSize() > 0)
    std::memcpy(output.buffer->data(), from, output.byteSize());
  return Error::success();
}

Expected<std::vector<driver::Array>> runGuarded(jit::CompiledProgram &program,
                                                ArrayRef<driver::Array> inputs,
                                                Placing placing,
                                                ArrayRef<Shape> strides) {
  GuardedTensors given, made;
  for (auto [index, input] : enumerate(inputs))
    if (Error error = given.add(input, isInputAligned(placing, index),
                                strides.empty() ? Shape() : strides[index]))
      return std::move(error);
  auto outputs = createPoisoned(program, given.views);
  if (!outputs)
    return outputs.takeError();
  for (auto [index, output] : enumerate(*outputs)) {
    Shape wanted = strides.empty() ? Shape() : strides[inputs.size() + index];
    if (Error error = made.add(output, areOutputsAligned(placing), wanted))
      return std::move(error);
    // A result takes the buffer of an input with the same strides only.
    if (std::optional<unsigned> input = program.inPlace()[index];
        input && given.views[*input].strides == wanted)
      made.views.back().data = given.views[*input].data;
  }
  if (Error error = runFixed(program, given.views, made.views))
    return std::move(error);
  for (auto [index, output, view] : enumerate(*outputs, made.views))
    if (Error error = fetch(output, view, program.spec().outputs[index].name))
      return std::move(error);
  if (Error error = given.check("input"))
    return std::move(error);
  if (Error error = made.check("output"))
    return std::move(error);
  return outputs;
}

} // namespace fuse::crosscheck
