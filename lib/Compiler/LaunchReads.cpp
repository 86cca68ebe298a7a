//===- LaunchReads.cpp - What a launch reads, and when --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchReads.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using mlir::fuse::LaunchOp;

bool ::fuse::jit::isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
      op);
}

bool ::fuse::jit::isReadBesides(LaunchOp launch, unsigned input) {
  Value root = launch.getInputs()[input];
  while (root.getDefiningOp() && isReshape(root.getDefiningOp()))
    root = root.getDefiningOp()->getOperand(0);
  OpOperand *self = &launch.getInputsMutable()[input];
  SmallVector<Value> views = {root};
  while (!views.empty())
    for (OpOperand &use : views.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isReshape(user))
        views.push_back(user->getResult(0));
      else if (&use != self && !isa<tensor::DimOp>(user) &&
               !user->isBeforeInBlock(launch))
        return true;
    }
  return false;
}

bool ::fuse::jit::readsOperand(LaunchOp op, unsigned number) {
  if (ArrayAttr maps = op.getTensorMapsAttr())
    for (auto map : maps.getAsRange<mlir::fuse::TensorMapAttr>())
      if (map.getOperand() == number)
        return true;
  auto function = SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(
      op, op.getKernel());
  return !function || number >= function.getNumArguments() ||
         !function.getArgument(number).use_empty();
}

bool ::fuse::jit::waitsItself(LaunchOp op) {
  Operation *function =
      SymbolTable::lookupNearestSymbolFrom(op, op.getKernel());
  return function &&
         function
             ->walk([](NVVM::GriddepcontrolOp control) {
               return control.getKind() == NVVM::GridDepActionKind::wait
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}
