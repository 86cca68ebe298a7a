//===- OpNamesTest.cpp - Ops by the names that people know them by --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Explain/OpNames.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace ::fuse::jit;

namespace {
class OpNames : public ::testing::Test {
protected:
  OpNames() {
    context.loadDialect<mlir::fuse::FuseDialect, tensor::TensorDialect>();
  }

  bool isOp(StringRef name) {
    return RegisteredOperationName::lookup(name, &context).has_value();
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};
} // namespace

TEST_F(OpNames, ARemedyNamesOpsThatThereAre) {
  forEachKnownName([&](StringRef name, StringRef remedy) {
    for (StringRef prefix : {"fuse.", "tensor."})
      for (size_t at = remedy.find(prefix); at != StringRef::npos;
           at = remedy.find(prefix, at + 1)) {
        StringRef op = remedy.substr(at).take_while(
            [](char c) { return llvm::isAlnum(c) || c == '.' || c == '_'; });
        EXPECT_TRUE(isOp(op)) << op.str() << ", for " << name.str();
      }
  });
}

TEST_F(OpNames, ANameStandsOnceAndIsNoOpsOwn) {
  llvm::StringSet<> seen;
  forEachKnownName([&](StringRef name, StringRef) {
    EXPECT_TRUE(seen.insert(name).second) << name.str();
    EXPECT_FALSE(isOp(("fuse." + name).str())) << name.str();
    EXPECT_EQ(name.lower(), name.str());
    EXPECT_EQ(name.find('_'), StringRef::npos) << name.str();
  });
}

TEST_F(OpNames, MeaningComesBeforeLetters) {
  auto expectNamed = [&](StringRef name, StringRef op) {
    std::string remedy = replacementFor(name, context);
    EXPECT_NE(remedy.find(op.str()), std::string::npos)
        << name.str() << ": " << remedy;
  };
  expectNamed("fuse.topk", "fuse.top_k");
  expectNamed("fuse.sort", "longer ones outside");
  expectNamed("fuse.gelu_new", "fuse.gelu tanh");
  expectNamed("fuse.where", "fuse.select");
  expectNamed("fuse.std", "fuse.reduce mean");
  expectNamed("fuse.view", "tensor.expand_shape");
  expectNamed("fuse.LayerNorm", "fuse.layer_norm");
  expectNamed("torch.aten.mean.dim", "fuse.reduce mean");
  expectNamed("stablehlo.dot_general", "fuse.matmul");
  expectNamed("math.rsqrt", "fuse.rsqrt");
  expectNamed("bmm", "fuse.matmul");
}

TEST_F(OpNames, SlipsOfTheKeyboardAreNear) {
  EXPECT_EQ(replacementFor("fuse.gelo", context), "did you mean 'fuse.gelu'?");
  EXPECT_EQ(replacementFor("fuse.rms_nrom", context),
            "did you mean 'fuse.rms_norm'?");
  EXPECT_EQ(replacementFor("fuse.frobnicate", context), "");
  // Of so few letters each name is near.
  EXPECT_EQ(replacementFor("fuse.xyz", context), "");
}
