//===- Random.cpp - Types of random numbers -------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"

using namespace mlir;
using namespace mlir::fuse;

LogicalResult RandomOp::verify() {
  // 1. The result is of f32.
  if (!getType().getElementType().isF32())
    return emitOpError("expected result of f32, but got ")
           << getType() << "; write f32 and fuse.cast the result";
  // 2. The result is static, or `like` is given and has the result's shape.
  return fuse::detail::verifyLike(*this, getLike(), getType());
}

LogicalResult DropoutOp::verify() {
  // 1. `p` is at least 0 and less than 1.
  double p = getP().convertToDouble();
  if (p >= 0.0 && p < 1.0)
    return success();
  return emitOpError("expected p of at least 0 and less than 1, but got ")
         << p << "; it is the probability of a zero";
}
