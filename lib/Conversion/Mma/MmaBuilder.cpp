//===- MmaBuilder.cpp - Words and warps of a tensor-core kernel -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaBuilder.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr unsigned sharedSpace = 3;
/// Where swizzled rows start, and where dynamic shared memory does: what an
/// external symbol of it asks for above that is not kept.
static constexpr int64_t swizzleAlignment = 1024, sharedAlignment = 16;

Value MmaBuilder::inBlock(Value pointer, Value rank) {
  auto cluster = LLVM::LLVMPointerType::get(
      builder.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  return NVVM::MapaOp::create(builder, loc(), cluster, pointer, rank);
}

/// Named after the kernel, since the modules of a program are merged.
Value MmaBuilder::sharedMemory() {
  std::string name = ("__dynamic_" + frame.function.getName()).str();
  auto module = frame.function->getParentOfType<gpu::GPUModuleOp>();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(builder, loc(),
                           LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External, name,
                           Attribute(), sharedAlignment, sharedSpace);
  }
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), sharedSpace);
  Value start = LLVM::AddressOfOp::create(builder, loc(), pointer, name);
  Value address =
      LLVM::PtrToIntOp::create(builder, loc(), builder.getI32Type(), start);
  Value padding = bitAnd(sub(word(0), address), word(swizzleAlignment - 1));
  return behind(start, padding);
}

scf::ForOp MmaBuilder::loop(
    Value from, Value to, Value step, ValueRange values,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder, loc(), from, to, step, values);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(frame.emitter);
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  // Without values there is a terminator already.
  if (!values.empty())
    scf::YieldOp::create(builder, loc(), next);
  return loop;
}

/// The instruction waits for a while, and says whether the phase has ended.
void MmaBuilder::awaitPhase(Value barrier, Value parity,
                            NVVM::MemScopeKind scope) {
  auto loop = scf::WhileOp::create(builder, loc(), TypeRange(), ValueRange());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getBefore());
  Value ended = NVVM::MBarrierTryWaitOp::create(
      builder, loc(), builder.getI1Type(), barrier, parity,
      /*ticks=*/Value(), scope, /*relaxed=*/false);
  Value one = arith::ConstantIntOp::create(builder, loc(), 1, 1);
  Value again = arith::XOrIOp::create(builder, loc(), ended, one);
  scf::ConditionOp::create(builder, loc(), again, ValueRange());
  builder.createBlock(&loop.getAfter());
  scf::YieldOp::create(builder, loc());
}
