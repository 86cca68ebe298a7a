//===- Safetensors.cpp - One tensor of a safetensors file -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file is 8 bytes with the length N of the header, N bytes of JSON such as
// {"w": {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]}}, and the
// elements, little endian and row major; the offsets count from their start.
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using fuse::runtime::DType;

namespace fuse::driver {

/// The largest header, as in the reference implementation.
static constexpr uint64_t maxHeaderBytes = 100'000'000;

static std::optional<DType> parseType(StringRef name) {
  return StringSwitch<std::optional<DType>>(name)
      .Case("F16", DType::F16)
      .Case("BF16", DType::BF16)
      .Case("F32", DType::F32)
      .Case("F64", DType::F64)
      .Case("I32", DType::I32)
      .Case("I64", DType::I64)
      .Case("I8", DType::I8)
      .Case("U8", DType::UI8)
      .Case("I16", DType::I16)
      .Case("F8_E4M3", DType::F8E4M3FN)
      .Case("F8_E5M2", DType::F8E5M2)
      .Case("BOOL", DType::I1)
      .Default(std::nullopt);
}

/// Splits off and parses the header; what is left of `file` is the elements.
static Expected<json::Value> takeHeader(StringRef path, StringRef &file) {
  if (file.size() < 8)
    return fileError(path, "expected a safetensors file, but got fewer than 8 "
                           "bytes; write it again");
  uint64_t length = support::endian::read64le(file.data());
  file = file.drop_front(8);
  if (length > maxHeaderBytes || length > file.size())
    return fileError(path,
                     formatv("expected a header of {0} bytes, but the file "
                             "has {1}; write it again",
                             length, file.size()));
  Expected<json::Value> header = json::parse(file.take_front(length));
  if (!header)
    return fileError(
        path, "expected a header in JSON: " + toString(header.takeError()) +
                  "; write it again");
  file = file.drop_front(length);
  return header;
}

static std::optional<runtime::Shape> parseShape(const json::Object &entry) {
  const json::Array *dims = entry.getArray("shape");
  if (!dims)
    return std::nullopt;
  runtime::Shape shape;
  for (const json::Value &dim : *dims) {
    std::optional<int64_t> size = dim.getAsInteger();
    if (!size)
      return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

/// The elements of `entry`, if its offsets lie in `data`.
static std::optional<StringRef> sliceData(const json::Object &entry,
                                          StringRef data) {
  const json::Array *offsets = entry.getArray("data_offsets");
  if (!offsets || offsets->size() != 2)
    return std::nullopt;
  std::optional<int64_t> begin = (*offsets)[0].getAsInteger();
  std::optional<int64_t> end = (*offsets)[1].getAsInteger();
  if (!begin || !end || *begin < 0 || *end < *begin ||
      uint64_t(*end) > data.size())
    return std::nullopt;
  return data.slice(*begin, *end);
}

static Expected<const json::Object *>
findEntry(StringRef path, const json::Value &header, StringRef key) {
  const json::Object *object = header.getAsObject();
  const json::Object *entry = object ? object->getObject(key) : nullptr;
  if (entry)
    return entry;
  std::string keys;
  if (object)
    for (const auto &[name, value] : *object)
      if (name != "__metadata__")
        keys += (keys.empty() ? "" : ", ") + name.str();
  return fileError(path,
                   formatv("expected a tensor '{0}', but got {1}; name one of "
                           "these after the colon",
                           key, keys.empty() ? "none" : keys));
}

Expected<Array> readSafetensors(StringRef path, StringRef key) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return fileError(path, "cannot read the array: " +
                               file.getError().message() + "; check the path");
  StringRef data = (*file)->getBuffer();
  Expected<json::Value> header = takeHeader(path, data);
  if (!header)
    return header.takeError();
  Expected<const json::Object *> entry = findEntry(path, *header, key);
  if (!entry)
    return entry.takeError();
  StringRef type = (*entry)->getString("dtype").value_or("nothing");
  std::optional<DType> dtype = parseType(type);
  if (!dtype)
    return fileError(path,
                     formatv("expected '{0}' to be F16, BF16, F32, F64, "
                             "F8_E4M3, F8_E5M2, I8, U8, I16, I32, I64 or BOOL, "
                             "but got "
                             "{1}; convert it first",
                             key, type));
  std::optional<runtime::Shape> shape = parseShape(**entry);
  std::optional<StringRef> elements = sliceData(**entry, data);
  if (!shape || !elements)
    return fileError(path,
                     formatv("expected '{0}' to have a shape and offsets in "
                             "the file's {1} bytes of elements; the file is "
                             "damaged, write it again",
                             key, data.size()));
  Expected<int64_t> bytes = runtime::byteSize(*shape, *dtype);
  if (!bytes)
    return fileError(path, toString(bytes.takeError()));
  if (elements->size() != uint64_t(*bytes))
    return fileError(path,
                     formatv("expected {0} bytes of elements for '{1}', but "
                             "got {2}; the file is damaged, write it again",
                             *bytes, key, elements->size()));
  return Array::fromBytes(*dtype, *shape, *elements);
}

} // namespace fuse::driver
