//===- SplitKernels.cpp - A gpu.module for each kernel
//---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitKernels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isKernel(Operation &op) {
  return isa<LLVM::LLVMFuncOp>(op) &&
         op.hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
}

/// A kernel and all that it uses, directly or not; empty if that is not known.
static SetVector<Operation *> closureOf(Operation *kernel,
                                        const SymbolTable &symbols) {
  SetVector<Operation *> closure;
  closure.insert(kernel);
  for (unsigned i = 0; i < closure.size(); ++i) {
    auto uses = SymbolTable::getSymbolUses(closure[i]);
    if (!uses)
      return {};
    for (SymbolTable::SymbolUse use : *uses)
      if (Operation *used =
              symbols.lookup(use.getSymbolRef().getLeafReference()))
        closure.insert(used);
  }
  return closure;
}

SmallVector<OwningOpRef<gpu::GPUModuleOp>>
mlir::fuse::splitKernels(gpu::GPUModuleOp module) {
  SymbolTable symbols(module);
  SmallVector<SetVector<Operation *>> closures;
  DenseSet<Operation *> taken;
  for (Operation &op : *module.getBody()) {
    if (!isKernel(op))
      continue;
    closures.push_back(closureOf(&op, symbols));
    if (closures.back().empty())
      return {};
    for (Operation *used : closures.back())
      if (!taken.insert(used).second)
        return {};
  }
  if (closures.size() < 2)
    return {};
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts;
  for (const SetVector<Operation *> &closure : closures) {
    auto part = cast<gpu::GPUModuleOp>(module->cloneWithoutRegions());
    OpBuilder builder =
        OpBuilder::atBlockBegin(&part.getRegion().emplaceBlock());
    for (Operation &op : *module.getBody())
      if (closure.contains(&op))
        builder.clone(op);
    parts.push_back(part);
  }
  return parts;
}
