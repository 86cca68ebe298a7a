//===- SourceTest.cpp - Tests of the checks before parsing ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/Source.h"
#include "gtest/gtest.h"

using namespace fuse::jit;
using llvm::StringRef;

static std::string check(StringRef text) {
  return llvm::toString(checkSource(text, "a.mlir"));
}

static std::string repeat(StringRef text, unsigned count) {
  std::string result;
  while (count-- > 0)
    result += text;
  return result;
}

TEST(Source, TakesOrdinaryText) {
  EXPECT_EQ(check("func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n"
                  "  return %x : tensor<?x4xf32>\n}\n"),
            "");
}

TEST(Source, RefusesBytecode) {
  EXPECT_EQ(check("ML\xefR\x01"),
            "a.mlir: expected MLIR text, but got MLIR bytecode; print it as "
            "text with mlir-opt first");
}

TEST(Source, RefusesDeepNesting) {
  for (StringRef bracket : {"(", "[", "{", "<"}) {
    EXPECT_EQ(check(repeat(bracket, maxNesting)), "");
    EXPECT_EQ(check("\n\n " + repeat(bracket, 100'000)),
              "a.mlir:3:258: expected at most 256 nested brackets or chained "
              "operators, but got more; flatten the program");
  }
}

TEST(Source, RefusesLongOperatorChains) {
  EXPECT_EQ(check("affine_map<(d0) -> (d0 + 1, d0 mod 2)>"), "");
  for (StringRef chain : {"+ d0 ", "d0 floordiv 2 ", "- "})
    EXPECT_NE(check("affine_map<(d0) -> (" + repeat(chain, 100'000)), "");
}

TEST(Source, CountsNoBracketsInStringsAndComments) {
  EXPECT_EQ(check("\"" + repeat("(", 1000) + "\""), "");
  EXPECT_EQ(check("// " + repeat("(", 1000) + "\n"), "");
  // An escaped quote does not end the string.
  EXPECT_EQ(check("\"\\\"" + repeat("(", 1000) + "\""), "");
  // A comment ends with its line.
  EXPECT_NE(check("// x\n" + repeat("(", 1000)), "");
}

TEST(Source, ArrowsAndComparisonsCloseNothing) {
  // If they did, the nesting would never be seen.
  EXPECT_NE(check(repeat("(->", 1000)), "");
  EXPECT_NE(check(repeat("(d0 >= ", 1000)), "");
}

TEST(Source, RefusesArraysOfIndices) {
  for (StringRef array :
       {"array<index: 1>", "array <\n // x\n index>", "array<!alias: 1>"})
    EXPECT_NE(check("{a = " + array.str() + "}"), "") << array.str();
  EXPECT_EQ(check("{a = array<i64: 1>, my_array<index>, \"array<index>\"}"),
            "");
  EXPECT_EQ(check("\n array<index: 1>"),
            "a.mlir:2:6: expected a dense array of integers or floats, but got "
            "another type; write array<i64: ...>");
}

TEST(Source, RefusesNegativeDimensionsOfConcat) {
  for (StringRef concat :
       {"tensor.concat dim(-1)", "\"tensor.concat\"(%x) <{dim = -1}>",
        "tensor.concat dim( #alias)"})
    EXPECT_NE(check(concat), "") << concat.str();
  EXPECT_EQ(check("tensor.concat dim(-1)"),
            "a.mlir:1:17: expected the number of a dimension to be 0 or more, "
            "but got another; count from the first");
  EXPECT_EQ(check("tensor.concat dim(1) : dim = 0 offsets = [-1]"), "");
  // Ours has a verifier.
  EXPECT_EQ(check("fuse.scatter %x dim = -1"), "");
}

TEST(Source, RefusesNumbersOfResultsThatCannotBe) {
  for (StringRef value :
       {"%y#2147483647", "%0:2147483647 =", "%y # 2147483647",
        "%y\n // x\n #2147483647", "%0 : 2147483647 =", "%$a-b._#4294967295",
        "%y#99999999999999999999", "%y#000100"})
    EXPECT_NE(check(value), "") << value.str();
  EXPECT_EQ(check("\n  return %y#2147483647 : f32"),
            "a.mlir:2:10: expected at most 29 results in 29 bytes of program "
            "text, but got 2147483647 of %y; count results from 0");
  EXPECT_EQ(check("%a:3 = \"x.y\"() : () -> (i1, i1, i1)\n"
                  "return %a#0, %a#2, %a#00, %a : i1, i1, i1, i1"),
            "");
}

TEST(Source, CountsTheResultsOfAllValues) {
  // Of one value only the largest number counts.
  EXPECT_EQ(check("%a#20 %a#19 %a#20 %a#20"), "");
  EXPECT_NE(check("%a#20 %b#19 %c#20 %d#20"), "");
}

TEST(Source, TakesLargeNumbersElsewhere) {
  for (StringRef text :
       {"#2147483647", "dense<2147483647>", "#fuse.rows<threads = 2147483647>",
        "\"%y#2147483647\"", "// %y#2147483647", "%2147483647",
        "%x: tensor<2147483647xf32>", "#a = 2147483647 : i64", "%a, #b<999>",
        "%x : !a, 2147483647"})
    EXPECT_EQ(check(text), "") << text.str();
}

TEST(Source, NamesTheUnreadableFile) {
  auto missing = readSource("/nonexistent/a.mlir");
  EXPECT_EQ(llvm::toString(missing.takeError()),
            "/nonexistent/a.mlir: cannot read the program: No such file or "
            "directory; check the path");
  auto folder = readSource("/");
  EXPECT_EQ(llvm::toString(folder.takeError()),
            "/: expected a regular file; pass the path of a program, or - for "
            "standard input");
}
