//===- AutotuneTest.cpp - Schedules by measurement ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels are those of a GPU, compiled for the emulator; the stopwatch says
// what the tests want.
//
//===----------------------------------------------------------------------===//

#include "fuse/Execution/Autotune.h"
#include "fuse/Schedule/TuningFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace fuse;
using namespace fuse::jit;
using llvm::StringRef;
using mlir::fuse::TuningFile;
using runtime::KernelTiming;

namespace {
constexpr StringRef program = R"(
  func.func @f(%x: tensor<?x1024xf32>) -> tensor<?x1024xf32> {
    %y = fuse.softmax %x dims = [1] : tensor<?x1024xf32>
    return %y : tensor<?x1024xf32>
  })";

class AutotuneTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("fuse-tune", folder));
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, "tuning.json");
    options.target = Target::Emulator;
    options.chip = "sm_90";
    options.cache = false;
    options.tuningFile = std::string(path);
    tuning.candidates = 4;
    tuning.rounds = 3;
  }
  void TearDown() override { llvm::sys::fs::remove_directories(folder); }

  /// `secondsOf` gives a schedule's time.
  llvm::Expected<std::vector<TunedKernel>>
  tune(llvm::function_ref<double(StringRef)> secondsOf) {
    auto stopwatch = [&](CompiledProgram &variant)
        -> llvm::Expected<llvm::SmallVector<KernelTiming>> {
      llvm::SmallVector<KernelTiming> timings;
      for (const KernelInfo &kernel : llvm::cantFail(variant.code()).kernels) {
        KernelTiming timing;
        timing.name = kernel.name;
        timing.seconds = secondsOf(kernel.schedule);
        timing.bytesRead = timing.bytesWritten = 1 << 20;
        timings.push_back(timing);
      }
      return timings;
    };
    return autotune(program, "f.mlir", options, runtime::Facts::usual(),
                    stopwatch, tuning);
  }

  std::string scheduleOf(const CompileOptions &options) {
    auto compiled = llvm::cantFail(compile(program, "f.mlir", options));
    return llvm::cantFail(compiled->code()).kernels.front().schedule;
  }

  std::string candidate(unsigned number) {
    CompileOptions forced = options;
    forced.candidate = number;
    return scheduleOf(forced);
  }

  llvm::SmallString<128> folder;
  CompileOptions options;
  AutotuneOptions tuning;
};
} // namespace

TEST_F(AutotuneTest, TheFastestIsTakenFromTheFileLater) {
  std::string choice = scheduleOf(options), fastest = candidate(2);
  ASSERT_NE(choice, fastest);
  auto tuned = tune([&](StringRef s) { return s == fastest ? 1e-6 : 2e-6; });
  ASSERT_TRUE(bool(tuned)) << llvm::toString(tuned.takeError());
  ASSERT_EQ(tuned->size(), 1u);
  const TunedKernel &kernel = tuned->front();
  EXPECT_EQ(kernel.trials.size(), 4u);
  EXPECT_EQ(kernel.trials.front().schedule, choice);
  EXPECT_EQ(kernel.trials[kernel.best].schedule, fastest);

  EXPECT_EQ(scheduleOf(options), fastest);
  CompileOptions untuned = options;
  untuned.tuned = false;
  EXPECT_EQ(scheduleOf(untuned), choice);

  TuningFile file = llvm::cantFail(TuningFile::read(options.tuningFile));
  const auto *entry = file.find("sm_90", kernel.key);
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(entry->schedule, fastest);
  EXPECT_EQ(entry->log2Bytes, 21);
}

TEST_F(AutotuneTest, TheChoiceStaysUnlessItIsBeatenByAPercent) {
  std::string choice = scheduleOf(options);
  auto tuned = tune([&](StringRef s) { return s == choice ? 1e-6 : 0.995e-6; });
  ASSERT_TRUE(bool(tuned)) << llvm::toString(tuned.takeError());
  EXPECT_EQ(tuned->front().best, 0u);
  EXPECT_EQ(scheduleOf(options), choice);
}

TEST_F(AutotuneTest, AnUnknownScheduleInTheFileIsNotUsed) {
  std::string choice = scheduleOf(options);
  auto compiled = llvm::cantFail(compile(program, "f.mlir", options));
  auto keys = llvm::cantFail(compiled->tuningKeys());
  for (StringRef schedule :
       {"#fuse.rows<threads = 7>", "nonsense",
        "#fuse.rows<threads = 1024, vector = 64, rows_per_block = 1024, hold = "
        "registers>"}) {
    ASSERT_FALSE(bool(TuningFile::merge(
        options.tuningFile,
        {{"sm_90", keys.front().key, 20, schedule.str(), 1e-6}})));
    EXPECT_EQ(scheduleOf(options), choice);
  }
}

TEST_F(AutotuneTest, AStopwatchThatFailsFails) {
  auto tuned = autotune(
      program, "f.mlir", options, runtime::Facts::usual(),
      [](CompiledProgram &) -> llvm::Expected<llvm::SmallVector<KernelTiming>> {
        return llvm::createStringError("broken");
      },
      tuning);
  ASSERT_FALSE(bool(tuned));
  EXPECT_EQ(llvm::toString(tuned.takeError()), "broken");
  EXPECT_FALSE(llvm::sys::fs::exists(options.tuningFile));
}

TEST_F(AutotuneTest, ADamagedFileFailsBeforeAnythingIsMeasured) {
  std::error_code code;
  llvm::raw_fd_ostream(options.tuningFile, code) << "{";
  auto tuned = tune([](StringRef) -> double {
    ADD_FAILURE() << "measured";
    return 1;
  });
  ASSERT_FALSE(bool(tuned));
  EXPECT_NE(llvm::toString(tuned.takeError()).find("tuning file"),
            std::string::npos);
}

TEST_F(AutotuneTest, ProgressEndsWhereAllIsDone) {
  unsigned compiled = 0, measured = 0;
  tuning.progress = [&](StringRef stage, unsigned done, unsigned all) {
    EXPECT_LE(done, all);
    (stage == "compile" ? compiled : measured) = done;
  };
  auto tuned = tune([](StringRef) { return 1e-6; });
  ASSERT_TRUE(bool(tuned)) << llvm::toString(tuned.takeError());
  EXPECT_EQ(compiled, 4u);
  EXPECT_EQ(measured, 3u);
}

TEST_F(AutotuneTest, NeedsAGPUForShapes) {
  options.target = Target::CPU;
  runtime::Shape shape = {4, 1024};
  auto tuned = autotune(program, "f.mlir", options,
                        llvm::ArrayRef<runtime::Shape>(shape), tuning);
  ASSERT_FALSE(bool(tuned));
  EXPECT_NE(llvm::toString(tuned.takeError()).find("expected a GPU to tune on"),
            std::string::npos);
}
