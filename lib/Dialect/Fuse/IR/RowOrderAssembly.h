//===- RowOrderAssembly.h - Scans as text -----------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_IR_ROWORDERASSEMBLY_H
#define FUSE_LIB_DIALECT_FUSE_IR_ROWORDERASSEMBLY_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::fuse {

/// How a scan combines elements. An error names the kinds that a scan has, not
/// all of a reduction.
ParseResult parseScanKind(OpAsmParser &parser, ReduceKindAttr &kind);
void printScanKind(OpAsmPrinter &printer, Operation *, ReduceKindAttr kind);

} // namespace mlir::fuse

#endif // FUSE_LIB_DIALECT_FUSE_IR_ROWORDERASSEMBLY_H
