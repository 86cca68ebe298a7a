//===- Fuse.h - The fuse dialect -------------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_DIALECT_FUSE_IR_FUSE_H
#define FUSE_DIALECT_FUSE_IR_FUSE_H

#include "fuse/Dialect/Fuse/IR/Shapes.h"
#include "fuse/Dialect/Fuse/IR/Traits.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "fuse/Dialect/Fuse/IR/FuseDialect.h.inc"
#include "fuse/Dialect/Fuse/IR/FuseEnums.h.inc"
#include "fuse/Dialect/Fuse/IR/FuseInterfaces.h.inc"
#include "fuse/Dialect/Fuse/IR/RotaryInterfaces.h.inc"
#include "fuse/Dialect/Fuse/IR/SchedulePartInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "fuse/Dialect/Fuse/IR/FuseAttrs.h.inc"

#define GET_OP_CLASSES
#include "fuse/Dialect/Fuse/IR/FuseOps.h.inc"

namespace mlir::fuse {

/// Names of the attributes of a program's function. An argument or a result is
/// called `fuse.name`; `fuse.dims` names an argument's dynamic dimensions in
/// order (equal names are equal sizes); a result with `fuse.in_place` is
/// written into the buffer of the argument of that name.
inline constexpr StringLiteral kNameAttr = "fuse.name";
inline constexpr StringLiteral kDimsAttr = "fuse.dims";
inline constexpr StringLiteral kInPlaceAttr = "fuse.in_place";

/// On a function argument of floats: the standard deviation of the random
/// numbers that a tool fills it with where the user gives none (1 without it).
inline constexpr StringLiteral kStddevAttr = "fuse.stddev";

/// On a function argument or result: a StrideKind by name, other than dense.
/// The caller's tensor is a view whose strides the kernels take as further
/// sizes.
inline constexpr StringLiteral kStridedAttr = "fuse.strided";

/// On an argument of a program that has one element: it lies on the host, and
/// kernels get it by value.
inline constexpr StringLiteral kScalarAttr = "fuse.scalar";

/// On a program's function, from the schedulers: an integer. Calls whose inputs
/// and outputs take at most so many bytes would get other schedules.
inline constexpr StringLiteral kSmallBytesAttr = "fuse.small_bytes";
/// The same of calls that take as long as one block.
inline constexpr StringLiteral kBriefBytesAttr = "fuse.brief_bytes";
/// The same of calls that have a few rows only.
inline constexpr StringLiteral kFewBytesAttr = "fuse.few_bytes";
/// From them, too: names (`fuse.dims`) of dynamic dims that would give kernels
/// other schedules if their sizes were known.
inline constexpr StringLiteral kLengthsAttr = "fuse.lengths";
/// From them, too: a dictionary from names of dynamic dims, or of several whose
/// product counts, to ascending sizes, such as {rows = [64, 256]} or
/// {"batch*tokens" = [64]}. Calls with up to so many, and more than the size
/// before, would get other schedules than those of any size.
inline constexpr StringLiteral kSizeRangesAttr = "fuse.size_ranges";
/// For them: a dictionary from such names to the size that schedules are for,
/// such as {rows = 64}. Other sizes run, too.
inline constexpr StringLiteral kAssumedSizesAttr = "fuse.assumed_sizes";
/// On a kernel, from the schedulers: a dictionary from such names to an array
/// of the schedules for the sizes of `fuse.size_ranges`, for reports.
inline constexpr StringLiteral kSizedSchedulesAttr = "fuse.sized_schedules";

/// On a pointwise op: a TypeAttr, the float type whose unit in the last place
/// the result must be good to. Without it that is the result's own element
/// type. A composite on 16-bit floats that computes in f32 sets it on the
/// functions inside, since only 16 bits of them leave it.
inline constexpr StringLiteral kAccuracyAttr = "fuse.accuracy";

/// On a cast: a unit attribute. The program does not ask for this cast; it ends
/// a composite that computes in f32. Its value is rounded where it leaves the
/// kernel, like that of any op of its type, and not before.
inline constexpr StringLiteral kImplicitAttr = "fuse.implicit";

/// How the blocks of a cluster of so many share; none for one block.
ShareAttrInterface clusterOf(MLIRContext *context, int64_t blocks);
/// The same of up to so many parts.
ShareAttrInterface partsOf(MLIRContext *context, int64_t parts);

/// Whether the op is a ScanOp or a TopKOp.
bool isRowOrder(Operation *op);

/// Whether the op is a ReduceOp, a SoftmaxStatsOp or a WelfordOp.
bool isReduction(Operation *op);

/// The dimensions that such an op reduces.
ArrayRef<int64_t> reducedDims(Operation *op);

/// Whether these dimensions stay, with size 1.
bool keepsReducedDims(Operation *op);

/// Replaces them; the types of operands and results are the caller's to change.
void setReducedDims(Operation *op, ArrayRef<int64_t> dims);

} // namespace mlir::fuse

#endif // FUSE_DIALECT_FUSE_IR_FUSE_H
