//===- CostModel.cpp - What a kernel would take ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"
#include "NeededPlaces.h"

#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/OrderedSpace.h"
#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Target/GPUTarget.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// Views of a value that is not computed, but only read: as mostViews.
static constexpr size_t mostMovedViews = 32;
/// Elements of f32 in 16 bytes; vectors of narrower ones have more.
static constexpr double fewestInVector = 4;
static constexpr MachineRates hostRates = {
    hostNumbers.bytesPerSecond, hostNumbers.operationsPerSecond,
    hostNumbers.launchSeconds,  hostNumbers.cores,
    /*sharesResults=*/false,    HUGE_VAL,
    /*mostBlocksPerRow=*/1,
    /*packsOperands=*/true};

MachineRates MachineRates::of(StringRef chip) {
  llvm::Expected<GPUTarget> gpu = lookupGPUTarget(chip);
  if (!gpu) {
    llvm::consumeError(gpu.takeError());
    return hostRates;
  }
  return {gpu->memoryBytesPerSecond,
          gpu->operationsPerSecond(),
          gpu->launchSeconds,
          static_cast<double>(gpu->multiprocessors),
          /*sharesResults=*/true,
          gpu->maxClusterSize > 1 ? gpu->maxSharedBytesPerBlock / 2.0
                                  : HUGE_VAL,
          static_cast<double>(gpu->maxClusterSize),
          /*packsOperands=*/false,
          *gpu};
}

namespace {
/// Where a value is needed: `points` tells sets of points apart, `memory` those
/// that are not near each other either (a slice of the same rows is near).
struct View {
  llvm::hash_code points, memory;
  double elements;
};

class ViewCount {
public:
  ViewCount(ArrayRef<Operation *> ops, ArrayRef<Value> results,
            const DimClasses &dims, bool packsOperands);

  /// Adds the views of `op`'s operands; false if there are too many.
  bool visit(Operation *op);
  /// The elements of `value` that are read, as far as they differ.
  double elementsRead(Value value) const;
  double evaluations(Operation *op) const;

private:
  bool add(Value value, const View &view);

  DenseMap<Value, SmallVector<View, 2>> views;
  /// What follows from a reduction: one number for many elements, computed
  /// once.
  llvm::DenseSet<Value> reduced;
  /// Ops that do more than move elements: each view is code of its own.
  llvm::SmallPtrSet<Operation *, 32> computing;
  bool packsOperands;
};
} // namespace

/// How often packing computes an element of a contraction's operand: once for
/// each tile along the axes that the operand lacks.
static double timesPacked(ContractOp op, unsigned operand) {
  StringRef axes = operand == 0 ? op.getLhsAxes() : op.getRhsAxes();
  double others = estimatedElements(op.getResult());
  auto shape = cast<RankedTensorType>(op.getOperand(operand).getType());
  for (auto [axis, size] : llvm::zip_equal(axes, shape.getShape()))
    if (op.getResultAxes().contains(axis) && size != 0)
      others /= estimatedElements(
          {Extent{size, ShapedType::isDynamic(size) ? 0 : -1}});
  return std::max(1.0, std::ceil(others / hostNumbers.mostOfTile));
}

/// A kernel with reductions is one walk; others walk each shape of results, or
/// of what a scatter writes into one.
ViewCount::ViewCount(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                     const DimClasses &dims, bool packsOperands)
    : packsOperands(packsOperands) {
  bool isOneWalk = false;
  for (Operation *op : ops) {
    if (!op->hasTrait<mlir::fuse::OpTrait::Movement>() &&
        !isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      computing.insert(op);
    bool reduces = isReduction(op) || isa<TopKOp>(op);
    isOneWalk |= reduces || isa<ContractOp>(op) || isRowOrder(op);
    if (reduces || llvm::any_of(op->getOperands(),
                                [&](Value v) { return reduced.contains(v); }))
      reduced.insert(op->result_begin(), op->result_end());
  }
  for (Value result : results) {
    Value stored = storedValue(result);
    llvm::hash_code walk(0);
    if (!isOneWalk)
      for (const Extent &extent : dims.extents(stored))
        walk = llvm::hash_combine(walk, extent.size, extent.cls);
    add(result, {walk, walk, estimatedElements(stored)});
  }
}

bool ViewCount::add(Value value, const View &view) {
  SmallVector<View, 2> &known = views[value];
  for (View &other : known)
    if (other.points == view.points) {
      other.elements = std::max(other.elements, view.elements);
      return true;
    }
  known.push_back(view);
  bool isComputed = computing.contains(value.getDefiningOp());
  return known.size() <= (isComputed ? mostViews : mostMovedViews);
}

/// Equal for ops that take their operand `number` at the same places, whatever
/// its elements are.
static llvm::hash_code hashOfMove(Operation *op, unsigned number) {
  llvm::hash_code hash = llvm::hash_combine(op->getName(), op->hashProperties(),
                                            number, op->getResult(0).getType());
  bool isIndexed = isa<GatherOp, TakeAlongOp>(op);
  for (auto [other, operand] : llvm::enumerate(op->getOperands())) {
    bool isMoved =
        isa<RankedTensorType>(operand.getType()) && !(isIndexed && other > 0);
    hash = isMoved ? llvm::hash_combine(hash, operand.getType())
                   : llvm::hash_combine(hash, operand);
  }
  return hash;
}

/// Whether elements that are neighbours in a result's row, and so in a thread's
/// vector, all need one of the operand, which the thread then computes once.
static bool isOneForNeighbours(Value operand, Value result) {
  auto last = [](Value value) {
    ArrayRef<int64_t> shape = tensorType(value).getShape();
    return shape.empty() ? 1 : shape.back();
  };
  return last(operand) == 1 && last(result) != 1;
}

bool ViewCount::visit(Operation *op) {
  bool reduces = isReduction(op) || isa<ContractOp>(op) || isRowOrder(op);
  bool isReshape = isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
  bool moves = op->hasTrait<mlir::fuse::OpTrait::Movement>() || isReshape;
  bool staysNear = isa<SliceOp, PadOp, ConcatOp>(op) || isReshape;
  bool isPointwise = op->hasTrait<mlir::fuse::OpTrait::Pointwise>();
  for (Value result : op->getResults())
    for (const View &view : llvm::to_vector(views.lookup(result)))
      for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
        // A scatter leaves what it writes into as it is.
        if (!isa<RankedTensorType>(operand.getType()) ||
            (isa<ScatterOp>(op) && operand == op->getOperand(0)))
          continue;
        View needed = view;
        if (reduces)
          needed.elements = estimatedElements(operand);
        // What a row is reduced to is found once, wherever it is needed.
        if (isReduction(op))
          needed.points = needed.memory = llvm::hash_code(0);
        if (auto contract = dyn_cast<ContractOp>(op); contract && packsOperands)
          needed.elements *= timesPacked(contract, number);
        else if (reduced.contains(operand))
          needed.elements = std::min(view.elements, estimatedElements(operand));
        if (isPointwise && isOneForNeighbours(operand, result))
          needed.elements =
              std::max(std::min(view.elements, estimatedElements(operand)),
                       needed.elements / fewestInVector);
        if (moves && !isIndexOfElement(op, number)) {
          // As many elements as the moved value has, however often it is read.
          // Of what is only reshaped these are all, computed as often.
          if (!isReshape)
            needed.elements =
                std::min({view.elements, estimatedElements(result),
                          estimatedElements(operand)});
          llvm::hash_code move = hashOfMove(op, number);
          needed.points = llvm::hash_combine(view.points, move);
          if (!staysNear)
            needed.memory = llvm::hash_combine(view.memory, move);
        }
        if (!add(operand, needed))
          return false;
      }
  return true;
}

double ViewCount::elementsRead(Value value) const {
  llvm::SmallMapVector<size_t, double, 4> apart;
  for (const View &view : views.lookup(value))
    apart[static_cast<size_t>(view.memory)] += view.elements;
  double total = 0, whole = estimatedElements(value);
  for (auto &[memory, elements] : apart)
    total += std::min(elements, whole);
  return total;
}

/// Wherever a contraction's result is moved, it is computed once.
double ViewCount::evaluations(Operation *op) const {
  double total = 0;
  if (isa<ContractOp>(op))
    return estimatedElements(op->getResult(0));
  for (Value result : op->getResults())
    for (const View &view : views.lookup(result))
      total += view.elements;
  return total;
}

/// The blocks that share such rows.
static double blocksOf(const ReductionSpace &space, ArrayRef<Operation *> ops,
                       ArrayRef<Value> results, const DimClasses &dims,
                       const MachineRates &machine) {
  double blocks = estimatedElements(space.keptExtents());
  double places = estimatedElements(space.reducedExtents());
  // Rows with groups have a block each.
  if (space.hasGroups())
    return blocks;
  // All blocks share a row that is the only one.
  if (machine.sharesResults && staticProduct(space.keptExtents()) == 1)
    return std::max(1.0, places / machine.numbers().fusion.elementsPerBlock);
  if (space.overLastDims())
    return blocks *
           std::clamp(places / machine.numbers().fusion.elementsPerBlock, 1.0,
                      machine.mostBlocksPerRow);
  if (space.isReduced(space.domain.size() - 1))
    return blocks;
  // Others, whose places are neighbours in memory, have a block each.
  blocks /= machine.numbers().fusion.columnsPerBlock;
  if (isOneWalk(ops, results, space, dims))
    blocks *= std::max(1.0, places / machine.numbers().fusion.placesPerBlock);
  return blocks;
}

/// What ops walk in order; a failure where they do not.
static FailureOr<OrderedSpace> orderedWalks(ArrayRef<Operation *> ops,
                                            ArrayRef<Value> results,
                                            const DimClasses &dims) {
  Reason reason;
  if (llvm::none_of(ops, isRowOrder))
    return failure();
  return orderedSpaceOf(ops, results, dims, reason);
}

/// The same of ops that reduce this space; null where several are reduced, or
/// none is known.
static double busyPart(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                       const ReductionSpace *space, const DimClasses &dims,
                       const MachineRates &machine) {
  auto busyWith = [&](double blocks) {
    return std::clamp(blocks / machine.processors, 1 / machine.processors, 1.0);
  };
  // A block a row. Threads beside each other walk columns, and wait for their
  // loads whatever else they do.
  if (auto ordered = orderedWalks(ops, results, dims); succeeded(ordered))
    return ordered->areRows() ? busyWith(estimatedElements(ordered->kept()))
                              : 1.0;
  if (llvm::none_of(ops, isReduction))
    return 1;
  Reason reason;
  FailureOr<ReductionSpace> found;
  if (!space) {
    found = reductionSpaceOf(ops, dims, reason);
    if (failed(found))
      return 1;
    space = &*found;
  }
  return busyWith(blocksOf(*space, ops, results, dims, machine));
}

double mlir::fuse::busyPart(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                            const DimClasses &dims,
                            const MachineRates &machine) {
  Reason reason;
  auto segments = reductionSegmentsOf(ops, results, dims, reason);
  bool isOne = succeeded(segments) && segments->size() == 1;
  return ::busyPart(ops, results, isOne ? &segments->front().space : nullptr,
                    dims, machine);
}

/// Whether an op, a cast that makes elements wider or a slice, costs nothing
/// beside loads: as many would read what it makes, if another kernel did.
static bool isFreeInLoads(Operation *op) {
  if (auto slice = dyn_cast<SliceOp>(op))
    return llvm::all_of(slice.getSteps(),
                        [](int64_t step) { return step == 1; });
  auto bits = [](Value value) {
    return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  };
  return isa<CastOp>(op) && bits(op->getResult(0)) > bits(op->getOperand(0));
}

/// Bytes that memory moves for one that a kernel wants of a tensor of the space
/// whose neighbours it walks in runs, as the channels of a group in the last
/// dimension of an image: whole sectors.
static double wasteOf(const ReductionSpace &space, Value value,
                      const DimClasses &dims) {
  constexpr double sector = 32;
  int64_t last = static_cast<int64_t>(space.domain.size()) - 1;
  if (space.overLastDims() || last < 0 || !space.isReduced(last) ||
      dims.extents(value) != space.domain)
    return 1;
  double run = elementBytes(value);
  for (int64_t axis = last; axis >= 0 && space.isReduced(axis); --axis)
    run *= estimatedElements({space.domain[axis]});
  return (run + sector - elementBytes(value)) / run;
}

/// Instructions that a CPU's thread repeats: each walk over rows finds anew
/// what it needs of their groups.
static double repeatedOfGroups(const ReductionSpace &space,
                               ArrayRef<Operation *> ops,
                               ArrayRef<Value> results,
                               const DimClasses &dims) {
  auto isOfRows = [&](Operation *op) {
    return isReduction(op) && reducedDims(op).front() == space.reduced.front();
  };
  // The ops behind values up to reductions of rows, or up to all reductions.
  auto opsBehind = [&](ArrayRef<Value> values, bool intoGroups) {
    llvm::SetVector<Operation *> found;
    auto add = [&](Value value) {
      Operation *op = value.getDefiningOp();
      if (op && llvm::is_contained(ops, op) && !isOfRows(op))
        found.insert(op);
    };
    llvm::for_each(values, add);
    for (size_t next = 0; next < found.size(); ++next)
      if (intoGroups || !isReduction(found[next]))
        llvm::for_each(found[next]->getOperands(), add);
    return found;
  };
  llvm::MapVector<Operation *, int64_t> walks;
  auto walk = [&](ArrayRef<Value> values) {
    for (Operation *op : opsBehind(values, /*intoGroups=*/true))
      walks[op] += isReduction(op);
  };
  for (ArrayRef<Operation *> level : space.levels) {
    SmallVector<Value> inputs;
    for (Operation *op : level)
      if (isOfRows(op))
        inputs.push_back(op->getOperand(0));
    walk(inputs);
  }
  walk(results);
  double instructions = 0;
  for (auto [op, count] : walks) {
    // Only reductions are counted; a constant has no operand.
    if (count <= 1)
      continue;
    for (Operation *each : opsBehind(op->getOperand(0), /*intoGroups=*/false))
      if (!isReduction(each) && !isFreeInLoads(each))
        instructions += instructionsOf(each) * double(count - 1);
  }
  return instructions * estimatedElements(space.domain, dims);
}

double mlir::fuse::timesWalked(ArrayRef<Operation *> ops,
                               ArrayRef<Value> inputs, ArrayRef<Value> results,
                               const DimClasses &dims,
                               const MachineRates &machine) {
  auto ordered = orderedWalks(ops, results, dims);
  if (failed(ordered))
    return 1;
  double bytes = 0;
  for (Value input : inputs)
    bytes += estimatedElements(input, dims) * elementBytes(input);
  const auto &numbers = machine.numbers().fusion;
  if (numbers.rowsNear * bytes <=
      machine.clusterRowBytes * estimatedElements(ordered->kept()))
    return 1;
  auto walked = walkedValues(*ordered, results);
  bool storesRows = !walked.back().empty();
  bool selects = llvm::any_of(ops, llvm::IsaPred<TopKOp>);
  return static_cast<double>(walked.size()) - !storesRows +
         (selects && storesRows ? numbers.storingWalks : 0.0);
}

/// Without the launch.
static std::optional<double>
workSeconds(ArrayRef<Operation *> ops, ArrayRef<Value> inputs,
            ArrayRef<Value> results, const ReductionSpace *space,
            const DimClasses &dims, const MachineRates &machine) {
  ViewCount views(ops, results, dims, machine.packsOperands);
  double operations = 0, bytes = 0;
  for (Operation *op : llvm::reverse(ops)) {
    if (!views.visit(op))
      return std::nullopt;
    if (!isFreeInLoads(op))
      operations += instructionsOf(op) * views.evaluations(op);
  }
  if (space && space->hasGroups() && !machine.sharesResults)
    operations += repeatedOfGroups(*space, ops, results, dims);
  auto waste = [&](Value value) {
    return space ? wasteOf(*space, value, dims) : 1.0;
  };
  double walks = timesWalked(ops, inputs, results, dims, machine);
  for (Value input : inputs)
    bytes +=
        walks * views.elementsRead(input) * elementBytes(input) * waste(input);
  for (Value result : results)
    bytes += estimatedBytes(storedValue(result)) * waste(storedValue(result));
  double work = std::max(bytes / machine.bytesPerSecond,
                         operations / machine.operationsPerSecond);
  return work / ::busyPart(ops, results, space, dims, machine);
}

double mlir::fuse::instructionSeconds(ArrayRef<Operation *> some,
                                      ArrayRef<Operation *> ops,
                                      ArrayRef<Value> results,
                                      const DimClasses &dims,
                                      const MachineRates &machine) {
  ViewCount views(ops, results, dims, machine.packsOperands);
  for (Operation *op : llvm::reverse(ops))
    if (!views.visit(op))
      return HUGE_VAL;
  double operations = 0;
  for (Operation *op : some)
    if (!isFreeInLoads(op))
      operations += instructionsOf(op) * views.evaluations(op);
  return operations / machine.operationsPerSecond;
}

FailureOr<MmaSpace> mlir::fuse::tensorCoreSpace(const MmaGroup &group,
                                                const DimClasses &dims,
                                                const GPUTarget &gpu,
                                                Reason &reason) {
  FailureOr<MmaSpace> space =
      mmaSpaceOf(group, dims, {/*aligned=*/true, /*divisible=*/true}, reason);
  if (failed(space) || gpu.multiplies(space->operandBits()))
    return space;
  reason = whyNotMultiplied(space->operandBits());
  return failure();
}

FailureOr<StreamedSpace>
mlir::fuse::streamedSpaceOn(const MachineRates &machine, const MmaGroup &group,
                            const DimClasses &dims, Reason &reason) {
  reason = ReasonKind::streamedCount;
  if (llvm::count_if(group.ops, llvm::IsaPred<ContractOp>) != 2)
    return failure();
  if (machine.packsOperands)
    return panelStreamedSpaceOf(group, dims, reason);
  FailureOr<StreamedSpace> space = streamedSpaceOf(
      group, dims, {/*aligned=*/true, /*divisible=*/true}, reason);
  // Merges of two groups come here without mergeStreamed(), which checks this.
  if (succeeded(space) && space->isPlain() &&
      !isStreamedOn(*space, dims, *machine.tensorCores)) {
    reason = Reason(ReasonKind::streamedHeads, mostNarrowDepth);
    return failure();
  }
  return space;
}

/// With the launch; 0 for ops without contractions. What tensor cores do not
/// run the ordinary ones multiply.
static double contractionSeconds(ArrayRef<Operation *> ops,
                                 ArrayRef<Value> inputs,
                                 ArrayRef<Value> results,
                                 const DimClasses &dims,
                                 const MachineRates &machine) {
  Reason reason;
  if (!machine.tensorCores || llvm::none_of(ops, llvm::IsaPred<ContractOp>))
    return 0;
  auto space = tensorCoreSpace({ops, inputs, results}, dims,
                               *machine.tensorCores, reason);
  if (succeeded(space))
    return fastestMma(*space, results, dims, *machine.tensorCores);
  double products = 0;
  for (Operation *op : ops)
    if (auto contract = dyn_cast<ContractOp>(op)) {
      MmaProduct product = mmaProductOf(contract, dims);
      products += product.batches * product.m * product.n * product.k;
    }
  return machine.launchSeconds + products / machine.operationsPerSecond;
}

/// The ops that compute a value.
static llvm::SmallPtrSet<Operation *, 8> opsOf(Value value,
                                               ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 8> found;
  SmallVector<Value> work = {value};
  while (!work.empty())
    if (Operation *op = work.pop_back_val().getDefiningOp();
        op && llvm::is_contained(ops, op) && found.insert(op).second)
      llvm::append_range(work, op->getOperands());
  return found;
}

/// What a CPU streams: its products, what each score takes beside them, what
/// computes keys and values anew for each tile of queries, and its memory.
static double panelSeconds(const StreamedSpace &space,
                           ArrayRef<Operation *> ops, ArrayRef<Value> inputs,
                           ArrayRef<Value> results, const DimClasses &dims,
                           const MachineRates &machine) {
  Value scores = ContractOp(space.scores).getResult();
  double queries = estimatedElements({space.rowExtent(dims)}, dims) *
                   static_cast<double>(space.headCount(dims));
  double tiles = std::max(1.0, queries / hostNumbers.usualStreamedRows);
  double operations = estimatedElements(scores, dims) *
                      (estimatedElements({space.depthExtent(dims)}, dims) +
                       estimatedElements({space.columnExtent(dims)}, dims));
  auto ofQueries = opsOf(space.queries.tensor, ops);
  for (Operation *op : ops) {
    if (isa<ContractOp>(op) || isFreeInLoads(op))
      continue;
    Value result = op->getResult(0);
    bool isOnce = ofQueries.contains(op) || dims.sameShape(result, scores) ||
                  !space.front.contains(op);
    operations += estimatedElements(result, dims) * instructionsOf(op) *
                  (isOnce ? 1 : tiles);
  }
  for (Operation *op : opsOf(space.values().tensor, ops))
    operations += estimatedElements(op->getResult(0), dims) *
                  instructionsOf(op) * (tiles - 1);
  double bytes = 0;
  for (ArrayRef<Value> edge : {inputs, results})
    for (Value value : edge)
      bytes += estimatedElements(value, dims) * elementBytes(value);
  return machine.launchSeconds +
         std::max(bytes / machine.bytesPerSecond,
                  operations / machine.operationsPerSecond);
}

/// What a segment stores, once for each result: parts of a value that go to one
/// result by several ways are together at most the value.
static SmallVector<Value> storedOnce(const ReductionSegment &segment) {
  llvm::SetVector<std::pair<Value, unsigned>> stores;
  for (auto [value, result] : llvm::zip_equal(segment.stored, segment.results))
    stores.insert({value, result});
  return llvm::map_to_vector(stores,
                             [](const auto &store) { return store.first; });
}

std::optional<double>
mlir::fuse::kernelSeconds(ArrayRef<Operation *> ops, ArrayRef<Value> inputs,
                          ArrayRef<Value> results, const DimClasses &dims,
                          const MachineRates &machine, KnownSegments *known) {
  Reason reason;
  if (machine.streams())
    if (auto space =
            streamedSpaceOn(machine, {ops, inputs, results}, dims, reason);
        succeeded(space))
      return machine.packsOperands
                 ? panelSeconds(*space, ops, inputs, results, dims, machine)
                 : streamedSeconds(*space, dims, *machine.tensorCores, {});
  if (llvm::any_of(ops, isRowOrder)) {
    auto work = workSeconds(ops, inputs, results, nullptr, dims, machine);
    return work ? std::optional(machine.launchSeconds + *work) : std::nullopt;
  }
  KnownSegments own(ops, results, dims);
  const auto &segments = (known ? *known : own).get(reason);
  // Behind moves are the same elements.
  bool isMoved = succeeded(segments) && llvm::any_of(segments->front().paths,
                                                     [](const StorePath &path) {
                                                       return !path.empty();
                                                     });
  if (failed(segments) || (segments->size() == 1 && !isMoved)) {
    const ReductionSpace *space =
        succeeded(segments) ? &segments->front().space : nullptr;
    auto work = workSeconds(ops, inputs, results, space, dims, machine);
    if (!work)
      return std::nullopt;
    return std::max(machine.launchSeconds + *work,
                    contractionSeconds(ops, inputs, results, dims, machine));
  }
  // As if one shape's blocks waited for the other's.
  double seconds = machine.launchSeconds;
  for (const ReductionSegment &segment : *segments) {
    SmallVector<Value> read = llvm::filter_to_vector(
        inputs, [&](Value input) { return segment.reads(input); });
    auto work = workSeconds(segment.ops, read, storedOnce(segment),
                            &segment.space, dims, machine);
    if (!work)
      return std::nullopt;
    seconds += *work;
  }
  return seconds;
}
