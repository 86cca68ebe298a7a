//===- CodeArchive.h - Compiled code kept in memory -------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_CODEARCHIVE_H
#define FUSE_COMPILER_CODEARCHIVE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace fuse::jit {

/// Cubins and object files by the hash of what they were made from, as
/// runtime::DiskCache has them. Thread-safe.
class CodeArchive {
public:
  std::optional<std::string> find(llvm::StringRef key) const;

  /// Keeps what is there already.
  void add(llvm::StringRef key, llvm::StringRef bytes);

  /// In the order of the keys.
  void
  forEach(llvm::function_ref<void(llvm::StringRef key, llvm::StringRef bytes)>
              visit) const;

private:
  mutable std::mutex mutex;
  std::map<std::string, std::string> entries;
};

} // namespace fuse::jit

#endif // FUSE_COMPILER_CODEARCHIVE_H
