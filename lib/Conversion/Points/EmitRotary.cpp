//===- EmitRotary.cpp - Rotary embedding at a point -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Feature d of a head needs its partner e and the pair's number i:
//
//   interleaved: e = d ^ 1,       i = d / 2
//   half:        e = d +- R/2,    i = d mod R/2
//
// and is x[d] cos(i) + sign x[e] sin(i), where sign is -1 for the first of the
// pair. In the interleaved layout a vector holds whole pairs: the partner is a
// shuffle. In the half layout a whole vector lies on one side of R/2, so that
// the side is a matter of the vector, not of its lanes; when the point's range
// is known (the pointwise schedule walks the two sides together) nothing is
// left of the choice in the code. The same goes for the choice between heads
// that are rotated and those that are copied.
//
// Where edges of pairs cut vectors, their lanes are rotated in groups that none
// cuts, out of whole vectors: that of the point, and those around the partners.
//
// sin and cos of a token's pair are remembered, so that the two sides, and
// heads that one thread computes together, share them.
//
//===----------------------------------------------------------------------===//

#include "CodeName.h"
#include "OpEmitters.h"
#include "PointEmitter.h"
#include "RotaryPosition.h"

#include "fuse/Conversion/MathExpansion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct SinCos {
  Value sin, cos;
};

class RotaryBuilder {
public:
  RotaryBuilder(PointEmitter &emitter, RotaryOp op, const Point &point)
      : emitter(emitter), builder(emitter.getBuilder()), op(op), point(point),
        loc(op.getLoc()), rotated(op.getRotaryDims()),
        element(op.getInput().getType().getElementType()),
        compute(PointEmitter::computeType(element)) {}

  Value build();
  void prepare();

private:
  bool lanesFit();
  bool mayCutLanes();
  bool isCopied();
  Value buildInterleaved();
  Value buildHalf();
  Value buildHalfSide(const Index &partner, const Index &pair, bool first);
  Value buildCutLanes();
  Value partnerLanes();
  Value rotateLanes() {
    return op.getLayout() == RotaryLayout::half ? buildHalf()
                                                : buildInterleaved();
  }
  SinCos sinCos(const Index &pair, int64_t lanes);
  SinCos buildSinCos(const Index &pair, int64_t lanes);
  SinCos tableValues(const Index &pair, int64_t lanes);
  Index tableRow();
  SinCos computedValues(const Index &pair, int64_t lanes);
  Value frequencies(const Index &pair, int64_t lanes);
  Index firstFrequency();
  LLVM::GlobalOp frequencyTable();

  Index feature() const { return point.dims.back(); }
  Value own() { return ownLanes ? ownLanes : input(feature(), point.lanes); }
  Value input(const Index &at, int64_t lanes) {
    Point where = point;
    if (where.linear)
      where.linear = emitter.add(
          *where.linear, {Value(), at.offset - feature().offset, false});
    if (at.base != feature().base)
      where.linear.reset();
    where.dims.back() = at;
    where.lanes = lanes;
    return emitter.emitLanes(op.getInput(), where);
  }
  Value fma(Value a, Value b, Value c) {
    bool mayFuse = !emitter.getOptions().strict && !emitter.mustRepeat(op);
    auto flags = arith::FastMathFlagsAttr::get(
        op.getContext(),
        mayFuse ? arith::FastMathFlags::contract : arith::FastMathFlags::none);
    Value product = arith::MulFOp::create(builder, loc, a, b, flags);
    return arith::AddFOp::create(builder, loc, product, c, flags);
  }
  Value mul(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value negate(Value v) { return arith::NegFOp::create(builder, loc, v); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Index select(Value condition, const Index &a, const Index &b) {
    return {select(condition, emitter.materialize(a), emitter.materialize(b)),
            0, a.guarded || b.guarded};
  }

  PointEmitter &emitter;
  OpBuilder &builder;
  RotaryOp op;
  const Point &point;
  Location loc;
  int64_t rotated;
  Type element, compute;
  /// The input at the point and, in the half layout, at the partners, where
  /// these are lanes of wider vectors.
  Value ownLanes, otherLanes;
};
} // namespace

/// Whether no vector straddles a pair's edge, R/2 or R.
bool RotaryBuilder::lanesFit() {
  int64_t lanes = point.lanes;
  if (point.skew % lanes != 0 || op.getHeadDim() % lanes != 0 ||
      rotated % lanes != 0)
    return false;
  if (op.getLayout() == RotaryLayout::half)
    return (rotated / 2) % lanes == 0;
  return lanes > 1;
}

/// Whether whole vectors have the lanes and their partners. Where a thread has
/// all pairs of a head, no choice is left lane by lane.
bool RotaryBuilder::mayCutLanes() {
  bool isForGPU = emitter.getOptions().sharedBytes > 0;
  return isForGPU && feature().base && point.skew % point.lanes == 0 &&
         op.getHeadDim() % point.lanes == 0;
}

/// Whether it is known that no lane is rotated.
bool RotaryBuilder::isCopied() {
  auto features = emitter.range(feature());
  if (features && features->first >= rotated)
    return true;
  if (!op.getHeads())
    return false;
  auto heads = emitter.range(point.dims[op.getHeadAxis()]);
  return heads && heads->first >= static_cast<int64_t>(*op.getHeads());
}

Value RotaryBuilder::build() {
  if (isCopied())
    return input(feature(), point.lanes);
  bool isCut = point.lanes > 1 && !lanesFit();
  if (isCut && !mayCutLanes())
    return emitter.gatherLanes(loc, point.lanes, [&](int64_t lane) {
      return emitter.emit(op.getResult(), emitter.lanePoint(point, lane));
    });
  auto rotate = [&] { return isCut ? buildCutLanes() : rotateLanes(); };
  if (!op.getHeads())
    return rotate();
  int64_t heads = *op.getHeads();
  Index head = point.dims[op.getHeadAxis()];
  if (auto range = emitter.range(head); range && range->second <= heads)
    return rotate();
  // Read before the branch: both sides need it.
  Value x = input(feature(), point.lanes);
  return emitter.choose(
      loc, emitter.less(head, Index::constant(heads)),
      PointEmitter::lanesOf(compute, point.lanes), [&] { return rotate(); },
      [&] { return x; });
}

Value RotaryBuilder::buildInterleaved() {
  int64_t lanes = point.lanes;
  Index two = Index::constant(2), d = feature();
  Index limit = Index::constant(rotated);
  bool partial = rotated != op.getHeadDim();
  if (auto range = emitter.range(d))
    partial &= range->second > rotated;
  // Past R the pair's number is that of the last pair: its result is unused.
  Index pair = emitter.div(d, two);
  if (partial)
    pair = emitter.min(
        pair, Index::constant(rotated / 2 - std::max<int64_t>(1, lanes / 2)));
  Value x = own(), partner;
  SinCos angle = sinCos(pair, std::max<int64_t>(1, lanes / 2));
  if (lanes == 1) {
    Index isSecond = emitter.rem(d, two);
    Index other = emitter.add(emitter.add(d, Index::constant(1)),
                              emitter.mul(isSecond, Index::constant(-2)));
    partner = input(other, 1);
    Value second = emitter.less(Index::constant(0), isSecond);
    angle.sin = select(second, angle.sin, negate(angle.sin));
  } else {
    SmallVector<int64_t> swap, twice;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      swap.push_back(lane ^ 1);
      twice.push_back(lane / 2);
    }
    auto widen = [&](Value v, ArrayRef<int64_t> mask) -> Value {
      if (!isa<VectorType>(v.getType()))
        return emitter.splat(loc, v, lanes);
      return vector::ShuffleOp::create(builder, loc, v, v, mask);
    };
    partner = widen(x, swap);
    // sin with alternating signs: -sin, +sin, one negation a pair.
    Value sin = emitter.splat(loc, angle.sin, lanes / 2);
    Value negated = negate(sin);
    SmallVector<int64_t> signs;
    for (int64_t lane = 0; lane < lanes; ++lane)
      signs.push_back(lane / 2 + (lane % 2 ? 0 : lanes / 2));
    if (lanes == 2)
      angle.sin = emitter.gatherLanes(
          loc, 2, [&](int64_t lane) { return lane ? sin : negated; });
    else
      angle.sin = vector::ShuffleOp::create(builder, loc, sin, negated, signs);
    angle.cos = widen(angle.cos, twice);
  }
  Value y = fma(x, angle.cos, mul(partner, angle.sin));
  if (!partial)
    return y;
  return select(emitter.less(d, limit), y, x);
}

Value RotaryBuilder::buildHalfSide(const Index &partner, const Index &pair,
                                   bool first) {
  Value x = input(feature(), point.lanes);
  Value other = input(partner, point.lanes);
  SinCos angle = sinCos(pair, point.lanes);
  Value term = mul(other, angle.sin);
  return fma(x, angle.cos, first ? negate(term) : term);
}

Value RotaryBuilder::buildHalf() {
  int64_t half = rotated / 2;
  Index d = feature(), shift = Index::constant(half);
  Index back = Index::constant(-half);
  if (auto range = emitter.range(d)) {
    if (range->second <= half)
      return buildHalfSide(emitter.add(d, shift), d, /*first=*/true);
    if (range->first >= half && range->second <= rotated)
      return buildHalfSide(emitter.add(d, back), emitter.add(d, back),
                           /*first=*/false);
  }
  Value isFirst = emitter.less(d, shift), isRotated;
  if (rotated != op.getHeadDim())
    isRotated = emitter.less(d, Index::constant(rotated));
  auto ofRotated = [&](const Index &index, const Index &otherwise) {
    return isRotated ? select(isRotated, index, otherwise) : index;
  };
  // One value for all heads, which share what is computed of it.
  Value pairNumber = emitter.remember(op, {d, Index::constant(0)}, [&] {
    Index pair = select(isFirst, d, emitter.add(d, back));
    return emitter.materialize(ofRotated(pair, Index::constant(0)));
  });
  Index pair = {pairNumber, 0, d.guarded};
  Value x = own(), other = otherLanes;
  if (!other)
    other = input(
        ofRotated(select(isFirst, emitter.add(d, shift), emitter.add(d, back)),
                  d),
        point.lanes);
  SinCos angle = sinCos(pair, point.lanes);
  Value sin = emitter.splat(loc, angle.sin, point.lanes);
  Value term = mul(other, select(isFirst, negate(sin), sin));
  Value y = fma(x, emitter.splat(loc, angle.cos, point.lanes), term);
  return isRotated ? select(isRotated, y, x) : y;
}

/// The input at the partners of the point's lanes, in the half layout: those
/// R/2 further on up to R/2, and from there on those R/2 before. Both lie
/// between two vectors; a vector with lanes on both sides has the second ones
/// from the head's first.
Value RotaryBuilder::partnerLanes() {
  int64_t lanes = point.lanes, half = rotated / 2, past = half % lanes;
  Index d = feature();
  Value isFirst = emitter.less(d, Index::constant(half));
  Index before = emitter.add(d, Index::constant(past - half - lanes));
  if (rotated != op.getHeadDim())
    before = select(emitter.less(d, Index::constant(rotated)), before, d);
  Index at =
      select(isFirst, emitter.add(d, Index::constant(half - past)), before);
  Index next = emitter.min(emitter.add(at, Index::constant(lanes)),
                           Index::constant(op.getHeadDim() - lanes));
  Value low = input(at, lanes), high = input(next, lanes);
  auto lanesFrom = [&](Value a, Value b, int64_t first, int64_t last) {
    auto taken = llvm::to_vector(llvm::seq<int64_t>(first, last));
    return Value(vector::ShuffleOp::create(builder, loc, a, b, taken));
  };
  Value further = lanesFrom(low, high, past, past + lanes);
  Value partners = further;
  if (past != lanes - past)
    partners = select(isFirst, further,
                      lanesFrom(low, high, lanes - past, 2 * lanes - past));
  Index cut = Index::constant(half - past);
  Value hasBoth = arith::AndIOp::create(
      builder, loc, isFirst,
      emitter.less(emitter.add(cut, Index::constant(-1)), d));
  return emitter.choose(
      loc, hasBoth, partners.getType(),
      [&] {
        auto taken = llvm::to_vector(llvm::seq<int64_t>(0, past));
        for (int64_t lane = past; lane < lanes; ++lane)
          taken.push_back(lanes + lane - past);
        Value first = input(Index::constant(0), lanes);
        return Value(
            vector::ShuffleOp::create(builder, loc, further, first, taken));
      },
      [&] { return partners; });
}

/// Lanes that an edge of pairs cuts, in groups that none does.
Value RotaryBuilder::buildCutLanes() {
  int64_t lanes = point.lanes;
  bool isHalf = op.getLayout() == RotaryLayout::half;
  int64_t together = std::gcd(lanes, isHalf ? rotated / 2 : rotated);
  Value x = input(feature(), lanes);
  Value partners = isHalf ? partnerLanes() : Value();
  auto lanesOf = [&](Value vector, int64_t first) -> Value {
    if (!vector)
      return {};
    return emitter.gatherLanes(loc, together, [&](int64_t lane) -> Value {
      return vector::ExtractOp::create(builder, loc, vector, first + lane);
    });
  };
  SmallVector<Value> groups;
  for (int64_t first = 0; first < lanes; first += together) {
    Point part = emitter.lanePoint(point, first);
    part.lanes = together;
    RotaryBuilder group(emitter, op, part);
    group.ownLanes = lanesOf(x, first);
    group.otherLanes = lanesOf(partners, first);
    groups.push_back(group.rotateLanes());
  }
  return emitter.gatherLanes(loc, lanes, [&](int64_t lane) -> Value {
    Value group = groups[lane / together];
    if (together == 1)
      return group;
    return vector::ExtractOp::create(builder, loc, group, lane % together);
  });
}

//===----------------------------------------------------------------------===//
// Angles
//===----------------------------------------------------------------------===//

SinCos RotaryBuilder::sinCos(const Index &pair, int64_t lanes) {
  SmallVector<Index, 4> key = rotaryToken(op, point);
  key.append({pair, Index::constant(lanes)});
  std::optional<SinCos> built;
  auto remember = [&](Value SinCos::*member) {
    key.push_back(Index::constant(member == &SinCos::cos));
    Value value = emitter.remember(op, key, [&] {
      if (!built)
        built = buildSinCos(pair, lanes);
      return (*built).*member;
    });
    key.pop_back();
    return value;
  };
  return {remember(&SinCos::sin), remember(&SinCos::cos)};
}

SinCos RotaryBuilder::buildSinCos(const Index &pair, int64_t lanes) {
  SinCos angle =
      op.getBase() ? computedValues(pair, lanes) : tableValues(pair, lanes);
  if (op.getInverse())
    angle.sin = negate(angle.sin);
  return angle;
}

/// A position outside the table takes its first or last row. Compared in 64
/// bits, also where an index has fewer.
Index RotaryBuilder::tableRow() {
  Index token = point.dims[op.getTokenAxis()];
  if (op.countsTokens())
    return token;
  Extent rows = emitter.getDims().extent(op.getCosTable(), 0);
  Type i64 = builder.getI64Type();
  Value last =
      emitter.materialize(emitter.add(emitter.size(rows), Index::constant(-1)));
  last = arith::IndexCastOp::create(builder, loc, i64, last);
  Value zero = emitter.constant(loc, i64, 0);
  Value number = emitRotaryPosition(emitter, op, point);
  number = arith::MinSIOp::create(builder, loc, number, last);
  number = arith::MaxSIOp::create(builder, loc, number, zero);
  Value row =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), number);
  return {row, 0, token.guarded};
}

SinCos RotaryBuilder::tableValues(const Index &pair, int64_t lanes) {
  Point at;
  at.dims = {tableRow(), pair};
  at.lanes = lanes;
  if (llvm::any_of(at.dims, [](const Index &i) { return i.guarded; }))
    at.guard = point.guard;
  auto read = [&](Value table) {
    Value value = emitter.emitLanes(table, at);
    Type have = getElementTypeOrSelf(value.getType());
    if (have == compute)
      return value;
    // An f32 table of an f64 tensor.
    return Value(arith::ExtFOp::create(
        builder, loc, PointEmitter::lanesOf(compute, lanes), value));
  };
  return {read(op.getSinTable()), read(op.getCosTable())};
}

SinCos RotaryBuilder::computedValues(const Index &pair, int64_t lanes) {
  Value position = emitRotaryPosition(emitter, op, point);
  Value turns = arith::MulIOp::create(builder, loc, frequencies(pair, lanes),
                                      emitter.splat(loc, position, lanes));
  auto [sin, cos] = compute.isF64() ? buildSinCosOfTurnsF64(builder, loc, turns)
                                    : buildSinCosOfTurns(builder, loc, turns);
  double magnitude = op.getMagnitude();
  if (magnitude == 1)
    return {sin, cos};
  Value factor =
      emitter.splat(loc, emitter.constant(loc, compute, magnitude), lanes);
  return {mul(sin, factor), mul(cos, factor)};
}

/// Where the pairs' frequencies start in their table: those of long sequences
/// follow the others.
Index RotaryBuilder::firstFrequency() {
  Value length = op.getLength();
  if (!length)
    return Index::constant(0);
  // The limit may need more bits than the length has.
  Type i64 = builder.getI64Type();
  Value number = emitter.emit(length, Point());
  if (number.getType() != i64)
    number = arith::ExtSIOp::create(builder, loc, i64, number);
  Value limit = arith::ConstantOp::create(
      builder, loc,
      builder.getI64IntegerAttr(*op.getScaling()->getLengthLimit()));
  Value isLong = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                       number, limit);
  return select(isLong, Index::constant(rotated / 2), Index::constant(0));
}

/// A constant of the kernel's module: for each pair, the angle it advances by
/// per position.
LLVM::GlobalOp RotaryBuilder::frequencyTable() {
  SmallVector<uint64_t> table;
  for (bool isLong : {false, true})
    if (!isLong || op.getLength())
      for (long double frequency : op.getFrequencies(isLong))
        table.push_back(turnsOfAngle(frequency));

  Type i64 = builder.getI64Type();
  int64_t count = table.size();
  auto values = DenseElementsAttr::get(RankedTensorType::get({count}, i64),
                                       ArrayRef<uint64_t>(table));
  auto module = builder.getInsertionBlock()
                    ->getParentOp()
                    ->getParentOfType<gpu::GPUModuleOp>();
  unsigned number = 0;
  for (auto existing : module.getOps<LLVM::GlobalOp>()) {
    ++number;
    if (existing.getValueOrNull() == values)
      return existing;
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(builder, loc,
                                LLVM::LLVMArrayType::get(i64, count),
                                /*isConstant=*/true, LLVM::Linkage::Internal,
                                codeName(emitter.getKernel().getKernelName()) +
                                    "_frequencies_" + std::to_string(number),
                                values, /*alignment=*/16);
}

/// The pairs' frequencies, in units of 2^-64 turns a position. Multiplied by a
/// position they wrap where whole turns do, so that the angle is reduced
/// exactly.
Value RotaryBuilder::frequencies(const Index &pair, int64_t lanes) {
  int64_t count = rotated / 2;
  Value table = LLVM::AddressOfOp::create(builder, loc, frequencyTable());
  Index row = pair;
  // Past the end of the row, which is before its start where that is reversed,
  // any frequency will do.
  if (pair.guarded) {
    Index zero = Index::constant(0);
    row = emitter.min(pair, Index::constant(count - lanes));
    row = emitter.select(emitter.less(row, zero), zero, row);
  }
  row = emitter.add(row, firstFrequency());
  Type i64 = builder.getI64Type();
  Value index =
      arith::IndexCastOp::create(builder, loc, i64, emitter.materialize(row));
  Value at = LLVM::GEPOp::create(builder, loc, table.getType(), i64, table,
                                 ArrayRef<LLVM::GEPArg>{index},
                                 LLVM::GEPNoWrapFlags::inbounds);
  int64_t align = lanes > 1 && count % 2 == 0 ? 16 : 8;
  return LLVM::LoadOp::create(builder, loc, PointEmitter::lanesOf(i64, lanes),
                              at, align);
}

/// Only where no choice is left: a point's range says on which side it is, or
/// its vector has whole pairs.
void RotaryBuilder::prepare() {
  auto range = emitter.range(feature());
  int64_t lanes = point.lanes, half = rotated / 2;
  if (!op.getCosTable() || (lanes > 1 && !lanesFit()))
    return;
  if (op.getLayout() == RotaryLayout::interleaved) {
    if (rotated == op.getHeadDim())
      sinCos(emitter.div(feature(), Index::constant(2)),
             std::max<int64_t>(1, lanes / 2));
    return;
  }
  if (range && range->second <= half)
    sinCos(feature(), lanes);
  else if (range && range->first >= half && range->second <= rotated)
    sinCos(emitter.add(feature(), Index::constant(-half)), lanes);
}

Value mlir::fuse::emitRotary(PointEmitter &emitter, RotaryOp op,
                             const Point &point) {
  return RotaryBuilder(emitter, op, point).build();
}

void mlir::fuse::prepareRotary(PointEmitter &emitter, RotaryOp op,
                               const Point &point) {
  RotaryBuilder(emitter, op, point).prepare();
}
