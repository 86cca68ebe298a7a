//===- MmaSpace.cpp - Contractions that tensor cores can run --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Analysis/ContractionSpace.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/ReductionSpace.h"
#include "fuse/Analysis/RowParts.h"
#include "fuse/Analysis/StreamedSpace.h"

#include "MmaOperands.h"
#include "fuse/Analysis/ContractionSegments.h"
#include "fuse/Analysis/Strides.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of the strides of a tensor map.
static constexpr int64_t strideBits = 128;
/// Of 128 bytes each, in the 4 KiB of parameters that every driver takes.
static constexpr size_t mostMaps = 24;

static bool isFloat8(Type element) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(element);
}

/// Whether rows of so many elements are multiples of 16 bytes.
static bool isWhole(ArrayRef<Value> edge, const DimClasses &dims,
                    const Extent &inner, int64_t bits, bool divisible) {
  int64_t unit = strideBits / bits;
  if (inner.isStatic())
    return inner.size % unit == 0;
  auto known = divisible ? elementBitsAlong(edge, dims, inner) : std::nullopt;
  return known && strideBits / known->first % unit == 0;
}

bool mlir::fuse::fitsTensorMap(ArrayRef<Value> edge, const DimClasses &dims,
                               Value tensor, TensorFacts facts) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  StrideKind kind = strideKind(tensor);
  if (!facts.aligned || bits < 8 || type.getRank() == 0)
    return false;
  if (kind == StrideKind::aligned_rows)
    return true;
  return kind == StrideKind::dense &&
         isWhole(edge, dims, dims.extent(tensor, type.getRank() - 1), bits,
                 facts.divisible);
}

bool mlir::fuse::fitsTensorMap(KernelOp kernel, const DimClasses &dims,
                               Value tensor, TensorFacts facts) {
  return fitsTensorMap(ArrayRef<Value>(edgeOf(kernel)), dims, tensor, facts);
}

SmallVector<Extent> MmaSpace::extents(char axis, const DimClasses &dims) const {
  ContractionSpace space = contractionSpaceOf(first());
  if (axis == k && !blocks.empty())
    return {space.extent(blocks.front().axis, dims), space.extent(k, dims)};
  if (axis != m)
    return {space.extent(axis, dims)};
  return llvm::map_to_vector(
      rowAxes, [&](char letter) { return space.extent(letter, dims); });
}

int64_t MmaSpace::operandBits() const {
  return getElementTypeOrSelf(rows.value().getType()).getIntOrFloatBitWidth();
}

ReasonKind mlir::fuse::whyNotMultiplied(int64_t operandBits) {
  constexpr int64_t wide = 64;
  return operandBits == wide ? ReasonKind::mmaNoFloat64
                             : ReasonKind::mmaNoFloat8;
}

int64_t MmaOperand::computedBits() const {
  if (!computed)
    return 0;
  Type element = getElementTypeOrSelf(tensor.getType());
  return element.getIntOrFloatBitWidth() / computed->perElement;
}

bool MmaSpace::hasOneOrder() const {
  bool isAlongK = segments.front().contractions.front().columns.isAlongK(k);
  return llvm::all_of(segments, [&](const MmaSegment &segment) {
    return llvm::all_of(segment.contractions, [&](const MmaContraction &one) {
      return one.columns.isAlongK(k) == isAlongK;
    });
  });
}

/// The axes of the result up to `m` that follow each other in the operand, too,
/// which is dense, and that the other operand lacks.
static SmallVector<char> joinedAxes(const ContractionSpace &space, char m,
                                    StringRef rowAxes, StringRef columnAxes,
                                    Value rows) {
  ContractOp op = space.op;
  StringRef result = op.getResultAxes();
  SmallVector<char> joined = {m};
  size_t inResult = result.find(m), inRows = rowAxes.find(m);
  while (inResult > 0 && inRows > 0 &&
         result[inResult - 1] == rowAxes[inRows - 1] &&
         !columnAxes.contains(result[inResult - 1]) &&
         strideKind(rows) == StrideKind::dense) {
    --inResult, --inRows;
    joined.push_back(result[inResult]);
  }
  std::reverse(joined.begin(), joined.end());
  return joined;
}

void mlir::fuse::orderDims(MmaOperand &operand, char own, char k) {
  std::reverse(operand.dims.begin(), operand.dims.end());
  std::reverse(operand.axes.begin(), operand.axes.end());
  char other = operand.isAlongK(k) ? own : k;
  size_t at = llvm::find(operand.axes, other) - operand.axes.begin();
  std::rotate(operand.axes.begin() + 1, operand.axes.begin() + at,
              operand.axes.begin() + at + 1);
  std::rotate(operand.dims.begin() + 1, operand.dims.begin() + at,
              operand.dims.begin() + at + 1);
}

FailureOr<MmaOperand> MmaOperandFinder::find(const ContractionSpace &space,
                                             Value tensor, StringRef axes,
                                             ArrayRef<char> own,
                                             std::optional<char> blocks,
                                             bool isPart) {
  char k = space.summed.front();
  MmaOperand operand;
  operand.tensor = tensor;
  std::optional<OperandSource> source;
  Type element = getElementTypeOrSelf(tensor.getType());
  bool isHalf = element.isF16() || element.isBF16();
  if (llvm::is_contained(group.ops, tensor.getDefiningOp())) {
    source = operandSourceOf(tensor, group.ops, dims);
    if (!source || blocks || !isHalf)
      return refuse(ReasonKind::mmaComputedOperand);
    operand.tensor = source->input;
    operand.computed = std::move(source->computed);
  }
  if (axes.back() != k && axes.back() != own.back())
    return refuse(ReasonKind::mmaOuterAxis);
  // Instructions read elements of other widths along k only; those of f64 are
  // read one by one.
  if (!isHalf && !element.isF64() && axes.back() != k)
    return refuse(ReasonKind::mmaAcrossSum);
  if (!fitsTensorMap(edge, dims, operand.tensor, facts))
    return refuse(ReasonKind::mmaUnalignedRows);
  // Of other tensors it is not known how far the blocks of a row are apart.
  if ((blocks || source) && strideKind(operand.tensor) != StrideKind::dense)
    return refuse(ReasonKind::mmaUnalignedRows);
  for (auto [number, axis] : llvm::enumerate(axes)) {
    Extent extent = dims.extent(tensor, number);
    bool isOwn = llvm::is_contained(own, axis);
    bool isSummed = axis == k || axis == blocks;
    bool isWhole = isOwn || (isSummed && !isPart);
    if (isWhole && extent != space.extent(axis, dims))
      return refuse(ReasonKind::mmaRepeats);
    bool isOne = !isOwn && !isSummed && extent.size == 1;
    if (source)
      operand.computed->axes.push_back(isOne ? 0 : axis);
    if (isOne)
      continue;
    SmallVector<unsigned, 2> of = {static_cast<unsigned>(number)};
    if (source)
      of = source->dims[number];
    bool isJoined = isOwn ? axis != own.front() : blocks && axis == k;
    if (isJoined) {
      llvm::append_range(operand.dims.back(), of);
      operand.axes.back() = axis;
      continue;
    }
    operand.dims.push_back(of);
    operand.axes.push_back(axis);
  }
  orderDims(operand, own.back(), k);
  if (operand.dims.size() <= mostMapDims)
    return operand;
  return refuse(ReasonKind::mmaTooManyDims);
}

namespace {
/// Finds the space of contractions, or why there is none.
class SpaceFinder {
public:
  SpaceFinder(const MmaGroup &group, const DimClasses &dims, TensorFacts facts,
              Reason &reason)
      : group(group), dims(dims), reason(reason),
        operands(group, dims, facts, reason) {}

  FailureOr<MmaSpace> find();

private:
  LogicalResult refuse(Reason why) {
    reason = std::move(why);
    return failure();
  }
  std::optional<char> axisOfBlocks() const {
    return found.blocks.empty() ? std::nullopt
                                : std::optional(found.blocks.front().axis);
  }
  bool isBlocks(char axis) const { return axisOfBlocks() == axis; }
  LogicalResult checkProduct(const ContractionSpace &space);
  LogicalResult start(ContractOp op);
  LogicalResult addContraction(MmaSegment &segment, ContractOp op);
  LogicalResult findLetters(const ContractionSpace &space);
  LogicalResult addOtherResults();
  LogicalResult findFlows(ArrayRef<ContractionSegment> segments);
  LogicalResult findReducedRuns();
  LogicalResult findReductions();

  const MmaGroup &group;
  const DimClasses &dims;
  Reason &reason;
  MmaOperandFinder operands;
  MmaSpace found;
  StringRef rowAxes;
  /// What follows from reductions.
  llvm::DenseSet<Value> reduced;
  /// The found space's letters for those of the contraction at hand.
  llvm::SmallDenseMap<char, char> letters;
};
} // namespace

LogicalResult SpaceFinder::checkProduct(const ContractionSpace &space) {
  ContractOp op = space.op;
  Type element = op.getLhs().getType().getElementType();
  if (!element.isF16() && !element.isBF16() && !isFloat8(element) &&
      !op.usesTF32() && !element.isF64())
    return refuse(ReasonKind::mmaTypes);
  if (op.getType().getElementType().isF64() != element.isF64())
    return refuse(ReasonKind::mmaF64);
  if (space.summed.size() != 1)
    return refuse(ReasonKind::mmaSeveralSums);
  if (!space.m || ContractionSides(space).rowAxes.contains(space.n))
    return refuse(ReasonKind::mmaNoProduct);
  return success();
}

/// The rows, which all contractions share. Tiles may cross from one place of an
/// axis to the next only where all of them allow it.
LogicalResult SpaceFinder::start(ContractOp op) {
  ContractionSpace space = contractionSpaceOf(op);
  if (failed(checkProduct(space)))
    return failure();
  ContractionSides sides(space);
  rowAxes = sides.rowAxes;
  found.m = *space.m;
  found.n = space.n;
  found.k = space.summed.front();
  found.blocks = blockSumsOf(group.ops, group.results, dims);
  llvm::copy_if(op.getResultAxes(), std::back_inserter(found.resultAxes),
                [&](char axis) { return !isBlocks(axis); });
  found.rowAxes =
      joinedAxes(space, found.m, rowAxes, sides.columnAxes, sides.rows);
  for (Operation *other : group.ops)
    if (auto contraction = dyn_cast<ContractOp>(other)) {
      ContractionSpace its = contractionSpaceOf(contraction);
      if (failed(checkProduct(its)))
        return failure();
      ContractionSides own(its);
      size_t joined =
          joinedAxes(its, *its.m, own.rowAxes, own.columnAxes, own.rows).size();
      if (joined < found.rowAxes.size())
        found.rowAxes.erase(found.rowAxes.begin(),
                            found.rowAxes.end() - joined);
    }
  for (char axis : space.outer)
    if (!llvm::is_contained(found.rowAxes, axis) && !isBlocks(axis))
      found.outer.push_back(axis);
  FailureOr<MmaOperand> rows =
      operands.find(space, sides.rows, rowAxes, found.rowAxes, axisOfBlocks());
  if (failed(rows))
    return failure();
  found.rows = *rows;
  return success();
}

/// Axes of results correspond by their places.
LogicalResult SpaceFinder::findLetters(const ContractionSpace &space) {
  ContractOp op = space.op, first = found.first();
  StringRef axes = op.getResultAxes(), firstAxes = first.getResultAxes();
  ContractionSides sides(space);
  letters.clear();
  letters[space.summed.front()] = found.k;
  bool isEqual = isSameMoved(sides.rows, found.rows.value()) &&
                 axes.size() == firstAxes.size() &&
                 sides.rowAxes.size() == rowAxes.size();
  for (size_t i = 0; isEqual && i < axes.size(); ++i) {
    letters[axes[i]] = firstAxes[i];
    isEqual = i + 1 == axes.size() || dims.extent(op.getResult(), i) ==
                                          dims.extent(first.getResult(), i);
  }
  for (size_t i = 0; isEqual && i < rowAxes.size(); ++i)
    isEqual = letters.lookup(sides.rowAxes[i]) == rowAxes[i];
  isEqual = isEqual && letters.lookup(*space.m) == found.m;
  return isEqual ? success() : refuse(ReasonKind::mmaDifferentRows);
}

LogicalResult SpaceFinder::addContraction(MmaSegment &segment, ContractOp op) {
  ContractionSpace space = contractionSpaceOf(op);
  auto sums = op.getResult();
  std::optional<char> axis;
  if (const BlockSum *blocks = found.blocksOf(op)) {
    sums =
        cast<TypedValue<RankedTensorType>>(ReduceOp(blocks->sum)->getResult(0));
    axis = blocks->axis;
  }
  if (!segment.contractions.empty() &&
      dims.extents(sums) != dims.extents(segment.shape()))
    return refuse(ReasonKind::contractionShapes);
  ContractionSides sides(space);
  auto columns =
      operands.find(space, sides.columns, sides.columnAxes, {space.n}, axis);
  if (failed(columns))
    return failure();
  if (!found.segments.front().contractions.empty() &&
      (getElementTypeOrSelf(sides.columns.getType()) !=
           getElementTypeOrSelf(found.columnsOperand().value()) ||
       columns->computedBits() != found.columnsOperand().computedBits()))
    return refuse(ReasonKind::mmaColumnTypes);
  segment.contractions.push_back({op, *columns, sums});
  if (failed(findLetters(space)))
    return failure();
  if (axis && letters.lookup(*axis) != axisOfBlocks())
    return refuse(ReasonKind::mmaDifferentRows);
  MmaOperand &own = segment.contractions.back().columns;
  for (char &axis : own.axes)
    axis = letters.lookup(axis);
  if (own.computed)
    for (char &axis : own.computed->axes)
      axis = letters.lookup(axis);
  return success();
}

/// What follows from no contraction is computed beside the first of its shape.
LogicalResult SpaceFinder::addOtherResults() {
  for (auto [number, value] : llvm::enumerate(group.results)) {
    bool isKnown =
        reduced.contains(value) ||
        llvm::any_of(found.segments, [number = number](auto &segment) {
          return llvm::is_contained(segment.results, number);
        });
    if (isKnown)
      continue;
    auto *segment = llvm::find_if(
        found.segments, [&, value = value](const MmaSegment &segment) {
          return dims.extents(value) == dims.extents(segment.shape());
        });
    if (segment == found.segments.end())
      return refuse(ReasonKind::resultNotContractionShape);
    segment->results.push_back(number);
  }
  return success();
}

/// Of the segments' own ops, and of those that follow from no contraction.
LogicalResult SpaceFinder::findFlows(ArrayRef<ContractionSegment> segments) {
  for (auto [segment, source] : llvm::zip_equal(found.segments, segments)) {
    llvm::SmallPtrSet<Operation *, 16> others;
    for (const ContractionSegment &other : segments)
      if (&other != &source)
        others.insert(other.ops.begin(), other.ops.end());
    auto ops = llvm::filter_to_vector(
        group.ops, [&](Operation *op) { return !others.contains(op); });
    auto results = llvm::map_to_vector(segment.results, [&](unsigned number) {
      return group.results[number];
    });
    FailureOr<ContractionFlow> flow =
        contractionFlowOf(source.contractions, ops, results, dims, reason,
                          /*tilesReduce=*/true, found.blocks);
    if (failed(flow))
      return failure();
    segment.flow = std::move(*flow);
  }
  return success();
}

/// Whether each tile can have whole runs of columns, of which results are
/// reductions.
LogicalResult SpaceFinder::findReducedRuns() {
  MmaSegment &segment = found.segments.front();
  std::optional<int64_t> columns = reducedRunOf(found.reductions.front());
  for (Operation *op : found.reductions) {
    Operation *runs = op->getOperand(0).getDefiningOp();
    if (reducedRunOf(op) != columns ||
        !dims.sameShape(runs->getOperand(0), segment.shape()))
      return refuse(ReasonKind::reductionNotAlongColumns);
    if (!llvm::is_contained(group.results, op->getResult(0)) ||
        llvm::any_of(op->getUsers(), [&](Operation *user) {
          return llvm::is_contained(group.ops, user);
        }))
      return refuse(ReasonKind::mmaFollowsReduction);
    reduced.insert(op->getResult(0));
  }
  llvm::erase_if(segment.results, [&](unsigned number) {
    return reduced.contains(group.results[number]);
  });
  return success();
}

/// Whether tiles can leave parts of the reductions. What follows from these is
/// no tile's result.
LogicalResult SpaceFinder::findReductions() {
  // Those of blocks are the only ones.
  if (found.blocks.empty())
    llvm::copy_if(
        group.ops, std::back_inserter(found.reductions),
        [](Operation *op) { return isReduction(op) && !combinesRowParts(op); });
  if (found.reductions.empty())
    return success();
  if (found.segments.size() > 1)
    return refuse(ReasonKind::mmaReductionShapes);
  if (reducedRunOf(found.reductions.front()))
    return findReducedRuns();
  auto ops = llvm::filter_to_vector(
      group.ops, [](Operation *op) { return !combinesRowParts(op); });
  FailureOr<ReductionSpace> space = reductionSpaceOf(ops, dims, reason);
  if (failed(space))
    return failure();
  MmaSegment &segment = found.segments.front();
  SmallVector<Extent> shape = dims.extents(segment.shape());
  auto last = static_cast<int64_t>(shape.size()) - 1;
  if (space->domain != shape || ArrayRef(space->reduced) != ArrayRef(last) ||
      shape.back().size == 1)
    return refuse(ReasonKind::reductionNotAlongColumns);
  if (!isOneWalk(ops, group.results, *space, dims))
    return refuse(ReasonKind::mmaFollowsReduction);
  reduced = valuesFromReductions(ops);
  llvm::erase_if(segment.results, [&](unsigned number) {
    return reduced.contains(group.results[number]);
  });
  return success();
}

FailureOr<MmaSpace> SpaceFinder::find() {
  auto segments = contractionSegmentsOf(group.ops, group.results);
  if (segments.empty())
    return refuse(ReasonKind::noContraction);
  size_t maps = 1 + group.results.size() +
                llvm::count_if(group.ops, llvm::IsaPred<ContractOp>);
  if (maps > mostMaps)
    return refuse(ReasonKind::mmaTooManyMaps);
  if (failed(start(segments.front().contractions.front())))
    return failure();
  if (!found.blocks.empty() && segments.size() > 1)
    return refuse(ReasonKind::mmaReductionShapes);
  for (const ContractionSegment &segment : segments) {
    found.segments.emplace_back();
    found.segments.back().results = segment.results;
    for (ContractOp op : segment.contractions)
      if (failed(addContraction(found.segments.back(), op)))
        return failure();
  }
  if (failed(findReductions()) || failed(addOtherResults()) ||
      failed(findFlows(segments)))
    return failure();
  if (found.segments.size() > 1 && !found.hasOneOrder())
    return refuse(ReasonKind::mmaColumnOrders);
  return std::move(found);
}

FailureOr<MmaSpace> mlir::fuse::mmaSpaceOf(const MmaGroup &group,
                                           const DimClasses &dims,
                                           TensorFacts facts, Reason &reason) {
  return SpaceFinder(group, dims, facts, reason).find();
}

bool mlir::fuse::isMmaProduct(ContractOp op, const DimClasses &dims,
                              TensorFacts facts, Reason &reason) {
  SmallVector<Operation *> ops = {op};
  SmallVector<Value> inputs(op->getOperands()), results = {op.getResult()};
  return succeeded(
      mmaSpaceOf(MmaGroup{ops, inputs, results}, dims, facts, reason));
}

KernelAsGroup::KernelAsGroup(KernelOp kernel)
    : ops(llvm::map_to_vector(kernel.getBody().front().without_terminator(),
                              [](Operation &op) { return &op; })),
      inputs(kernel.getBody().getArguments()),
      results(kernel.getYield().getValues()) {}

FailureOr<MmaSpace> mlir::fuse::mmaSpaceOf(KernelOp kernel,
                                           const DimClasses &dims,
                                           TensorFacts facts, Reason &reason) {
  return mmaSpaceOf(KernelAsGroup(kernel), dims, facts, reason);
}

llvm::DenseSet<Operation *> mlir::fuse::mmaOpsOf(KernelOp kernel,
                                                 const MmaSpace &space,
                                                 const MmaSegment &segment) {
  SmallVector<Value> work;
  for (unsigned number : segment.results)
    work.push_back(kernel.getYield().getValues()[number]);
  for (Operation *op : space.reductions)
    llvm::append_range(work, op->getResults());
  llvm::DenseSet<Operation *> needed;
  while (!work.empty())
    if (Operation *op = work.pop_back_val().getDefiningOp();
        op && needed.insert(op).second)
      llvm::append_range(work, op->getOperands());
  return needed;
}

bool MmaSegment::hasWholeVectors() const {
  auto isWhole = [](Value value) {
    int64_t columns = cast<RankedTensorType>(value.getType()).getShape().back();
    return columns > 0 && columns % 4 == 0;
  };
  return isWhole(shape()) && flow.fitsVectors(4) &&
         llvm::all_of(flow.values,
                      [&](const auto &entry) { return isWhole(entry.first); });
}

bool MmaSegment::keepsNeighbours() const {
  int64_t columns = cast<RankedTensorType>(shape().getType()).getShape().back();
  bool isEven = !ShapedType::isDynamic(columns) && columns % 2 == 0;
  return isEven || !flow.turnsNeighbours();
}

int64_t mlir::fuse::columnsReducedBy(MmaScheduleAttr schedule) {
  return schedule.gathersSums() ? schedule.resultColumns()
                                : schedule.columnsPerConsumer();
}

bool mlir::fuse::canReduceGathered(int64_t columns) {
  constexpr int64_t fewest = 8, most = 4 * 32;
  return llvm::isPowerOf2_64(columns) && columns >= fewest && columns <= most;
}

int64_t mlir::fuse::mmaGroupColumns(KernelOp kernel, const MmaSegment &segment,
                                    MmaScheduleAttr schedule) {
  constexpr int64_t usual = MmaScheduleAttr::kRowElements, most = 2 * usual;
  constexpr unsigned byte = 8;
  bool hasBytes = llvm::any_of(segment.results, [&](unsigned number) {
    Value value = kernel.getYield().getValues()[number];
    return getElementTypeOrSelf(value).getIntOrFloatBitWidth() == byte;
  });
  bool mayBeMost = schedule.getStore() == MmaStore::tma &&
                   segment.columnsPerConsumer(schedule) % most == 0;
  return hasBytes && mayBeMost ? most : usual;
}

SmallVector<BlockArgument>
mlir::fuse::mmaTileInputs(KernelOp kernel, const DimClasses &dims,
                          const MmaSpace &space, const MmaSegment &segment,
                          MmaScheduleAttr schedule, TensorFacts facts) {
  // The slots of streamed rows have no room for others; only copies by tensor
  // map bring any.
  if (!space.rows.tensor || schedule.isMmaSync())
    return {};
  int64_t columns = mmaGroupColumns(kernel, segment, schedule);
  if (segment.columnsPerConsumer(schedule) % columns != 0)
    return {};
  llvm::DenseSet<Operation *> needed = mmaOpsOf(kernel, space, segment);
  auto isRead = [&](Operation *user) {
    return user->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
           needed.contains(user);
  };
  // Tensor maps that are left for each segment.
  auto contractions = kernel.getBody().getOps<ContractOp>();
  size_t used = 1 + kernel.getNumResults() +
                std::distance(contractions.begin(), contractions.end());
  size_t most = used < mostMaps ? (mostMaps - used) / space.segments.size() : 0;
  // Bytes of a row of all of them in a slot.
  int64_t shares = schedule.sharesColumns() ? schedule.getConsumers() : 1;
  int64_t room = schedule.slotBytes() / schedule.getTileM();
  SmallVector<BlockArgument> found;
  for (BlockArgument input : kernel.getBody().getArguments()) {
    int64_t bits = getElementTypeOrSelf(input).getIntOrFloatBitWidth();
    int64_t bytes = columns * shares * bits / 8;
    bool joinsRows =
        space.rowAxes.size() == 1 || strideKind(input) == StrideKind::dense;
    if (!dims.sameShape(input, segment.shape()) ||
        llvm::none_of(input.getUsers(), isRead) || (bits != 16 && bits != 32) ||
        bytes > room || found.size() == most || !joinsRows ||
        2 + space.outer.size() > mostMapDims ||
        !fitsTensorMap(kernel, dims, input, facts))
      continue;
    room -= bytes;
    found.push_back(input);
  }
  return found;
}
