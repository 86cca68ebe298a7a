//===- KernelFrame.cpp - The function a kernel is lowered into ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"
#include "BlockBranches.h"
#include "Points/OpEmitters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

Index KernelFrame::blockId() {
  return {gpu::BlockIdOp::create(builder, loc(), gpu::Dimension::x)};
}

Index KernelFrame::threadId(int64_t threads) {
  if (threads == 1)
    return Index::constant(0);
  return {gpu::ThreadIdOp::create(builder, loc(), gpu::Dimension::x)};
}

Index KernelFrame::blocks(const GridTerm &term) {
  auto ceilDiv = [&](const Index &value, int64_t divisor) {
    if (divisor == 1)
      return value;
    return emitter.div(emitter.add(value, Index::constant(divisor - 1)),
                       Index::constant(divisor));
  };
  Index product = Index::constant(1);
  for (const GridFactor &factor : term.factors) {
    Index sum = ceilDiv(emitter.product(factor.extents), factor.divisor);
    for (const GridFactor &other : factor.others)
      sum = emitter.add(sum,
                        ceilDiv(emitter.product(other.extents), other.divisor));
    product = emitter.mul(product, sum);
  }
  Index blocks = ceilDiv(product, term.divisor);
  return term.most ? emitter.min(blocks, Index::constant(term.most)) : blocks;
}

/// Fills both sides of a branch.
static void emitBranches(KernelFrame &frame, scf::IfOp branch,
                         llvm::function_ref<void()> thenBody,
                         llvm::function_ref<void()> elseBody) {
  OpBuilder::InsertionGuard guard(frame.builder);
  frame.builder.setInsertionPointToStart(branch.thenBlock());
  {
    PointEmitter::Scope scope(frame.emitter);
    thenBody();
  }
  frame.builder.setInsertionPointToStart(branch.elseBlock());
  PointEmitter::Scope scope(frame.emitter);
  elseBody();
}

void KernelFrame::divideBlocks(
    ArrayRef<GridTerm> grid,
    llvm::function_ref<void(unsigned, const Index &)> body) {
  divideBlocks(grid, blockId(), body);
}

void KernelFrame::divideBlocks(
    ArrayRef<GridTerm> grid, const Index &first,
    llvm::function_ref<void(unsigned, const Index &)> body) {
  // Blocks of the first term, else of the second, ...
  std::function<void(unsigned, Index)> emitFrom = [&](unsigned number,
                                                      Index block) {
    if (number + 1 == grid.size())
      return body(number, block);
    Index count = blocks(grid[number]);
    auto branch = scf::IfOp::create(builder, loc(), emitter.less(block, count),
                                    /*withElseRegion=*/true);
    branch->setAttr(kOfBlocksAttr, builder.getUnitAttr());
    emitBranches(
        *this, branch, [&] { body(number, block); },
        [&] { emitFrom(number + 1, emitter.sub(block, count)); });
  };
  emitFrom(0, first);
}

int64_t KernelFrame::staticSharedBytes() {
  int64_t bytes = 0;
  for (BlockArgument buffer : function.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    bytes += type.getNumElements() * getElementBytes(type.getElementType());
  }
  // What clusters exchange; dynamic shared memory has no elements.
  constexpr auto shared = static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared);
  auto module = function->getParentOfType<gpu::GPUModuleOp>();
  for (auto global : module.getOps<LLVM::GlobalOp>())
    if (global.getAddrSpace() == shared) {
      auto array = cast<LLVM::LLVMArrayType>(global.getType());
      bytes += array.getNumElements() * getElementBytes(array.getElementType());
    }
  return bytes;
}

void KernelFrame::ifTrue(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(builder, loc(), condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  PointEmitter::Scope scope(emitter);
  body();
}

void KernelFrame::ifElse(Value condition, llvm::function_ref<void()> thenBody,
                         llvm::function_ref<void()> elseBody) {
  emitBranches(*this,
               scf::IfOp::create(builder, loc(), condition,
                                 /*withElseRegion=*/true),
               thenBody, elseBody);
}

Value KernelFrame::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return arith::AndIOp::create(builder, loc(), a, b);
}

void KernelFrame::storeResults(const Point &point) {
  SmallVector<Value> results;
  for (Value value : kernel.getYield().getValues())
    results.push_back(emitter.emitLanes(value, point));
  for (auto [number, value] : llvm::enumerate(results))
    emitter.store(number, point, value);
}

void mlir::fuse::storeResult(KernelFrame &frame, unsigned number,
                             const Point &point, Value value) {
  PointEmitter &emitter = frame.emitter;
  auto scatter =
      frame.kernel.getYield().getValues()[number].getDefiningOp<ScatterOp>();
  if (!scatter)
    return emitter.store(number, point, value);
  bool liesApart =
      static_cast<int64_t>(scatter.getDim()) + 1 == scatter.getType().getRank();
  if (liesApart && point.lanes > 1) {
    for (int64_t lane = 0; lane < point.lanes; ++lane)
      storeResult(
          frame, number, emitter.lanePoint(point, lane),
          vector::ExtractOp::create(frame.builder, frame.loc(), value, lane));
    return;
  }
  ScatterTarget target = emitScatterTarget(emitter, scatter, point);
  frame.ifTrue(target.exists,
               [&] { emitter.store(number, target.point, value); });
}
