//===- Options.cpp - How to compile a program -----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/Options.h"
#include "fuse/Runtime/DiskCache.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::jit {

std::string tuningPath(const CompileOptions &options) {
  if (!options.tuningFile.empty())
    return options.tuningFile;
  if (const char *path = std::getenv("FUSE_TUNING"))
    return path;
  Expected<DiskCache> cache = DiskCache::open(options.cacheDirectory);
  if (!cache) {
    consumeError(cache.takeError());
    return "";
  }
  SmallString<128> path(cache->directory());
  sys::path::append(path, "tuning.json");
  return path.str().str();
}

} // namespace fuse::jit
