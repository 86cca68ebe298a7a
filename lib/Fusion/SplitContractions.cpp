//===- SplitContractions.cpp - A kernel for each contraction --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are formed before anything is known of a call. Only tensor cores run
// several contractions in one, and only if copies can read their operands, for
// which these must start at multiples of 16 bytes. For other calls each
// contraction gets a kernel, with what follows from it and those before it.
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Fusion/Passes.h"
#include "fuse/Schedule/Candidates.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_SPLITCONTRACTIONS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
class KernelSplitter {
public:
  explicit KernelSplitter(KernelOp kernel);

  void run();

private:
  SmallVector<Operation *> opsOf(unsigned number);
  SmallVector<Value> resultsOf(unsigned number);
  void createKernel(OpBuilder &builder, unsigned number);

  KernelOp kernel;
  /// Of each contraction and what follows from it: how many come before. What
  /// follows from none has none: each kernel that needs it computes it.
  DenseMap<Operation *, unsigned> numbers;
  unsigned count = 0;
  /// What is outside for what is inside: inputs, and results of new kernels.
  IRMapping outside;
};
} // namespace

KernelSplitter::KernelSplitter(KernelOp kernel) : kernel(kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (isa<ContractOp>(op))
      numbers[&op] = count++;
    for (Value operand : op.getOperands())
      if (auto known = numbers.find(operand.getDefiningOp());
          known != numbers.end())
        numbers[&op] = std::max(numbers.lookup(&op), known->second);
  }
  outside.map(kernel.getBody().getArguments(), kernel.getInputs());
}

/// Number `count` stands for results that follow from no contraction.
SmallVector<Value> KernelSplitter::resultsOf(unsigned number) {
  llvm::SetVector<Value> results;
  for (Operation &op : kernel.getBody().front())
    for (Value operand : op.getOperands()) {
      auto known = numbers.find(operand.getDefiningOp());
      bool isOwn = known == numbers.end()
                       ? number == count && isa<YieldOp>(op)
                       : known->second == number &&
                             (isa<YieldOp>(op) || numbers.lookup(&op) > number);
      if (isOwn)
        results.insert(operand);
    }
  return results.takeVector();
}

SmallVector<Operation *> KernelSplitter::opsOf(unsigned number) {
  llvm::SetVector<Value> needed;
  needed.insert_range(resultsOf(number));
  SmallVector<Operation *> ops;
  for (Operation &op :
       llvm::reverse(kernel.getBody().front().without_terminator())) {
    auto known = numbers.find(&op);
    bool isHere = known == numbers.end() || known->second == number;
    if (!isHere || llvm::none_of(op.getResults(), [&](Value result) {
          return needed.contains(result);
        }))
      continue;
    ops.push_back(&op);
    needed.insert_range(op.getOperands());
  }
  std::reverse(ops.begin(), ops.end());
  return ops;
}

void KernelSplitter::createKernel(OpBuilder &builder, unsigned number) {
  SmallVector<Operation *> ops = opsOf(number);
  SmallVector<Value> results = resultsOf(number);
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> inputs;
  auto need = [&](Value value) {
    if (isa<RankedTensorType>(value.getType()) &&
        !inside.contains(value.getDefiningOp()))
      inputs.insert(value);
  };
  for (Operation *op : ops)
    llvm::for_each(op->getOperands(), need);
  llvm::for_each(results, need);
  SmallVector<Value> operands = llvm::map_to_vector(
      inputs, [&](Value value) { return outside.lookup(value); });
  auto part = KernelOp::create(
      builder, ops.empty() ? kernel.getLoc() : ops.back()->getLoc(),
      ValueRange(results).getTypes(),
      builder.getStringAttr(kernel.getKernelName() + "_" + Twine(number)),
      operands, ScheduleAttrInterface());
  Block &body = part.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  for (Operation *op : ops)
    inner.clone(*op, mapping);
  YieldOp::create(inner, part.getLoc(),
                  llvm::map_to_vector(results, [&](Value result) {
                    return mapping.lookup(result);
                  }));
  outside.map(ValueRange(results), part.getResults());
}

void KernelSplitter::run() {
  OpBuilder builder(kernel);
  for (unsigned number = 0; number <= count; ++number)
    if (!resultsOf(number).empty())
      createKernel(builder, number);
  for (auto [result, value] :
       llvm::zip(kernel.getResults(), kernel.getYield().getValues()))
    result.replaceAllUsesWith(outside.lookup(value));
  kernel.erase();
}

namespace {
struct SplitContractionsPass
    : public mlir::fuse::impl::SplitContractionsBase<SplitContractionsPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::Expected<ScheduleTarget> target =
        ScheduleTarget::of(chip, divisible, strict);
    if (!target) {
      // Said where schedules are assigned.
      llvm::consumeError(target.takeError());
      return;
    }
    target->aligned = aligned;
    func::FuncOp function = getOperation();
    DimClasses dims(function);
    SmallVector<KernelOp> split;
    for (KernelOp kernel : function.getOps<KernelOp>()) {
      auto contractions = kernel.getBody().getOps<ContractOp>();
      bool hasSeveral =
          std::distance(contractions.begin(), contractions.end()) > 1;
      bool hasTiles =
          !target->isGPU && (proposeTiled(kernel, dims, *target) ||
                             proposeStreamedPanels(kernel, dims, *target));
      if (hasSeveral && !kernel.getScheduleAttr() && !hasTiles &&
          mmaSchedulesOf(kernel, dims, *target).empty() &&
          streamedSchedulesOf(kernel, dims, *target).empty())
        split.push_back(kernel);
    }
    for (KernelOp kernel : split)
      KernelSplitter(kernel).run();
  }
};
} // namespace
