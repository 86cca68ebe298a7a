//===- EvaluateIndexed.cpp - Gather and scatter ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;
using llvm::ArrayRef;

namespace {

/// A table seen as [outer, size, inner] around the dimension of the ids, and
/// the other tensor as [outer, count, inner].
struct IndexedSpace {
  IndexedSpace(ArrayRef<int64_t> table, int64_t dim, ArrayRef<int64_t> ids)
      : size(table[dim]), count(countElements(ids)),
        outer(countElements(table.take_front(dim))),
        inner(countElements(table.drop_front(dim + 1))),
        shape(table.take_front(dim)) {
    llvm::append_range(shape, ids);
    llvm::append_range(shape, table.drop_front(dim + 1));
  }

  bool holds(int64_t id) const { return id >= 0 && id < size; }

  /// Calls `visit(tableOffset, otherOffset)` for each element of the slices of
  /// the table's `id` and of the other tensor's `position`.
  template <typename Visit>
  void forEachElement(int64_t id, int64_t position, Visit visit) const {
    for (int64_t i : llvm::seq(outer))
      for (int64_t k : llvm::seq(inner))
        visit((i * size + id) * inner + k, (i * count + position) * inner + k);
  }

  int64_t size, count, outer, inner;
  /// The other tensor's.
  Sizes shape;
};

} // namespace

static void copyElement(const Value &from, int64_t read, Value &to,
                        int64_t write) {
  if (isFloat(from.dtype))
    to.data[write] = from.data[read];
  else
    to.ints[write] = from.ints[read];
  to.error[write] = from.getError(read);
}

/// What stands for an element that nothing can be said about.
static double getUnbounded(DType dtype) {
  return dtype == DType::I1 ? 1.0 : kInfinity;
}

Value mlir::fuse::reference::evaluateGather(GatherOp op, const Value &table,
                                            const Value &ids) {
  IndexedSpace space(table.shape, op.getDim(), ids.shape);
  Value result = Value::zeros(table.dtype, space.shape);
  if (isFloat(result.dtype))
    llvm::fill(result.data, kNaN);
  llvm::parallelFor(0, space.count, [&](size_t position) {
    int64_t id = ids.ints[position];
    bool isCertain = ids.getError(position) == 0.0;
    // Where the id lies outside, 0 or NaN stays.
    space.forEachElement(space.holds(id) ? id : 0, position,
                         [&](int64_t read, int64_t write) {
                           if (space.holds(id))
                             copyElement(table, read, result, write);
                           if (!isCertain)
                             result.error[write] = getUnbounded(result.dtype);
                         });
  });
  return result;
}

Value mlir::fuse::reference::evaluateDynamicSlice(DynamicSliceOp op,
                                                  Operands operands) {
  const Value &input = *operands[0], &start = *operands[1];
  int64_t size = op.getLike() ? operands[2]->shape[0]
                              : static_cast<int64_t>(*op.getSize());
  IndexedSpace space(input.shape, op.getDim(), {size});
  Value result = Value::zeros(input.dtype, space.shape);
  if (isFloat(result.dtype))
    llvm::fill(result.data, kNaN);
  for (int64_t position : llvm::seq(size)) {
    int64_t place;
    bool isPlace = !llvm::AddOverflow(start.ints[0], position, place) &&
                   space.holds(place);
    space.forEachElement(isPlace ? place : 0, position,
                         [&](int64_t read, int64_t write) {
                           if (isPlace)
                             copyElement(input, read, result, write);
                           if (start.getError(0) != 0.0)
                             result.error[write] = getUnbounded(result.dtype);
                         });
  }
  return result;
}

llvm::Expected<Value>
mlir::fuse::reference::evaluateTakeAlong(TakeAlongOp op, Operands operands) {
  const Value &table = *operands[0], &ids = *operands[1];
  auto dim = static_cast<int64_t>(op.getDim());
  for (auto [axis, sizes] :
       llvm::enumerate(llvm::zip_equal(table.shape, ids.shape))) {
    auto [expected, size] = sizes;
    if (static_cast<int64_t>(axis) == dim)
      continue;
    if (auto error =
            checkSize(op, "the sizes of the table and the ids", expected, size))
      return std::move(error);
  }
  Value result = Value::zeros(table.dtype, ids.shape);
  if (isFloat(result.dtype))
    llvm::fill(result.data, kNaN);
  Sizes strides = getStrides(table.shape);
  int64_t stride = strides[dim], size = table.shape[dim];
  strides[dim] = 0;
  forEachPoint(ids.shape, {strides}, 1 << 12,
               [&](int64_t number, llvm::ArrayRef<int64_t> at) {
                 int64_t id = ids.ints[number];
                 if (id >= 0 && id < size)
                   copyElement(table, at[0] + id * stride, result, number);
                 if (ids.getError(number) != 0.0)
                   result.error[number] = getUnbounded(result.dtype);
               });
  return result;
}

/// Widens an element of `to`, so that it allows what `from` does, too.
static void includeElement(const Value &from, int64_t read, Value &to,
                           int64_t write) {
  if (isFloat(from.dtype)) {
    Bounded x = {to.data[write], to.error[write]};
    Bounded other = {from.data[read], from.getError(read)};
    x = other.isUnbounded() ? other : include(x, other.value);
    if (!other.isExact())
      x = include(include(x, other.low()), other.high());
    return store(to, write, x);
  }
  double distance = std::fabs(static_cast<double>(from.ints[read]) -
                              static_cast<double>(to.ints[write]));
  bool isBool = from.dtype == DType::I1;
  double other = isBool ? std::max(distance, from.getError(read))
                        : distance + from.getError(read);
  to.error[write] = std::max(to.error[write], other);
}

llvm::Expected<Value>
mlir::fuse::reference::evaluateScatter(ScatterOp op, Operands operands) {
  const Value &into = *operands[0], &ids = *operands[1],
              &updates = *operands[2];
  IndexedSpace space(into.shape, op.getDim(), ids.shape);
  for (auto [expected, size] : llvm::zip_equal(space.shape, updates.shape))
    if (auto error = checkSize(op, "the sizes of the slices and the updates",
                               expected, size))
      return std::move(error);
  Value result = into;
  result.error.resize(result.size());
  std::vector<bool> isWritten(space.size);
  for (int64_t position : llvm::seq(space.count)) {
    int64_t id = ids.ints[position];
    if (ids.getError(position) != 0.0) {
      // It may replace anything.
      llvm::fill(result.error, getUnbounded(result.dtype));
      return result;
    }
    if (!space.holds(id))
      continue;
    // Of equal ids, either update may stay.
    bool isAgain = isWritten[id];
    isWritten[id] = true;
    space.forEachElement(id, position, [&](int64_t write, int64_t read) {
      if (isAgain)
        includeElement(updates, read, result, write);
      else
        copyElement(updates, read, result, write);
    });
  }
  return result;
}
