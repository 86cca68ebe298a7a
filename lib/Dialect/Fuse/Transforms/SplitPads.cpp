//===- SplitPads.cpp - Rows beside those that are computed ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Windows of an image whose sides are no multiples of theirs are padded behind
// a norm. The threads of a row store it where it goes, but fill only what is
// beside it in its own line: rows of padding belong to nobody. As parts of a
// concatenation they are values that other blocks of the launch store.
//
//   pad(n, low = [1, 0], high = [2, 0])  ->  concat(c1, n, c2, dim = 0)
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/SliceSizes.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITPADS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static bool isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

/// Whether the op computes elements one by one, or moves them.
static bool isOfElements(Operation *op) {
  return op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
         op->hasTrait<mlir::fuse::OpTrait::Movement>() || isReshape(op) ||
         isa<RotaryOp, tensor::DimOp>(op);
}

namespace {
class PadSplitter {
public:
  /// `reduced`: what follows from reductions.
  PadSplitter(PadOp pad, const llvm::DenseSet<Value> &reduced)
      : pad(pad), reduced(reduced), rank(pad ? pad.getType().getRank() : 0) {}

  /// Whether rows that are computed are padded with others, and stored.
  bool isSplit();
  /// The concatenation that replaces the pad.
  Value rewrite();

private:
  int64_t added(int64_t dim) { return pad.getLow()[dim] + pad.getHigh()[dim]; }
  bool isStored();
  Value findSizes();
  Value padded(ImplicitLocOpBuilder &builder, Value value,
               ArrayRef<int64_t> low, ArrayRef<int64_t> high);
  Value filling(ImplicitLocOpBuilder &builder, Value input, int64_t dim,
                int64_t size);
  Value likeFilling(ImplicitLocOpBuilder &builder, int64_t dim, int64_t size);

  PadOp pad;
  const llvm::DenseSet<Value> &reduced;
  int64_t rank;
  /// A value of the operand's sizes that no reduction is needed for; null where
  /// none is known, or wanted.
  Value sizes;
};
} // namespace

/// Whether all that is computed from it, element by element, leaves the
/// program.
bool PadSplitter::isStored() {
  llvm::SetVector<Operation *> following;
  following.insert(pad);
  for (size_t next = 0; next < following.size(); ++next)
    for (Operation *user : following[next]->getUsers()) {
      if (isa<func::ReturnOp>(user))
        continue;
      if (!isOfElements(user))
        return false;
      following.insert(user);
    }
  return true;
}

Value PadSplitter::findSizes() {
  llvm::SetVector<Value> found;
  found.insert(pad.getInput());
  for (size_t next = 0; next < found.size(); ++next) {
    Operation *op = found[next].getDefiningOp();
    if (!reduced.contains(found[next]))
      return found[next];
    if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>() || isa<RotaryOp>(op))
      for (Value operand : op->getOperands()) {
        auto type = dyn_cast<RankedTensorType>(operand.getType());
        if (type && type.getShape() == pad.getInput().getType().getShape())
          found.insert(operand);
      }
  }
  return {};
}

bool PadSplitter::isSplit() {
  auto shape = pad.getInput().getType().getShape();
  bool addsRows = false;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    addsRows |= added(dim) > 0;
  if (!addsRows || !reduced.contains(pad.getInput()) ||
      llvm::is_contained(shape, 0) || !isStored())
    return false;
  if (!ShapedType::isDynamicShape(shape))
    return true;
  sizes = findSizes();
  return sizes != Value();
}

Value PadSplitter::padded(ImplicitLocOpBuilder &builder, Value value,
                          ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  auto type = cast<RankedTensorType>(value.getType());
  if (llvm::all_of(low, [](int64_t size) { return size == 0; }) &&
      llvm::all_of(high, [](int64_t size) { return size == 0; }))
    return value;
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, before, behind] : llvm::zip_equal(shape, low, high))
    if (!ShapedType::isDynamic(size))
      size += before + behind;
  TypedAttr zero = value == pad.getInput()
                       ? pad.getValue()
                       : builder.getZeroAttr(type.getElementType());
  return PadOp::create(builder, type.clone(shape), value, low, high, zero);
}

/// So many slices of padding along a dimension of the input, which is padded
/// along those behind it.
Value PadSplitter::filling(ImplicitLocOpBuilder &builder, Value input,
                           int64_t dim, int64_t size) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  RankedTensorType filled = type.clone(shape);
  auto one = RankedTensorType::get({}, type.getElementType());
  Attribute value = pad.getValue();
  Value constant =
      ConstantOp::create(builder, one, DenseElementsAttr::get(one, value));
  if (filled.hasStaticShape())
    return BroadcastOp::create(builder, filled, constant, Value());
  return BroadcastOp::create(builder, filled, constant,
                             likeFilling(builder, dim, size));
}

/// A value of the filling's sizes, of which nothing is read.
Value PadSplitter::likeFilling(ImplicitLocOpBuilder &builder, int64_t dim,
                               int64_t size) {
  auto type = cast<RankedTensorType>(sizes.getType());
  SmallVector<int64_t> low(rank, 0), high(rank, 0);
  for (int64_t behind = dim + 1; behind < rank; ++behind) {
    low[behind] = pad.getLow()[behind];
    high[behind] = pad.getHigh()[behind];
  }
  if (!type.isDynamicDim(dim)) {
    SmallVector<int64_t> offsets(rank, 0), steps(rank, 1), none;
    llvm::append_range(none, type.getShape());
    none[dim] = 0;
    Value nothing = SliceOp::create(builder, type.clone(none), sizes, offsets,
                                    sliceSizes(none), steps);
    high[dim] = size;
    return padded(builder, nothing, low, high);
  }
  // Slices of a dynamic dimension have no static size.
  Value wide = padded(builder, sizes, low, high);
  auto ids = RankedTensorType::get({size}, builder.getI32Type());
  Value first =
      ConstantOp::create(builder, ids, DenseElementsAttr::get(ids, int32_t(0)));
  auto from = cast<RankedTensorType>(wide.getType());
  SmallVector<int64_t> shape(from.getShape());
  shape[dim] = size;
  return GatherOp::create(builder, from.clone(shape), wide, first, dim);
}

Value PadSplitter::rewrite() {
  ImplicitLocOpBuilder builder(pad.getLoc(), pad);
  Value value = pad.getInput();
  // Each row by its own threads.
  if (added(rank - 1) > 0) {
    SmallVector<int64_t> low(rank, 0), high(rank, 0);
    low.back() = pad.getLow().back();
    high.back() = pad.getHigh().back();
    value = padded(builder, value, low, high);
  }
  for (int64_t dim = rank - 2; dim >= 0; --dim) {
    if (added(dim) == 0)
      continue;
    SmallVector<Value> parts;
    if (pad.getLow()[dim] > 0)
      parts.push_back(filling(builder, value, dim, pad.getLow()[dim]));
    parts.push_back(value);
    if (pad.getHigh()[dim] > 0)
      parts.push_back(filling(builder, value, dim, pad.getHigh()[dim]));
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    if (!type.isDynamicDim(dim))
      shape[dim] += added(dim);
    value = ConcatOp::create(builder, type.clone(shape), parts,
                             static_cast<uint64_t>(dim));
  }
  pad.getResult().replaceAllUsesWith(value);
  pad.erase();
  return value;
}

namespace {
struct SplitPads : public mlir::fuse::impl::FuseSplitPadsBase<SplitPads> {
  using Base::Base;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      llvm::DenseSet<Value> reduced;
      for (Operation &op : llvm::make_early_inc_range(block)) {
        bool follows = llvm::any_of(op.getOperands(), [&](Value operand) {
          return reduced.contains(operand);
        });
        if (!follows && !isReduction(&op))
          continue;
        auto pad = dyn_cast<PadOp>(op);
        PadSplitter splitter(pad, reduced);
        if (pad && splitter.isSplit())
          reduced.insert(splitter.rewrite());
        else if (!isa<tensor::DimOp>(op))
          reduced.insert(op.result_begin(), op.result_end());
      }
    }
  }
};
} // namespace
