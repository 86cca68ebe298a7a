//===- ClusterExchange.cpp - What blocks of a cluster share ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterExchange.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::fuse;

/// All threads of a warp are at the same barrier.
static UnitAttr aligned(KernelFrame &frame) {
  return frame.builder.getUnitAttr();
}

void mlir::fuse::startCluster(KernelFrame &frame) {
  NVVM::ClusterArriveRelaxedOp::create(frame.builder, frame.loc(),
                                       aligned(frame));
}

void mlir::fuse::awaitCluster(KernelFrame &frame) {
  NVVM::ClusterWaitOp::create(frame.builder, frame.loc(), aligned(frame));
}

void mlir::fuse::meetInCluster(KernelFrame &frame) {
  NVVM::ClusterArriveOp::create(frame.builder, frame.loc(), aligned(frame));
  awaitCluster(frame);
}

static LLVM::LLVMPointerType pointerTo(KernelFrame &frame,
                                       NVVM::NVVMMemorySpace space) {
  return LLVM::LLVMPointerType::get(frame.builder.getContext(),
                                    static_cast<unsigned>(space));
}

void mlir::fuse::storeInBlock(KernelFrame &frame, Value buffer,
                              const Index &slot, Value value,
                              const Index &rank) {
  OpBuilder &builder = frame.builder;
  Location loc = frame.loc();
  auto word = [&](const Index &index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                      frame.emitter.materialize(index));
  };
  auto own = pointerTo(frame, NVVM::NVVMMemorySpace::Shared);
  Value start = arith::IndexCastOp::create(
      builder, loc, builder.getI64Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer));
  Value base = LLVM::IntToPtrOp::create(builder, loc, own, start);
  Value place = LLVM::GEPOp::create(builder, loc, own, value.getType(), base,
                                    ArrayRef<LLVM::GEPArg>{word(slot)},
                                    LLVM::GEPNoWrapFlags::inbounds);
  Value there = NVVM::MapaOp::create(
      builder, loc, pointerTo(frame, NVVM::NVVMMemorySpace::SharedCluster),
      place, word(rank));
  LLVM::StoreOp::create(builder, loc, value, there);
}
