//===- FactsTest.cpp ------------------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/Facts.h"
#include "TestPrograms.h"
#include "gtest/gtest.h"
#include <set>

using namespace fuse::runtime;
using llvm::cantFail;

namespace {
/// y[n] = f(x[n]) in bf16, and a buffer to view.
class FactsTest : public testing::Test {
protected:
  FactsTest() {
    SizeExpr n = SizeExpr::symbol(0);
    spec.name = "pointwise";
    spec.symbols = {"N"};
    spec.inputs = {{"x", DType::BF16, {n}, 2}};
    spec.outputs = {{{"y", DType::BF16, {n}, 2}, {}}};
  }

  TensorView tensor(int64_t n, int64_t byteOffset = 0) const {
    TensorView view;
    view.data = static_cast<char *>(buffer->data()) + byteOffset;
    view.dtype = DType::BF16;
    view.shape = {n};
    return view;
  }

  Facts facts(const TensorView &x, const TensorView &y) const {
    return cantFail(computeFacts(spec, {x}, {y}));
  }

  ProgramSpec spec;
  std::unique_ptr<HostBuffer> buffer = cantFail(HostBuffer::create(4096));
};
} // namespace

TEST_F(FactsTest, AllHold) {
  EXPECT_EQ(facts(tensor(8), tensor(8, 16)).str(),
            "aligned16, divisible, index32, separate");
}

TEST_F(FactsTest, InPlaceIsNotSeparate) {
  EXPECT_FALSE(facts(tensor(8), tensor(8)).separate);
  EXPECT_TRUE(facts(tensor(8), tensor(8, 16)).separate);
  EXPECT_TRUE(cantFail(computeFacts(spec, {tensor(8)}, {})).separate);
  TensorView empty = tensor(0);
  empty.data = nullptr;
  EXPECT_TRUE(facts(empty, empty).separate);
}

TEST_F(FactsTest, AlignmentOfEveryPointer) {
  EXPECT_FALSE(facts(tensor(8, 2), tensor(8)).aligned16);
  EXPECT_FALSE(facts(tensor(8), tensor(8, 8)).aligned16);
  EXPECT_TRUE(facts(tensor(8, 32), tensor(8, 16)).aligned16);
}

TEST_F(FactsTest, UnalignedInputBesideAlignedOnesIsOfLooseRows) {
  spec.inputs.push_back({"z", DType::BF16, {SizeExpr::symbol(0)}, 1});
  auto str = [&](const TensorView &x, const TensorView &z,
                 const TensorView &y) {
    return cantFail(computeFacts(spec, {x, z}, {y})).str();
  };
  TensorView x = tensor(8, 32), loose = tensor(8, 2), y = tensor(8, 16);
  EXPECT_EQ(str(x, loose, y),
            "aligned16, divisible, index32, separate, layouts: dense rows");
  EXPECT_EQ(str(loose, x, y),
            "aligned16, divisible, index32, separate, layouts: rows dense");
  // Not where nothing else is aligned, nor where an output is not.
  EXPECT_EQ(str(loose, loose, y), "divisible, index32, separate");
  EXPECT_EQ(str(x, loose, tensor(8, 9)), "divisible, index32, separate");
  // Numbers and views whose rows may start anywhere need no alignment.
  spec.inputs[1].isScalar = true;
  EXPECT_EQ(str(x, loose, y), "aligned16, divisible, index32, separate");
  spec.inputs[1].isScalar = false;
  loose.strides = {2};
  EXPECT_EQ(str(x, loose, y),
            "aligned16, divisible, index32, separate, layouts: dense any");
  // Nor does an only element.
  spec.inputs[1].shape = {};
  TensorView one = tensor(1, 2);
  one.shape = {};
  EXPECT_EQ(str(x, one, y), "aligned16, divisible, index32, separate");
  spec.inputs[1].shape = {SizeExpr::symbol(0)};
  // A layout that is the same in all calls stays.
  loose.strides = {};
  spec.inputs[1].layout = Layout::AlignedRows;
  EXPECT_EQ(str(x, loose, y), "divisible, index32, separate");
}

TEST_F(FactsTest, DivisibleCountsBytes) {
  for (int64_t n : {0, 8, 16, 4096})
    EXPECT_TRUE(facts(tensor(n), tensor(n)).divisible) << n;
  for (int64_t n : {1, 4, 7, 9, 12})
    EXPECT_FALSE(facts(tensor(n), tensor(n)).divisible) << n;
}

TEST_F(FactsTest, DivisibleLooksAtLastDynamicDimsOnly) {
  SizeExpr n = SizeExpr::symbol(0);
  spec.inputs[0].shape = {n, 3};
  spec.outputs[0].shape = {n, 3};
  TensorView x = tensor(5);
  x.shape = {5, 3};
  EXPECT_TRUE(facts(x, x).divisible);
}

TEST_F(FactsTest, Index32LeavesAMargin) {
  EXPECT_TRUE(
      facts(tensor(maxIndex32Elements), tensor(maxIndex32Elements)).index32);
  for (int64_t n : {maxIndex32Elements + 1, int64_t(1) << 31})
    EXPECT_FALSE(facts(tensor(n), tensor(n)).index32);
}

TEST_F(FactsTest, Index32CountsTemps) {
  spec.temps = {{"h", DType::F32, SizeExpr::symbol(0) * 1024, 0, 0}};
  EXPECT_TRUE(facts(tensor(1024), tensor(1024)).index32);
  EXPECT_FALSE(facts(tensor(1 << 21), tensor(1 << 21)).index32);
}

TEST_F(FactsTest, Layouts) {
  SizeExpr n = SizeExpr::symbol(0);
  spec.inputs = {{"x", DType::BF16, {n, 8}, 2}, {"r", DType::BF16, {n, 8}, 2}};
  spec.outputs[0].shape = {n, 8};
  TensorView x = tensor(4);
  x.shape = {4, 8};
  TensorView r = x, y = x;
  y.data = static_cast<char *>(y.data) + 1024;
  auto compute = [&] { return cantFail(computeFacts(spec, {x, r}, {y})); };
  x.strides = {8, 1};
  EXPECT_TRUE(compute().layouts.empty());
  r.strides = {24, 1};
  EXPECT_EQ(compute().str(),
            "aligned16, divisible, index32, separate, layouts: dense "
            "aligned_rows");
  r.strides = {1, 4};
  EXPECT_NE(compute(), (Facts{true, true, true, true, {}}));
  EXPECT_EQ(compute().layouts.back(), Layout::Any);
  EXPECT_TRUE(compute().index32);
  r.strides = {maxIndex32Elements / 2, 1};
  EXPECT_FALSE(compute().index32);
  // The program takes all views of r alike.
  spec.inputs[1].layout = Layout::Any;
  EXPECT_TRUE(compute().layouts.empty());
  EXPECT_FALSE(compute().index32);
}

TEST_F(FactsTest, LayoutsOfOutputs) {
  SizeExpr n = SizeExpr::symbol(0);
  spec.inputs[0].shape = {n, 4, 8};
  spec.outputs[0].shape = {n, 4, 8};
  TensorView x = tensor(0), y = tensor(0);
  x.shape = y.shape = {3, 4, 8};
  y.data = static_cast<char *>(y.data) + 1024;
  auto compute = [&](Shape strides) {
    y.strides = std::move(strides);
    return cantFail(computeFacts(spec, {x}, {y}));
  };
  EXPECT_TRUE(compute({32, 8, 1}).layouts.empty());
  using Layouts = llvm::SmallVector<Layout, 0>;
  EXPECT_EQ(compute({64, 16, 1}).layouts,
            (Layouts{Layout::Dense, Layout::AlignedRows}));
  EXPECT_EQ(compute({65, 16, 1}).layouts.back(), Layout::Rows);
  EXPECT_EQ(compute({64, 16, 2}).layouts.back(), Layout::Any);
  EXPECT_TRUE(compute({80, 16, 1}).copied.empty());
  EXPECT_FALSE(compute({maxIndex32Elements / 2, 16, 1}).index32);
  // Results count on from the inputs.
  spec.outputs[0].joined = {0};
  EXPECT_EQ(compute({80, 16, 1}).copied, (llvm::SmallVector<unsigned, 0>{1}));
  y.strides = {0, 8, 1};
  EXPECT_NE(message(computeFacts(spec, {x}, {y})), "");
}

TEST_F(FactsTest, SmallWhereTheProgramTellsSizesApart) {
  auto size = [&](int64_t n) { return facts(tensor(n), tensor(n)).callSize; };
  EXPECT_EQ(size(8), CallSize::large);
  // The input and the output together.
  spec.smallBytes = 2 * 8 * 2;
  EXPECT_EQ(size(8), CallSize::small);
  EXPECT_EQ(facts(tensor(8), tensor(8, 16)).str(),
            "aligned16, divisible, index32, separate, small");
  EXPECT_EQ(size(9), CallSize::large);
  spec.briefBytes = 2 * 6 * 2;
  EXPECT_EQ(size(8), CallSize::small);
  EXPECT_EQ(size(6), CallSize::brief);
  spec.fewBytes = 2 * 4 * 2;
  EXPECT_EQ(size(6), CallSize::brief);
  EXPECT_EQ(facts(tensor(4), tensor(4, 16)).str(),
            "aligned16, index32, separate, few");
  // Where brief calls share the kernels of small ones.
  spec.briefBytes = 0;
  EXPECT_EQ(size(6), CallSize::small);
}

TEST_F(FactsTest, SizesAreOfTheFirstRangeThatHasThem) {
  auto sizes = [&](int64_t n) { return facts(tensor(n), tensor(n)).sizes; };
  using Sizes = decltype(Facts::sizes);
  EXPECT_TRUE(sizes(8).empty());
  spec.ranges = {{{0}, {16, 64}}};
  for (int64_t n : {0, 1, 15, 16})
    EXPECT_EQ(sizes(n), (Sizes{"N=16"})) << n;
  for (int64_t n : {17, 64})
    EXPECT_EQ(sizes(n), (Sizes{"N=64"})) << n;
  EXPECT_TRUE(sizes(65).empty());
  EXPECT_EQ(facts(tensor(8), tensor(8, 16)).str(),
            "aligned16, divisible, index32, separate, sizes: N=16");
  EXPECT_NE(facts(tensor(8), tensor(8)), facts(tensor(24), tensor(24)));
  // A product, which does not overflow.
  spec.ranges = {{{0, 0}, {16, 64}}};
  EXPECT_EQ(sizes(4), (Sizes{"N*N=16"}));
  EXPECT_EQ(sizes(5), (Sizes{"N*N=64"}));
  EXPECT_TRUE(sizes(9).empty());
}

TEST_F(FactsTest, OutputsNeedNotExistYet) {
  EXPECT_TRUE(cantFail(computeFacts(spec, {tensor(8)}, {})).aligned16);
}

TEST_F(FactsTest, BadInputsAreAnError) {
  EXPECT_NE(message(computeFacts(spec, {}, {})), "");
}

TEST(Facts, KeysAreUnique) {
  std::set<unsigned> keys;
  for (bool aligned : {false, true})
    for (bool divisible : {false, true})
      for (bool index32 : {false, true})
        for (bool separate : {false, true})
          for (CallSize size : mlir::fuse::allCallSizes) {
            Facts facts{aligned, divisible, index32, separate, {}, size};
            keys.insert(facts.key());
          }
  EXPECT_EQ(keys.size(), size_t(Facts::numKeys));
  EXPECT_EQ(*keys.rbegin(), Facts::numKeys - 1);
  EXPECT_EQ(Facts().str(), "none");
}

TEST_F(FactsTest, WhatCannotBeJoinedIsCopied) {
  SizeExpr n = SizeExpr::symbol(0);
  spec.inputs[0].shape = {n, 4, 8};
  spec.inputs[0].joined = {0};
  auto factsOf = [&](Shape shape, Shape strides) {
    TensorView x = tensor(0);
    x.shape = std::move(shape);
    x.strides = std::move(strides);
    return facts(x, tensor(x.shape[0]));
  };
  using Inputs = llvm::SmallVector<unsigned, 0>;
  EXPECT_EQ(factsOf({3, 4, 8}, {32, 8, 1}).copied, Inputs());
  EXPECT_EQ(factsOf({3, 4, 8}, {64, 16, 1}).copied, Inputs());
  EXPECT_EQ(factsOf({3, 4, 8}, {64, 16, 2}).copied, Inputs());
  EXPECT_EQ(factsOf({3, 4, 8}, {80, 16, 1}).copied, Inputs({0}));
  EXPECT_EQ(factsOf({3, 4, 8}, {0, 8, 1}).copied, Inputs({0}));
  EXPECT_EQ(factsOf({3, 4, 8}, {80, 16, 1}).str(),
            "aligned16, index32, layouts: aligned_rows, copied: 0");
  EXPECT_NE(factsOf({3, 4, 8}, {80, 16, 1}), factsOf({3, 4, 8}, {64, 16, 1}));
  // One place, or none, walks nowhere.
  EXPECT_EQ(factsOf({1, 4, 8}, {5, 16, 1}).copied, Inputs());
  EXPECT_EQ(factsOf({0, 4, 8}, {5, 16, 1}).copied, Inputs());
  // Other dimensions than those that are joined lie as they may.
  EXPECT_EQ(factsOf({3, 4, 8}, {160, 40, 5}).copied, Inputs());
  spec.inputs[0].joined = {1};
  EXPECT_EQ(factsOf({3, 4, 8}, {160, 40, 5}).copied, Inputs());
  EXPECT_EQ(factsOf({3, 4, 8}, {160, 41, 5}).copied, Inputs({0}));
  EXPECT_EQ(factsOf({1, 4, 8}, {160, 41, 5}).copied, Inputs({0}));
  spec.inputs[0].joined = {0, 1};
  EXPECT_EQ(factsOf({3, 4, 8}, {160, 40, 5}).copied, Inputs());
  EXPECT_EQ(factsOf({3, 4, 8}, {161, 40, 5}).copied, Inputs({0}));
  EXPECT_EQ(factsOf({1, 4, 8}, {160, 41, 5}).copied, Inputs({0}));
  // A program that names a layout is one for all calls.
  spec.inputs[0].layout = Layout::Any;
  EXPECT_EQ(factsOf({3, 4, 8}, {161, 40, 5}).copied, Inputs());
}

/// Other code may keep rows between kernels that the first has not.
TEST_F(FactsTest, OtherCodeNarrows) {
  TensorView x = tensor(8), y = tensor(8, 16);
  Facts found = facts(x, y);
  ProgramSpec other = spec;
  other.innermost.push_back({SizeExpr::symbol(0), DType::F16});
  cantFail(narrowByTemporaries(other, {x}, {}, found));
  EXPECT_EQ(found, facts(x, y));
  other.innermost.push_back({17, DType::F16});
  cantFail(narrowByTemporaries(other, {x}, {}, found));
  EXPECT_EQ(found.str(), "aligned16, index32, separate");
}
