//===- EmitPointwise.cpp - Pointwise ops at a point -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op's operands come in their compute type; the op is built on them with
// arith and math. Results typed as 16-bit floats allow approximate functions
// (`afn`): one unit in their last place hides the difference.
//
//===----------------------------------------------------------------------===//

#include "EmitCast.h"
#include "Math/MathEmitter.h"
#include "OpEmitters.h"
#include "PairedHalves.h"
#include "PointEmitter.h"

#include "fuse/Conversion/MathExpansion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Builds one op on operands of one type (all scalars, or all vectors).
class PointwiseBuilder {
public:
  PointwiseBuilder(PointEmitter &emitter, Operation *op, ValueRange operands)
      : emitter(emitter), builder(emitter.getBuilder()), loc(op->getLoc()),
        op(op), in(operands), accuracy(PointEmitter::accuracyOf(op)) {}

  Value build();

private:
  bool isFloat() const {
    return isa<FloatType>(getElementTypeOrSelf(in[0].getType()));
  }
  arith::FastMathFlagsAttr flags() const {
    auto flags = arith::FastMathFlags::none;
    if (!emitter.getOptions().strict)
      flags = flags | arith::FastMathFlags::contract;
    if (!emitter.getOptions().strict && is16Bit() && !isExact())
      flags = flags | arith::FastMathFlags::afn | arith::FastMathFlags::arcp;
    // LLVM decides about these by what else uses a product or a quotient.
    if (emitter.mustRepeat(op))
      flags = bitEnumClear(flags, arith::FastMathFlags::contract |
                                      arith::FastMathFlags::arcp);
    return arith::FastMathFlagsAttr::get(op->getContext(), flags);
  }
  /// A division that the program writes is that of IEEE 754: x / x is 1, also
  /// where nothing rounds it. One inside a composite need not be. A negation
  /// that may be approximate would let LLVM approximate the division before it:
  /// -(x / 7) becomes x / -7 with the flags of the negation.
  bool isExact() const {
    return isa<AddOp, SubOp, MulOp, NegOp>(op) ||
           (isa<DivOp, RecipOp>(op) && !op->hasAttr(kAccuracyAttr));
  }
  bool is16Bit() const { return accuracy.isF16() || accuracy.isBF16(); }
  /// Whether x / y may be x times 1 / y.
  bool mayTakeReciprocal() const {
    return getElementTypeOrSelf(in[0].getType()).isF32() && !isExact() &&
           !emitter.getOptions().strict;
  }

  Value constant(double value) {
    Type type = in[0].getType();
    Value scalar = emitter.constant(loc, getElementTypeOrSelf(type), value);
    auto vectorType = dyn_cast<VectorType>(type);
    return vectorType ? emitter.splat(loc, scalar, vectorType.getDimSize(0))
                      : scalar;
  }

  /// A float op, with the flags that the result's type allows.
  template <typename OpTy> Value floatOp(ValueRange operands) {
    Operation *built = OpTy::create(
        builder, loc, in[0].getType(), operands,
        ArrayRef<NamedAttribute>{builder.getNamedAttr("fastmath", flags())});
    // bf16 has fewer bits than the hardware's tanh, f16 has not.
    if (accuracy.isBF16() && !emitter.getOptions().strict)
      built->setAttr(kBF16ResultAttr, builder.getUnitAttr());
    return built->getResult(0);
  }
  template <typename OpTy> Value intOp(ValueRange operands) {
    return OpTy::create(builder, loc, in[0].getType(), operands,
                        ArrayRef<NamedAttribute>{})
        ->getResult(0);
  }
  template <typename FloatOp, typename IntOp> Value either() {
    return isFloat() ? floatOp<FloatOp>(in) : intOp<IntOp>(in);
  }
  int64_t bits() const {
    return getElementTypeOrSelf(in[0].getType()).getIntOrFloatBitWidth();
  }
  /// Negative amounts are large ones without a sign. What the machine makes of
  /// others is not defined.
  Value isShiftInRange() {
    return compareInt(arith::CmpIPredicate::ult, in[1], constant(bits()));
  }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value compareFloat(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value compareInt(arith::CmpIPredicate predicate, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  }

  Value reciprocal(Value x);
  Value buildDiv();
  Value buildSign();
  Value buildCompare(ComparePredicate predicate);
  Value buildSigmoid();
  Value buildMinMax(bool max, Value a, Value b);

  PointEmitter &emitter;
  OpBuilder &builder;
  Location loc;
  Operation *op;
  ValueRange in;
  Type accuracy;
};
} // namespace

/// Of a number that all lanes share only once.
Value PointwiseBuilder::reciprocal(Value x) {
  Value divisor = sharedByLanes(x);
  Type type = divisor.getType();
  Value one = emitter.constant(loc, getElementTypeOrSelf(type), 1);
  if (auto vector = dyn_cast<VectorType>(type))
    one = emitter.splat(loc, one, vector.getDimSize(0));
  auto fastMath = arith::FastMathFlagsAttr::get(
      op->getContext(), flags().getValue() | arith::FastMathFlags::arcp);
  Value inverse = arith::DivFOp::create(builder, loc, one, divisor, fastMath);
  return divisor == x
             ? inverse
             : vector::BroadcastOp::create(builder, loc, x.getType(), inverse);
}

Value PointwiseBuilder::buildDiv() {
  if (isFloat() && mayTakeReciprocal())
    return floatOp<arith::MulFOp>({in[0], reciprocal(in[1])});
  if (isFloat())
    return floatOp<arith::DivFOp>(in);
  // x / 0 is 0, and the one overflow wraps: neither may trap.
  Value zero = constant(0), one = constant(1), minusOne = constant(-1);
  Value byZero = compareInt(arith::CmpIPredicate::eq, in[1], zero);
  Value byMinusOne = compareInt(arith::CmpIPredicate::eq, in[1], minusOne);
  Value unsafe = arith::OrIOp::create(builder, loc, byZero, byMinusOne);
  Value quotient =
      arith::DivSIOp::create(builder, loc, in[0], select(unsafe, one, in[1]));
  Value negated = arith::SubIOp::create(builder, loc, zero, in[0]);
  return select(byZero, zero, select(byMinusOne, negated, quotient));
}

Value PointwiseBuilder::buildSign() {
  Value zero = constant(0), one = constant(1), minusOne = constant(-1);
  if (!isFloat())
    return select(compareInt(arith::CmpIPredicate::sgt, in[0], zero), one,
                  select(compareInt(arith::CmpIPredicate::slt, in[0], zero),
                         minusOne, zero));
  return select(compareFloat(arith::CmpFPredicate::OGT, in[0], zero), one,
                select(compareFloat(arith::CmpFPredicate::OLT, in[0], zero),
                       minusOne, in[0]));
}

Value PointwiseBuilder::buildCompare(ComparePredicate predicate) {
  static constexpr arith::CmpFPredicate floats[] = {
      arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
      arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
      arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
  static constexpr arith::CmpIPredicate ints[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
      arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge};
  static constexpr arith::CmpIPredicate bools[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,
      arith::CmpIPredicate::ult, arith::CmpIPredicate::ule,
      arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge};
  auto number = static_cast<unsigned>(predicate);
  if (isFloat())
    return compareFloat(floats[number], in[0], in[1]);
  bool isBool = getElementTypeOrSelf(in[0].getType()).isInteger(1);
  return compareInt((isBool ? bools : ints)[number], in[0], in[1]);
}

Value PointwiseBuilder::buildSigmoid() {
  Value negated = floatOp<arith::NegFOp>(in);
  Value exp = floatOp<math::ExpOp>(negated);
  Value denominator = floatOp<arith::AddFOp>({exp, constant(1)});
  return mayTakeReciprocal()
             ? reciprocal(denominator)
             : floatOp<arith::DivFOp>({constant(1), denominator});
}

Value PointwiseBuilder::buildMinMax(bool max, Value a, Value b) {
  if (isFloat())
    return max ? floatOp<arith::MaximumFOp>({a, b})
               : floatOp<arith::MinimumFOp>({a, b});
  return max ? intOp<arith::MaxSIOp>({a, b}) : intOp<arith::MinSIOp>({a, b});
}

Value PointwiseBuilder::build() {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<AddOp>([&](auto) { return either<arith::AddFOp, arith::AddIOp>(); })
      .Case<SubOp>([&](auto) { return either<arith::SubFOp, arith::SubIOp>(); })
      .Case<MulOp>([&](auto) { return either<arith::MulFOp, arith::MulIOp>(); })
      .Case<DivOp>([&](auto) { return buildDiv(); })
      .Case<FmodOp>([&](auto) -> Value {
        if (isFloat())
          return buildFmod(builder, loc, in[0], in[1]);
        Value product = intOp<arith::MulIOp>({buildDiv(), in[1]});
        return intOp<arith::SubIOp>({in[0], product});
      })
      .Case<PowOp>([&](auto) { return floatOp<math::PowFOp>(in); })
      .Case<MinOp>([&](auto) { return buildMinMax(false, in[0], in[1]); })
      .Case<MaxOp>([&](auto) { return buildMinMax(true, in[0], in[1]); })
      .Case<ClampOp>([&](auto) {
        return buildMinMax(false, buildMinMax(true, in[0], in[1]), in[2]);
      })
      .Case<NegOp>([&](auto) -> Value {
        if (isFloat())
          return floatOp<arith::NegFOp>(in);
        return arith::SubIOp::create(builder, loc, constant(0), in[0]);
      })
      .Case<AbsOp>([&](auto) { return either<math::AbsFOp, math::AbsIOp>(); })
      .Case<SignOp>([&](auto) { return buildSign(); })
      .Case<ExpOp>([&](ExpOp exp) {
        Value power = floatOp<math::ExpOp>(in);
        if (accuracy.isBF16() && !emitter.getOptions().strict &&
            PointEmitter::isBelowMaximum(exp))
          power.getDefiningOp()->setAttr(kNonpositiveAttr,
                                         builder.getUnitAttr());
        return power;
      })
      .Case<Exp2Op>([&](auto) { return floatOp<math::Exp2Op>(in); })
      .Case<Expm1Op>([&](auto) { return floatOp<math::ExpM1Op>(in); })
      .Case<LogOp>([&](auto) { return floatOp<math::LogOp>(in); })
      .Case<Log2Op>([&](auto) { return floatOp<math::Log2Op>(in); })
      .Case<Log1pOp>([&](auto) { return floatOp<math::Log1pOp>(in); })
      .Case<SqrtOp>([&](auto) { return floatOp<math::SqrtOp>(in); })
      .Case<RsqrtOp>([&](auto) { return floatOp<math::RsqrtOp>(in); })
      .Case<RecipOp>(
          [&](auto) { return floatOp<arith::DivFOp>({constant(1), in[0]}); })
      .Case<SinOp>([&](auto) { return floatOp<math::SinOp>(in); })
      .Case<CosOp>([&](auto) { return floatOp<math::CosOp>(in); })
      .Case<TanhOp>([&](auto) { return floatOp<math::TanhOp>(in); })
      .Case<ErfOp>([&](auto) { return floatOp<math::ErfOp>(in); })
      .Case<SigmoidOp>([&](auto) { return buildSigmoid(); })
      .Case<FloorOp>([&](auto) { return floatOp<math::FloorOp>(in); })
      .Case<CeilOp>([&](auto) { return floatOp<math::CeilOp>(in); })
      .Case<RoundOp>([&](auto) { return floatOp<math::RoundEvenOp>(in); })
      .Case<TruncOp>([&](auto) { return floatOp<math::TruncOp>(in); })
      .Case<CompareOp>([&](CompareOp compare) {
        return buildCompare(compare.getPredicate());
      })
      .Case<AndOp>([&](auto) { return intOp<arith::AndIOp>(in); })
      .Case<OrOp>([&](auto) { return intOp<arith::OrIOp>(in); })
      .Case<XorOp>([&](auto) { return intOp<arith::XOrIOp>(in); })
      .Case<NotOp>([&](auto) -> Value {
        return arith::XOrIOp::create(builder, loc, in[0], constant(-1));
      })
      .Case<ShlOp>([&](auto) {
        // LLVM makes one shift of a shift and a selection behind it, which
        // reads 32 bits of the amount only.
        Value isInRange = isShiftInRange();
        Value value = select(isInRange, in[0], constant(0));
        Value amount = select(isInRange, in[1], constant(0));
        return intOp<arith::ShLIOp>({value, amount});
      })
      .Case<ShrOp>([&](auto) {
        // The last bit that stays is the sign.
        Value amount = select(isShiftInRange(), in[1], constant(bits() - 1));
        return intOp<arith::ShRSIOp>({in[0], amount});
      })
      .Case<SelectOp>([&](auto) { return select(in[0], in[1], in[2]); })
      .Default([](Operation *op) -> Value {
        llvm_unreachable("no lowering of a primitive");
      });
}

/// The index along `dim`, in the element type.
static Value emitIota(PointEmitter &emitter, IotaOp op, const Point &point) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = op.getLoc();
  Type element = op.getType().getElementType();
  Type compute = PointEmitter::computeType(element);
  int64_t axis = op.getDim();
  Index index = point.dims[axis];
  if (op.getFromEnd()) {
    Extent extent = emitter.getDims().extent(op.getResult(), axis);
    Index size = emitter.mul(emitter.size(extent), Index::constant(-1));
    index = emitter.add(index, size);
  }
  Type wide = builder.getI64Type();
  Value number = arith::IndexCastOp::create(builder, loc, wide,
                                            emitter.materialize(index));
  bool alongLanes = point.lanes > 1 && axis == op.getType().getRank() - 1;
  if (alongLanes) {
    auto type = VectorType::get({point.lanes}, wide);
    SmallVector<int64_t> steps =
        llvm::to_vector(llvm::seq<int64_t>(point.lanes));
    Value lanes = arith::ConstantOp::create(
        builder, loc, DenseIntElementsAttr::get(type, steps));
    number = arith::AddIOp::create(
        builder, loc, emitter.splat(loc, number, point.lanes), lanes);
  }
  Type result = PointEmitter::lanesOf(compute, alongLanes ? point.lanes : 1);
  if (isa<FloatType>(compute)) {
    Value value = arith::SIToFPOp::create(builder, loc, result, number);
    return roundTo(emitter, loc, element, value);
  }
  if (compute == wide)
    return number;
  return arith::TruncIOp::create(builder, loc, result, number);
}

/// A splat constant in its compute type.
static Value emitConstant(PointEmitter &emitter, ConstantOp op) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  return emitter.elementConstant(
      op.getLoc(), cast<TypedAttr>(elements.getSplatValue<Attribute>()));
}

/// No instruction computes with unsigned elements, nor with narrow ones as the
/// ops say.
LogicalResult mlir::fuse::verifyWideIntegers(KernelOp kernel) {
  auto isNarrow = [](Type type) {
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    return integer && integer.getWidth() > 1 && integer.getWidth() < 32;
  };
  for (Operation &op : kernel.getBody().front())
    if (isa<AddOp, SubOp, MulOp, DivOp, FmodOp, MinOp, MaxOp, NegOp, AbsOp,
            SignOp, ClampOp, CompareOp, AndOp, OrOp, XorOp, NotOp, ShlOp, ShrOp,
            ReduceOp, ScanOp, TopKOp, SegmentSumOp>(op) &&
        llvm::any_of(op.getOperandTypes(), isNarrow))
      return op.emitError()
             << "expected operands of i32 or i64, but got "
             << op.getOperand(0).getType()
             << "; run fuse-decompose, which casts to i32 and back";
  return success();
}

Value mlir::fuse::emitPointwise(PointEmitter &emitter, Operation *op,
                                const Point &point) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return emitConstant(emitter, constant);
  if (auto iota = dyn_cast<IotaOp>(op))
    return emitIota(emitter, iota, point);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return emitter.emitOperand(broadcast.getInput(), broadcast.getResult(),
                               point);

  Value result = op->getResult(0);
  SmallVector<Value> operands;
  int64_t lanes = 1;
  for (Value operand : op->getOperands()) {
    operands.push_back(emitter.emitOperand(operand, result, point));
    if (auto type = dyn_cast<VectorType>(operands.back().getType()))
      lanes = type.getDimSize(0);
  }
  for (Value &operand : operands)
    operand = emitter.splat(op->getLoc(), operand, lanes);

  if (auto cast = dyn_cast<CastOp>(op))
    return emitCast(emitter, cast, operands[0]);
  if (Value value = buildInPairs(emitter, op, operands))
    return value;
  Value value = PointwiseBuilder(emitter, op, operands).build();
  if (emitter.getOptions().strict)
    value = roundTo(emitter, op->getLoc(),
                    getElementTypeOrSelf(result.getType()), value);
  return value;
}
