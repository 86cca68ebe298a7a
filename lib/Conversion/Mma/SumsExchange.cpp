//===- SumsExchange.cpp - Sums that blocks leave for each other -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SumsExchange.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mlir::fuse;

/// Barrier 0 is that of all threads.
static constexpr int64_t consumersBarrier = 1;

void SumsExchange::initializeBarriers() {
  if (blocks == 1)
    return;
  for (Value barrier : {written, read})
    NVVM::MBarrierInitOp::create(b.builder, b.loc(), barrier, b.word(blocks),
                                 /*predicate=*/Value());
}

void SumsExchange::initialize(Value ofConsumers) {
  thread = ofConsumers;
  for (int64_t part = 0; part < blocks; ++part)
    parts.push_back(blocks == 1 ? sums : b.inBlock(sums, b.word(part)));
}

void SumsExchange::meet() {
  NVVM::BarrierOp::create(b.builder, b.loc(), Type(), b.word(consumersBarrier),
                          b.word(consumers * MmaScheduleAttr::kGroup),
                          NVVM::BarrierReductionAttr(), Value());
}

/// A thread for each block, in one instruction: a release of the cluster's
/// scope waits for memory.
void SumsExchange::arriveEverywhere(Value barrier) {
  Value arrives = b.isLess(thread, b.word(blocks));
  b.frame.ifTrue(arrives, [&] {
    NVVM::MBarrierArriveOp::create(
        b.builder, b.loc(), TypeRange(), b.inBlock(barrier, thread),
        /*count=*/Value(), NVVM::MemScopeKind::CLUSTER, /*relaxed=*/false);
  });
}

/// Of the phase that the tile `tilesBefore` before this one has.
Value SumsExchange::parityOf(const TileTurn &turn, int64_t tilesBefore) {
  return b.bitAnd(b.add(turn.before, tilesBefore), b.word(1));
}

void SumsExchange::awaitSpace(const TileTurn &turn) {
  if (blocks == 1)
    return;
  Value isLater = b.differs(turn.before, b.word(0));
  b.frame.ifTrue(isLater, [&] {
    b.awaitPhase(read, parityOf(turn, 1), NVVM::MemScopeKind::CLUSTER);
  });
}

void SumsExchange::exchange(const TileTurn &turn) {
  meet();
  if (blocks == 1)
    return;
  arriveEverywhere(written);
  b.awaitPhase(written, parityOf(turn, 0), NVVM::MemScopeKind::CLUSTER);
}

void SumsExchange::release(const TileTurn &turn) {
  meet();
  if (blocks > 1)
    b.frame.ifTrue(turn.isFollowed, [&] { arriveEverywhere(read); });
}
