//===- PointwiseAssembly.h - Types of pointwise ops as text ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The types after the colon of a pointwise op, in the shortest form from which
// the others follow:
//
//   fuse.add %x, %y : tensor<4xf32>                  all operands have it
//   fuse.add %x, %y : tensor<?xf32>, tensor<1xf32>   the result is inferred
//   fuse.add %x, %y : tensor<?xf32>, tensor<4xf32> -> tensor<4xf32>   in full
//
// All three are read; the last is printed only where the result cannot be
// inferred.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_IR_POINTWISEASSEMBLY_H
#define FUSE_LIB_DIALECT_FUSE_IR_POINTWISEASSEMBLY_H

#include "fuse/Dialect/Fuse/IR/Traits.h"

#include "mlir/IR/OpImplementation.h"

namespace mlir::fuse {

ParseResult parseTypesOfPointwise(OpAsmParser &parser,
                                  ArrayRef<Type *> operands, Type &result,
                                  detail::PointwiseKind kind);

void printTypesOfPointwise(OpAsmPrinter &printer, ArrayRef<Type> operands,
                           Type result, detail::PointwiseKind kind);

inline ParseResult parsePointwiseTypes(OpAsmParser &parser, Type &input,
                                       Type &result) {
  return parseTypesOfPointwise(parser, {&input}, result,
                               detail::PointwiseKind::Value);
}
inline ParseResult parsePointwiseTypes(OpAsmParser &parser, Type &lhs,
                                       Type &rhs, Type &result) {
  return parseTypesOfPointwise(parser, {&lhs, &rhs}, result,
                               detail::PointwiseKind::Value);
}
inline ParseResult parsePointwiseTypes(OpAsmParser &parser, Type &first,
                                       Type &second, Type &third,
                                       Type &result) {
  // The result of a selection, too, has the last operand's element type.
  return parseTypesOfPointwise(parser, {&first, &second, &third}, result,
                               detail::PointwiseKind::Value);
}
inline ParseResult parseComparisonTypes(OpAsmParser &parser, Type &lhs,
                                        Type &rhs, Type &result) {
  return parseTypesOfPointwise(parser, {&lhs, &rhs}, result,
                               detail::PointwiseKind::Comparison);
}

inline void printPointwiseTypes(OpAsmPrinter &printer, Operation *, Type input,
                                Type result) {
  printTypesOfPointwise(printer, {input}, result, detail::PointwiseKind::Value);
}
inline void printPointwiseTypes(OpAsmPrinter &printer, Operation *, Type lhs,
                                Type rhs, Type result) {
  printTypesOfPointwise(printer, {lhs, rhs}, result,
                        detail::PointwiseKind::Value);
}
inline void printPointwiseTypes(OpAsmPrinter &printer, Operation *, Type first,
                                Type second, Type third, Type result) {
  printTypesOfPointwise(printer, {first, second, third}, result,
                        detail::PointwiseKind::Value);
}
inline void printComparisonTypes(OpAsmPrinter &printer, Operation *, Type lhs,
                                 Type rhs, Type result) {
  printTypesOfPointwise(printer, {lhs, rhs}, result,
                        detail::PointwiseKind::Comparison);
}

/// `like` is absent when the shape of an iota is static.
ParseResult parseIotaTypes(OpAsmParser &parser, Type &like, Type &result);
void printIotaTypes(OpAsmPrinter &printer, Operation *, Type like, Type result);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_IR_POINTWISEASSEMBLY_H
