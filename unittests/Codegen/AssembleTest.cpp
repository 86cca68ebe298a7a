//===- AssembleTest.cpp - Tests of running the assembler ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/Assemble.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "gtest/gtest.h"
#include <cstdlib>

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

TEST(Assemble, LogSaysWhatIsSerialized) {
  auto found = parseSerializedMma(
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to insufficient register resources for "
      "the wgmma pipeline in the function 'first'\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Potential Performance Loss: 'setmaxnreg' ignored to "
      "allow debugging.\n"
      "ptxas info    : (C7517) warpgroup.wait is injected in around line 24 by "
      "compiler to allow use of registers defined by GMMA in function "
      "'second'\n");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kernel, "first");
  EXPECT_EQ(found[1].kernel, "");
  EXPECT_EQ(found[2].kernel, "second");
  EXPECT_EQ(llvm::StringRef(found[2].message).substr(0, 7), "(C7517)");
}

/// Two products, between which the sums are changed if `isChanged`.
static std::string makeProducts(bool isChanged) {
  return std::string(R"(
.version 8.0
.target sm_90a
.address_size 64
.visible .entry products(.param .u64 .ptr .global .align 16 out, .param .u64 a, .param .u64 b)
.maxntid 128, 1, 1
{
	.reg .f32 %f<5>;
	.reg .b64 %rd<5>;
	ld.param.b64 %rd1, [out];
	ld.param.b64 %rd2, [a];
	ld.param.b64 %rd3, [b];
	cvta.to.global.u64 %rd4, %rd1;
	mov.f32 %f1, 0f00000000;
	mov.f32 %f2, %f1;
	mov.f32 %f3, %f1;
	mov.f32 %f4, %f1;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd2, %rd3, 1, 1, 1, 0, 0;
)") + (isChanged ? "add.f32 %f1, %f1, 0f3f800000;\n" : "") +
         R"(
	wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, %rd2, %rd3, 1, 1, 1, 0, 0;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	st.global.f32 [%rd4], %f1;
	ret;
}
)";
}

TEST(Assemble, SaysWhichProductsAreSerialized) {
  if (!findPtxas())
    GTEST_SKIP() << "no ptxas";
  AssembleOptions options;
  options.assembler = Assembler::Ptxas;
  GPUTarget target = llvm::cantFail(lookupGPUTarget("sm_90a"));
  AssembledModule good =
      llvm::cantFail(assemblePTX(makeProducts(false), target, options));
  EXPECT_TRUE(good.serialized.empty());
  AssembledModule bad =
      llvm::cantFail(assemblePTX(makeProducts(true), target, options));
  ASSERT_FALSE(bad.serialized.empty());
  for (const SerializedMma &mma : bad.serialized)
    EXPECT_EQ(mma.kernel, "products");
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

static constexpr const char *twoKernels = R"(.version 8.1
.target sm_90
.address_size 64
.visible .entry spills(
	.param .u64 spills_param_0
)
.maxntid 512, 1, 1
{
	ret;
}
.visible .entry spills_not(
	.param .u64 spills_not_param_0
)
.maxntid 128, 1, 1
{
	ret;
}
)";

TEST(Assemble, KernelsGetTheLeastBlocksThatTheyAreGiven) {
  std::vector<KernelResources> kernels(2);
  kernels[0].name = "spills_not";
  kernels[1].name = "spills";
  EXPECT_EQ(withLeastBlocks(twoKernels, kernels), twoKernels);
  kernels[1].leastBlocks = 3;
  std::string text = withLeastBlocks(twoKernels, kernels);
  EXPECT_NE(text.find(".maxntid 512, 1, 1\n.minnctapersm 3\n{"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(".maxntid 128, 1, 1\n{"), std::string::npos) << text;
  // A bound that is there stays.
  kernels[1].leastBlocks = 2;
  EXPECT_EQ(withLeastBlocks(text, kernels), text);
  // Unless it is to be lost.
  kernels[1].leastBlocks = 0;
  kernels[1].losesBound = true;
  EXPECT_EQ(withLeastBlocks(text, kernels), twoKernels);
  EXPECT_EQ(withLeastBlocks(twoKernels, kernels), twoKernels);
}

namespace {
/// A program in place of ptxas, that spills unless it finds `wanted`.
class FakePtxas : public ::testing::Test {
protected:
  void write(llvm::StringRef wanted, unsigned spilledThen,
             unsigned statusThen = 0, bool isUnwanted = false) {
    llvm::SmallString<64> path;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("ptxas", "sh", path));
    remover.setFile(path);
    std::string text = llvm::formatv(
        "#!/bin/sh\n"
        "while [ $# -gt 1 ]; do\n"
        "  if [ \"$1\" = -o ]; then out=$2; fi; shift\n"
        "done\n"
        "spilled=8; cubin=first; status=0\n"
        "if [ \"$FUSE_TEST_LOG\" ]; then grep -c .entry \"$1\" >> "
        "\"$FUSE_TEST_LOG\"; fi\n"
        "if {3} grep -q '{0}' \"$1\"; then spilled={1}; "
        "cubin=second; status={2}; fi\n"
        "printf $cubin > \"$out\"\n"
        "echo \"Compiling entry function 'spills' for 'sm_90'\"\n"
        "echo \"8 bytes stack frame, $spilled bytes spill "
        "stores, 0 bytes spill loads\"\n"
        "echo \"Used 40 registers, 64 bytes smem\"\n"
        "grep -q spills_not \"$1\" || exit $status\n"
        "echo \"Compiling entry function 'spills_not' for 'sm_90'\"\n"
        "echo \"Used 16 registers, 64 bytes smem\"\n"
        "exit $status\n",
        wanted, spilledThen, statusThen, isUnwanted ? "!" : "");
    std::error_code code;
    llvm::raw_fd_ostream(path, code) << text;
    ASSERT_FALSE(code);
    ASSERT_FALSE(llvm::sys::fs::setPermissions(path, llvm::sys::fs::all_all));
    ASSERT_EQ(setenv("FUSE_PTXAS", path.c_str(), /*overwrite=*/1), 0);
  }

  ~FakePtxas() override {
    if (before)
      setenv("FUSE_PTXAS", before->c_str(), /*overwrite=*/1);
    else
      unsetenv("FUSE_PTXAS");
  }

  AssembledModule assemble(llvm::StringRef ptx = twoKernels) {
    AssembleOptions options;
    options.assembler = Assembler::Ptxas;
    return llvm::cantFail(
        assemblePTX(ptx, llvm::cantFail(lookupGPUTarget("sm_90")), options));
  }

  static std::string cubinOf(const AssembledModule &module) {
    return std::string(module.cubin.begin(), module.cubin.end());
  }

private:
  std::optional<std::string> before = llvm::sys::Process::GetEnv("FUSE_PTXAS");
  llvm::FileRemover remover;
};
} // namespace

namespace {
/// How many kernels each call of the program was given.
class CallsOfPtxas {
public:
  CallsOfPtxas() {
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("calls", "log", path));
    remover.setFile(path);
    setenv("FUSE_TEST_LOG", path.c_str(), /*overwrite=*/1);
  }
  ~CallsOfPtxas() { unsetenv("FUSE_TEST_LOG"); }
  std::string get() const {
    return llvm::cantFail(
               llvm::errorOrToExpected(llvm::MemoryBuffer::getFile(path)))
        ->getBuffer()
        .str();
  }

private:
  llvm::SmallString<64> path;
  llvm::FileRemover remover;
};
} // namespace

TEST_F(FakePtxas, ABoundIsTriedWithoutTheOtherKernels) {
  CallsOfPtxas calls;
  write(".minnctapersm 3", /*spilledThen=*/8);
  EXPECT_EQ(cubinOf(assemble()), "first");
  EXPECT_EQ(calls.get(), "2\n1\n");
  write(".minnctapersm 3", /*spilledThen=*/0);
  EXPECT_EQ(cubinOf(assemble()), "second");
  EXPECT_EQ(calls.get(), "2\n1\n2\n1\n2\n");
}

// 512 threads of 40 registers are three blocks of 65536.
TEST_F(FakePtxas, SpillsAreAssembledAgainForAsManyBlocks) {
  write(".minnctapersm 3", /*spilledThen=*/0);
  AssembledModule module = assemble();
  EXPECT_EQ(cubinOf(module), "second");
  ASSERT_EQ(module.kernels.size(), 2u);
  EXPECT_EQ(module.kernels[0].spillStoreBytes, 0u);
  EXPECT_EQ(module.kernels[0].leastBlocks, 3u);
  EXPECT_EQ(module.kernels[1].leastBlocks, 0u);
}

TEST_F(FakePtxas, WhatSpillsNoLessIsDropped) {
  write(".minnctapersm 3", /*spilledThen=*/8);
  AssembledModule module = assemble();
  EXPECT_EQ(cubinOf(module), "first");
  ASSERT_EQ(module.kernels.size(), 2u);
  EXPECT_EQ(module.kernels[0].spillStoreBytes, 8u);
  EXPECT_EQ(module.kernels[0].leastBlocks, 0u);
}

/// There are no others to leave out of the trial.
TEST_F(FakePtxas, TheOnlyKernelThatSpillsNoLessStays) {
  llvm::StringRef text = twoKernels;
  llvm::StringRef only = text.take_front(text.rfind(".visible"));
  write(".minnctapersm 3", /*spilledThen=*/8);
  AssembledModule module = assemble(only);
  EXPECT_EQ(cubinOf(module), "first");
  ASSERT_EQ(module.kernels.size(), 1u);
  EXPECT_EQ(module.kernels[0].leastBlocks, 0u);
}

TEST_F(FakePtxas, WhatIsRejectedThenIsDropped) {
  write(".minnctapersm 3", /*spilledThen=*/0, /*statusThen=*/1);
  EXPECT_EQ(cubinOf(assemble()), "first");
}

TEST_F(FakePtxas, ABoundThatSpillsIsLost) {
  std::vector<KernelResources> kernels(1);
  kernels[0].name = "spills";
  kernels[0].leastBlocks = 4;
  std::string bounded = withLeastBlocks(twoKernels, kernels);
  write(".minnctapersm", /*spilledThen=*/0, /*statusThen=*/0,
        /*isUnwanted=*/true);
  AssembledModule module = assemble(bounded);
  EXPECT_EQ(cubinOf(module), "second");
  ASSERT_EQ(module.kernels.size(), 2u);
  EXPECT_TRUE(module.kernels[0].losesBound);
  EXPECT_FALSE(module.kernels[1].losesBound);
  EXPECT_EQ(withLeastBlocks(bounded, module.kernels), twoKernels);
}

TEST_F(FakePtxas, ABoundThatSpillsNoMoreThanNoneStays) {
  std::vector<KernelResources> kernels(1);
  kernels[0].name = "spills";
  kernels[0].leastBlocks = 4;
  write(".minnctapersm", /*spilledThen=*/8, /*statusThen=*/0,
        /*isUnwanted=*/true);
  AssembledModule module = assemble(withLeastBlocks(twoKernels, kernels));
  EXPECT_EQ(cubinOf(module), "first");
  ASSERT_EQ(module.kernels.size(), 2u);
  EXPECT_FALSE(module.kernels[0].losesBound);
}

TEST_F(FakePtxas, ABoundOfOneBlockIsNotTriedWithout) {
  std::vector<KernelResources> kernels(1);
  kernels[0].name = "spills";
  kernels[0].leastBlocks = 1;
  CallsOfPtxas calls;
  write(".minnctapersm", /*spilledThen=*/0, /*statusThen=*/0,
        /*isUnwanted=*/true);
  AssembledModule module = assemble(withLeastBlocks(twoKernels, kernels));
  EXPECT_EQ(cubinOf(module), "first");
  EXPECT_EQ(calls.get(), "2\n");
  EXPECT_FALSE(module.kernels[0].losesBound);
}
