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

using namespace mlir;
using namespace mlir::fuse;

/// All threads of a warp are at the same barrier.
static UnitAttr aligned(KernelFrame &frame) {
  return frame.builder.getUnitAttr();
}

void mlir::fuse::startCluster(KernelFrame &frame, bool again) {
  if (again)
    NVVM::ClusterArriveOp::create(frame.builder, frame.loc(), aligned(frame));
  else
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

/// Named after the kernel, since the modules of a program are merged.
static std::string freeName(KernelFrame &frame, gpu::GPUModuleOp module) {
  for (unsigned number = 0;; ++number) {
    std::string name =
        ("__cluster_" + frame.function.getName() + "_" + Twine(number)).str();
    if (!module.lookupSymbol(name))
      return name;
  }
}

Value mlir::fuse::addClusterSlots(KernelFrame &frame, Type type,
                                  int64_t count) {
  OpBuilder &builder = frame.builder;
  auto module = frame.function->getParentOfType<gpu::GPUModuleOp>();
  std::string name = freeName(frame, module);
  auto own = pointerTo(frame, NVVM::NVVMMemorySpace::Shared);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(builder, frame.loc(),
                           LLVM::LLVMArrayType::get(type, count),
                           /*isConstant=*/false, LLVM::Linkage::Internal, name,
                           Attribute(), /*alignment=*/0, own.getAddressSpace());
  }
  return LLVM::AddressOfOp::create(builder, frame.loc(), own, name);
}

static Value word(KernelFrame &frame, const Index &index) {
  return arith::IndexCastOp::create(frame.builder, frame.loc(),
                                    frame.builder.getI32Type(),
                                    frame.emitter.materialize(index));
}

static Value placeOf(KernelFrame &frame, Value slots, const Index &slot,
                     Type type) {
  return LLVM::GEPOp::create(frame.builder, frame.loc(), slots.getType(), type,
                             slots, ArrayRef<LLVM::GEPArg>{word(frame, slot)},
                             LLVM::GEPNoWrapFlags::inbounds);
}

void mlir::fuse::storeInBlock(KernelFrame &frame, Value slots,
                              const Index &slot, Value value,
                              const Index &rank) {
  Value there = NVVM::MapaOp::create(
      frame.builder, frame.loc(),
      pointerTo(frame, NVVM::NVVMMemorySpace::SharedCluster),
      placeOf(frame, slots, slot, value.getType()), word(frame, rank));
  LLVM::StoreOp::create(frame.builder, frame.loc(), value, there);
}

Value mlir::fuse::loadFromOwn(KernelFrame &frame, Value slots,
                              const Index &slot, Type type) {
  return LLVM::LoadOp::create(frame.builder, frame.loc(), type,
                              placeOf(frame, slots, slot, type));
}
