//===- ElementSegments.cpp - Results of one shape -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ElementSegments.h"

#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/Strides.h"
#include "fuse/Analysis/TransposeSpace.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

/// All values of the kernel's body that `value` is computed from.
static llvm::DenseSet<Value> backwardSlice(Value value) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value current = work.pop_back_val();
    if (!seen.insert(current).second)
      continue;
    if (Operation *op = current.getDefiningOp())
      for (Value operand : op->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          work.push_back(operand);
  }
  return seen;
}

unsigned mlir::fuse::wholeDims(ArrayRef<Extent> extents, int64_t vector) {
  int64_t inside = 1;
  for (unsigned whole = 0; whole < extents.size(); ++whole) {
    const Extent &extent = extents[extents.size() - 1 - whole];
    if (!extent.isStatic() || extent.size == 0)
      return 0;
    if (extent.size * inside % vector == 0)
      return whole;
    inside *= extent.size;
    if (vector % inside != 0)
      return 0;
  }
  return 0;
}

bool mlir::fuse::isPointwise(KernelOp kernel) {
  return llvm::all_of(kernel.getBody().front().without_terminator(),
                      [](Operation &op) {
                        if (isa<IotaOp, RandomOp>(op))
                          return false;
                        return op.hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
                               isa<ConstantOp>(op);
                      });
}

static bool isOneElement(ArrayRef<Extent> extents) {
  return llvm::all_of(extents, [](const Extent &e) { return e.size == 1; });
}

bool Rotation::operator==(const Rotation &other) const {
  return layout == other.layout && dims == other.dims &&
         headDim == other.headDim && headAxis == other.headAxis &&
         heads == other.heads;
}

bool Rotation::keepsVectors(int64_t vector) const {
  if (headDim % vector != 0 || dims % vector != 0)
    return false;
  return layout == RotaryLayout::half ? dims / 2 % vector == 0 : vector > 1;
}

int64_t Rotation::pairsTogether(int64_t vector) const {
  constexpr int64_t most = 64;
  int64_t together = llvm::alignTo(dims, vector);
  return headDim % vector == 0 && together <= most ? together : 0;
}

/// Whether something of the kernel moves what the op's result becomes.
static bool isMovedLater(Operation *op) {
  llvm::SetVector<Operation *> users(op->getUsers().begin(),
                                     op->getUsers().end());
  for (size_t next = 0; next < users.size(); ++next) {
    Operation *user = users[next];
    if (user->hasTrait<mlir::fuse::OpTrait::Movement>() ||
        isa<tensor::TensorDialect>(user->getDialect()))
      return true;
    users.insert(user->getUsers().begin(), user->getUsers().end());
  }
  return false;
}

static Rotation rotationOf(RotaryOp op) {
  std::optional<int64_t> heads;
  if (op.getHeads() && op.getType().getDimSize(op.getHeadAxis()) !=
                           static_cast<int64_t>(*op.getHeads()))
    heads = static_cast<int64_t>(*op.getHeads());
  return {op.getLayout(), op.getRotaryDims(), op.getHeadDim(), op.getHeadAxis(),
          heads};
}

int64_t Segment::repeatedTogether(int64_t places) const {
  return repeatedInstructions > 0 ? std::gcd(places, extents[repeatedAxis].size)
                                  : 1;
}

/// What an element computes anew that others along `axis` compute, too.
static double repeatedAlong(unsigned axis, const Segment &segment,
                            const llvm::DenseSet<Value> &needed) {
  double instructions = 0;
  for (Value value : needed) {
    Operation *op = value.getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !op || !op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
        type.getRank() > static_cast<int64_t>(segment.extents.size()))
      continue;
    int64_t dim =
        axis + type.getRank() - static_cast<int64_t>(segment.extents.size());
    if (type.getRank() > 0 && (dim < 0 || type.getDimSize(dim) == 1))
      instructions += instructionsOf(op);
  }
  return instructions;
}

/// Whether neighbours along the last dimension of the results lie apart in the
/// input, as those of a column do.
static bool hasLanesApart(const WalkedInput &walked, const Segment &segment,
                          const DimClasses &dims) {
  int64_t last = segment.extents.size() - 1;
  bool walks = false;
  for (auto [dim, axis] : llvm::enumerate(walked.axes)) {
    if (walks && dims.extent(walked.input, dim).size != 1)
      return true;
    walks |= axis == last;
  }
  return false;
}

/// The inputs that are read lane by lane, once for each place where they are.
static SmallVector<WalkedInput> inputsWithLanesApart(KernelOp kernel,
                                                     const Segment &segment,
                                                     const DimClasses &dims) {
  SmallVector<WalkedInput> inputs = walkedInputs(kernel, segment, dims);
  llvm::erase_if(inputs, [&](const WalkedInput &walked) {
    return !hasLanesApart(walked, segment, dims);
  });
  return inputs;
}

static void findRepeated(Segment &segment, KernelOp kernel,
                         const DimClasses &dims,
                         const llvm::DenseSet<Value> &needed) {
  SmallVector<WalkedInput> apart = inputsWithLanesApart(kernel, segment, dims);
  for (unsigned axis = 0; axis + 1 < segment.extents.size(); ++axis) {
    const Extent &extent = segment.extents[axis];
    if (!extent.isStatic() || extent.size < 2)
      continue;
    // Of dimensions along which the same repeats the largest.
    double instructions =
        repeatedAlong(axis, segment, needed) +
        kApartLoadInstructions *
            llvm::count_if(apart, [&](const WalkedInput &walked) {
              return !llvm::is_contained(walked.axes, axis);
            });
    if (instructions > segment.repeatedInstructions ||
        (instructions == segment.repeatedInstructions &&
         extent.size > segment.extents[segment.repeatedAxis].size)) {
      segment.repeatedAxis = axis;
      segment.repeatedInstructions = instructions;
    }
  }
}

static void describe(Segment &segment, KernelOp kernel,
                     const DimClasses &dims) {
  segment.flat = true;
  llvm::DenseSet<Value> needed;
  for (unsigned result : segment.results) {
    llvm::DenseSet<Value> slice =
        backwardSlice(kernel.getYield().getValues()[result]);
    needed.insert(slice.begin(), slice.end());
    if (resultKind(kernel, result) != StrideKind::dense)
      segment.flat = false;
  }
  for (Value value : needed) {
    SmallVector<Extent> extents = dims.extents(value);
    Operation *op = value.getDefiningOp();
    if (isa<BlockArgument>(value) && strideKind(value) != StrideKind::dense)
      segment.flat = false;
    // These ask where a point is, not only how far along.
    if ((extents != segment.extents && !isOneElement(extents)) ||
        isa_and_nonnull<IotaOp, RotaryOp, ReduceOp, SoftmaxStatsOp, ContractOp,
                        ScatterOp, SegmentSumOp>(op) ||
        (op && op->hasTrait<mlir::fuse::OpTrait::Movement>()))
      segment.flat = false;
  }
  bool rotates = llvm::any_of(needed, [](Value value) {
    return value.getDefiningOp<RotaryOp>() != nullptr;
  });
  if (!rotates && !segment.flat)
    findRepeated(segment, kernel, dims, needed);
  SmallVector<Rotation> rotations;
  for (Value value : needed) {
    auto rotary = value.getDefiningOp<RotaryOp>();
    if (!rotary)
      continue;
    if (dims.extents(rotary.getResult()) != segment.extents)
      return;
    // Behind a movement a point of the results is another of the rotary's.
    if (isMovedLater(rotary))
      return;
    rotations.push_back(rotationOf(rotary));
  }
  if (!rotations.empty() && llvm::all_equal(rotations))
    segment.rotation = rotations.front();
}

SmallVector<Segment> mlir::fuse::segmentsOf(KernelOp kernel,
                                            const DimClasses &dims) {
  SmallVector<Segment> segments;
  // Of each value with more than one element: the segments that need it.
  DenseMap<Value, SmallVector<size_t, 1>> neededBy;
  for (auto [number, value] : llvm::enumerate(kernel.getYield().getValues())) {
    // A scatter walks what it writes.
    SmallVector<Extent> extents = dims.extents(storedValue(value));
    llvm::DenseSet<Value> slice = backwardSlice(value);
    // Results that have nothing in common would only take each other's
    // registers: the first segment that shares something.
    size_t at = segments.size();
    for (Value each : slice)
      for (size_t segment : neededBy.lookup(each))
        if (segment < at && segments[segment].extents == extents)
          at = segment;
    if (at == segments.size()) {
      segments.emplace_back();
      segments.back().extents = extents;
    }
    segments[at].results.push_back(number);
    for (Value each : slice)
      if (!isOneElement(dims.extents(each)))
        if (SmallVector<size_t, 1> &all = neededBy[each];
            !llvm::is_contained(all, at))
          all.push_back(at);
  }
  for (Segment &segment : segments)
    describe(segment, kernel, dims);
  return segments;
}
