//===- VectorWidth.cpp - How many elements a thread takes at once ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/MovedInputs.h"
#include "fuse/Schedule/Scheduler.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of an element of two in a byte.
static constexpr int64_t packedBits = 4;

static int64_t storageBits(Value value) {
  // Booleans take a byte.
  return std::max<int64_t>(
      8, getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth());
}

/// Narrowest and widest elements of the tensors of this shape that cross the
/// kernel's edge, or are gathered as whole lines from one that does.
static std::pair<int64_t, int64_t>
elementBits(KernelOp kernel, const DimClasses &dims, ArrayRef<Extent> extents) {
  int64_t narrowest = 64, widest = 8;
  auto visit = [&](Value value) {
    if (ArrayRef<Extent>(dims.extents(value)) != extents)
      return;
    narrowest = std::min(narrowest, storageBits(value));
    widest = std::max(widest, storageBits(value));
  };
  for (Value input : kernel.getBody().getArguments())
    visit(input);
  for (Operation &op : kernel.getBody().getOps())
    if (op.getNumResults() == 1 &&
        isa<RankedTensorType>(op.getResultTypes()[0]) &&
        inputWithRowsOf(op.getResult(0), dims))
      visit(op.getResult(0));
  for (GatherOp gather : kernel.getBody().getOps<GatherOp>()) {
    auto last = gather.getTable().getType().getRank() - 1;
    if (isa<BlockArgument>(gather.getTable()) &&
        static_cast<int64_t>(gather.getDim()) < last)
      visit(gather.getResult());
  }
  // Two elements lie in a byte, in this shape or one that is reshaped to it.
  for (UnpackOp unpack : kernel.getBody().getOps<UnpackOp>()) {
    SmallVector<Extent> own = dims.extents(unpack.getResult());
    auto elements = staticProduct(own);
    bool isWalked = ArrayRef<Extent>(own) == extents ||
                    (elements && elements == staticProduct(extents));
    if (isa<BlockArgument>(unpack.getInput()) && isWalked)
      narrowest = packedBits;
  }
  for (Value value : kernel.getYield().getValues())
    visit(storedValue(value));
  return {std::min(narrowest, widest), widest};
}

int64_t mlir::fuse::narrowestBits(KernelOp kernel, const DimClasses &dims,
                                  ArrayRef<Extent> extents) {
  return elementBits(kernel, dims, extents).first;
}

int64_t mlir::fuse::widestVector(KernelOp kernel, const DimClasses &dims,
                                 ArrayRef<Extent> extents,
                                 const ScheduleTarget &target) {
  auto [narrowest, widest] = elementBits(kernel, dims, extents);
  if (!target.isGPU)
    return std::max<int64_t>(2,
                             target.vectorBits / std::max<int64_t>(32, widest));
  // More than 8 elements cost registers and win nothing where a byte-wide
  // operand is a small part of the traffic.
  int64_t most = narrowest == packedBits ? 32 : widest == 8 ? 16 : 8;
  return std::clamp<int64_t>(target.vectorBits / narrowest, 1, most);
}

int64_t mlir::fuse::dividingVector(int64_t limit, int64_t size) {
  int64_t vector = limit;
  while (vector > 1 && size % vector != 0)
    vector /= 2;
  return vector;
}

int64_t mlir::fuse::innermostVector(KernelOp kernel, const DimClasses &dims,
                                    ArrayRef<Extent> extents, int64_t limit,
                                    const ScheduleTarget &target) {
  if (extents.empty())
    return 1;
  if (extents.back().isStatic())
    return dividingVector(limit, extents.back().size);
  if (!target.divisible)
    return 1;
  // 16 bytes of the widest element divide the dimension, whatever its size.
  auto bits = elementBitsAlong(kernel, dims, extents.back());
  return bits ? std::clamp<int64_t>(128 / bits->second, 1, limit) : 1;
}
