//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "fuse/Runtime/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using fuse::runtime::DType;

namespace fuse::driver {

static constexpr StringLiteral magic = "\x93NUMPY";

namespace {
/// The header's dictionary, as in
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
struct NpyHeader {
  std::string descr;
  bool fortranOrder = false;
  runtime::Shape shape;
};

/// Reads the subset of Python's literals that such a dictionary has.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  /// Nullopt if the text is no such dictionary.
  std::optional<NpyHeader> parse();

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  std::optional<StringRef> string();
  std::optional<runtime::Shape> shape();
  bool entry(NpyHeader &header);

  StringRef rest;
  unsigned seen = 0;
};
} // namespace

std::optional<StringRef> HeaderParser::string() {
  if (!consume("'"))
    return std::nullopt;
  size_t end = rest.find('\'');
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef text = rest.take_front(end);
  rest = rest.drop_front(end + 1);
  return text;
}

std::optional<runtime::Shape> HeaderParser::shape() {
  runtime::Shape dims;
  if (!consume("("))
    return std::nullopt;
  while (!consume(")")) {
    int64_t dim;
    if (rest.consumeInteger(10, dim))
      return std::nullopt;
    dims.push_back(dim);
    consume("L"); // Written by Python 2.
    if (!consume(",") && !rest.ltrim().starts_with(")"))
      return std::nullopt;
  }
  return dims;
}

bool HeaderParser::entry(NpyHeader &header) {
  std::optional<StringRef> key = string();
  if (!key || !consume(":"))
    return false;
  ++seen;
  if (*key == "descr") {
    std::optional<StringRef> value = string();
    header.descr = value.value_or("a structure").str();
    return value.has_value();
  }
  if (*key == "fortran_order") {
    header.fortranOrder = consume("True");
    return header.fortranOrder || consume("False");
  }
  if (*key == "shape") {
    std::optional<runtime::Shape> value = shape();
    if (value)
      header.shape = *value;
    return value.has_value();
  }
  return false;
}

std::optional<NpyHeader> HeaderParser::parse() {
  NpyHeader header;
  if (!consume("{"))
    return std::nullopt;
  while (!consume("}"))
    if (!entry(header) || (!consume(",") && !rest.ltrim().starts_with("}")))
      return std::nullopt;
  if (seen != 3 || !rest.trim().empty())
    return std::nullopt;
  return header;
}

/// NumPy has no bfloat16 and no 8-bit floats of its own: those of ml_dtypes are
/// saved as untyped bytes. One byte is taken as f8E4M3FN; see prepareInputs().
static std::optional<DType> parseDescr(StringRef descr) {
  return StringSwitch<std::optional<DType>>(descr)
      .Case("<f2", DType::F16)
      .Case("<f4", DType::F32)
      .Case("<f8", DType::F64)
      .Case("<i4", DType::I32)
      .Case("<i8", DType::I64)
      .Case("|b1", DType::I1)
      .Cases({"|i1", "<i1"}, DType::I8)
      .Cases({"|u1", "<u1"}, DType::UI8)
      .Case("<i2", DType::I16)
      .Cases({"<V1", "|V1", "<f1", "float8_e4m3fn"}, DType::F8E4M3FN)
      .Case("float8_e5m2", DType::F8E5M2)
      .Cases({"<V2", "|V2", "bfloat16"}, DType::BF16)
      .Default(std::nullopt);
}

static StringRef descrOf(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return "<f2";
  case DType::F32:
    return "<f4";
  case DType::F64:
    return "<f8";
  case DType::I32:
    return "<i4";
  case DType::I64:
    return "<i8";
  case DType::I1:
    return "|b1";
  case DType::BF16:
    return "<V2";
  case DType::I8:
    return "|i1";
  case DType::UI8:
    return "|u1";
  case DType::I16:
    return "<i2";
  case DType::F8E4M3FN:
  case DType::F8E5M2:
    return "|V1";
  }
  llvm_unreachable("every dtype is handled");
}

/// Splits off the header's text; what is left of `file` is the elements.
static Expected<StringRef> takeHeader(StringRef path, StringRef &file) {
  if (!file.consume_front(magic) || file.size() < 4)
    return fileError(path,
                     "expected a NumPy array, but got another file; write it "
                     "with numpy.save");
  unsigned major = uint8_t(file[0]);
  if (major < 1 || major > 3)
    return fileError(path,
                     formatv("expected version 1, 2 or 3 of the .npy format, "
                             "but got {0}; write it with numpy.save",
                             major));
  size_t lengthBytes = major == 1 ? 2 : 4;
  file = file.drop_front(2);
  if (file.size() < lengthBytes)
    return fileError(path,
                     "expected a header, but the file ends; write it again");
  size_t length = major == 1 ? support::endian::read16le(file.data())
                             : support::endian::read32le(file.data());
  file = file.drop_front(lengthBytes);
  if (file.size() < length)
    return fileError(path,
                     formatv("expected a header of {0} bytes, but the file "
                             "ends after {1}; write it again",
                             length, file.size()));
  StringRef header = file.take_front(length);
  file = file.drop_front(length);
  return header;
}

static std::string printable(StringRef text) {
  std::string result;
  raw_string_ostream stream(result);
  printEscapedString(text, stream);
  return result;
}

static Expected<NpyHeader> parseHeader(StringRef path, StringRef text) {
  std::optional<NpyHeader> header = HeaderParser(text).parse();
  if (!header)
    return fileError(path,
                     formatv("expected a header with a plain 'descr', "
                             "'fortran_order' and 'shape', but got \"{0}\"; "
                             "save one array of one element type",
                             printable(text.take_front(80))));
  if (header->fortranOrder)
    return fileError(path, "expected C order, but got Fortran order; save "
                           "numpy.ascontiguousarray(array)");
  return std::move(*header);
}

Expected<Array> readNpy(StringRef path) {
  auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!file)
    return fileError(path, "cannot read the array: " +
                               file.getError().message() + "; check the path");
  StringRef data = (*file)->getBuffer();
  Expected<StringRef> text = takeHeader(path, data);
  if (!text)
    return text.takeError();
  Expected<NpyHeader> header = parseHeader(path, *text);
  if (!header)
    return header.takeError();
  std::optional<DType> dtype = parseDescr(header->descr);
  if (!dtype)
    return fileError(
        path,
        formatv("expected little-endian float16, float32, "
                "float64, bfloat16, an 8-bit float, int8, "
                "int16, int32, int64, uint8 or bool, but got '{0}'; convert it "
                "with array.astype",
                header->descr));
  Expected<int64_t> bytes = runtime::byteSize(header->shape, *dtype);
  if (!bytes)
    return fileError(path, toString(bytes.takeError()));
  if (data.size() != uint64_t(*bytes))
    return fileError(path,
                     formatv("expected {0} bytes of elements for shape {1}, "
                             "but got {2}; the file is damaged, write it "
                             "again",
                             *bytes, runtime::str(header->shape), data.size()));
  return Array::fromBytes(*dtype, header->shape, data);
}

Error writeNpy(StringRef path, const Array &array) {
  std::string shape;
  for (int64_t dim : array.shape)
    shape += std::to_string(dim) + ", ";
  std::string header =
      formatv("{{'descr': '{0}', 'fortran_order': False, 'shape': ({1}), }",
              descrOf(array.dtype), shape);
  // The elements start at a multiple of 64; 10 bytes come before the header.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';

  char length[2];
  support::endian::write16le(length, header.size());
  Error error = runtime::writeFile(path, [&](raw_ostream &stream) {
    stream << magic << StringRef("\x01\x00", 2) << StringRef(length, 2)
           << header;
    if (array.byteSize() > 0)
      stream.write(static_cast<const char *>(array.buffer->data()),
                   array.byteSize());
  });
  if (!error)
    return error;
  return fileError(path,
                   "cannot write the array: " + toString(std::move(error)) +
                       "; check the path and the free space");
}

} // namespace fuse::driver
