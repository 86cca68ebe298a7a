//===- KernelKeyTest.cpp - What tells kernels apart -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParseProgram.h"
#include "fuse/Schedule/TuningFile.h"
#include <set>

using namespace mlir;
using namespace mlir::fuse;

namespace {
class KernelKeyTest : public ProgramTest {
protected:
  std::string key(StringRef text, bool divisible = true,
                  CallSize size = CallSize::large) {
    func::FuncOp function = parse(text);
    DimClasses dims(function);
    return kernelKey(*function.getOps<KernelOp>().begin(), dims, divisible,
                     size);
  }
};

constexpr StringLiteral program = R"(
  func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %r = fuse.kernel "k" ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> {
    ^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>):
      %s = fuse.add %a, %b : tensor<?x?xf32>
      fuse.yield %s : tensor<?x?xf32>
    }
    return %r : tensor<?x?xf32>
  })";
} // namespace

TEST_F(KernelKeyTest, IsTheSameFromRunToRun) {
  // A change here makes all tuning files useless.
  EXPECT_EQ(key(program), "dc1923dad24af788986fb459e7c53272");
}

TEST_F(KernelKeyTest, DoesNotDependOnNamesPlacesAndSchedules) {
  std::string expected = key(program);
  EXPECT_EQ(key(R"(


  func.func @other(%u: tensor<4xf32>, %p: tensor<?x?xf32>, %q: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %0 = fuse.kernel "other" ins(%p, %q : tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
        schedule = #fuse.pointwise<threads = 64, vector = 1, unroll = 1> {
    ^bb0(%1: tensor<?x?xf32>, %2: tensor<?x?xf32>):
      %3 = fuse.add %1, %2 : tensor<?x?xf32> loc("elsewhere":1:2)
      fuse.yield %3 : tensor<?x?xf32>
    }
    return %0 : tensor<?x?xf32>
  })"),
            expected);
}

TEST_F(KernelKeyTest, DoesNotDependOnPredictedTimes) {
  std::string text = program.str(), op = "fuse.add %a, %b";
  text.replace(
      text.find(op), op.size(),
      op + " {fuse.in_tiles = [1.0, 2.0], fuse.row_scale = [1.0, 2.0]}");
  EXPECT_EQ(key(text), key(program));
}

TEST_F(KernelKeyTest, DependsOnOpsTypesDimsAndFacts) {
  std::string text = program.str();
  auto changed = [&](StringRef from, StringRef to) {
    std::string result = text;
    for (size_t at = 0; (at = result.find(from, at)) != std::string::npos;
         at += to.size())
      result.replace(at, from.size(), to);
    return key(result);
  };
  std::string expected = key(text);
  EXPECT_NE(changed("fuse.add", "fuse.mul"), expected);
  EXPECT_NE(changed("f32", "f16"), expected);
  EXPECT_NE(changed("?x?x", "?x64x"), expected);
  EXPECT_NE(key(text, /*divisible=*/false), expected);
  std::set<std::string> keys;
  for (CallSize size : allCallSizes)
    keys.insert(key(text, /*divisible=*/true, size));
  EXPECT_EQ(keys.size(), allCallSizes.size());
  EXPECT_NE(changed("%x: tensor<?x?xf32>",
                    "%x: tensor<?x?xf32> {fuse.strided = \"rows\"}"),
            expected);
}

TEST_F(KernelKeyTest, TellsEqualDimsFromOthers) {
  auto square = [&](StringRef result) {
    return key(("func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: "
                "tensor<?x?xf32>) -> tensor<?x?xf32> {\n" +
                result +
                "%r = fuse.kernel \"k\" ins(%x, %z : tensor<?x?xf32>, "
                "tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
                "^bb0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>):\n"
                "%e = fuse.exp %a : tensor<?x?xf32>\n"
                "fuse.yield %e : tensor<?x?xf32>\n}\n"
                "return %r : tensor<?x?xf32>\n}")
                   .str());
  };
  EXPECT_NE(square(""), square("%s = fuse.add %x, %z : tensor<?x?xf32>\n"));
}
