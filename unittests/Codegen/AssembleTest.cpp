//===- AssembleTest.cpp - Tests of running the assembler ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/Assemble.h"
#include "gtest/gtest.h"

using namespace mlir::fuse;

static constexpr const char *ptx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
	.reg .b64 %rd<2>;
	.shared .align 4 .b8 s[256];
	.reg .b32 %r<3>;
	ld.param.u64 %rd1, [k_param_0];
	mov.u32 %r1, s;
	st.shared.u32 [%r1], %r1;
	bar.sync 0;
	ld.shared.u32 %r2, [%r1];
	st.global.u32 [%rd1], %r2;
	ret;
}
)";

TEST(Assemble, ReadsTheLogOfEveryKernel) {
  std::vector<KernelResources> kernels = parseAssemblerLog(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_90a'\n"
      "ptxas info    : Function properties for first\n"
      "    48 bytes stack frame, 40 bytes spill stores, 36 bytes spill loads\n"
      "ptxas info    : Used 128 registers, used 1 barriers, 48 bytes "
      "cumulative stack size, 1024 bytes smem, 380 bytes cmem[0]\n"
      "ptxas info    : Compile time = 7.2 ms\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_90a'\n"
      "ptxas info    : Function properties for second\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 16 registers, used 0 barriers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "first");
  EXPECT_EQ(kernels[0].registers, 128u);
  EXPECT_EQ(kernels[0].stackBytes, 48u);
  EXPECT_EQ(kernels[0].spillStoreBytes, 40u);
  EXPECT_EQ(kernels[0].spillLoadBytes, 36u);
  EXPECT_EQ(kernels[0].sharedBytes, 1024u);
  EXPECT_EQ(kernels[1].name, "second");
  EXPECT_EQ(kernels[1].registers, 16u);
  EXPECT_EQ(kernels[1].sharedBytes, 0u);
}

/// Each assembler that is there must agree on what the kernel needs.
static void assembleWith(Assembler assembler) {
  AssembleOptions options;
  options.assembler = assembler;
  llvm::Expected<AssembledModule> module =
      assemblePTX(ptx, llvm::cantFail(lookupGPUTarget("sm_90")), options);
  if (!module) {
    std::string message = llvm::toString(module.takeError());
    if (message.find("but found none") != std::string::npos)
      GTEST_SKIP() << message;
    FAIL() << message;
  }
  EXPECT_EQ(module->assembler, assembler);
  // A cubin is an ELF file.
  ASSERT_GE(module->cubin.size(), 4u);
  EXPECT_EQ(llvm::StringRef(module->cubin.data(), 4), "\x7f"
                                                      "ELF");
  ASSERT_EQ(module->kernels.size(), 1u);
  EXPECT_EQ(module->kernels[0].name, "k");
  EXPECT_GT(module->kernels[0].registers, 0u);
  EXPECT_GE(module->kernels[0].sharedBytes, 256u);
}

TEST(Assemble, Ptxas) { assembleWith(Assembler::Ptxas); }

TEST(Assemble, NvJitLink) { assembleWith(Assembler::NvJitLink); }

TEST(Assemble, DriverTakesThePTX) {
  AssembleOptions options;
  options.assembler = Assembler::Driver;
  AssembledModule module = llvm::cantFail(
      assemblePTX(ptx, llvm::cantFail(lookupGPUTarget("sm_90")), options));
  EXPECT_TRUE(module.cubin.empty());
  EXPECT_EQ(module.assemblerName, "the CUDA driver, at load");
}

TEST(Assemble, RejectionQuotesTheAssembler) {
  if (!findPtxas())
    GTEST_SKIP() << "no ptxas";
  AssembleOptions options;
  options.assembler = Assembler::Ptxas;
  llvm::Expected<AssembledModule> module =
      assemblePTX(".version 8.0\n.target sm_90\nnonsense\n",
                  llvm::cantFail(lookupGPUTarget("sm_90")), options);
  ASSERT_FALSE(static_cast<bool>(module));
  std::string message = llvm::toString(module.takeError());
  EXPECT_NE(message.find("nonsense"), std::string::npos) << message;
  EXPECT_NE(message.find("FUSE_PTXAS"), std::string::npos) << message;
}
