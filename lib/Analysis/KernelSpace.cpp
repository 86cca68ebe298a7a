//===- KernelSpace.cpp - What a kernel iterates over ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/KernelSpace.h"

#include "fuse/Analysis/Strides.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

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

static void describe(Segment &segment, KernelOp kernel,
                     const DimClasses &dims) {
  segment.flat = true;
  llvm::DenseSet<Value> needed;
  for (unsigned result : segment.results) {
    llvm::DenseSet<Value> slice =
        backwardSlice(kernel.getYield().getValues()[result]);
    needed.insert(slice.begin(), slice.end());
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
  SmallVector<Rotation> rotations;
  for (RotaryOp rotary : kernel.getBody().getOps<RotaryOp>()) {
    if (!needed.contains(rotary.getResult()))
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
  SmallVector<llvm::DenseSet<Value>> needed;
  for (auto [number, value] : llvm::enumerate(kernel.getYield().getValues())) {
    // A scatter walks what it writes.
    SmallVector<Extent> extents = dims.extents(storedValue(value));
    llvm::DenseSet<Value> slice = backwardSlice(value);
    // Results that have nothing in common would only take each other's
    // registers.
    auto belongsTo = [&](size_t segment) {
      return segments[segment].extents == extents &&
             llvm::any_of(slice, [&](Value v) {
               return needed[segment].contains(v) &&
                      !isOneElement(dims.extents(v));
             });
    };
    size_t at = 0;
    while (at < segments.size() && !belongsTo(at))
      ++at;
    if (at == segments.size()) {
      segments.emplace_back();
      segments.back().extents = extents;
      needed.emplace_back();
    }
    segments[at].results.push_back(number);
    needed[at].insert(slice.begin(), slice.end());
  }
  for (Segment &segment : segments)
    describe(segment, kernel, dims);
  return segments;
}

unsigned mlir::fuse::numStateComponents(Operation *op) {
  // Deviations are combined by the numbers of elements.
  return op->getNumResults() + isa<WelfordOp>(op);
}

bool ReductionSpace::overLastDims() const {
  for (int64_t axis = reduced.front(), rank = domain.size(); axis < rank;
       ++axis)
    if (!isReduced(axis) && domain[axis].size != 1)
      return false;
  return true;
}

SmallVector<Extent> ReductionSpace::keptExtents() const {
  SmallVector<Extent> kept;
  for (auto [axis, extent] : llvm::enumerate(domain))
    if (!isReduced(axis))
      kept.push_back(extent);
  return kept;
}

SmallVector<Extent> ReductionSpace::reducedExtents() const {
  SmallVector<Extent> extents;
  for (int64_t axis : reduced)
    extents.push_back(domain[axis]);
  return extents;
}

bool ReductionSpace::isReducedShape(ArrayRef<Extent> extents) const {
  if (extents == ArrayRef(keptExtents()))
    return true;
  if (extents.size() != domain.size())
    return false;
  for (auto [axis, extent] : llvm::enumerate(domain))
    if (extents[axis] != (isReduced(axis) ? Extent{1} : extent))
      return false;
  return true;
}

bool ReductionSpace::isGroupShape(ArrayRef<Extent> extents) const {
  if (!hasGroups())
    return false;
  ArrayRef<Extent> kept = ArrayRef(domain).drop_back(inner.size());
  return extents.take_front(kept.size()) == kept &&
         (extents.size() == kept.size() || extents.size() == domain.size()) &&
         llvm::all_of(extents.drop_front(kept.size()),
                      [](const Extent &e) { return e.size == 1; });
}

std::optional<RowGroups> mlir::fuse::rowGroupsOf(const ReductionSpace &space) {
  constexpr int64_t warp = 32, mostThreads = 1024, mostVectors = 16;
  if (!space.hasGroups() || !space.overLastDims())
    return std::nullopt;
  ArrayRef<Extent> columns = space.columns();
  std::optional<int64_t> length = staticProduct(columns);
  std::optional<int64_t> elements =
      staticProduct(ArrayRef(space.domain).take_back(space.inner.size()));
  if (!length || !elements || *elements == 0)
    return std::nullopt;
  for (int64_t vector = 8; vector > 0; vector /= 2) {
    int64_t threads = *elements / vector, vectors = *length / vector;
    if (columns.back().size % vector != 0 || threads > warp ||
        !llvm::isPowerOf2_64(threads))
      continue;
    // All threads have as many vectors.
    int64_t rowThreads = std::min(mostThreads, vectors & -vectors);
    while (rowThreads > warp && vectors / rowThreads < 4)
      rowThreads /= 2;
    if (rowThreads < warp || vectors / rowThreads > mostVectors)
      continue;
    return RowGroups{*elements, vector, threads, rowThreads};
  }
  return std::nullopt;
}

bool ReductionSpace::isSharedByRows(ArrayRef<Extent> extents) const {
  SmallVector<Extent> columns = reducedExtents();
  if (extents.size() < columns.size())
    return false;
  ArrayRef<Extent> outer = extents.drop_back(columns.size());
  return extents.take_back(columns.size()) == ArrayRef(columns) &&
         llvm::all_of(outer, [](const Extent &e) { return e.size == 1; });
}

Value mlir::fuse::storedValue(Value result) {
  auto scatter = result.getDefiningOp<ScatterOp>();
  return scatter ? Value(scatter.getUpdates()) : result;
}

/// Whether `dims` are those of groups, or of rows whose groups are what has
/// been taken for rows.
static bool takeGroups(ReductionSpace &space, ArrayRef<int64_t> dims) {
  if (dims == ArrayRef(space.inner))
    return true;
  ArrayRef<int64_t> rows = space.reduced, groups = dims;
  if (rows.size() < groups.size())
    std::swap(rows, groups);
  auto rank = static_cast<int64_t>(space.domain.size());
  bool areLast = rows.size() > groups.size() && !groups.empty() &&
                 llvm::equal(rows, llvm::seq<int64_t>(rows.front(), rank)) &&
                 rows.take_back(groups.size()) == groups;
  if (!areLast || space.hasGroups())
    return false;
  SmallVector<int64_t> inner(groups), reduced(rows);
  space.inner.assign(inner.begin(), inner.end());
  space.reduced = std::move(reduced);
  return true;
}

FailureOr<ReductionSpace>
mlir::fuse::reductionSpaceOf(ArrayRef<Operation *> ops, const DimClasses &dims,
                             Reason &reason) {
  ReductionSpace space;
  DenseMap<Value, unsigned> level;
  for (Operation *op : ops) {
    unsigned needed = 0;
    for (Value operand : op->getOperands())
      needed = std::max(needed, level.lookup(operand));
    bool reduces = isReduction(op);
    for (Value result : op->getResults())
      level[result] = needed + reduces;
    if (!reduces)
      continue;

    SmallVector<Extent> domain = dims.extents(op->getOperand(0));
    if (space.levels.empty()) {
      space.domain = domain;
      space.reduced.assign(reducedDims(op).begin(), reducedDims(op).end());
    } else if (domain != space.domain) {
      reason = ReasonKind::differentShapes;
      return failure();
    } else if (reducedDims(op) != ArrayRef(space.reduced) &&
               !takeGroups(space, reducedDims(op))) {
      reason = ReasonKind::differentDims;
      return failure();
    }
    if (space.levels.size() <= needed)
      space.levels.resize(needed + 1);
    space.levels[needed].push_back(op);
  }
  if (space.levels.empty()) {
    reason = ReasonKind::nothingReduced;
    return failure();
  }
  if (space.reduced.empty()) {
    reason = ReasonKind::noReducedDims;
    return failure();
  }
  return space;
}

FailureOr<ReductionSpace> mlir::fuse::reductionSpaceOf(KernelOp kernel,
                                                       const DimClasses &dims,
                                                       Reason &reason) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front())
    ops.push_back(&op);
  return reductionSpaceOf(ops, dims, reason);
}

std::optional<std::pair<int64_t, int64_t>>
mlir::fuse::elementBitsAlong(ArrayRef<Value> edge, const DimClasses &dims,
                             const Extent &inner) {
  std::optional<std::pair<int64_t, int64_t>> bits;
  for (Value value : edge) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t rank = type.getRank();
    if (rank == 0 || !(dims.extent(value, rank - 1) == inner))
      continue;
    // Booleans take a byte.
    int64_t own = std::max<int64_t>(8, type.getElementTypeBitWidth());
    bits = bits ? std::pair(std::min(bits->first, own),
                            std::max(bits->second, own))
                : std::pair(own, own);
  }
  return bits;
}

SmallVector<Value> mlir::fuse::edgeOf(KernelOp kernel) {
  SmallVector<Value> edge(kernel.getBody().getArguments());
  llvm::append_range(edge, kernel.getYield().getValues());
  return edge;
}

std::optional<std::pair<int64_t, int64_t>>
mlir::fuse::elementBitsAlong(KernelOp kernel, const DimClasses &dims,
                             const Extent &inner) {
  return elementBitsAlong(edgeOf(kernel), dims, inner);
}

bool mlir::fuse::isOnlyGathered(BlockArgument input) {
  return !input.use_empty() &&
         llvm::all_of(input.getUses(), [](OpOperand &use) {
           auto gather = dyn_cast<GatherOp>(use.getOwner());
           return gather && &use == &gather.getTableMutable();
         });
}

SmallVector<BlockArgument> mlir::fuse::streamedInputs(KernelOp kernel,
                                                      const DimClasses &dims,
                                                      ArrayRef<Extent> domain) {
  return llvm::filter_to_vector(
      kernel.getBody().getArguments(), [&](BlockArgument input) {
        return ArrayRef<Extent>(dims.extents(input)) == domain;
      });
}

bool mlir::fuse::readsAny(Operation *op, const llvm::DenseSet<Value> &values) {
  return llvm::any_of(op->getOperands(),
                      [&](Value value) { return values.contains(value); });
}

llvm::DenseSet<Value>
mlir::fuse::valuesFromReductions(ArrayRef<Operation *> ops) {
  llvm::DenseSet<Value> values;
  for (Operation *op : ops)
    if (isReduction(op) || readsAny(op, values))
      values.insert(op->result_begin(), op->result_end());
  return values;
}

bool mlir::fuse::isOneWalk(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                           const ReductionSpace &space,
                           const DimClasses &dims) {
  llvm::DenseSet<Value> reduced = valuesFromReductions(ops);
  // Ops that move elements, or turn pairs of them, want other places' too.
  for (Operation *op : ops)
    if (readsAny(op, reduced) && !isa<CastOp>(op) &&
        !op->hasTrait<mlir::fuse::OpTrait::Pointwise>())
      return false;
  return space.levels.size() == 1 && llvm::all_of(results, [&](Value value) {
           SmallVector<Extent> extents = dims.extents(value);
           return space.isReducedShape(extents) ||
                  (extents == space.domain && !reduced.contains(value));
         });
}

bool mlir::fuse::isOneWalk(KernelOp kernel, const ReductionSpace &space,
                           const DimClasses &dims) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
  return isOneWalk(ops, llvm::to_vector(kernel.getYield().getValues()), space,
                   dims);
}

bool mlir::fuse::foldsRows(KernelOp kernel, const ReductionSpace &space,
                           const DimClasses &dims) {
  SmallVector<Extent> kept = space.keptExtents();
  if (kept.size() != 1 || !kept.front().isStatic() || kept.front().size == 0 ||
      space.isReduced(space.domain.size() - 1) ||
      !isOneWalk(kernel, space, dims))
    return false;
  auto isOfPlaces = [](Operation &op) {
    return isReduction(&op) || isa<ConstantOp>(op) ||
           (op.hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
            !isa<IotaOp, RandomOp>(op));
  };
  return llvm::all_of(kernel.getBody().front().without_terminator(),
                      isOfPlaces) &&
         llvm::all_of(kernel.getYield().getValues(), [&](Value value) {
           return space.isReducedShape(dims.extents(value));
         });
}

ContractionSpace mlir::fuse::contractionSpaceOf(ContractOp op) {
  StringRef lhs = op.getLhsAxes(), rhs = op.getRhsAxes();
  StringRef result = op.getResultAxes();
  ContractionSpace space;
  space.op = op;
  space.n = result.empty() ? '\0' : result.back();
  space.nIsOnRhs = rhs.contains(space.n);
  StringRef nSide = space.nIsOnRhs ? rhs : lhs;
  StringRef mSide = space.nIsOnRhs ? lhs : rhs;
  for (char axis : llvm::reverse(result.drop_back(!result.empty())))
    if (!space.m && mSide.contains(axis) && !nSide.contains(axis))
      space.m = axis;
  for (char axis : result.drop_back(!result.empty()))
    if (axis != space.m)
      space.outer.push_back(axis);
  for (char axis : op.getContractedAxes())
    space.summed.push_back(axis);
  space.nIsContiguous =
      nSide.ends_with(StringRef(&space.n, 1)) && !mSide.contains(space.n);
  char k = space.summed.back();
  space.kIsContiguous = lhs.back() == k && rhs.back() == k;
  return space;
}

Extent ContractionSpace::extent(char axis, const DimClasses &dims) const {
  ContractOp contract = op;
  std::pair<StringRef, Value> tensors[] = {
      {contract.getResultAxes(), contract.getResult()},
      {contract.getLhsAxes(), contract.getLhs()},
      {contract.getRhsAxes(), contract.getRhs()}};
  Extent found{1};
  for (auto [axes, tensor] : tensors)
    if (size_t at = axes.find(axis); at != StringRef::npos) {
      found = dims.extent(tensor, at);
      // An operand's size 1 repeats.
      if (found.size != 1)
        return found;
    }
  return found;
}
