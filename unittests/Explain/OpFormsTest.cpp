//===- OpFormsTest.cpp - How ops are written ------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpForms.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace ::fuse::jit;

namespace {
class OpForms : public ::testing::Test {
protected:
  OpForms() {
    context.loadDialect<mlir::fuse::FuseDialect, func::FuncDialect,
                        tensor::TensorDialect>();
  }

  /// The values that the example names, with its types: one each, or one for
  /// all.
  static std::string argumentsOf(StringRef example) {
    auto [op, types] = example.rsplit(" : ");
    SmallVector<StringRef> list;
    types.split("->").first.split(" into ").first.trim().split(list, ", ");
    std::string arguments;
    unsigned next = 0;
    while (op.contains('%')) {
      op = op.drop_front(op.find('%'));
      StringRef name =
          op.take_front(1 + op.drop_front().take_while(llvm::isAlnum).size());
      op = op.drop_front(name.size());
      arguments += arguments.empty() ? "" : ", ";
      arguments += (name + ": " + list[list.size() == 1 ? 0 : next++]).str();
    }
    return arguments;
  }

  void expectValid(StringRef example) {
    std::string program = "func.func @f(" + argumentsOf(example) + ") {\n" +
                          example.str() + "\nreturn\n}";
    EXPECT_TRUE(parseSourceString<ModuleOp>(program, &context)) << program;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};
} // namespace

TEST_F(OpForms, EachOpOfProgramsHasAnExampleThatIsRight) {
  // What the compiler makes.
  StringRef internal[] = {"fuse.kernel", "fuse.launch",        "fuse.require",
                          "fuse.stride", "fuse.softmax_stats", "fuse.welford",
                          "fuse.scalar", "fuse.yield"};
  for (RegisteredOperationName op : context.getRegisteredOperations()) {
    if (op.getDialectNamespace() != "fuse" ||
        llvm::is_contained(internal, op.getStringRef()))
      continue;
    std::string example = exampleOf(op.getStringRef(), context);
    ASSERT_FALSE(example.empty()) << op.getStringRef().str();
    EXPECT_EQ(StringRef(example).split(' ').first, op.getStringRef());
    expectValid(example);
  }
}

TEST_F(OpForms, ReshapesHaveOneToo) {
  for (StringRef op : {"tensor.expand_shape", "tensor.collapse_shape"})
    expectValid(exampleOf(op, context));
}

TEST_F(OpForms, OthersHaveNone) {
  EXPECT_EQ(exampleOf("fuse.topk", context), "");
  EXPECT_EQ(exampleOf("fuse.kernel", context), "");
  EXPECT_EQ(exampleOf("", context), "");
}
