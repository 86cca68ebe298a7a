//===- DiskCacheTest.cpp --------------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/DiskCache.h"
#include "TestPrograms.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <atomic>
#include <set>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fuse::runtime;
using llvm::cantFail;
using llvm::StringRef;

namespace {
/// A cache in a directory of its own.
class DiskCacheTest : public testing::Test {
protected:
  DiskCacheTest() {
    llvm::sys::fs::createUniqueDirectory("fuse-cache-test", directory);
    cache = cantFail(DiskCache::open(directory));
  }
  ~DiskCacheTest() override { llvm::sys::fs::remove_directories(directory); }

  /// But for what pruning leaves: when it was last done.
  std::vector<std::string> files() const {
    std::vector<std::string> paths;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator it(directory, code), end; it != end;
         it.increment(code))
      if (!llvm::StringRef(it->path()).ends_with("llvmcache.timestamp"))
        paths.push_back(it->path());
    return paths;
  }

  llvm::SmallString<128> directory;
  std::optional<DiskCache> cache;
  DiskCache::Key key{"sm_90", "1.0", {"code"}};
};
} // namespace

static std::string hexOf(StringRef chip, StringRef version,
                         llvm::ArrayRef<StringRef> parts) {
  return DiskCache::Key(chip, version, parts).str().str();
}

TEST(DiskCacheKey, DependsOnEverything) {
  std::string key = hexOf("sm_90", "1.0", {"a", "b"});
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(key, hexOf("sm_90", "1.0", {"a", "b"}));
  EXPECT_NE(key, hexOf("sm_100", "1.0", {"a", "b"}));
  EXPECT_NE(key, hexOf("sm_90", "1.1", {"a", "b"}));
  EXPECT_NE(key, hexOf("sm_90", "1.0", {"ab"}));
  EXPECT_NE(key, hexOf("sm_90", "1.0", {"a", "b", ""}));
  EXPECT_NE(hexOf("sm_9", "01.0", {}), hexOf("sm_90", "1.0", {}));
}

TEST_F(DiskCacheTest, StoresAndReplaces) {
  EXPECT_EQ(cache->load(key), std::nullopt);
  std::string bytes("a\0b\n", 4);
  EXPECT_EQ(message(cache->store(key, bytes)), "");
  EXPECT_EQ(cache->load(key), bytes);
  EXPECT_EQ(message(cache->store(key, "")), "");
  EXPECT_EQ(cache->load(key), "");
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(DiskCacheTest, IgnoresAndRewritesDamagedEntries) {
  EXPECT_EQ(message(cache->store(key, "payload")), "");
  ASSERT_EQ(files().size(), 1u);
  std::string path = files()[0];
  std::string whole =
      cantFail(llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))
          ->getBuffer()
          .str();
  for (size_t damage = 0; damage < whole.size(); ++damage) {
    std::string cut = whole.substr(0, damage), flipped = whole;
    flipped[damage] ^= 1;
    for (const std::string &bad : {cut, flipped}) {
      std::error_code code;
      llvm::raw_fd_ostream(path, code) << bad;
      ASSERT_FALSE(code);
      EXPECT_EQ(cache->load(key), std::nullopt) << "at byte " << damage;
    }
  }
  EXPECT_EQ(message(cache->store(key, "payload")), "");
  EXPECT_EQ(cache->load(key), "payload");
}

/// Writes and reads entries that others write at the same time. Counts reads
/// that are neither absent nor whole.
static int raceOnce(const DiskCache &cache, int id) {
  int wrong = 0;
  for (int round = 0; round < 100; ++round) {
    DiskCache::Key key("sm_90", "1.0", {std::to_string(round % 4)});
    std::string bytes(1000 + 5000 * id, static_cast<char>('a' + id));
    wrong += !message(cache.store(key, bytes)).empty();
    std::optional<std::string> read = cache.load(key);
    wrong += !read || read->find_first_not_of((*read)[0]) != read->npos ||
             read->size() != 1000u + 5000u * ((*read)[0] - 'a');
  }
  return wrong;
}

TEST_F(DiskCacheTest, ThreadsMayRace) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id)
    threads.emplace_back([&, id] { wrong += raceOnce(*cache, id); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(DiskCacheTest, ProcessesMayRace) {
  std::vector<pid_t> children;
  for (int id = 0; id < 4; ++id) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(raceOnce(*cache, id) == 0 ? 0 : 1);
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(DiskCacheTest, PrunesToASize) {
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(message(cache->store({"sm_90", "1.0", {std::to_string(i)}},
                                   std::string(1000, 'x'))),
              "");
  cache->prune(4500);
  int left = 0;
  for (int i = 0; i < 10; ++i)
    left += cache->load({"sm_90", "1.0", {std::to_string(i)}}).has_value();
  EXPECT_EQ(left, 4);
}

TEST_F(DiskCacheTest, StoringKeepsToTheLimit) {
  setenv("FUSE_CACHE_MIB", "1", 1);
  DiskCache small = cantFail(DiskCache::open(directory));
  unsetenv("FUSE_CACHE_MIB");
  EXPECT_EQ(small.limit(), uint64_t(1) << 20);
  // Pruned at least each 64 stores: 128 entries of 64 KiB do not stay.
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(message(small.store({"sm_90", "1.0", {std::to_string(i)}},
                                  std::string(64 << 10, 'x'))),
              "");
  int left = 0;
  for (int i = 0; i < 128; ++i)
    left += small.load({"sm_90", "1.0", {std::to_string(i)}}).has_value();
  EXPECT_LE(left, 16 + 64);
  EXPECT_GT(left, 0);
}

TEST_F(DiskCacheTest, RefusesALimitThatIsNone) {
  for (const char *text : {"0", "-1", "many", "1e3"}) {
    setenv("FUSE_CACHE_MIB", text, 1);
    EXPECT_NE(toString(DiskCache::open(directory).takeError())
                  .find("expected FUSE_CACHE_MIB to be a positive number"),
              std::string::npos);
  }
  unsetenv("FUSE_CACHE_MIB");
}

TEST_F(DiskCacheTest, ListsAndRemovesItsEntriesAlone) {
  EXPECT_TRUE(cache->entries().empty());
  DiskCache::Key other("sm_90", "1.0", {"other"});
  cantFail(cache->store(key, "code"));
  cantFail(cache->store(other, "more code"));
  std::error_code code;
  llvm::SmallString<128> tuning(directory);
  llvm::sys::path::append(tuning, "tuning.json");
  llvm::raw_fd_ostream(tuning, code) << "{}";

  std::vector<DiskCache::Entry> entries = cache->entries();
  ASSERT_EQ(entries.size(), 2u);
  std::set<std::string> keys = {entries[0].key, entries[1].key};
  EXPECT_EQ(keys, (std::set<std::string>{key.str().str(), other.str().str()}));
  EXPECT_GE(entries[0].lastUsed, entries[1].lastUsed);
  for (const DiskCache::Entry &entry : entries)
    EXPECT_GT(entry.bytes, 4u);

  for (const DiskCache::Entry &entry : entries)
    cantFail(cache->remove(entry));
  // What is gone already is no error.
  cantFail(cache->remove(entries[0]));
  EXPECT_TRUE(cache->entries().empty());
  EXPECT_EQ(files(), std::vector<std::string>{tuning.str().str()});
}

TEST_F(DiskCacheTest, OpensWhereTheEnvironmentSays) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, "deep", "er");
  setenv("FUSE_CACHE_DIR", path.c_str(), 1);
  EXPECT_EQ(cantFail(DiskCache::open()).directory(), path);
  EXPECT_TRUE(llvm::sys::fs::is_directory(path));
  unsetenv("FUSE_CACHE_DIR");
  setenv("XDG_CACHE_HOME", directory.c_str(), 1);
  EXPECT_EQ(cantFail(DiskCache::open()).directory(),
            (directory + "/fuse").str());
  unsetenv("XDG_CACHE_HOME");
}

TEST_F(DiskCacheTest, IsRefusedWhereAllMayWrite) {
  std::string path(directory);
  ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
  EXPECT_NE(toString(DiskCache::open(path).takeError())
                .find("that all may write to; set FUSE_CACHE_DIR"),
            std::string::npos);
  ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  EXPECT_EQ(toString(DiskCache::open(path).takeError()), "");
  if (::geteuid() != 0)
    return;
  ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
  EXPECT_NE(toString(DiskCache::open(path).takeError())
                .find("a directory of another user"),
            std::string::npos);
}

TEST_F(DiskCacheTest, SaysWhereItCannotBe) {
  llvm::SmallString<128> path(directory);
  llvm::sys::path::append(path, "file");
  std::error_code code;
  llvm::raw_fd_ostream(path.str(), code) << "x";
  std::string text = message(DiskCache::open(path));
  EXPECT_TRUE(StringRef(text).starts_with("expected to make the compile cache"))
      << text;
  EXPECT_TRUE(StringRef(text).contains("set FUSE_CACHE_DIR")) << text;
}
