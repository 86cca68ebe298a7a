//===- AxisClasses.cpp - Which dimensions are walked together -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/AxisClasses.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"

using namespace mlir;
using namespace mlir::fuse;

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

/// Whether a movement leaves elements where they are along a dimension.
static bool keepsPlaces(Operation *op, int64_t dim) {
  if (auto slice = dyn_cast<SliceOp>(op))
    return slice.getOffsets()[dim] == 0 && slice.getSteps()[dim] == 1 &&
           slice.getInput().getType().getDimSize(dim) ==
               slice.getType().getDimSize(dim) &&
           (!slice.getType().isDynamicDim(dim) || slice.getSizes()[dim] == -1);
  if (auto reverse = dyn_cast<ReverseOp>(op))
    return !llvm::is_contained(reverse.getDims(), dim);
  return static_cast<int64_t>(cast<ConcatOp>(op).getDim()) != dim;
}

AxisClasses::AxisClasses(ArrayRef<Operation *> ops, const DimClasses &dims)
    : dims(dims) {
  for (Operation *op : ops)
    visit(op);
}

int AxisClasses::node(Value value, int64_t dim) {
  auto [it, isNew] = nodes.try_emplace(value, parents.size());
  for (int64_t i = 0, rank = isNew ? rankOf(value) : 0; i < rank; ++i)
    parents.push_back(it->second + i);
  return it->second + dim;
}

int AxisClasses::find(int node) const {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

void AxisClasses::unite(Value a, int64_t i, Value b, int64_t j) {
  if (dims.extent(a, i).size == 1 || dims.extent(b, j).size == 1)
    return;
  int rootA = find(node(a, i)), rootB = find(node(b, j));
  parents[std::max(rootA, rootB)] = std::min(rootA, rootB);
}

void AxisClasses::uniteFirst(Value a, Value b) {
  for (int64_t dim = 0, rank = std::min(rankOf(a), rankOf(b)); dim < rank;
       ++dim)
    unite(a, dim, b, dim);
}

void AxisClasses::visit(Operation *op) {
  if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>()) {
    Value result = op->getResult(0);
    for (Value operand : op->getOperands()) {
      int64_t shift = rankOf(result) - rankOf(operand);
      for (int64_t dim = 0, rank = rankOf(operand); dim < rank; ++dim)
        unite(operand, dim, result, dim + shift);
    }
    return;
  }
  if (auto rotary = dyn_cast<RotaryOp>(op))
    return uniteFirst(rotary.getInput(), rotary.getResult());
  if (auto take = dyn_cast<TakeAlongOp>(op)) {
    for (int64_t dim = 0, rank = rankOf(take.getResult()); dim < rank; ++dim) {
      unite(take.getIds(), dim, take.getResult(), dim);
      if (dim != static_cast<int64_t>(take.getDim()))
        unite(take.getTable(), dim, take.getResult(), dim);
    }
    return;
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    for (int64_t dim = 0, rank = rankOf(gather.getIds()); dim < rank; ++dim)
      unite(gather.getIds(), dim, gather.getResult(), gather.getDim() + dim);
    return;
  }
  if (isa<SliceOp, ReverseOp, ConcatOp>(op)) {
    for (Value operand : op->getOperands())
      for (int64_t dim = 0, rank = rankOf(operand); dim < rank; ++dim)
        if (keepsPlaces(op, dim))
          unite(operand, dim, op->getResult(0), dim);
    return;
  }
  if (auto scan = dyn_cast<ScanOp>(op))
    return uniteFirst(scan.getInput(), scan.getResult());
  if (isa<SoftmaxStatsOp, WelfordOp>(op)) {
    for (Value result : op->getResults())
      uniteFirst(op->getOperand(0), result);
    return;
  }
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return;
  for (int64_t dim = 0, out = 0, rank = rankOf(reduce.getInput()); dim < rank;
       ++dim) {
    bool reduced = llvm::is_contained(reduce.getDims(), dim);
    if (!reduced)
      unite(reduce.getInput(), dim, reduce.getResult(), out);
    out += !reduced || reduce.getKeep();
  }
}

SmallVector<int> AxisClasses::axes(Value value) {
  SmallVector<int> result;
  for (int64_t dim = 0, rank = rankOf(value); dim < rank; ++dim)
    result.push_back(
        dims.extent(value, dim).size == 1 ? -1 : find(node(value, dim)));
  return result;
}
