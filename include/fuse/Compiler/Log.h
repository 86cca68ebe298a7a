//===- Log.h - What the compiler does, for who wants to know ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_LOG_H
#define FUSE_COMPILER_LOG_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>

namespace fuse::jit {

/// Gets one line at a time, from the thread that does what the line says.
using LogHandler = std::function<void(llvm::StringRef line)>;

/// Replaces the handler of the process; an empty one takes it away. Returns
/// when the one before is not running, and will not run any more.
void setLogHandler(LogHandler handler);

/// Calls `line` for the text, if there is a handler.
void log(llvm::function_ref<std::string()> line);

} // namespace fuse::jit

#endif // FUSE_COMPILER_LOG_H
