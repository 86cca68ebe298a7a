//===- RemarksTest.cpp - Tests of remarks about code ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/Compilation.h"
#include "fuse/Compiler/Frontend.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Explain/CodeRemarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OwningOpRef.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace ::fuse::jit;
using ::fuse::runtime::Facts;
using ::testing::HasSubstr;

namespace {
constexpr StringLiteral program = R"(
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c1 = arith.constant 1 : index
  %y = fuse.launch @k::@k blocks(%c1) threads(32) ins(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
)";

/// Two loads of argument 0 and a wide store to argument 1.
constexpr StringLiteral ptx = R"(
.version 8.0
.target sm_90
.address_size 64
	.file	1 "a.mlir"
.visible .entry k(
	.param .u64 .ptr .align 16 k_param_0,
	.param .u64 .ptr .align 16 k_param_1
)
{
	.loc	1 7 3
	ld.param.b64 	%rd1, [k_param_0];
	ld.global.b32 	%r1, [%rd1];
	ld.global.b32 	%r2, [%rd1+4];
	ld.param.b64 	%rd2, [k_param_1];
	st.global.v4.b32 	[%rd2], {%r1, %r2, %r1, %r2};
	ret;
}
)";

class Remarks : public ::testing::Test {
protected:
  Remarks() {
    context.loadDialect<mlir::fuse::FuseDialect, func::FuncDialect,
                        arith::ArithDialect>();
    collectRemarks(context, remarks);
    module = llvm::cantFail(parseProgram(context, program, "f.mlir"));
    KernelInfo kernel;
    kernel.name = kernel.symbol = "k";
    kernel.operands.resize(2);
    kernel.operands[0].name = "x";
    kernel.operands[1].name = "y";
    kernel.operands[1].isResult = true;
    code.kernels = {kernel};
  }

  void emit(bool aligned = true, bool divisible = true) {
    Facts facts;
    facts.aligned16 = aligned;
    facts.divisible = divisible;
    auto entry = llvm::cantFail(selectEntry(*module, ""));
    llvm::cantFail(
        remarkOnCode(entry, code.kernels, code.ptx, code.assembled, facts));
  }

  /// Before the context, which refers to it.
  std::vector<Remark> remarks;
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  Code code;
};
} // namespace

TEST_F(Remarks, ANarrowAccessOfAStreamedOperandIsMissed) {
  code.ptx = ptx.str();
  code.kernels[0].operands[0].isStreamed = true;
  code.kernels[0].operands[0].lastDim = 1023;
  emit();
  ASSERT_EQ(remarks.size(), 1u);
  const Remark &remark = remarks[0];
  EXPECT_EQ(remark.kind, Remark::Kind::Missed);
  EXPECT_EQ(remark.category, "fuse-access");
  EXPECT_EQ(remark.file, "a.mlir");
  EXPECT_EQ(remark.line, 7u);
  EXPECT_EQ(remark.column, 3u);
  EXPECT_EQ(remark.message, "kernel 'k' loads 'x' with 32 bits at a time");
  EXPECT_THAT(remark.suggestion, HasSubstr("a multiple of 4 elements of f32"));
  EXPECT_THAT(
      remark.facts,
      testing::Contains(std::pair<std::string, std::string>("Count", "2")));
}

/// Which of the reasons a remark gives.
static std::pair<std::string, std::string> because(StringRef kind) {
  return {"Because", kind.str()};
}

TEST_F(Remarks, AnUnalignedCallSaysSo) {
  code.ptx = ptx.str();
  code.kernels[0].operands[0].isStreamed = true;
  emit(/*aligned=*/false);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].suggestion, "align all tensors to 16 bytes");
  EXPECT_THAT(remarks[0].facts, testing::Contains(because("narrowUnaligned")));
}

TEST_F(Remarks, RowsThatOnlyTheCallKnowsSaySo) {
  code.ptx = ptx.str();
  code.kernels[0].operands[0].isStreamed = true;
  emit(/*aligned=*/true, /*divisible=*/false);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].suggestion,
            "make the last dim of 'x' a multiple of 4 elements of f32");
  EXPECT_THAT(remarks[0].facts, testing::Contains(because("narrowRowsOfCall")));
}

TEST_F(Remarks, RowsThatAreMultiplesAreNotBlamed) {
  code.ptx = ptx.str();
  code.kernels[0].operands[0].isStreamed = true;
  for (std::optional<int64_t> length :
       {std::optional<int64_t>(1024), std::optional<int64_t>()}) {
    remarks.clear();
    code.kernels[0].operands[0].lastDim = length;
    emit();
    ASSERT_EQ(remarks.size(), 1u);
    EXPECT_THAT(remarks[0].facts, testing::Contains(because("narrowSchedule")));
  }
}

TEST_F(Remarks, ATableIsNotMissed) {
  code.ptx = ptx.str();
  emit();
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].kind, Remark::Kind::Analysis);
  EXPECT_EQ(remarks[0].suggestion, "");
}

TEST_F(Remarks, SpillsAreMissed) {
  mlir::fuse::KernelResources resources;
  resources.name = "k";
  resources.registers = 255;
  code.assembled.kernels = {resources};
  emit();
  EXPECT_TRUE(remarks.empty());
  code.assembled.kernels[0].spillStoreBytes = 8;
  code.assembled.kernels[0].spillLoadBytes = 16;
  emit();
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].kind, Remark::Kind::Missed);
  EXPECT_EQ(remarks[0].category, "fuse-spill");
  // At the launch.
  EXPECT_EQ(remarks[0].file, "f.mlir");
  EXPECT_EQ(remarks[0].line, 4u);
  EXPECT_EQ(remarks[0].message,
            "kernel 'k' spills 24 bytes a thread to memory");
  EXPECT_THAT(remarks[0].reason, HasSubstr("255 registers"));
}

TEST_F(Remarks, ABoundThatIsNotKeptIsSaid) {
  code.assembled.kernels.resize(1);
  code.assembled.kernels[0].name = "k";
  code.assembled.kernels[0].registers = 168;
  emit();
  EXPECT_TRUE(remarks.empty());
  code.assembled.kernels[0].losesBound = true;
  emit();
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].kind, Remark::Kind::Analysis);
  EXPECT_EQ(remarks[0].category, "fuse-spill");
  EXPECT_EQ(remarks[0].message,
            "kernel 'k' has 168 registers a thread, more than leave room for "
            "the blocks that its schedule asks for");
}
