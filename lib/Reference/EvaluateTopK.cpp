//===- EvaluateTopK.cpp - The largest elements of rows --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element of a rank is one that moves with every element of the row, and
// never against it: it lies between those of the same rank among all lower ends
// and among all upper ends. Which element that is is certain where its interval
// lies apart from those of all others.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

namespace {
/// An element of a row, by what is largest.
template <typename T> struct Entry {
  T value;
  int64_t id;
};
} // namespace

static bool isNaN(double x) { return std::isnan(x); }
static bool isNaN(int64_t) { return false; }

/// Whether `a` comes before `b`: NaN is larger than all others, and of equal
/// ones the first comes first.
template <typename T>
static bool comesBefore(const Entry<T> &a, const Entry<T> &b, bool smallest) {
  if (isNaN(a.value) != isNaN(b.value))
    return isNaN(a.value) != smallest;
  if (!isNaN(a.value) && a.value != b.value)
    return smallest ? a.value < b.value : a.value > b.value;
  return a.id < b.id;
}

template <typename T>
static std::vector<Entry<T>> sorted(llvm::ArrayRef<T> row, bool smallest) {
  std::vector<Entry<T>> entries;
  for (auto [id, value] : llvm::enumerate(row))
    entries.push_back({value, static_cast<int64_t>(id)});
  llvm::sort(entries, [&](const Entry<T> &a, const Entry<T> &b) {
    return comesBefore(a, b, smallest);
  });
  return entries;
}

static void selectIntegers(TopKOp op, const Value &input, int64_t number,
                           int64_t base, Value &values, Value &ids) {
  int64_t length = input.shape.back();
  auto k = static_cast<int64_t>(op.getK());
  auto row = llvm::ArrayRef(input.ints).slice(base, length);
  bool isExact = llvm::all_of(llvm::seq(base, base + length), [&](int64_t i) {
    return input.getError(i) == 0.0;
  });
  auto entries = sorted(row, op.getSmallest());
  for (int64_t rank = 0; rank < k; ++rank) {
    values.ints[number * k + rank] = entries[rank].value;
    ids.ints[number * k + rank] = entries[rank].id;
    values.error[number * k + rank] = isExact ? 0.0 : kInfinity;
    ids.error[number * k + rank] = isExact ? 0.0 : kInfinity;
  }
}

/// Whether no other element can have the rank.
static bool isAlone(llvm::ArrayRef<Entry<double>> entries, int64_t rank,
                    llvm::ArrayRef<Bounded> row) {
  Bounded own = row[entries[rank].id];
  return llvm::all_of(entries, [&](const Entry<double> &entry) {
    Bounded other = row[entry.id];
    if (entry.id == entries[rank].id || (own.isKnown() && other.isKnown()))
      return true;
    // A NaN that is certain lies apart from every number.
    if (std::isnan(own.value) || std::isnan(other.value))
      return std::isnan(own.value) != std::isnan(other.value);
    return own.high() < other.low() || other.high() < own.low();
  });
}

static void selectFloats(TopKOp op, llvm::ArrayRef<Bounded> row, int64_t number,
                         Value &values, Value &ids) {
  auto k = static_cast<int64_t>(op.getK());
  bool smallest = op.getSmallest();
  auto map = [&](auto end) {
    return sorted<double>(llvm::map_to_vector(row, end), smallest);
  };
  auto entries = map([](const Bounded &x) { return x.value; });
  bool isExact =
      llvm::all_of(row, [](const Bounded &x) { return x.isKnown(); });
  bool isOpen =
      llvm::any_of(row, [](const Bounded &x) { return x.isUnbounded(); });
  auto lows = isExact ? entries : map([](const Bounded &x) { return x.low(); });
  auto highs =
      isExact ? entries : map([](const Bounded &x) { return x.high(); });
  for (int64_t rank = 0; rank < k; ++rank) {
    Bounded value = {entries[rank].value,
                     entries[rank].value == 0.0 ? kZeroError : 0.0};
    if (!isExact)
      value = include(include(value, lows[rank].value), highs[rank].value);
    bool isCertain = isExact || (!isOpen && isAlone(entries, rank, row));
    if (isOpen)
      value.error = kInfinity;
    store(values, number * k + rank, value);
    ids.ints[number * k + rank] = entries[rank].id;
    ids.error[number * k + rank] = isCertain ? 0.0 : kInfinity;
  }
}

llvm::Expected<std::pair<Value, Value>>
mlir::fuse::reference::evaluateTopK(TopKOp op, const Value &input) {
  Sizes shape(input.shape);
  int64_t length = shape.back();
  if (length < static_cast<int64_t>(op.getK()))
    return makeError(op, "expected rows of at least k = " +
                             llvm::Twine(op.getK()) + " elements, but got " +
                             llvm::Twine(length) + "; pass longer rows");
  shape.back() = static_cast<int64_t>(op.getK());
  Value values = Value::zeros(input.dtype, shape);
  DType idType = *getDType(op.getIds().getType().getElementType());
  Value ids = Value::zeros(idType, shape);
  Reader read(input);
  LineSpace lines(input.shape, {static_cast<int64_t>(input.shape.size()) - 1});
  lines.forEachLine([&](int64_t number, int64_t base) {
    if (!isFloat(input.dtype))
      return selectIntegers(op, input, number, base, values, ids);
    llvm::SmallVector<Bounded> row;
    for (int64_t i = 0; i < length; ++i)
      row.push_back(read[base + i]);
    selectFloats(op, row, number, values, ids);
  });
  return std::pair(std::move(values), std::move(ids));
}
