//===- PointEmitter.cpp - Values of a kernel at a point -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

PointEmitter::PointEmitter(OpBuilder &builder, KernelOp kernel,
                           const DimClasses &dims, KernelAbi abi,
                           EmitOptions options)
    : builder(builder), kernel(kernel), dims(dims), abi(std::move(abi)),
      options(options) {
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

Value PointEmitter::emit(Value value, const Point &point) {
  PointKey key = keyOf(value, point);
  for (Memory &memory : llvm::reverse(memories))
    if (auto it = memory.values.find(key); it != memory.values.end())
      return it->second;
  Value computed = emitUncached(value, point);
  memories.back().values[std::move(key)] = computed;
  return computed;
}

Value PointEmitter::emitLanes(Value value, const Point &point) {
  return splat(value.getLoc(), emit(value, point), point.lanes);
}

Value PointEmitter::emitUncached(Value value, const Point &point) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return load(argument, point);
  Operation *op = value.getDefiningOp();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<RotaryOp>(
          [&](RotaryOp rotary) { return emitRotary(*this, rotary, point); })
      .Case<ReduceOp>([&](ReduceOp reduce) {
        return emitSerialReduction(*this, reduce, point);
      })
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](auto) { return emitReshape(op, point); })
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

Value PointEmitter::splat(Location loc, Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get({lanes}, value.getType()), value);
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

Index PointEmitter::add(const Index &a, const Index &b) {
  bool guarded = a.guarded || b.guarded;
  if (!a.base || !b.base)
    return {a.base ? a.base : b.base, a.offset + b.offset, guarded};
  Index sum = cached('+', {a.base}, {b.base}, [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(builder, kernel.getLoc(), x, y);
  });
  return {sum.base, a.offset + b.offset, guarded};
}

Index PointEmitter::mul(const Index &a, const Index &b) {
  bool guarded = a.guarded || b.guarded;
  if (!a.base && !b.base)
    return {Value(), a.offset * b.offset, guarded};
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
    return {scaled.base, a.offset * b.offset, guarded};
  }
  return cached('*', a, b, [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(builder, kernel.getLoc(), x, y);
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

Index PointEmitter::size(const Extent &extent) {
  if (extent.isStatic())
    return Index::constant(extent.size);
  return {abi.sizes.lookup(extent.cls), 0};
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
  if (!index.base)
    return std::make_pair(index.offset, index.offset + 1);
  auto it = ranges.find(index.base);
  if (it == ranges.end())
    return std::nullopt;
  return std::make_pair(it->second.first + index.offset,
                        it->second.second + index.offset);
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
  if (sameShape) {
    out.linear = point.linear;
    out.shape = point.shape;
    out.flat = point.flat;
  }
  if (llvm::any_of(out.dims, [](const Index &i) { return i.guarded; }))
    out.guard = point.guard;
  return out;
}

Point PointEmitter::lanePoint(const Point &point, int64_t lane) {
  Point out = point;
  out.lanes = 1;
  out.dims.back().offset += lane;
  if (out.linear)
    out.linear->offset += lane;
  return out;
}

Value PointEmitter::emitReshape(Operation *op, const Point &point) {
  Value source = op->getOperand(0), result = op->getResult(0);
  SmallVector<Extent> from = dims.extents(result), to = dims.extents(source);
  Location loc = op->getLoc();
  auto isUnit = [](const Extent &extent) { return extent.size == 1; };
  auto dropUnits = [&](ArrayRef<Extent> extents) {
    return llvm::to_vector(
        llvm::make_filter_range(extents, std::not_fn(isUnit)));
  };
  // Unit dimensions come and go without any arithmetic.
  if (dropUnits(from) == dropUnits(to)) {
    Point out = point;
    out.linear.reset();
    out.dims.clear();
    SmallVector<Index> kept;
    for (auto [extent, index] : llvm::zip(from, point.dims))
      if (!isUnit(extent))
        kept.push_back(index);
    auto *next = kept.begin();
    for (const Extent &extent : to)
      out.dims.push_back(isUnit(extent) ? Index::constant(0) : *next++);
    bool lastIsUnit = to.empty() || isUnit(to.back());
    bool lanesMoved = point.lanes > 1 && lastIsUnit && !kept.empty();
    if (!lanesMoved) {
      if (lastIsUnit)
        out.lanes = 1;
      return emit(source, out);
    }
  }
  return gatherLanes(loc, point.lanes, [&](int64_t lane) {
    Point at = lanePoint(point, lane), out;
    Index linear = Index::constant(0);
    for (auto [extent, index] : llvm::zip(from, at.dims))
      linear = add(mul(linear, size(extent)), index);
    out.dims = delinearize(linear, to);
    out.guard = point.guard;
    return emit(source, out);
  });
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Booleans take one byte in memory.
static Type storageType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8)
                              : element;
}

static int64_t storageBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

const InputLayout *PointEmitter::stridesOf(BlockArgument input) const {
  if (input.getArgNumber() >= abi.layouts.size())
    return nullptr;
  const InputLayout &layout = abi.layouts[input.getArgNumber()];
  return layout.kind == StrideKind::dense ? nullptr : &layout;
}

Index PointEmitter::linearIndex(Value tensor, const Point &point,
                                const InputLayout *layout) {
  if (layout) {
    Index position = Index::constant(0);
    for (auto [stride, index] : llvm::zip_equal(layout->strides, point.dims))
      position = add(position, mul(index, stride));
    return position;
  }
  SmallVector<Extent> extents = dims.extents(tensor);
  if (point.linear && ArrayRef<Extent>(point.shape) == ArrayRef(extents))
    return *point.linear;
  Index linear = Index::constant(0);
  for (auto [extent, index] : llvm::zip(extents, point.dims))
    linear = extent.size == 1 ? linear : add(mul(linear, size(extent)), index);
  return linear;
}

Value PointEmitter::address(Location loc, Value pointer, Value tensor,
                            const Point &point, const InputLayout *layout) {
  Type element = storageType(getElementTypeOrSelf(tensor.getType()));
  auto pointerType = pointer.getType();
  Index index = linearIndex(tensor, point, layout);
  auto gep = [&](Value from, ArrayRef<LLVM::GEPArg> args) -> Value {
    return LLVM::GEPOp::create(builder, loc, pointerType, element, from, args,
                               LLVM::GEPNoWrapFlags::inbounds);
  };
  // Two steps, so that the constant part becomes an immediate of the access.
  if (index.base) {
    Value base = materialize({index.base});
    Value wide =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), base);
    pointer = gep(pointer, {LLVM::GEPArg(wide)});
  }
  if (index.offset && llvm::isInt<32>(index.offset)) {
    pointer = gep(pointer, {LLVM::GEPArg(static_cast<int32_t>(index.offset))});
  } else if (index.offset) {
    Value wide = arith::ConstantIntOp::create(builder, loc, index.offset, 64);
    pointer = gep(pointer, {LLVM::GEPArg(wide)});
  }
  return pointer;
}

int64_t PointEmitter::alignment(Value tensor, const Point &point,
                                const InputLayout *layout) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t bytes = storageBytes(type.getElementType());
  if (!options.aligned)
    return bytes;
  int64_t aligned = std::min<int64_t>(16, point.lanes * bytes);
  if (layout)
    return layout->kind == StrideKind::aligned_rows ? aligned : bytes;
  SmallVector<Extent> extents = dims.extents(tensor);
  bool oneRow = llvm::all_of(ArrayRef(extents).drop_back(!extents.empty()),
                             [](const Extent &e) { return e.size == 1; });
  // A flat walk stays aligned whatever the rows are.
  bool flat = point.flat && point.linear &&
              ArrayRef<Extent>(point.shape) == ArrayRef(extents);
  if (oneRow || flat)
    return aligned;
  // Rows start at multiples of the innermost dimension.
  Extent inner = extents.back();
  if (!inner.isStatic())
    return options.divisible ? aligned : bytes;
  int64_t rowBytes = std::max<int64_t>(1, inner.size) * bytes;
  return std::min<int64_t>(aligned, rowBytes & -rowBytes);
}

Value PointEmitter::load(BlockArgument argument, const Point &point) {
  Location loc = argument.getLoc();
  const InputLayout *layout = stridesOf(argument);
  if (layout && layout->kind == StrideKind::any && point.lanes > 1)
    return gatherLanes(loc, point.lanes, [&](int64_t lane) {
      return emit(argument, lanePoint(point, lane));
    });
  auto type = cast<RankedTensorType>(argument.getType());
  Type element = type.getElementType();
  Type storage = storageType(element);
  Type loaded = lanesOf(storage, point.lanes);
  auto doLoad = [&]() -> Value {
    Value at = address(loc, abi.inputs[argument.getArgNumber()], argument,
                       point, layout);
    int64_t align = alignment(argument, point, layout);
    return LLVM::LoadOp::create(builder, loc, loaded, at, align);
  };
  Value value;
  if (point.guard) {
    auto branch = scf::IfOp::create(builder, loc, TypeRange{loaded},
                                    point.guard, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    {
      Scope scope(*this);
      Value inside = doLoad();
      scf::YieldOp::create(builder, loc, inside);
    }
    builder.setInsertionPointToStart(branch.elseBlock());
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(loaded));
    scf::YieldOp::create(builder, loc, zero);
    value = branch.getResult(0);
  } else {
    value = doLoad();
  }
  if (element.isInteger(1)) {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(loaded));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  if (computeType(element) != element)
    return arith::ExtFOp::create(
        builder, loc, lanesOf(computeType(element), point.lanes), value);
  return value;
}

void PointEmitter::store(unsigned number, const Point &point, Value computed) {
  Value tensor = kernel.getYield().getValues()[number];
  Location loc = tensor.getLoc();
  Type element = getElementTypeOrSelf(tensor.getType());
  computed = splat(loc, computed, point.lanes);
  if (element.isInteger(1))
    computed = arith::ExtUIOp::create(
        builder, loc, lanesOf(builder.getI8Type(), point.lanes), computed);
  else if (computeType(element) != element)
    computed = arith::TruncFOp::create(builder, loc,
                                       lanesOf(element, point.lanes), computed);
  int64_t align = alignment(tensor, point, /*layout=*/nullptr);
  Value at =
      address(loc, abi.results[number], tensor, point, /*layout=*/nullptr);
  LLVM::StoreOp::create(builder, loc, computed, at, align);
}
