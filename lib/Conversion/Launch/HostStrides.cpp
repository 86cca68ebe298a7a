//===- HostStrides.cpp - The strides of a kernel's input ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostStrides.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Follows a view from the argument on.
class StrideWalk {
public:
  StrideWalk(OpBuilder &builder, Location loc, StrideKind kind)
      : builder(builder), loc(loc), kind(kind) {}

  SmallVector<OpFoldResult> of(Value tensor);

private:
  SmallVector<OpFoldResult> ofArgument(BlockArgument argument);
  SmallVector<OpFoldResult> expand(tensor::ExpandShapeOp op);
  SmallVector<OpFoldResult> collapse(tensor::CollapseShapeOp op);
  void requireJoined(Value tensor, int64_t outer, int64_t inner,
                     OpFoldResult places, ArrayRef<OpFoldResult> strides);

  OpFoldResult size(Value tensor, int64_t dim);
  OpFoldResult mul(OpFoldResult a, OpFoldResult b);
  OpFoldResult constant(int64_t value) { return builder.getIndexAttr(value); }
  Value materialize(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }

  OpBuilder &builder;
  Location loc;
  StrideKind kind;
};
} // namespace

OpFoldResult StrideWalk::size(Value tensor, int64_t dim) {
  return tensor::getMixedSize(builder, loc, tensor, dim);
}

OpFoldResult StrideWalk::mul(OpFoldResult a, OpFoldResult b) {
  std::optional<int64_t> knownA = getConstantIntValue(a);
  std::optional<int64_t> knownB = getConstantIntValue(b);
  if (knownA && knownB)
    return constant(*knownA * *knownB);
  if (knownA == 1 || knownB == 1)
    return knownA == 1 ? b : a;
  return builder.createOrFold<arith::MulIOp>(loc, materialize(a),
                                             materialize(b));
}

SmallVector<OpFoldResult> StrideWalk::ofArgument(BlockArgument argument) {
  auto type = cast<RankedTensorType>(argument.getType());
  SmallVector<OpFoldResult> strides;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool isInner = dim == type.getRank() - 1;
    if (isInner && kind != StrideKind::any)
      strides.push_back(constant(1));
    else
      strides.push_back(
          StrideOp::create(builder, loc, builder.getIndexType(), argument, dim)
              .getResult());
  }
  return strides;
}

/// The inner dimensions of a group lie densely in the stride that was split.
SmallVector<OpFoldResult> StrideWalk::expand(tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> from = of(op.getSrc());
  SmallVector<OpFoldResult> strides(op.getResultType().getRank());
  for (auto [group, stride] :
       llvm::zip_equal(op.getReassociationIndices(), from))
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = stride;
      stride = mul(stride, op.getMixedOutputShape()[dim]);
    }
  return strides;
}

/// The dimensions up to `outer`, which have `places` places together, walk on
/// where `inner` ends. With one place there is nothing to walk.
void StrideWalk::requireJoined(Value tensor, int64_t outer, int64_t inner,
                               OpFoldResult places,
                               ArrayRef<OpFoldResult> strides) {
  OpFoldResult step = strides[outer];
  OpFoldResult wanted = mul(strides[inner], size(tensor, inner));
  if (!getConstantIntValue(places)) {
    Value one = materialize(constant(1));
    Value steps = arith::SubIOp::create(builder, loc, materialize(places), one);
    step = mul(steps, step);
    wanted = mul(steps, wanted);
  }
  auto root = tensor;
  while (Operation *op = root.getDefiningOp())
    root = op->getOperand(0);
  auto argument = cast<BlockArgument>(root);
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name =
      function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr);
  std::string message = llvm::formatv(
      "the strides of '{0}' to let the program join dimensions "
      "{1} and {2} of {3}; make a contiguous copy",
      name ? name.getValue() : "an argument", outer, inner, tensor.getType());
  RequireOp::create(builder, loc, materialize(step), RequirePredicate::eq,
                    materialize(wanted), message);
}

SmallVector<OpFoldResult> StrideWalk::collapse(tensor::CollapseShapeOp op) {
  SmallVector<OpFoldResult> from = of(op.getSrc()), strides;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    // Dimensions of size 1 are no step at all.
    SmallVector<int64_t> steps;
    for (int64_t dim : group)
      if (op.getSrcType().getDimSize(dim) != 1)
        steps.push_back(dim);
    OpFoldResult places = constant(1);
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      places = mul(places, size(op.getSrc(), steps[i]));
      requireJoined(op.getSrc(), steps[i], steps[i + 1], places, from);
    }
    strides.push_back(steps.empty() ? from[group.back()] : from[steps.back()]);
  }
  return strides;
}

SmallVector<OpFoldResult> StrideWalk::of(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return ofArgument(argument);
  return llvm::TypeSwitch<Operation *, SmallVector<OpFoldResult>>(
             tensor.getDefiningOp())
      .Case<tensor::ExpandShapeOp>([&](auto op) { return expand(op); })
      .Case<tensor::CollapseShapeOp>([&](auto op) { return collapse(op); })
      .Case<tensor::CastOp>([&](auto op) { return of(op.getSource()); });
}

SmallVector<OpFoldResult>
mlir::fuse::hostStrides(OpBuilder &builder, Value tensor, StrideKind kind) {
  return StrideWalk(builder, tensor.getLoc(), kind).of(tensor);
}
