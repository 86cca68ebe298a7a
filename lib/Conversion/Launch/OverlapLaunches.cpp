//===- OverlapLaunches.cpp - Kernels that are launched ahead --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
        addControl(function);
  }

private:
  /// Whoever wrote such an op in a kernel knows where it belongs.
  static bool hasControl(gpu::GPUFuncOp function) {
    return function
        .walk([](NVVM::GriddepcontrolOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  static void addControl(gpu::GPUFuncOp function);
};
} // namespace

/// Up to so many blocks a launch that follows starts early. Large blocks would
/// share multiprocessors with those that still run, and it costs the device
/// 1.2 ns a block to be asked (docs/tuning.md, "What measurements decided").
static int64_t mostEarlyBlocks(gpu::GPUFuncOp function) {
  constexpr int64_t largeBlock = 512, ofLarge = 128, ofSmall = 2048;
  std::optional<ArrayRef<int32_t>> block = function.getKnownBlockSize();
  return block && block->front() < largeBlock ? ofSmall : ofLarge;
}

/// The first load of the entry block whose value makes another's address, such
/// as a label's; null if there is none.
static Operation *firstOfDependentLoads(gpu::GPUFuncOp function) {
  Block *entry = &function.getBody().front();
  SmallPtrSet<Operation *, 16> seen;
  SmallVector<Value> addresses;
  Operation *first = nullptr;
  function.walk(
      [&](LLVM::LoadOp load) { addresses.push_back(load.getAddr()); });
  while (!addresses.empty()) {
    Operation *op = addresses.pop_back_val().getDefiningOp();
    if (!op || !seen.insert(op).second)
      continue;
    if (!isa<LLVM::LoadOp>(op))
      llvm::append_range(addresses, op->getOperands());
    else if (op->getBlock() == entry && (!first || op->isBeforeInBlock(first)))
      first = op;
  }
  return first;
}

/// What brings memory to the L2, or leads up to it, in the entry block; null if
/// nothing does. A launch that starts early does that before it waits.
static Operation *lastPrefetch(gpu::GPUFuncOp function) {
  Operation *last = nullptr;
  for (Operation &op : function.getBody().front())
    op.walk([&](NVVM::CpAsyncBulkTensorPrefetchOp) { last = &op; });
  return last;
}

/// What follows may start behind the first of loads that depend on each other:
/// ptxas moves no load over that instruction, and would move this one behind
/// all that the kernel streams, where its latency adds to theirs.
void OverlapLaunchesPass::addControl(gpu::GPUFuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = function.getLoc();
  if (Operation *prefetch = lastPrefetch(function))
    builder.setInsertionPointAfter(prefetch);
  NVVM::GriddepcontrolOp::create(builder, loc, NVVM::GridDepActionKind::wait);
  if (Operation *load = firstOfDependentLoads(function))
    builder.setInsertionPointAfter(load);
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  Value most =
      arith::ConstantIndexOp::create(builder, loc, mostEarlyBlocks(function));
  Value isFew = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                      blocks, most);
  auto branch = scf::IfOp::create(builder, loc, isFew, /*withElse=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  NVVM::GriddepcontrolOp::create(builder, loc,
                                 NVVM::GridDepActionKind::launch_dependents);
}
