//===- CopyViews.cpp - Copies of views and of what is overwritten ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/Strides.h"
#include "fuse/Fusion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_COPYVIEWS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct CopyViewsPass : public mlir::fuse::impl::CopyViewsBase<CopyViewsPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  std::string freeName();
  Value copy(Value value, Operation *user);
  void copyIfView(OpOperand &use);
  void copyWhereJoined(Value view);
  void copyForOthers(KernelOp kernel, ScatterOp scatter, BlockArgument into);
  void copyForTensorCores(KernelOp kernel);
  bool isWrittenInPlace(OpOperand &result);
};
} // namespace

/// A name that no kernel of the function has.
std::string CopyViewsPass::freeName() {
  llvm::StringSet<> taken;
  for (KernelOp kernel : getOperation().getOps<KernelOp>())
    taken.insert(kernel.getKernelName());
  std::string name = "copy";
  for (unsigned number = 1; taken.contains(name); ++number)
    name = ("copy_" + Twine(number)).str();
  return name;
}

/// Puts a kernel that yields its input before the user of a value.
Value CopyViewsPass::copy(Value value, Operation *user) {
  OpBuilder builder(user);
  auto kernel = KernelOp::create(builder, value.getLoc(), value.getType(),
                                 builder.getStringAttr(freeName()), value,
                                 ScheduleAttrInterface());
  Block &body = kernel.getBody().emplaceBlock();
  Value element = body.addArgument(value.getType(), value.getLoc());
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  YieldOp::create(inner, value.getLoc(), element);
  return kernel.getResult(0);
}

/// What is passed by value lies nowhere either.
void CopyViewsPass::copyIfView(OpOperand &use) {
  if (strideKind(use.get()) != StrideKind::dense || scalarOf(use.get()))
    use.set(copy(use.get(), use.getOwner()));
}

/// Reshapes of a view that join dimensions get a dense copy of it.
void CopyViewsPass::copyWhereJoined(Value view) {
  SmallVector<Operation *> users(view.getUsers());
  llvm::sort(users,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  Value copied;
  for (Operation *user : users) {
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user);
        collapse && joinsDims(collapse)) {
      if (!copied)
        copied = copy(view, user);
      collapse.getSrcMutable().set(copied);
    } else if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                   tensor::CastOp>(user)) {
      copyWhereJoined(user->getResult(0));
    }
  }
}

/// All uses but one of what a scatter writes into read a copy.
void CopyViewsPass::copyForOthers(KernelOp kernel, ScatterOp scatter,
                                  BlockArgument into) {
  MutableOperandRange inputs = kernel.getInputsMutable();
  OpOperand &written = inputs[into.getArgNumber()];
  Value buffer = written.get(), memory = behindReshapes(buffer);
  llvm::SmallMapVector<Value, Value, 2> copies;
  auto copied = [&](Value value) {
    Value &found = copies[value];
    if (!found)
      found = copy(value, kernel);
    return found;
  };
  for (OpOperand &input : inputs)
    if (&input != &written && behindReshapes(input.get()) == memory)
      input.set(copied(input.get()));
  if (into.hasOneUse())
    return;
  inputs.append(copied(buffer));
  Value other = kernel.getBody().addArgument(buffer.getType(), into.getLoc());
  into.replaceUsesWithIf(
      other, [&](OpOperand &use) { return &use != &scatter.getIntoMutable(); });
}

/// Whether tensor cores could read the contraction's operand if it were dense.
static bool couldBeCopiedAsTiles(ContractOp contraction, Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  Type element = type.getElementType();
  if (!isa<FloatType>(element) || type.getRank() == 0 ||
      (element.getIntOrFloatBitWidth() > 16 && !contraction.usesTF32()))
    return false;
  int64_t inner = type.getShape().back();
  return ShapedType::isDynamic(inner) ||
         inner * element.getIntOrFloatBitWidth() % 128 == 0;
}

/// Operands whose rows may start anywhere are copied: without tensor cores a
/// contraction takes many times as long as the copy.
void CopyViewsPass::copyForTensorCores(KernelOp kernel) {
  MutableOperandRange inputs = kernel.getInputsMutable();
  llvm::SmallSetVector<unsigned, 4> loose;
  for (ContractOp contraction : kernel.getBody().getOps<ContractOp>())
    for (Value operand : contraction->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument || !couldBeCopiedAsTiles(contraction, operand))
        continue;
      StrideKind kind = strideKind(inputs[argument.getArgNumber()].get());
      if (kind == StrideKind::rows || kind == StrideKind::any)
        loose.insert(argument.getArgNumber());
    }
  for (unsigned number : loose)
    inputs[number].set(copy(inputs[number].get(), kernel));
}

/// Makes the value known before `kernel` by moving what computes it. Fails
/// where that needs what is computed later.
static LogicalResult hoist(Value value, KernelOp kernel) {
  Operation *op = value.getDefiningOp();
  if (!op || op->isBeforeInBlock(kernel))
    return success();
  if (!isa<arith::ArithDialect>(op->getDialect()) && !isa<tensor::DimOp>(op))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(hoist(operand, kernel)))
      return failure();
  op->moveBefore(kernel);
  return success();
}

/// Whether a kernel can write the strided result where it lies: nobody else
/// reads it, the kernel writes all of it, and what the kernel needs for the
/// places of the elements is known before it.
bool CopyViewsPass::isWrittenInPlace(OpOperand &result) {
  ReshapePath path = ReshapePath::to(result);
  auto kernel = path.root.getDefiningOp<KernelOp>();
  if (!kernel || !path.isAlone)
    return false;
  unsigned yielded = cast<OpResult>(path.root).getResultNumber();
  if (kernel.getYield().getValues()[yielded].getDefiningOp<ScatterOp>())
    return false;
  unsigned number =
      getOperation().getNumArguments() + result.getOperandNumber();
  for (Operation *op : path.reshapes)
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      if (llvm::is_contained(copied, number) && splitsDims(expand))
        return false;
      for (Value size : expand.getOutputShape())
        if (failed(hoist(size, kernel)))
          return false;
    }
  return true;
}

void CopyViewsPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  for (unsigned number : copied)
    if (number < function.getNumArguments() &&
        strideKind(function.getArgument(number)) != StrideKind::dense)
      copyWhereJoined(function.getArgument(number));
  for (KernelOp kernel : llvm::to_vector(function.getOps<KernelOp>()))
    for (ScatterOp scatter : kernel.getBody().getOps<ScatterOp>())
      if (auto into = dyn_cast<BlockArgument>(scatter.getInto())) {
        copyIfView(kernel.getInputsMutable()[into.getArgNumber()]);
        copyForOthers(kernel, scatter, into);
      }
  if (MachineRates::of(chip).tensorCores)
    for (KernelOp kernel : llvm::to_vector(function.getOps<KernelOp>()))
      copyForTensorCores(kernel);
  for (auto terminator : function.getOps<func::ReturnOp>())
    for (OpOperand &result : terminator->getOpOperands()) {
      if (!function.getResultAttr(result.getOperandNumber(), kStridedAttr))
        copyIfView(result);
      else if (!isWrittenInPlace(result))
        result.set(copy(result.get(), terminator));
    }
}
