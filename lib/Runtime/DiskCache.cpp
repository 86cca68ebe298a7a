//===- DiskCache.cpp - Compiled code kept between processes ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/DiskCache.h"
#include "FormatError.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cstdlib>
#include <unistd.h>

using namespace llvm;
using namespace fuse::runtime;

/// What llvm::pruneCache() takes for an entry.
static constexpr StringLiteral entryPrefix = "llvmcache-";
/// First bytes of an entry; the digit is the format's version. The hash of the
/// payload follows, then the payload.
static constexpr StringLiteral magic = "FUSECAC1";
static constexpr size_t headerBytes = magic.size() + LLVM_BLAKE3_OUT_LEN;

/// The first store of a process prunes, and then each of so many.
static constexpr unsigned storesPerPruning = 64;

static void hashWithLength(BLAKE3 &hasher, StringRef text) {
  uint8_t length[8];
  support::endian::write64le(length, text.size());
  hasher.update(length);
  hasher.update(text);
}

DiskCache::Key::Key(StringRef chip, StringRef version,
                    ArrayRef<StringRef> parts) {
  BLAKE3 hasher;
  hashWithLength(hasher, chip);
  hashWithLength(hasher, version);
  for (StringRef part : parts)
    hashWithLength(hasher, part);
  hex = toHex(hasher.final(), /*LowerCase=*/true);
}

static std::string hashOf(StringRef bytes) {
  BLAKE3Result<> hash = BLAKE3::hash(arrayRefFromStringRef(bytes));
  return toStringRef(hash).str();
}

/// An error if anybody could put code there, which this process would run. Of a
/// group that may write its administrator has decided.
static Error checkOwner(StringRef path) {
  sys::fs::file_status status;
  std::error_code code = sys::fs::status(path, status);
  bool isOurs =
      !code && (status.getUser() == ::geteuid() || status.getUser() == 0);
  bool isOpen = (status.permissions() & sys::fs::others_write) != 0;
  if (isOurs && !isOpen)
    return Error::success();
  return formatError("expected the compile cache '{0}' to be writable by its "
                     "user alone, but got a directory {1}; set FUSE_CACHE_DIR "
                     "to one of your own, with mode 700",
                     path,
                     isOurs ? "that all may write to" : "of another user");
}

static Expected<uint64_t> limitFromEnvironment() {
  constexpr uint64_t usualMiB = 4096, mostMiB = uint64_t(1) << 40;
  const char *text = std::getenv("FUSE_CACHE_MIB");
  uint64_t number = usualMiB;
  if (text && *text &&
      (StringRef(text).getAsInteger(10, number) || number == 0 ||
       number > mostMiB))
    return formatError("expected FUSE_CACHE_MIB to be a positive number of "
                       "mebibytes, but got '{0}'; unset it for {1}",
                       text, usualMiB);
  return number << 20;
}

Error DiskCache::checkLimit() { return limitFromEnvironment().takeError(); }

Expected<DiskCache> DiskCache::open(StringRef directory) {
  SmallString<128> path(directory);
  if (path.empty())
    if (const char *text = std::getenv("FUSE_CACHE_DIR"))
      path = text;
  if (path.empty()) {
    if (!sys::path::cache_directory(path))
      return formatError("expected a home directory for the compile cache, but "
                         "got none; set FUSE_CACHE_DIR");
    sys::path::append(path, "fuse");
  }
  std::error_code code = sys::fs::create_directories(
      path, /*IgnoreExisting=*/true, sys::fs::owner_all);
  // A file of that name counts as success above.
  if (!code && !sys::fs::is_directory(path))
    code = std::make_error_code(std::errc::not_a_directory);
  if (code)
    return formatError("expected to make the compile cache '{0}', but got: "
                       "{1}; set FUSE_CACHE_DIR to a directory that can be "
                       "written",
                       path, code.message());
  if (Error error = checkOwner(path))
    return std::move(error);
  Expected<uint64_t> limit = limitFromEnvironment();
  if (!limit)
    return limit.takeError();
  return DiskCache(path, *limit);
}

std::string DiskCache::entryPath(const Key &key) const {
  SmallString<128> file(path);
  sys::path::append(file, entryPrefix + key.str());
  return file.str().str();
}

std::optional<std::string> DiskCache::load(const Key &key) const {
  // Read, not mapped: a mapped file that is cut short later would crash.
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
      entryPath(key), /*IsText=*/false, /*RequiresNullTerminator=*/false,
      /*IsVolatile=*/true);
  if (!file)
    return std::nullopt;
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() < headerBytes || !bytes.starts_with(magic))
    return std::nullopt;
  StringRef payload = bytes.drop_front(headerBytes);
  if (bytes.slice(magic.size(), headerBytes) != hashOf(payload))
    return std::nullopt;
  return payload.str();
}

Error DiskCache::store(const Key &key, StringRef bytes) const {
  std::string entry = entryPath(key);
  int descriptor;
  SmallString<128> temporary;
  std::error_code code =
      sys::fs::createUniqueFile(entry + ".%%%%%%%%.tmp", descriptor, temporary);
  if (!code) {
    raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << magic << hashOf(bytes) << bytes;
    os.close();
    code = os.error();
    os.clear_error();
    if (!code)
      code = sys::fs::rename(temporary, entry);
    if (code)
      sys::fs::remove(temporary);
  }
  if (!code) {
    // Pruning lists the folder: not behind each of many stores.
    static std::atomic<unsigned> stores{0};
    if (stores.fetch_add(1) % storesPerPruning == 0)
      prune(maxBytes);
    return Error::success();
  }
  return formatError("expected to write the compile cache entry '{0}', but "
                     "got: {1}; set FUSE_CACHE_DIR to a directory with space",
                     entry, code.message());
}

void DiskCache::prune(uint64_t maxBytes) const {
  CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(0);
  policy.Expiration = std::chrono::seconds(0);
  policy.MaxSizePercentageOfAvailableSpace = 0;
  policy.MaxSizeFiles = 0;
  policy.MaxSizeBytes = maxBytes;
  pruneCache(path, policy);
}

std::vector<DiskCache::Entry> DiskCache::entries() const {
  std::vector<Entry> found;
  std::error_code code;
  for (sys::fs::directory_iterator file(path, code), end; file != end && !code;
       file.increment(code)) {
    StringRef name = sys::path::filename(file->path());
    ErrorOr<sys::fs::basic_file_status> status = file->status();
    if (!name.consume_front(entryPrefix) || name.contains('.') || !status)
      continue;
    found.push_back(
        {name.str(), status->getSize(), status->getLastAccessedTime()});
  }
  llvm::sort(found, [](const Entry &a, const Entry &b) {
    return std::tie(b.lastUsed, a.key) < std::tie(a.lastUsed, b.key);
  });
  return found;
}

Error DiskCache::remove(const Entry &entry) const {
  SmallString<128> file(path);
  sys::path::append(file, entryPrefix + entry.key);
  // Another process may have been faster.
  std::error_code code = sys::fs::remove(file, /*IgnoreNonExisting=*/true);
  if (!code)
    return Error::success();
  return formatError("expected to remove the compile cache entry '{0}', but "
                     "got: {1}; set FUSE_CACHE_DIR to a directory of your own",
                     file, code.message());
}
