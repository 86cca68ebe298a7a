//===- PointEmitter.cpp - Values of a kernel at a point -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"
#include "OpEmitters.h"

#include "Math/Float8.h"

#include "fuse/Analysis/ElementSegments.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/RepeatedValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

bool PointEmitter::isBelowMaximum(ExpOp op) {
  auto difference = op.getInput().getDefiningOp<SubOp>();
  if (!difference)
    return false;
  Value maximum = difference.getRhs();
  if (auto stats = maximum.getDefiningOp<SoftmaxStatsOp>())
    return maximum == stats.getMax() && stats.getInput() == difference.getLhs();
  auto reduce = maximum.getDefiningOp<ReduceOp>();
  return reduce && reduce.getKind() == ReduceKind::max && reduce.getKeep() &&
         reduce.getInput() == difference.getLhs();
}

PointEmitter::PointEmitter(OpBuilder &builder, KernelOp kernel,
                           const DimClasses &dims, KernelAbi abi,
                           EmitOptions options)
    : builder(builder), kernel(kernel), dims(dims), abi(std::move(abi)),
      options(options), repeated(repeatedOps(kernel)) {
  memories.emplace_back();
}

PointEmitter::Scope::Scope(PointEmitter &emitter) : emitter(emitter) {
  emitter.memories.emplace_back();
}
PointEmitter::Scope::~Scope() { emitter.memories.pop_back(); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool PointEmitter::PointKey::operator<(const PointKey &other) const {
  return std::tie(value, lanes, guard, dims) <
         std::tie(other.value, other.lanes, other.guard, other.dims);
}

PointEmitter::PointKey PointEmitter::keyOf(Value value,
                                           const Point &point) const {
  PointKey key{value.getAsOpaquePointer(),
               {},
               point.lanes,
               point.guard.getAsOpaquePointer()};
  for (const Index &index : point.dims)
    key.dims.push_back(index.key());
  return key;
}

void PointEmitter::define(Value value, const Point &point, Value computed) {
  memories.back().values[keyOf(value, point)] = computed;
}

void PointEmitter::defineSource(Operation *moved, const Point &point,
                                Point source) {
  memories.back().sources[keyOf(moved->getResult(0), point)] =
      std::move(source);
}

Value PointEmitter::emit(Value value, const Point &point) {
  PointKey key = keyOf(value, point);
  for (Memory &memory : llvm::reverse(memories))
    if (auto it = memory.values.find(key); it != memory.values.end())
      return it->second;
  Value computed = emitUncached(value, point);
  memories.back().values[std::move(key)] = computed;
  return computed;
}

Value PointEmitter::remember(Operation *op, ArrayRef<Index> dims,
                             llvm::function_ref<Value()> compute) {
  SharedKey key(op, {});
  for (const Index &index : dims)
    key.second.push_back(index.key());
  for (Memory &memory : llvm::reverse(memories))
    if (auto it = memory.shared.find(key); it != memory.shared.end())
      return it->second;
  Value computed = compute();
  memories.back().shared[std::move(key)] = computed;
  return computed;
}

Value PointEmitter::emitLanes(Value value, const Point &point) {
  return splat(value.getLoc(), emit(value, point), point.lanes);
}

Value PointEmitter::readStaged(Value value, const Point &point) {
  if (point.lanes > 1)
    return nullptr;
  auto distance = [&](const Staged &staged) -> std::optional<int64_t> {
    int64_t along = 0;
    for (auto [axis, first, index] : llvm::enumerate(staged.dims, point.dims)) {
      int64_t difference;
      bool isDim = static_cast<int64_t>(axis) == staged.dim;
      if (index.base != first.base ||
          llvm::SubOverflow(index.offset, first.offset, difference) ||
          (!isDim && difference != 0))
        return std::nullopt;
      along += difference;
    }
    bool inside = along >= 0 && along < staged.count;
    return inside ? std::optional(along) : std::nullopt;
  };
  for (Memory &memory : llvm::reverse(memories))
    for (Staged &staged : memory.staged)
      if (staged.value == value)
        if (std::optional<int64_t> along = distance(staged))
          return staged.read(*along);
  return nullptr;
}

Value PointEmitter::readElements(Value value, const Point &point) {
  for (Memory &memory : llvm::reverse(memories)) {
    auto it = memory.readers.find(value);
    if (it == memory.readers.end())
      continue;
    // What is read may look others up, which moves the map's entries.
    ElementReader read = it->second;
    // A number has no lanes.
    if (point.dims.empty())
      return read(point);
    return gatherLanes(value.getLoc(), point.lanes, [&](int64_t lane) {
      return read(lanePoint(point, lane));
    });
  }
  return nullptr;
}

Value PointEmitter::emitUncached(Value value, const Point &point) {
  if (Value staged = readStaged(value, point))
    return staged;
  if (Value read = readElements(value, point))
    return read;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return load(argument, point);
  Operation *op = value.getDefiningOp();
  for (Memory &memory : llvm::reverse(memories))
    if (auto it = memory.sources.find(keyOf(value, point));
        it != memory.sources.end())
      return emit(op->getOperand(0), it->second);
  // Only pointwise ops read where they write; others count on lanes that start
  // at multiples, such as pairs.
  bool isElsewhere = !op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
                     (point.crossesRows && isa<IotaOp, RandomOp>(op));
  if ((point.crossesRows || point.ragged) && point.lanes > 1 && isElsewhere &&
      !isa<ConstantOp>(op))
    return gatherLanes(op->getLoc(), point.lanes, [&](int64_t lane) {
      return emit(value, lanePoint(point, lane));
    });
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<RotaryOp>(
          [&](RotaryOp rotary) { return emitRotary(*this, rotary, point); })
      .Case<ReduceOp, SoftmaxStatsOp, WelfordOp>([&](auto) {
        return emitSerialReduction(*this, cast<OpResult>(value), point);
      })
      .Case<SegmentSumOp>(
          [&](SegmentSumOp sum) { return emitSegmentSum(*this, sum, point); })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](auto) { return emitReshape(*this, op, point); })
      .Case<RandomOp>(
          [&](RandomOp random) { return emitRandom(*this, random, point); })
      .Case<TransposeOp, SliceOp, PadOp, ReverseOp, ConcatOp, GatherOp,
            TakeAlongOp, UnpackOp>(
          [&](auto) { return emitMovement(*this, op, point); })
      .Default([&](Operation *) { return emitPointwise(*this, op, point); });
}

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

ModuleOp PointEmitter::getModule() {
  return kernel->getParentOfType<ModuleOp>();
}

Type PointEmitter::computeType(Type element) {
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  if (isFloat8(element) || element.isUnsignedInteger())
    return IntegerType::get(element.getContext(),
                            element.getIntOrFloatBitWidth());
  return element;
}

Type PointEmitter::accuracyOf(Operation *op) {
  if (auto type = op->getAttrOfType<TypeAttr>(kAccuracyAttr))
    return type.getValue();
  return getElementTypeOrSelf(op->getResult(0).getType());
}

Type PointEmitter::lanesOf(Type type, int64_t lanes) {
  return lanes == 1 ? type : VectorType::get({lanes}, type);
}

Value PointEmitter::constant(Location loc, Type type, double value) {
  TypedAttr attribute;
  if (auto floatType = dyn_cast<FloatType>(type))
    attribute = builder.getFloatAttr(floatType, value);
  else
    attribute = builder.getIntegerAttr(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value PointEmitter::elementConstant(Location loc, TypedAttr number) {
  Type compute = computeType(number.getType());
  if (auto real = dyn_cast<FloatAttr>(number)) {
    APFloat value = real.getValue();
    if (isFloat8(number.getType()))
      return arith::ConstantOp::create(
          builder, loc,
          builder.getIntegerAttr(compute, value.bitcastToAPInt()));
    bool losesInfo;
    value.convert(cast<FloatType>(compute).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
    number = builder.getFloatAttr(compute, value);
  } else {
    number =
        builder.getIntegerAttr(compute, cast<IntegerAttr>(number).getValue());
  }
  return arith::ConstantOp::create(builder, loc, number);
}

Value PointEmitter::splat(Location loc, Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get({lanes}, value.getType()), value);
}

Value PointEmitter::choose(Location loc, Value condition, Type type,
                           llvm::function_ref<Value()> yes,
                           llvm::function_ref<Value()> no) {
  auto branch = scf::IfOp::create(builder, loc, TypeRange{type}, condition,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  auto fill = [&](Block *block, llvm::function_ref<Value()> body) {
    builder.setInsertionPointToStart(block);
    Scope scope(*this);
    scf::YieldOp::create(builder, loc, body());
  };
  fill(branch.thenBlock(), yes);
  fill(branch.elseBlock(), no);
  return branch.getResult(0);
}

Value PointEmitter::gatherLanes(Location loc, int64_t lanes,
                                llvm::function_ref<Value(int64_t)> lane) {
  SmallVector<Value> scalars;
  for (int64_t i = 0; i < lanes; ++i)
    scalars.push_back(lane(i));
  if (lanes == 1)
    return scalars.front();
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({lanes}, scalars.front().getType()),
      scalars);
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value PointEmitter::materialize(const Index &index) {
  for (Memory &memory : llvm::reverse(memories))
    if (auto it = memory.materialized.find(index.key());
        it != memory.materialized.end())
      return it->second;
  Location loc = kernel.getLoc();
  Value value = index.base;
  if (!value || index.offset) {
    Value offset = arith::ConstantIndexOp::create(builder, loc, index.offset);
    value = value ? arith::AddIOp::create(builder, loc, value, offset) : offset;
  }
  memories.back().materialized[index.key()] = value;
  return value;
}

Index PointEmitter::cached(char op, const Index &a, const Index &b,
                           llvm::function_ref<Value(Value, Value)> build) {
  IndexKey key{op, a.base.getAsOpaquePointer(), a.offset,
               b.base.getAsOpaquePointer(), b.offset};
  bool guarded = a.guarded || b.guarded;
  for (Memory &memory : llvm::reverse(memories))
    if (auto it = memory.indices.find(key); it != memory.indices.end())
      return {it->second, 0, guarded};
  Value value = build(materialize(a), materialize(b));
  memories.back().indices[key] = value;
  return {value, 0, guarded};
}

// Offsets wrap around, as the machine's arithmetic does. Those of elements that
// do not exist, such as the ones after a slice's end, may be of any size.

static int64_t wrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

static int64_t wrappingMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

Index PointEmitter::add(const Index &a, const Index &b) {
  bool guarded = a.guarded || b.guarded;
  if (!a.base || !b.base)
    return {a.base ? a.base : b.base, wrappingAdd(a.offset, b.offset), guarded};
  Index sum = cached('+', {a.base}, {b.base}, [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(builder, kernel.getLoc(), x, y);
  });
  return {sum.base, wrappingAdd(a.offset, b.offset), guarded};
}

Index PointEmitter::mul(const Index &a, const Index &b) {
  bool guarded = a.guarded || b.guarded;
  if (!a.base && !b.base)
    return {Value(), wrappingMul(a.offset, b.offset), guarded};
  if (!a.base)
    return mul(b, a);
  if (!b.base) {
    if (b.offset == 0)
      return {Value(), 0, guarded};
    if (b.offset == 1)
      return {a.base, a.offset, guarded};
    Index scaled = cached('*', {a.base}, b, [&](Value x, Value y) -> Value {
      return arith::MulIOp::create(builder, kernel.getLoc(), x, y);
    });
    return {scaled.base, wrappingMul(a.offset, b.offset), guarded};
  }
  return cached('*', a, b, [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(builder, kernel.getLoc(), x, y);
  });
}

Index PointEmitter::sub(const Index &a, const Index &b) {
  if (!b.base)
    return add(a, Index::constant(-b.offset));
  return cached('-', a, b, [&](Value x, Value y) -> Value {
    return arith::SubIOp::create(builder, kernel.getLoc(), x, y);
  });
}

Index PointEmitter::div(const Index &a, const Index &b) {
  if (!b.base && b.offset == 1)
    return a;
  if (!a.base && !b.base && b.offset != 0)
    return {Value(), a.offset / b.offset, a.guarded};
  return cached('/', a, b, [&](Value x, Value y) -> Value {
    return arith::DivUIOp::create(builder, kernel.getLoc(), x, y);
  });
}

Index PointEmitter::half(const Index &a) {
  if (!a.base)
    return {Value(), a.offset >> 1, a.guarded};
  return cached('>', a, Index::constant(1), [&](Value x, Value y) -> Value {
    return arith::ShRSIOp::create(builder, kernel.getLoc(), x, y);
  });
}

Index PointEmitter::rem(const Index &a, const Index &b) {
  if (!b.base && b.offset == 1)
    return {Value(), 0, a.guarded};
  if (!a.base && !b.base && b.offset != 0)
    return {Value(), a.offset % b.offset, a.guarded};
  return cached('%', a, b, [&](Value x, Value y) -> Value {
    return arith::RemUIOp::create(builder, kernel.getLoc(), x, y);
  });
}

Index PointEmitter::min(const Index &a, const Index &b) {
  if (!a.base && !b.base)
    return Index::constant(std::min(a.offset, b.offset));
  return cached('<', a, b, [&](Value x, Value y) -> Value {
    return arith::MinSIOp::create(builder, kernel.getLoc(), x, y);
  });
}

Index PointEmitter::select(Value condition, const Index &a, const Index &b) {
  Value chosen = arith::SelectOp::create(builder, kernel.getLoc(), condition,
                                         materialize(a), materialize(b));
  return {chosen, 0, a.guarded || b.guarded};
}

Index PointEmitter::size(const Extent &extent) {
  if (extent.isStatic())
    return Index::constant(extent.size);
  return {abi.sizes.lookup(extent.cls), 0};
}

bool PointEmitter::divides(int64_t vector, const Extent &extent) const {
  if (vector == 1)
    return true;
  if (extent.isStatic())
    return extent.size % vector == 0;
  auto bits =
      options.divisible ? elementBitsAlong(kernel, dims, extent) : std::nullopt;
  return bits && 128 / bits->first % vector == 0;
}

Index PointEmitter::numberIn(ArrayRef<int64_t> group, ArrayRef<Extent> extents,
                             ArrayRef<Index> place) {
  Index number = Index::constant(0);
  for (int64_t axis : group)
    if (extents[axis].size != 1)
      number = add(mul(number, size(extents[axis])), place[axis]);
  return number;
}

Index PointEmitter::product(ArrayRef<Extent> extents) {
  Index result = Index::constant(1);
  // Static factors first: fewer instructions, and one shift for powers of two.
  for (const Extent &extent : extents)
    if (extent.isStatic())
      result = mul(result, size(extent));
  for (const Extent &extent : extents)
    if (!extent.isStatic())
      result = mul(result, size(extent));
  return result;
}

SmallVector<Index, 4> PointEmitter::delinearize(Index linear,
                                                ArrayRef<Extent> extents) {
  SmallVector<Index, 4> result(extents.size());
  for (int64_t axis = extents.size() - 1; axis >= 0; --axis) {
    if (extents[axis].size == 1)
      continue;
    if (llvm::all_of(extents.take_front(axis),
                     [](const Extent &e) { return e.size == 1; })) {
      result[axis] = linear;
      break;
    }
    Index extent = size(extents[axis]);
    result[axis] = rem(linear, extent);
    linear = div(linear, extent);
  }
  return result;
}

Value PointEmitter::less(const Index &a, const Index &b) {
  return arith::CmpIOp::create(builder, kernel.getLoc(),
                               arith::CmpIPredicate::slt, materialize(a),
                               materialize(b));
}

std::optional<std::pair<int64_t, int64_t>>
PointEmitter::range(const Index &index) const {
  std::pair<int64_t, int64_t> range(0, 1);
  if (index.base) {
    auto it = ranges.find(index.base);
    if (it == ranges.end())
      return std::nullopt;
    range = it->second;
  }
  if (llvm::AddOverflow(range.first, index.offset, range.first) ||
      llvm::AddOverflow(range.second, index.offset, range.second))
    return std::nullopt;
  return range;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

Point PointEmitter::operandPoint(Value operand, Value result,
                                 const Point &point) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto resultType = cast<RankedTensorType>(result.getType());
  int64_t shift = resultType.getRank() - type.getRank();
  Point out;
  bool sameShape = shift == 0;
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    bool broadcast = dims.extent(operand, axis).size == 1 &&
                     dims.extent(result, axis + shift).size != 1;
    sameShape &= !broadcast;
    out.dims.push_back(broadcast ? Index::constant(0)
                                 : point.dims[axis + shift]);
  }
  // Where the last dimension is 1, lanes run along the flat position, which
  // only an operand of the result's shape has.
  // Where the last dimension has size 1 the lanes run over the ones before it
  // (a flat walk): an operand of the same shape goes along, another repeats.
  bool alongLanes =
      sameShape || (type.getRank() > 0 &&
                    dims.extent(operand, type.getRank() - 1).size != 1);
  out.lanes = alongLanes ? point.lanes : 1;
  out.skew = alongLanes ? point.skew : 0;
  out.ragged = alongLanes && point.ragged;
  // Only the point's row has anything to do with other shapes.
  if (sameShape || (alongLanes && point.behind == Behind::inRow))
    out.behind = point.behind;
  if (sameShape) {
    out.linear = point.linear;
    out.shape = point.shape;
    out.flat = point.flat;
    out.crossesRows = point.crossesRows;
  }
  // A dimension of size 1 has no index that could be past its end, but the flat
  // position may be.
  if (llvm::any_of(out.dims, [](const Index &i) { return i.guarded; }) ||
      (out.linear && out.linear->guarded))
    out.guard = point.guard;
  return out;
}

Value PointEmitter::emitOperand(Value operand, Value result,
                                const Point &point) {
  bool sameShape = dims.extents(operand) == dims.extents(result);
  bool isOne = llvm::all_of(dims.extents(operand),
                            [](const Extent &e) { return e.size == 1; });
  if (!point.crossesRows || sameShape || isOne)
    return emit(operand, operandPoint(operand, result, point));
  return gatherLanes(operand.getLoc(), point.lanes, [&](int64_t lane) {
    return emit(operand, operandPoint(operand, result, lanePoint(point, lane)));
  });
}

Point PointEmitter::lanePoint(const Point &point, int64_t lane) {
  Point out = point;
  out.lanes = 1;
  out.skew = 0;
  out.ragged = false;
  out.behind = Behind::unknown;
  if (point.crossesRows) {
    out.crossesRows = false;
    out.linear->offset = wrappingAdd(out.linear->offset, lane);
    unsigned wholes = point.flat ? wholeDims(out.shape, point.lanes) : 0;
    if (wholes == 0) {
      out.dims = delinearize(*out.linear, out.shape);
      return out;
    }
    // Constants apart, so that loads of neighbours can become one.
    ArrayRef<Extent> whole = ArrayRef(out.shape).take_back(wholes);
    size_t next = out.dims.size();
    for (const Extent &extent : llvm::reverse(whole)) {
      out.dims[--next] = Index::constant(lane % extent.size);
      lane /= extent.size;
    }
    Index &last = out.dims[next - 1];
    last.offset = wrappingAdd(last.offset, lane);
    return out;
  }
  Index &last = out.dims.back();
  last.offset = wrappingAdd(last.offset, lane);
  if (out.linear)
    out.linear->offset = wrappingAdd(out.linear->offset, lane);
  return out;
}
