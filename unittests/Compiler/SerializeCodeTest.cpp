//===- SerializeCodeTest.cpp - Compiled code as bytes ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SerializeCode.h"
#include "fuse/Compiler/CodeArchive.h"
#include "gtest/gtest.h"

using namespace fuse::jit;
using fuse::runtime::Facts;
using llvm::cantFail;

/// Several kernels, a temporary, a constant, sizes that are computed, a check,
/// a result that may be where an input is.
static constexpr llvm::StringLiteral several = R"(
  func.func @several(%x: tensor<?x48xf32> {fuse.dims = ["rows"]},
                     %w: tensor<48xf32>, %s: tensor<f32> {fuse.scalar})
      -> (tensor<?x48xf32>, tensor<48xf32>, tensor<?xf32>) {
    %c = fuse.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %m = fuse.reduce sum %c dims = [0] : tensor<3xf32> -> tensor<f32>
    %n = fuse.rms_norm %x, %w eps = 1.0e-5 : tensor<?x48xf32>, tensor<48xf32>
    %t = fuse.mul %n, %s : tensor<?x48xf32>, tensor<f32>
    %y = fuse.mul %t, %m : tensor<?x48xf32>, tensor<f32>
    %r = fuse.reduce sum %y dims = [0] : tensor<?x48xf32> -> tensor<48xf32>
    %z = tensor.collapse_shape %x [[0, 1]] : tensor<?x48xf32> into tensor<?xf32>
    return %y, %r, %z : tensor<?x48xf32>, tensor<48xf32>, tensor<?xf32>
  })";

/// By tensor maps.
static constexpr llvm::StringLiteral product = R"(
  func.func @product(%a: tensor<?x256xbf16> {fuse.dims = ["rows"]},
                     %b: tensor<512x256xbf16>) -> tensor<?x512xbf16> {
    %c = fuse.matmul %a, %b transpose_rhs : tensor<?x256xbf16>, tensor<512x256xbf16> -> tensor<?x512xbf16>
    return %c : tensor<?x512xbf16>
  })";

static CompileOptions uncached(Target target) {
  CompileOptions options;
  options.target = target;
  options.chip = target == Target::CPU ? "" : "sm_90a";
  options.cache = false;
  return options;
}

static Code compile(llvm::StringRef text, const CompileOptions &options,
                    const Facts &facts = Facts::usual()) {
  auto compilation = cantFail(Compilation::create(text, "a.mlir", options));
  return cantFail(compilation->generate(facts));
}

TEST(SerializeCode, GivesBackWhatItGot) {
  for (llvm::StringRef text : {several, product})
    for (Target target : {Target::CPU, Target::CUDA, Target::Emulator}) {
      Code code = compile(text, uncached(target));
      std::string bytes = serializeCode(code);
      std::optional<Code> read = deserializeCode(bytes);
      ASSERT_TRUE(read);
      EXPECT_EQ(serializeCode(*read), bytes);
      EXPECT_EQ(read->plan.spec.steps.size(), code.plan.spec.steps.size());
      EXPECT_EQ(read->ptx, code.ptx);
      EXPECT_EQ(read->object, code.object);
      EXPECT_EQ(read->remarks.size(), code.remarks.size());
      cantFail(read->plan.spec.verify());
    }
}

TEST(SerializeCode, KnowsAPart) {
  std::string bytes = serializeCode(compile(several, uncached(Target::CPU)));
  for (size_t size = 0; size < bytes.size(); size += 7)
    EXPECT_FALSE(deserializeCode(llvm::StringRef(bytes).take_front(size)));
  EXPECT_FALSE(deserializeCode(bytes + "x"));
}

/// No value of a byte makes it read beyond the end or never end.
TEST(SerializeCode, SurvivesOtherBytes) {
  std::string bytes = serializeCode(compile(several, uncached(Target::CPU)));
  for (size_t at = 0; at < std::min<size_t>(bytes.size(), 2000); ++at) {
    std::string other = bytes;
    other[at] ^= 0xff;
    (void)deserializeCode(other);
  }
}

static size_t sizeOf(const CodeArchive &archive) {
  size_t size = 0;
  archive.forEach([&](llvm::StringRef, llvm::StringRef) { ++size; });
  return size;
}

/// What decides about the code is in its key.
TEST(SerializeCode, IsForTheSameOptionsAndFacts) {
  ASSERT_TRUE(buildId());
  CompileOptions options = uncached(Target::CPU);
  options.archive = std::make_shared<CodeArchive>();
  auto isNew = [&](const CompileOptions &changed, const Facts &facts) {
    size_t before = sizeOf(*options.archive);
    compile(several, changed, facts);
    return sizeOf(*options.archive) > before;
  };
  EXPECT_TRUE(isNew(options, Facts::usual()));
  EXPECT_FALSE(isNew(options, Facts::usual()));
  CompileOptions strict = options;
  strict.strict = true;
  EXPECT_TRUE(isNew(strict, Facts::usual()));
  CompileOptions lines = options;
  lines.lineInfo = true;
  EXPECT_TRUE(isNew(lines, Facts::usual()));
  CompileOptions sizes = options;
  sizes.sizes = {"rows=5"};
  EXPECT_TRUE(isNew(sizes, Facts::usual()));
  CompileOptions emulated = options;
  emulated.target = Target::Emulator;
  emulated.chip = "sm_80";
  EXPECT_TRUE(isNew(emulated, Facts::usual()));
  emulated.chip = "sm_90";
  EXPECT_TRUE(isNew(emulated, Facts::usual()));
  Facts facts = Facts::usual();
  facts.aligned16 = false;
  EXPECT_TRUE(isNew(options, facts));
  facts = Facts::usual();
  facts.layouts.assign(3, fuse::runtime::Layout::Dense);
  facts.layouts[0] = fuse::runtime::Layout::Any;
  EXPECT_TRUE(isNew(options, facts));
  EXPECT_FALSE(isNew(options, facts));
}

/// Code that was found needs no program in memory, until somebody asks for one.
TEST(SerializeCode, AProgramIsThereWhenItIsAskedFor) {
  CompileOptions options = uncached(Target::CPU);
  options.archive = std::make_shared<CodeArchive>();
  auto made = cantFail(Compilation::create(several, "a.mlir", options));
  Code code = cantFail(made->generate(Facts::usual()));
  auto found = cantFail(Compilation::create(several, "a.mlir", options));
  EXPECT_EQ(serializeCode(cantFail(found->generate(Facts::usual()))),
            serializeCode(code));
  EXPECT_EQ(serializeCode(cantFail(found->generate(Facts::usual()))),
            serializeCode(code));
  EXPECT_EQ(cantFail(found->print(Stage::Gpu, Facts::usual())),
            cantFail(made->print(Stage::Gpu, Facts::usual())));
}
