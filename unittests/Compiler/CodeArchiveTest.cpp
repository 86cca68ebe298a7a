//===- CodeArchiveTest.cpp - Code that need not be compiled ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/CodeArchive.h"
#include "fuse/Compiler/Compilation.h"
#include "gtest/gtest.h"

using namespace fuse::jit;
using fuse::runtime::Facts;
using llvm::cantFail;

static constexpr llvm::StringLiteral twice = R"(
  func.func @twice(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
    %y = fuse.add %x, %x : tensor<?x8xf32>
    return %y : tensor<?x8xf32>
  })";

static Code compile(Target target, std::shared_ptr<CodeArchive> archive) {
  CompileOptions options;
  options.target = target;
  options.chip = target == Target::CPU ? "" : "sm_90";
  options.cache = false;
  options.archive = std::move(archive);
  auto compilation =
      cantFail(Compilation::create(twice, "twice.mlir", options));
  return cantFail(compilation->generate(Facts::usual()));
}

/// The same keys, the last byte of each entry changed.
static std::shared_ptr<CodeArchive> changed(const CodeArchive &archive) {
  auto result = std::make_shared<CodeArchive>();
  archive.forEach([&](llvm::StringRef key, llvm::StringRef bytes) {
    std::string other = bytes.str();
    other.back() ^= 1;
    result->add(key, other);
  });
  return result;
}

TEST(CodeArchive, AnswersForTheHostsCompiler) {
  auto archive = std::make_shared<CodeArchive>();
  Code made = compile(Target::CPU, archive);
  Code found = compile(Target::CPU, changed(*archive));
  ASSERT_EQ(found.object.size(), made.object.size());
  EXPECT_EQ(found.object.back(), made.object.back() ^ 1);
}

TEST(CodeArchive, AnswersForTheAssembler) {
  if (!mlir::fuse::findPtxas())
    GTEST_SKIP() << "no ptxas";
  auto archive = std::make_shared<CodeArchive>();
  auto made = compile(Target::CUDA, archive).assembled.cubin;
  auto found = compile(Target::CUDA, changed(*archive)).assembled.cubin;
  ASSERT_EQ(found.size(), made.size());
  EXPECT_EQ(found.back(), made.back() ^ 1);
}

TEST(CodeArchive, KeepsWhatIsThere) {
  CodeArchive archive;
  archive.add("a", "first");
  archive.add("a", "second");
  EXPECT_EQ(archive.find("a"), "first");
  EXPECT_EQ(archive.find("b"), std::nullopt);
}
