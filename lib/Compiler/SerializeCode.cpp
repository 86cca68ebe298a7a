//===- SerializeCode.cpp - Compiled code as bytes -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are LEB128, all else is a count and what it counts, one field after
// the other.
//
//===----------------------------------------------------------------------===//

#include "SerializeCode.h"
#include "CodeFields.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/LEB128.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using fuse::runtime::SizeExpr;

namespace fuse::jit {

/// Whether elements are bytes, which are copied together.
template <typename T>
static constexpr bool isByte =
    sizeof(T) == 1 && std::is_integral_v<T> && !std::is_same_v<T, bool>;

namespace {
class Writer {
public:
  explicit Writer(raw_ostream &os) : os(os) {}

  template <typename... Fields> void operator()(const Fields &...of) {
    (write(of), ...);
  }

private:
  template <typename T> void write(const T &value) {
    if constexpr (std::is_enum_v<T>)
      encodeULEB128(static_cast<uint64_t>(value), os);
    else if constexpr (std::is_floating_point_v<T>)
      encodeULEB128(llvm::bit_cast<uint64_t>(double(value)), os);
    else if constexpr (std::is_signed_v<T>)
      encodeSLEB128(value, os);
    else if constexpr (std::is_integral_v<T>)
      encodeULEB128(value, os);
    else
      fields(*this, value);
  }
  void write(const SizeExpr &expression) { writeAll(expression.postfix()); }
  template <typename A, typename B> void write(const std::pair<A, B> &pair) {
    (*this)(pair.first, pair.second);
  }
  template <typename T> void write(const std::optional<T> &value) {
    write(value.has_value());
    if (value)
      write(*value);
  }
  template <typename... Kinds> void write(const std::variant<Kinds...> &value) {
    write(value.index());
    std::visit([&](const auto &of) { write(of); }, value);
  }
  void write(const std::string &text) {
    writeAll(ArrayRef(text.data(), text.size()));
  }
  template <typename T> void write(const std::vector<T> &values) {
    writeAll(ArrayRef(values));
  }
  template <typename T, unsigned N>
  void write(const SmallVector<T, N> &values) {
    writeAll(ArrayRef(values));
  }
  template <typename T> void writeAll(ArrayRef<T> values) {
    encodeULEB128(values.size(), os);
    if constexpr (isByte<T>)
      os.write(reinterpret_cast<const char *>(values.data()), values.size());
    else
      for (const T &value : values)
        write(value);
  }

  raw_ostream &os;
};

class Reader {
public:
  explicit Reader(StringRef bytes) : data(bytes, true, sizeof(void *)) {}

  template <typename... Fields> void operator()(Fields &...of) {
    (read(of), ...);
  }

  /// Whether all was there, and nothing else.
  bool isWhole() {
    bool isEnd = data.eof(cursor);
    return !errorToBool(cursor.takeError()) && isEnd && isValid;
  }

private:
  template <typename T> void read(T &value) {
    if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(data.getULEB128(cursor));
    else if constexpr (std::is_floating_point_v<T>)
      value = llvm::bit_cast<double>(data.getULEB128(cursor));
    else if constexpr (std::is_signed_v<T>)
      value = data.getSLEB128(cursor);
    else if constexpr (std::is_integral_v<T>)
      value = data.getULEB128(cursor);
    else
      fields(*this, value);
  }
  void read(SizeExpr &expression) {
    std::vector<SizeExpr::Node> nodes;
    read(nodes);
    isValid &= llvm::all_of(nodes, [](const SizeExpr::Node &node) {
      return node.op <= SizeExpr::Op::Max;
    });
    if (!isValid)
      return;
    Expected<SizeExpr> found = SizeExpr::fromPostfix(nodes);
    isValid &= bool(found);
    if (found)
      expression = std::move(*found);
    else
      consumeError(found.takeError());
  }
  template <typename A, typename B> void read(std::pair<A, B> &pair) {
    (*this)(pair.first, pair.second);
  }
  template <typename T> void read(std::optional<T> &value) {
    bool isThere = false;
    read(isThere);
    if (isThere)
      read(value.emplace());
  }
  template <typename... Kinds> void read(std::variant<Kinds...> &value) {
    size_t index = 0, number = 0;
    read(index);
    ((index == number++ ? read(value.template emplace<Kinds>()) : void()), ...);
    isValid &= index < sizeof...(Kinds);
  }
  void read(std::string &text) {
    text = data.getBytes(cursor, data.getULEB128(cursor)).str();
  }
  template <typename T> void read(std::vector<T> &values) { readAll(values); }
  template <typename T, unsigned N> void read(SmallVector<T, N> &values) {
    readAll(values);
  }
  template <typename Vector> void readAll(Vector &values) {
    uint64_t count = data.getULEB128(cursor);
    if constexpr (isByte<typename Vector::value_type>) {
      StringRef bytes = data.getBytes(cursor, count);
      values.assign(bytes.begin(), bytes.end());
    } else {
      // A count that is wrong ends with the bytes.
      for (uint64_t i = 0; i < count && isValid && cursor; ++i)
        read(values.emplace_back());
    }
  }

  DataExtractor data;
  DataExtractor::Cursor cursor{0};
  bool isValid = true;
};
} // namespace

std::string serializeCode(const Code &code) {
  std::string bytes;
  raw_string_ostream os(bytes);
  Writer writer(os);
  writer(code);
  return bytes;
}

std::optional<Code> deserializeCode(StringRef bytes) {
  Reader reader(bytes);
  Code code;
  reader(code);
  if (!reader.isWhole())
    return std::nullopt;
  return std::move(code);
}

} // namespace fuse::jit
