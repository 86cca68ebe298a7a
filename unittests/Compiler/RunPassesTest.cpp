//===- RunPassesTest.cpp - Tests of passes that fail or crash -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/RunPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using ::fuse::jit::runPasses;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

namespace {
enum class Fate { Succeed, Explain, Fail, Crash };

class FatePass : public PassWrapper<FatePass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FatePass)

  explicit FatePass(Fate fate) : fate(fate) {}

  StringRef getArgument() const override { return "test-fate"; }

  void runOnOperation() override {
    // The reproducer holds the program as it was before.
    getOperation()->setAttr("test.after", UnitAttr::get(&getContext()));
    if (fate == Fate::Explain)
      getOperation().emitError("expected luck, but got none; try again");
    if (fate == Fate::Crash)
      LLVM_BUILTIN_TRAP;
    if (fate != Fate::Succeed)
      signalPassFailure();
  }

private:
  Fate fate;
};

class RunPasses : public ::testing::Test {
protected:
  void SetUp() override {
    SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fuse-run-passes", path));
    directory = std::string(path);
  }
  void TearDown() override { llvm::sys::fs::remove_directories(directory); }

  /// What the error says; "" if there is none.
  std::string run(Fate fate, StringRef reproducerDirectory) {
    auto module = parseSourceString<ModuleOp>(
        "module attributes {test.before} {}", &context);
    return llvm::toString(runPasses(
        *module,
        [&](OpPassManager &passes) {
          passes.addPass(std::make_unique<FatePass>(fate));
        },
        reproducerDirectory));
  }

  /// The text of the only file in the folder; "" if it is empty.
  std::string onlyFile() {
    std::error_code code;
    llvm::sys::fs::directory_iterator it(directory, code), end;
    if (code || it == end)
      return "";
    auto buffer = llvm::MemoryBuffer::getFile(it->path());
    EXPECT_TRUE(it.increment(code) == end);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string directory;
};
} // namespace

TEST_F(RunPasses, SuccessLeavesNothing) {
  EXPECT_EQ(run(Fate::Succeed, directory), "");
  EXPECT_EQ(onlyFile(), "");
}

TEST_F(RunPasses, AnExplainedFailureIsTheUsers) {
  EXPECT_THAT(run(Fate::Explain, directory),
              HasSubstr("expected luck, but got none; try again"));
  EXPECT_THAT(run(Fate::Explain, directory), Not(HasSubstr("more")));
  EXPECT_EQ(onlyFile(), "");
}

TEST_F(RunPasses, AFailureWithoutReasonIsABug) {
  EXPECT_EQ(run(Fate::Fail, ""),
            "expected the program to compile, but a pass failed without a "
            "reason; report this program");
}

TEST_F(RunPasses, FailureAndCrashWriteAReproducer) {
  for (Fate fate : {Fate::Fail, Fate::Crash}) {
    EXPECT_THAT(run(fate, directory),
                MatchesRegex(".*; report .*fuse-reproducer-......\\.mlir, on "
                             "which this does the same: fuse-opt "
                             "--run-reproducer .*\\.mlir"));
    std::string text = onlyFile();
    EXPECT_THAT(text, HasSubstr("test.before"));
    EXPECT_THAT(text, Not(HasSubstr("test.after")));
    EXPECT_THAT(text, HasSubstr("pipeline: \"builtin.module(test-fate)\""));
    TearDown();
  }
}
