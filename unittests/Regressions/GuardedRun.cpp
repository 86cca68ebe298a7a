//===- GuardedRun.cpp - A program between red zones -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GuardedRun.h"
#include "Verification.h"
#include "fuse/Reference/Value.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace llvm;
using namespace fuse::driver;
using namespace fuse::runtime;
namespace reference = mlir::fuse::reference;

namespace fuse::testing {

namespace {
/// An array with a zone on either side. Bytes of 0xff are NaN in every float.
class Guarded {
public:
  static constexpr int64_t zone = 256;
  static constexpr unsigned char fill = 0xff;

  Guarded(const Array &array, int64_t offset)
      : bytes(array.byteSize()), offset(offset), view(array.view()),
        buffer(cantFail(HostBuffer::create(2 * zone + offset + bytes))) {
    std::memset(buffer->data(), fill, buffer->size());
    if (bytes > 0)
      std::memcpy(data(), view.data, bytes);
    view.data = data();
  }

  char *data() const {
    return static_cast<char *>(buffer->data()) + zone + offset;
  }
  const TensorView &tensor() const { return view; }
  bool equals(const Array &array) const {
    return bytes == 0 || !std::memcmp(data(), array.view().data, bytes);
  }
  bool zonesAreIntact() const {
    auto isFill = [](char c) { return static_cast<unsigned char>(c) == fill; };
    auto *begin = static_cast<const char *>(buffer->data());
    return all_of(make_range(begin, begin + zone + offset), isFill) &&
           all_of(
               make_range<const char *>(data() + bytes, data() + bytes + zone),
               isFill);
  }

private:
  int64_t bytes, offset;
  TensorView view;
  std::unique_ptr<HostBuffer> buffer;
};
} // namespace

static std::unique_ptr<jit::CompiledProgram> compileForCpu(StringRef text) {
  jit::CompileOptions options;
  options.target = jit::Target::CPU;
  options.cache = false;
  return cantFail(jit::compile(text, "test.mlir", options));
}

GuardedProgram::GuardedProgram(std::string source, int64_t offset)
    : text(std::move(source)), offset(offset), program(compileForCpu(text)) {}

std::string GuardedProgram::check(const std::vector<Array> &inputs) {
  std::vector<Guarded> in, out;
  SmallVector<TensorView> inputViews, outputViews;
  for (const Array &input : inputs)
    inputViews.push_back(in.emplace_back(input, offset).tensor());
  const ProgramSpec &spec = program->spec();
  std::vector<Array> results;
  auto shapes = cantFail(program->inferOutputShapes(inputViews));
  for (auto [shape, output] : zip(shapes, spec.outputs)) {
    results.push_back(cantFail(Array::create(output.dtype, shape)));
    fillPoison(results.back());
    outputViews.push_back(out.emplace_back(results.back(), offset).tensor());
  }
  if (Error error = program->run(inputViews, outputViews))
    return toString(std::move(error));

  std::string wrong;
  for (auto [guarded, input, tensor] : zip(in, inputs, spec.inputs))
    if (!guarded.zonesAreIntact() || !guarded.equals(input))
      wrong += formatv("{0}: was written\n", tensor.name);
  for (auto [guarded, result, tensor] : zip(out, results, spec.outputs)) {
    if (!guarded.zonesAreIntact())
      wrong += formatv("{0}: was written past its end\n", tensor.name);
    if (result.byteSize() > 0)
      std::memcpy(result.buffer->data(), guarded.data(), result.byteSize());
  }
  auto verification = cantFail(verify(text, "test.mlir", "", inputs, results));
  for (auto [report, tensor] : zip(verification.reports, spec.outputs)) {
    bounded += report.elements - report.unbounded;
    if (!report.ok())
      wrong +=
          formatv("{0}: {1} of {2} elements are wrong: {3}\n", tensor.name,
                  report.mismatches, report.elements, report.firstMismatch);
  }
  return wrong;
}

Array randomArray(DType dtype, Shape shape, uint64_t seed) {
  Array array = cantFail(Array::create(dtype, shape));
  fillRandom(array, seed);
  return array;
}

static reference::DType oracleType(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return reference::DType::F16;
  case DType::BF16:
    return reference::DType::BF16;
  case DType::F64:
    return reference::DType::F64;
  default:
    return reference::DType::F32;
  }
}

void setElement(Array &array, int64_t index, double number) {
  reference::Value value = reference::Value::zeros(oracleType(array.dtype), {});
  value.data[0] = number;
  int64_t bytes = sizeInBytes(array.dtype);
  reference::toBuffer(value, static_cast<char *>(array.buffer->data()) +
                                 index * bytes);
}

std::string withType(StringRef text, DType dtype) {
  SmallVector<StringRef> parts;
  text.split(parts, "TYPE");
  return join(parts, name(dtype));
}

} // namespace fuse::testing
