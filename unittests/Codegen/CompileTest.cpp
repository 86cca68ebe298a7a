//===- CompileTest.cpp - From gpu.module to PTX and to the host -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/Assemble.h"
#include "fuse/Codegen/HostObject.h"
#include "fuse/Codegen/NVPTX.h"
#include "fuse/Codegen/PTXInspect.h"
#include "fuse/Codegen/Passes.h"
#include "fuse/Codegen/Translate.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::fuse;
using Kind = PTXAccess::Kind;

/// y = round_bf16(x * x + w[lane]), eight elements a thread.
static constexpr const char *pointwise = R"(
gpu.module @m {
  gpu.func @square(%x: !llvm.ptr {llvm.noalias, llvm.readonly, llvm.align = 16 : i64},
                   %w: !llvm.ptr {llvm.noalias, llvm.readonly, llvm.align = 4 : i64},
                   %y: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64},
                   %n: i64) kernel {
    %c8 = arith.constant 8 : i64
    %block = gpu.block_id x
    %size = gpu.block_dim x
    %thread = gpu.thread_id x
    %first = arith.muli %block, %size : index
    %id = arith.addi %first, %thread : index
    %id64 = arith.index_cast %id : index to i64
    %at = arith.muli %id64, %c8 : i64
    %in = arith.cmpi slt, %at, %n : i64
    scf.if %in {
      %px = llvm.getelementptr %x[%at] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
      %v16 = llvm.load %px {alignment = 16 : i64} : !llvm.ptr -> vector<8xbf16>
      %v = arith.extf %v16 : vector<8xbf16> to vector<8xf32>
      %w0 = llvm.load %w {alignment = 4 : i64} : !llvm.ptr -> f32
      %wv = vector.broadcast %w0 : f32 to vector<8xf32>
      %s = arith.mulf %v, %v : vector<8xf32>
      %r = arith.addf %s, %wv : vector<8xf32>
      %r16 = arith.truncf %r : vector<8xf32> to vector<8xbf16>
      %py = llvm.getelementptr %y[%at] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
      llvm.store %r16, %py {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr
    }
    gpu.return
  }
}
)";

/// One f32 sum per block of 64 threads: shuffles, then shared memory.
static constexpr const char *reduction = R"(
gpu.module @m {
  gpu.func @sum(%x: !llvm.ptr {llvm.noalias, llvm.readonly},
                %y: !llvm.ptr {llvm.noalias})
      workgroup(%scratch : memref<2xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c32 = arith.constant 32 : index
    %w = arith.constant 32 : i32
    %c16 = arith.constant 16 : i32
    %thread = gpu.thread_id x
    %t64 = arith.index_cast %thread : index to i64
    %p = llvm.getelementptr %x[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %v = llvm.load %p : !llvm.ptr -> f32
    %sum, %offset = scf.for %i = %c0 to %c5 step %c1
        iter_args(%acc = %v, %o = %c16) -> (f32, i32) {
      %other, %valid = gpu.shuffle xor %acc, %o, %w : f32
      %next = arith.addf %acc, %other : f32
      %one = arith.constant 1 : i32
      %half = arith.shrui %o, %one : i32
      scf.yield %next, %half : f32, i32
    }
    %warp = arith.divui %thread, %c32 : index
    %lane = arith.remui %thread, %c32 : index
    %leads = arith.cmpi eq, %lane, %c0 : index
    scf.if %leads {
      memref.store %sum, %scratch[%warp] : memref<2xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %pair = vector.load %scratch[%c0] : memref<2xf32, #gpu.address_space<workgroup>>, vector<2xf32>
    %total = vector.reduction <add>, %pair : vector<2xf32> into f32
    %first = arith.cmpi eq, %thread, %c0 : index
    scf.if %first {
      llvm.store %total, %y : f32, !llvm.ptr
    }
    gpu.return
  }
}
)";

namespace {
class CompileTest : public ::testing::Test {
protected:
  CompileTest() {
    DialectRegistry registry;
    registry
        .insert<arith::ArithDialect, cf::ControlFlowDialect, gpu::GPUDialect,
                LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                NVVM::NVVMDialect, scf::SCFDialect, vector::VectorDialect>();
    registerCodegenTranslations(registry);
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { messages += diagnostic.str(); });
  }

  /// Parses `text` and runs `pass` on the gpu.module in it.
  gpu::GPUModuleOp lower(llvm::StringRef text, std::unique_ptr<Pass> pass) {
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context),
                                         "sample.mlir");
    if (!module)
      return nullptr;
    PassManager manager(&context);
    manager.addNestedPass<gpu::GPUModuleOp>(std::move(pass));
    if (failed(manager.run(*module)))
      return nullptr;
    return *module->getOps<gpu::GPUModuleOp>().begin();
  }

  std::string compile(llvm::StringRef text, llvm::StringRef chip = "sm_90",
                      const PTXOptions &options = {}, unsigned indexBits = 64) {
    FuseGPUToNVVMOptions passOptions;
    passOptions.indexBits = indexBits;
    gpu::GPUModuleOp lowered = lower(text, createFuseGPUToNVVM(passOptions));
    if (!lowered)
      return "";
    llvm::Expected<std::string> ptx =
        emitPTX(lowered, llvm::cantFail(lookupGPUTarget(chip)), options);
    if (ptx)
      return *ptx;
    messages += llvm::toString(ptx.takeError());
    return "";
  }

  /// Compiles `text` to PTX and reads its one kernel back.
  PTXKernel inspect(llvm::StringRef text, const PTXOptions &options = {},
                    unsigned indexBits = 64) {
    std::string ptx = compile(text, "sm_90", options, indexBits);
    llvm::Expected<PTXModule> module = parsePTX(ptx);
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError()) << messages;
      return {};
    }
    EXPECT_EQ(module->kernels.size(), 1u);
    return module->kernels.empty() ? PTXKernel() : module->kernels[0];
  }

  HostKernel load(llvm::StringRef text, const std::string &name) {
    gpu::GPUModuleOp lowered = lower(text, createFuseGPUToCPU());
    if (!lowered)
      return nullptr;
    auto bytes = compileHostObject(lowered);
    if (!bytes) {
      messages += llvm::toString(bytes.takeError());
      return nullptr;
    }
    auto loaded = loadHostObject(*bytes, {name});
    if (!loaded) {
      messages += llvm::toString(loaded.takeError());
      return nullptr;
    }
    object = *loaded;
    return object.entries.lookup(name);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  HostObject object;
  std::string messages;
};

float toFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

/// Rounds to nearest even, from the definition.
uint16_t toBFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (std::isnan(value))
    return 0x7fc0;
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}
} // namespace

TEST_F(CompileTest, StreamsAre128BitsWide) {
  PTXKernel kernel = inspect(pointwise);
  EXPECT_EQ(kernel.minBits(Kind::Load, 0), 128u);
  EXPECT_EQ(kernel.minBits(Kind::Load, 1), 32u);
  EXPECT_EQ(kernel.minBits(Kind::Store, 2), 128u);
  EXPECT_EQ(kernel.minBits(Kind::Store, 0), std::nullopt);
  ASSERT_EQ(kernel.accesses.size(), 3u);
  for (const PTXAccess &access : kernel.accesses) {
    EXPECT_EQ(access.nonCoherent, access.kind == Kind::Load);
    EXPECT_FALSE(access.generic);
  }
}

/// Both samples in one module, the second with shared memory of its own.
static std::string bothKernels(llvm::StringRef between = "") {
  llvm::StringRef first = llvm::StringRef(pointwise).rtrim();
  EXPECT_TRUE(first.consume_back("}"));
  llvm::StringRef second = reduction;
  return (first + between + second.split("gpu.module @m {\n").second).str();
}

TEST_F(CompileTest, KernelsAreCompiledSideBySideAsTogether) {
  PTXOptions together;
  together.observer = [](llvm::StringRef, const llvm::Module &) {};
  auto apart = parsePTX(compile(bothKernels()));
  auto whole = parsePTX(compile(bothKernels(), "sm_90", together));
  ASSERT_TRUE(apart && whole) << messages;
  ASSERT_EQ(apart->kernels.size(), 2u);
  ASSERT_EQ(whole->kernels.size(), 2u);
  for (auto [one, other] : llvm::zip(apart->kernels, whole->kernels)) {
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.sharedBytes, other.sharedBytes);
    ASSERT_EQ(one.opcodes.size(), other.opcodes.size());
    for (const auto &entry : one.opcodes)
      EXPECT_EQ(entry.second, other.opcodes.lookup(entry.first()))
          << entry.first().str();
  }
  std::string merged = compile(bothKernels());
  llvm::StringRef text = merged;
  EXPECT_EQ(text.count(".version"), 1u);
  EXPECT_EQ(text.count(".visible .entry"), 2u);
}

TEST_F(CompileTest, AVariableOfTwoKernelsStaysOne) {
  std::string text = bothKernels(R"(
  llvm.mlir.global internal @shared(0 : i32) {addr_space = 1 : i32} : i32
)");
  for (llvm::StringRef kernel : {"@square(", "@sum("}) {
    size_t at = text.find("    %c", text.find(kernel.str()));
    text.insert(at, R"(
    %count = llvm.mlir.addressof @shared : !llvm.ptr<1>
    %increment = llvm.mlir.constant(1 : i32) : i32
    %old = llvm.atomicrmw add %count, %increment monotonic : !llvm.ptr<1>, i32
)");
  }
  std::string merged = compile(text);
  llvm::StringRef ptx = merged;
  EXPECT_EQ(ptx.count(".visible .entry"), 2u) << messages;
  EXPECT_EQ(ptx.count("shared;"), 1u) << ptx.str();
}

TEST_F(CompileTest, KernelsOfABlockSizeCanGetLeastBlocks) {
  std::string text = pointwise;
  llvm::StringRef mark = ") kernel {";
  text.replace(
      text.find(mark.str()), mark.size(),
      ") kernel attributes {known_block_size = array<i32: 128, 1, 1>} {");
  std::string ptx = compile(text);
  KernelResources square;
  square.name = "square";
  square.leastBlocks = 7;
  std::string bounded = withLeastBlocks(ptx, square);
  EXPECT_EQ(llvm::StringRef(bounded).count(".minnctapersm 7\n"), 1u) << ptx;
}

TEST_F(CompileTest, ContractsOnlyWhereAllowed) {
  PTXKernel exact = inspect(pointwise);
  EXPECT_EQ(exact.count("fma"), 0u);
  EXPECT_EQ(exact.count("mul.rn"), 8u);
  EXPECT_EQ(exact.count("add.rn"), 8u);

  std::string text = pointwise;
  for (llvm::StringRef op : {"mulf %v, %v", "addf %s, %wv"}) {
    size_t at = text.find(op.str());
    text.insert(at + op.size(), " fastmath<contract>");
  }
  EXPECT_EQ(inspect(text).count("fma.rn"), 8u);
}

TEST_F(CompileTest, LineInfoNamesTheSource) {
  PTXOptions options;
  options.lineInfo = true;
  PTXKernel kernel = inspect(pointwise, options);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(pointwise).split(lines, '\n');
  ASSERT_EQ(kernel.accesses.size(), 3u);
  for (const PTXAccess &access : kernel.accesses) {
    EXPECT_EQ(access.file, "sample.mlir");
    ASSERT_LT(access.line - 1, lines.size());
    EXPECT_TRUE(lines[access.line - 1].contains(
        access.kind == Kind::Load ? "llvm.load" : "llvm.store"))
        << access.line;
  }
}

TEST_F(CompileTest, FusedLocationsKeepTheirFirstLine) {
  PTXOptions options;
  options.lineInfo = true;
  PTXKernel kernel = inspect(R"(
gpu.module @m {
  gpu.func @k(%p: !llvm.ptr) kernel {
    %v = llvm.load %p : !llvm.ptr -> f32 loc(fused["user.mlir":3:4, "user.mlir":9:1])
    %w = arith.addf %v, %v : f32 loc(unknown)
    llvm.store %w, %p : f32, !llvm.ptr loc("name"("user.mlir":5:2))
    gpu.return loc(unknown)
  } loc(unknown)
})",
                             options);
  ASSERT_EQ(kernel.accesses.size(), 2u);
  EXPECT_EQ(kernel.accesses[0].file, "user.mlir");
  EXPECT_EQ(kernel.accesses[0].line, 3u);
  EXPECT_EQ(kernel.accesses[1].line, 5u);
}

TEST_F(CompileTest, FlushesDenormalsOnlyWhenAsked) {
  EXPECT_EQ(inspect(pointwise).count("mul.rn.ftz"), 0u);
  PTXOptions options;
  options.flushDenormals = true;
  EXPECT_EQ(inspect(pointwise, options).count("mul.rn.ftz"), 8u);
}

TEST_F(CompileTest, ReductionUsesShufflesAndSharedMemory) {
  for (unsigned indexBits : {32, 64}) {
    PTXKernel kernel = inspect(reduction, {}, indexBits);
    EXPECT_EQ(kernel.count("shfl.sync.bfly"), 5u);
    EXPECT_EQ(kernel.count("bar") + kernel.count("barrier"), 1u);
    EXPECT_EQ(kernel.sharedBytes, 8u);
    EXPECT_EQ(kernel.count("ld.shared.v2"), 1u);
  }
}

TEST_F(CompileTest, EveryChipAssembles) {
  if (!findPtxas())
    GTEST_SKIP() << "no ptxas";
  PTXOptions options;
  options.lineInfo = true;
  for (const GPUTarget &target : getGPUTargets())
    for (const char *text : {pointwise, reduction}) {
      std::string ptx = compile(text, target.chip, options);
      ASSERT_FALSE(ptx.empty()) << target.chip.str() << messages;
      AssembleOptions assemble;
      assemble.assembler = Assembler::Ptxas;
      assemble.lineInfo = true;
      auto cubin = assemblePTX(ptx, target, assemble);
      ASSERT_TRUE(static_cast<bool>(cubin))
          << llvm::toString(cubin.takeError());
      ASSERT_EQ(cubin->kernels.size(), 1u);
      EXPECT_EQ(cubin->kernels[0].spillStoreBytes, 0u);
    }
}

TEST_F(CompileTest, MathThatNeedsALibraryIsRefused) {
  const char *text = R"(
gpu.module @m {
  gpu.func @k(%p: !llvm.ptr) kernel {
    %v = llvm.load %p : !llvm.ptr -> f32
    %e = math.exp %v : f32
    llvm.store %e, %p : f32, !llvm.ptr
    gpu.return
  }
})";
  EXPECT_EQ(compile(text), "");
  EXPECT_NE(messages.find("'math.exp' op expected math that is expanded"),
            std::string::npos)
      << messages;
}

TEST_F(CompileTest, IntrinsicsAndInlinePTXPass) {
  PTXKernel kernel = inspect(R"(
gpu.module @m {
  gpu.func @k(%p: !llvm.ptr) kernel {
    nvvm.griddepcontrol wait
    %v = llvm.load %p : !llvm.ptr -> f32
    %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx"(%v) : (f32) -> f32
    %r = nvvm.rcp.approx.ftz.f %e : f32
    %t = nvvm.inline_ptx "tanh.approx.f32 {$w0}, {$r0};" ro (%r : f32) -> f32
    llvm.store %t, %p : f32, !llvm.ptr
    gpu.return
  }
})");
  EXPECT_EQ(kernel.count("ex2.approx"), 1u);
  EXPECT_EQ(kernel.count("rcp.approx.ftz.f32"), 1u);
  EXPECT_EQ(kernel.count("tanh.approx"), 1u);
  EXPECT_EQ(kernel.count("griddepcontrol.wait"), 1u);
}

/// The optimizer may move what it takes for a constant's load, or an inline
/// load without effects, but never to before a wait that starts the kernel.
TEST_F(CompileTest, AKernelWaitsBeforeItTouchesMemory) {
  PTXKernel kernel = inspect(R"(
gpu.module @m {
  gpu.func @k(%x: !llvm.ptr {llvm.noalias, llvm.readonly},
              %y: !llvm.ptr {llvm.noalias}) kernel {
    nvvm.griddepcontrol launch_dependents
    nvvm.griddepcontrol wait
    %a = llvm.load %x invariant : !llvm.ptr -> f32
    %p = llvm.getelementptr %x[1] : (!llvm.ptr) -> !llvm.ptr, f32
    %b = llvm.inline_asm "ld.global.b32 $0, [$1];", "=f,l" %p
         : (!llvm.ptr) -> f32
    %s = arith.addf %a, %b : f32
    llvm.store %s, %y : f32, !llvm.ptr
    gpu.return
  }
})");
  EXPECT_EQ(kernel.accesses.size(), 3u);
  EXPECT_TRUE(kernel.accesses[0].nonCoherent || kernel.accesses[1].nonCoherent);
  EXPECT_TRUE(kernel.waitsAtStart);
}

TEST_F(CompileTest, ALateWaitIsRefused) {
  const char *text = R"(
gpu.module @m {
  gpu.func @k(%p: !llvm.ptr) kernel {
    %v = llvm.load %p : !llvm.ptr -> f32
    nvvm.griddepcontrol wait
    llvm.store %v, %p : f32, !llvm.ptr
    gpu.return
  }
})";
  EXPECT_EQ(compile(text), "");
  EXPECT_EQ(messages,
            "expected kernel 'k' to run griddepcontrol.wait in all threads and "
            "before its first access to memory, but got it later; move it to "
            "the kernel's start");
}

TEST_F(CompileTest, UnresolvedFunctionIsRefused) {
  const char *text = R"(
gpu.module @m {
  llvm.func @helper(f32) -> f32
  gpu.func @k(%p: !llvm.ptr) kernel {
    %v = llvm.load %p : !llvm.ptr -> f32
    %e = llvm.call @helper(%v) : (f32) -> f32
    llvm.store %e, %p : f32, !llvm.ptr
    gpu.return
  }
})";
  EXPECT_EQ(compile(text), "");
  EXPECT_NE(messages.find("but got calls of helper"), std::string::npos)
      << messages;
}

TEST_F(CompileTest, HostRunsARangeOfBlocks) {
  HostKernel square = load(pointwise, "square");
  ASSERT_NE(square, nullptr) << messages;
  constexpr int64_t n = 64;
  alignas(64) uint16_t x[n], y[n];
  // With a NaN, an infinity, a denormal and a tie to even among them.
  for (int64_t i = 0; i < n; ++i)
    x[i] = toBFloat(0.37f * (i - 30));
  x[17] = 0x7fc1;
  x[18] = 0xff80;
  x[19] = 0x1f81;
  std::memset(y, 0xff, sizeof(y));
  float w = 0.0f;
  void *px = x, *pw = &w, *py = y;
  int64_t length = n;
  void *params[] = {&px, &pw, &py, &length};
  // Blocks of one thread: each takes 8 elements. The last is past the end.
  square(params, 1, 9);
  for (int64_t i = 0; i < n; ++i) {
    if (i < 8) {
      EXPECT_EQ(y[i], 0xffff) << i;
      continue;
    }
    float value = toFloat(x[i]);
    EXPECT_EQ(y[i], toBFloat(value * value + w)) << i;
  }
}

TEST_F(CompileTest, HostHasWorkgroupMemory) {
  HostKernel kernel = load(R"(
gpu.module @m {
  gpu.func @k(%x: !llvm.ptr, %y: !llvm.ptr)
      workgroup(%s : memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %b = gpu.block_id x
    scf.for %i = %c0 to %c4 step %c1 {
      %at = arith.addi %b, %i : index
      %at64 = arith.index_cast %at : index to i64
      %p = llvm.getelementptr %x[%at64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %v = llvm.load %p : !llvm.ptr -> f32
      %r = math.roundeven %v : f32
      memref.store %r, %s[%i] : memref<4xf32, #gpu.address_space<workgroup>>
    }
    gpu.barrier
    %v = vector.load %s[%c0] : memref<4xf32, #gpu.address_space<workgroup>>, vector<4xf32>
    %sum = vector.reduction <add>, %v : vector<4xf32> into f32
    %root = math.sqrt %sum : f32
    %b64 = arith.index_cast %b : index to i64
    %q = llvm.getelementptr %y[%b64] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    llvm.store %root, %q : f32, !llvm.ptr
    gpu.return
  }
})",
                           "k");
  ASSERT_NE(kernel, nullptr) << messages;
  float x[5] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f}, y[2] = {};
  void *px = x, *py = y;
  void *params[] = {&px, &py};
  kernel(params, 0, 2);
  EXPECT_EQ(y[0], std::sqrt(0.0f + 2.0f + 2.0f + 4.0f));
  EXPECT_EQ(y[1], std::sqrt(2.0f + 2.0f + 4.0f + 4.0f));
}

TEST_F(CompileTest, HostCallsTheCLibrary) {
  // LLVM makes a call of memcpy from this loop.
  HostKernel copy = load(R"(
gpu.module @m {
  gpu.func @copy(%x: !llvm.ptr {llvm.noalias}, %y: !llvm.ptr {llvm.noalias},
                 %n: i64) kernel {
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    scf.for %i = %c0 to %n step %c1 : i64 {
      %p = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      %v = llvm.load %p : !llvm.ptr -> i8
      %q = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i8
      llvm.store %v, %q : i8, !llvm.ptr
    }
    gpu.return
  }
})",
                         "copy");
  ASSERT_NE(copy, nullptr) << messages;
  std::string from = "kernels", to(7, '-');
  void *px = from.data(), *py = to.data();
  int64_t n = 6;
  void *params[] = {&px, &py, &n};
  copy(params, 0, 1);
  EXPECT_EQ(to, "kernel-");
}

TEST_F(CompileTest, HostRefusesBlocksOfManyThreads) {
  EXPECT_EQ(load(reduction, "sum"), nullptr);
  EXPECT_NE(messages.find("expected a schedule of threads = 1 for the CPU, but "
                          "got 64"),
            std::string::npos)
      << messages;
}

TEST_F(CompileTest, HostRefusesShuffles) {
  std::string oneThread = reduction;
  oneThread.replace(oneThread.find("<i32: 64,"), 9, "<i32: 1,");
  EXPECT_EQ(load(oneThread, "sum"), nullptr);
  EXPECT_NE(messages.find("'gpu.shuffle' op expected an op that a block of "
                          "one thread"),
            std::string::npos)
      << messages;
}
