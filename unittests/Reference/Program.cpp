//===- Program.cpp - Programs as text, for the oracle's tests -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir::fuse::reference;

Program::Program(llvm::StringRef text) {
  context.loadDialect<FuseDialect, func::FuncDialect, tensor::TensorDialect,
                      arith::ArithDialect>();
  module = parseSourceString<ModuleOp>(("func.func @f" + text).str(), &context);
}

llvm::Expected<llvm::SmallVector<Value>>
Program::run(llvm::ArrayRef<Value> inputs) {
  if (!module)
    return llvm::createStringError("expected a valid program");
  return evaluate(*module->getOps<func::FuncOp>().begin(), inputs);
}

Value Program::operator()(llvm::ArrayRef<Value> inputs) {
  auto results = run(inputs);
  if (!results) {
    ADD_FAILURE() << llvm::toString(results.takeError());
    return {};
  }
  EXPECT_EQ(results->size(), 1u);
  return results->front();
}

std::string Program::getError(llvm::ArrayRef<Value> inputs) {
  auto results = run(inputs);
  return results ? "" : llvm::toString(results.takeError());
}

void Program::decompose() {
  PassManager manager(&context);
  manager.addPass(createFuseDecompose());
  EXPECT_TRUE(succeeded(manager.run(*module)));
}

Value mlir::fuse::reference::floats(llvm::ArrayRef<int64_t> shape,
                                    std::vector<double> elements, DType dtype) {
  Value value;
  value.dtype = dtype;
  value.shape.assign(shape.begin(), shape.end());
  value.data = std::move(elements);
  EXPECT_EQ(value.size(), static_cast<int64_t>(value.data.size()));
  return value;
}

Value mlir::fuse::reference::integers(llvm::ArrayRef<int64_t> shape,
                                      std::vector<int64_t> elements,
                                      DType dtype) {
  Value value;
  value.dtype = dtype;
  value.shape.assign(shape.begin(), shape.end());
  value.ints = std::move(elements);
  EXPECT_EQ(value.size(), static_cast<int64_t>(value.ints.size()));
  return value;
}

Value mlir::fuse::reference::randomFloats(llvm::ArrayRef<int64_t> shape,
                                          DType dtype, unsigned seed) {
  Value value = Value::zeros(dtype, shape);
  value.error.clear();
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  for (double &element : value.data)
    element = roundTo(dtype, normal(generator));
  return value;
}

std::vector<char> mlir::fuse::reference::getBytes(const Value &value) {
  std::vector<char> bytes(value.size() * getBytes(value.dtype));
  toBuffer(value, bytes.data());
  return bytes;
}
