//===- LoweredRows.cpp - Stages of the lowering of rows, by themselves ----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoweredRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::fuse;

ThreadOfRows::ThreadOfRows(gpu::GPUFuncOp function, int64_t block,
                           int64_t thread) {
  Builder builder(function.getContext());
  for (Operation &op : function.getBody().front()) {
    if (isa<gpu::ThreadIdOp>(op))
      values[op.getResult(0)] = builder.getIndexAttr(thread);
    if (isa<gpu::BlockIdOp>(op))
      values[op.getResult(0)] = builder.getIndexAttr(block);
    SmallVector<Attribute> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    SmallVector<OpFoldResult> results;
    if (op.getNumResults() != 1 || failed(op.fold(operands, results)) ||
        results.size() != 1)
      continue;
    auto known = dyn_cast<Attribute>(results.front());
    values[op.getResult(0)] =
        known ? known : values.lookup(cast<Value>(results.front()));
  }
}

int64_t ThreadOfRows::number(Value value) const {
  auto known = dyn_cast_or_null<IntegerAttr>(values.lookup(value));
  EXPECT_TRUE(known) << "a number that does not fold";
  return known ? known.getInt() : 0;
}

/// The types of the results, {0} of a row's shape and {1} of one element.
static std::string typesOf(RowsProgram program) {
  switch (program) {
  case RowsProgram::sums:
    return "{1}";
  case RowsProgram::softmax:
    return "{0}";
  case RowsProgram::exponentials:
    return "{0}, {0}, {1}";
  }
  llvm_unreachable("a program of another kind");
}

static std::string opsOf(RowsProgram program) {
  switch (program) {
  case RowsProgram::sums:
    return R"(
      %s = fuse.reduce sum %a dims = [1] keep : {0} -> {1}
      fuse.yield %s : {1})";
  case RowsProgram::softmax:
    return R"(
      %m = fuse.reduce max %a dims = [1] keep : {0} -> {1}
      %d = fuse.sub %a, %m : {0}, {1} -> {0}
      %e = fuse.exp %d : {0}
      %s = fuse.reduce sum %e dims = [1] keep : {0} -> {1}
      %q = fuse.div %e, %s : {0}, {1} -> {0}
      fuse.yield %q : {0})";
  case RowsProgram::exponentials:
    return R"(
      %e = fuse.exp %a : {0}
      %s = fuse.reduce sum %e dims = [1] keep : {0} -> {1}
      %q = fuse.div %e, %s : {0}, {1} -> {0}
      fuse.yield %q, %e, %s : {0}, {0}, {1})";
  }
  llvm_unreachable("a program of another kind");
}

/// A function with the kernel, whose results nobody uses.
static std::string textOf(int64_t rows, int64_t columns,
                          const std::string &schedule, RowsProgram program) {
  std::string results = program == RowsProgram::exponentials ? ":3" : "";
  std::string text = "func.func @f(%x: {0}) {\n%y" + results +
                     " = fuse.kernel \"k\" ins(%x : {0}) -> " +
                     typesOf(program) + " schedule = #fuse.rows<" + schedule +
                     "> {\n^bb0(%a: {0}):" + opsOf(program) + "\n}\nreturn\n}";
  auto replace = [&](StringRef from, const std::string &to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;)
      text.replace(at, from.size(), to);
  };
  replace("{0}", llvm::formatv("tensor<{0}x{1}xf32>", rows, columns));
  replace("{1}", llvm::formatv("tensor<{0}x1xf32>", rows));
  return text;
}

LoweredRows::LoweredRows(int64_t rows, int64_t columns,
                         const std::string &schedule, RowsProgram program) {
  context
      .loadDialect<FuseDialect, func::FuncDialect, tensor::TensorDialect,
                   gpu::GPUDialect, arith::ArithDialect, scf::SCFDialect,
                   memref::MemRefDialect, vector::VectorDialect,
                   math::MathDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  std::string text = textOf(rows, columns, schedule, program);
  module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "expected a program, but got\n" << text;
    return;
  }
  KernelOp kernel;
  module->walk([&](KernelOp op) { kernel = op; });
  dims = std::make_unique<DimClasses>(*module->getOps<func::FuncOp>().begin());
  builder = std::make_unique<OpBuilder>(&context);
  builder->setInsertionPointToEnd(module->getBody());
  auto ofGPU = gpu::GPUModuleOp::create(*builder, kernel.getLoc(), "k");
  builder->setInsertionPointToStart(ofGPU.getBody());
  SmallVector<Type> pointers(1 + kernel.getNumResults(),
                             LLVM::LLVMPointerType::get(&context));
  function = gpu::GPUFuncOp::create(*builder, kernel.getLoc(), "k",
                                    builder->getFunctionType(pointers, {}));
  builder->setInsertionPointToStart(&function.getBody().front());
  KernelAbi abi;
  abi.inputs.push_back(function.getArgument(0));
  llvm::append_range(abi.results, function.getArguments().drop_front());
  emitter = std::make_unique<PointEmitter>(*builder, kernel, *dims,
                                           std::move(abi), EmitOptions());
  frame.reset(new KernelFrame{kernel, function, *dims, *builder, *emitter});
  Reason reason;
  auto found = reductionSegmentsOf(kernel, *dims, reason);
  if (failed(found) || found->size() != 1) {
    ADD_FAILURE() << "expected one segment of rows, but got none";
    return;
  }
  segments = std::move(*found);
  scheduled = std::make_unique<ScheduledRows>(
      *frame, cast<RowsScheduleAttr>(kernel.getScheduleAttr()),
      segments.front());
}
