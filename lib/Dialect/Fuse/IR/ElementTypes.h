//===- ElementTypes.h - Which type two operands should have -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops promote nothing: where element types differ, the user inserts a cast. The
// remedy says which, so that nothing is rounded that need not be: of bf16
// activations beside f32 weights the activations are cast up, never the weights
// down.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_IR_ELEMENTTYPES_H
#define FUSE_LIB_DIALECT_FUSE_IR_ELEMENTTYPES_H

#include "mlir/IR/Types.h"
#include <string>

namespace mlir::fuse::detail {

/// The narrowest element type that ops compute in and that has the values of
/// both, as far as one does: f32 for f16 and bf16, or for i32 and bf16.
Type commonElementType(Type lhs, Type rhs);

/// "fuse.cast LHS to f32": what is not of the common type is cast to it.
std::string castRemedy(Type lhs, StringRef lhsName, Type rhs,
                       StringRef rhsName);

} // namespace mlir::fuse::detail

#endif // FUSE_LIB_DIALECT_FUSE_IR_ELEMENTTYPES_H
