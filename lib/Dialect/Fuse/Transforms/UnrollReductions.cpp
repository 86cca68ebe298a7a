//===- UnrollReductions.cpp - Short reductions before those of rows -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What several experts give a token is added up before its norm:
//
//   %s = reduce sum %x dims = [1]         [tokens, 8, 4096] -> [tokens, 4096]
//   %n = rms_norm %s
//
// The sum walks columns, the norm rows: two kernels. A few terms that lie in
// slices of what is summed are added element by element instead, and a kernel
// of rows can do that while it loads them.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/Shapes.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEUNROLLREDUCTIONS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// As many places at which a kernel computes a value (see the cost model).
static constexpr int64_t mostTerms = 8;
/// Ops that are looked through on the way to a reduction of rows.
static constexpr size_t mostOps = 32;

static SmallVector<int64_t> sizesOf(Value value) {
  return withoutOnes(tensorType(value).getShape());
}

/// How many elements make one of the result; nothing where that is unknown.
static std::optional<int64_t> termsOf(ReduceOp reduce) {
  int64_t terms = 1;
  for (int64_t dim : reduce.getDims()) {
    int64_t size = tensorType(reduce.getInput()).getDimSize(dim);
    if (ShapedType::isDynamic(size))
      return std::nullopt;
    terms *= size;
  }
  return terms;
}

/// Whether the same operation of two values gives what a longer reduction does
/// of theirs: 16-bit sums would be rounded after each term.
static bool mayBeTerms(ReduceOp reduce) {
  Type element = reduce.getType().getElementType();
  switch (reduce.getKind()) {
  case ReduceKind::max:
  case ReduceKind::min:
    return true;
  case ReduceKind::sum:
  case ReduceKind::mean:
    return element.isF32() || element.isF64();
  default:
    return false;
  }
}

/// Whether the value, or what is computed from it in its shape, is reduced
/// along its last dimension.
static bool leadsToRows(Value value) {
  SmallVector<int64_t> shape = sizesOf(value);
  llvm::SmallSetVector<Value, 16> seen;
  seen.insert(value);
  for (size_t next = 0; next < seen.size() && next < mostOps; ++next)
    for (Operation *user : seen[next].getUsers()) {
      if (auto reduce = dyn_cast<ReduceOp>(user)) {
        int64_t last = tensorType(reduce.getInput()).getRank() - 1;
        if (llvm::is_contained(reduce.getDims(), last) &&
            tensorType(reduce.getInput()).getDimSize(last) == shape.back())
          return true;
        continue;
      }
      bool goesOn = isShapeless(user) ||
                    isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user);
      if (goesOn && ArrayRef(sizesOf(user->getResult(0))) == ArrayRef(shape))
        seen.insert(user->getResult(0));
    }
  return false;
}

/// Whether the reduction is short, over neighbours that are rows apart, and all
/// that the whole of its input is needed for.
static bool isUnrolled(ReduceOp reduce) {
  Value input = reduce.getInput();
  int64_t last = tensorType(input).getRank() - 1;
  std::optional<int64_t> terms = termsOf(reduce);
  if (!terms || *terms < 2 || *terms > mostTerms || !mayBeTerms(reduce) ||
      reduce.getDims().back() == last ||
      tensorType(input).getDimSize(last) == 1)
    return false;
  bool isShared = llvm::any_of(input.getUsers(), [&](Operation *user) {
    auto other = dyn_cast<ReduceOp>(user);
    return !other || other.getDims() != reduce.getDims();
  });
  return !(isShared && input.getDefiningOp()) && !followsFromReduction(input) &&
         leadsToRows(reduce.getResult());
}

/// The element number `term` of all that are reduced to one.
static Value termOf(OpBuilder &builder, ReduceOp reduce, int64_t term) {
  RankedTensorType type = tensorType(reduce.getInput());
  SmallVector<int64_t> offsets(type.getRank(), 0), steps(type.getRank(), 1),
      shape(type.getShape()), sizes(type.getRank(), -1);
  for (int64_t dim : llvm::reverse(reduce.getDims())) {
    offsets[dim] = term % shape[dim];
    term /= shape[dim];
    shape[dim] = sizes[dim] = 1;
  }
  return SliceOp::create(builder, reduce.getLoc(), type.clone(shape),
                         reduce.getInput(), offsets, sizes, steps);
}

static Value combined(OpBuilder &builder, ReduceOp reduce, Value a, Value b) {
  Location loc = reduce.getLoc();
  switch (reduce.getKind()) {
  case ReduceKind::max:
    return MaxOp::create(builder, loc, a.getType(), a, b);
  case ReduceKind::min:
    return MinOp::create(builder, loc, a.getType(), a, b);
  default:
    return AddOp::create(builder, loc, a.getType(), a, b);
  }
}

/// Terms are combined in pairs, and these in pairs: rounding errors then grow
/// with the logarithm of their number.
static void unroll(ReduceOp reduce) {
  OpBuilder builder(reduce);
  SmallVector<Value> values;
  for (int64_t term = 0, count = *termsOf(reduce); term < count; ++term)
    values.push_back(termOf(builder, reduce, term));
  while (values.size() > 1) {
    SmallVector<Value> pairs;
    for (size_t first = 0; first < values.size(); first += 2)
      pairs.push_back(
          first + 1 < values.size()
              ? combined(builder, reduce, values[first], values[first + 1])
              : values[first]);
    values = std::move(pairs);
  }
  Value result = values.front();
  if (reduce.getKind() == ReduceKind::mean) {
    ImplicitLocOpBuilder located(reduce.getLoc(), reduce);
    Value count = emitScalar(located, reduce.getType().getElementType(),
                             static_cast<double>(*termsOf(reduce)));
    result = DivOp::create(located, result.getType(), result, count);
  }
  if (!reduce.getKeep())
    result = tensor::CollapseShapeOp::create(
        builder, reduce.getLoc(), reduce.getType(), result,
        groupsWithout(tensorType(result).getRank(), reduce.getDims()));
  reduce.replaceAllUsesWith(result);
  reduce.erase();
}

namespace {
struct UnrollReductionsPass
    : public mlir::fuse::impl::FuseUnrollReductionsBase<UnrollReductionsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ReduceOp> found;
    for (auto reduce : getOperation().getOps<ReduceOp>())
      if (isUnrolled(reduce))
        found.push_back(reduce);
    llvm::for_each(found, unroll);
  }
};
} // namespace
