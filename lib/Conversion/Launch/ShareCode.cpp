//===- ShareCode.cpp - Kernels of the same code ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules are compared while their symbols are numbers, since the kernel's name
// is part of them all.
//
//===----------------------------------------------------------------------===//

#include "fuse/Conversion/Passes.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_SHARECODE
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static SmallVector<SymbolOpInterface> symbolsOf(gpu::GPUModuleOp module) {
  return llvm::to_vector(module.getOps<SymbolOpInterface>());
}

namespace {
/// A module whose symbols can be numbers for a while.
class NumberedModule {
public:
  explicit NumberedModule(gpu::GPUModuleOp module);

  gpu::GPUModuleOp getModule() const { return module; }
  void number();
  void restore();

private:
  using Names = DenseMap<StringAttr, StringAttr>;
  void rename(const Names &names);

  gpu::GPUModuleOp module;
  StringAttr name;
  Names numbers, originals;
  /// What refers to the symbols.
  llvm::SmallSetVector<Operation *, 4> users;
};
} // namespace

NumberedModule::NumberedModule(gpu::GPUModuleOp module)
    : module(module), name(module.getNameAttr()) {
  for (auto [number, symbol] : llvm::enumerate(symbolsOf(module))) {
    auto own = StringAttr::get(module.getContext(), Twine(number));
    numbers[symbol.getNameAttr()] = own;
    originals[own] = symbol.getNameAttr();
  }
  if (auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion()))
    for (SymbolTable::SymbolUse use : *uses)
      users.insert(use.getUser());
}

void NumberedModule::rename(const Names &names) {
  for (SymbolOpInterface symbol : symbolsOf(module))
    symbol.setName(names.lookup(symbol.getNameAttr()));
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](SymbolRefAttr symbol) -> Attribute {
    StringAttr other = names.lookup(symbol.getRootReference());
    return other ? SymbolRefAttr::get(other, symbol.getNestedReferences())
                 : symbol;
  });
  for (Operation *user : users)
    replacer.replaceElementsIn(user);
}

void NumberedModule::number() {
  module.setName("");
  rename(numbers);
}

void NumberedModule::restore() {
  SymbolTable::setSymbolName(module, name);
  rename(originals);
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
  explicit CodeSharing(ModuleOp program);
  void apply(ModuleOp program);

private:
  void share(LaunchOp launch);

  /// Modules that equal another, each with the first of these.
  SmallVector<std::pair<gpu::GPUModuleOp, gpu::GPUModuleOp>> equal;
  /// The same by name.
  llvm::StringMap<std::pair<gpu::GPUModuleOp, gpu::GPUModuleOp>> others;
};
} // namespace

CodeSharing::CodeSharing(ModuleOp program) {
  SmallVector<NumberedModule, 0> all;
  for (auto module : program.getOps<gpu::GPUModuleOp>())
    all.emplace_back(module);
  llvm::DenseMap<size_t, SmallVector<gpu::GPUModuleOp, 1>> known;
  for (NumberedModule &each : all) {
    each.number();
    gpu::GPUModuleOp module = each.getModule();
    auto &alike = known[static_cast<size_t>(hashOf(module))];
    auto *first = llvm::find_if(alike, [&](gpu::GPUModuleOp other) {
      return OperationEquivalence::isEquivalentTo(
          module, other, OperationEquivalence::IgnoreLocations);
    });
    if (first != alike.end())
      equal.push_back({module, *first});
    else
      alike.push_back(module);
  }
  for (NumberedModule &each : all)
    each.restore();
  for (auto pair : equal)
    others[pair.first.getName()] = pair;
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
      if (!launch->hasAttr(kLaunchNameAttr))
        launch->setAttr(kLaunchNameAttr, own.getNameAttr());
      launch.setKernelAttr(SymbolRefAttr::get(
          to.getNameAttr(), {FlatSymbolRefAttr::get(kept.getNameAttr())}));
      return;
    }
}

void CodeSharing::apply(ModuleOp program) {
  program.walk([&](LaunchOp launch) { share(launch); });
  for (auto [module, first] : equal)
    module.erase();
}

namespace {
struct ShareCodePass : public mlir::fuse::impl::ShareCodeBase<ShareCodePass> {
  using Base::Base;

  void runOnOperation() override {
    CodeSharing(getOperation()).apply(getOperation());
  }
};
} // namespace
