//===- MovementAssembly.h - Movement ops as text ---------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_IR_MOVEMENTASSEMBLY_H
#define FUSE_LIB_DIALECT_FUSE_IR_MOVEMENTASSEMBLY_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::fuse {

/// `sizes = [..]`, then `steps = [..]` unless all are 1.
ParseResult parseSliceSizes(OpAsmParser &parser, DenseI64ArrayAttr &sizes,
                            DenseI64ArrayAttr &steps);
void printSliceSizes(OpAsmPrinter &printer, Operation *,
                     DenseI64ArrayAttr sizes, DenseI64ArrayAttr steps);

/// `value = X : INPUT -> RESULT`. X has no type of its own: it takes the
/// element type of INPUT.
ParseResult parsePadValue(OpAsmParser &parser, TypedAttr &value, Type &input,
                          Type &result);
void printPadValue(OpAsmPrinter &printer, Operation *, TypedAttr value,
                   Type input, Type result);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_IR_MOVEMENTASSEMBLY_H
