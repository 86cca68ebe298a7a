//===- EmulatorShims.h - The families of shims ------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORSHIMS_H
#define FUSE_LIB_RUNTIME_EMULATORSHIMS_H

#include "fuse/Runtime/EmulatorModule.h"

namespace fuse::runtime {

/// Functions of a thread's own values: approximations, conversions.
void addMathShims(llvm::SmallVectorImpl<EmulatorShim> &shims);

/// What feeds tensor cores: barriers with phases, copies of boxes, matrices.
void addTensorShims(llvm::SmallVectorImpl<EmulatorShim> &shims);

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORSHIMS_H
