//===- KernelEdge.cpp - What enters and leaves a kernel -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/KernelEdge.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

Value mlir::fuse::storedValue(Value result) {
  auto scatter = result.getDefiningOp<ScatterOp>();
  return scatter ? Value(scatter.getUpdates()) : result;
}

Value mlir::fuse::behindReshapes(Value value) {
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::CastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

std::optional<std::pair<int64_t, int64_t>>
mlir::fuse::elementBitsAlong(ArrayRef<Value> edge, const DimClasses &dims,
                             const Extent &inner) {
  std::optional<std::pair<int64_t, int64_t>> bits;
  for (Value value : edge) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t rank = type.getRank();
    if (rank == 0 || !(dims.extent(value, rank - 1) == inner))
      continue;
    // Booleans take a byte.
    int64_t own = std::max<int64_t>(8, type.getElementTypeBitWidth());
    bits = bits ? std::pair(std::min(bits->first, own),
                            std::max(bits->second, own))
                : std::pair(own, own);
  }
  return bits;
}

SmallVector<Value> mlir::fuse::edgeOf(KernelOp kernel) {
  SmallVector<Value> edge(kernel.getBody().getArguments());
  llvm::append_range(edge, kernel.getYield().getValues());
  return edge;
}

std::optional<std::pair<int64_t, int64_t>>
mlir::fuse::elementBitsAlong(KernelOp kernel, const DimClasses &dims,
                             const Extent &inner) {
  return elementBitsAlong(edgeOf(kernel), dims, inner);
}

bool mlir::fuse::needsOnlySizes(OpOperand &use) {
  Operation *op = use.getOwner();
  if (isa<tensor::DimOp, IotaOp>(op))
    return true;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return use.get() == broadcast.getLike() && use.getOperandNumber() > 0;
  return isa<RandomOp>(op) && use.getOperandNumber() > 0;
}

bool mlir::fuse::isOnlyGathered(BlockArgument input) {
  auto gathers = [](OpOperand &use) {
    auto gather = dyn_cast<GatherOp>(use.getOwner());
    return gather && &use == &gather.getTableMutable();
  };
  return llvm::any_of(input.getUses(), gathers) &&
         llvm::all_of(input.getUses(), [&](OpOperand &use) {
           return gathers(use) || needsOnlySizes(use);
         });
}

SmallVector<BlockArgument> mlir::fuse::streamedInputs(KernelOp kernel,
                                                      const DimClasses &dims,
                                                      ArrayRef<Extent> domain) {
  return llvm::filter_to_vector(
      kernel.getBody().getArguments(), [&](BlockArgument input) {
        return ArrayRef<Extent>(dims.extents(input)) == domain;
      });
}
