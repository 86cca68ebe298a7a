//===- LaunchOperands.h - The buffers of one launch -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_LAUNCHOPERANDS_H
#define FUSE_LIB_RUNTIME_LAUNCHOPERANDS_H

#include "fuse/Runtime/Module.h"
#include "fuse/Runtime/ProgramSpec.h"

namespace fuse::runtime {

/// What the buffers among the kernel's arguments are, in a call with these
/// tensors and symbols. The names live as long as `spec`.
llvm::Expected<llvm::SmallVector<LaunchOperand>>
describeOperands(const ProgramSpec &spec, const KernelSpec &kernel,
                 llvm::ArrayRef<TensorView> inputs,
                 llvm::ArrayRef<TensorView> outputs,
                 llvm::ArrayRef<int64_t> symbols);

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_LAUNCHOPERANDS_H
