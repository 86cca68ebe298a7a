//===- Footprint.cpp - Elements that a kernel touches ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/Footprint.h"

#include "fuse/Analysis/ElementSegments.h"
#include "fuse/Analysis/KernelEdge.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Alternatives beyond which only the whole is kept as a bound.
static constexpr size_t mostAlternatives = 4;

//===----------------------------------------------------------------------===//
// Numbers of elements
//===----------------------------------------------------------------------===//

Value ElementCount::build(OpBuilder &builder, Location loc,
                          function_ref<Value(const Extent &)> sizeOf) const {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value result;
  for (const DimPolynomial &alternative : least) {
    Value sum = constant(0);
    for (const auto &[classes, factor] : alternative.terms()) {
      Value product = constant(factor);
      for (int cls : classes)
        product = builder.createOrFold<arith::MulIOp>(
            loc, product, sizeOf({ShapedType::kDynamic, cls}));
      sum = builder.createOrFold<arith::AddIOp>(loc, sum, product);
    }
    result =
        result ? builder.createOrFold<arith::MinUIOp>(loc, result, sum) : sum;
  }
  return result;
}

ElementCount Footprint::whole(Value value) const {
  return {{DimPolynomial::product(dims.extents(value))}};
}

bool Footprint::isWhole(const ElementCount &count, Value value) const {
  return count.least.size() == 1 &&
         isAtMost(whole(value).least.front(), count.least.front(), dims);
}

/// `count`, or all elements of `value` if these are fewer.
ElementCount Footprint::limited(ElementCount count, Value value) const {
  count.least.push_back(whole(value).least.front());
  SmallVector<DimPolynomial, 1> kept;
  for (const DimPolynomial &each : count.least) {
    auto isNoLess = [&](const DimPolynomial &other) {
      return isAtMost(other, each, dims);
    };
    if (llvm::any_of(kept, isNoLess))
      continue;
    llvm::erase_if(kept, [&](const DimPolynomial &other) {
      return isAtMost(each, other, dims);
    });
    kept.push_back(each);
  }
  if (kept.size() > mostAlternatives)
    return {whole(value).least, /*atMost=*/true};
  count.least = std::move(kept);
  return count;
}

ElementCount Footprint::sum(const ElementCount &lhs, const ElementCount &rhs,
                            Value value, bool mayOverlap) const {
  for (const ElementCount &each : {lhs, rhs})
    if (isWhole(each, value) && !each.atMost)
      return whole(value);
  ElementCount total;
  for (const DimPolynomial &a : lhs.least)
    for (const DimPolynomial &b : rhs.least) {
      total.least.push_back(a);
      total.least.back() += b;
    }
  total.atMost = lhs.atMost || rhs.atMost || mayOverlap;
  return limited(std::move(total), value);
}

//===----------------------------------------------------------------------===//
// What each op asks for
//===----------------------------------------------------------------------===//

static bool isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
      op);
}

/// Whether the op needs the sizes of this operand alone, or nothing of it: the
/// rest of what a scatter writes into is there already.
static bool readsNoElement(OpOperand &use) {
  auto scatter = dyn_cast<ScatterOp>(use.getOwner());
  return needsOnlySizes(use) || (scatter && &use == &scatter.getIntoMutable());
}

/// A row for each position: for each token, or for each token of each batch.
ElementCount Footprint::tableRows(RotaryOp op, Value table) const {
  Value input = op.getInput();
  SmallVector<Extent> factors = {dims.extent(input, op.getTokenAxis()),
                                 dims.extent(table, 1)};
  auto isOfBatch = [](TypedValue<RankedTensorType> value, int64_t rank) {
    return value && value.getType().getRank() == rank;
  };
  if (isOfBatch(op.getPositions(), 2) ||
      (isOfBatch(op.getOffset(), 1) && !op.getSequences()))
    factors.push_back(dims.extent(input, 0));
  return limited({{DimPolynomial::product(factors)}, /*atMost=*/true}, table);
}

/// The part of its operand that a use asks for; nothing if it reads none.
std::optional<ElementCount> Footprint::partOf(OpOperand &use) const {
  Operation *op = use.getOwner();
  Value value = use.get();
  if (!isa<RankedTensorType>(value.getType()) || readsNoElement(use))
    return std::nullopt;
  ElementCount all = whole(value);
  if (auto rotary = dyn_cast<RotaryOp>(op))
    if (!rotary.countsTokens() &&
        (value == rotary.getCosTable() || value == rotary.getSinTable()))
      return tableRows(rotary, value);
  // One result stands for several: each element of these needs all elements
  // that are reduced to it.
  ElementCount result = asked.lookup(op->getResult(0));
  auto gather = dyn_cast<GatherOp>(op);
  if (gather && &use == &gather.getTableMutable()) {
    result.atMost = true;
    return limited(std::move(result), value);
  }
  // A slice has no more elements than what it is cut from.
  if (isa<SliceOp>(op))
    return result;
  bool isAll = isWhole(result, op->getResult(0));
  all.atMost = result.atMost || !isAll;
  if (isAll)
    return all;
  // An element of the result needs at most one of each operand.
  bool isPointwise = op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
                     op->hasTrait<mlir::fuse::OpTrait::Movement>();
  if (!isPointwise && !isReshape(op))
    return all;
  result.atMost |= !isWhole(all, op->getResult(0)) ||
                   !isWhole(whole(op->getResult(0)), value);
  return limited(std::move(result), value);
}

/// Whether two slices of one tensor have no element in common.
static bool areDisjoint(SliceOp a, SliceOp b) {
  ArrayRef<int64_t> aShape = a.getType().getShape();
  ArrayRef<int64_t> bShape = b.getType().getShape();
  for (size_t axis = 0; axis < aShape.size(); ++axis) {
    int64_t aFirst = a.getOffsets()[axis], bFirst = b.getOffsets()[axis];
    auto endsBefore = [&](SliceOp slice, int64_t size, int64_t other) {
      return !ShapedType::isDynamic(size) &&
             slice.getOffsets()[axis] + (size - 1) * slice.getSteps()[axis] <
                 other;
    };
    int64_t step = a.getSteps()[axis];
    bool interleaves =
        step == b.getSteps()[axis] && (aFirst - bFirst) % step != 0;
    if (interleaves || endsBefore(a, aShape[axis], bFirst) ||
        endsBefore(b, bShape[axis], aFirst))
      return true;
  }
  return false;
}

/// Whether what `use` asks for may be what another op has asked for.
bool Footprint::meetsOthers(OpOperand &use) const {
  auto slice = dyn_cast<SliceOp>(use.getOwner());
  return llvm::any_of(askers.lookup(use.get()), [&](Operation *other) {
    auto otherSlice = dyn_cast<SliceOp>(other);
    return !slice || !otherSlice || !areDisjoint(slice, otherSlice);
  });
}

void Footprint::ask(OpOperand &use, const ElementCount &part) {
  Value value = use.get();
  bool meets = meetsOthers(use);
  askers[value].push_back(use.getOwner());
  auto [known, isNew] = asked.try_emplace(value, part);
  if (isNew)
    return;
  known->second = sum(known->second, part, value, meets);
}

void Footprint::follow(ArrayRef<Operation *> ops, ArrayRef<Value> results) {
  for (Value result : results)
    asked[result] = whole(result);
  for (Operation *op : llvm::reverse(ops)) {
    bool isNeeded = llvm::any_of(
        op->getResults(), [&](Value result) { return asked.contains(result); });
    if (!isNeeded)
      continue;
    // Where the first of several results is not needed, others are.
    asked.try_emplace(op->getResult(0), whole(op->getResult(0)));
    for (OpOperand &use : op->getOpOperands())
      if (std::optional<ElementCount> part = partOf(use))
        ask(use, *part);
  }
}

Footprint::Footprint(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                     const DimClasses &dims)
    : dims(dims) {
  follow(ops, results);
}

Footprint::Footprint(KernelOp kernel, const DimClasses &dims) : dims(dims) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  follow(ops, llvm::to_vector(kernel.getYield().getValues()));
}

ElementCount Footprint::read(Value value) const {
  auto known = asked.find(value);
  return known == asked.end() ? ElementCount{{DimPolynomial()}} : known->second;
}

ElementCount Footprint::written(Value result) const {
  Value stored = storedValue(result);
  if (stored == result)
    return whole(result);
  ElementCount count = limited(whole(stored), result);
  count.atMost = true;
  return count;
}
