//===- MergeKernels.cpp - One gpu.module for all kernels ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEMERGEKERNELS
#include "fuse/Codegen/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Fails if `into` has a symbol of the same name as one of `from`.
static LogicalResult verifyDistinct(gpu::GPUModuleOp into,
                                    gpu::GPUModuleOp from) {
  for (Operation &op : *from.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (symbol && into.lookupSymbol(symbol.getNameAttr()))
      return symbol->emitError()
             << "expected the symbols of all gpu.modules to differ, but got '"
             << symbol.getName() << "' in @" << into.getName() << " and @"
             << from.getName() << "; rename one";
  }
  return success();
}

namespace {
struct FuseMergeKernels : fuse::impl::FuseMergeKernelsBase<FuseMergeKernels> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp program = getOperation();
    gpu::GPUModuleOp first;
    for (auto module :
         llvm::make_early_inc_range(program.getOps<gpu::GPUModuleOp>())) {
      if (!first)
        first = module;
      else if (failed(merge(program, first, module)))
        return signalPassFailure();
    }
  }

private:
  static LogicalResult merge(ModuleOp program, gpu::GPUModuleOp into,
                             gpu::GPUModuleOp from) {
    if (failed(verifyDistinct(into, from)) ||
        failed(SymbolTable::replaceAllSymbolUses(from, into.getNameAttr(),
                                                 program)))
      return failure();
    auto &ops = into.getBody()->getOperations();
    ops.splice(ops.end(), from.getBody()->getOperations());
    from.erase();
    return success();
  }
};
} // namespace
