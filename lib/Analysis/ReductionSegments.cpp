//===- ReductionSegments.cpp - Independent reductions of one kernel -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions are joined to one segment where a value follows from both, and
// where they walk one space and read something that both can keep in registers.
// What is computed before all reductions may be part of several segments.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Analysis/KernelEdge.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

bool ReductionSegment::reads(Value value) const {
  return llvm::any_of(ops, [&](Operation *op) {
    return llvm::is_contained(op->getOperands(), value);
  });
}

SmallVector<BlockArgument>
mlir::fuse::streamedInputs(KernelOp kernel, const DimClasses &dims,
                           const ReductionSegment &segment) {
  return llvm::filter_to_vector(
      streamedInputs(kernel, dims, segment.space.domain),
      [&](BlockArgument input) { return segment.reads(input); });
}

bool mlir::fuse::readsWeights(KernelOp kernel, const DimClasses &dims,
                              const ReductionSegment &segment) {
  // Of one row everything is shared, and streamed.
  SmallVector<BlockArgument> streamed = streamedInputs(kernel, dims, segment);
  return llvm::any_of(
      kernel.getBody().getArguments(), [&](BlockArgument input) {
        return segment.reads(input) &&
               segment.space.isSharedByRows(dims.extents(input)) &&
               !llvm::is_contained(streamed, input);
      });
}

/// Elements of an odd row from which on a vector need not divide it, and the
/// widest vectors of an even one; more of these where half of one with more
/// lanes than words divides it: what won on an H200 (docs/Rationale.md).
static constexpr int64_t shortestOddWithEdges = 48;
static constexpr int64_t fewestWithEdges = 24, fewestInsteadOfHalves = 40;
static constexpr int64_t wordLanes = 4;

bool mlir::fuse::leavesEdges(const ReductionSegment &segment, int64_t dividing,
                             int64_t widest) {
  ArrayRef<Extent> columns = segment.space.columns();
  int64_t length = staticProduct(columns).value_or(0);
  if (columns.size() != 1 || dividing == widest)
    return false;
  if (length % 2 != 0)
    return length >= shortestOddWithEdges;
  bool areHalves = 2 * dividing == widest && widest > wordLanes;
  return length >=
         widest * (areHalves ? fewestInsteadOfHalves : fewestWithEdges);
}

bool mlir::fuse::isReadOnce(const ReductionSegment &segment,
                            const DimClasses &dims) {
  const ReductionSpace &space = segment.space;
  for (Value stored : segment.stored)
    if (!space.isReducedShape(dims.extents(stored)))
      return false;
  return isOneExchange(space);
}

bool mlir::fuse::isOneExchange(const ReductionSpace &space) {
  auto isOnline = [](Operation *op) {
    auto sum = dyn_cast<ReduceOp>(op);
    return sum && sum.getMaximumOfExponents();
  };
  return space.levels.size() <= 1 ||
         (space.levels.size() == 2 &&
          llvm::all_of(space.levels.back(), isOnline));
}

namespace {
class Segmenter {
public:
  /// `joinsEqual`: walks of one space are one, whatever they read.
  Segmenter(ArrayRef<Operation *> ops, ArrayRef<Value> results,
            const DimClasses &dims, bool joinsEqual = false)
      : ops(ops), results(results), dims(dims), joinsEqual(joinsEqual) {}

  FailureOr<std::vector<ReductionSegment>> run(Reason &reason);

private:
  using Values = llvm::DenseSet<Value>;

  void joinDependent();
  bool haveOneSpace(const ReductionSpace &a, const ReductionSpace &b) const;
  void joinNeighbours(ArrayRef<ReductionSpace> spaces);
  FailureOr<SmallVector<ReductionSpace>> spacesOf(Reason &reason);
  /// What the values are computed from, with themselves.
  Values slice(Values needed) const;
  Values sliceOf(unsigned segment) const;
  bool shareInput(const Values &a, const Values &b) const;
  unsigned ownerOf(Value result, ArrayRef<ReductionSegment> segments,
                   ArrayRef<Values> needed) const;

  ArrayRef<Operation *> ops;
  ArrayRef<Value> results;
  const DimClasses &dims;
  bool joinsEqual;
  SmallVector<Operation *> reductions;
  /// Classes of reductions, by their numbers; later of segments.
  llvm::IntEqClasses classes;
  /// A reduction that the value follows from.
  DenseMap<Value, unsigned> follows;
};
} // namespace

/// What follows from several reductions joins them.
void Segmenter::joinDependent() {
  classes.grow(reductions.size());
  unsigned next = 0;
  for (Operation *op : ops) {
    std::optional<unsigned> number;
    if (isReduction(op))
      number = next++;
    for (Value operand : op->getOperands())
      if (auto found = follows.find(operand); found != follows.end())
        number = number ? classes.join(*number, found->second) : found->second;
    if (number)
      for (Value result : op->getResults())
        follows[result] = *number;
  }
  classes.compress();
}

FailureOr<SmallVector<ReductionSpace>> Segmenter::spacesOf(Reason &reason) {
  SmallVector<SmallVector<Operation *>> parts(classes.getNumClasses());
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (auto found = follows.find(result); found != follows.end()) {
        parts[classes[found->second]].push_back(op);
        break;
      }
  SmallVector<ReductionSpace> spaces;
  for (ArrayRef<Operation *> part : parts) {
    FailureOr<ReductionSpace> space = reductionSpaceOf(part, dims, reason);
    if (failed(space))
      return failure();
    spaces.push_back(std::move(*space));
  }
  return spaces;
}

Segmenter::Values Segmenter::slice(Values needed) const {
  for (Operation *op : llvm::reverse(ops))
    if (llvm::any_of(op->getResults(),
                     [&](Value v) { return needed.contains(v); }))
      needed.insert(op->operand_begin(), op->operand_end());
  return needed;
}

Segmenter::Values Segmenter::sliceOf(unsigned segment) const {
  Values needed;
  for (auto [number, op] : llvm::enumerate(reductions))
    if (classes[number] == segment)
      needed.insert(op->result_begin(), op->result_end());
  for (Value result : results)
    if (auto found = follows.find(result);
        found != follows.end() && classes[found->second] == segment)
      needed.insert(result);
  return slice(std::move(needed));
}

/// Whether the value, or the same reshape, is among the values: each user of a
/// reshape of memory may have one of its own.
static bool hasValue(const llvm::DenseSet<Value> &values, Value value) {
  Operation *op = value.getDefiningOp();
  if (values.contains(value) ||
      !isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return values.contains(value);
  return llvm::any_of(values, [&](Value other) {
    Operation *same = other.getDefiningOp();
    return same && same->getName() == op->getName() &&
           same->getOperand(0) == op->getOperand(0) &&
           other.getType() == value.getType();
  });
}

/// Whether both need a tensor of more than one element that takes memory or
/// work.
bool Segmenter::shareInput(const Values &a, const Values &b) const {
  return llvm::any_of(a, [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!hasValue(b, value) || (op && op->getNumOperands() == 0) ||
        !isa<RankedTensorType>(value.getType()))
      return false;
    return llvm::any_of(dims.extents(value),
                        [](const Extent &extent) { return extent.size != 1; });
  });
}

/// Whether a reduction takes in one number for each group of the rows.
static bool countsGroups(const ReductionSpace &space) {
  auto rank = static_cast<int64_t>(space.domain.size());
  return space.hasGroups() && llvm::any_of(space.levels, [&](auto &level) {
           return llvm::any_of(level, [&](Operation *op) {
             return space.runOf(op).second != rank;
           });
         });
}

/// Whether one walk can reduce rows and their groups: groups that are counted,
/// or such as threads can share.
bool Segmenter::haveOneSpace(const ReductionSpace &a,
                             const ReductionSpace &b) const {
  if (a.domain != b.domain)
    return false;
  SmallVector<Operation *> both;
  for (const ReductionSpace *space : {&a, &b})
    for (ArrayRef<Operation *> level : space->levels)
      llvm::append_range(both, level);
  auto inOrder = llvm::filter_to_vector(
      ops, [&](Operation *op) { return llvm::is_contained(both, op); });
  Reason reason;
  FailureOr<ReductionSpace> space = reductionSpaceOf(inOrder, dims, reason);
  if (failed(space) || countsGroups(a) || countsGroups(b))
    return succeeded(space);
  std::optional<RowGroups> groups = rowGroupsOf(*space);
  return groups && groups->vector > 1 && staticProduct(space->rows()) != 1;
}

/// Walks of one space that read the same become one, or all of one space.
void Segmenter::joinNeighbours(ArrayRef<ReductionSpace> spaces) {
  SmallVector<Values> needed;
  for (unsigned segment = 0; segment < spaces.size(); ++segment)
    needed.push_back(sliceOf(segment));
  llvm::IntEqClasses joined(spaces.size());
  for (unsigned b = 1; b < spaces.size(); ++b)
    for (unsigned a = 0; a < b; ++a) {
      bool areEqual = spaces[a].domain == spaces[b].domain &&
                      spaces[a].reduced == spaces[b].reduced;
      if ((areEqual || haveOneSpace(spaces[a], spaces[b])) &&
          ((areEqual && joinsEqual) || shareInput(needed[a], needed[b])))
        joined.join(a, b);
    }
  joined.compress();
  llvm::IntEqClasses both(reductions.size());
  DenseMap<unsigned, unsigned> first;
  for (unsigned number = 0; number < reductions.size(); ++number)
    both.join(number,
              first.try_emplace(joined[classes[number]], number).first->second);
  both.compress();
  classes = std::move(both);
}

/// The segment that writes a result: the one it follows from, else one that has
/// its shape, if possible one that needs the same.
unsigned Segmenter::ownerOf(Value result, ArrayRef<ReductionSegment> segments,
                            ArrayRef<Values> needed) const {
  if (auto found = follows.find(result); found != follows.end())
    return classes[found->second];
  SmallVector<Extent> extents = dims.extents(result);
  Values before = slice({result});
  unsigned owner = 0;
  int best = 0;
  for (auto [number, segment] : llvm::enumerate(segments)) {
    bool fits = extents == segment.space.domain ||
                segment.space.isReducedShape(extents);
    int rank = fits ? 1 + shareInput(before, needed[number]) : 0;
    if (rank > best)
      std::tie(owner, best) = std::make_pair(unsigned(number), rank);
  }
  return owner;
}

FailureOr<std::vector<ReductionSegment>> Segmenter::run(Reason &reason) {
  llvm::copy_if(ops, std::back_inserter(reductions), isReduction);
  if (reductions.empty()) {
    reason = ReasonKind::nothingReduced;
    return failure();
  }
  joinDependent();
  FailureOr<SmallVector<ReductionSpace>> spaces = spacesOf(reason);
  if (failed(spaces))
    return failure();
  if (spaces->size() > 1) {
    joinNeighbours(*spaces);
    spaces = spacesOf(reason);
    if (failed(spaces))
      return failure();
  }
  std::vector<ReductionSegment> segments;
  if (spaces->size() == 1) {
    // What is scattered is stored; the scatter itself walks nothing.
    auto walked = llvm::filter_to_vector(
        ops, [](Operation *op) { return !isa<ScatterOp>(op); });
    segments.emplace_back();
    segments.front().space = std::move(spaces->front());
    segments.front().ops = std::move(walked);
    segments.front().results =
        llvm::to_vector(llvm::seq<unsigned>(results.size()));
    return segments;
  }
  SmallVector<Values> needed;
  for (auto [number, space] : llvm::enumerate(*spaces)) {
    segments.emplace_back();
    segments.back().space = std::move(space);
    needed.push_back(sliceOf(number));
  }
  for (auto [number, result] : llvm::enumerate(results))
    segments[ownerOf(result, segments, needed)].results.push_back(number);
  for (auto [segment, values] : llvm::zip(segments, needed)) {
    for (unsigned result : segment.results)
      values.insert(results[result]);
    Values all = slice(std::move(values));
    llvm::copy_if(ops, std::back_inserter(segment.ops), [&](Operation *op) {
      return llvm::any_of(op->getResults(),
                          [&](Value v) { return all.contains(v); });
    });
  }
  return segments;
}

/// The ops that the values are computed by.
static SmallVector<Operation *> opsOf(llvm::DenseSet<Value> needed,
                                      ArrayRef<Operation *> ops) {
  SmallVector<Operation *> found;
  for (Operation *op : llvm::reverse(ops))
    if (llvm::any_of(op->getResults(),
                     [&](Value v) { return needed.contains(v); })) {
      found.push_back(op);
      needed.insert(op->operand_begin(), op->operand_end());
    }
  std::reverse(found.begin(), found.end());
  return found;
}

/// The only segment of what comes before the reductions over all rows.
static FailureOr<std::vector<ReductionSegment>>
segmentWith(AcrossRows across, ArrayRef<Operation *> ops,
            ArrayRef<Value> results, const DimClasses &dims, Reason &reason) {
  SmallVector<Operation *> before;
  llvm::copy_if(ops, std::back_inserter(before), [&](Operation *op) {
    return !llvm::is_contained(across.ops, op);
  });
  SmallVector<unsigned> numbers;
  SmallVector<Value> early;
  for (auto [number, result] : llvm::enumerate(results))
    if (!llvm::is_contained(across.results, number)) {
      numbers.push_back(number);
      early.push_back(result);
    }
  // What is reduced later ties the reductions before it to each other.
  llvm::append_range(early, across.inputs());
  // Blocks keep what they reduce of the rows of one walk.
  auto segments =
      Segmenter(before, early, dims, /*joinsEqual=*/true).run(reason);
  if (failed(segments))
    return failure();
  if (segments->size() > 1) {
    reason = ReasonKind::differentShapes;
    return failure();
  }
  segments->front().results = std::move(numbers);
  segments->front().across = std::move(across);
  return segments;
}

/// Whether the value has an element for each point that a reduction walks, or
/// for each of its results.
static bool fitsReductions(Value value, ArrayRef<Operation *> reductions,
                           const DimClasses &dims) {
  SmallVector<Extent> extents = dims.extents(value);
  Reason reason;
  return llvm::any_of(reductions, [&](Operation *op) {
    FailureOr<ReductionSpace> space = reductionSpaceOf({op}, dims, reason);
    return succeeded(space) &&
           (extents == space->domain || space->isReducedShape(extents));
  });
}

/// The numbers of the values that no reduction is needed for, and whose shape
/// none has: they are walked beside the rows, along their last dimension.
static SmallVector<unsigned> valuesBeside(ArrayRef<Operation *> ops,
                                          ArrayRef<Value> values,
                                          const DimClasses &dims) {
  llvm::DenseSet<Value> reduced = valuesFromReductions(ops);
  auto reductions = llvm::filter_to_vector(ops, isReduction);
  bool contracts = llvm::any_of(ops, llvm::IsaPred<ContractOp>);
  SmallVector<unsigned> beside;
  for (auto [number, value] : llvm::enumerate(values)) {
    bool hasElements = llvm::any_of(
        dims.extents(value), [](const Extent &e) { return e.size != 1; });
    if (!reductions.empty() && !contracts && hasElements &&
        !reduced.contains(value) && dims.extents(value).back().size != 1 &&
        !fitsReductions(value, reductions, dims))
      beside.push_back(number);
  }
  return beside;
}

/// Adds segments without reductions, one for each shape.
static void addBeside(ArrayRef<unsigned> beside, ArrayRef<Operation *> ops,
                      ArrayRef<Value> values, const DimClasses &dims,
                      std::vector<ReductionSegment> &segments) {
  size_t first = segments.size();
  for (unsigned number : beside) {
    SmallVector<Extent> extents = dims.extents(values[number]);
    auto isAlike = [&](const ReductionSegment &segment) {
      return segment.space.domain == extents;
    };
    auto segment =
        std::find_if(segments.begin() + first, segments.end(), isAlike);
    if (segment == segments.end()) {
      segments.emplace_back();
      segment = std::prev(segments.end());
      segment->space.domain = extents;
      segment->space.reduced = {static_cast<int64_t>(extents.size()) - 1};
    }
    segment->results.push_back(number);
  }
  for (ReductionSegment &segment :
       llvm::make_range(segments.begin() + first, segments.end())) {
    llvm::DenseSet<Value> needed;
    for (unsigned number : segment.results)
      needed.insert(values[number]);
    segment.ops = opsOf(std::move(needed), ops);
  }
}

/// From numbers of stores to those of results.
static void nameStores(const RowStores &stores,
                       std::vector<ReductionSegment> &segments) {
  for (ReductionSegment &segment : segments) {
    for (unsigned &number : segment.results) {
      const RowStore &store = stores.stores[number];
      segment.stored.push_back(store.value);
      segment.paths.push_back(store.path);
      number = store.result;
    }
    for (unsigned &number : segment.across.results)
      number = stores.stores[number].result;
  }
}

FailureOr<std::vector<ReductionSegment>>
mlir::fuse::reductionSegmentsOf(ArrayRef<Operation *> ops,
                                ArrayRef<Value> results, const DimClasses &dims,
                                Reason &reason) {
  RowStores stores = rowStoresOf(ops, results);
  SmallVector<Value> values = stores.values(), own;
  auto before = llvm::filter_to_vector(
      ops, [&](Operation *op) { return !stores.placing.contains(op); });
  AcrossRows across = acrossRowsOf(before, values, dims);
  if (!across.empty()) {
    bool areMoved = llvm::any_of(across.results, [&](unsigned number) {
      return !stores.stores[number].path.empty();
    });
    if (areMoved) {
      reason = ReasonKind::acrossMoved;
      return failure();
    }
    auto segments =
        segmentWith(std::move(across), before, values, dims, reason);
    if (succeeded(segments))
      nameStores(stores, *segments);
    return segments;
  }
  SmallVector<unsigned> beside = valuesBeside(before, values, dims), numbers;
  for (auto [number, value] : llvm::enumerate(values))
    if (!llvm::is_contained(beside, number)) {
      numbers.push_back(number);
      own.push_back(value);
    }
  SmallVector<Operation *> walked = before;
  if (!beside.empty()) {
    llvm::DenseSet<Value> needed(own.begin(), own.end());
    for (Operation *op : before)
      if (isReduction(op))
        needed.insert(op->result_begin(), op->result_end());
    walked = opsOf(std::move(needed), before);
  }
  auto segments = Segmenter(walked, own, dims).run(reason);
  if (failed(segments))
    return failure();
  for (ReductionSegment &segment : *segments)
    for (unsigned &number : segment.results)
      number = numbers[number];
  addBeside(beside, before, values, dims, *segments);
  nameStores(stores, *segments);
  return segments;
}

KnownSegments::KnownSegments(KernelOp kernel, const DimClasses &dims)
    : results(kernel.getYield().getValues()), dims(dims) {
  for (Operation &op : kernel.getBody().front().without_terminator())
    ops.push_back(&op);
}

const FailureOr<std::vector<ReductionSegment>> &
KnownSegments::get(Reason &reason) {
  if (!segments)
    segments = reductionSegmentsOf(ops, results, dims, why);
  if (failed(*segments))
    reason = why;
  return *segments;
}

FailureOr<std::vector<ReductionSegment>>
mlir::fuse::reductionSegmentsOf(KernelOp kernel, const DimClasses &dims,
                                Reason &reason) {
  return KnownSegments(kernel, dims).get(reason);
}
