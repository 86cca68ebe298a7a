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

#include "EmulatorCode.h"
#include "EmulatorTensorMap.h"
#include "fuse/Codegen/Passes.h"
#include "fuse/Codegen/Translate.h"
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
    registry.insert<arith::ArithDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                    NVVM::NVVMDialect, scf::SCFDialect,
                    vector::VectorDialect>();
    mlir::fuse::registerCodegenTranslations(registry);
    context.appendDialectRegistry(registry);
    auto buffer = llvm::MemoryBuffer::getFile(FUSE_TEST_INPUTS "/matmul.mlir");
    text = (*buffer)->getBuffer().str();
  }

  /// Compiles the kernel with a fault. The error's text, or "".
  std::string compile(llvm::StringRef from = "", llvm::StringRef to = "") {
    std::string changed = text;
    size_t count = 0;
    for (size_t at = 0; !from.empty() && (at = changed.find(from, at)) !=
                                             std::string::npos;
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
    passes.nest<gpu::GPUModuleOp>().addPass(
        mlir::fuse::createFuseGPUToNVVM());
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
      EXPECT_EQ(run(sizes, seed), "")
          << sizes.m << " x " << sizes.n << " x " << sizes.k << ", seed "
          << seed;
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
    // Stages of the ring.
    {"StageReleasedEarly",
     "%empty_s = llvm.getelementptr %empty[%other] :",
     "%empty_s = llvm.getelementptr %empty[%stage] :", "x"},
};

INSTANTIATE_TEST_SUITE_P(
    Faults, EmulatorMatmulFaultTest, testing::ValuesIn(faults),
    [](const testing::TestParamInfo<Fault> &info) { return info.param.name; });
