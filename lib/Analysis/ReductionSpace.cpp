//===- ReductionSpace.cpp - What reductions walk and reduce ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ReductionSpace.h"

#include "fuse/Analysis/ColumnSegments.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

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

bool ReductionSpace::isPartShape(ArrayRef<Extent> extents) const {
  auto last = static_cast<int64_t>(domain.size()) - 1;
  if (hasGroups() || ArrayRef(reduced) != ArrayRef(last) ||
      extents.size() != domain.size())
    return false;
  const Extent &part = extents.back(), &row = domain.back();
  return extents.drop_back() == ArrayRef(domain).drop_back() &&
         part.isStatic() && row.isStatic() && part.size > 1 &&
         part.size < row.size;
}

bool ReductionSpace::isReducedShape(ArrayRef<Extent> extents) const {
  SmallVector<Extent> kept = keptExtents();
  if (extents == ArrayRef(kept))
    return true;
  // What groups are reduced to may have fewer dimensions than the row.
  if (hasGroups() && extents.size() > kept.size() &&
      extents.size() < domain.size())
    return extents.take_front(kept.size()) == ArrayRef(kept) &&
           llvm::all_of(extents.drop_front(kept.size()),
                        [](const Extent &extent) { return extent.size == 1; });
  if (extents.size() != domain.size())
    return false;
  for (auto [axis, extent] : llvm::enumerate(domain))
    if (extents[axis] != (isReduced(axis) ? Extent{1} : extent))
      return false;
  return true;
}

std::optional<int64_t>
ReductionSpace::firstOfGroup(ArrayRef<Extent> extents) const {
  if (extents.size() > domain.size())
    return std::nullopt;
  for (int64_t first : llvm::reverse(groups)) {
    auto kept = static_cast<size_t>(first);
    bool isOne = extents.size() >= kept &&
                 extents.take_front(kept) == ArrayRef(domain).take_front(kept);
    if (isOne && llvm::all_of(extents.drop_front(kept),
                              [](const Extent &e) { return e.size == 1; }))
      return first;
  }
  return std::nullopt;
}

std::pair<int64_t, int64_t> ReductionSpace::runOf(Operation *reduction) const {
  ArrayRef<int64_t> dims = reducedDims(reduction);
  int64_t end = dims.back() + 1;
  auto type = cast<RankedTensorType>(reduction->getOperand(0).getType());
  auto rank = static_cast<int64_t>(domain.size());
  // A group may begin with dimensions of size 1.
  auto isGone = [&](int64_t first) {
    auto isOne = [](const Extent &extent) { return extent.size == 1; };
    ArrayRef<Extent> own = ArrayRef(domain).drop_front(first);
    return first >= type.getRank() ||
           (!llvm::all_of(own, isOne) &&
            llvm::all_of(type.getShape().drop_front(first),
                         [](int64_t size) { return size == 1; }));
  };
  if (end == rank && !isGone(rank - 1))
    return {dims.front(), rank};
  const auto *first = llvm::find_if(groups, [&](int64_t group) {
    return group > dims.front() && isGone(group);
  });
  return {dims.front(), first == groups.end() ? rank : *first};
}

int64_t RowGroups::vectorsFrom(const ReductionSpace &space,
                               int64_t first) const {
  auto number = llvm::find(space.groups, first) - space.groups.begin();
  return static_cast<size_t>(number) < ofGroup.size() ? ofGroup[number]
                                                      : vectors;
}

int64_t RowGroups::neighbours(int64_t vectors) {
  constexpr int64_t warp = 32;
  return std::min(vectors & -vectors, warp);
}

/// Bytes of the states of all parts of a row's groups that wait in shared
/// memory, in `parts` for each reduction.
static int64_t partBytes(const ReductionSpace &space, int64_t parts) {
  int64_t bytes = 0;
  for (ArrayRef<Operation *> level : space.levels)
    for (Operation *op : level) {
      Type type = getElementTypeOrSelf(op->getOperand(0).getType());
      int64_t each = std::max(type.getIntOrFloatBitWidth(), 32u) / 8;
      bytes += parts * each * numStateComponents(op);
    }
  return bytes;
}

/// Threads that share a row of so many vectors, whole warps: such that all have
/// as many vectors, where there are such.
static int64_t threadsOfRow(int64_t vectors) {
  constexpr int64_t warp = 32, mostThreads = 1024, usualVectors = 4;
  if (vectors % warp != 0)
    return std::min<int64_t>(
        mostThreads,
        llvm::alignTo(llvm::divideCeil(vectors, usualVectors), warp));
  int64_t threads = std::min(mostThreads, vectors & -vectors);
  while (threads > warp && vectors / threads < usualVectors)
    threads /= 2;
  return threads;
}

/// How threads share the rows by vectors of so many elements. `inWarps`: all
/// have as many vectors, and no group is in parts.
static std::optional<RowGroups> groupsBy(const ReductionSpace &space,
                                         int64_t vector, bool inWarps) {
  constexpr int64_t warp = 32, mostVectors = 16, mostParts = 32,
                    mostPartBytes = 16 << 10;
  std::optional<int64_t> length = staticProduct(space.columns());
  if (!length || *length == 0 || space.columns().back().size % vector != 0)
    return std::nullopt;
  RowGroups groups{vector, threadsOfRow(*length / vector), *length / vector};
  int64_t each = llvm::divideCeil(groups.vectors, groups.rowThreads);
  if (each > mostVectors || (inWarps && groups.vectors % warp != 0))
    return std::nullopt;
  for (int64_t first : space.groups) {
    int64_t vectors =
        *staticProduct(ArrayRef(space.domain).drop_front(first)) / vector;
    int64_t together = RowGroups::neighbours(vectors);
    int64_t parts = each * groups.rowThreads / together;
    groups.ofGroup.push_back(vectors);
    if (vectors == together)
      continue;
    if (inWarps || vectors / together > mostParts ||
        partBytes(space, parts) > mostPartBytes)
      return std::nullopt;
  }
  return groups;
}

std::optional<RowGroups> mlir::fuse::rowGroupsOf(const ReductionSpace &space) {
  constexpr int64_t widest = 8;
  if (!space.hasGroups() || !space.overLastDims())
    return std::nullopt;
  for (bool inWarps : {true, false})
    for (int64_t vector = widest; vector > 0; vector /= 2)
      if (auto groups = groupsBy(space, vector, inWarps))
        return groups;
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

/// The dimensions, up to one, that a reduction of these extents combines in
/// rows of a domain. Those behind it are groups, of which it counts each once.
static std::optional<std::pair<int64_t, int64_t>>
runIn(ArrayRef<Extent> domain, ArrayRef<Extent> extents,
      ArrayRef<int64_t> dims) {
  auto isOne = [](const Extent &extent) { return extent.size == 1; };
  if (dims.empty() || extents.size() > domain.size())
    return std::nullopt;
  int64_t first = dims.front(), end = dims.back() + 1;
  if (!llvm::equal(dims, llvm::seq(first, end)))
    return std::nullopt;
  while (end - 1 > first && isOne(extents[end - 1]) && !isOne(domain[end - 1]))
    --end;
  if (extents.take_front(end) != domain.take_front(end) ||
      !llvm::all_of(extents.drop_front(end), isOne))
    return std::nullopt;
  if (llvm::all_of(domain.drop_front(end), isOne))
    end = static_cast<int64_t>(domain.size());
  return std::make_pair(first, end);
}

/// Adds groups that begin at a dimension inside of the rows.
static void addGroup(ReductionSpace &space, int64_t first) {
  auto *place = llvm::lower_bound(space.groups, first);
  if (first < static_cast<int64_t>(space.domain.size()) &&
      (place == space.groups.end() || *place != first))
    space.groups.insert(place, first);
}

/// Takes in what combines the dimensions of a run of the domain: groups, or
/// rows whose groups are what has been taken for rows.
static void takeRun(ReductionSpace &space, std::pair<int64_t, int64_t> run) {
  auto rank = static_cast<int64_t>(space.domain.size());
  int64_t first = std::min(space.reduced.front(), run.first);
  addGroup(space, run.second);
  for (int64_t other : {space.reduced.front(), run.first})
    if (other != first)
      addGroup(space, other);
  space.reduced = llvm::to_vector(llvm::seq(first, rank));
}

/// Whether a reduction of these extents combines groups of the rows, or what
/// groups have been reduced to; or is of rows whose groups are what has been
/// taken for rows.
static bool takeGroups(ReductionSpace &space, ArrayRef<Extent> extents,
                       ArrayRef<int64_t> dims) {
  SmallVector<Extent> before(space.domain);
  auto rank = static_cast<int64_t>(before.size());
  auto rows = runIn(before, before, space.reduced);
  if (!rows || rows->second != rank)
    return false;
  if (auto run = runIn(before, extents, dims)) {
    takeRun(space, *run);
    return true;
  }
  auto inside = runIn(extents, before, space.reduced);
  auto run = runIn(extents, extents, dims);
  if (!inside || !run || run->second != static_cast<int64_t>(extents.size()))
    return false;
  space.domain.assign(extents.begin(), extents.end());
  takeRun(space, *inside);
  takeRun(space, *run);
  return true;
}

/// Whether the groups that are counted once are reduced by these rows, too:
/// nothing else ties the dimensions of what another kernel has left to theirs.
/// Of a tensor that is a single row they are rows of their own, which many
/// blocks share.
static bool reducesCountedGroups(const ReductionSpace &space) {
  auto rank = static_cast<int64_t>(space.domain.size());
  SmallVector<int64_t> firsts;
  for (ArrayRef<Operation *> level : space.levels)
    for (Operation *op : level)
      firsts.push_back(reducedDims(op).front());
  for (ArrayRef<Operation *> level : space.levels)
    for (Operation *op : level) {
      int64_t end = space.runOf(op).second;
      if (end != rank &&
          (space.reduced.front() == 0 || !llvm::is_contained(firsts, end)))
        return false;
    }
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
    } else if ((domain != space.domain ||
                reducedDims(op) != ArrayRef(space.reduced)) &&
               !takeGroups(space, domain, reducedDims(op))) {
      reason = domain == space.domain ? ReasonKind::differentDims
                                      : ReasonKind::differentShapes;
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
  if (space.hasGroups() && !reducesCountedGroups(space)) {
    reason = ReasonKind::differentShapes;
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
  return space.levels.size() == 1 && !space.hasGroups() &&
         llvm::all_of(results, [&](Value value) {
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
  // What only moves results is behind the walk.
  RowStores found = columnStoresOf(
      ops, llvm::to_vector(kernel.getYield().getValues()), space, dims);
  llvm::erase_if(ops,
                 [&](Operation *op) { return found.placing.contains(op); });
  return isOneWalk(ops, found.values(), space, dims);
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
