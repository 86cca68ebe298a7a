//===- Traits.h - What ops of the dialect have in common -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_TRAITS_H
#define FUSE_DIALECT_FUSE_IR_TRAITS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::fuse {

namespace detail {

/// Which operands of a pointwise op share an element type, and what the
/// result's is.
enum class PointwiseKind {
  Value,      ///< All operands and the result share one.
  Comparison, ///< All operands share one; the result is i1.
  Selection,  ///< All but the first operand, and the result, share one.
};

/// Infers the result of a pointwise op: the operands' broadcast shape with the
/// element type of `kind`. Fails, with an error where there is a location, if
/// the shapes do not broadcast.
LogicalResult inferPointwise(TypeRange operands, PointwiseKind kind,
                             std::optional<Location> location,
                             SmallVectorImpl<Type> &inferred);

/// Verifies element types, shapes and the result type of a pointwise op.
LogicalResult verifyPointwise(Operation *op, PointwiseKind kind);

/// Verifies that the result of `op` is `inferred`.
LogicalResult verifyInferredResult(Operation *op, Type inferred);

/// Verifies that an op that reads no tensor has a static `result`, or the shape
/// of `like`.
LogicalResult verifyLike(Operation *op, Value like, RankedTensorType result);

/// Verifies that the sizes of all tensors of `op` can be computed.
LogicalResult verifyBoundedTensors(Operation *op);

} // namespace detail

namespace OpTrait {

/// The result at an index depends only on the operands at that index, after
/// broadcasting.
template <typename ConcreteType>
class Pointwise : public mlir::OpTrait::TraitBase<ConcreteType, Pointwise> {};

/// Each element of the result is a copy of an element of an operand, found at
/// another point, or a constant.
template <typename ConcreteType>
class Movement : public mlir::OpTrait::TraitBase<ConcreteType, Movement> {};

/// Combines the elements of the first operand along some dimensions.
template <typename ConcreteType>
class Reduction : public mlir::OpTrait::TraitBase<ConcreteType, Reduction> {};

/// Elements of the results follow from the order of the elements along the last
/// dimension of the operand.
template <typename ConcreteType>
class RowOrder : public mlir::OpTrait::TraitBase<ConcreteType, RowOrder> {};

/// A named shorthand for a program of primitives.
template <typename ConcreteType>
class Composite : public mlir::OpTrait::TraitBase<ConcreteType, Composite> {};

/// The static byte count of every operand and result fits in int64_t, so that
/// no size computation overflows before the dynamic sizes are known.
template <typename ConcreteType>
class BoundedTensors
    : public mlir::OpTrait::TraitBase<ConcreteType, BoundedTensors> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return detail::verifyBoundedTensors(op);
  }
};

} // namespace OpTrait
} // namespace mlir::fuse

#endif // FUSE_DIALECT_FUSE_IR_TRAITS_H
