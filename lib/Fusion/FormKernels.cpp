//===- FormKernels.cpp - Group primitives into kernels --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What shares a kernel is decided first (MergeGroups.h); here the decision is
// carried out.
//
//===----------------------------------------------------------------------===//

#include "KernelOfGroup.h"
#include "MergeGroups.h"

#include "fuse/Analysis/RepeatedValues.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Fusion/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FORMKERNELS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
class KernelFormer {
public:
  KernelFormer(func::FuncOp function, GroupMerger &merger)
      : function(function), groups(merger.groups), missed(merger.missed),
        apart(merger.apart) {}

  void run();

private:
  bool adoptEqual(Operation *reshape);
  void uniteReshapes();
  void recordMissed();
  void createKernel(OpBuilder &builder, int group, StringRef name);
  std::string kernelName(int group);

  func::FuncOp function;
  Groups &groups;
  using Reasons = llvm::MapVector<GroupMerger::Edge, Reason>;
  Reasons &missed, &apart;
  DenseMap<int, std::string> names;
};
} // namespace

std::string KernelFormer::kernelName(int group) {
  auto it = names.find(group);
  return it == names.end() ? std::string() : it->second;
}

void KernelFormer::recordMissed() {
  Builder builder(function.getContext());
  SmallVector<Attribute> records;
  auto add = [&](Reasons &reasons, StringRef later, StringRef earlier) {
    llvm::DenseSet<std::pair<int, int>> seen;
    for (auto &[ops, reason] : reasons) {
      int b = groups.of(ops.first), a = groups.of(ops.second);
      if (a != b && seen.insert({b, a}).second)
        records.push_back(builder.getDictionaryAttr(
            {builder.getNamedAttr(later, builder.getStringAttr(kernelName(b))),
             builder.getNamedAttr(earlier,
                                  builder.getStringAttr(kernelName(a))),
             builder.getNamedAttr("reason",
                                  reason.toAttribute(builder.getContext()))}));
    }
  };
  add(missed, "consumer", "producer");
  add(apart, "kernel", "neighbour");
  if (!records.empty())
    function->setAttr(kMissedAttr, builder.getArrayAttr(records));
}

void KernelFormer::createKernel(OpBuilder &builder, int group, StringRef name) {
  SmallVector<Operation *> ops(groups.ops(group));
  SmallVector<Value> inputs = groups.inputsOf(ops);
  SmallVector<Value> results = groups.resultsOf(ops);
  KernelOp kernel = cloneAsKernel(builder, name, ops, inputs, results);
  for (auto [result, replacement] : llvm::zip(results, kernel.getResults()))
    result.replaceUsesWithIf(replacement, [&](OpOperand &use) {
      return !llvm::is_contained(ops, use.getOwner());
    });
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

static bool areEqual(Operation *a, Operation *b) {
  return OperationEquivalence::isEquivalentTo(
      a, b, OperationEquivalence::IgnoreLocations);
}

/// Puts a reshape into the kernel that reads it if that has an equal one, since
/// kernels were merged as if both were one input.
bool KernelFormer::adoptEqual(Operation *reshape) {
  if (!reshape->hasOneUse() || !groups.contains(*reshape->user_begin()))
    return false;
  int reader = groups.of(*reshape->user_begin());
  if (llvm::none_of(groups.ops(reader),
                    [&](Operation *other) { return areEqual(other, reshape); }))
    return false;
  groups.adopt(reshape, reader);
  return true;
}

/// Reshapes that no kernel has taken in are one again where they are equal: two
/// would be two inputs, and what they show would be read twice.
void KernelFormer::uniteReshapes() {
  DenseMap<Value, SmallVector<Operation *, 2>> ofSource;
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
        groups.contains(&op) || adoptEqual(&op))
      continue;
    SmallVector<Operation *, 2> &known = ofSource[op.getOperand(0)];
    auto *same = llvm::find_if(
        known, [&](Operation *other) { return areEqual(other, &op); });
    if (same == known.end()) {
      known.push_back(&op);
    } else {
      op.replaceAllUsesWith(*same);
      op.erase();
    }
  }
}

void KernelFormer::run() {
  uniteReshapes();
  SmallVector<Groups::Node> order = groups.topologicalOrder();
  unsigned count = llvm::count_if(order, [](auto &n) { return n.group >= 0; });
  unsigned number = 0;
  for (const Groups::Node &node : order)
    if (node.group >= 0)
      names[node.group] =
          count == 1 ? function.getName().str()
                     : (function.getName() + "_" + Twine(number++)).str();
  recordMissed();
  Operation *terminator = function.getBody().front().getTerminator();
  OpBuilder builder(terminator);
  for (const Groups::Node &node : order) {
    if (node.group < 0)
      node.host->moveBefore(terminator);
    else
      createKernel(builder, node.group, names[node.group]);
  }
}

namespace {
struct FormKernelsPass
    : public mlir::fuse::impl::FormKernelsBase<FormKernelsPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitError() << "expected a program without control flow, but "
                              "got several blocks; inline the branches";
      return signalPassFailure();
    }
    MachineRates machine = MachineRates::of(chip);
    if (strict && machine.tensorCores)
      machine.tensorCores->roundProducts();
    GroupMerger merger(function, machine, tensorCores(), /*streams=*/!strict);
    if (fusion)
      merger.run();
    KernelFormer(function, merger).run();
    fixRepeatedValues(function);
    // Constants that every user copied into its kernel.
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

private:
  /// What schedulers know of a chip whose tensor cores they use, where tensors
  /// are such that these can. An unknown one is an error where schedules are
  /// assigned.
  std::optional<ScheduleTarget> tensorCores() {
    llvm::Expected<ScheduleTarget> target =
        ScheduleTarget::of(chip, /*divisible=*/true, strict);
    if (!target) {
      llvm::consumeError(target.takeError());
      return std::nullopt;
    }
    return target->gpu && target->gpu->hasWgmma ? std::optional(*target)
                                                : std::nullopt;
  }
};
} // namespace
