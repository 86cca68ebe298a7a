//===- ShareCode.cpp - Kernels of the same code ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules are compared as copies whose symbols are numbered, since the kernel's
// name is part of them all.
//
//===----------------------------------------------------------------------===//

#include "fuse/Conversion/Passes.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_SHARECODE
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static SmallVector<SymbolOpInterface> symbolsOf(gpu::GPUModuleOp module) {
  return llvm::to_vector(module.getOps<SymbolOpInterface>());
}

/// A copy of the module whose symbols are numbers.
static OwningOpRef<gpu::GPUModuleOp> numbered(gpu::GPUModuleOp module) {
  OwningOpRef<gpu::GPUModuleOp> copy = module.clone();
  SymbolTable table(*copy);
  // A name that a symbol further on has would be taken.
  for (StringRef start : {"__", ""})
    for (auto [number, symbol] : llvm::enumerate(symbolsOf(*copy)))
      if (failed(table.rename(symbol, (start + Twine(number)).str())))
        return nullptr;
  copy->setName("");
  return copy;
}

static llvm::hash_code hashOf(gpu::GPUModuleOp module) {
  llvm::hash_code hash(0);
  module->walk([&](Operation *op) {
    hash =
        llvm::hash_combine(hash, OperationEquivalence::computeHash(
                                     op, OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::ignoreHashValue,
                                     OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

namespace {
/// Finds equal modules, and moves launches to the first of them.
class CodeSharing {
public:
  void add(gpu::GPUModuleOp module);
  void apply(ModuleOp program);

private:
  struct Known {
    gpu::GPUModuleOp module;
    OwningOpRef<gpu::GPUModuleOp> numbered;
  };

  void share(LaunchOp launch);

  llvm::DenseMap<size_t, SmallVector<Known, 1>> known;
  /// By its name, a module and the first one that is equal.
  llvm::StringMap<std::pair<gpu::GPUModuleOp, gpu::GPUModuleOp>> others;
};
} // namespace

void CodeSharing::add(gpu::GPUModuleOp module) {
  OwningOpRef<gpu::GPUModuleOp> own = numbered(module);
  if (!own)
    return;
  SmallVector<Known, 1> &alike = known[static_cast<size_t>(hashOf(*own))];
  for (const Known &other : alike)
    if (OperationEquivalence::isEquivalentTo(
            *own, other.numbered.get(),
            OperationEquivalence::IgnoreLocations)) {
      others[module.getName()] = {module, other.module};
      return;
    }
  alike.push_back({module, std::move(own)});
}

/// Equal modules have their symbols in the same order.
void CodeSharing::share(LaunchOp launch) {
  SymbolRefAttr symbol = launch.getKernel();
  auto found = others.find(symbol.getRootReference().getValue());
  if (found == others.end())
    return;
  auto [from, to] = found->second;
  for (auto [own, kept] : llvm::zip_equal(symbolsOf(from), symbolsOf(to)))
    if (own.getNameAttr() == symbol.getLeafReference()) {
      launch->setAttr(kLaunchNameAttr, own.getNameAttr());
      launch.setKernelAttr(SymbolRefAttr::get(
          to.getNameAttr(), {FlatSymbolRefAttr::get(kept.getNameAttr())}));
      return;
    }
}

void CodeSharing::apply(ModuleOp program) {
  program.walk([&](LaunchOp launch) { share(launch); });
  for (auto &entry : others)
    entry.second.first.erase();
}

namespace {
struct ShareCodePass : public mlir::fuse::impl::ShareCodeBase<ShareCodePass> {
  using Base::Base;

  void runOnOperation() override {
    CodeSharing sharing;
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      sharing.add(module);
    sharing.apply(getOperation());
  }
};
} // namespace
