//===- EmulatorMatmulTest.cpp - Faults of a kernel with tensor cores ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inputs/matmul.mlir is right, at every size and whenever its copies and
// multiplications happen. With one fault it is refused, or wrong, each time.
//
//===----------------------------------------------------------------------===//

#include "EmulatorTensorMap.h"
#include "fuse/Codegen/Passes.h"
#include "fuse/Codegen/Translate.h"
#include "fuse/Compiler/ShimTable.h"
#include "fuse/Runtime/EmulatorModule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace ::fuse::runtime;
using testing::ContainsRegex;

namespace {

/// Rows of bf16 that begin at multiples of 16 bytes.
struct Matrix {
  Matrix(int64_t rows, int64_t columns, int64_t padding = 0)
      : rows(rows), columns(columns),
        pitch(llvm::alignTo(columns, 8) + padding), bits(rows * pitch + 8) {}

  uint16_t *data() {
    return reinterpret_cast<uint16_t *>(
        llvm::alignAddr(bits.data(), llvm::Align(16)));
  }
  float at(int64_t row, int64_t column) {
    return llvm::bit_cast<float>(uint32_t(data()[row * pitch + column]) << 16);
  }
  /// Whole numbers from -4 to 4, whose sums are exact.
  void fill(unsigned factor) {
    for (int64_t i = 0; i < rows * pitch; ++i)
      data()[i] =
          llvm::bit_cast<uint32_t>(float(i * factor % 31 * factor % 9) - 4) >>
          16;
  }
  int64_t bytes() const { return rows * pitch * sizeof(uint16_t); }

  int64_t rows;
  int64_t columns;
  /// In elements.
  int64_t pitch;
  std::vector<uint16_t> bits;
};

struct Sizes {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  /// Blocks.
  int64_t grid = 1;
};

/// A fault: what is replaced everywhere, by what, and the error. An empty error
/// stands for results that are wrong.
struct Fault {
  const char *name;
  const char *from;
  const char *to;
  const char *error;
  Sizes sizes = {128, 32, 320, 2};
};

class EmulatorMatmulTest : public testing::Test {
protected:
  EmulatorMatmulTest() {
    DialectRegistry registry;
    registry
        .insert<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                NVVM::NVVMDialect, scf::SCFDialect, vector::VectorDialect>();
    mlir::fuse::registerCodegenTranslations(registry);
    context.appendDialectRegistry(registry);
    auto buffer = llvm::MemoryBuffer::getFile(FUSE_TEST_INPUTS "/matmul.mlir");
    text = (*buffer)->getBuffer().str();
  }

  /// Compiles the kernel with a fault. The error's text, or "".
  std::string compile(llvm::StringRef from = "", llvm::StringRef to = "") {
    std::string changed = text;
    size_t count = 0;
    for (size_t at = 0;
         !from.empty() && (at = changed.find(from, at)) != std::string::npos;
         at += to.size(), ++count)
      changed.replace(at, from.size(), to);
    if (!from.empty() && count == 0)
      return "expected a fault that fits the kernel, but got '" + from.str() +
             "'";
    auto module = parseSourceString<ModuleOp>(changed, ParserConfig(&context),
                                              "matmul.mlir");
    if (!module)
      return "expected a module that parses";
    PassManager passes(&context);
    passes.nest<gpu::GPUModuleOp>().addPass(mlir::fuse::createFuseGPUToNVVM());
    if (failed(passes.run(*module)))
      return "expected a module that can be lowered";
    auto code = mlir::fuse::compileEmulatorObject(
        *module->getOps<gpu::GPUModuleOp>().begin(),
        ::fuse::jit::emulatorShims());
    if (!code)
      return llvm::toString(code.takeError());
    auto loaded = mlir::fuse::loadEmulatorObject(*code, {"matmul"},
                                                 ::fuse::jit::emulatorShims());
    if (!loaded)
      return llvm::toString(loaded.takeError());
    object = std::move(*loaded);
    return "";
  }

  TensorMap mapOf(Matrix &matrix, uint32_t columns, uint32_t rows,
                  TensorSwizzle swizzle) {
    TensorMapShape shape;
    shape.rank = 2;
    shape.elementBytes = 2;
    shape.sizes = {uint64_t(matrix.columns), uint64_t(matrix.rows)};
    shape.strides = {0, uint64_t(matrix.pitch) * 2};
    shape.box = {columns, rows};
    if (shape.isEmpty())
      return {};
    return llvm::cantFail(
               EmulatorTensorMap::make(matrix.data(), shape, swizzle))
        .asArgument();
  }

  /// Runs what was compiled. The error's text, "wrong", or "".
  std::string run(const Sizes &sizes, uint64_t seed) {
    Matrix a(sizes.m, sizes.k), b(sizes.n, sizes.k), c(sizes.m, sizes.n);
    a.fill(5);
    b.fill(7);
    TensorMap maps[] = {mapOf(a, 64, 64, swizzleA),
                        mapOf(b, 64, 16, TensorSwizzle::Bytes128),
                        mapOf(c, 16, 64, TensorSwizzle::Bytes32)};
    void *pointers[] = {a.data(), b.data(), c.data()};
    int32_t numbers[] = {int32_t(sizes.m), int32_t(sizes.n), int32_t(sizes.k)};
    SmallVector<void *> params;
    for (void *&pointer : pointers)
      params.push_back(&pointer);
    for (int32_t &number : numbers)
      params.push_back(&number);
    for (TensorMap &map : maps)
      params.push_back(&map);
    LaunchOperand operands[] = {{"a", a.bytes(), false, false},
                                {"b", b.bytes(), false, false},
                                {"c", c.bytes(), true, false}};
    EmulatorModuleOptions options;
    options.seed = seed;
    EmulatorModule module(object.entries, options);
    Launch launch;
    launch.name = "matmul";
    launch.kernel =
        llvm::cantFail(module.lookup("matmul", sharedBytes, /*cluster=*/1));
    launch.grid = sizes.grid;
    launch.threads = 160;
    launch.sharedBytes = sharedBytes;
    launch.params = params.data();
    launch.numParams = params.size();
    launch.operands = operands;
    if (llvm::Error error = module.launch(launch, {}))
      return llvm::toString(std::move(error));
    for (int64_t row = 0; row < sizes.m; ++row)
      for (int64_t column = 0; column < sizes.n; ++column)
        if (c.at(row, column) != expected(a, b, row, column))
          return llvm::formatv("wrong: {0} and not {1} at {2}, {3}",
                               c.at(row, column), expected(a, b, row, column),
                               row, column);
    return "";
  }

  static float expected(Matrix &a, Matrix &b, int64_t row, int64_t column) {
    float sum = 0;
    for (int64_t k = 0; k < a.columns; ++k)
      sum += a.at(row, k) * b.at(column, k);
    auto bits = llvm::bit_cast<uint32_t>(sum);
    bits += 0x7fff + (bits >> 16 & 1);
    return llvm::bit_cast<float>(bits & 0xffff0000);
  }

  static constexpr unsigned sharedBytes = 22560;

  MLIRContext context;
  std::string text;
  mlir::fuse::EmulatorObject object;
  TensorSwizzle swizzleA = TensorSwizzle::Bytes128;
};

} // namespace

TEST_F(EmulatorMatmulTest, IsRightAtEverySize) {
  ASSERT_EQ(compile(), "");
  for (Sizes sizes :
       {Sizes{64, 16, 64}, Sizes{1, 8, 1}, Sizes{63, 24, 65, 1},
        Sizes{130, 40, 130, 2}, Sizes{65, 8, 320, 1}, Sizes{200, 48, 1000, 3},
        Sizes{70, 40, 1, 1}, Sizes{70, 24, 0, 1}, Sizes{64, 16, 16, 2}})
    for (uint64_t seed = 0; seed < 6; ++seed)
      EXPECT_EQ(run(sizes, seed), "") << sizes.m << " x " << sizes.n << " x "
                                      << sizes.k << ", seed " << seed;
}

TEST_F(EmulatorMatmulTest, RefusesACopyWithAnotherSwizzle) {
  ASSERT_EQ(compile(), "");
  swizzleA = TensorSwizzle::None;
  for (uint64_t seed = 0; seed < 3; ++seed)
    EXPECT_THAT(
        run({64, 16, 64}, seed),
        ContainsRegex("expected the descriptor of A to have no swizzle, "
                      "as the copy that brought it, but got a swizzle "
                      "of 128 bytes"));
}

TEST_F(EmulatorMatmulTest, RefusesAssemblyThatItDoesNotKnow) {
  auto isRefused =
      ContainsRegex("expected wgmma.mma_async.sync.aligned.m64nNk16.f32 of two "
                    "bf16 or two f16 or .* but got the inline PTX '");
  EXPECT_THAT(compile("m64n16k16.f32.bf16.bf16", "m64n16k8.f32.tf32.tf32"),
              isRefused);
  EXPECT_THAT(compile("{$0, $1, $2,", "{$1, $0, $2,"), isRefused);
  EXPECT_THAT(compile("p, 1, 1, 0, 0;", "p, 1, 1, 0;"), isRefused);
  EXPECT_THAT(compile("p, 1, 1, 0, 0;", "p, 1, 2, 0, 0;"), isRefused);
  EXPECT_THAT(compile("=f,0,1,2,3,4,5,6,7,l,l,r", "=f,1,0,2,3,4,5,6,7,l,l,r"),
              isRefused);
  EXPECT_THAT(compile("setp.ne.b32 p, $18, 0;", "setp.eq.b32 p, $18, 0;"),
              isRefused);
  EXPECT_THAT(compile("wait_group.sync.aligned 0;", "wait_group.sync.aligned;"),
              isRefused);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

namespace {
class EmulatorMatmulFaultTest : public EmulatorMatmulTest,
                                public testing::WithParamInterface<Fault> {};
} // namespace

TEST_P(EmulatorMatmulFaultTest, IsFoundInEveryOrder) {
  const Fault &fault = GetParam();
  ASSERT_EQ(compile(fault.from, fault.to), "");
  for (uint64_t seed = 0; seed < 6; ++seed)
    EXPECT_THAT(run(fault.sizes, seed), ContainsRegex(fault.error))
        << "seed " << seed;
}

static constexpr const char *wrong = "^wrong";

static const Fault faults[] = {
    // The ring.
    {"StageReleasedEarly", "%empty_s = llvm.getelementptr %empty[%other] :",
     "%empty_s = llvm.getelementptr %empty[%stage] :",
     "expected 1 arrivals in phase 1 of the mbarrier"},
    {"StageReleasedBeforeItsGroupEnds",
     "nvvm.wgmma.wait.group.sync.aligned 1\n",
     "nvvm.wgmma.wait.group.sync.aligned 2\n",
     "expected a wgmma.wait_group, or a barrier behind one, between the load "
     "and the store of byte 0"},
    {"NoWaitForAFreeStage",
     "%free = nvvm.mbarrier.try_wait %empty_s, %parity : !llvm.ptr<3>, i32 -> "
     "i1",
     "%free = arith.constant true",
     "one more by mbarrier.arrive.expect_tx|between two stores to byte 0 .* "
     "since a TMA load wrote it"},
    {"NoWaitForAFullStage",
     "%there = nvvm.mbarrier.try_wait %full_s, %parity : !llvm.ptr<3>, i32 -> "
     "i1",
     "%there = arith.constant true",
     "expected a (load of what was written|wait for the phase of its "
     "mbarrier)"},
    {"AWaitThatIsNotRepeated", "%again = arith.xori %there, %true : i1",
     "%again = arith.constant false",
     "expected a wait for the phase of its mbarrier between the store and the "
     "load of byte"},
    {"WrongParityOfTheCopies",
     "iter_args(%tile_stage = %zero, %tile_parity = %one)",
     "iter_args(%tile_stage = %zero, %tile_parity = %zero)",
     "expected 1 arrivals in phase 0 of the mbarrier .*check who arrives, and "
     "the parity of the waits"},
    {"WrongParityOfTheMultiplications",
     "iter_args(%tile_stage = %zero, %tile_parity = %zero)",
     "iter_args(%tile_stage = %zero, %tile_parity = %one)",
     "expected a load of what was written|no waiter may be two phases behind"},
    {"ParityThatIsNotFlipped", "%flipped = arith.xori %parity, %stage : i32",
     "%flipped = arith.addi %parity, %zero : i32",
     "one more by mbarrier.arrive.expect_tx|between two stores to byte 0 .* "
     "since a TMA load wrote it"},
    {"CopiesStartAnewInTheNextTile",
     "scf.yield %stage_next, %parity_next : i32, i32\n        }\n      }",
     "scf.yield %zero, %one : i32, i32\n        }\n      }",
     "one more by mbarrier.arrive.expect_tx|between two stores to byte 0 .* "
     "since a TMA load wrote it"},
    {"MultiplicationsStartAnewInTheNextTile",
     "nvvm.cp.async.bulk.commit.group\n        }\n        scf.yield "
     "%stage_next, %parity_next",
     "nvvm.cp.async.bulk.commit.group\n        }\n        scf.yield "
     "%zero, %zero",
     "between the store and the load of byte 0 .* since a TMA load wrote it|no "
     "waiter may be two phases behind"},
    {"LastStageKept", "scf.if %frees_last {",
     "%never = arith.constant false\n scf.if %never {",
     "expected 1 arrivals in phase 3 of the mbarrier"},
    {"EveryThreadReleases", "%frees = arith.andi %leads, %is_later : i1",
     "%frees = arith.andi %is_later, %is_later : i1",
     "no waiter may be two phases behind"},
    {"TooFewBytesExpected", "expect_tx %full_s, %stage_bytes",
     "expect_tx %full_s, %c64", "but got 10176 more"},
    {"BytesOfOneOperandExpected",
     "nvvm.mbarrier.arrive.expect_tx %full_s, %stage_bytes",
     "%bytes_a = arith.constant 8192 : i32\n"
     "nvvm.mbarrier.arrive.expect_tx %full_s, %bytes_a",
     "but got 2048 more|between the store and the load of byte 8192"},
    {"TooManyBytesExpected",
     "nvvm.mbarrier.arrive.expect_tx %full_s, %stage_bytes",
     "%more_bytes = arith.addi %stage_bytes, %c16 : i32\n"
     "nvvm.mbarrier.arrive.expect_tx %full_s, %more_bytes",
     "expected 16 bytes more in phase 0 of the mbarrier"},
    // Steps of K.
    {"TailOfKLeftOut",
     "%k_up = arith.addi %k, %c63 : i32",
     "%k_up = arith.addi %k, %zero : i32",
     wrong,
     {128, 32, 330, 2}},
    {"OneCopyMore",
     "  %stage_next, %parity_next = scf.for %step = %zero to %steps",
     "%more = arith.addi %steps, %one : i32\n"
     "%stage_next, %parity_next = scf.for %step = %zero to %more",
     "expected a thread to wait for phase 5 of the mbarrier .*copy only what "
     "is used"},
    {"UndefinedSumsWithoutSteps",
     "%final = arith.select %has_steps, %done, %zeros : !sums",
     "%final = arith.select %true, %done, %zeros : !sums",
     "expected a sum that a multiplication has computed, but got one that none "
     "has",
     {70, 24, 0, 1}},
    {"AStageKeptWithOneStep",
     "%has_steps = arith.cmpi ne, %steps, %zero : i32",
     "%has_steps = arith.cmpi ugt, %steps, %one : i32",
     "expected 1 arrivals in phase 1 of the mbarrier",
     {130, 24, 60, 1}},
    // Multiplications.
    {"NoWaitForTheSums", "\"wgmma.wait_group.sync.aligned 0;\"",
     "\"wgmma.wait_group.sync.aligned "
     "1;\"",
     "expected the sums of wgmma.mma_async at matmul.mlir:[0-9]+ behind a wait "
     "that names them, but got a use before"},
    {"SumsOfTheLoop", "%final = arith.select %has_steps, %done, %zeros : !sums",
     "%final = arith.select %has_steps, %sums, %zeros : !sums",
     "expected the sums of wgmma.mma_async at matmul.mlir:[0-9]+ behind a wait "
     "that names them, but got a use before"},
    {"NoGroup", "nvvm.wgmma.commit.group.sync.aligned\n", "\n",
     "expected a wgmma.wait_group, or a barrier behind one, between the load "
     "and the store of byte 0"},
    {"NoFenceBeforeTheGroup", "nvvm.wgmma.fence.aligned\n", "\n",
     "expected wgmma.fence between the last use of registers and the "
     "wgmma.mma_async"},
    {"AddsToUndefinedSums", "%adds_word = arith.extui %adds : i1 to i32",
     "%adds_word = arith.constant 1 : i32",
     "but got sums that nothing has computed"},
    {"OverwritesSumsOfSteps",
     "%adds = arith.ori %is_later, %is_later_part : i1",
     "%adds = arith.ori %is_later_part, %is_later_part : i1", wrong},
    {"WrongSwizzleOfADescriptor", "0x4000004000010000", "0x8000004000010000",
     "expected the descriptor of A to have a swizzle of 128 bytes, as the copy "
     "that brought it, but got a swizzle of 64 bytes"},
    {"WrongStrideOfADescriptor", "0x4000004000010000", "0x4000002000010000",
     wrong},
    {"WrongStepOfADescriptor",
     "%advance = arith.addi %part_wide, %part_wide : i64",
     "%advance = arith.addi %part_wide, %units_wide : i64",
     "expected a load of what was written"},
    // Results.
    {"NoProxyFence",
     "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = "
     "#nvvm.shared_space<cta>}\n",
     "\n",
     "expected fence.proxy.async between the store and the load by a TMA store "
     "of byte 20480"},
    {"NoBarrierBeforeTheStore",
     "nvvm.barrier id = %one number_of_threads = %c128 // written", "",
     "expected a barrier between the store and the load of byte 204"},
    {"ABarrierOfTooManyThreads",
     "nvvm.barrier id = %one number_of_threads = %c128 // written",
     "%c160 = arith.constant 160 : i32\n"
     "nvvm.barrier id = %one number_of_threads = %c160",
     "and thread [0-9]+ at a barrier at matmul.mlir"},
    {"ResultsOverwritten", "nvvm.cp.async.bulk.wait_group 0 {read}", "",
     "expected a cp.async.bulk.wait_group.read and a barrier between the load "
     "and the store of byte"},
    {"NoWaitForTheLastStore", "nvvm.cp.async.bulk.wait_group 0 // all", "",
     "expected cp.async.bulk.wait_group 0 between this TMA store and the "
     "thread's end"},
    {"NoGroupOfStores", "nvvm.cp.async.bulk.commit.group", "",
     "expected a cp.async.bulk.wait_group.read and a barrier between the load "
     "and the store of byte"},
    {"WrongSwizzleOfResults", "%place = arith.xori %chunk, %row_bit : i32",
     "%place = arith.xori %chunk, %zero : i32", wrong},
    {"RaggedEdgeStored",
     "",
     "",
     "expected the rows of a TMA store to end with a whole chunk of 16 bytes, "
     "since it writes whole ones, but got 8 bytes",
     {70, 20, 65, 1}},
    {"ATileFewer",
     "%n_up = arith.addi %n, %c15 : i32",
     "%n_up = arith.addi %n, %zero : i32",
     "expected every byte of result 'c' to be written, but got 1024 of 3072",
     {64, 24, 64, 1}},
    // Starts.
    {"NoFenceOfTheBarriers", "nvvm.fence.mbarrier.init\n", "\n",
     "expected fence.mbarrier_init between mbarrier.init and the first copy"},
    {"NoBarrierBehindTheInits", "nvvm.barrier\n", "\n", "mbarrier.init"},
    {"ABarrierForTwo", "nvvm.mbarrier.init %empty_s, %one",
     "nvvm.mbarrier.init %empty_s, %c2",
     "expected 2 arrivals in phase 0 of the mbarrier|expected 1 arrivals in "
     "phase 1"},
};

INSTANTIATE_TEST_SUITE_P(Faults, EmulatorMatmulFaultTest,
                         testing::ValuesIn(faults),
                         [](const testing::TestParamInfo<Fault> &info) {
                           return info.param.name;
                         });
