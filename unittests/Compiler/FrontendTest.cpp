//===- FrontendTest.cpp - Tests of parsing and naming ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/Frontend.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace ::fuse::jit;
using mlir::fuse::kNameAttr;

namespace {
class Frontend : public ::testing::Test {
protected:
  Frontend() {
    context.loadDialect<mlir::fuse::FuseDialect, func::FuncDialect,
                        tensor::TensorDialect, arith::ArithDialect>();
  }

  /// The entry, or "" and the error.
  func::FuncOp parse(StringRef text, StringRef entry = "") {
    auto parsed = parseProgram(context, text, "a.mlir");
    if (!parsed) {
      error = llvm::toString(parsed.takeError());
      return nullptr;
    }
    module = std::move(*parsed);
    auto function = selectEntry(*module, entry);
    if (!function) {
      error = llvm::toString(function.takeError());
      return nullptr;
    }
    return *function;
  }

  static StringRef argName(func::FuncOp function, unsigned index) {
    return function.getArgAttrOfType<StringAttr>(index, kNameAttr).getValue();
  }
  static StringRef resultName(func::FuncOp function, unsigned index) {
    return function.getResultAttrOfType<StringAttr>(index, kNameAttr)
        .getValue();
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  std::string error;
};
} // namespace

TEST_F(Frontend, NamesComeFromTheText) {
  func::FuncOp f = parse(R"(
    func.func @f(%gate: tensor<4xf32>, %0: tensor<4xf32> {fuse.name = "up"})
        -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
      %y = fuse.add %gate, %0 : tensor<4xf32>
      %1 = fuse.mul %gate, %0 : tensor<4xf32>
      return %y, %1, %gate : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
    })");
  ASSERT_TRUE(f) << error;
  EXPECT_EQ(argName(f, 0), "gate");
  EXPECT_EQ(argName(f, 1), "up");
  EXPECT_EQ(resultName(f, 0), "y");
  EXPECT_EQ(resultName(f, 1), "out1");
  EXPECT_EQ(resultName(f, 2), "out2");
}

TEST_F(Frontend, ErrorsHaveAPlaceAndARemedy) {
  EXPECT_FALSE(parse("func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                     "  %y = fuse.gelo tanh %x : tensor<4xf32>\n"
                     "  return %y : tensor<4xf32>\n}"));
  EXPECT_EQ(error, "a.mlir:2:8: custom op 'fuse.gelo' is unknown; did you "
                   "mean 'fuse.gelu'?");
}

TEST_F(Frontend, SuggestsOpsOnlyForUnknownOnes) {
  EXPECT_FALSE(parse("func.func @f(4: tensor<4xf32>)"));
  EXPECT_EQ(error.find("did you mean"), std::string::npos) << error;
}

TEST_F(Frontend, NestedModule) {
  func::FuncOp f = parse(R"(module {
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    }})");
  ASSERT_TRUE(f) << error;
  EXPECT_EQ(f->getParentOp(), module.get());
}

TEST_F(Frontend, TheEntryMustBeClear) {
  StringRef two = R"(
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
    func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
    func.func private @h(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> })";
  EXPECT_FALSE(parse(two));
  EXPECT_EQ(error, "a.mlir:1:1: expected one public function, but got 2 (f, "
                   "g); name one in the option entry");
  EXPECT_FALSE(parse(two, "h"));
  EXPECT_EQ(error, "a.mlir:1:1: expected a public function called 'h', but got "
                   "f, g; name one of these as the entry");
  EXPECT_EQ(parse(two, "g").getName(), "g");
}

TEST_F(Frontend, RefusesTypesThatTheRuntimeLacks) {
  EXPECT_FALSE(parse("func.func @f(%x: i32) -> i32 { return %x : i32 }"));
  EXPECT_EQ(error,
            "a.mlir:1:14: expected argument 0 of @f to be a ranked "
            "tensor of f8E4M3FN, f8E5M2, f16, bf16, f32, f64, i1, i8, "
            "i16, i32, i64 or ui8, but got i32; make it a tensor<i32>, as "
            "fuse.constant dense<...> is");
}

TEST_F(Frontend, RefusesBytesThatOverflow) {
  EXPECT_FALSE(parse("func.func @f(%x: tensor<4611686018427387904x2xf32>) "
                     "-> tensor<4611686018427387904x2xf32> {\n"
                     "  return %x : tensor<4611686018427387904x2xf32>\n}"));
  EXPECT_NE(error.find("expected a tensor of fewer than 2^63 bytes"),
            std::string::npos)
      << error;
}

TEST_F(Frontend, RefusesReassociationsThatMLIRTakes) {
  EXPECT_FALSE(
      parse("func.func @f(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {\n"
            "  %y = tensor.collapse_shape %x [[4294967296, 1], [2]]\n"
            "      : tensor<2x3x4xf32> into tensor<6x4xf32>\n"
            "  return %y : tensor<6x4xf32>\n}"));
  EXPECT_EQ(error, "a.mlir:2:8: 'tensor.collapse_shape' op expected its "
                   "dimensions to count up from 0, but got 4294967296; write "
                   "them as in [[0, 1], [2]]");
}

TEST_F(Frontend, RefusesDimensionsThatATensorLacks) {
  EXPECT_FALSE(parse("func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                     "  %c = arith.constant 9223372036854775807 : index\n"
                     "  %n = tensor.dim %x, %c : tensor<?xf32>\n"
                     "  return %x : tensor<?xf32>\n}"));
  EXPECT_EQ(error, "a.mlir:3:8: 'tensor.dim' op expected a dimension of its "
                   "tensor, but got 9223372036854775807; count from 0");
}

TEST_F(Frontend, RefusesEmptyGroups) {
  EXPECT_FALSE(parse(
      "func.func @f(%x: tensor<?x4xf32>, %n: index) -> tensor<?x2x2xf32> {\n"
      "  %y = tensor.expand_shape %x [[], [1, 2]] output_shape [%n, 2, 2]\n"
      "      : tensor<?x4xf32> into tensor<?x2x2xf32>\n"
      "  return %y : tensor<?x2x2xf32>\n}"));
  EXPECT_NE(error.find("but got an empty group"), std::string::npos) << error;
}
