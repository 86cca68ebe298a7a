//===- CopyViews.cpp - Dense copies of views ------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/Strides.h"
#include "fuse/Fusion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
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
  void copyIfView(OpOperand &use);
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

/// Puts a kernel that yields its input before the user of a view.
void CopyViewsPass::copyIfView(OpOperand &use) {
  Value view = use.get();
  if (strideKind(view) == StrideKind::dense)
    return;
  OpBuilder builder(use.getOwner());
  auto kernel = KernelOp::create(builder, view.getLoc(), view.getType(),
                                 builder.getStringAttr(freeName()), view,
                                 ScheduleAttrInterface());
  Block &body = kernel.getBody().emplaceBlock();
  Value element = body.addArgument(view.getType(), view.getLoc());
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  YieldOp::create(inner, view.getLoc(), element);
  use.set(kernel.getResult(0));
}

void CopyViewsPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  for (KernelOp kernel : llvm::to_vector(function.getOps<KernelOp>()))
    for (ScatterOp scatter : kernel.getBody().getOps<ScatterOp>())
      if (auto into = dyn_cast<BlockArgument>(scatter.getInto()))
        copyIfView(kernel.getInputsMutable()[into.getArgNumber()]);
  for (auto terminator : function.getOps<func::ReturnOp>())
    for (OpOperand &result : terminator->getOpOperands())
      copyIfView(result);
}
