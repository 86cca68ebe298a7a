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

void mlir::fuse::restartCluster(KernelFrame &frame) {
  NVVM::ClusterArriveOp::create(frame.builder, frame.loc(), aligned(frame));
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

/// PTX that MLIR has no op for, or one that hides what the emulator looks for.
static void inlinePTX(KernelFrame &frame, ValueRange operands, StringRef text,
                      StringRef constraints) {
  auto none = LLVM::LLVMVoidType::get(frame.builder.getContext());
  LLVM::InlineAsmOp::create(frame.builder, frame.loc(), none, operands, text,
                            (constraints + ",~{memory}").str(),
                            /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

SmallVector<Value> mlir::fuse::startCluster(KernelFrame &frame,
                                            int64_t exchanges,
                                            const Index &thread) {
  OpBuilder &builder = frame.builder;
  Type type = builder.getI64Type();
  Value barriers = addClusterSlots(frame, type, exchanges);
  SmallVector<Value> arrivals;
  for (int64_t i = 0; i < exchanges; ++i)
    arrivals.push_back(placeOf(frame, barriers, Index::constant(i), type));
  frame.ifTrue(frame.emitter.less(thread, Index::constant(1)), [&] {
    Value one = word(frame, Index::constant(1));
    for (Value arrival : arrivals)
      inlinePTX(frame, {arrival, one},
                "mbarrier.init.shared::cta.b64 [$0], $1;", "r,r");
    inlinePTX(frame, {}, "fence.mbarrier_init.release.cluster;", "");
  });
  NVVM::ClusterArriveRelaxedOp::create(builder, frame.loc(), aligned(frame));
  return arrivals;
}

static Value inBlock(KernelFrame &frame, Value own, const Index &rank) {
  return NVVM::MapaOp::create(
      frame.builder, frame.loc(),
      pointerTo(frame, NVVM::NVVMMemorySpace::SharedCluster), own,
      word(frame, rank));
}

void mlir::fuse::storeInBlock(KernelFrame &frame, Value slots,
                              const Index &slot, Value value, const Index &rank,
                              Value arrival) {
  Value there =
      inBlock(frame, placeOf(frame, slots, slot, value.getType()), rank);
  if (!arrival) {
    LLVM::StoreOp::create(frame.builder, frame.loc(), value, there);
    return;
  }
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  assert((bits == 32 || bits == 64) && "what st.async stores");
  Value stored = LLVM::BitcastOp::create(
      frame.builder, frame.loc(), frame.builder.getIntegerType(bits), value);
  inlinePTX(frame, {there, stored, inBlock(frame, arrival, rank)},
            ("st.async.shared::cluster.mbarrier::complete_tx::bytes.b" +
             Twine(bits) + " [$0], $1, [$2];")
                .str(),
            bits == 32 ? "r,r,r" : "r,l,r");
}

void mlir::fuse::expectBytes(KernelFrame &frame, Value arrival, int64_t bytes) {
  inlinePTX(
      frame, {arrival, word(frame, Index::constant(bytes))},
      "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$0], $1;",
      "r,r");
}

// The acquire is the block's, not the cluster's, which would have the
// multiprocessor forget its L1: what is read then is the block's own shared
// memory only (docs/Rationale.md).
void mlir::fuse::awaitBytes(KernelFrame &frame, Value arrival) {
  inlinePTX(frame, {arrival},
            "{\n.reg .pred complete;\nAGAIN:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 "
            "complete, [$0], 0;\n@!complete bra AGAIN;\n}",
            "r");
}

Value mlir::fuse::loadFromOwn(KernelFrame &frame, Value slots,
                              const Index &slot, Type type) {
  return LLVM::LoadOp::create(frame.builder, frame.loc(), type,
                              placeOf(frame, slots, slot, type));
}
