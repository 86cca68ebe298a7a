//===- PointMemory.cpp - Loads and stores at a point ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"
#include "ResultLayout.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// The widest access.
static constexpr int64_t widestBytes = 16;

//===----------------------------------------------------------------------===//
// Types in memory
//===----------------------------------------------------------------------===//

Type PointEmitter::storageType(Type element) {
  bool isByte = element.getIntOrFloatBitWidth() <= 8;
  return isByte ? IntegerType::get(element.getContext(), 8) : element;
}

static int64_t storageBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

Value PointEmitter::fromStorage(Location loc, Type element, Value stored) {
  if (element.isInteger(1)) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(stored.getType()));
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, stored,
                                 zero);
  }
  Type compute = computeType(element);
  if (compute == storageType(element))
    return stored;
  return arith::ExtFOp::create(builder, loc, lanesOf(compute, lanesIn(stored)),
                               stored);
}

Value PointEmitter::toStorage(Location loc, Type element, Value computed) {
  Type storage = storageType(element);
  Type stored = lanesOf(storage, lanesIn(computed));
  if (element.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, stored, computed);
  if (computeType(element) == storage)
    return computed;
  return arith::TruncFOp::create(builder, loc, stored, computed);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

const InputLayout *PointEmitter::stridesOf(BlockArgument input) const {
  if (input.getArgNumber() >= abi.layouts.size())
    return nullptr;
  const InputLayout &layout = abi.layouts[input.getArgNumber()];
  return layout.kind == StrideKind::dense ? nullptr : &layout;
}

/// Whether the lanes of a point lie apart.
static bool areApart(const InputLayout *layout, const Point &point) {
  return layout && point.lanes > 1 &&
         (layout->kind == StrideKind::any || point.crossesRows);
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
  return elementAddress(loc, pointer, tensor,
                        linearIndex(tensor, point, layout));
}

Value PointEmitter::elementAddress(Location loc, Value pointer, Value tensor,
                                   const Index &index) {
  Type element = storageType(getElementTypeOrSelf(tensor.getType()));
  auto pointerType = pointer.getType();
  // The base of a negative constant may lie past the end.
  auto flags = index.offset < 0 ? LLVM::GEPNoWrapFlags::none
                                : LLVM::GEPNoWrapFlags::inbounds;
  auto gep = [&](Value from, ArrayRef<LLVM::GEPArg> args) -> Value {
    return LLVM::GEPOp::create(builder, loc, pointerType, element, from, args,
                               flags);
  };
  // Two steps, so that the constant part becomes an immediate of the access.
  if (index.base) {
    Value base = materialize({index.base});
    Value wide =
        arith::IndexCastOp::create(builder, loc, builder.getI64Type(), base);
    pointer = gep(pointer, {LLVM::GEPArg(wide)});
  }
  if (index.offset && llvm::isInt<LLVM::kGEPConstantBitWidth>(index.offset)) {
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
  SmallVector<Extent> extents = dims.extents(tensor);
  // A flat walk stays aligned whatever the rows are.
  if (!layout && point.flat && point.linear &&
      ArrayRef<Extent>(point.shape) == ArrayRef(extents))
    return std::min(widestBytes, point.lanes * bytes);
  if (point.ragged)
    return bytes;
  // The largest power of two that divides the index of the first lane.
  int64_t elements = point.lanes;
  if (int64_t skew = point.skew % point.lanes)
    elements = skew & -skew;
  int64_t aligned = std::min(widestBytes, elements * bytes);
  if (layout)
    return layout->kind == StrideKind::aligned_rows ? aligned : bytes;
  bool oneRow = llvm::all_of(ArrayRef(extents).drop_back(!extents.empty()),
                             [](const Extent &e) { return e.size == 1; });
  if (oneRow)
    return aligned;
  // Rows start at multiples of the innermost dimension.
  Extent inner = extents.back();
  if (!inner.isStatic())
    return options.divisible ? aligned : bytes;
  int64_t rowBytes = std::max<int64_t>(1, inner.size) * bytes;
  return std::min<int64_t>(aligned, rowBytes & -rowBytes);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

Value PointEmitter::loadLanes(BlockArgument argument, const Point &point,
                              const InputLayout *layout) {
  Location loc = argument.getLoc();
  Type storage = storageType(getElementTypeOrSelf(argument.getType()));
  Value at = address(loc, abi.inputs[argument.getArgNumber()], argument, point,
                     layout);
  return LLVM::LoadOp::create(builder, loc, lanesOf(storage, point.lanes), at,
                              alignment(argument, point, layout));
}

Value PointEmitter::load(BlockArgument argument, const Point &point) {
  Location loc = argument.getLoc();
  const InputLayout *layout = stridesOf(argument);
  if (areApart(layout, point))
    return gatherLanes(loc, point.lanes, [&](int64_t lane) {
      return emit(argument, lanePoint(point, lane));
    });
  Type element = getElementTypeOrSelf(argument.getType());
  return fromStorage(loc, element, loadStored(argument, point));
}

Value PointEmitter::loadStored(BlockArgument input, const Point &point) {
  Location loc = input.getLoc();
  if (Value scalar = abi.scalars.lookup(input.getArgNumber()))
    return splat(loc, scalar, point.lanes);
  if (Value lanes = loader ? loader(input, point) : Value())
    return lanes;
  const InputLayout *layout = stridesOf(input);
  Type loaded =
      lanesOf(storageType(getElementTypeOrSelf(input.getType())), point.lanes);
  auto doLoad = [&]() -> Value {
    Value shifted = loadShifted(input, point, layout);
    return shifted ? shifted : loadLanes(input, point, layout);
  };
  auto zero = [&]() -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(loaded));
  };
  return point.guard ? choose(loc, point.guard, loaded, doLoad, zero)
                     : doLoad();
}

void PointEmitter::store(unsigned number, const Point &point, Value computed) {
  Value tensor = kernel.getYield().getValues()[number];
  Location loc = tensor.getLoc();
  Type element = getElementTypeOrSelf(tensor.getType());
  computed = splat(loc, computed, point.lanes);
  storeStored(number, point, toStorage(loc, element, computed));
}

void PointEmitter::storeStored(unsigned number, const Point &point,
                               Value stored) {
  Value tensor = kernel.getYield().getValues()[number];
  Location loc = tensor.getLoc();
  const InputLayout *layout = stridesOfResult(abi, number);
  if (areApart(layout, point)) {
    for (int64_t lane = 0; lane < point.lanes; ++lane)
      storeStored(number, lanePoint(point, lane),
                  vector::ExtractOp::create(builder, loc, stored, lane));
    return;
  }
  int64_t align = alignment(tensor, point, layout);
  Value at = address(loc, abi.results[number], tensor, point, layout);
  LLVM::StoreOp::create(builder, loc, stored, at, align);
}
