//===- ProgramTest.cpp - Whole programs on the CPU ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/Program.h"
#include "TestPrograms.h"
#include "fuse/Runtime/HostModule.h"
#include "gtest/gtest.h"
#include <atomic>
#include <cmath>
#include <thread>

using namespace fuse::runtime;
using llvm::cantFail;

/// x, r and a y full of NaN for T rows, with a red zone after y.
namespace {
struct Call {
  explicit Call(int64_t rows)
      : rows(rows), x(rows * 4 + 1), r(rows * 4 + 1), y(rows * 4 + 8, NAN) {
    for (int64_t i = 0; i < rows * 4; ++i) {
      x[i] = static_cast<float>(i % 1000);
      r[i] = static_cast<float>(i % 7) + 0.5f;
    }
  }

  std::string run(const Program &program) {
    return message(program.run({view(x, {rows, 4}), view(r, {rows, 4})},
                               {view(y, {rows, 4})}));
  }

  /// How many elements are not as they should be, the red zone included.
  int64_t wrong() const {
    int64_t count = 0;
    for (int64_t i = 0; i < int64_t(y.size()); ++i) {
      float expected =
          i < rows * 4 ? 2 * (float(i % 1000) + i % 7 + 0.5f) : NAN;
      count +=
          !(y[i] == expected || (std::isnan(expected) && std::isnan(y[i])));
    }
    return count;
  }

  int64_t rows;
  std::vector<float> x, r, y;
};
} // namespace

namespace {
/// Stands in for a graph that records calls: keeps what they are given, and
/// launches when it is replayed.
class RecordingModule final : public HostModule {
public:
  llvm::Expected<KernelHandle> lookup(llvm::StringRef symbol,
                                      unsigned sharedBytes,
                                      unsigned cluster) override {
    return inner->lookup(symbol, sharedBytes, cluster);
  }
  llvm::Error launch(const Launch &launch, Stream stream) override {
    return inner->launch(launch, stream);
  }
  llvm::Error keepForCapture(const std::shared_ptr<void> &owner,
                             Stream) override {
    if (kept)
      kept->push_back(owner);
    return llvm::Error::success();
  }

  std::shared_ptr<Module> inner = testModule();
  std::vector<std::shared_ptr<void>> *kept = nullptr;
};
} // namespace

TEST(Program, StaysForTheGraphThatRecordsIt) {
  std::vector<std::shared_ptr<void>> graph;
  auto module = std::make_shared<RecordingModule>();
  module->kept = &graph;
  std::weak_ptr<Module> code = module;
  std::optional<Program> program =
      cantFail(Program::create(addTwice(), std::move(module)));
  Call call(3);
  EXPECT_EQ(call.run(*program), "");
  EXPECT_EQ(graph.size(), 1u);
  program.reset();
  EXPECT_FALSE(code.expired());
  graph.clear();
  EXPECT_TRUE(code.expired());
}

TEST(Program, RunsAllSizes) {
  Program program = makeProgram(addTwice());
  for (int64_t rows :
       {0, 1, 2, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 4097, 8193, 3}) {
    Call call(rows);
    EXPECT_EQ(call.run(program), "");
    EXPECT_EQ(call.wrong(), 0) << rows << " rows";
  }
}

TEST(Program, RunsInPlace) {
  Program program = makeProgram(addTwice());
  Call call(100);
  TensorView x = view(call.x, {100, 4});
  EXPECT_EQ(message(program.run({x, view(call.r, {100, 4})}, {x})), "");
  std::copy_n(call.x.begin(), 400, call.y.begin());
  EXPECT_EQ(call.wrong(), 0);
}

TEST(Program, CallsMayOverlap) {
  Program program = makeProgram(addTwice());
  std::atomic<int64_t> wrong{0};
  std::vector<std::thread> threads;
  for (int id = 0; id < 4; ++id)
    threads.emplace_back([&, id] {
      for (int round = 0; round < 50; ++round) {
        Call call(100 * id + round);
        wrong += !call.run(program).empty();
        wrong += call.wrong();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

static std::atomic<int> launches;
static std::atomic<void *> seenTemp;

static void recordKernel(void **params, int64_t, int64_t) {
  ++launches;
  seenTemp = *static_cast<void **>(params[0]);
}

/// One kernel, one block a row, on a temp of T floats.
static Program recorder() {
  llvm::StringMap<CpuKernel> kernels;
  kernels["record"] = recordKernel;
  SizeExpr rows = SizeExpr::symbol(0);
  ProgramSpec spec;
  spec.symbols = {"T"};
  spec.inputs = {{"x", DType::F32, {rows}, 4}};
  spec.temps = {{"pad", DType::F32, 1, 0, 0}, {"h", DType::F32, rows, 0, 0}};
  spec.steps = {kernel("record", {BufferRef::temp(1)}, min(rows, 1))};
  return cantFail(
      Program::create(spec, cantFail(CpuModule::create(std::move(kernels)))));
}

TEST(Program, DoesNotLaunchAnEmptyGrid) {
  Program program = recorder();
  std::vector<float> x(4);
  launches = 0;
  EXPECT_EQ(message(program.run({view(x, {0})}, {})), "");
  EXPECT_EQ(launches, 0);
  EXPECT_EQ(message(program.run({view(x, {4})}, {})), "");
  EXPECT_EQ(launches, 1);
}

TEST(Program, KeepsItsArena) {
  Program program = recorder();
  std::vector<float> x(1000);
  EXPECT_EQ(message(program.run({view(x, {1000})}, {})), "");
  void *first = seenTemp;
  EXPECT_EQ(message(program.run({view(x, {1000})}, {})), "");
  EXPECT_EQ(seenTemp, first);
  EXPECT_EQ(message(program.run({view(x, {999})}, {})), "");
  EXPECT_EQ(seenTemp, first);
}

/// Writes the counter, and adds 1.
static void countKernel(void **params, int64_t first, int64_t end) {
  auto *before = *static_cast<float **>(params[0]);
  auto *counter = *static_cast<int32_t **>(params[1]);
  *before = static_cast<float>((*counter)++);
}

TEST(Program, CountersKeepTheirValue) {
  llvm::StringMap<CpuKernel> kernels;
  kernels["count"] = countKernel;
  SizeExpr rows = SizeExpr::symbol(0);
  ProgramSpec spec;
  spec.symbols = {"T"};
  spec.inputs = {{"x", DType::F32, {rows}, 4}};
  spec.outputs = {{{"a", DType::F32, {1}, 4}, {}},
                  {{"b", DType::F32, {1}, 4}, {}}};
  spec.numCounters = 2;
  // One step for the first counter, two for the second.
  for (unsigned i : {0, 1, 1}) {
    spec.steps.emplace_back(
        kernel("count", {BufferRef::output(i), BufferRef::counter(i)}, 1));
    std::get<KernelSpec>(spec.steps.back()).cooperative = true;
  }
  Program program = cantFail(
      Program::create(spec, cantFail(CpuModule::create(std::move(kernels)))));
  std::vector<float> x(4), a(1), b(1);
  for (float calls : {0, 1, 2}) {
    EXPECT_EQ(
        message(program.run({view(x, {4})}, {view(a, {1}), view(b, {1})})), "");
    EXPECT_EQ(a[0], calls);
    EXPECT_EQ(b[0], 2 * calls + 1);
  }
  spec.numCounters = 1;
  llvm::StringMap<CpuKernel> again;
  again["count"] = countKernel;
  EXPECT_EQ(message(Program::create(
                        spec, cantFail(CpuModule::create(std::move(again))))
                        .takeError()),
            "expected step 1 to use counter number below 1, but got 1; add it "
            "to the plan");
}

TEST(Program, ArenaFollowsTheSizes) {
  Program program = makeProgram(addTwice());
  EXPECT_EQ(cantFail(program.arenaBytes({0})), 0);
  EXPECT_EQ(cantFail(program.arenaBytes({100})), 1600);
  EXPECT_EQ(message(program.arenaBytes({INT64_MAX / 8})),
            "expected temp 'h' to have fewer than 2^63 bytes, but got "
            "4611686018427387900 elements; pass smaller tensors");
  EXPECT_NE(message(program.arenaBytes({INT64_MAX / 2})), "");
}

TEST(Program, InfersOutputShapes) {
  ProgramSpec spec = addTwice();
  spec.outputs[0].shape = {ceilDiv(SizeExpr::symbol(0), 2), 8};
  Program program = makeProgram(spec);
  Call call(5);
  auto shapes = cantFail(
      program.inferOutputShapes({view(call.x, {5, 4}), view(call.r, {5, 4})}));
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(shapes[0], (Shape{3, 8}));
}

TEST(Program, BindsSymbols) {
  Program program = makeProgram(addTwice());
  Call call(5);
  EXPECT_EQ(
      cantFail(program.bind({view(call.x, {5, 4}), view(call.r, {5, 4})})),
      SymbolValues{5});
}

TEST(Program, ReadsConstantsAndCopies) {
  SizeExpr rows = SizeExpr::symbol(0);
  std::vector<float> four = {1, 2, 3, 4};
  const auto *bytes = reinterpret_cast<const uint8_t *>(four.data());
  ProgramSpec spec;
  spec.symbols = {"T"};
  spec.inputs = {{"x", DType::F32, {rows}, 4}};
  spec.outputs = {{{"y", DType::F32, {4}, 4}, {}},
                  {{"z", DType::F32, {rows}, 4}, {0}}};
  spec.constants = {{"c", DType::F32, {bytes, bytes + 16}}};
  spec.steps = {
      kernel("twice", {BufferRef::constant(0), BufferRef::output(0)}, 4),
      CopySpec{BufferRef::input(0), BufferRef::output(1), rows * 4}};
  Program program = makeProgram(spec);
  std::vector<float> x = {5, 6, 7}, y(4), z(3);
  EXPECT_EQ(message(program.run({view(x, {3})}, {view(y, {4}), view(z, {3})})),
            "");
  EXPECT_EQ(y, (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(z, x);
  EXPECT_EQ(message(program.run({view(x, {3})}, {view(y, {4}), view(x, {3})})),
            "");
  EXPECT_EQ(x, z);
}

TEST(Program, TimesEachStep) {
  SizeExpr rows = SizeExpr::symbol(0);
  ProgramSpec spec = addTwice();
  std::get<KernelSpec>(spec.steps[0]).bytesRead = rows * 32;
  std::get<KernelSpec>(spec.steps[0]).bytesWritten = rows * 16;
  Program program = makeProgram(spec);
  Call call(100);
  auto timings = cantFail(
      program.runTimed({view(call.x, {100, 4}), view(call.r, {100, 4})},
                       {view(call.y, {100, 4})}));
  ASSERT_EQ(timings.size(), 2u);
  EXPECT_EQ(timings[0].name, "add");
  EXPECT_EQ(timings[0].bytesRead, 3200);
  EXPECT_EQ(timings[0].bytesWritten, 1600);
  EXPECT_EQ(timings[0].grid, 400);
  EXPECT_GT(timings[0].seconds, 0);
  EXPECT_EQ(timings[1].name, "twice");
  EXPECT_EQ(call.wrong(), 0);
}

TEST(Program, RefusesMissingKernels) {
  ProgramSpec spec = addTwice();
  std::get<KernelSpec>(spec.steps[1]).symbol = "thrice";
  EXPECT_EQ(message(Program::create(spec, testModule())),
            "expected the code to define kernel 'thrice', but got none of that "
            "name; compile plan and code together");
}

static std::string verifyAfter(llvm::function_ref<void(ProgramSpec &)> change) {
  ProgramSpec spec = addTwice();
  change(spec);
  return message(spec.verify());
}

TEST(ProgramSpec, Verifies) {
  EXPECT_EQ(verifyAfter([](ProgramSpec &) {}), "");
  EXPECT_EQ(verifyAfter([](ProgramSpec &spec) { spec.symbols.push_back("S"); }),
            "expected a dim of an input to be the symbol 'S', but got none; "
            "bind it or drop it");
  EXPECT_EQ(verifyAfter([](ProgramSpec &spec) {
              spec.outputs[0].shape[1] = SizeExpr::symbol(1);
            }),
            "expected 'y' to use symbols below 1, but got symbol 1; name it in "
            "the plan's symbols");
  EXPECT_EQ(verifyAfter([](ProgramSpec &spec) { spec.lengths = {0}; }), "");
  EXPECT_EQ(verifyAfter([](ProgramSpec &spec) { spec.lengths = {1}; }),
            "expected a length of one of 1 symbols, but got symbol 1; drop it "
            "from the plan");
  EXPECT_EQ(
      verifyAfter([](ProgramSpec &spec) { spec.temps[0].lastStep = 0; }),
      "expected temp 'h' to be used in steps 0 to 0, but got step 1; extend "
      "its life");
  EXPECT_EQ(
      verifyAfter([](ProgramSpec &spec) { spec.temps[0].lastStep = 2; }),
      "expected temp 'h' to live within steps 0 to 1, but got 0 to 2; name the "
      "steps that use it");
  EXPECT_EQ(
      verifyAfter([](ProgramSpec &spec) { spec.outputs[0].mayAlias = {2}; }),
      "expected 'y' to alias an input below 2, but got 2; drop it from "
      "mayAlias");
  EXPECT_EQ(verifyAfter([](ProgramSpec &spec) {
              spec.inputs[0].requiredAlignment = 12;
            }),
            "expected the alignment of 'x' to be a power of two, but got 12; "
            "use 1 where there is no requirement");
  EXPECT_EQ(verifyAfter([](ProgramSpec &spec) {
              std::get<KernelSpec>(spec.steps[0]).args[0] = BufferRef::input(9);
            }),
            "expected step 0 to use input number below 2, but got 9; add it to "
            "the plan");
  EXPECT_EQ(verifyAfter([](ProgramSpec &spec) {
              spec.steps[1] =
                  CopySpec{BufferRef::temp(0), BufferRef::input(0), 4};
            }),
            "expected step 1 to copy to an output or a temp, but got an input "
            "or a constant; swap from and to");
  EXPECT_NE(verifyAfter([](ProgramSpec &spec) {
              std::get<KernelSpec>(spec.steps[0]).threads = 0;
            }),
            "");
}
