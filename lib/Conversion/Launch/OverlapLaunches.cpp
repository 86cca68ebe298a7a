//===- OverlapLaunches.cpp - Kernels that are launched ahead --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EarlyInputs.h"
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
    for (auto function : getOperation().getOps<gpu::GPUFuncOp>()) {
      bool wasEarly = bool(function->removeAttr(kEarlyInputsAttr));
      NVVM::GriddepcontrolOp control = firstControl(function);
      if (!function.isKernel())
        continue;
      if (!control)
        addControl(function);
      else if (wasEarly)
        allowNext(function, control);
    }
  }

private:
  /// Whoever wrote such an op in a kernel knows where it belongs.
  static NVVM::GriddepcontrolOp firstControl(gpu::GPUFuncOp function) {
    NVVM::GriddepcontrolOp found;
    function.walk([&](NVVM::GriddepcontrolOp control) {
      found = control;
      return WalkResult::interrupt();
    });
    return found;
  }

  static void addControl(gpu::GPUFuncOp function);
  static void allowNext(gpu::GPUFuncOp function, Operation *after);
};
} // namespace

/// So many of the last blocks let a launch that follows start early: it costs
/// the device 1.2 ns a block to be asked (docs/tuning.md, "What measurements
/// decided"), and the blocks before them have ended by then. Large blocks do so
/// in small grids only: those of the next launch would share multiprocessors
/// with them.
static bool isOfSmallBlocks(gpu::GPUFuncOp function) {
  constexpr int64_t largeBlock = 512;
  std::optional<ArrayRef<int32_t>> block = function.getKnownBlockSize();
  return block && block->front() < largeBlock;
}

static int64_t mostEarlyBlocks(gpu::GPUFuncOp function) {
  constexpr int64_t ofLarge = 128, ofSmall = 2048;
  return isOfSmallBlocks(function) ? ofSmall : ofLarge;
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

/// What follows may start behind the first of loads that depend on each other:
/// ptxas moves no load over that instruction, and would move this one behind
/// all that the kernel streams, where its latency adds to theirs.
void OverlapLaunchesPass::addControl(gpu::GPUFuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Location loc = function.getLoc();
  Operation *wait = NVVM::GriddepcontrolOp::create(
      builder, loc, NVVM::GridDepActionKind::wait);
  Operation *load = firstOfDependentLoads(function);
  allowNext(function, load ? load : wait);
}

void OverlapLaunchesPass::allowNext(gpu::GPUFuncOp function, Operation *after) {
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfter(after);
  Location loc = function.getLoc();
  Value blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  if (isOfSmallBlocks(function)) {
    Value block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
    blocks = arith::SubIOp::create(builder, loc, blocks, block);
  }
  Value most =
      arith::ConstantIndexOp::create(builder, loc, mostEarlyBlocks(function));
  Value isLate = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                       blocks, most);
  auto branch = scf::IfOp::create(builder, loc, isLate, /*withElse=*/false);
  builder.setInsertionPointToStart(branch.thenBlock());
  NVVM::GriddepcontrolOp::create(builder, loc,
                                 NVVM::GridDepActionKind::launch_dependents);
}
