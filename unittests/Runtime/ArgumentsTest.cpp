//===- ArgumentsTest.cpp - One test for each way a call is refused --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/Arguments.h"
#include "TestPrograms.h"
#include "gtest/gtest.h"

using namespace fuse::runtime;
using llvm::cantFail;

namespace {
class Arguments : public testing::Test {
protected:
  Arguments()
      : program(makeProgram(addTwice())), x(view(xs, {3, 4})),
        r(view(rs, {3, 4})), y(view(ys, {3, 4})) {}

  std::string run() { return message(program.run({x, r}, {y})); }

  Program program;
  std::vector<float> xs = std::vector<float>(32);
  std::vector<float> rs = std::vector<float>(32);
  std::vector<float> ys = std::vector<float>(32);
  TensorView x, r, y;
};
} // namespace

TEST_F(Arguments, AcceptsWhatFits) { EXPECT_EQ(run(), ""); }

TEST_F(Arguments, Count) {
  EXPECT_EQ(message(program.run({x}, {y})),
            "expected 2 input tensors, but got 1; pass one for each input of "
            "'add_twice'");
  EXPECT_EQ(message(program.run({x, r}, {})),
            "expected 1 output tensors, but got 0; pass one for each output of "
            "'add_twice'");
}

TEST_F(Arguments, DTypeMustMatch) {
  r.dtype = DType::BF16;
  EXPECT_EQ(run(), "expected 'r' to be f32, but got bf16; convert it or "
                   "compile for bf16");
}

TEST_F(Arguments, Rank) {
  x.shape = {12};
  EXPECT_EQ(run(), "expected 'x' to have rank 2, but got rank 1 (shape [12]); "
                   "reshape it");
}

TEST_F(Arguments, StaticDim) {
  x.shape = {3, 5};
  EXPECT_EQ(run(), "expected dimension 1 of 'x' to be 4, but got 5; pass a "
                   "tensor of that size");
}

TEST_F(Arguments, SymbolsMustAgree) {
  r.shape = {2, 4};
  EXPECT_EQ(run(), "expected dimension 0 of 'r' to be 3 (named 'T', bound by "
                   "'x'), but got 2; pass tensors that agree on 'T'");
  r.shape = {3, 4};
  y.shape = {2, 4};
  EXPECT_EQ(run(), "expected dimension 0 of 'y' to be 3 (named 'T', bound by "
                   "'x'), but got 2; pass tensors that agree on 'T'");
}

TEST_F(Arguments, ByteCountOverflow) {
  x.shape = {int64_t(1) << 60, 4};
  EXPECT_EQ(run(), "'x': expected a tensor of fewer than 2^63 bytes, but got "
                   "shape [1152921504606846976, 4] of f32; split the tensor");
}

TEST_F(Arguments, DeviceMustMatch) {
  r.device = Device::cuda(1);
  EXPECT_EQ(run(), "expected 'r' to be on cpu, but got cuda:1; move it or "
                   "compile for cuda:1");
}

TEST_F(Arguments, Contiguous) {
  x.strides = {8, 1};
  EXPECT_EQ(run(), "expected 'x' to be contiguous, but got strides [8, 1] for "
                   "shape [3, 4]; make a contiguous copy");
  x.strides = {};
  y.strides = {8, 1};
  EXPECT_EQ(run(), "expected 'y' to be contiguous, but got strides [8, 1] for "
                   "shape [3, 4]; pass a contiguous buffer");
}

TEST_F(Arguments, StridesMustFitTheLayout) {
  ProgramSpec spec = addTwice();
  spec.inputs[0].layout = Layout::AlignedRows;
  spec.inputs[1].layout = Layout::Rows;
  Program views = makeProgram(spec);
  auto check = [&] { return message(views.run({x, r}, {y})); };
  x.strides = {8, 1};
  r.strides = {5, 1};
  EXPECT_EQ(check(), "");
  x.strides = {5, 1};
  EXPECT_EQ(check(), "expected 'x' to be contiguous along its last dimension, "
                     "with rows at multiples of 16 bytes, but got strides [5, "
                     "1] for shape [3, 4]; make a contiguous copy");
  x.strides = {};
  r.strides = {1, 3};
  EXPECT_EQ(check(), "expected 'r' to be contiguous along its last dimension, "
                     "but got strides [1, 3] for shape [3, 4]; make a "
                     "contiguous copy");
}

TEST_F(Arguments, NegativeStrides) {
  x.strides = {-4, 1};
  EXPECT_EQ(run(), "'x': expected strides of 0 or more, but got [-4, 1]; make "
                   "a contiguous copy");
  x.strides = {1};
  EXPECT_EQ(run(), "'x': expected a stride for each of 2 dims, but got 1; pass "
                   "as many strides as dims, or none");
}

TEST_F(Arguments, StridesAreSymbols) {
  ProgramSpec spec = addTwice();
  spec.inputs[1].layout = Layout::Any;
  spec.strides = {{1, 0}, {1, 1}};
  Program views = makeProgram(spec);
  r.strides = {1, 9};
  EXPECT_EQ(cantFail(views.bind({x, r})), (SymbolValues{3, 1, 9}));
  r.strides = {};
  EXPECT_EQ(cantFail(views.bind({x, r})), (SymbolValues{3, 4, 1}));
  spec.strides = {{1, 2}};
  EXPECT_EQ(message(spec.verify()),
            "expected a stride of one of 2 inputs' dims, but got input 1, dim "
            "2; drop it from the plan");
}

TEST_F(Arguments, StridesOfOutputsAreSymbols) {
  ProgramSpec spec = addTwice();
  spec.outputs[0].layout = Layout::Any;
  spec.strides = {{0, 1, /*isOutput=*/true}, {0, 0, /*isOutput=*/true}};
  y.strides = {1, 9};
  EXPECT_EQ(cantFail(bindSymbols(spec, {x, r}, {y})), (SymbolValues{3, 9, 1}));
  // Those that nobody has yet are dense.
  EXPECT_EQ(cantFail(bindSymbols(spec, {x, r})), (SymbolValues{3, 1, 4}));
  EXPECT_EQ(message(makeProgram(spec).run({x, r}, {y})), "");
  spec.strides = {{1, 0, /*isOutput=*/true}};
  EXPECT_EQ(message(spec.verify()),
            "expected a stride of one of 1 outputs' dims, but got output 1, "
            "dim 0; drop it from the plan");
}

TEST_F(Arguments, ElementsOfOutputsLieApart) {
  ProgramSpec spec = addTwice();
  spec.outputs[0].layout = Layout::Any;
  Program views = makeProgram(spec);
  auto check = [&](Shape strides) {
    y.strides = std::move(strides);
    return message(views.run({x, r}, {y}));
  };
  for (const auto &strides :
       {Shape{5, 1}, Shape{4, 1}, Shape{1, 3}, Shape{9, 2}})
    EXPECT_EQ(check(strides), "");
  EXPECT_EQ(check({0, 1}),
            "expected each element of 'y' to have a place of its own, but got "
            "strides [0, 1] for shape [3, 4]; let each dimension step over "
            "those with smaller strides");
  for (const auto &strides :
       {Shape{4, 0}, Shape{3, 1}, Shape{1, 2}, Shape{1, 1}})
    EXPECT_NE(check(strides), "");
  EXPECT_EQ(check({-4, 1}), "'y': expected strides of 0 or more, but got [-4, "
                            "1]; make a contiguous copy");
}

TEST_F(Arguments, OutputsMayLieBesideOthers) {
  ProgramSpec spec = addTwice();
  spec.inputs[1].layout = spec.outputs[0].layout = Layout::Any;
  Program views = makeProgram(spec);
  // Columns of matrices with rows of 10.
  r.data = ys.data();
  r.strides = y.strides = {10, 1};
  auto check = [&](int64_t column) {
    y.data = ys.data() + column;
    return message(views.run({x, r}, {y}));
  };
  for (int64_t column : {4, 5, 6})
    EXPECT_EQ(check(column), "");
  for (int64_t column : {0, 1, 3, 7, 9})
    EXPECT_EQ(check(column),
              "expected output 'y' not to overlap input 'r', but got buffers "
              "that share bytes; pass a separate buffer");
  // Every other element.
  r.strides = y.strides = {8, 2};
  EXPECT_EQ(check(1), "");
  EXPECT_NE(check(2), "");
}

TEST_F(Arguments, OverlapCountsGaps) {
  ProgramSpec spec = addTwice();
  spec.inputs[1].layout = Layout::Any;
  Program views = makeProgram(spec);
  auto check = [&] { return message(views.run({x, r}, {y})); };
  // Elements 0 to 19 and 20 to 31 of one buffer.
  r.data = ys.data();
  r.strides = {8, 1};
  y.data = ys.data() + 20;
  EXPECT_EQ(check(), "");
  y.data = ys.data() + 19;
  EXPECT_EQ(check(), "expected output 'y' not to overlap input 'r', but got "
                     "buffers that share bytes; pass a separate buffer");
}

TEST_F(Arguments, AViewTakesNoResult) {
  ProgramSpec spec = addTwice();
  spec.inputs[0].layout = Layout::Any;
  Program views = makeProgram(spec);
  y.data = x.data;
  EXPECT_EQ(message(views.run({x, r}, {y})), "");
  // As many bytes, in another order.
  x.strides = {1, 3};
  EXPECT_EQ(message(views.run({x, r}, {y})),
            "expected output 'y' not to overlap input 'x' unless it is exactly "
            "the same buffer, but got buffers that share bytes; pass a "
            "separate buffer");
}

TEST_F(Arguments, AViewTakesAResultWithItsStrides) {
  ProgramSpec spec = addTwice();
  spec.inputs[0].layout = spec.outputs[0].layout = Layout::Any;
  Program views = makeProgram(spec);
  y.data = x.data;
  x.strides = y.strides = {8, 1};
  EXPECT_EQ(message(views.run({x, r}, {y})), "");
  y.strides = {10, 1};
  EXPECT_NE(message(views.run({x, r}, {y})), "");
  y.strides = {};
  EXPECT_NE(message(views.run({x, r}, {y})), "");
}

TEST_F(Arguments, ProgramsCheckSizes) {
  ProgramSpec spec = addTwice();
  SizeExpr rows = SizeExpr::symbol(0);
  spec.checks = {{rows + 1, CheckSpec::Kind::Equal, 4, "a row less than 4"}};
  EXPECT_EQ(message(makeProgram(spec).run({x, r}, {y})), "");
  spec.checks.push_back({rows, CheckSpec::Kind::AtLeast, 3, "3 rows"});
  EXPECT_EQ(message(makeProgram(spec).run({x, r}, {y})), "");
  spec.checks.push_back(
      {rows, CheckSpec::Kind::AtLeast, 5, "'x' to have 5 rows; pass more"});
  EXPECT_EQ(message(makeProgram(spec).run({x, r}, {y})),
            "expected 'x' to have 5 rows, but got 3 and 5; pass more");
  EXPECT_EQ(message(makeProgram(spec).inferOutputShapes({x, r})),
            "expected 'x' to have 5 rows, but got 3 and 5; pass more");
  spec.checks = {{rows + 1, CheckSpec::Kind::Equal, 5, "a row less than 5"}};
  EXPECT_EQ(message(makeProgram(spec).run({x, r}, {y})),
            "expected a row less than 5, but got 4 and 5; pass tensors of "
            "other sizes");
}

TEST_F(Arguments, NullData) {
  y.data = nullptr;
  EXPECT_EQ(run(), "expected 'y' to have data, but got a null pointer; pass a "
                   "buffer of 48 bytes");
}

TEST_F(Arguments, NaturalAlignment) {
  x.data = reinterpret_cast<char *>(xs.data()) + 2;
  EXPECT_EQ(run(), "expected 'x' to be aligned to 4 bytes, but got an address "
                   "2 past a multiple; copy it to an aligned buffer");
}

TEST_F(Arguments, RequiredAlignment) {
  ProgramSpec spec = addTwice();
  spec.inputs[1].requiredAlignment = 16;
  program = makeProgram(spec);
  auto buffer = cantFail(HostBuffer::create(256));
  r.data = buffer->data();
  EXPECT_EQ(run(), "");
  r.data = static_cast<float *>(buffer->data()) + 1;
  EXPECT_EQ(run(), "expected 'r' to be aligned to 16 bytes, but got an address "
                   "4 past a multiple; copy it to an aligned buffer");
}

TEST_F(Arguments, OutputMayOverlapInputOnlyExactlyAndWhereProven) {
  y.data = xs.data();
  EXPECT_EQ(run(), "");
  y.data = xs.data() + 4;
  EXPECT_EQ(run(),
            "expected output 'y' not to overlap input 'x' unless it is exactly "
            "the same buffer, but got buffers that share bytes; pass a "
            "separate buffer");
  y.data = xs.data() + 12;
  EXPECT_EQ(run(), "");
  y.data = rs.data();
  EXPECT_EQ(run(), "expected output 'y' not to overlap input 'r', but got "
                   "buffers that share bytes; pass a separate buffer");
}

TEST_F(Arguments, AliasIsRefusedWhenAnotherInputSharesIt) {
  // x is r: writing y into x would write into r, too.
  r.data = xs.data();
  EXPECT_EQ(run(), "");
  y.data = xs.data();
  EXPECT_NE(run(), "");
}

TEST_F(Arguments, OutputsMayNotOverlap) {
  ProgramSpec spec = addTwice();
  spec.outputs.push_back(spec.outputs[0]);
  spec.outputs[1].name = "z";
  program = makeProgram(spec);
  TensorView z = y;
  EXPECT_EQ(message(program.run({x, r}, {y, z})),
            "expected output 'z' not to overlap output 'y', but got buffers "
            "that share bytes; pass a separate buffer");
}

TEST_F(Arguments, CompoundInputDimIsCompared) {
  SizeExpr rows = SizeExpr::symbol(0);
  ProgramSpec spec;
  spec.name = "halves";
  spec.symbols = {"T"};
  // The compound dim comes before the dim that binds its symbol.
  spec.inputs = {{"half", DType::F32, {ceilDiv(rows, 2)}},
                 {"whole", DType::F32, {rows}}};
  TensorView half = view(xs, {2}), whole = view(rs, {3});
  EXPECT_EQ(cantFail(bindSymbols(spec, {half, whole})), SymbolValues{3});
  half.shape = {1};
  EXPECT_EQ(message(bindSymbols(spec, {half, whole})),
            "expected dimension 0 of 'half' to be 2 (ceildiv(T, 2)), but got "
            "1; pass a tensor of that size");
}
