//===- PlanBuilderTest.cpp - Tests of plans -------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/PlanBuilder.h"
#include "fuse/Compiler/Frontend.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OwningOpRef.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace ::fuse::jit;
using namespace ::fuse::runtime;

namespace {
class PlanBuilder : public ::testing::Test {
protected:
  PlanBuilder() {
    context
        .loadDialect<mlir::fuse::FuseDialect, func::FuncDialect,
                     tensor::TensorDialect, arith::ArithDialect,
                     gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  }

  llvm::Expected<Plan> build(StringRef text) {
    auto parsed = parseProgram(context, text, "a.mlir");
    if (!parsed)
      return parsed.takeError();
    module = std::move(*parsed);
    auto entry = selectEntry(*module, "");
    if (!entry)
      return entry.takeError();
    return buildPlan(*entry);
  }

  std::string errorOf(StringRef text) {
    auto plan = build(text);
    return plan ? "no error" : llvm::toString(plan.takeError());
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};

const KernelSpec &kernel(const Plan &plan, unsigned step) {
  return std::get<KernelSpec>(plan.spec.steps[step]);
}

bool isRef(const KernelArg &arg, BufferRef::Kind kind, unsigned index) {
  const auto *ref = std::get_if<BufferRef>(&arg);
  return ref && ref->kind == kind && ref->index == index;
}
} // namespace

TEST_F(PlanBuilder, TempsViewsAndSizes) {
  auto plan = build(R"(
    func.func @f(%x: tensor<?x64xf16> {fuse.dims = ["T"]}, %w: tensor<64xf16>)
        -> tensor<?x8x8xf32> {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %T = tensor.dim %x, %c0 : tensor<?x64xf16>
      %g = arith.ceildivui %T, %c4 : index
      %h = fuse.launch @a::@a blocks(%g) threads(256)
           ins(%x, %w : tensor<?x64xf16>, tensor<64xf16>) sizes(%T)
           result_dims(%T) -> tensor<?x64xf32> {ops = ["cast", "mul"]}
      %v = tensor.expand_shape %h [[0], [1, 2]] output_shape [%T, 8, 8]
           : tensor<?x64xf32> into tensor<?x8x8xf32>
      %y = fuse.launch @b::@b blocks(%T) threads(32)
           ins(%v : tensor<?x8x8xf32>) sizes(%T, %g) result_dims(%T)
           -> tensor<?x8x8xf32>
      return %y : tensor<?x8x8xf32>
    })");
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  const ProgramSpec &spec = plan->spec;
  EXPECT_EQ(spec.symbols, std::vector<std::string>{"T"});
  ASSERT_EQ(spec.inputs.size(), 2u);
  EXPECT_EQ(spec.inputs[0].name, "x");
  EXPECT_EQ(spec.inputs[0].dtype, DType::F16);
  EXPECT_TRUE(spec.inputs[0].shape[0].isSymbol());
  ASSERT_EQ(spec.outputs.size(), 1u);
  EXPECT_EQ(spec.outputs[0].name, "y");
  ASSERT_EQ(spec.temps.size(), 1u);
  EXPECT_EQ(spec.temps[0].firstStep, 0u);
  EXPECT_EQ(spec.temps[0].lastStep, 1u);
  EXPECT_EQ(llvm::cantFail(spec.temps[0].numElements.evaluate({10})), 640);

  ASSERT_EQ(spec.steps.size(), 2u);
  const KernelSpec &a = kernel(*plan, 0);
  EXPECT_EQ(a.symbol, "a");
  EXPECT_EQ(a.ops, "cast, mul");
  EXPECT_EQ(a.threads, 256u);
  EXPECT_EQ(llvm::cantFail(a.grid.evaluate({10})), 3);
  EXPECT_EQ(llvm::cantFail(a.bytesRead.evaluate({10})), 10 * 64 * 2 + 64 * 2);
  EXPECT_EQ(llvm::cantFail(a.bytesWritten.evaluate({10})), 10 * 64 * 4);
  ASSERT_EQ(a.args.size(), 4u);
  EXPECT_TRUE(isRef(a.args[0], BufferRef::Kind::Input, 0));
  EXPECT_TRUE(isRef(a.args[1], BufferRef::Kind::Input, 1));
  EXPECT_TRUE(isRef(a.args[2], BufferRef::Kind::Temp, 0));

  // The view is the temp itself.
  const KernelSpec &b = kernel(*plan, 1);
  ASSERT_EQ(b.args.size(), 4u);
  EXPECT_TRUE(isRef(b.args[0], BufferRef::Kind::Temp, 0));
  EXPECT_TRUE(isRef(b.args[1], BufferRef::Kind::Output, 0));
  EXPECT_EQ(llvm::cantFail(std::get<SizeExpr>(b.args[3]).evaluate({10})), 3);
}

// Behind the sizes, with the buffer's element type; sizes first, then strides.
TEST_F(PlanBuilder, TensorMaps) {
  auto plan = build(R"(
    func.func @f(%x: tensor<?x64xf16> {fuse.dims = ["T"]}) -> tensor<?x64xf32> {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %T = tensor.dim %x, %c0 : tensor<?x64xf16>
      %y = fuse.launch @a::@a blocks(%T) threads(384)
           ins(%x : tensor<?x64xf16>) sizes(%T) result_dims(%T)
           map_dims(%c64, %c64, %T, %c64) -> tensor<?x64xf32>
           {tensor_maps = [#fuse.tensor_map<operand = 1, box = [32]>,
                           #fuse.tensor_map<operand = 0, box = [64, 128]>]}
      return %y : tensor<?x64xf32>
    })");
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  const KernelSpec &a = kernel(*plan, 0);
  ASSERT_EQ(a.args.size(), 5u);
  const auto &ofResult = std::get<TensorMapSpec>(a.args[3]);
  EXPECT_EQ(ofResult.buffer.kind, BufferRef::Kind::Output);
  EXPECT_EQ(ofResult.dtype, DType::F32);
  EXPECT_EQ(ofResult.sizes.size(), 1u);
  EXPECT_TRUE(ofResult.strides.empty());
  const auto &ofInput = std::get<TensorMapSpec>(a.args[4]);
  EXPECT_EQ(ofInput.buffer.kind, BufferRef::Kind::Input);
  EXPECT_EQ(ofInput.dtype, DType::F16);
  ASSERT_EQ(ofInput.sizes.size(), 2u);
  EXPECT_EQ(llvm::cantFail(ofInput.sizes[0].evaluate({10})), 64);
  EXPECT_EQ(llvm::cantFail(ofInput.sizes[1].evaluate({10})), 10);
  ASSERT_EQ(ofInput.strides.size(), 1u);
  EXPECT_EQ(llvm::cantFail(ofInput.strides[0].evaluate({10})), 64);
  EXPECT_EQ(ofInput.box[1], 128u);
  // A kernel that copies by a map reads all of the input.
  EXPECT_EQ(llvm::cantFail(a.bytesRead.evaluate({10})), 10 * 64 * 2);
}

TEST_F(PlanBuilder, ReturnedTwiceOrUntouched) {
  auto plan = build(R"(
    func.func @f(%x: tensor<4xf32>)
        -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %c1 = arith.constant 1 : index
      %y = fuse.launch @a::@a blocks(%c1) threads(32) ins(%x : tensor<4xf32>)
           -> tensor<4xf32> {in_place = [[0, 0]]}
      return %y, %y, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    })");
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  ASSERT_EQ(plan->spec.steps.size(), 3u);
  const auto &second = std::get<CopySpec>(plan->spec.steps[1]);
  EXPECT_EQ(second.from.kind, BufferRef::Kind::Output);
  EXPECT_EQ(second.from.index, 0u);
  EXPECT_EQ(second.to.index, 1u);
  const auto &third = std::get<CopySpec>(plan->spec.steps[2]);
  EXPECT_EQ(third.from.kind, BufferRef::Kind::Input);
  EXPECT_EQ(third.bytes.constantValue(), 16);
  // The copy reads the input after the kernel.
  EXPECT_TRUE(plan->spec.outputs[0].mayAlias.empty());
}

TEST_F(PlanBuilder, Constants) {
  auto plan = build(R"(
    func.func @f() -> tensor<2xi1> {
      %c = fuse.constant dense<[true, false]> : tensor<2xi1>
      return %c : tensor<2xi1>
    })");
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(plan->spec.constants[0].bytes, (std::vector<uint8_t>{1, 0}));
  EXPECT_EQ(plan->spec.steps.size(), 1u);
}

static std::string inPlaceProgram(StringRef pairs, StringRef tail) {
  return (R"(
    func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32> {fuse.in_place = "x"})
    {
      %c1 = arith.constant 1 : index
      %y = fuse.launch @a::@a blocks(%c1) threads(32)
           ins(%x, %x : tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> )" +
          pairs + "\n" + tail)
      .str();
}

TEST_F(PlanBuilder, InPlaceNeedsAProof) {
  StringRef end = "return %y : tensor<4xf32> }";
  auto plan = build(inPlaceProgram("{in_place = [[0, 0], [0, 1]]}", end));
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(plan->inPlace[0], 0u);
  ASSERT_EQ(plan->spec.outputs[0].mayAlias.size(), 1u);
  EXPECT_EQ(plan->spec.outputs[0].mayAlias[0], 0u);

  // Operand 1 is the same buffer and has no proof.
  EXPECT_NE(errorOf(inPlaceProgram("{in_place = [[0, 0]]}", end))
                .find("expected result 'y' to be safe in the buffer of 'x'"),
            std::string::npos);
  EXPECT_NE(errorOf(inPlaceProgram("", end)).find("'x'"), std::string::npos);
}

TEST_F(PlanBuilder, InPlaceEndsWithALaterReader) {
  EXPECT_NE(errorOf(R"(
    func.func @f(%x: tensor<4xf32>)
        -> (tensor<4xf32> {fuse.in_place = "x"}, tensor<4xf32>) {
      %c1 = arith.constant 1 : index
      %y = fuse.launch @a::@a blocks(%c1) threads(32) ins(%x : tensor<4xf32>)
           -> tensor<4xf32> {in_place = [[0, 0]]}
      %z = fuse.launch @b::@b blocks(%c1) threads(32) ins(%x : tensor<4xf32>)
           -> tensor<4xf32>
      return %y, %z : tensor<4xf32>, tensor<4xf32>
    })")
                .find("overwritten before its last use"),
            std::string::npos);
}

TEST_F(PlanBuilder, ReshapesMustKeepTheElements) {
  StringRef text = R"(
    func.func @f(%x: tensor<?xf32>, %t: tensor<?xf32>) -> tensor<?x8xf32> {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %t, %c0 : tensor<?xf32>
      %v = tensor.expand_shape %x [[0, 1]] output_shape [%n, 8]
           : tensor<?xf32> into tensor<?x8xf32>
      return %v : tensor<?x8xf32>
    })";
  EXPECT_NE(errorOf(text).find("a.mlir:5:12: expected a reshape to x.0"),
            std::string::npos)
      << errorOf(text);
}

TEST_F(PlanBuilder, ReshapesBackAndForth) {
  auto plan = build(R"(
    func.func @f(%x: tensor<?x?x64xf32>) -> tensor<?x?x8x8xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %b = tensor.dim %x, %c0 : tensor<?x?x64xf32>
      %t = tensor.dim %x, %c1 : tensor<?x?x64xf32>
      %v = tensor.collapse_shape %x [[0, 1], [2]]
           : tensor<?x?x64xf32> into tensor<?x64xf32>
      %w = tensor.expand_shape %v [[0, 1], [2, 3]] output_shape [%b, %t, 8, 8]
           : tensor<?x64xf32> into tensor<?x?x8x8xf32>
      return %w : tensor<?x?x8x8xf32>
    })");
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(plan->spec.steps.size(), 1u);
}

TEST_F(PlanBuilder, StridesAndChecks) {
  auto plan = build(R"(
    func.func @f(%x: tensor<?x8xf32> {fuse.dims = ["T"],
                                      fuse.strided = "rows"})
        -> tensor<?x8xf32> {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %T = tensor.dim %x, %c0 : tensor<?x8xf32>
      %s = fuse.stride %x dim = 0 : tensor<?x8xf32>
      %t = fuse.stride %x dim = 0 : tensor<?x8xf32>
      %n = arith.addi %t, %c8 : index
      fuse.require %s ge %c8 "rows that do not overlap"
      fuse.require %T eq %c8 "8 rows"
      %y = fuse.launch @a::@a blocks(%T) threads(32)
           ins(%x : tensor<?x8xf32>) sizes(%T, %s, %n) result_dims(%T)
           -> tensor<?x8xf32>
      return %y : tensor<?x8xf32>
    })");
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  const ProgramSpec &spec = plan->spec;
  EXPECT_EQ(spec.symbols, std::vector<std::string>{"T"});
  ASSERT_EQ(spec.strides.size(), 1u);
  EXPECT_EQ(spec.strides[0].tensor, 0u);
  EXPECT_EQ(spec.strides[0].dim, 0u);
  EXPECT_EQ(spec.inputs[0].layout, Layout::Rows);
  const KernelSpec &a = kernel(*plan, 0);
  EXPECT_EQ(llvm::cantFail(std::get<SizeExpr>(a.args[3]).evaluate({5, 9})), 9);
  EXPECT_EQ(llvm::cantFail(std::get<SizeExpr>(a.args[4]).evaluate({5, 9})), 17);
  ASSERT_EQ(spec.checks.size(), 2u);
  EXPECT_EQ(spec.checks[0].kind, CheckSpec::Kind::AtLeast);
  EXPECT_EQ(spec.checks[0].message, "rows that do not overlap");
  EXPECT_EQ(llvm::cantFail(spec.checks[0].lhs.evaluate({5, 9})), 9);
  EXPECT_EQ(spec.checks[1].kind, CheckSpec::Kind::Equal);
  EXPECT_EQ(spec.checks[1].rhs.constantValue(), 8);
}

TEST_F(PlanBuilder, AViewIsNotReturned) {
  EXPECT_EQ(errorOf(R"(
    func.func @f(%x: tensor<4xf32> {fuse.strided = "any"}) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    })"),
            "a.mlir:2:18: expected 'x' to be contiguous, because the program "
            "returns it or a changed copy of it, but got a strided view; make "
            "a contiguous copy");
}

static const CopySpec &copy(const Plan &plan, unsigned step) {
  return std::get<CopySpec>(plan.spec.steps[step]);
}

/// A launch of @k that writes a part of a copy of `into`.
static std::string update(StringRef result, StringRef kernel, StringRef into,
                          StringRef others = "") {
  std::string types = "tensor<4xf32>";
  for (size_t i = 0; i < others.count('%'); ++i)
    types += ", tensor<4xf32>";
  return ("%" + result + " = fuse.launch @" + kernel + "::@" + kernel +
          " blocks(%c1) threads(32) ins(%" + into + others + " : " + types +
          ") -> tensor<4xf32> {copies = [[0, 0]]}\n")
      .str();
}

static std::string program(const Twine &body, StringRef results = "%y",
                           StringRef types = "tensor<4xf32>") {
  return ("func.func @f(%x: tensor<4xf32>) -> (" + types +
          ") {\n%c1 = arith.constant 1 : index\n" + body + "return " + results +
          " : " + types + "\n}")
      .str();
}

TEST_F(PlanBuilder, CopiesBeforeAnUpdate) {
  auto plan = build(program(update("y", "a", "x")));
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  ASSERT_EQ(plan->spec.steps.size(), 2u);
  EXPECT_EQ(copy(*plan, 0).from.kind, BufferRef::Kind::Input);
  EXPECT_EQ(copy(*plan, 0).to.kind, BufferRef::Kind::Output);
  EXPECT_EQ(copy(*plan, 0).bytes.constantValue(), 16);
  EXPECT_TRUE(isRef(kernel(*plan, 1).args[1], BufferRef::Kind::Output, 0));
  // The caller may pass one buffer for both.
  ASSERT_EQ(plan->spec.outputs[0].mayAlias.size(), 1u);
  EXPECT_EQ(plan->spec.outputs[0].mayAlias[0], 0u);
}

TEST_F(PlanBuilder, AChainOfUpdatesCopiesOnce) {
  auto plan = build(program(update("a", "a", "x") + update("b", "b", "a") +
                            update("y", "c", "b")));
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  ASSERT_EQ(plan->spec.steps.size(), 4u);
  EXPECT_EQ(copy(*plan, 0).to.kind, BufferRef::Kind::Output);
  for (unsigned step : {1u, 2u, 3u})
    EXPECT_TRUE(isRef(kernel(*plan, step).args[1], BufferRef::Kind::Output, 0));
  EXPECT_TRUE(plan->spec.temps.empty());
  EXPECT_EQ(plan->spec.outputs[0].mayAlias.size(), 1u);
}

TEST_F(PlanBuilder, WhatIsNeededLaterIsNotUpdated) {
  // %a is also an operand of the third launch.
  auto plan = build(program(update("a", "a", "x") + update("b", "b", "a") +
                            update("y", "c", "b", ", %a")));
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  ASSERT_EQ(plan->spec.steps.size(), 5u);
  EXPECT_EQ(copy(*plan, 0).to.kind, BufferRef::Kind::Temp);
  EXPECT_EQ(copy(*plan, 2).from.kind, BufferRef::Kind::Temp);
  EXPECT_EQ(copy(*plan, 2).to.kind, BufferRef::Kind::Output);
  ASSERT_EQ(plan->spec.temps.size(), 1u);
  EXPECT_EQ(plan->spec.temps[0].firstStep, 0u);
  EXPECT_EQ(plan->spec.temps[0].lastStep, 4u);

  // It is another operand of the same launch.
  plan = build(program(update("a", "a", "x") + update("y", "b", "a", ", %a")));
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(plan->spec.steps.size(), 4u);
  EXPECT_EQ(copy(*plan, 2).to.kind, BufferRef::Kind::Output);

  // It is returned too; so is the input.
  plan =
      build(program(update("a", "a", "x") + update("y", "b", "a"), "%a, %y, %x",
                    "tensor<4xf32>, tensor<4xf32>, tensor<4xf32>"));
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  ASSERT_EQ(plan->spec.steps.size(), 5u);
  EXPECT_EQ(copy(*plan, 2).from.kind, BufferRef::Kind::Output);
  EXPECT_EQ(copy(*plan, 2).from.index, 0u);
  EXPECT_EQ(copy(*plan, 2).to.index, 1u);
  EXPECT_TRUE(plan->spec.outputs[0].mayAlias.empty());
}

TEST_F(PlanBuilder, AViewThatIsReadLaterCounts) {
  auto plan = build(program(update("a", "a", "x") + update("b", "b", "a") +
                            R"(
      %v = tensor.expand_shape %a [[0, 1]] output_shape [2, 2]
           : tensor<4xf32> into tensor<2x2xf32>
      %y = fuse.launch @c::@c blocks(%c1) threads(32)
           ins(%b, %v : tensor<4xf32>, tensor<2x2xf32>) -> tensor<4xf32>
)"));
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(plan->spec.temps.size(), 2u);
}

TEST_F(PlanBuilder, OnlyWhatIsReadCounts) {
  auto plan = build(R"(
    func.func @f(%x: tensor<4xf32>, %like: tensor<4xf32>) -> tensor<4xf32> {
      %c1 = arith.constant 1 : index
      %y = fuse.launch @m::@k blocks(%c1) threads(32)
           ins(%x, %like : tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    gpu.module @m {
      gpu.func @k(%x: !llvm.ptr, %like: !llvm.ptr, %y: !llvm.ptr) kernel {
        %0 = llvm.load %x : !llvm.ptr -> f32
        llvm.store %0, %y : f32, !llvm.ptr
        gpu.return
      }
    })");
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_EQ(kernel(*plan, 0).bytesRead.constantValue(), 16);
}

TEST_F(PlanBuilder, KernelsThatWaitAreLaunchedAhead) {
  auto plan = build(R"(
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %c1 = arith.constant 1 : index
      %h = fuse.launch @m::@waits blocks(%c1) threads(32)
           ins(%x : tensor<4xf32>) -> tensor<4xf32>
      %y = fuse.launch @m::@signals blocks(%c1) threads(32)
           ins(%h : tensor<4xf32>) -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
    gpu.module @m {
      gpu.func @waits(%x: !llvm.ptr, %y: !llvm.ptr) kernel {
        nvvm.griddepcontrol wait
        gpu.return
      }
      gpu.func @signals(%x: !llvm.ptr, %y: !llvm.ptr) kernel {
        nvvm.griddepcontrol launch_dependents
        gpu.return
      }
    })");
  ASSERT_TRUE(bool(plan)) << llvm::toString(plan.takeError());
  EXPECT_TRUE(kernel(*plan, 0).waits);
  EXPECT_FALSE(kernel(*plan, 1).waits);
}

TEST_F(PlanBuilder, RefusesOtherOps) {
  EXPECT_NE(errorOf(R"(
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %y = fuse.neg %x : tensor<4xf32>
      return %y : tensor<4xf32>
    })")
                .find("a.mlir:3:12: expected launches, reshapes and size "
                      "arithmetic after lowering, but got 'fuse.neg'"),
            std::string::npos);
}

TEST_F(PlanBuilder, KernelsHaveDistinctNames) {
  EXPECT_NE(errorOf(R"(
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %c1 = arith.constant 1 : index
      %y = fuse.launch @a::@k blocks(%c1) threads(32) ins(%x : tensor<4xf32>)
           -> tensor<4xf32>
      %z = fuse.launch @b::@k blocks(%c1) threads(32) ins(%y : tensor<4xf32>)
           -> tensor<4xf32>
      return %z : tensor<4xf32>
    })")
                .find("expected kernels of distinct names, but got 'k' twice"),
            std::string::npos);
}
