//===- StreamedOperands.cpp - What streamed rows are computed by ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ReductionSpace.h"
#include "fuse/Analysis/StreamedSpace.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Ops that widen keys or values, once for every tile of queries.
static constexpr unsigned mostOfKeys = 8;

bool mlir::fuse::areWideRows(int64_t depth, int64_t columns) {
  return std::max(depth, columns) > mostNarrowDepth;
}

bool mlir::fuse::computesWith(Operation *op,
                              const llvm::DenseSet<Value> &values) {
  return !isa<IotaOp>(op) && readsAny(op, values);
}

bool mlir::fuse::areChained(ArrayRef<Operation *> ops) {
  llvm::DenseSet<Value> following;
  for (Operation *op : ops) {
    bool follows = computesWith(op, following);
    if (follows && isa<ContractOp>(op))
      return true;
    if (follows || isa<ContractOp>(op))
      following.insert_range(op->getResults());
  }
  return false;
}

static bool isFloat8(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8;
}

SmallVector<Operation *>
mlir::fuse::wideningOps(Value operand,
                        llvm::function_ref<bool(Operation *)> isInside) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  SmallVector<Operation *> ops;
  SmallVector<Value> work = {operand};
  bool widens = false;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || isa<ConstantOp>(op) || !isInside(op) || !seen.insert(op).second)
      continue;
    if (!isa<CastOp, MulOp, BroadcastOp, TransposeOp, GatherOp,
             tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      return {};
    widens |= isa<CastOp>(op) && isFloat8(op->getOperand(0));
    ops.push_back(op);
    llvm::append_range(work, op->getOperands());
  }
  return widens && ops.size() <= mostOfKeys ? ops : SmallVector<Operation *>();
}
