//===- HostScratch.h - Memory of a thread for its blocks --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_HOSTSCRATCH_H
#define FUSE_LIB_CODEGEN_HOSTSCRATCH_H

#include <cstdint>

namespace mlir::fuse {

/// The name under which code of the host calls hostScratch().
inline constexpr char kScratchFunction[] = "__fuse_scratch";

/// At least `bytes` bytes that no other thread uses, aligned to a page. They
/// keep what was there until the thread asks again, and live as long as it.
void *hostScratch(int64_t bytes);

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_HOSTSCRATCH_H
