//===- TileRing.cpp - Slots of shared memory in a ring --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileRing.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

void TileRing::initialize() {
  OpBuilder &builder = b.builder;
  for (int64_t i = 0; i < slots; ++i) {
    NVVM::MBarrierInitOp::create(builder, b.loc(), full(b.word(i)), b.word(1),
                                 /*predicate=*/Value());
    NVVM::MBarrierInitOp::create(builder, b.loc(), empty(b.word(i)),
                                 b.word(consumers * sharers),
                                 /*predicate=*/Value());
  }
  NVVM::FenceMbarrierInitOp::create(builder, b.loc());
}

RingPlace TileRing::next(const RingPlace &place) {
  Value wraps = b.equal(place.slot, slots - 1);
  return {b.select(wraps, b.word(0), b.add(place.slot, 1)),
          b.select(wraps, b.bitXor(place.parity, b.word(1)), place.parity)};
}

Value TileRing::previousSlot(const RingPlace &place) {
  return b.select(b.equal(place.slot, 0), b.word(slots - 1),
                  b.sub(place.slot, b.word(1)));
}

Value TileRing::expect(const RingPlace &place, int64_t bytes) {
  Value barrier = full(place.slot);
  NVVM::MBarrierArriveExpectTxOp::create(
      b.builder, b.loc(), TypeRange(), barrier, b.word(bytes),
      NVVM::MemScopeKind::CTA, /*relaxed=*/false, /*predicate=*/Value());
  return barrier;
}

void TileRing::copy(Value offset, Value map, ValueRange coordinates,
                    Value barrier, bool everywhere) {
  Value mask;
  if (everywhere && sharers > 1)
    mask = arith::ConstantIntOp::create(b.builder, b.loc(), (1 << sharers) - 1,
                                        /*width=*/16);
  auto cluster = LLVM::LLVMPointerType::get(
      b.builder.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  Value to = LLVM::AddrSpaceCastOp::create(b.builder, b.loc(), cluster,
                                           memoryAt(offset));
  NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
      b.builder, b.loc(), to, map, coordinates, barrier,
      /*im2colOffsets=*/ValueRange(), mask,
      /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
      NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
}

void TileRing::release(Value slot, Value thread, Value condition) {
  Value arrives =
      sharers == 1 ? b.equal(thread, 0) : b.isLess(thread, b.word(sharers));
  b.frame.ifTrue(b.frame.both(condition, arrives), [&] {
    if (sharers == 1)
      NVVM::MBarrierArriveOp::create(b.builder, b.loc(), b.builder.getI64Type(),
                                     empty(slot), /*count=*/Value());
    else
      NVVM::MBarrierArriveOp::create(b.builder, b.loc(), TypeRange(),
                                     b.inBlock(empty(slot), thread),
                                     /*count=*/Value());
  });
}
