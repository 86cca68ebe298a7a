//===- OverlapLaunches.cpp - Kernels that are launched ahead --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Conversion/Passes.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_OVERLAPLAUNCHES
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct OverlapLaunchesPass
    : public mlir::fuse::impl::OverlapLaunchesBase<OverlapLaunchesPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<gpu::GPUFuncOp>())
      if (function.isKernel() && !hasControl(function))
        addWait(function);
  }

private:
  /// Whoever wrote such an op in a kernel knows where it belongs.
  static bool hasControl(gpu::GPUFuncOp function) {
    return function
        .walk([](NVVM::GriddepcontrolOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  static void addWait(gpu::GPUFuncOp function) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    Location loc = function.getLoc();
    NVVM::GriddepcontrolOp::create(builder, loc, NVVM::GridDepActionKind::wait);
  }
};
} // namespace
