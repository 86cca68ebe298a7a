//===- MmaBuilder.cpp - Words and warps of a tensor-core kernel -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

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
