//===- Log.cpp - What the compiler does, for who wants to know ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/Log.h"
#include <mutex>

using namespace fuse;

namespace {
struct Log {
  std::mutex mutex;
  jit::LogHandler handler;
};
} // namespace

/// Never destroyed: threads may outlive main().
static Log &theLog() {
  static Log *log = new Log;
  return *log;
}

void jit::setLogHandler(LogHandler handler) {
  std::lock_guard<std::mutex> lock(theLog().mutex);
  theLog().handler = std::move(handler);
}

void jit::log(llvm::function_ref<std::string()> line) {
  std::lock_guard<std::mutex> lock(theLog().mutex);
  if (theLog().handler)
    theLog().handler(line());
}
