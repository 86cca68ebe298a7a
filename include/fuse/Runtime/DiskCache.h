//===- DiskCache.h - Compiled code kept between processes -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file an entry, named by the hash of everything the code depends on, with
// a hash of its bytes inside. Entries appear by rename, so a reader sees a
// whole file or none; one that is damaged anyway counts as absent and is
// written again. Readers and writers need no lock, in threads or processes.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_DISKCACHE_H
#define FUSE_RUNTIME_DISKCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace fuse::runtime {

class DiskCache {
public:
  /// BLAKE3 of the chip, the compiler's version and `parts`, each hashed with
  /// its length so that no two lists of parts read the same.
  class Key {
  public:
    Key(llvm::StringRef chip, llvm::StringRef version,
        llvm::ArrayRef<llvm::StringRef> parts);

    /// 64 hexadecimal digits.
    llvm::StringRef str() const { return hex; }

  private:
    std::string hex;
  };

  /// Opens `directory`, or if that is empty $FUSE_CACHE_DIR, or else "fuse"
  /// in the user's cache directory ($XDG_CACHE_HOME, ~/.cache); makes it if
  /// need be. Refuses one of another user (root aside), or that all may write
  /// to: what lies there is run. Refuses a limit that is no positive number,
  /// too.
  static llvm::Expected<DiskCache> open(llvm::StringRef directory = "");

  /// An error where $FUSE_CACHE_MIB is no positive number. A folder that cannot
  /// be used costs but time; a setting that cannot be read is a mistake.
  static llvm::Error checkLimit();

  llvm::StringRef directory() const { return path; }

  /// The most bytes that all entries together take: $FUSE_CACHE_MIB, or 4 GiB.
  uint64_t limit() const { return maxBytes; }

  /// The bytes stored under `key`; nullopt if there are none or they are
  /// damaged.
  std::optional<std::string> load(const Key &key) const;

  /// Stores `bytes` under `key`, replacing what was there. From time to time
  /// the cache is pruned to its limit.
  llvm::Error store(const Key &key, llvm::StringRef bytes) const;

  /// Removes the entries used least recently until all together take at most
  /// `maxBytes`, which must be positive.
  void prune(uint64_t maxBytes) const;

  /// A file of the cache.
  struct Entry {
    /// Its key's digits.
    std::string key;
    uint64_t bytes = 0;
    llvm::sys::TimePoint<> lastUsed;
  };
  /// All entries, those used last first.
  std::vector<Entry> entries() const;
  llvm::Error remove(const Entry &entry) const;

private:
  DiskCache(llvm::StringRef path, uint64_t maxBytes)
      : path(path), maxBytes(maxBytes) {}

  std::string entryPath(const Key &key) const;

  std::string path;
  uint64_t maxBytes;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_DISKCACHE_H
