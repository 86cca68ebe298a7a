//===- HostStrides.cpp - The strides of a kernel's tensors ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostStrides.h"

#include "fuse/Analysis/Strides.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Follows a view from the argument on, or a result back to what is written.
class StrideWalk {
public:
  using Strides = SmallVector<OpFoldResult>;
  /// The size of a dimension.
  using SizeOf = llvm::function_ref<OpFoldResult(int64_t)>;

  StrideWalk(OpBuilder &builder, Location loc, StrideKind kind)
      : builder(builder), loc(loc), kind(kind) {}

  Strides of(Value tensor);
  Strides ofWritten(Value value, SizeOf sizeOf);

private:
  Strides ofRoot(Value root);
  Strides split(ArrayRef<ReassociationIndices> reassociation,
                ArrayRef<OpFoldResult> from, SizeOf sizeOf);
  Strides join(Value joined, ArrayRef<ReassociationIndices> reassociation,
               ArrayRef<OpFoldResult> from, SizeOf sizeOf);
  void requireJoined(Value tensor, int64_t outer, int64_t inner,
                     OpFoldResult places, ArrayRef<OpFoldResult> strides,
                     SizeOf sizeOf);
  Strides sizesBehind(Operation *reshape, ArrayRef<OpFoldResult> sizes);

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

/// Of an argument, or of the buffer of a result.
StrideWalk::Strides StrideWalk::ofRoot(Value root) {
  auto type = cast<RankedTensorType>(root.getType());
  Strides strides;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    bool isInner = dim == type.getRank() - 1;
    if (isInner && kind != StrideKind::any)
      strides.push_back(constant(1));
    else
      strides.push_back(
          StrideOp::create(builder, loc, builder.getIndexType(), root, dim)
              .getResult());
  }
  return strides;
}

/// The inner dimensions of a group lie densely in the stride that is split.
StrideWalk::Strides
StrideWalk::split(ArrayRef<ReassociationIndices> reassociation,
                  ArrayRef<OpFoldResult> from, SizeOf sizeOf) {
  Strides strides;
  for (auto [group, whole] : llvm::zip_equal(reassociation, from)) {
    OpFoldResult stride = whole;
    strides.resize(strides.size() + group.size());
    for (int64_t dim : llvm::reverse(group)) {
      strides[dim] = stride;
      stride = mul(stride, sizeOf(dim));
    }
  }
  return strides;
}

/// "the strides of 'x'", of what `tensor` is a part of, and what to pass.
static std::pair<std::string, StringRef> nameOf(Value tensor) {
  while (isa_and_present<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::CastOp>(tensor.getDefiningOp()))
    tensor = tensor.getDefiningOp()->getOperand(0);
  StringAttr name;
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                 kNameAttr);
    return {name ? name.str() : "an argument", "make a contiguous copy"};
  }
  OpOperand *returned = stridedReturnOf(tensor);
  auto function = cast<func::FuncOp>(returned->getOwner()->getParentOp());
  name = function.getResultAttrOfType<StringAttr>(returned->getOperandNumber(),
                                                  kNameAttr);
  return {name ? name.str() : "a result", "pass a contiguous buffer"};
}

/// The dimensions up to `outer`, which have `places` places together, walk on
/// where `inner` ends. With one place there is nothing to walk.
void StrideWalk::requireJoined(Value tensor, int64_t outer, int64_t inner,
                               OpFoldResult places,
                               ArrayRef<OpFoldResult> strides, SizeOf sizeOf) {
  OpFoldResult step = strides[outer];
  OpFoldResult wanted = mul(strides[inner], sizeOf(inner));
  if (!getConstantIntValue(places)) {
    Value one = materialize(constant(1));
    Value steps = arith::SubIOp::create(builder, loc, materialize(places), one);
    step = mul(steps, step);
    wanted = mul(steps, wanted);
  }
  auto [name, remedy] = nameOf(tensor);
  std::string message =
      llvm::formatv("the strides of '{0}' to let the program join dimensions "
                    "{1} and {2} of {3}; {4}",
                    name, outer, inner, tensor.getType(), remedy);
  RequireOp::create(builder, loc, materialize(step), RequirePredicate::eq,
                    materialize(wanted), message);
}

/// Of a tensor whose dimensions are those of `joined`, group by group joined.
StrideWalk::Strides
StrideWalk::join(Value joined, ArrayRef<ReassociationIndices> reassociation,
                 ArrayRef<OpFoldResult> from, SizeOf sizeOf) {
  auto type = cast<RankedTensorType>(joined.getType());
  Strides strides;
  for (const ReassociationIndices &group : reassociation) {
    // Dimensions of size 1 are no step at all.
    SmallVector<int64_t> steps;
    for (int64_t dim : group)
      if (type.getDimSize(dim) != 1)
        steps.push_back(dim);
    OpFoldResult places = constant(1);
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      places = mul(places, sizeOf(steps[i]));
      requireJoined(joined, steps[i], steps[i + 1], places, from, sizeOf);
    }
    strides.push_back(steps.empty() ? from[group.back()] : from[steps.back()]);
  }
  return strides;
}

StrideWalk::Strides StrideWalk::of(Value tensor) {
  auto sizeOf = [&](Value value) {
    return [this, value](int64_t dim) {
      return tensor::getMixedSize(builder, loc, value, dim);
    };
  };
  if (isa<BlockArgument>(tensor))
    return ofRoot(tensor);
  return llvm::TypeSwitch<Operation *, Strides>(tensor.getDefiningOp())
      .Case<tensor::ExpandShapeOp>([&](auto op) {
        return split(
            op.getReassociationIndices(), of(op.getSrc()),
            [&](int64_t dim) { return op.getMixedOutputShape()[dim]; });
      })
      .Case<tensor::CollapseShapeOp>([&](auto op) {
        return join(op.getSrc(), op.getReassociationIndices(), of(op.getSrc()),
                    sizeOf(op.getSrc()));
      })
      .Case<tensor::CastOp>([&](auto op) { return of(op.getSource()); })
      .Case<KernelOp, LaunchOp>(
          [&](auto) { return ofWritten(tensor, sizeOf(tensor)); });
}

/// The sizes of what a reshape gives, from those of what it takes.
StrideWalk::Strides StrideWalk::sizesBehind(Operation *reshape,
                                            ArrayRef<OpFoldResult> sizes) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return expand.getMixedOutputShape();
  Strides result;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape)) {
    for (const ReassociationIndices &group :
         collapse.getReassociationIndices()) {
      result.push_back(constant(1));
      for (int64_t dim : group)
        result.back() = mul(result.back(), sizes[dim]);
    }
  } else {
    result.assign(sizes.begin(), sizes.end());
  }
  // The type may know a size that the arithmetic does not.
  auto type = cast<RankedTensorType>(reshape->getResult(0).getType());
  for (auto [size, known] : llvm::zip_equal(result, type.getShape()))
    if (!ShapedType::isDynamic(known))
      size = constant(known);
  return result;
}

/// From the result's own strides back through the reshapes that `value` goes
/// through. The buffer of the result, which the caller gives, is a tensor
/// without content here.
StrideWalk::Strides StrideWalk::ofWritten(Value value, SizeOf sizeOf) {
  OpOperand *returned = stridedReturnOf(value);
  SmallVector<Operation *> reshapes = ReshapePath::to(*returned).reshapes;
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Strides> sizes(1);
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.front().push_back(
        type.isDynamicDim(dim) ? sizeOf(dim) : constant(type.getDimSize(dim)));
  for (Operation *reshape : reshapes)
    sizes.push_back(sizesBehind(reshape, sizes.back()));
  auto buffer = tensor::EmptyOp::create(builder, loc, sizes.back(),
                                        type.getElementType());
  buffer->setAttr(kResultAttr,
                  builder.getI64IntegerAttr(returned->getOperandNumber()));
  Strides strides = ofRoot(buffer);
  for (size_t number = reshapes.size(); number-- > 0;) {
    Operation *reshape = reshapes[number];
    auto sizeOfFrom = [&](int64_t dim) { return sizes[number][dim]; };
    auto sizeOfTo = [&](int64_t dim) { return sizes[number + 1][dim]; };
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
      strides =
          join(expand, expand.getReassociationIndices(), strides, sizeOfTo);
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
      strides = split(collapse.getReassociationIndices(), strides, sizeOfFrom);
  }
  if (buffer->use_empty())
    buffer->erase();
  return strides;
}

SmallVector<OpFoldResult>
mlir::fuse::hostStrides(OpBuilder &builder, Value tensor, StrideKind kind) {
  return StrideWalk(builder, tensor.getLoc(), kind).of(tensor);
}

SmallVector<OpFoldResult> mlir::fuse::hostResultStrides(
    OpBuilder &builder, Value result, StrideKind kind,
    llvm::function_ref<OpFoldResult(int64_t)> sizeOf) {
  return StrideWalk(builder, result.getLoc(), kind).ofWritten(result, sizeOf);
}
