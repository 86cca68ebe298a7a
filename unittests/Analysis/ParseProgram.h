//===- ParseProgram.h - Programs for the tests of analyses ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_ANALYSIS_PARSEPROGRAM_H
#define FUSE_UNITTESTS_ANALYSIS_PARSEPROGRAM_H

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace mlir::fuse {

/// A test with a module that holds one function.
class ProgramTest : public ::testing::Test {
protected:
  ProgramTest() {
    context
        .loadDialect<FuseDialect, func::FuncDialect, tensor::TensorDialect>();
  }

  func::FuncOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << "the test's program does not parse";
    return *module->getOps<func::FuncOp>().begin();
  }

  KernelOp parseKernel(StringRef text) {
    return *parse(text).getOps<KernelOp>().begin();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace mlir::fuse

#endif // FUSE_UNITTESTS_ANALYSIS_PARSEPROGRAM_H
