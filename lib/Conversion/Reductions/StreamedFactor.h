//===- StreamedFactor.h - What waits for the end of a streamed row -*- C++ -*-//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_STREAMEDFACTOR_H
#define FUSE_LIB_CONVERSION_STREAMEDFACTOR_H

#include "Points/PointEmitter.h"
#include "fuse/Analysis/StreamedSpace.h"

namespace mlir::fuse {

/// What a row's sums of exponentials times values are to be multiplied by, when
/// all keys are seen. `max` is the maximum of its logits and `total` the sum of
/// their exponentials below it, or below 0 where it is -inf; `exp` computes one
/// of a number that is not positive. Makes the program's maximum and sum known
/// where `point` is, for what follows in this scope.
Value streamedRowFactor(PointEmitter &emitter, const StreamedSpace &space,
                        Value max, Value total, const Point &point,
                        llvm::function_ref<Value(Value)> exp);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_STREAMEDFACTOR_H
