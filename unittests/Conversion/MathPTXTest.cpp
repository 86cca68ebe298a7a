//===- MathPTXTest.cpp - The expanded math as PTX -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathHarness.h"

#include "fuse/Codegen/Assemble.h"
#include "gtest/gtest.h"

using namespace mlir::fuse;
using namespace mlir::fuse::testing;

namespace {

unsigned countOf(const std::string &ptx, llvm::StringRef opcode) {
  return llvm::StringRef(ptx).count(("\t" + opcode).str());
}

/// Nothing is left to a library, and the PTX assembles.
void expectSelfContained(const MathFunction &function, bool isDouble,
                         unsigned lanes, llvm::StringRef attributes) {
  SCOPED_TRACE(function.name);
  auto ptx =
      emitMathPTX(function.name, function.arity, isDouble, lanes, attributes);
  ASSERT_TRUE(bool(ptx)) << llvm::toString(ptx.takeError());
  EXPECT_EQ(ptx->find(".extern"), std::string::npos) << *ptx;
  EXPECT_EQ(countOf(*ptx, "call"), 0u) << *ptx;
  if (!findPtxas())
    return;
  AssembleOptions options;
  options.assembler = Assembler::Ptxas;
  auto assembled =
      assemblePTX(*ptx, llvm::cantFail(lookupGPUTarget("sm_90")), options);
  EXPECT_TRUE(bool(assembled)) << llvm::toString(assembled.takeError());
}

class MathPTX : public ::testing::TestWithParam<MathFunction> {};

TEST_P(MathPTX, F32) { expectSelfContained(GetParam(), false, 0, ""); }

TEST_P(MathPTX, VectorF32) { expectSelfContained(GetParam(), false, 4, ""); }

TEST_P(MathPTX, F64) { expectSelfContained(GetParam(), true, 0, ""); }

TEST_P(MathPTX, Approximate) {
  expectSelfContained(GetParam(), false, 4, "fastmath<afn> {fuse.bf16}");
}

INSTANTIATE_TEST_SUITE_P(All, MathPTX, ::testing::ValuesIn(getMathFunctions()),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

TEST(MathPTXInstructions, ExpStaysMemoryBound) {
  auto ptx = emitMathPTX("exp", 1, false, 0);
  ASSERT_TRUE(bool(ptx)) << llvm::toString(ptx.takeError());
  EXPECT_EQ(countOf(*ptx, "ex2.approx.ftz.f32"), 1u) << *ptx;
  EXPECT_EQ(countOf(*ptx, "fma.rn.f32"), 3u) << *ptx;
  EXPECT_EQ(countOf(*ptx, "mul.rn.f32") + countOf(*ptx, "mul.f32"), 1u) << *ptx;

  ptx = emitMathPTX("exp", 1, false, 0, "fastmath<afn>");
  ASSERT_TRUE(bool(ptx)) << llvm::toString(ptx.takeError());
  EXPECT_EQ(countOf(*ptx, "ex2.approx.ftz.f32"), 1u) << *ptx;
  EXPECT_EQ(countOf(*ptx, "fma.rn.f32"), 0u) << *ptx;
}

TEST(MathPTXInstructions, ExpOfNonpositiveIsShorter) {
  auto ptx = emitMathPTX("exp", 1, false, 0, "{fuse.nonpositive}");
  ASSERT_TRUE(bool(ptx)) << llvm::toString(ptx.takeError());
  EXPECT_EQ(countOf(*ptx, "ex2.approx.ftz.f32"), 1u) << *ptx;
  EXPECT_EQ(countOf(*ptx, "fma.rn.f32"), 2u) << *ptx;
  EXPECT_EQ(countOf(*ptx, "max.NaN.f32"), 1u) << *ptx;
  EXPECT_EQ(countOf(*ptx, "min.NaN.f32"), 0u) << *ptx;
}

/// tanh.approx has 2^-11, too little for f16.
TEST(MathPTXInstructions, TanhApproxIsForBF16) {
  auto ptx = emitMathPTX("tanh", 1, false, 0, "fastmath<afn> {fuse.bf16}");
  ASSERT_TRUE(bool(ptx)) << llvm::toString(ptx.takeError());
  EXPECT_EQ(countOf(*ptx, "tanh.approx.f32"), 1u) << *ptx;
  ptx = emitMathPTX("tanh", 1, false, 0, "fastmath<afn>");
  ASSERT_TRUE(bool(ptx)) << llvm::toString(ptx.takeError());
  EXPECT_EQ(countOf(*ptx, "tanh.approx.f32"), 0u) << *ptx;
}

} // namespace
