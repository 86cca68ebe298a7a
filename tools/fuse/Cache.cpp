//===- Cache.cpp - fuse cache ---------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "fuse/Runtime/DiskCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using fuse::runtime::DiskCache;
using Entry = DiskCache::Entry;

namespace fuse::driver {

namespace {
class CacheCommand : public Command {
public:
  CacheCommand() : Command("cache", "Show or empty the folder of code") {}

  Error execute() override;
  void addValues(OptionValues &values) override {
    values["action"] = {"list", "clear", "stats"};
  }

private:
  void list(ArrayRef<Entry> entries);
  void showStats(StringRef folder, ArrayRef<Entry> entries);
  Error clear(const DiskCache &cache, ArrayRef<Entry> entries);

  cl::opt<std::string> action{cl::Positional, cl::sub(sub), cl::cat(category),
                              cl::init("stats"),
                              cl::desc("list, clear or stats")};
  cl::opt<bool> asJSON{"json", cl::sub(sub), cl::cat(category),
                       cl::desc("The same as JSON")};
};
} // namespace

/// "2026-01-31 12:00".
static std::string timeOf(const Entry &entry) {
  return formatv("{0:%Y-%m-%d %H:%M}", entry.lastUsed);
}

static uint64_t bytesOf(ArrayRef<Entry> entries) {
  uint64_t bytes = 0;
  for (const Entry &entry : entries)
    bytes += entry.bytes;
  return bytes;
}

void CacheCommand::list(ArrayRef<Entry> entries) {
  json::Array array;
  for (const Entry &entry : entries)
    if (asJSON)
      array.push_back(json::Object{{"key", entry.key},
                                   {"bytes", entry.bytes},
                                   {"last_used", timeOf(entry)}});
    else
      outs() << formatv("{0}  {1,12} bytes  {2}\n",
                        StringRef(entry.key).take_front(16), entry.bytes,
                        timeOf(entry));
  if (asJSON)
    outs() << formatv("{0:2}\n",
                      json::Value(json::Object{{"entries", std::move(array)}}));
}

void CacheCommand::showStats(StringRef folder, ArrayRef<Entry> entries) {
  if (asJSON) {
    outs() << formatv("{0:2}\n", json::Value(json::Object{
                                     {"folder", folder},
                                     {"entries", int64_t(entries.size())},
                                     {"bytes", bytesOf(entries)}}));
    return;
  }
  outs() << formatv("{0}: {1} entr{2}, {3} bytes\n", folder, entries.size(),
                    entries.size() == 1 ? "y" : "ies", bytesOf(entries));
  if (!entries.empty())
    outs() << formatv("last used from {0} to {1}\n", timeOf(entries.back()),
                      timeOf(entries.front()));
}

/// The tuning file, which was measured, stays.
Error CacheCommand::clear(const DiskCache &cache, ArrayRef<Entry> entries) {
  for (const Entry &entry : entries)
    if (Error error = cache.remove(entry))
      return error;
  if (asJSON)
    outs() << formatv("{0:2}\n", json::Value(json::Object{
                                     {"removed", int64_t(entries.size())},
                                     {"bytes", bytesOf(entries)}}));
  else
    outs() << formatv("removed {0} entr{1}, {2} bytes\n", entries.size(),
                      entries.size() == 1 ? "y" : "ies", bytesOf(entries));
  return Error::success();
}

Error CacheCommand::execute() {
  bool isKnown = is_contained({"list", "clear", "stats"}, StringRef(action));
  if (!isKnown)
    return createStringError("expected list, clear or stats, but got '" +
                             action + "'; see 'fuse cache --help'");
  auto cache = DiskCache::open();
  if (!cache)
    return cache.takeError();
  std::vector<Entry> entries = cache->entries();
  if (action == "clear")
    return clear(*cache, entries);
  if (action == "list")
    list(entries);
  else
    showStats(cache->directory(), entries);
  return Error::success();
}

std::unique_ptr<Command> makeCacheCommand() {
  return std::make_unique<CacheCommand>();
}

} // namespace fuse::driver
