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

#include "fuse/Codegen/Translate.h"
#include "fuse/Compiler/ShimTable.h"
#include "fuse/Runtime/EmulatorModule.h"
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

/// Each of seven blocks leaves its number, and after a barrier of the grid
/// reads what the next block has left. ARRIVE and WAIT are orderings.
static constexpr llvm::StringLiteral meeting = R"(
gpu.module @m {
  llvm.func @exchange(%y: !llvm.ptr, %counter: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %top = llvm.mlir.constant(0x80000000 : i32) : i32
    %blocks = nvvm.read.ptx.sreg.nctaid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %isFirst = llvm.icmp "eq" %thread, %zero : i32
    llvm.cond_br %isFirst, ^leave, ^meet
  ^leave:
    %own = llvm.getelementptr %y[%block] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %number = llvm.uitofp %block : i32 to f32
    llvm.store %number, %own : f32, !llvm.ptr
    llvm.br ^meet
  ^meet:
    nvvm.barrier0
    llvm.cond_br %isFirst, ^arrive, ^go
  ^arrive:
    %others = llvm.sub %blocks, %one : i32
    %last = llvm.sub %top, %others : i32
    %isBlock0 = llvm.icmp "eq" %block, %zero : i32
    %step = llvm.select %isBlock0, %last, %one : i1, i32
    %old = llvm.atomicrmw add %counter, %step syncscope("SCOPE") ARRIVE : !llvm.ptr, i32
    llvm.br ^wait
  ^wait:
    %seen = llvm.load %counter atomic syncscope("device") WAIT {alignment = 4 : i64} : !llvm.ptr -> i32
    %changed = llvm.xor %old, %seen : i32
    %flipped = llvm.and %changed, %top : i32
    %stays = llvm.icmp "eq" %flipped, %zero : i32
    llvm.cond_br %stays, ^wait, ^go
  ^go:
    nvvm.barrier0
    llvm.cond_br %isFirst, ^read, ^end
  ^read:
    %following = llvm.add %block, %one : i32
    %next = llvm.urem %following, %blocks : i32
    %from = llvm.getelementptr %y[%next] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %got = llvm.load %from : !llvm.ptr -> f32
    %at = llvm.add %block, %blocks : i32
    %to = llvm.getelementptr %y[%at] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %got, %to : f32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
}
)";

static std::string replace(std::string text, llvm::StringRef mark,
                           llvm::StringRef by) {
  return text.replace(text.find(mark.str()), mark.size(), by.str());
}

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
    Launch launch;
    launch.grid = 8;
    launch.cluster = 4;
    LaunchOperand operand = {"y", sizeof(output), /*isResult=*/true, false};
    return run(replace(exchange.str(), "SYNCHRONIZE", synchronize), launch,
               operand);
  }

  /// Runs `meeting` on seven blocks. The error's text, or "".
  std::string meet(llvm::StringRef arrive, llvm::StringRef wait,
                   llvm::StringRef scope = "device") {
    std::string text = replace(meeting.str(), "ARRIVE", arrive);
    text = replace(replace(text, "WAIT", wait), "SCOPE", scope);
    Launch launch;
    launch.grid = 7;
    launch.cooperative = true;
    counter = 0;
    LaunchOperand operands[] = {
        {"y", 2 * 7 * sizeof(float), /*isResult=*/true, false},
        {"counter", sizeof(counter)}};
    operands[1].isCounter = true;
    return run(text, launch, operands);
  }

  /// Runs `exchange` of the module in `text` on blocks of 32 threads.
  std::string run(llvm::StringRef text, Launch launch,
                  llvm::ArrayRef<LaunchOperand> operands) {
    launch.operands = operands;
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
    return run(loaded->entries, launch);
  }

  std::string run(const llvm::StringMap<EmulatorKernel> &kernels,
                  Launch launch) {
    EmulatorModule module(kernels, {});
    auto kernel = module.lookup("exchange", /*sharedBytes=*/0, launch.cluster);
    if (!kernel)
      return llvm::toString(kernel.takeError());
    void *pointers[] = {output, &counter};
    void *params[] = {&pointers[0], &pointers[1]};
    launch.name = "exchange";
    launch.kernel = *kernel;
    launch.threads = 32;
    launch.params = params;
    launch.numParams = launch.operands.size();
    return llvm::toString(module.launch(launch, {}));
  }

  MLIRContext context;
  float output[8 * 32] = {};
  uint32_t counter = 0;
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

TEST_F(EmulatorCodeTest, BlocksOfTheGridMeet) {
  EXPECT_EQ(meet("acq_rel", "acquire"), "");
  EXPECT_EQ(counter, 0x80000000u);
  EXPECT_EQ(output[7], 1);
  EXPECT_EQ(output[13], 0);
  EXPECT_EQ(meet("seq_cst", "seq_cst"), "");
  EXPECT_EQ(meet("release", "acquire", /*scope=*/""), "");
}

TEST_F(EmulatorCodeTest, RefusesAMeetingThatOrdersNothing) {
  auto isRefused = HasSubstr("expected a grid barrier (block barrier, release, "
                             "acquire, block barrier) between the store and "
                             "the load of byte");
  EXPECT_THAT(meet("monotonic", "acquire"), isRefused);
  EXPECT_THAT(meet("acquire", "acquire"), isRefused);
  EXPECT_THAT(meet("acq_rel", "monotonic"), isRefused);
  // Not seen by other blocks.
  EXPECT_THAT(meet("acq_rel", "acquire", "block"), isRefused);
}
