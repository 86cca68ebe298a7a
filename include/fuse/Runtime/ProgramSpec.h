//===- ProgramSpec.h - A compiled program as plain data ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan that the compiler hands to the runtime: what the arguments must be,
// which buffers lie between the kernels, and which steps run in which order.
// Program.h works through an example.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_PROGRAMSPEC_H
#define FUSE_RUNTIME_PROGRAMSPEC_H

#include "fuse/Runtime/DType.h"
#include "fuse/Runtime/SizeExpr.h"
#include "fuse/Runtime/Tensor.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace fuse::runtime {

/// An argument of the program. In an input's shape, a dim that is one plain
/// symbol binds the symbol where it occurs first and is compared with it
/// later; any other expression is compared.
struct TensorSpec {
  std::string name;
  DType dtype = DType::F32;
  llvm::SmallVector<SizeExpr, 4> shape;
  /// Of the first element, in bytes; the dtype's own size is always required.
  int64_t requiredAlignment = 16;
  /// What the kernels take it for.
  Layout layout = Layout::Dense;
  /// Dims that the program joins with the one behind them, in ascending order:
  /// in place if the strides allow it, else in a copy.
  llvm::SmallVector<unsigned, 0> joined = {};
  /// Whether an input of one element lies on the host, and kernels get it by
  /// value.
  bool isScalar = false;
};

/// A stride of an input or an output, in elements, as it is when the program is
/// called.
struct StrideSpec {
  unsigned tensor = 0;
  unsigned dim = 0;
  bool isOutput = false;

  bool operator==(const StrideSpec &other) const {
    return tensor == other.tensor && dim == other.dim &&
           isOutput == other.isOutput;
  }
};

/// What two sizes of a call must be: equal, or `lhs` at least `rhs`.
struct CheckSpec {
  enum class Kind : uint8_t { Equal, AtLeast };

  SizeExpr lhs;
  Kind kind = Kind::Equal;
  SizeExpr rhs;
  /// "'x' to have as many rows as 'y'", or with a remedy: "WHAT; REMEDY".
  std::string message;
};

/// A result, in a buffer of the caller. It may coincide exactly (same address,
/// same bytes; same shape and strides where it is a view) with each input whose
/// index is in `mayAlias`; every other overlap with an input or another output
/// is refused.
struct OutputSpec : TensorSpec {
  llvm::SmallVector<unsigned, 2> mayAlias;
};

/// A buffer inside the arena, live from step `firstStep` to step `lastStep`,
/// both included. Aligned to 256 bytes.
struct TempSpec {
  std::string name;
  DType dtype = DType::F32;
  SizeExpr numElements;
  unsigned firstStep = 0;
  unsigned lastStep = 0;
};

/// Bytes that are copied to the device when the program is made.
struct ConstantSpec {
  std::string name;
  DType dtype = DType::F32;
  std::vector<uint8_t> bytes;
};

/// The start of a buffer. A reshape is the same buffer, so a view needs no
/// more than this.
struct BufferRef {
  /// A counter is an i32 that starts as 0, is a kernel's own, and keeps its
  /// value from call to call on a queue. A scalar is no buffer, but what an
  /// input holds when the program is called: its bits, with zeros in front.
  enum class Kind : uint8_t { Input, Output, Temp, Constant, Counter, Scalar };

  Kind kind = Kind::Input;
  unsigned index = 0;

  static BufferRef input(unsigned index) { return {Kind::Input, index}; }
  static BufferRef output(unsigned index) { return {Kind::Output, index}; }
  static BufferRef temp(unsigned index) { return {Kind::Temp, index}; }
  static BufferRef constant(unsigned index) { return {Kind::Constant, index}; }
  static BufferRef counter(unsigned index) { return {Kind::Counter, index}; }
  static BufferRef scalar(unsigned input) { return {Kind::Scalar, input}; }
};

/// A tensor map of a buffer; see TensorMap.h. Dimension 0 has the neighbours in
/// memory, and strides, in elements, start with dimension 1.
struct TensorMapSpec {
  BufferRef buffer;
  DType dtype = DType::F32;
  llvm::SmallVector<SizeExpr, 4> sizes;
  llvm::SmallVector<SizeExpr, 4> strides;
  llvm::SmallVector<unsigned, 4> box;
};

/// A kernel's argument: a pointer, an i64 known once the sizes are, or a tensor
/// map.
using KernelArg = std::variant<BufferRef, SizeExpr, TensorMapSpec>;

/// One launch. A grid of 0 blocks is not launched.
struct KernelSpec {
  /// For reports.
  std::string name;
  /// Of the function in the module's code.
  std::string symbol;
  std::vector<KernelArg> args;
  /// Of the buffers among the arguments, how many at the front are read. The
  /// others are results. Used where accesses are checked.
  unsigned numInputs = 0;
  /// Numbers of the results of which the kernel writes a part only.
  llvm::SmallVector<unsigned, 1> partialResults;
  /// Numbers of the results in which the blocks leave something for each other:
  /// fewer blocks write less.
  llvm::SmallVector<unsigned, 1> scratchResults;
  /// Number of blocks, in one dimension.
  SizeExpr grid = 1;
  unsigned threads = 1;
  /// Dynamic shared memory of a block, in bytes.
  unsigned sharedBytes = 0;
  /// Blocks a cluster; 1 means no clusters.
  unsigned cluster = 1;
  /// The blocks wait for each other, so that all must run at the same time.
  /// `grid` is the most that the kernel makes use of; fewer are launched where
  /// the device has no room for them.
  bool cooperative = false;
  /// Each thread waits, before it touches memory, until all that precedes the
  /// launch in its stream has ended (griddepcontrol.wait), so that blocks may
  /// start before.
  bool waits = false;
  /// What the kernel computes, for reports: "add, rms_norm".
  std::string ops;
  /// The place in the program that it stems from, for profilers:
  /// "norm.mlir:4:8", or empty.
  std::string source;
  /// Traffic with global memory, in bytes, for reports: what is touched, each
  /// byte once. The CPU also takes it as a hint whether threads pay off; 0
  /// means unknown.
  SizeExpr bytesRead;
  SizeExpr bytesWritten;
  /// Whether one of the two is a bound, because data decides what is touched:
  /// which rows of a table the ids name.
  bool bytesAtMost = false;
};

/// An output that is another buffer's value. Nothing is done where both are
/// the same address.
struct CopySpec {
  BufferRef from;
  BufferRef to;
  SizeExpr bytes;
};

using StepSpec = std::variant<KernelSpec, CopySpec>;

/// The last dimension of a tensor that some kernel reads or writes, where it is
/// dynamic: whether its bytes are a multiple of 16 is one of the Facts.
struct InnermostSpec {
  SizeExpr size;
  DType dtype = DType::F32;
};

/// Calls in which the product of the symbols is at most bounds[i], and more
/// than the bound before, have kernels for that size. All larger ones share
/// those for any size.
struct SizeRanges {
  llvm::SmallVector<unsigned, 2> symbols;
  /// Ascending.
  llvm::SmallVector<int64_t, 4> bounds;
};

struct ProgramSpec {
  std::string name;
  /// Names of the dynamic dims, for messages: "T", "x.0".
  std::vector<std::string> symbols;
  /// Symbol number symbols.size() + i is strides[i].
  std::vector<StrideSpec> strides;
  std::vector<TensorSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::vector<TempSpec> temps;
  std::vector<ConstantSpec> constants;
  unsigned numCounters = 0;
  /// In the order of execution.
  std::vector<StepSpec> steps;
  std::vector<InnermostSpec> innermost;
  /// Calls of at most so many bytes have kernels of their own; 0 where all
  /// sizes share them.
  int64_t smallBytes = 0;
  /// The same of calls that take as long as one block.
  int64_t briefBytes = 0;
  /// The same of calls with so few rows that blocks share them.
  int64_t fewBytes = 0;
  /// Symbols that give rows their length. A program for one length has faster
  /// kernels.
  llvm::SmallVector<unsigned, 2> lengths;
  /// Sizes that have kernels of their own, by range.
  std::vector<SizeRanges> ranges;
  /// Compared once the symbols are bound, before anything runs.
  std::vector<CheckSpec> checks;

  /// Dynamic dims and strides.
  unsigned numSymbols() const { return symbols.size() + strides.size(); }

  /// Checks that indices are in range, that some input binds every symbol,
  /// that alignments are powers of two and that no step uses a temp outside
  /// its life.
  llvm::Error verify() const;
};

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_PROGRAMSPEC_H
