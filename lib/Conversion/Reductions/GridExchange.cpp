//===- GridExchange.cpp - What all blocks of a launch share ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GridExchange.h"

#include "PartStates.h"
#include "StateLoop.h"

#include "fuse/Analysis/ReductionSegments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringLiteral deviceScope = "device";

/// One block's states of a row that the whole grid shares.
static SmallVector<Type> sharedRowStates(KernelOp kernel,
                                         const DimClasses &dims,
                                         RowsScheduleAttr schedule) {
  SmallVector<Type> types;
  Reason reason;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  if (failed(space))
    return types;
  for (ArrayRef<Operation *> level : space->levels)
    for (Type type : stateTypes(level))
      types.push_back(RankedTensorType::get({schedule.blocksPerRow()}, type));
  return types;
}

/// The states of each of a block's rows, which has seen every so-manyth row.
static SmallVector<Type> acrossRowsStates(KernelOp kernel,
                                          const DimClasses &dims,
                                          RowsScheduleAttr schedule) {
  SmallVector<Type> types;
  Reason reason;
  auto segments = reductionSegmentsOf(kernel, dims, reason);
  if (failed(segments))
    return types;
  int64_t parts = schedule.getPersistent() * schedule.getRowsPerBlock();
  for (const ReductionSpace &space : segments->front().across.spaces)
    if (auto results = staticProduct(space.keptExtents()))
      for (Type type : stateTypes(space.levels.front()))
        types.push_back(RankedTensorType::get({parts * *results}, type));
  return types;
}

SmallVector<Type> mlir::fuse::gridStateTypes(KernelOp kernel,
                                             const DimClasses &dims) {
  auto schedule = dyn_cast<RowsScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule)
    return {};
  if (schedule.sharesGrid())
    return sharedRowStates(kernel, dims, schedule);
  if (schedule.getPersistent() > 0)
    return acrossRowsStates(kernel, dims, schedule);
  return {};
}

namespace {
/// The counter's arithmetic.
class GridBarrier {
public:
  explicit GridBarrier(KernelFrame &frame)
      : frame(frame), builder(frame.builder), loc(frame.loc()) {}

  /// For the first thread of a block.
  void meet();

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value arrival();
  void waitFor(Value before);

  KernelFrame &frame;
  OpBuilder &builder;
  Location loc;
};
} // namespace

static constexpr int64_t highestBit = int64_t(1) << 31;

/// What this block adds.
Value GridBarrier::arrival() {
  Value blocks = arith::IndexCastOp::create(
      builder, loc, builder.getI32Type(),
      gpu::GridDimOp::create(builder, loc, gpu::Dimension::x));
  Value ofFirst =
      arith::SubIOp::create(builder, loc, constant(highestBit + 1), blocks);
  Value isFirst = frame.emitter.less(frame.blockId(), Index::constant(1));
  return arith::SelectOp::create(builder, loc, isFirst, ofFirst, constant(1));
}

void GridBarrier::waitFor(Value before) {
  auto loop = scf::WhileOp::create(builder, loc, TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value now = LLVM::LoadOp::create(
      builder, loc, builder.getI32Type(), frame.partStates->counter,
      /*alignment=*/4, /*isVolatile=*/false, /*isNonTemporal=*/false,
      /*isInvariant=*/false, /*isInvariantGroup=*/false,
      LLVM::AtomicOrdering::acquire, deviceScope);
  Value change = arith::XOrIOp::create(builder, loc, before, now);
  Value isSame = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                       change, constant(0));
  scf::ConditionOp::create(builder, loc, isSame, ValueRange());
  builder.createBlock(&loop.getAfter());
  scf::YieldOp::create(builder, loc);
}

void GridBarrier::meet() {
  // The NVPTX back end of LLVM 22 makes no fence of the order of an atomicrmw.
  LLVM::FenceOp::create(builder, loc, LLVM::AtomicOrdering::acq_rel,
                        deviceScope);
  Value before = LLVM::AtomicRMWOp::create(
      builder, loc, LLVM::AtomicBinOp::add, frame.partStates->counter,
      arrival(), LLVM::AtomicOrdering::acq_rel, deviceScope, /*alignment=*/4);
  waitFor(before);
}

void mlir::fuse::meetInGrid(KernelFrame &frame, const Index &thread) {
  // The fence of the thread that meets the others is one for all that it knows
  // of, and behind the barrier that is what its block has written.
  gpu::BarrierOp::create(frame.builder, frame.loc());
  frame.ifTrue(frame.emitter.less(thread, Index::constant(1)),
               [&] { GridBarrier(frame).meet(); });
  gpu::BarrierOp::create(frame.builder, frame.loc());
}

SmallVector<ReductionState>
mlir::fuse::combineBlocks(KernelFrame &frame, MutableArrayRef<Reducer> reducers,
                          ArrayRef<ReductionState> states,
                          const ThreadGroup &group, unsigned first) {
  PointEmitter &emitter = frame.emitter;
  Index zero = Index::constant(0), one = Index::constant(1);
  Value isFirst = emitter.less(group.lane, one);
  // One thread leaves the states and meets the others, so that nothing has to
  // be ordered within the block before.
  frame.ifTrue(isFirst, [&] {
    leaveStates(frame, states, frame.blockId(), zero, one, first);
    GridBarrier(frame).meet();
  });
  gpu::BarrierOp::create(frame.builder, frame.loc());
  ReductionStates parts;
  for (Reducer &reducer : reducers)
    parts.push_back(reducer.identity(1));
  Index blocks = {
      gpu::GridDimOp::create(frame.builder, frame.loc(), gpu::Dimension::x)};
  parts = accumulateOver(
      emitter, frame.loc(), reducers,
      {group.lane, blocks, Index::constant(group.width)}, std::move(parts),
      [&](Index block, ReductionStates current) {
        unsigned next = first;
        for (auto [reducer, state] : llvm::zip(reducers, current)) {
          state = reducer.combine(
              state, loadState(frame, reducer, next, block, zero, one));
          next += numStateComponents(reducer.getOp());
        }
        return current;
      });
  return combineThreads(frame, reducers, std::move(parts), group);
}
