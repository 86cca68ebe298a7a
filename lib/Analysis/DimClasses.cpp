//===- DimClasses.cpp - Which dimensions are equal ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimClasses.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

DimClasses::DimClasses(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      addValue(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          addValue(argument);
  });
  root->walk([&](Operation *op) { visit(op); });
}

void DimClasses::addValue(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    nodes[{value, axis}] = parents.size();
    parents.push_back(parents.size());
    sizes.push_back(size);
  }
}

int DimClasses::find(int node) const {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

void DimClasses::unite(Value a, int64_t i, Value b, int64_t j) {
  auto itA = nodes.find({a, i}), itB = nodes.find({b, j});
  if (itA == nodes.end() || itB == nodes.end())
    return;
  int rootA = find(itA->second), rootB = find(itB->second);
  if (rootA == rootB)
    return;
  // Two different static sizes are an error that the verifiers report.
  if (ShapedType::isDynamic(sizes[rootA]))
    sizes[rootA] = sizes[rootB];
  // The older node leads, so that classes are numbered in program order.
  if (rootB < rootA) {
    std::swap(rootA, rootB);
    sizes[rootA] =
        ShapedType::isDynamic(sizes[rootA]) ? sizes[rootB] : sizes[rootA];
  }
  parents[rootB] = rootA;
}

void DimClasses::uniteSameRank(Value a, Value b) {
  int64_t rank = cast<RankedTensorType>(a.getType()).getRank();
  for (int64_t axis = 0; axis < rank; ++axis)
    unite(a, axis, b, axis);
}

void DimClasses::uniteBroadcast(Value operand, Value result) {
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t shift =
      cast<RankedTensorType>(result.getType()).getRank() - type.getRank();
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.getDimSize(axis) != 1)
      unite(operand, axis, result, axis + shift);
}

/// The equalities of a reduction of `input` over `dims` to `result`.
template <typename Unite>
static void forEachKeptDim(Value input, ArrayRef<int64_t> dims, bool keep,
                           Unite unite) {
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  for (int64_t axis = 0, out = 0; axis < rank; ++axis) {
    bool reduced = llvm::is_contained(dims, axis);
    if (!reduced)
      unite(axis, out);
    out += !reduced || keep;
  }
}

/// Calls `unite(operandAxis, operand, axis, other)` for each pair of axes that
/// a contraction names by the same letter.
template <typename Unite>
static void forEachSharedLetter(ContractOp op, Unite unite) {
  std::pair<StringRef, Value> tensors[] = {
      {op.getLhsAxes(), op.getLhs()},
      {op.getRhsAxes(), op.getRhs()},
      {op.getResultAxes(), op.getResult()}};
  for (unsigned a = 0; a < 3; ++a)
    for (unsigned b = a + 1; b < 3; ++b)
      for (auto [i, letter] : llvm::enumerate(tensors[a].first)) {
        size_t j = tensors[b].first.find(letter);
        auto isOne = [](Value v, int64_t axis) {
          return cast<RankedTensorType>(v.getType()).getDimSize(axis) == 1;
        };
        if (j != StringRef::npos && !isOne(tensors[a].second, i) &&
            !isOne(tensors[b].second, j))
          unite(tensors[a].second, i, tensors[b].second, j);
      }
}

void DimClasses::visit(Operation *op) {
  if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>()) {
    for (Value operand : op->getOperands())
      uniteBroadcast(operand, op->getResult(0));
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<SoftmaxOp, LogSoftmaxOp, RmsNormOp, LayerNormOp>(
          [&](auto norm) { uniteSameRank(norm.getInput(), norm.getResult()); })
      .Case<RotaryOp>([&](RotaryOp rotary) {
        uniteSameRank(rotary.getInput(), rotary.getResult());
        int64_t tokens = rotary.getTokenAxis();
        if (Value positions = rotary.getPositions()) {
          int64_t rank = cast<RankedTensorType>(positions.getType()).getRank();
          unite(rotary.getInput(), tokens, positions, rank - 1);
          if (rank == 2)
            unite(rotary.getInput(), 0, positions, 0);
        } else if (Value cosTable = rotary.getCosTable()) {
          unite(rotary.getInput(), tokens, cosTable, 0);
        }
        if (rotary.getCosTable())
          uniteSameRank(rotary.getCosTable(), rotary.getSinTable());
      })
      .Case<ReduceOp, LogSumExpOp>([&](auto reduce) {
        forEachKeptDim(reduce.getInput(), reduce.getDims(), reduce.getKeep(),
                       [&](int64_t in, int64_t out) {
                         unite(reduce.getInput(), in, reduce.getResult(), out);
                       });
      })
      .Case<SoftmaxStatsOp>([&](SoftmaxStatsOp stats) {
        forEachKeptDim(stats.getInput(), stats.getDims(), /*keep=*/true,
                       [&](int64_t in, int64_t out) {
                         unite(stats.getInput(), in, stats.getMax(), out);
                         unite(stats.getInput(), in, stats.getSum(), out);
                       });
      })
      .Case<ContractOp>([&](ContractOp contract) {
        forEachSharedLetter(contract, [&](Value a, int64_t i, Value b,
                                          int64_t j) { unite(a, i, b, j); });
      })
      .Case<tensor::ExpandShapeOp>([&](tensor::ExpandShapeOp expand) {
        for (auto [axis, group] :
             llvm::enumerate(expand.getReassociationIndices()))
          if (group.size() == 1)
            unite(expand.getSrc(), axis, expand.getResult(), group[0]);
      })
      .Case<tensor::CollapseShapeOp>([&](tensor::CollapseShapeOp collapse) {
        for (auto [axis, group] :
             llvm::enumerate(collapse.getReassociationIndices()))
          if (group.size() == 1)
            unite(collapse.getSrc(), group[0], collapse.getResult(), axis);
      })
      .Case<KernelOp>([&](KernelOp kernel) {
        Block &body = kernel.getBody().front();
        for (auto [input, argument] :
             llvm::zip(kernel.getInputs(), body.getArguments()))
          uniteSameRank(input, argument);
        for (auto [value, result] : llvm::zip(
                 body.getTerminator()->getOperands(), kernel.getResults()))
          uniteSameRank(value, result);
      });
}

Extent DimClasses::extent(Value value, int64_t axis) const {
  auto it = nodes.find({value, axis});
  assert(it != nodes.end() && "dimension outside the analysed code");
  int root = find(it->second);
  if (!ShapedType::isDynamic(sizes[root]))
    return {sizes[root]};
  return {ShapedType::kDynamic, root};
}

SmallVector<Extent> DimClasses::extents(Value value) const {
  SmallVector<Extent> result;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  for (int64_t axis = 0; axis < rank; ++axis)
    result.push_back(extent(value, axis));
  return result;
}
