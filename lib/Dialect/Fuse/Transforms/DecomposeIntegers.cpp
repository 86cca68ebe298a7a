//===- DecomposeIntegers.cpp - Narrow integers are computed in i32 --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op on i8, i16 or ui8 becomes the same op on i32 between casts: what 32
// bits compute, cut to fewer, is what fewer bits that wrap compute. Only what
// has seen no element needs care, as the smallest i32 is no i8.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isNarrowInteger(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto integer =
      tensor ? dyn_cast<IntegerType>(tensor.getElementType()) : IntegerType();
  return integer && integer.getWidth() > 1 && integer.getWidth() < 32;
}

/// Whether an op only passes elements on, or is what changes their type. Of an
/// operand `like` it takes the sizes only.
static bool passesOn(Operation *op) {
  return op->hasTrait<mlir::fuse::OpTrait::Movement>() ||
         isa<CastOp, ConstantOp, BroadcastOp, ScatterOp, DynamicSliceOp,
             KernelOp, YieldOp>(op);
}

/// Whether an op may give the smallest or the largest integer of its type where
/// it has seen no element.
static bool startsAtExtreme(Operation *op) {
  auto isExtreme = [](ReduceKind kind) {
    return kind == ReduceKind::max || kind == ReduceKind::min;
  };
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return isExtreme(reduce.getKind());
  auto scan = dyn_cast<ScanOp>(op);
  return scan && isExtreme(scan.getKind());
}

/// `value`, of i32, within the range of `element`.
static Value emitClamp(ImplicitLocOpBuilder &builder, Value value,
                       Type element) {
  auto integer = cast<IntegerType>(element);
  unsigned width = integer.getWidth();
  int64_t low = integer.isUnsigned() ? 0 : llvm::minIntN(width);
  int64_t high = integer.isUnsigned()
                     ? static_cast<int64_t>(llvm::maxUIntN(width))
                     : llvm::maxIntN(width);
  Type wide = builder.getI32Type();
  auto constant = [&](int64_t number) {
    return emitScalar(builder, wide, static_cast<double>(number));
  };
  return ClampOp::create(builder, value, constant(low), constant(high));
}

namespace {

struct WidenIntegers : RewritePattern {
  explicit WidenIntegers(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    bool isNarrow = (!isa<IotaOp, RandomOp>(op) &&
                     llvm::any_of(op->getOperandTypes(), isNarrowInteger)) ||
                    llvm::any_of(op->getResultTypes(), isNarrowInteger);
    if (!isNarrow || !isa<FuseDialect>(op->getDialect()) || passesOn(op))
      return rewriter.notifyMatchFailure(op, "computes with no i8, i16 or ui8");
    ImplicitLocOpBuilder builder(op->getLoc(), rewriter);
    Type wide = builder.getI32Type();
    bool isIota = isa<IotaOp>(op);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isNarrowInteger(operand.getType()) && !isIota
                             ? emitCast(builder, operand, wide)
                             : operand);
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(isNarrowInteger(type)
                          ? cast<RankedTensorType>(type).clone(wide)
                          : type);
    Operation *made =
        rewriter.create(op->getLoc(), op->getName().getIdentifier(), operands,
                        types, op->getAttrDictionary().getValue());
    SmallVector<Value> results;
    for (auto [result, type] :
         llvm::zip_equal(made->getResults(), op->getResultTypes())) {
      Type element = getElementTypeOrSelf(type);
      Value value = result;
      if (isNarrowInteger(type) && startsAtExtreme(op))
        value = emitClamp(builder, value, element);
      results.push_back(emitCast(builder, value, element));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void mlir::fuse::populateDecomposeIntegerPatterns(RewritePatternSet &patterns) {
  patterns.add<WidenIntegers>(patterns.getContext());
}
