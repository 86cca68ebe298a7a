//===- MovementFolds.cpp - Folds of movement ops --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A movement that moves nothing is its operand, one of a splat is a splat, two
// of a kind are one, and what is cut and joined again is what it was.
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// A splat in the shape of `result`, if `input` is one.
static OpFoldResult resizeSplat(Attribute input, RankedTensorType result) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(input);
  if (!splat || !result.hasStaticShape())
    return {};
  return splat.resizeSplat(result);
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return getInput();
  auto inner = getInput().getDefiningOp<TransposeOp>();
  if (!inner)
    return resizeSplat(adaptor.getInput(), getType());
  SmallVector<int64_t> composed;
  for (int64_t dim : permutation)
    composed.push_back(inner.getPermutation()[dim]);
  getInputMutable().assign(inner.getInput());
  setPermutation(composed);
  return getResult();
}

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// Whether the slice is its operand, given that the types are equal.
static bool takesAll(SliceOp op) {
  auto leavesOut = [&](int64_t dim) { return op.getLeftOut(dim) != 0; };
  return llvm::all_of(op.getOffsets(), [](int64_t o) { return o == 0; }) &&
         llvm::all_of(op.getSteps(), [](int64_t step) { return step == 1; }) &&
         llvm::none_of(llvm::seq(op.getType().getRank()), leavesOut);
}

namespace {
/// A slice in one dimension.
struct SlicedDim {
  int64_t offset, step, leftOut;
};
} // namespace

static SlicedDim slicedDim(SliceOp op, int64_t dim) {
  return {op.getOffsets()[dim], op.getSteps()[dim], op.getLeftOut(dim)};
}

/// The slice of a slice in one dimension of `size` elements; none where it
/// cannot be computed, or where the inner slice of a dynamic dimension may be
/// too short for the outer one and the composed one would ask for more elements
/// than both do.
static std::optional<SlicedDim>
composeSlices(int64_t size, const SlicedDim &inner, const SlicedDim &outer) {
  bool isDynamic = ShapedType::isDynamic(size);
  if (isDynamic && inner.step != 1 && (outer.offset != 0 || outer.leftOut != 0))
    return std::nullopt;
  SlicedDim composed;
  if (llvm::MulOverflow(outer.offset, inner.step, composed.offset) ||
      llvm::AddOverflow(composed.offset, inner.offset, composed.offset) ||
      llvm::MulOverflow(outer.step, inner.step, composed.step) ||
      llvm::AddOverflow(outer.leftOut, inner.leftOut, composed.leftOut))
    return std::nullopt;
  // An empty slice may start anywhere.
  if (!isDynamic)
    composed.offset = std::min(composed.offset, size);
  return composed;
}

OpFoldResult SliceOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType() && takesAll(*this))
    return getInput();
  auto inner = getInput().getDefiningOp<SliceOp>();
  if (!inner)
    return resizeSplat(adaptor.getInput(), getType());
  RankedTensorType source = inner.getInput().getType();
  SmallVector<int64_t> offsets, sizes, steps;
  for (int64_t axis = 0; axis < source.getRank(); ++axis) {
    auto composed =
        composeSlices(source.getDimSize(axis), slicedDim(inner, axis),
                      slicedDim(*this, axis));
    if (!composed)
      return {};
    offsets.push_back(composed->offset);
    steps.push_back(composed->step);
    sizes.push_back(getType().isDynamicDim(axis) ? -1 - composed->leftOut
                                                 : getType().getDimSize(axis));
  }
  getInputMutable().assign(inner.getInput());
  setOffsets(offsets);
  setSizes(sizes);
  setSteps(steps);
  return getResult();
}

//===----------------------------------------------------------------------===//
// Pad, reverse, concat, broadcast
//===----------------------------------------------------------------------===//

OpFoldResult PadOp::fold(FoldAdaptor adaptor) {
  auto isZero = [](int64_t amount) { return amount == 0; };
  if (llvm::all_of(getLow(), isZero) && llvm::all_of(getHigh(), isZero))
    return getInput();
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getInput());
  if (splat && splat.getSplatValue<Attribute>() == getValue())
    return resizeSplat(splat, getType());
  return {};
}

OpFoldResult ReverseOp::fold(FoldAdaptor adaptor) {
  if (getDims().empty() ||
      isa_and_nonnull<SplatElementsAttr>(adaptor.getInput()))
    return getInput();
  auto inner = getInput().getDefiningOp<ReverseOp>();
  if (!inner)
    return {};
  // What is reversed twice is not reversed.
  SmallVector<int64_t> dims;
  std::set_symmetric_difference(getDims().begin(), getDims().end(),
                                inner.getDims().begin(), inner.getDims().end(),
                                std::back_inserter(dims));
  getInputMutable().assign(inner.getInput());
  setDims(dims);
  return getResult();
}

/// What is cut into the operands, each of them where the last one ends; null
/// where these are no such slices.
static Value cutIntoOperands(ConcatOp op) {
  auto first = op.getInputs().front().getDefiningOp<SliceOp>();
  if (!first || first.getInput().getType() != op.getType() ||
      op.getType().isDynamicDim(op.getDim()))
    return {};
  int64_t next = 0;
  for (Value part : op.getInputs()) {
    auto slice = part.getDefiningOp<SliceOp>();
    if (!slice || slice.getInput() != first.getInput())
      return {};
    for (int64_t dim : llvm::seq(op.getType().getRank())) {
      SlicedDim cut = slicedDim(slice, dim);
      bool isJoined = dim == static_cast<int64_t>(op.getDim());
      if (cut.step != 1 || cut.offset != (isJoined ? next : 0) ||
          (!isJoined && cut.leftOut != 0))
        return {};
    }
    next += slice.getType().getDimSize(op.getDim());
  }
  return first.getInput();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  if (getInputs().size() == 1)
    return getInputs().front();
  return cutIntoOperands(*this);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return resizeSplat(adaptor.getInput(), getType());
}
