//===- EmulatorCodeTest.cpp - LLVM IR that runs on the emulator -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels in MLIR's LLVM and NVVM dialects, whatever the lowering makes today.
//
//===----------------------------------------------------------------------===//

#include "EmulatorCode.h"
#include "fuse/Codegen/Translate.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace ::fuse::runtime;
using testing::HasSubstr;

/// Thread r of each of four blocks gives the block's number to block r. All
/// threads sum up what their block got, after SYNCHRONIZE.
static constexpr llvm::StringLiteral exchange = R"(
gpu.module @m {
  llvm.mlir.global internal @slots() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<4 x f32>
  llvm.func @exchange(%y: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %blocks = nvvm.read.ptx.sreg.cluster.nctarank : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctarank : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %threads = nvvm.read.ptx.sreg.ntid.x : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %slots = llvm.mlir.addressof @slots : !llvm.ptr<3>
    %slot = llvm.getelementptr %slots[%rank] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32
    nvvm.cluster.arrive.relaxed {aligned}
    nvvm.cluster.wait {aligned}
    %gives = llvm.icmp "ult" %thread, %blocks : i32
    llvm.cond_br %gives, ^give, ^read
  ^give:
    %there = nvvm.mapa %slot, %thread : !llvm.ptr<3> -> !llvm.ptr<7>
    %value = llvm.uitofp %block : i32 to f32
    llvm.store %value, %there : f32, !llvm.ptr<7>
    llvm.br ^read
  ^read:
    SYNCHRONIZE
    %got = llvm.load %slots {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
    %zero = llvm.mlir.constant(0.0 : f32) : f32
    %sum = "llvm.intr.vector.reduce.fadd"(%zero, %got) : (f32, vector<4xf32>) -> f32
    %first = llvm.mul %block, %threads : i32
    %at = llvm.add %first, %thread : i32
    %p = llvm.getelementptr %y[%at] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %sum, %p : f32, !llvm.ptr
    llvm.return
  }
}
)";

namespace {
class EmulatorCodeTest : public testing::Test {
protected:
  EmulatorCodeTest() {
    DialectRegistry registry;
    registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
    mlir::fuse::registerCodegenTranslations(registry);
    context.appendDialectRegistry(registry);
  }

  /// Runs `exchange` on clusters of four blocks of 32 threads, two of them. The
  /// error's text, or "".
  std::string run(llvm::StringRef synchronize) {
    std::string text = exchange.str();
    llvm::StringRef mark = "SYNCHRONIZE";
    text.replace(text.find(mark), mark.size(), synchronize);
    auto module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context), "exchange");
    if (!module)
      return "expected a module that parses";
    auto object = mlir::fuse::compileEmulatorObject(
        *module->getOps<gpu::GPUModuleOp>().begin(),
        ::fuse::jit::emulatorShims());
    if (!object)
      return llvm::toString(object.takeError());
    auto loaded = mlir::fuse::loadEmulatorObject(*object, {"exchange"},
                                                 ::fuse::jit::emulatorShims());
    if (!loaded)
      return llvm::toString(loaded.takeError());
    return launch(loaded->entries);
  }

  std::string launch(const llvm::StringMap<EmulatorKernel> &kernels) {
    EmulatorModule module(kernels, {});
    auto kernel = module.lookup("exchange", /*sharedBytes=*/0, /*cluster=*/4);
    if (!kernel)
      return llvm::toString(kernel.takeError());
    void *pointer = output;
    void *params[] = {&pointer};
    LaunchOperand operand = {"y", sizeof(output), /*isResult=*/true, false};
    Launch launch;
    launch.name = "exchange";
    launch.kernel = *kernel;
    launch.grid = 8;
    launch.threads = 32;
    launch.cluster = 4;
    launch.params = params;
    launch.numParams = 1;
    launch.operands = operand;
    return llvm::toString(module.launch(launch, {}));
  }

  MLIRContext context;
  float output[8 * 32] = {};
};
} // namespace

TEST_F(EmulatorCodeTest, BlocksOfAClusterExchange) {
  EXPECT_EQ(run("nvvm.cluster.arrive {aligned}\n nvvm.cluster.wait {aligned}"),
            "");
  EXPECT_EQ(output[0], 0 + 1 + 2 + 3);
  EXPECT_EQ(output[8 * 32 - 1], 4 + 5 + 6 + 7);
}

TEST_F(EmulatorCodeTest, RefusesAnExchangeThatNothingOrders) {
  EXPECT_THAT(run("nvvm.cluster.arrive.relaxed\n nvvm.cluster.wait"),
              HasSubstr("expected a cluster barrier with release between the "
                        "store and the load of byte"));
}

TEST_F(EmulatorCodeTest, OtherBlocksMemoryHasItsAddressSpace) {
  EXPECT_THAT(
      run("%other = nvvm.mapa %slot, %thread : !llvm.ptr<3> -> "
          "!llvm.ptr<7>\n"
          "%own = llvm.addrspacecast %other : !llvm.ptr<7> to "
          "!llvm.ptr<3>"),
      HasSubstr(
          "but got the cast of 'shared::cluster to shared::cta'; access it in "
          "its own address space"));
}
