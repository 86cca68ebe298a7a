//===- TuningFileTest.cpp - What measuring has found ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/TuningFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace mlir::fuse;
using llvm::StringRef;

namespace {
class TuningFileTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fuse-tuning", folder));
    path = file("tuning.json");
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  std::string file(StringRef name) {
    llvm::SmallString<128> result(folder);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }

  void write(StringRef text) {
    std::error_code code;
    llvm::raw_fd_ostream os(path, code);
    ASSERT_FALSE(code);
    os << text;
  }

  std::string errorOf(StringRef text) {
    write(text);
    auto read = TuningFile::read(path);
    return read ? "" : llvm::toString(read.takeError());
  }

  llvm::SmallString<128> folder;
  std::string path;
};

TuningEntry entry(StringRef kernel, int64_t log2Bytes = 20,
                  StringRef schedule = "#fuse.rows<a>") {
  return {"sm_90", kernel.str(), log2Bytes, schedule.str(), 1.5e-5};
}
} // namespace

TEST_F(TuningFileTest, NoFileIsNoEntries) {
  auto read = TuningFile::read(file("absent.json"));
  ASSERT_TRUE(bool(read));
  EXPECT_TRUE(read->entries().empty());
  EXPECT_EQ(read->find("sm_90", "k"), nullptr);
}

TEST_F(TuningFileTest, BoardsAreApartAndVariantsOfAChipAreNot) {
  TuningEntry ofBoard = entry("k");
  ofBoard.chip = "rtx-4090";
  ASSERT_FALSE(TuningFile::merge(path, {entry("k"), ofBoard}));
  auto read = TuningFile::read(path);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  ASSERT_NE(read->find("sm_90a", "k"), nullptr);
  EXPECT_EQ(read->find("sm_90a", "k")->chip, "sm_90");
  ASSERT_NE(read->find("rtx-4090", "k"), nullptr);
  EXPECT_EQ(read->find("rtx-4090", "k")->chip, "rtx-4090");
  EXPECT_EQ(read->find("sm_89", "k"), nullptr);
}

TEST_F(TuningFileTest, WhatIsWrittenIsRead) {
  ASSERT_FALSE(TuningFile::merge(path, {entry("a"), entry("b \"quoted\"")}));
  auto read = TuningFile::read(path);
  ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError());
  ASSERT_EQ(read->entries().size(), 2u);
  const TuningEntry *found = read->find("sm_90", "b \"quoted\"");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->log2Bytes, 20);
  EXPECT_EQ(found->schedule, "#fuse.rows<a>");
  EXPECT_EQ(found->seconds, 1.5e-5);
  EXPECT_EQ(read->find("sm_80", "a"), nullptr);
}

TEST_F(TuningFileTest, MergingKeepsOthersAndReplacesTheSame) {
  ASSERT_FALSE(TuningFile::merge(path, {entry("a"), entry("b")}));
  ASSERT_FALSE(TuningFile::merge(path, {entry("b", 20, "#new"), entry("c")}));
  auto read = TuningFile::read(path);
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->entries().size(), 3u);
  EXPECT_EQ(read->find("sm_90", "b")->schedule, "#new");
}

TEST_F(TuningFileTest, TheLargestSizeIsFound) {
  ASSERT_FALSE(TuningFile::merge(path, {entry("a", 20, "#small"),
                                        entry("a", 30, "#large"),
                                        entry("a", 25, "#middle")}));
  auto read = TuningFile::read(path);
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->entries().size(), 3u);
  EXPECT_EQ(read->find("sm_90", "a")->schedule, "#large");
}

TEST_F(TuningFileTest, MakesItsFolder) {
  std::string deep = file("not/yet/tuning.json");
  ASSERT_FALSE(TuningFile::merge(deep, {entry("a")}));
  EXPECT_TRUE(llvm::sys::fs::exists(deep));
}

TEST_F(TuningFileTest, WritersDoNotLoseEachOthersEntries) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      for (int j = 0; j < 4; ++j)
        EXPECT_FALSE(bool(TuningFile::merge(
            path, {entry(("k" + llvm::Twine(4 * i + j)).str())})));
    });
  // Readers see a whole file at any time.
  for (int i = 0; i < 50; ++i) {
    auto read = TuningFile::read(path);
    EXPECT_TRUE(bool(read)) << llvm::toString(read.takeError());
  }
  for (std::thread &thread : threads)
    thread.join();
  auto read = TuningFile::read(path);
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->entries().size(), 32u);
}

TEST_F(TuningFileTest, ProcessesDoNotLoseEachOthersEntries) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    pid_t child = fork();
    if (child == 0) {
      int failures = 0;
      for (int j = 0; j < 8; ++j)
        failures += llvm::errorToBool(TuningFile::merge(
            path, {entry(("k" + llvm::Twine(8 * i + j)).str())}));
      _exit(failures);
    }
    ASSERT_GT(child, 0);
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  auto read = TuningFile::read(path);
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(read->entries().size(), 48u);
}

TEST_F(TuningFileTest, AWriterThatDiedKeepsNoLock) {
  pid_t child = fork();
  if (child == 0) {
    int descriptor = -1;
    bool failed = bool(llvm::sys::fs::openFileForReadWrite(
                      path + ".lock", descriptor, llvm::sys::fs::CD_OpenAlways,
                      llvm::sys::fs::OF_None)) ||
                  bool(llvm::sys::fs::tryLockFile(descriptor));
    _exit(failed);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_FALSE(llvm::errorToBool(TuningFile::merge(path, {entry("a")})));
}

TEST_F(TuningFileTest, DamageIsAnErrorThatNamesTheFileAndARemedy) {
  for (StringRef text :
       {"", "{", "[]", "17", "{\"entries\": []}",
        "{\"fuse-tuning\": 1, \"entries\": 3}",
        "{\"fuse-tuning\": 1, \"entries\": [3]}",
        "{\"fuse-tuning\": 1, \"entries\": [{\"chip\": \"sm_90\"}]}",
        "{\"fuse-tuning\": 99, \"entries\": []}", "\xff\xfe\x00"}) {
    std::string message = errorOf(text);
    EXPECT_TRUE(StringRef(message).contains(path)) << text.str();
    EXPECT_TRUE(StringRef(message).contains("remove the file")) << message;
  }
}

TEST_F(TuningFileTest, EveryPrefixOfAFileIsAnErrorOrWhole) {
  ASSERT_FALSE(TuningFile::merge(path, {entry("a")}));
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(bool(buffer));
  std::string whole = (*buffer)->getBuffer().rtrim().str();
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(errorOf(StringRef(whole).take_front(size)), "") << size;
}

TEST_F(TuningFileTest, DamageIsNotOverwritten) {
  write("{");
  llvm::Error error = TuningFile::merge(path, {entry("a")});
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
  auto buffer = llvm::MemoryBuffer::getFile(path);
  ASSERT_TRUE(bool(buffer));
  EXPECT_EQ((*buffer)->getBuffer(), "{");
}

// What was measured on a chip holds for its variant, which only has more.
TEST_F(TuningFileTest, ServesTheVariantOfAChip) {
  ASSERT_FALSE(TuningFile::merge(path, {entry("a", 20, "#plain")}));
  TuningFile file = llvm::cantFail(TuningFile::read(path));
  ASSERT_NE(file.find("sm_90a", "a"), nullptr);
  EXPECT_EQ(file.find("sm_90a", "a")->schedule, "#plain");
  EXPECT_EQ(file.find("sm_100a", "a"), nullptr);
}
