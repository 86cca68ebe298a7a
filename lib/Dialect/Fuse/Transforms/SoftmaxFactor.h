//===- SoftmaxFactor.h - A factor of rows out of exponentials ---*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SOFTMAXFACTOR_H
#define FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SOFTMAXFACTOR_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <optional>

namespace mlir::fuse {

/// Whether the value has one element a row of `full`, whose last dimension a
/// row lies along.
bool isOfRows(Value value, Value full);

/// Takes exp(m - r) out of exponentials exp(x - r) of rows along the last
/// dimension, so that exp(z - m) is left: z is x where a mask that all users
/// have shows it, else -inf; m the largest element of z, or 0 where that is
/// infinite; r a number of the row, or 0. The factor cancels where it can;
/// where it cannot, it is multiplied into the exponentials again, but not into
/// those that a sum is of.
class SoftmaxFactor {
public:
  explicit SoftmaxFactor(ExpOp exp);

  /// The new exponentials; null, and nothing is changed, where these have that
  /// form, no sum of them is found or the factor would need a second maximum.
  ExpOp takeOut();

  /// Whether what is subtracted is the maximum of the row, a larger number, or
  /// a guarded one.
  bool isFormed() const;

private:
  /// What a mask leaves of the exponentials, which has their shape.
  struct Masked {
    Operation *op;
    Value condition;
    /// Whether the mask shows where the condition is false.
    bool isInverted;
  };
  bool findBase(Value value);
  Value emitLogits(OpBuilder &builder);
  std::optional<Masked> maskOf(Operation *user) const;
  void findMask();
  void findDegrees();
  /// The degree of the op's result in the factor, or nothing where the factor
  /// does not go through the op.
  std::optional<int> degreeOf(Operation *op) const;
  bool isWorthwhile() const;
  Value emitExponentials();
  Value emitPower(OpBuilder &builder, Value value, int degree);
  Value emitWithout(Operation *op);
  void rewrite(Operation *op);
  void multiply();

  ExpOp exp;
  /// x, and r, which may be null.
  Value logits, base;
  /// Ops between the difference and the exponential, with the operands that
  /// lead to the difference, the last ones first: x is behind these.
  SmallVector<std::pair<Operation *, unsigned>> around;
  int64_t last;
  SmallVector<Masked> masks;
  /// Of what follows from the exponentials. What is no key has degree 0.
  llvm::DenseMap<Value, int> degrees;
  /// Ops that read a value of another degree than 0, in program order.
  SmallVector<Operation *> readers;
  /// Of what has a degree, one number a row.
  llvm::DenseSet<Value> rows;
  /// Whether there is a sum, something else reads a value with the factor, and
  /// whether that is an exponential.
  bool hasSum = false, escapes = false, isMultiplied = false;
  /// What is left of values, without the factor.
  llvm::DenseMap<Value, Value> left;
  /// The logarithm of the factor, m - r, and the new exponentials.
  Value logarithm, exponentials;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_TRANSFORMS_SOFTMAXFACTOR_H
