//===- JoinedOperands.cpp - Operands that are several tensors -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys with features of two tensors, one of which all heads share:
//
//   %r = fuse.broadcast %shared                                  [h, n, 64]
//   %k = fuse.concat %own, %r dim = 2                            [h, n, 192]
//
// A copy of a row of shared memory reads the tensor that its features are in.
// What repeats or turns that one only says where its elements lie.
//
//===----------------------------------------------------------------------===//

#include "MmaOperands.h"
#include "fuse/Analysis/StreamedSpace.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether the op leaves elements as they are, each dimension of its operand
/// one of its result's.
static bool isMove(Operation *op) {
  return isa<TransposeOp, tensor::ExpandShapeOp>(op) ||
         (isa<BroadcastOp>(op) && op->getNumOperands() == 1);
}

SmallVector<Operation *>
mlir::fuse::joiningOps(Value operand,
                       llvm::function_ref<bool(Operation *)> isInside) {
  SmallVector<Operation *> ops;
  SmallVector<Value> work = {operand};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || !isInside(op) || llvm::is_contained(ops, op) ||
        !(isa<ConcatOp>(op) || isMove(op)))
      continue;
    ops.push_back(op);
    llvm::append_range(work, op->getOperands());
  }
  return !ops.empty() && isa<ConcatOp>(ops.front())
             ? ops
             : SmallVector<Operation *>();
}

SmallVector<Value>
mlir::fuse::joinedTensors(Value operand, StringRef axes, char axis,
                          llvm::function_ref<bool(Operation *)> isInside) {
  auto concat = operand.getDefiningOp<ConcatOp>();
  if (!concat || !isInside(concat) || axes[concat.getDim()] != axis)
    return {operand};
  SmallVector<Value> tensors;
  for (Value part : concat.getInputs())
    llvm::append_range(tensors, joinedTensors(part, axes, axis, isInside));
  return tensors;
}

/// The letters of what is expanded; none where a dimension is split.
static std::optional<std::string> beforeExpansion(tensor::ExpandShapeOp op,
                                                  StringRef axes,
                                                  const DimClasses &dims) {
  std::string source;
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    auto larger = llvm::make_filter_range(group, [&](int64_t dim) {
      return dims.extent(op.getResult(), dim).size != 1;
    });
    auto count = std::distance(larger.begin(), larger.end());
    if (count > 1)
      return std::nullopt;
    source += axes[count == 1 ? *larger.begin() : group.front()];
  }
  return source;
}

std::optional<MovedTensor>
mlir::fuse::movedTensorOf(Value value, StringRef axes, const DimClasses &dims,
                          llvm::function_ref<bool(Operation *)> isInside) {
  MovedTensor moved{value, axes.str()};
  while (Operation *op = moved.tensor.getDefiningOp()) {
    if (!isInside(op))
      break;
    if (!isMove(op))
      return std::nullopt;
    Value source = op->getOperand(0);
    size_t rank = cast<RankedTensorType>(source.getType()).getRank();
    std::string its;
    if (auto transpose = dyn_cast<TransposeOp>(op)) {
      its.resize(rank);
      for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
        its[from] = moved.axes[dim];
    } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      std::optional<std::string> before =
          beforeExpansion(expand, moved.axes, dims);
      if (!before)
        return std::nullopt;
      its = std::move(*before);
    } else {
      its = StringRef(moved.axes).take_back(rank).str();
    }
    moved = {source, std::move(its)};
  }
  return moved;
}
