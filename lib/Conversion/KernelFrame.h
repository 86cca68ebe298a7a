//===- KernelFrame.h - The function a kernel is lowered into ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_KERNELFRAME_H
#define FUSE_LIB_CONVERSION_KERNELFRAME_H

#include "Points/PointEmitter.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::fuse {

/// Shared memory that every chip gives a block without being asked.
inline constexpr int64_t mostStaticShared = 48 * 1024;
/// More than the registers of any machine; each is code of its own, and LLVM
/// takes minutes over thousands of them.
inline constexpr int64_t maxHeldVectors = 256;

/// ceil(product of extents / divisor), and the same of others added.
struct GridFactor {
  SmallVector<Extent> extents;
  int64_t divisor = 1;
  std::vector<GridFactor> others = {};
};

/// ceil(product of factors / divisor): the blocks of one part of the grid.
struct GridTerm {
  SmallVector<GridFactor> factors;
  int64_t divisor = 1;
  /// Where `most` is not 0, there are from `least` to `most` blocks, whatever
  /// that is.
  int64_t least = 0, most = 0;
};
/// The parts follow each other.
using Grid = SmallVector<GridTerm>;

/// Where the blocks that share a reduction leave their states, which a second
/// launch combines; see PartLayout.
struct PartStates {
  /// One tensor [parts, results] for each component of each state.
  SmallVector<Value> pointers;
  Index parts;
  /// What the blocks of a cooperative launch count themselves with.
  Value counter;
};

/// A tensor map of a kernel's input or result, by its number.
struct TensorMapUse {
  bool isResult;
  unsigned number;
  /// A value of the kernel whose shape it has for the map; null for its own.
  Value shape;
  /// Of the tensor, the one of neighbours in memory first; several are one to
  /// the map.
  SmallVector<SmallVector<unsigned, 2>> dims;
  /// Elements along each that a copy moves.
  SmallVector<int64_t> box;
};

/// A gpu.func under construction, and the emitter that fills it.
struct KernelFrame {
  KernelOp kernel;
  gpu::GPUFuncOp function;
  const DimClasses &dims;
  OpBuilder &builder;
  PointEmitter &emitter;
  /// Set in both launches of a kernel with several parts, and in the only one
  /// of a kernel whose blocks share a row.
  std::optional<PartStates> partStates = std::nullopt;
  /// Dynamic shared memory of a block; the lowering of the schedule sets it.
  int64_t sharedBytes = 0;
  /// The function's last arguments; see addTensorMap().
  SmallVector<TensorMapUse, 0> tensorMaps = {};
  /// Buffers of shared memory, and where in the function each was asked for.
  SmallVector<std::pair<Value, Block *>, 0> slots = {};

  Location loc() { return function.getLoc(); }

  /// Static shared memory of a block, as far as it has been asked for.
  int64_t staticSharedBytes();

  /// The index of this block, or of the thread in it, in [0, threads).
  Index blockId();
  Index threadId(int64_t threads);
  /// The number of blocks of a grid term, in the kernel.
  Index blocks(const GridTerm &term);
  /// Runs `body` for each term of the grid in a branch of its own, with this
  /// block's index among the term's.
  void divideBlocks(ArrayRef<GridTerm> grid,
                    llvm::function_ref<void(unsigned, const Index &)> body);
  /// The same of block number `block` of these.
  void divideBlocks(ArrayRef<GridTerm> grid, const Index &block,
                    llvm::function_ref<void(unsigned, const Index &)> body);

  /// Runs `body` where `condition` holds (always, if it is null).
  void ifTrue(Value condition, llvm::function_ref<void()> body);
  void ifElse(Value condition, llvm::function_ref<void()> thenBody,
              llvm::function_ref<void()> elseBody);
  /// Both conditions; null means true.
  Value both(Value a, Value b);

  /// Computes all results at the point, and then stores them: one may lie where
  /// another's operand does.
  void storeResults(const Point &point);
};

/// Writes result `number` at a point of what is stored of it, the updates where
/// it is a scatter: those that exist, and one by one where neighbours of the
/// updates do not become neighbours.
void storeResult(KernelFrame &frame, unsigned number, const Point &point,
                 Value value);

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_KERNELFRAME_H
