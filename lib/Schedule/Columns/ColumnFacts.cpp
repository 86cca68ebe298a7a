//===- ColumnFacts.cpp - What a schedule of columns depends on ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/ColumnFacts.h"

#include "fuse/Analysis/ColumnSegments.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/OpCost.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

int64_t mlir::fuse::exchangedStates(int64_t threads, int64_t splits,
                                    int64_t blocks) {
  int64_t columns = threads / splits;
  return (splits > 1 ? threads : 0) + (blocks > 1 ? columns * blocks : 0);
}

int64_t mlir::fuse::stateBytes(ArrayRef<Operation *> reductions) {
  int64_t bytes = 0;
  for (Operation *op : reductions) {
    Type element = getElementTypeOrSelf(op->getOperand(0).getType());
    bytes += numStateComponents(op) *
             (element.getIntOrFloatBitWidth() == 64 ? 8 : 4);
  }
  return bytes;
}

static int64_t columnBytes(const ReductionSpace &space) {
  int64_t bytes = 0;
  for (ArrayRef<Operation *> level : space.levels)
    bytes += stateBytes(level);
  return bytes;
}

int64_t mlir::fuse::exchangedBytes(ColumnsScheduleAttr schedule,
                                   const ReductionSpace &space) {
  int64_t blocks = schedule.clusterSize();
  bool alongPlaces = space.isReduced(space.domain.size() - 1);
  int64_t lanes = alongPlaces ? 1 : schedule.getVector();
  return exchangedStates(schedule.getThreads(), schedule.getSplits(), blocks) *
             lanes * columnBytes(space) +
         (blocks > 1 ? arrivalBytes : 0);
}

namespace {
class ColumnFactFinder {
public:
  ColumnFactFinder(KernelOp kernel, ArrayRef<ReductionSegment> segments,
                   const DimClasses &dims, const ScheduleTarget &target)
      : kernel(kernel), segments(segments), space(joinedColumns(segments)),
        dims(dims), target(target), numbers(target.numbers().columns) {}

  ColumnFacts find() {
    facts.columns = staticProduct(space.keptExtents()).value_or(0);
    facts.places = staticProduct(space.reducedExtents()).value_or(0);
    if (space.domain.back().isStatic())
      facts.innermost = space.domain.back().size;
    facts.alongPlaces = space.isReduced(space.domain.size() - 1);
    facts.isJoined = segments.size() > 1;
    facts.once = facts.isJoined || isOneWalk(kernel, space, dims);
    facts.stateBytes = columnBytes(space);
    facts.reducedBytes = getElementBytes(getElementTypeOrSelf(
        space.levels.front().front()->getOperand(0).getType()));
    facts.levels = space.levels.size();
    for (ArrayRef<Operation *> level : space.levels)
      for (Operation *op : level)
        facts.components += numStateComponents(op);
    facts.isJoined ? findJoinedVector() : findVectors();
    llvm::for_each(kernel.getBody().getArguments(),
                   [&](BlockArgument input) { addInput(input); });
    for (const ReductionSegment &segment : segments)
      llvm::for_each(segment.stored, [&](Value value) { addResult(value); });
    for (Operation &op : kernel.getBody().front().without_terminator())
      addOp(&op);
    return facts;
  }

private:
  void findVectors();
  void findJoinedVector();
  void addInput(BlockArgument input);
  void addResult(Value value);
  void addOp(Operation *op);
  bool isOfDomain(ArrayRef<Extent> extents) const {
    return llvm::any_of(segments, [&](const ReductionSegment &segment) {
      return extents == ArrayRef(segment.space.domain);
    });
  }
  bool areAllReduced() {
    return llvm::all_of(segments, [&](const ReductionSegment &segment) {
      return llvm::all_of(segment.stored, [&](Value value) {
        return segment.space.isReducedShape(dims.extents(value));
      });
    });
  }
  /// Whether an input that is not of the full shape goes along the last
  /// dimension.
  bool isSharedAlong(const Extent &extent) {
    return llvm::any_of(kernel.getBody().getArguments(),
                        [&](BlockArgument input) {
                          SmallVector<Extent> extents = dims.extents(input);
                          return ArrayRef(extents) != ArrayRef(space.domain) &&
                                 !extents.empty() && extents.back() == extent;
                        });
  }
  bool leavesEdges();
  bool cutsVectors();
  int64_t foldOf(int64_t vector);

  KernelOp kernel;
  ArrayRef<ReductionSegment> segments;
  ReductionSpace space;
  const DimClasses &dims;
  const ScheduleTarget &target;
  const decltype(ModelNumbers::columns) &numbers;
  ColumnFacts facts;
};
} // namespace

/// Whether the vectors of a column whose places are neighbours may start at the
/// first that is aligned and leave its edges over. What several columns share
/// would have to be cut out of aligned vectors, which has not been measured.
bool ColumnFactFinder::leavesEdges() {
  if (!facts.alongPlaces || space.reduced.size() != 1 || !facts.once)
    return false;
  Extent places = space.domain.back();
  bool isLong = places.isStatic() ? places.size >= numbers.shortestWithEdges
                                  : !target.divisible;
  return isLong && (facts.columns == 1 || !isSharedAlong(places));
}

/// Whether vectors of columns may be cut out of aligned ones, in rows that none
/// divides. The rows must be all that the kernel streams: a full result would
/// be written in single elements, and what rows share has its own end.
bool ColumnFactFinder::cutsVectors() {
  SmallVector<Extent> kept = space.keptExtents();
  return !facts.alongPlaces && kept.size() == 1 &&
         kept.front().size >= numbers.shortestWithEdges &&
         !(facts.places && facts.places <= numbers.fewPlaces) && facts.once &&
         !isSharedAlong(kept.front()) && areAllReduced();
}

/// How many rows are walked as one so that a vector divides them: 1 where there
/// is nothing to gain, or lanes of different rows would read what is not of the
/// rows' shape one by one.
int64_t ColumnFactFinder::foldOf(int64_t vector) {
  if (!foldsRows(kernel, space, dims))
    return 1;
  int64_t columns = space.keptExtents().front().size;
  int64_t fold = vector / std::gcd(columns, vector);
  bool isShort = facts.places && facts.places / fold <= numbers.fewPlaces;
  auto isOfLanes = [&](BlockArgument input) {
    SmallVector<Extent> extents = dims.extents(input);
    return extents == space.domain ||
           llvm::all_of(extents, [](const Extent &e) { return e.size == 1; });
  };
  return !isShort && llvm::all_of(kernel.getBody().getArguments(), isOfLanes)
             ? fold
             : 1;
}

void ColumnFactFinder::findVectors() {
  facts.widest = widestVector(kernel, dims, space.domain, target);
  facts.dividing =
      innermostVector(kernel, dims, space.domain, facts.widest, target);
  if (!target.isGPU || facts.dividing == facts.widest)
    return;
  facts.mayLeaveEdges = leavesEdges();
  facts.mayCut = cutsVectors();
  facts.fold = foldOf(facts.widest);
}

/// As many bytes of each shape's rows, which they divide or whose edges they
/// leave over; states of the shape that has most.
void ColumnFactFinder::findJoinedVector() {
  int64_t widest = 1, bytes = 1, states = 0;
  for (const ReductionSegment &segment : segments) {
    int64_t own = narrowestBytes(segment, dims);
    const Extent &last = segment.space.domain.back();
    int64_t limit = widestVector(kernel, dims, segment.space.domain, target);
    bool leavesEdges = facts.alongPlaces && segment.space.domain.size() == 1;
    int64_t columns = leavesEdges ? limit : last.isStatic() ? last.size : 1;
    bytes = std::max(bytes, dividingVector(limit, columns) * own);
    widest = std::max(widest, own);
  }
  facts.widest = facts.dividing = std::max<int64_t>(1, bytes / widest);
  auto vectors = columnVectors(segments, facts.widest, dims);
  // The lanes of places that are neighbours become one state.
  for (auto [segment, own] : llvm::zip_equal(segments, vectors))
    states = std::max(states, (facts.alongPlaces ? facts.widest : own) *
                                  columnBytes(segment.space));
  facts.stateBytes = llvm::divideCeil(states, facts.widest);
}

static int64_t wholeBytes(Value value) {
  return static_cast<int64_t>(std::ceil(elementBytes(value)));
}

void ColumnFactFinder::addInput(BlockArgument input) {
  if (!isa<RankedTensorType>(input.getType()))
    return;
  SmallVector<Extent> extents = dims.extents(input);
  if (isOfDomain(extents)) {
    int64_t bytes = wholeBytes(input);
    // Of several shapes each has its own.
    if (!facts.isJoined || facts.inputs == 0) {
      ++facts.inputs;
      facts.inputBytes += bytes;
    }
    facts.widestBytes = std::max(facts.widestBytes, bytes);
    facts.thinnestBytes = std::min(facts.thinnestBytes, bytes);
  } else if (space.isReducedShape(extents)) {
    facts.columnBytes += elementBytes(input);
  } else if (staticProduct(extents) != 1) {
    facts.placeBytes += elementBytes(input);
  }
}

void ColumnFactFinder::addResult(Value value) {
  if (!isOfDomain(dims.extents(value))) {
    facts.columnBytes += elementBytes(value);
    return;
  }
  ++facts.outputs;
  facts.outputBytes += elementBytes(value);
}

void ColumnFactFinder::addOp(Operation *op) {
  Value walked =
      isReduction(op) && op->getNumOperands() > 0 ? op->getOperand(0) : Value();
  if (!walked && op->getNumResults() > 0)
    walked = op->getResult(0);
  if (!walked || !isa<RankedTensorType>(walked.getType()) ||
      !isOfDomain(dims.extents(walked)))
    return;
  facts.instructions += instructionsOf(op);
  facts.specials += isSpecialFunction(op);
}

std::optional<ColumnFacts>
mlir::fuse::columnFactsOf(KernelOp kernel, const DimClasses &dims,
                          const ScheduleTarget &target) {
  // Threads of rows alone put what they compute where a scatter says.
  if (!kernel.getBody().getOps<ContractOp>().empty() ||
      !kernel.getBody().getOps<ScatterOp>().empty())
    return std::nullopt;
  Reason reason;
  auto segments = columnSegmentsOf(kernel, dims, reason);
  if (failed(segments) || segments->front().space.hasGroups())
    return std::nullopt;
  return ColumnFactFinder(kernel, *segments, dims, target).find();
}

std::optional<ColumnFacts>
mlir::fuse::scheduledColumns(KernelOp kernel, const DimClasses &dims,
                             ScheduleAttrInterface schedule,
                             const ScheduleTarget &target) {
  if (!target.gpu || !isa_and_nonnull<ColumnsScheduleAttr>(schedule))
    return std::nullopt;
  return columnFactsOf(kernel, dims, target);
}

ColumnFacts::Call ColumnFacts::callOf(double elements) const {
  double known = columns ? columns : places ? places : kAssumedSize;
  double other = std::max(1.0, std::round(elements / known));
  if (columns && places)
    return {double(columns), double(places)};
  return columns || !places ? Call{known, other} : Call{other, known};
}

std::string ColumnFacts::key() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "columns " << (columns ? "" : "any");
  for (int64_t number :
       {int64_t(alongPlaces), widest, dividing, int64_t(mayLeaveEdges),
        int64_t(mayCut), fold, int64_t(once), int64_t(isJoined), stateBytes,
        components, inputs, inputBytes, widestBytes, thinnestBytes, outputs,
        levels})
    os << ' ' << number;
  for (double number :
       {outputBytes, columnBytes, placeBytes, instructions, specials})
    os << ' ' << llvm::formatv("{0:F2}", number);
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16);
}
