//===- MathExpansion.cpp - The pass fuse-expand-math ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"
#include "fuse/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_EXPANDMATH
#include "fuse/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

using UnaryExpansion = Expr (*)(Expr);

Expr expandRsqrt(Expr x) {
  MathEmitter &e = *x.emitter;
  return e.hasHardwareMath() ? e.hardwareRsqrt(x) : e.f(1.0) / e.sqrt(x);
}

/// The expansion of a unary math op, or null where `op` is none.
UnaryExpansion getUnaryExpansion(Operation *op) {
  return llvm::TypeSwitch<Operation *, UnaryExpansion>(op)
      .Case<math::ExpOp>([](auto) { return expandExp; })
      .Case<math::Exp2Op>([](auto) { return expandExp2; })
      .Case<math::ExpM1Op>([](auto) { return expandExpM1; })
      .Case<math::LogOp>([](auto) { return expandLog; })
      .Case<math::Log2Op>([](auto) { return expandLog2; })
      .Case<math::Log1pOp>([](auto) { return expandLog1p; })
      .Case<math::RsqrtOp>([](auto) { return expandRsqrt; })
      .Case<math::SinOp>([](auto) { return expandSin; })
      .Case<math::CosOp>([](auto) { return expandCos; })
      .Case<math::TanhOp>([](auto) { return expandTanh; })
      .Case<math::ErfOp>([](auto) { return expandErf; })
      .Default([](Operation *) { return nullptr; });
}

bool hasFlag(Operation *op, arith::FastMathFlags flag) {
  auto fastMath = dyn_cast<arith::ArithFastMathInterface>(op);
  return fastMath && arith::bitEnumContainsAny(
                         fastMath.getFastMathFlagsAttr().getValue(), flag);
}

LogicalResult checkType(Operation *op) {
  Type type = op->getResult(0).getType();
  Type element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  bool isShapeKnown = type == element ||
                      (vector && vector.getRank() == 1 && !vector.isScalable());
  if (isShapeKnown && (element.isF32() || element.isF64()))
    return success();
  return op->emitOpError("expected an f32 or f64 scalar or fixed 1-D vector, "
                         "but got ")
         << type << "; widen 16-bit floats and unroll larger vectors before "
         << "fuse-expand-math";
}

struct ExpandMath : fuse::impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    SmallVector<Operation *> worklist;
    getOperation()->walk([&](Operation *op) {
      if (getUnaryExpansion(op) || isa<math::PowFOp>(op) ||
          (target == MathTarget::Cuda && isExpandedDivision(op)))
        worklist.push_back(op);
    });
    for (Operation *op : worklist)
      if (failed(expand(op)))
        return signalPassFailure();
  }

  LogicalResult expand(Operation *op) {
    if (failed(checkType(op)))
      return failure();
    OpBuilder builder(op);
    MathExpansionOptions options;
    options.target = target;
    options.approximate = hasFlag(op, arith::FastMathFlags::afn);
    options.bf16 = op->hasAttr(kBF16ResultAttr);
    options.summed = op->hasAttr(kSummedAttr);
    options.nonpositive = options.summed || op->hasAttr(kNonpositiveAttr);
    MathEmitter e(builder, op->getLoc(), op->getResult(0).getType(), options);

    Expr result;
    Expr first = e.wrap(op->getOperand(0));
    if (UnaryExpansion expansion = getUnaryExpansion(op))
      result = expansion(first);
    else if (isa<math::PowFOp>(op))
      result = expandPow(first, e.wrap(op->getOperand(1)));
    else
      result = expandDivision(cast<arith::DivFOp>(op), e);
    op->getResult(0).replaceAllUsesWith(result.value);
    op->erase();
    return success();
  }
};

} // namespace
