//===- SplitTileStatistics.cpp - Reductions out of contractions -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelOfGroup.h"

#include "fuse/Analysis/ReductionSpace.h"
#include "fuse/Analysis/RowParts.h"
#include "fuse/Fusion/Passes.h"
#include "fuse/Schedule/Scheduler.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_SPLITTILESTATISTICS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// What computes results in a kernel's body: ops in program order, and the
/// values that these start from.
struct Computation {
  SmallVector<Operation *> ops;
  SmallVector<Value> inputs;
};
} // namespace

/// From the kernel's inputs on, and from what is in `known`.
static Computation computationOf(ArrayRef<Value> results,
                                 const llvm::DenseSet<Value> &known) {
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> inputs;
  auto visit = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && !known.contains(value))
      ops.insert(op);
    else
      inputs.insert(value);
  };
  llvm::for_each(results, visit);
  for (size_t next = 0; next < ops.size(); ++next)
    for (Value operand : ops[next]->getOperands())
      visit(operand);
  Computation found{ops.takeVector(), inputs.takeVector()};
  llvm::sort(found.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return found;
}

/// The second kernel reads what the first one writes, and the contraction's
/// result where that is not enough.
static void split(KernelOp kernel) {
  SmallVector<Operation *> ops =
      llvm::map_to_vector(kernel.getBody().front().without_terminator(),
                          [](Operation &op) { return &op; });
  llvm::DenseSet<Value> reduced = valuesFromReductions(ops), known;
  SmallVector<Value> first, second;
  for (Value value : kernel.getYield().getValues())
    (reduced.contains(value) ? second : first).push_back(value);
  known.insert(first.begin(), first.end());
  for (Operation *op : ops)
    if (isa<ContractOp>(op))
      known.insert(op->getResult(0));
  Computation ofRows = computationOf(second, known);
  for (Value input : ofRows.inputs)
    if (input.getDefiningOp() && !llvm::is_contained(first, input))
      first.push_back(input);

  OpBuilder builder(kernel);
  DenseMap<Value, Value> outside;
  for (auto [argument, input] :
       llvm::zip(kernel.getBody().getArguments(), kernel.getInputs()))
    outside[argument] = input;
  auto create = [&](StringRef name, const Computation &computation,
                    ArrayRef<Value> results) {
    KernelOp created = cloneAsKernel(builder, name, computation.ops,
                                     computation.inputs, results);
    created.getInputsMutable().assign(llvm::map_to_vector(
        computation.inputs, [&](Value value) { return outside[value]; }));
    for (auto [inner, outer] : llvm::zip(results, created.getResults()))
      outside[inner] = outer;
  };
  std::string name = kernel.getKernelName().str();
  create(name, computationOf(first, {}), first);
  create(name + "_rows", ofRows, second);
  for (auto [result, value] :
       llvm::zip(kernel.getResults(), kernel.getYield().getValues()))
    result.replaceAllUsesWith(outside[value]);
  kernel.erase();
}

/// Gives each reduction of an input with few elements a row a kernel before
/// this one: only tiles of tensor cores combine them beside a product.
static void splitRowParts(KernelOp kernel) {
  auto reductions = llvm::filter_to_vector(
      kernel.getBody().getOps<ReduceOp>(),
      [](ReduceOp reduce) { return combinesRowParts(reduce); });
  for (auto [number, reduce] : llvm::enumerate(reductions)) {
    OpBuilder builder(kernel);
    auto input = cast<BlockArgument>(reduce.getInput());
    std::string name =
        llvm::formatv("{0}_reduce_{1}", kernel.getKernelName(), number);
    KernelOp created = cloneAsKernel(builder, name, reduce.getOperation(),
                                     reduce.getInput(), reduce.getResult());
    created.getInputsMutable().assign(kernel.getInputs()[input.getArgNumber()]);
    kernel.getInputsMutable().append(created.getResults());
    reduce.replaceAllUsesWith(
        kernel.getBody().addArgument(reduce.getType(), reduce.getLoc()));
    reduce.erase();
    if (input.use_empty()) {
      kernel.getInputsMutable().erase(input.getArgNumber());
      kernel.getBody().eraseArgument(input.getArgNumber());
    }
  }
}

static bool hasReductions(KernelOp kernel) {
  return llvm::any_of(kernel.getBody().front(),
                      [](Operation &op) { return isReduction(&op); });
}

namespace {
struct SplitTileStatisticsPass
    : public mlir::fuse::impl::SplitTileStatisticsBase<
          SplitTileStatisticsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      Block &body = kernel.getBody().front();
      if (!kernel.getScheduleAttr() && !body.getOps<ContractOp>().empty() &&
          hasReductions(kernel))
        kernels.push_back(kernel);
    }
    if (kernels.empty())
      return;
    // An unknown chip is an error where schedules are assigned.
    llvm::Expected<ScheduleTarget> target =
        ScheduleTarget::of(chip, divisible, strict);
    if (!target)
      return llvm::consumeError(target.takeError());
    target->aligned = aligned;
    DimClasses dims(getOperation());
    llvm::erase_if(kernels, [&](KernelOp kernel) {
      return proposeStreamed(kernel, dims, *target) ||
             proposeStreamedPanels(kernel, dims, *target) ||
             proposeMma(kernel, dims, *target);
    });
    for (KernelOp kernel : kernels) {
      splitRowParts(kernel);
      if (hasReductions(kernel))
        split(kernel);
    }
  }
};
} // namespace
