//===- DeviceArrays.h - Runs on the GPU between canaries --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_CROSSCHECK_DEVICEARRAYS_H
#define FUSE_TOOLS_CROSSCHECK_DEVICEARRAYS_H

#include "Arrays.h"

namespace fuse::crosscheck {

/// As runGuarded, on the program's GPU: every tensor lies between two zones of
/// known bytes, which are compared afterwards.
llvm::Expected<std::vector<driver::Array>>
runOnDevice(jit::CompiledProgram &program, llvm::ArrayRef<driver::Array> inputs,
            Placing placing, llvm::ArrayRef<runtime::Shape> strides = {});

} // namespace fuse::crosscheck

#endif // FUSE_TOOLS_CROSSCHECK_DEVICEARRAYS_H
