//===- DecomposeTensor.cpp - Upstream's movement ops into this dialect's --===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tensor.extract_slice, concat and pad say more than fuse.slice, concat and pad
// do. What cannot be said stays, and is an error at the end of fuse-decompose.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

/// Whether `size` is the size of dimension `axis` of `source`.
static bool isDimOf(OpFoldResult size, Value source, int64_t axis) {
  auto dim =
      dyn_cast_or_null<tensor::DimOp>(dyn_cast<Value>(size).getDefiningOp());
  return dim && dim.getSource() == source && dim.getConstantIndex() == axis;
}

/// Whether a slice of a static dimension stays inside it, also where its last
/// place is past 2^63, which upstream's verifier lets through.
static bool isInside(int64_t dim, int64_t offset, int64_t size, int64_t step) {
  int64_t last;
  return offset >= 0 && offset <= dim &&
         (size == 0 || (!llvm::MulOverflow(size - 1, step, last) &&
                        !llvm::AddOverflow(last, offset, last) && last < dim));
}

/// The sizes as fuse.slice has them: static, or -1 for a whole dynamic
/// dimension. None if one of them is neither, or not inside.
static std::optional<SmallVector<int64_t>> getSizes(tensor::ExtractSliceOp op) {
  SmallVector<int64_t> sizes(op.getStaticSizes());
  SmallVector<OpFoldResult> mixed = op.getMixedSizes();
  for (auto [axis, size] : llvm::enumerate(sizes)) {
    bool isDynamic = op.getSourceType().isDynamicDim(axis);
    if (isDynamic != ShapedType::isDynamic(size))
      return std::nullopt;
    if (!isDynamic) {
      if (!isInside(op.getSourceType().getDimSize(axis),
                    op.getStaticOffset(axis), size, op.getStaticStride(axis)))
        return std::nullopt;
      continue;
    }
    if (op.getStaticOffset(axis) != 0 || op.getStaticStride(axis) != 1 ||
        !isDimOf(mixed[axis], op.getSource(), axis))
      return std::nullopt;
    size = -1;
  }
  return sizes;
}

/// The dimensions of a slice, grouped so that the dropped ones, which have size
/// 1, go into a neighbour.
static SmallVector<ReassociationIndices>
groupDroppedDims(int64_t rank, const llvm::SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  if (dropped.all())
    return groups;
  ReassociationIndices leading;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!dropped[axis]) {
      groups.push_back(std::exchange(leading, {}));
      groups.back().push_back(axis);
    } else if (groups.empty()) {
      leading.push_back(axis);
    } else {
      groups.back().push_back(axis);
    }
  }
  return groups;
}

/// Whether the static ones of `sizes` sum up to a size. Those of upstream's ops
/// may not, and then ours have no type.
static bool haveSum(ArrayRef<int64_t> sizes) {
  int64_t sum = 0;
  return llvm::all_of(sizes, [&](int64_t size) {
    return ShapedType::isDynamic(size) || !llvm::AddOverflow(sum, size, sum);
  });
}

namespace {

struct DecomposeExtractSlice : OpRewritePattern<tensor::ExtractSliceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ExtractSliceOp op,
                                PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> offsets = op.getStaticOffsets(),
                      steps = op.getStaticStrides();
    if (ShapedType::isDynamicShape(offsets) ||
        ShapedType::isDynamicShape(steps))
      return rewriter.notifyMatchFailure(op, "an offset or stride is dynamic");
    if (llvm::any_of(steps, [](int64_t step) { return step < 1; }))
      return rewriter.notifyMatchFailure(op, "a stride is not positive");
    auto sizes = getSizes(op);
    if (!sizes)
      return rewriter.notifyMatchFailure(
          op, "a size is neither static and inside nor that of its dimension");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value slice =
        SliceOp::create(builder, op.getSource(), offsets, *sizes, steps);
    llvm::SmallBitVector dropped = op.getDroppedDims();
    if (dropped.any())
      slice = tensor::CollapseShapeOp::create(
          builder, op.getType(), slice,
          groupDroppedDims(offsets.size(), dropped));
    rewriter.replaceOp(op, slice);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Concat, pad
//===----------------------------------------------------------------------===//

struct DecomposeConcat : OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<int64_t> sizes;
    for (Value input : op.getInputs())
      sizes.push_back(
          cast<RankedTensorType>(input.getType()).getDimSize(op.getDim()));
    if (!haveSum(sizes))
      return rewriter.notifyMatchFailure(op, "the sizes overflow");
    auto concat =
        ConcatOp::create(rewriter, op.getLoc(), op.getInputs(), op.getDim());
    if (concat.getType() == op.getType()) {
      rewriter.replaceOp(op, concat);
      return success();
    }
    rewriter.eraseOp(concat);
    return rewriter.notifyMatchFailure(op, "its type has other dynamic dims");
  }
};

struct DecomposePad : OpRewritePattern<tensor::PadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    auto isStatic = [](int64_t amount) { return amount >= 0; };
    if (!llvm::all_of(op.getStaticLow(), isStatic) ||
        !llvm::all_of(op.getStaticHigh(), isStatic))
      return rewriter.notifyMatchFailure(op, "an amount is not static");
    for (auto [size, low, high] :
         llvm::zip_equal(op.getSourceType().getShape(), op.getStaticLow(),
                         op.getStaticHigh()))
      if (!haveSum({size, low, high}))
        return rewriter.notifyMatchFailure(op, "the sizes overflow");
    TypedAttr value;
    Value padding = op.getConstantPaddingValue();
    if (!padding || !matchPattern(padding, m_Constant(&value)))
      return rewriter.notifyMatchFailure(op, "the value is not a constant");
    auto pad = PadOp::create(rewriter, op.getLoc(), op.getSource(),
                             op.getStaticLow(), op.getStaticHigh(), value);
    if (pad.getType() == op.getType()) {
      rewriter.replaceOp(op, pad);
      return success();
    }
    rewriter.eraseOp(pad);
    return rewriter.notifyMatchFailure(op, "its type has other dynamic dims");
  }
};

} // namespace

void mlir::fuse::populateDecomposeTensorPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeExtractSlice, DecomposeConcat, DecomposePad>(
      patterns.getContext());
}

LogicalResult mlir::fuse::verifyNoTensorMovement(Operation *op) {
  if (isa<tensor::ExtractSliceOp>(op))
    return op->emitOpError(
        "expected static offsets and strides, and sizes that are static and "
        "inside or the tensor.dim of a whole dynamic dimension, but got "
        "others; write a fuse.slice, whose size -1 reaches up to the end");
  if (isa<tensor::ConcatOp>(op))
    return op->emitOpError("expected sizes whose sum is below 2^63, and a "
                           "result as static as the operands, but got ")
           << op->getResult(0).getType() << "; write a fuse.concat";
  if (isa<tensor::PadOp>(op))
    return op->emitOpError(
        "expected static amounts whose sum with the size is below 2^63, a "
        "constant value, and a result as static as the operand, but got "
        "others; write a fuse.pad");
  return success();
}
