//===- Inputs.cpp - The arrays that a run starts from ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace llvm;
using fuse::runtime::ProgramSpec;
using fuse::runtime::TensorSpec;

namespace fuse::driver {

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

Expected<StringMap<std::string>>
parseAssignments(ArrayRef<std::string> arguments, StringRef option,
                 ArrayRef<std::string> names) {
  StringMap<std::string> result;
  for (StringRef argument : arguments) {
    auto [name, value] = argument.split('=');
    if (value.empty())
      return makeError(formatv("expected --{0} NAME=VALUE, but got '{1}'; put "
                               "a value after '='",
                               option, argument));
    if (!is_contained(names, name))
      return makeError(
          formatv("expected --{0} to name one of: {1}; but got "
                  "'{2}'; correct the name",
                  option, names.empty() ? "none" : join(names, ", "), name));
    if (!result.try_emplace(name, value.str()).second)
      return makeError(formatv("expected one --{0} for '{1}', but got two; "
                               "remove one",
                               option, name));
  }
  return std::move(result);
}

namespace {
/// The sizes of the symbols, as far as they are known.
class Sizes {
public:
  explicit Sizes(const ProgramSpec &spec)
      : spec(spec), values(spec.symbols.size()) {}

  Error setFromOptions(ArrayRef<std::string> dims);
  /// Takes the sizes that `array` tells. What does not fit is the runtime's
  /// to report, except for a conflict with an option.
  Error setFromArray(const TensorSpec &tensor, const Array &array);
  /// All values, or an error that lists those that are not known.
  Expected<runtime::SymbolValues> all() const;

private:
  const ProgramSpec &spec;
  SmallVector<std::optional<int64_t>> values;
};
} // namespace

Error Sizes::setFromOptions(ArrayRef<std::string> dims) {
  auto given = parseAssignments(dims, "dim", spec.symbols);
  if (!given)
    return given.takeError();
  for (auto [index, name] : enumerate(spec.symbols)) {
    auto it = given->find(name);
    if (it == given->end())
      continue;
    int64_t size;
    if (StringRef(it->second).getAsInteger(10, size) || size < 0)
      return makeError(formatv("expected --dim {0} to be a size of 0 or more, "
                               "but got '{1}'; give a number below 2^63",
                               name, it->second));
    values[index] = size;
  }
  return Error::success();
}

Error Sizes::setFromArray(const TensorSpec &tensor, const Array &array) {
  if (tensor.shape.size() != array.shape.size())
    return Error::success();
  for (auto [expr, size] : zip(tensor.shape, array.shape)) {
    if (!expr.isSymbol())
      continue;
    std::optional<int64_t> &value = values[expr.symbolIndex()];
    if (value && *value != size)
      return makeError(formatv(
          "expected dim {0} of '{1}' to be {2}, but its array has {3}; give "
          "arrays and --dim that agree",
          spec.symbols[expr.symbolIndex()], tensor.name, *value, size));
    value = size;
  }
  return Error::success();
}

Expected<runtime::SymbolValues> Sizes::all() const {
  runtime::SymbolValues result;
  SmallVector<std::string> missing;
  for (auto [name, value] : zip(spec.symbols, values)) {
    if (!value)
      missing.push_back(name);
    result.push_back(value.value_or(0));
  }
  if (missing.empty())
    return std::move(result);
  return makeError(formatv("expected a size for each dynamic dim, but got none "
                           "for {0}; add --dim {1}=SIZE",
                           join(missing, ", "), join(missing, "=SIZE --dim ")));
}

Expected<runtime::SymbolValues> parseSizes(const ProgramSpec &spec,
                                           ArrayRef<std::string> dims) {
  Sizes sizes(spec);
  if (Error error = sizes.setFromOptions(dims))
    return std::move(error);
  return sizes.all();
}

static bool isFile(StringRef value) {
  return value.ends_with(".npy") || value.contains(".safetensors:");
}

/// The semantics of floats; null of integers.
static const fltSemantics *semanticsOf(runtime::DType dtype) {
  switch (dtype) {
  case runtime::DType::F64:
    return &APFloat::IEEEdouble();
  case runtime::DType::F32:
    return &APFloat::IEEEsingle();
  case runtime::DType::F16:
    return &APFloat::IEEEhalf();
  case runtime::DType::BF16:
    return &APFloat::BFloat();
  case runtime::DType::F8E4M3FN:
    return &APFloat::Float8E4M3FN();
  case runtime::DType::F8E5M2:
    return &APFloat::Float8E5M2();
  default:
    return nullptr;
  }
}

/// The bits of an element that is written as `text`; nothing if it is none.
static std::optional<uint64_t> parseElement(runtime::DType dtype,
                                            StringRef text) {
  if (const fltSemantics *semantics = semanticsOf(dtype)) {
    APFloat number(*semantics);
    auto status = number.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!status) {
      consumeError(status.takeError());
      return std::nullopt;
    }
    if (*status & APFloat::opOverflow)
      return std::nullopt;
    return number.bitcastToAPInt().getZExtValue();
  }
  int64_t number;
  if (text.getAsInteger(10, number))
    return std::nullopt;
  bool isUnsigned = dtype == runtime::DType::UI8 || dtype == runtime::DType::I1;
  unsigned bits = dtype == runtime::DType::I1 ? 1 : 8 * sizeInBytes(dtype);
  bool fits =
      isUnsigned ? number >= 0 && isUIntN(bits, number) : isIntN(bits, number);
  return fits ? std::optional<uint64_t>(number) : std::nullopt;
}

/// The array of one element that an option gives as a number.
static Expected<Array> arrayOfNumber(const TensorSpec &input, StringRef text) {
  std::optional<uint64_t> bits = parseElement(input.dtype, text);
  if (!bits)
    return makeError(formatv(
        "expected --input {0} to be a number of {1}, but got '{2}'; give one "
        "in its range, or FILE.npy with an array of rank 0",
        input.name, runtime::name(input.dtype), text));
  Expected<Array> array = Array::create(input.dtype, {});
  if (array)
    std::memcpy(array->buffer->data(), &*bits, array->byteSize());
  return array;
}

Expected<std::vector<Array>> prepareInputs(const ProgramSpec &spec,
                                           ArrayRef<std::string> files,
                                           ArrayRef<std::string> dims,
                                           uint64_t seed,
                                           ArrayRef<double> stddev) {
  std::vector<std::string> names;
  for (const TensorSpec &input : spec.inputs)
    names.push_back(input.name);
  auto given = parseAssignments(files, "input", names);
  if (!given)
    return given.takeError();
  Sizes sizes(spec);
  if (Error error = sizes.setFromOptions(dims))
    return std::move(error);

  std::vector<Array> arrays(spec.inputs.size());
  for (auto [input, array] : zip(spec.inputs, arrays)) {
    auto it = given->find(input.name);
    if (it == given->end())
      continue;
    Expected<Array> read = input.shape.empty() && !isFile(it->second)
                               ? arrayOfNumber(input, it->second)
                               : readArray(it->second);
    if (!read)
      return read.takeError();
    // A .npy does not tell which 8-bit float it has.
    if (read->dtype == runtime::DType::F8E4M3FN &&
        input.dtype == runtime::DType::F8E5M2)
      read->dtype = input.dtype;
    if (Error error = sizes.setFromArray(input, *read))
      return std::move(error);
    array = std::move(*read);
  }

  for (auto [index, input] : enumerate(spec.inputs)) {
    if (arrays[index].buffer)
      continue;
    auto symbols = sizes.all();
    if (!symbols)
      return symbols.takeError();
    auto shape = runtime::evaluateShape(spec, input, *symbols);
    if (!shape)
      return shape.takeError();
    Expected<Array> array = Array::create(input.dtype, *shape);
    if (!array)
      return array.takeError();
    fillRandom(*array, seed * 0x100000001b3 + index, stddev[index]);
    arrays[index] = std::move(*array);
  }
  return std::move(arrays);
}

} // namespace fuse::driver
