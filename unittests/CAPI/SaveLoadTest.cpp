//===- SaveLoadTest.cpp - Programs in files, through the C API ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CAPITesting.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace fuse::capi::testing;

namespace {

constexpr const char *scaled = R"(
func.func @scaled(%x: tensor<?x8xf32> {fuse.dims = ["rows"]}) -> tensor<?x8xf32> {
  %s = fuse.reduce sum %x dims = [1] keep : tensor<?x8xf32> -> tensor<?x1xf32>
  %y = fuse.div %x, %s : tensor<?x8xf32>, tensor<?x1xf32>
  return %y : tensor<?x8xf32>
}
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
})";

/// A folder of its own, which goes with it.
struct Folder {
  Folder() {
    path = testing::TempDir() + "fuse-save-XXXXXX";
    EXPECT_NE(mkdtemp(path.data()), nullptr);
  }
  ~Folder() {
    for (const char *file : {"a.fuse", "b.fuse"})
      unlink(at(file).c_str());
    rmdir(path.c_str());
  }
  std::string at(const char *file) const { return path + "/" + file; }
  std::string path;
};

std::string read(const std::string &path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Without the disk's cache, which would answer for the file.
FuseOptions uncached(int32_t target) {
  FuseOptions options;
  fuseOptionsInit(&options);
  options.target = target;
  options.cache = 0;
  return options;
}

ProgramPtr compileScaled(int32_t target) {
  FuseOptions options = uncached(target);
  options.entry = "scaled";
  FuseProgram *program = nullptr;
  EXPECT_EQ(message(fuseCompile(scaled, strlen(scaled), "scaled.mlir", &options,
                                &program)),
            "");
  return ProgramPtr(program);
}

ProgramPtr load(const std::string &path, int32_t target = FUSE_TARGET_AUTO) {
  FuseOptions options = uncached(target);
  FuseProgram *program = nullptr;
  EXPECT_EQ(message(fuseProgramLoad(path.c_str(), &options, &program)), "");
  return ProgramPtr(program);
}

void expectScales(FuseProgram *program, int64_t rows) {
  ASSERT_NE(program, nullptr);
  Array x({rows, 8}, 3.0f), y({rows, 8});
  ASSERT_EQ(run(program, {x.tensor()}, {y.tensor()}), "");
  for (float value : y.values)
    EXPECT_EQ(value, 0.125f);
}

class SaveLoad : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Targets, SaveLoad,
                         testing::Values(FUSE_TARGET_CPU,
                                         FUSE_TARGET_EMULATOR));

TEST_P(SaveLoad, GivesTheSameProgram) {
  Folder folder;
  std::string path = folder.at("a.fuse"), again = folder.at("b.fuse");
  ProgramPtr saved = compileScaled(GetParam());
  expectScales(saved.get(), 5);
  ASSERT_EQ(message(fuseProgramSave(saved.get(), path.c_str())), "");
  saved.reset();
  ProgramPtr loaded = load(path);
  expectScales(loaded.get(), 5);
  expectScales(loaded.get(), 6);
  // Nothing was compiled that the file did not have, but for what calls ask
  // for.
  ProgramPtr fresh = load(path);
  ASSERT_EQ(message(fuseProgramSave(fresh.get(), again.c_str())), "");
  EXPECT_EQ(read(path), read(again));
}

TEST(SaveLoadFiles, KeepsWhatDecidesWhatCodeDoes) {
  Folder folder;
  std::string path = folder.at("a.fuse");
  FuseOptions options = uncached(FUSE_TARGET_CPU);
  options.entry = "scaled";
  options.sizes = "rows=3";
  FuseProgram *program = nullptr;
  ASSERT_EQ(
      message(fuseCompile(scaled, strlen(scaled), nullptr, &options, &program)),
      "");
  ProgramPtr fixed(program);
  ASSERT_EQ(message(fuseProgramSave(fixed.get(), path.c_str())), "");
  ProgramPtr loaded = load(path);
  expectScales(loaded.get(), 3);
  Array x({4, 8}), y({4, 8});
  EXPECT_NE(run(loaded.get(), {x.tensor()}, {y.tensor()}), "");
}

/// A bit that changed is an error, wherever it is.
TEST(SaveLoadFiles, RefusesDamage) {
  Folder folder;
  std::string path = folder.at("a.fuse"), other = folder.at("b.fuse");
  ProgramPtr saved = compileScaled(FUSE_TARGET_CPU);
  ASSERT_EQ(message(fuseProgramSave(saved.get(), path.c_str())), "");
  std::string text = read(path);
  for (size_t at = 1; at < text.size() - 2; at += 97) {
    std::string damaged = text;
    damaged[at] ^= 1;
    write(other, damaged);
    FuseOptions options = uncached(FUSE_TARGET_CPU);
    FuseProgram *program = nullptr;
    std::string error =
        message(fuseProgramLoad(other.c_str(), &options, &program));
    EXPECT_NE(error, "") << "byte " << at << " of " << text.size();
    fuseProgramFree(program);
  }
  write(other, text.substr(0, text.size() / 2));
  FuseProgram *program = nullptr;
  EXPECT_EQ(message(fuseProgramLoad(other.c_str(), nullptr, &program)),
            other + ": expected a file that fuseProgramSave() has written, but "
                    "got another or a part of one; save the program again, or "
                    "compile its text");
}

TEST(SaveLoadFiles, SaysWhatIsWrongWithAPath) {
  Folder folder;
  ProgramPtr program = compileScaled(FUSE_TARGET_CPU);
  std::string missing = folder.at("none/a.fuse");
  EXPECT_EQ(message(fuseProgramSave(program.get(), missing.c_str()))
                .rfind(missing + ": cannot save 'scaled': ", 0),
            0u);
  FuseProgram *loaded = nullptr;
  EXPECT_EQ(message(fuseProgramLoad(missing.c_str(), nullptr, &loaded)),
            missing + ": cannot read the saved program: No such file or "
                      "directory; check the path");
  EXPECT_EQ(loaded, nullptr);
  EXPECT_NE(message(fuseProgramLoad(nullptr, nullptr, &loaded)), "");
  EXPECT_NE(message(fuseProgramSave(nullptr, "x")), "");
}

} // namespace
