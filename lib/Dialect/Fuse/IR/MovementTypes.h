//===- MovementTypes.h - Result types of movement ops ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The result type of a movement op from its operands and attributes, which is
// where its constraints are checked: a violated one is an error through
// `emitError`.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_DIALECT_FUSE_IR_MOVEMENTTYPES_H
#define FUSE_LIB_DIALECT_FUSE_IR_MOVEMENTTYPES_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"

namespace mlir::fuse::detail {

using EmitError = function_ref<InFlightDiagnostic()>;

FailureOr<RankedTensorType> inferMoved(TransposeOp::Adaptor op,
                                       EmitError emitError);
FailureOr<RankedTensorType> inferMoved(DynamicSliceOp::Adaptor op,
                                       EmitError emitError);
FailureOr<RankedTensorType> inferMoved(SliceOp::Adaptor op,
                                       EmitError emitError);
FailureOr<RankedTensorType> inferMoved(PadOp::Adaptor op, EmitError emitError);
FailureOr<RankedTensorType> inferMoved(ConcatOp::Adaptor op,
                                       EmitError emitError);
FailureOr<RankedTensorType> inferMoved(GatherOp::Adaptor op,
                                       EmitError emitError);
FailureOr<RankedTensorType> inferMoved(TakeAlongOp::Adaptor op,
                                       EmitError emitError);
FailureOr<RankedTensorType> inferMoved(UnpackOp::Adaptor op,
                                       EmitError emitError);
FailureOr<RankedTensorType> inferMoved(ScatterOp::Adaptor op,
                                       EmitError emitError);

} // namespace mlir::fuse::detail

#endif // FUSE_LIB_DIALECT_FUSE_IR_MOVEMENTTYPES_H
