//===- MathDivide.cpp - Division on CUDA without branches -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// div.rn is some ten instructions and a branch for each element. Where less is
// asked for there are approximations; where all lanes divide by one number, as
// a row does by its norm, its reciprocal is computed once, and each quotient is
// a product and one correction, which is correctly rounded.
//
//===----------------------------------------------------------------------===//

#include "MathEmitter.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include <limits>

using namespace mlir;
using namespace mlir::fuse;

/// The scalar that all lanes of the value are; null where there is none.
static Value sharedLane(Value value) {
  auto splat = value.getDefiningOp<vector::BroadcastOp>();
  bool isShared = splat && !isa<VectorType>(splat.getSource().getType());
  return isShared ? splat.getSource() : Value();
}

static bool isOne(Value value) {
  Value lane = sharedLane(value);
  return matchPattern(lane ? lane : value, m_OneFloat());
}

static Expr newtonStep(Expr x, Expr reciprocal) {
  MathEmitter &e = *x.emitter;
  Expr error = e.fma(-x, reciprocal, e.f(1.0));
  return e.fma(error, reciprocal, reciprocal);
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

/// x / y, correctly rounded, for lanes that share y. With r the correctly
/// rounded 1 / y and q = x r, q + (x - y q) r is x / y correctly rounded
/// (Markstein, Computation of elementary functions on the IBM RISC System/6000
/// processor, 1990) unless
///  - all bits of y's fraction are set: then two steps of Newton's method may
///    miss r;
///  - y is not in [2^-60, 2^60], or q is neither 0 nor in (2^-36, inf): then
///    something may overflow, or the remainder be denormal.
/// There, and where a NaN or an infinity takes part, the hardware divides. With
/// y > 0 the signs of zeros come out right if the remainder is negated.
static Expr divideByShared(Expr x, Expr y, Value divisor) {
  MathEmitter &e = *x.emitter;
  MathExpansionOptions options;
  options.target = MathTarget::Cuda;
  MathEmitter scalar(e.getBuilder(), e.getLoc(), divisor.getType(), options);
  Expr s = scalar.wrap(divisor);
  Expr once = scalar.hardwareReciprocal(s);
  Expr r = newtonStep(s, newtonStep(s, once));
  constexpr int64_t fraction = (1 << 23) - 1;
  Expr bits = scalar.toBits(s) & scalar.i(fraction);
  Expr isOdd =
      scalar.compare(arith::CmpIPredicate::eq, bits, scalar.i(fraction)) |
      scalar.compare(arith::CmpFPredicate::ULT, s, scalar.f(0x1p-60)) |
      scalar.compare(arith::CmpFPredicate::UGT, s, scalar.f(0x1p60));

  auto splat = [&](Expr lane) {
    return e.make<vector::BroadcastOp>(e.withElement(lane.value.getType()),
                                       lane.value);
  };
  Expr q = x * splat(r);
  Expr remainder = e.fma(y, q, -x);
  Expr quotient = e.fma(remainder, splat(-r), q);
  // An overflow on the way has become a NaN.
  Expr magnitude = e.make<math::AbsFOp>(quotient.value);
  Expr isTinyOrNaN =
      e.compare(arith::CmpFPredicate::ULE, magnitude, e.f(0x1p-36)) &
      (x != e.f(0.0));
  // Lane by lane, for which there are predicates; a vector of them becomes
  // bits.
  OpBuilder &builder = e.getBuilder();
  Expr any = isOdd;
  int64_t lanes = cast<VectorType>(x.value.getType()).getDimSize(0);
  for (int64_t lane = 0; lane < lanes; ++lane)
    any = any | e.make<vector::ExtractOp>(isTinyOrNaN.value, lane);
  auto divide = [&](OpBuilder &, Location loc) {
    // Divisions without a side effect would be done in any case: LLVM takes
    // them for cheaper than the branch.
    LLVM::InlineAsmOp::create(builder, loc, TypeRange{}, ValueRange{}, "", "",
                              /*has_side_effects=*/true,
                              /*is_align_stack=*/false,
                              LLVM::TailCallKind::None, LLVM::AsmDialectAttr(),
                              ArrayAttr());
    Value exact = arith::DivFOp::create(builder, loc, x.value, y.value);
    scf::YieldOp::create(builder, loc, exact);
  };
  auto keep = [&](OpBuilder &, Location loc) {
    scf::YieldOp::create(builder, loc, quotient.value);
  };
  return e.wrap(scf::IfOp::create(builder, e.getLoc(), any.value, divide, keep)
                    .getResult(0));
}

static bool mayBeApproximate(arith::DivFOp op) {
  return arith::bitEnumContainsAny(
      op.getFastmath(), arith::FastMathFlags::afn | arith::FastMathFlags::arcp);
}

bool mlir::fuse::isExpandedDivision(Operation *op) {
  auto division = dyn_cast<arith::DivFOp>(op);
  return division && getElementTypeOrSelf(division.getType()).isF32() &&
         (mayBeApproximate(division) || sharedLane(division.getRhs()));
}

Expr mlir::fuse::expandDivision(arith::DivFOp op, MathEmitter &e) {
  Expr a = e.wrap(op.getLhs()), b = e.wrap(op.getRhs());
  if (!mayBeApproximate(op))
    return divideByShared(a, b, sharedLane(b.value));
  return isOne(a.value) ? expandReciprocal(b) : e.hardwareDivide(a, b);
}
