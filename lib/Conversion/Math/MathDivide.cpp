//===- MathDivide.cpp - Division on CUDA without branches -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// div.rn is some ten instructions and a branch for each element. Where less is
// asked for there are approximations.
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

Value mlir::fuse::sharedByLanes(Value value) {
  auto splat = value.getDefiningOp<vector::BroadcastOp>();
  bool isShared = splat && !isa<VectorType>(splat.getSource().getType());
  return isShared ? splat.getSource() : value;
}

static bool isOne(Value value) {
  return matchPattern(sharedByLanes(value), m_OneFloat());
}

/// 1 / x. One step of Newton's method takes rcp.approx from 1 ULP to 0.5 and a
/// bit; an infinity is kept from making it inf * 0.
static Expr expandReciprocal(Expr x) {
  MathEmitter &e = *x.emitter;
  Expr first = e.hardwareReciprocal(x);
  if (e.isApproximate())
    return first;
  constexpr double largest = std::numeric_limits<float>::max();
  Expr error = e.fma(-e.atMost(x, largest), first, e.f(1.0));
  return e.fma(error, first, first);
}

static bool mayBeApproximate(arith::DivFOp op) {
  return arith::bitEnumContainsAny(
      op.getFastmath(), arith::FastMathFlags::afn | arith::FastMathFlags::arcp);
}

bool mlir::fuse::isExpandedDivision(Operation *op) {
  auto division = dyn_cast<arith::DivFOp>(op);
  return division && getElementTypeOrSelf(division.getType()).isF32() &&
         mayBeApproximate(division);
}

Expr mlir::fuse::expandDivision(arith::DivFOp op, MathEmitter &e) {
  Expr a = e.wrap(op.getLhs()), b = e.wrap(op.getRhs());
  return isOne(a.value) ? expandReciprocal(b) : e.hardwareDivide(a, b);
}
