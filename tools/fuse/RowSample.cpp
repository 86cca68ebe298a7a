//===- RowSample.cpp - Some rows of a run ---------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSample.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::driver {

static bool mentions(const SizeExpr &expr, unsigned symbol) {
  return any_of(expr.postfix(), [&](const SizeExpr::Node &node) {
    return node.op == SizeExpr::Op::Symbol && node.value == int64_t(symbol);
  });
}

static bool isLedBy(const TensorSpec &tensor, unsigned symbol) {
  return !tensor.shape.empty() && tensor.shape.front().isSymbol() &&
         tensor.shape.front().symbolIndex() == symbol;
}

/// Whether `symbol` occurs in the shape, apart from the front.
static bool hasInside(const TensorSpec &tensor, unsigned symbol) {
  ArrayRef<SizeExpr> shape(tensor.shape);
  if (isLedBy(tensor, symbol))
    shape = shape.drop_front();
  return any_of(shape,
                [&](const SizeExpr &size) { return mentions(size, symbol); });
}

/// The dim that all outputs are rows of.
static std::optional<unsigned> findRowSymbol(const ProgramSpec &spec) {
  if (spec.outputs.empty() || spec.outputs[0].shape.empty() ||
      !spec.outputs[0].shape.front().isSymbol())
    return std::nullopt;
  unsigned symbol = spec.outputs[0].shape.front().symbolIndex();
  for (const OutputSpec &output : spec.outputs)
    if (!isLedBy(output, symbol) || hasInside(output, symbol))
      return std::nullopt;
  for (const TensorSpec &input : spec.inputs)
    if (hasInside(input, symbol))
      return std::nullopt;
  return symbol;
}

/// `count` of `rows` numbers, the first and the last among them.
static SmallVector<int64_t> spreadRows(int64_t rows, int64_t count) {
  SmallVector<int64_t> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(count == 1 ? rows - 1 : i * (rows - 1) / (count - 1));
  return result;
}

/// A copy of `array`; of its rows `rows` if it `hasRows`.
static Expected<Array> pick(const Array &array, bool hasRows,
                            ArrayRef<int64_t> rows) {
  Shape shape = array.shape;
  if (hasRows)
    shape[0] = rows.size();
  Expected<Array> result = Array::create(array.dtype, shape);
  if (!result || result->byteSize() == 0)
    return result;
  auto *to = static_cast<char *>(result->buffer->data());
  const auto *from = static_cast<const char *>(array.buffer->data());
  if (!hasRows) {
    std::memcpy(to, from, array.byteSize());
    return result;
  }
  int64_t rowBytes = array.byteSize() / array.shape[0];
  for (auto [index, row] : enumerate(rows))
    std::memcpy(to + index * rowBytes, from + row * rowBytes, rowBytes);
  return result;
}

Expected<std::optional<RowSample>> sampleRows(const ProgramSpec &spec,
                                              ArrayRef<Array> inputs,
                                              ArrayRef<Array> outputs,
                                              int64_t count) {
  std::optional<unsigned> symbol = findRowSymbol(spec);
  if (!symbol || outputs[0].shape[0] == 0)
    return std::nullopt;
  int64_t all = outputs[0].shape[0];
  RowSample sample;
  sample.rows = std::min(count, all);
  SmallVector<int64_t> rows = spreadRows(all, sample.rows);
  auto pickAll = [&](const auto &tensors, ArrayRef<Array> arrays,
                     std::vector<Array> &picked) -> Error {
    for (auto [tensor, array] : zip_equal(tensors, arrays)) {
      Expected<Array> part = pick(array, isLedBy(tensor, *symbol), rows);
      if (!part)
        return part.takeError();
      picked.push_back(std::move(*part));
    }
    return Error::success();
  };
  if (Error error = pickAll(spec.inputs, inputs, sample.inputs))
    return std::move(error);
  if (Error error = pickAll(spec.outputs, outputs, sample.outputs))
    return std::move(error);
  return std::move(sample);
}

} // namespace fuse::driver
