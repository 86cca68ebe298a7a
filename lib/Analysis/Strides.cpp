//===- Strides.cpp - Which tensors are strided views ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/Strides.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t vectorBytes = 16;

static StrideKind kindOfArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto kernel = dyn_cast<KernelOp>(parent))
    return strideKind(kernel.getInputs()[number]);
  auto function = dyn_cast<FunctionOpInterface>(parent);
  if (!function || !argument.getOwner()->isEntryBlock())
    return StrideKind::dense;
  auto name = function.getArgAttrOfType<StringAttr>(number, kStridedAttr);
  return name ? symbolizeStrideKind(name.getValue()).value_or(StrideKind::any)
              : StrideKind::dense;
}

/// Whether the strides that an expansion of the last dimension makes are
/// multiples of a vector.
static bool keepsRowsAligned(tensor::ExpandShapeOp expand) {
  auto reassociation = expand.getReassociationIndices();
  if (reassociation.empty() || reassociation.back().size() == 1)
    return true;
  RankedTensorType type = expand.getResultType();
  int64_t stride = (type.getElementTypeBitWidth() + 7) / 8;
  for (int64_t dim :
       llvm::reverse(ArrayRef(reassociation.back()).drop_front())) {
    if (type.isDynamicDim(dim))
      return false;
    stride *= type.getDimSize(dim);
    if (stride % vectorBytes != 0)
      return false;
  }
  return true;
}

StrideKind mlir::fuse::strideKind(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return kindOfArgument(argument);
  Operation *op = tensor.getDefiningOp();
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
    return StrideKind::dense;
  StrideKind kind = strideKind(op->getOperand(0));
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  if (kind == StrideKind::aligned_rows && expand && !keepsRowsAligned(expand))
    return StrideKind::rows;
  return kind;
}
