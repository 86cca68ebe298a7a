//===- Handles.h - What the C API's pointers point to -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CAPI_HANDLES_H
#define FUSE_LIB_CAPI_HANDLES_H

#include "CallCache.h"
#include "TensorTable.h"
#include "fuse-c/Fuse.h"
#include "fuse/Execution/JIT.h"
#include "fuse/Runtime/CallGraphs.h"
#include <atomic>
#include <initializer_list>
#include <mutex>

struct FuseStatus {
  std::string message;
  FuseCode code;
};

struct FuseProgram {
  std::unique_ptr<fuse::jit::CompiledProgram> compiled;
  /// Made when they are first asked for.
  std::mutex mutex;
  std::string description;
  std::unique_ptr<fuse::capi::TensorTable> tensors;
  /// After the program, which they refer to.
  fuse::capi::CallCache calls;
  /// Null if calls are not recorded.
  std::unique_ptr<fuse::runtime::CallGraphs> graphs;
  /// Calls that were prepared so far.
  std::atomic<int64_t> prepared{0};
};

struct FuseCall {
  std::unique_ptr<fuse::jit::PreparedCall> prepared;
  FuseProgram *program;
  int64_t number;
};

namespace fuse::capi {

FuseStatus *fail(const llvm::Twine &message);

/// Null for success. `code` is of an error that is not the device's.
FuseStatus *toStatus(llvm::Error error, FuseCode code = FUSE_ERROR_ARGUMENT);

/// An error if one of the pointers that must be set is null.
FuseStatus *require(std::initializer_list<const void *> pointers,
                    llvm::StringRef function);

/// "" for null.
llvm::StringRef orEmpty(const char *text);

/// What the options mean, defaults where there are none. A caller of an older
/// header has fewer fields, and defaults for the rest.
llvm::Expected<jit::CompileOptions> unwrap(const FuseOptions *given);

/// Hands a compiled program to the caller.
FuseStatus *
finish(llvm::Expected<std::unique_ptr<jit::CompiledProgram>> compiled,
       const FuseOptions *options, FuseProgram **program);

} // namespace fuse::capi

#endif // FUSE_LIB_CAPI_HANDLES_H
