//===- TurnedUnit.h - A box of results, turned by a thread ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_TURNEDUNIT_H
#define FUSE_LIB_CONVERSION_TURNEDUNIT_H

#include "KernelFrame.h"
#include "fuse/Analysis/TurnedBox.h"

namespace mlir::fuse {

/// Computes and stores the results of `segment` in box number `unit`, which
/// exists.
void emitTurnedUnit(KernelFrame &frame, const Segment &segment,
                    const TurnedBox &box, const Index &unit);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_TURNEDUNIT_H
