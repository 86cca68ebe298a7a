//===- LoweredRows.h - Stages of the lowering of rows, by themselves ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of rows whose function a test fills by single stages, and what
// numbers in it are for one thread of one block.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_UNITTESTS_CONVERSION_LOWEREDROWS_H
#define FUSE_UNITTESTS_CONVERSION_LOWEREDROWS_H

#include "Rows/RowPlaces.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <memory>
#include <string>

namespace mlir::fuse {

/// Evaluates the straight-line code of one thread.
class ThreadOfRows {
public:
  ThreadOfRows(gpu::GPUFuncOp function, int64_t block, int64_t thread);

  int64_t number(Value value) const;
  int64_t number(const Index &index) const {
    return (index.base ? number(index.base) : 0) + index.offset;
  }
  /// Whether an i1 is true; null is.
  bool holds(Value condition) const {
    return !condition || number(condition) != 0;
  }

private:
  DenseMap<Value, Attribute> values;
};

/// What is computed of rows: one level of reductions, two, or one beside a
/// result that follows from none.
enum class RowsProgram { sums, softmax, exponentials };

/// A kernel of `rows` x `columns` elements.
class LoweredRows {
public:
  LoweredRows(int64_t rows, int64_t columns, const std::string &schedule,
              RowsProgram program = RowsProgram::softmax);

  /// False, with a failure of the test, where the text is no such kernel.
  explicit operator bool() const { return scheduled != nullptr; }
  const ScheduledRows &get() const { return *scheduled; }
  KernelFrame &getFrame() { return *frame; }
  gpu::GPUFuncOp getFunction() { return function; }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  gpu::GPUFuncOp function;
  std::unique_ptr<DimClasses> dims;
  std::unique_ptr<OpBuilder> builder;
  std::unique_ptr<PointEmitter> emitter;
  std::unique_ptr<KernelFrame> frame;
  std::vector<ReductionSegment> segments;
  std::unique_ptr<ScheduledRows> scheduled;
};

} // namespace mlir::fuse

#endif // FUSE_UNITTESTS_CONVERSION_LOWEREDROWS_H
