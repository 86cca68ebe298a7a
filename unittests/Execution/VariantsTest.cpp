//===- VariantsTest.cpp - What a program is compiled for ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Execution/JIT.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>
#include <thread>

using namespace fuse::jit;
using namespace fuse::runtime;
using llvm::cantFail;

namespace {
class Variants : public ::testing::Test {
protected:
  static std::unique_ptr<CompiledProgram> compile(llvm::StringRef text) {
    CompileOptions options;
    options.target = Target::CPU;
    options.cache = false;
    return cantFail(::fuse::jit::compile(text, "a.mlir", options));
  }

  /// A view of elements that start at a multiple of 16 bytes.
  static TensorView view(const HostBuffer &buffer, Shape shape,
                         Shape strides = {}) {
    TensorView result;
    result.data = buffer.data();
    result.shape = std::move(shape);
    result.strides = std::move(strides);
    return result;
  }
};
} // namespace

static constexpr llvm::StringLiteral twice = R"(
  func.func @twice(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = fuse.add %x, %x : tensor<?x8xf32>
    return %y : tensor<?x8xf32>
  })";

TEST_F(Variants, ALengthNeverCompiles) {
  auto program = compile(R"(
    func.func @norm(%x: tensor<?x?xf32> {fuse.dims = ["T", "C"]})
        -> tensor<?x?xf32> {
      %m = fuse.reduce max %x dims = [1] keep
           : tensor<?x?xf32> -> tensor<?x1xf32>
      %y = fuse.sub %x, %m : tensor<?x?xf32>, tensor<?x1xf32>
      return %y : tensor<?x?xf32>
    })");
  EXPECT_EQ(program->numVariants(), 1u);
  constexpr int64_t most = 64;
  auto x = cantFail(HostBuffer::create(most * most * 4));
  auto y = cantFail(HostBuffer::create(most * most * 4));
  std::mt19937 random(7);
  auto *from = static_cast<float *>(x->data());
  auto *to = static_cast<float *>(y->data());
  for (int64_t i = 0; i < most * most; ++i)
    from[i] = random() % 1000;
  for (int call = 0; call < 1000; ++call) {
    int64_t rows = random() % (most + 1), columns = 1 + random() % most;
    cantFail(
        program->run({view(*x, {rows, columns})}, {view(*y, {rows, columns})}));
    for (int64_t row = 0; row < rows; ++row) {
      const float *first = from + row * columns;
      float highest = *std::max_element(first, first + columns);
      for (int64_t i = 0; i < columns; ++i)
        ASSERT_EQ(to[row * columns + i], first[i] - highest);
    }
  }
  // Rows are multiples of 16 bytes, or not.
  EXPECT_EQ(program->numVariants(), 2u);
}

TEST_F(Variants, StridesAreAFactTheirValuesAreNot) {
  auto program = compile(twice);
  constexpr int64_t elements = 4096;
  auto x = cantFail(HostBuffer::create(elements * 4));
  auto y = cantFail(HostBuffer::create(elements * 4));
  auto *from = static_cast<float *>(x->data());
  auto *to = static_cast<float *>(y->data());
  for (int64_t i = 0; i < elements; ++i)
    from[i] = i;
  auto check = [&](int64_t rows, Shape strides) {
    cantFail(
        program->run({view(*x, {rows, 8}, strides)}, {view(*y, {rows, 8})}));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < 8; ++column)
        ASSERT_EQ(to[row * 8 + column],
                  2 * from[row * strides[0] + column * strides[1]]);
  };
  check(5, {8, 1});
  EXPECT_EQ(program->numVariants(), 1u);
  for (int64_t stride : {0, 4, 12, 100})
    check(5, {stride, 1});
  EXPECT_EQ(program->numVariants(), 2u);
  for (int64_t stride : {1, 9, 11, 99})
    check(5, {stride, 1});
  EXPECT_EQ(program->numVariants(), 3u);
  for (int64_t stride : {2, 5, 0})
    for (int64_t rows : {0, 2, 33})
      check(rows, {1, stride});
  EXPECT_EQ(program->numVariants(), 4u);
  // One row, wherever the next would start.
  check(1, {77, 1});
  EXPECT_EQ(program->numVariants(), 4u);
}

TEST_F(Variants, StridesOfResultsAreAFactTheirValuesAreNot) {
  auto program = compile(twice);
  constexpr int64_t elements = 4096;
  auto x = cantFail(HostBuffer::create(elements * 4));
  auto y = cantFail(HostBuffer::create(elements * 4));
  auto *from = static_cast<float *>(x->data());
  auto *to = static_cast<float *>(y->data());
  for (int64_t i = 0; i < elements; ++i)
    from[i] = i + 1;
  auto check = [&](int64_t rows, Shape strides) {
    std::fill(to, to + elements, -1.0f);
    cantFail(
        program->run({view(*x, {rows, 8})}, {view(*y, {rows, 8}, strides)}));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < 8; ++column) {
        float &element = to[row * strides[0] + column * strides[1]];
        ASSERT_EQ(element, 2 * from[row * 8 + column]);
        element = -1;
      }
    // Nothing else is written.
    ASSERT_EQ(std::count(to, to + elements, -1.0f), elements);
  };
  check(5, {8, 1});
  EXPECT_EQ(program->numVariants(), 1u);
  for (int64_t stride : {12, 16, 100})
    check(5, {stride, 1});
  EXPECT_EQ(program->numVariants(), 2u);
  for (int64_t stride : {9, 11, 99})
    check(5, {stride, 1});
  EXPECT_EQ(program->numVariants(), 3u);
  for (int64_t rows : {0, 2, 33})
    check(rows, {1, 40});
  check(7, {17, 2});
  EXPECT_EQ(program->numVariants(), 4u);
}

TEST_F(Variants, WhatCannotBeJoinedIsCopiedAndSaid) {
  auto program = compile(R"(
    func.func @rows(%x: tensor<?x?x4xf32> {fuse.dims = ["A", "B"]})
        -> tensor<?xf32> {
      %v = tensor.collapse_shape %x [[0, 1], [2]]
           : tensor<?x?x4xf32> into tensor<?x4xf32>
      %y = fuse.reduce sum %v dims = [1] : tensor<?x4xf32> -> tensor<?xf32>
      return %y : tensor<?xf32>
    })");
  auto x = cantFail(HostBuffer::create(4096));
  auto y = cantFail(HostBuffer::create(4096));
  auto *from = static_cast<float *>(x->data());
  auto *to = static_cast<float *>(y->data());
  for (int64_t i = 0; i < 1024; ++i)
    from[i] = i;
  auto check = [&](Shape strides) {
    cantFail(program->run({view(*x, {3, 5, 4}, strides)}, {view(*y, {15})}));
    for (int64_t a = 0; a < 3; ++a)
      for (int64_t b = 0; b < 5; ++b) {
        float first = a * strides[0] + b * strides[1];
        ASSERT_EQ(to[a * 5 + b], 4 * first + 6 * strides[2]);
      }
  };
  auto copies = [&] {
    return llvm::count_if(program->remarks(), [](const Remark &remark) {
      return remark.category == "fuse-copy";
    });
  };
  // Rows of the result are no multiples of 16 bytes.
  check({20, 4, 1});
  EXPECT_EQ(program->numVariants(), 2u);
  check({40, 8, 1});
  EXPECT_EQ(program->numVariants(), 3u);
  EXPECT_EQ(copies(), 0);
  for (int64_t stride : {4, 44, 0})
    check({stride, 12, 1});
  EXPECT_EQ(program->numVariants(), 4u);
  EXPECT_EQ(copies(), 1);
  check({1, 3, 15});
  EXPECT_EQ(program->numVariants(), 5u);
  EXPECT_EQ(copies(), 1);
}

TEST_F(Variants, InPlaceIsAFact) {
  auto program = compile(twice);
  auto x = cantFail(HostBuffer::create(1024));
  auto *elements = static_cast<float *>(x->data());
  std::fill_n(elements, 256, 1.5f);
  TensorView whole = view(*x, {32, 8});
  for (float expected : {3.0f, 6.0f}) {
    cantFail(program->run({whole}, {whole}));
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(elements[i], expected);
    EXPECT_EQ(program->numVariants(), 2u);
  }
}

TEST_F(Variants, NegativeStridesAreRefused) {
  auto program = compile(twice);
  auto x = cantFail(HostBuffer::create(1024));
  auto y = cantFail(HostBuffer::create(1024));
  EXPECT_EQ(llvm::toString(
                program->run({view(*x, {2, 8}, {-8, 1})}, {view(*y, {2, 8})})),
            "'x': expected strides of 0 or more, but got [-8, 1]; make a "
            "contiguous copy");
}

//===----------------------------------------------------------------------===//
// Lengths
//===----------------------------------------------------------------------===//

namespace {
/// Sums of rows of any length, on the emulated GPU.
class Lengths : public Variants {
protected:
  static std::unique_ptr<CompiledProgram>
  compile(unsigned lengths, llvm::StringRef dumpDirectory = "") {
    CompileOptions options;
    options.dumpDirectory = dumpDirectory.str();
    options.target = Target::Emulator;
    options.cache = false;
    options.lengths = lengths;
    return cantFail(::fuse::jit::compile(R"(
      func.func @sums(%x: tensor<?x?xf32> {fuse.dims = ["T", "n"]})
          -> tensor<?xf32> {
        %y = fuse.reduce sum %x dims = [1] : tensor<?x?xf32> -> tensor<?xf32>
        return %y : tensor<?xf32>
      })",
                                         "sums.mlir", options));
  }

  void SetUp() override {
    std::fill_n(static_cast<float *>(x->data()), elements, 1.0f);
  }

  TensorView input(int64_t rows, int64_t length) {
    return view(*x, {rows, length});
  }

  void check(CompiledProgram &program, int64_t rows, int64_t length) {
    cantFail(program.run({input(rows, length)}, {view(*y, {rows})}));
    for (int64_t row = 0; row < rows; ++row)
      ASSERT_EQ(static_cast<float *>(y->data())[row], length);
  }

  static constexpr int64_t elements = 4096;
  std::shared_ptr<HostBuffer> x = cantFail(HostBuffer::create(elements * 4));
  std::shared_ptr<HostBuffer> y = cantFail(HostBuffer::create(elements * 4));
};
} // namespace

TEST_F(Lengths, TheFirstHaveProgramsOfTheirOwn) {
  auto program = compile(/*lengths=*/2);
  auto of = [&](int64_t rows, int64_t length) {
    return &cantFail(program->specialized({input(rows, length)}));
  };
  CompiledProgram *hundred = of(3, 100);
  EXPECT_NE(hundred, program.get());
  EXPECT_EQ(hundred->spec().symbols, std::vector<std::string>{"T"});
  EXPECT_EQ(hundred->options().sizes, std::vector<std::string>{"n=100"});
  EXPECT_EQ(of(7, 100), hundred);
  CompiledProgram *more = of(3, 101);
  EXPECT_NE(more, hundred);
  EXPECT_NE(more, program.get());
  // There are two.
  EXPECT_EQ(of(3, 102), program.get());
  EXPECT_EQ(of(1, 101), more);
  for (int64_t length : {100, 101, 102, 64, 1, 0})
    check(*program, 3, length);
}

TEST_F(Lengths, CallsRunTheirOwn) {
  auto program = compile(/*lengths=*/1);
  CompiledProgram &hundred = cantFail(program->specialized({input(3, 100)}));
  TensorView unaligned = input(3, 100);
  unaligned.data = static_cast<float *>(x->data()) + 1;
  // Which asks the program that runs for a variant.
  EXPECT_EQ(hundred.numVariants(), 1u);
  cantFail(program->run({unaligned}, {view(*y, {3})}));
  EXPECT_EQ(hundred.numVariants(), 2u);
  EXPECT_EQ(program->numVariants(), 1u);
  unaligned.shape = {3, 101};
  cantFail(program->run({unaligned}, {view(*y, {3})}));
  EXPECT_EQ(hundred.numVariants(), 2u);
  EXPECT_EQ(program->numVariants(), 2u);
}

TEST_F(Lengths, ThatDoNotCompileRunAsAny) {
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("lengths", folder));
  auto program = compile(/*lengths=*/8, folder);
  // Where the stages of the program for 100 are to go.
  llvm::SmallString<128> file(folder);
  llvm::sys::path::append(file, "n=100");
  std::error_code code;
  llvm::raw_fd_ostream(file, code) << "not a folder";
  ASSERT_FALSE(code);
  EXPECT_NE(llvm::toString(program->specialized({input(3, 100)}).takeError()),
            "");
  EXPECT_EQ(&cantFail(program->specialized({input(3, 100)})), program.get());
  check(*program, 3, 100);
  EXPECT_NE(&cantFail(program->specialized({input(3, 101)})), program.get());
  llvm::sys::fs::remove_directories(folder);
}

TEST_F(Lengths, NoneAndOneAreLikeAny) {
  auto program = compile(/*lengths=*/8);
  for (int64_t length : {0, 1})
    EXPECT_EQ(&cantFail(program->specialized({input(3, length)})),
              program.get());
  EXPECT_NE(&cantFail(program->specialized({input(3, 2)})), program.get());
}

TEST_F(Lengths, AreNotUsedWhereNoneAreWanted) {
  auto program = compile(/*lengths=*/0);
  EXPECT_EQ(&cantFail(program->specialized({input(3, 100)})), program.get());
  check(*program, 3, 100);
}

TEST_F(Lengths, SayWhatIsWrongAsForAnyLength) {
  auto program = compile(/*lengths=*/1);
  auto message = [&](Shape shape) {
    return llvm::toString(
        program->run({view(*x, {3, 100})}, {view(*y, std::move(shape))}));
  };
  EXPECT_NE(message({4}), "");
  TensorView flat = view(*x, {300});
  EXPECT_NE(llvm::toString(program->run({flat}, {view(*y, {3})})), "");
  EXPECT_NE(llvm::toString(program->specialized({flat}).takeError()), "");
}

TEST_F(Lengths, AreCompiledOnceByManyThreads) {
  auto program = compile(/*lengths=*/8);
  std::vector<CompiledProgram *> found(4);
  std::vector<std::thread> threads;
  for (CompiledProgram *&each : found)
    threads.emplace_back(
        [&] { each = &cantFail(program->specialized({input(3, 100)})); });
  for (std::thread &thread : threads)
    thread.join();
  for (CompiledProgram *each : found)
    EXPECT_EQ(each, found.front());
  EXPECT_NE(found.front(), program.get());
}

//===----------------------------------------------------------------------===//
// Ranges of sizes
//===----------------------------------------------------------------------===//

/// Contractions of few rows on the emulated GPU have other schedules.
TEST_F(Variants, ASizeCompilesOnceForItsRange) {
  CompileOptions options;
  options.target = Target::Emulator;
  options.chip = "sm_90a";
  options.cache = false;
  auto program = cantFail(::fuse::jit::compile(R"(
      func.func @linear(%x: tensor<?x1024xbf16> {fuse.dims = ["m"]},
                        %w: tensor<136x1024xbf16>) -> tensor<?x136xbf16> {
        %y = fuse.matmul %x, %w transpose_rhs
             : tensor<?x1024xbf16>, tensor<136x1024xbf16> -> tensor<?x136xbf16>
        return %y : tensor<?x136xbf16>
      })",
                                               "linear.mlir", options));
  ASSERT_EQ(program->spec().ranges.size(), 1u);
  auto bounds = program->spec().ranges[0].bounds;
  ASSERT_GE(bounds.size(), 2u);
  EXPECT_EQ(program->numVariants(), 1u);
  constexpr int64_t n = 136, k = 1024;
  int64_t most = bounds[0] + 1;
  auto x = cantFail(HostBuffer::create(most * k * 2));
  auto w = cantFail(HostBuffer::create(n * k * 2));
  auto y = cantFail(HostBuffer::create(most * n * 2));
  // Ones.
  std::fill_n(static_cast<uint16_t *>(x->data()), most * k, 0x3f80);
  std::fill_n(static_cast<uint16_t *>(w->data()), n * k, 0x3f80);
  auto bf16 = [&](const HostBuffer &buffer, int64_t rows, int64_t columns) {
    TensorView result = view(buffer, {rows, columns});
    result.dtype = DType::BF16;
    return result;
  };
  auto run = [&](int64_t rows) {
    cantFail(
        program->run({bf16(*x, rows, k), bf16(*w, n, k)}, {bf16(*y, rows, n)}));
    auto *sums = static_cast<uint16_t *>(y->data());
    for (int64_t i = 0; i < rows * n; ++i)
      ASSERT_EQ(sums[i], 0x4480)
          << "1024 at " << i << " of " << rows << " rows";
    std::fill_n(sums, rows * n, 0);
  };
  for (int64_t rows : {int64_t(1), int64_t(3), bounds[0]})
    run(rows);
  EXPECT_EQ(program->numVariants(), 2u);
  run(bounds[0] + 1);
  EXPECT_EQ(program->numVariants(), 3u);
  run(1);
  EXPECT_EQ(program->numVariants(), 3u);
  // The code of each has its schedule.
  Facts few = Facts::usual(), more = few;
  few.sizes = {"m=" + std::to_string(bounds[0])};
  more.sizes = {"m=" + std::to_string(bounds[1])};
  auto schedule = [&](const Facts &facts) {
    return cantFail(program->code(facts)).kernels.front().schedule;
  };
  EXPECT_NE(schedule(few), schedule(more));
  EXPECT_NE(schedule(few), schedule(Facts::usual()));
  // So has the key of what was measured.
  auto key = [&](const Facts &facts) {
    return cantFail(program->tuningKeys(facts)).front().key;
  };
  EXPECT_NE(key(few), key(more));
  EXPECT_NE(key(few), key(Facts::usual()));
}
