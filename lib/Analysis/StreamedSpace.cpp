//===- StreamedSpace.cpp - A softmax between two contractions -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/StreamedSpace.h"
#include "fuse/Analysis/ContractionSpace.h"
#include "fuse/Analysis/ReductionSpace.h"

#include "MmaOperands.h"
#include "fuse/Analysis/OpCost.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of a row of the queries, and of the sums: with tensor cores, and in panels.
static constexpr int64_t mostDepth = 1024, mostColumns = 512,
                         mostPanelDepth = 1024;
/// Tensors that are joined to an operand, each of which has a tensor map.
static constexpr size_t mostParts = 4;
/// Features that a thread computes at once.
static constexpr int64_t featuresAtOnce = 8;

static bool isF64(Value value) {
  return getElementTypeOrSelf(value.getType()).isF64();
}

namespace {
class StreamedFinder {
public:
  /// Without facts in panels.
  StreamedFinder(const MmaGroup &group, const DimClasses &dims,
                 std::optional<TensorFacts> facts, Reason &reason)
      : group(group), dims(dims), facts(facts), reason(reason) {}

  FailureOr<StreamedSpace> find();

private:
  LogicalResult refuse(Reason why) {
    reason = std::move(why);
    return failure();
  }
  bool inPanels() const { return !facts; }
  /// Whether an operand of tensor cores has no tensor in memory.
  bool isComputed(const MmaOperand &operand) const {
    return !inPanels() && operand.dims.empty();
  }
  LogicalResult checkTypes();
  LogicalResult findContractions();
  LogicalResult findFront();
  LogicalResult findStatistics();
  LogicalResult classify(Operation *op);
  LogicalResult classifyWeight(Operation *op);
  FailureOr<MmaOperand> findOperand(const ContractionSpace &space, Value tensor,
                                    StringRef axes, char own,
                                    std::optional<char> rows);
  OperandWork workOf(const MmaOperand &operand) const;
  std::optional<MmaOperand> findComputed(const ContractionSpace &space,
                                         Value tensor, StringRef axes, char own,
                                         char rows) const;
  FailureOr<SmallVector<FeaturePart, 1>>
  findParts(const ContractionSpace &space, Value tensor, StringRef axes,
            char own, std::optional<char> rows);
  bool isInside(Operation *op) const {
    return llvm::is_contained(group.ops, op);
  }
  /// Whether the softmax is computed in f64.
  bool isWide() const { return inPanels() && isF64(found.weights); }
  LogicalResult findOperands();
  LogicalResult findProduct();
  LogicalResult checkSizes();
  void findHeads();
  LogicalResult findResults();
  LogicalResult findFlow(ArrayRef<Operation *> ops, ArrayRef<Value> results);
  bool isOfRow(Value value) const;

  const MmaGroup &group;
  const DimClasses &dims;
  std::optional<TensorFacts> facts;
  Reason &reason;
  StreamedSpace found;
  ContractOp product;
  /// What follows from the scores and has their shape; of these, what follows
  /// from the exponentials; of these, what has a factor of the row; what has
  /// one element a row.
  llvm::DenseSet<Value> full, weighted, factored, rows;
};
} // namespace

/// Two, one of which reads what follows from the other.
LogicalResult StreamedFinder::findContractions() {
  SmallVector<ContractOp> contractions;
  for (Operation *op : group.ops)
    if (auto contraction = dyn_cast<ContractOp>(op))
      contractions.push_back(contraction);
  if (contractions.size() != 2 || !areChained(group.ops))
    return refuse(ReasonKind::streamedCount);
  found.scores = contractions.front();
  product = contractions.back();
  for (ContractOp contraction : contractions) {
    Type element = contraction.getType().getElementType();
    bool isNarrow = element.isF16() || element.isBF16();
    if ((!isNarrow && !inPanels()) ||
        contraction.getLhs().getType().getElementType() != element)
      return refuse(ReasonKind::streamedTypes);
  }
  return success();
}

/// In panels all has one type; threads of tensor cores have softmaxes in f32.
LogicalResult StreamedFinder::checkTypes() {
  if (!inPanels() && found.isPlain())
    return success();
  for (Value value :
       {Value(found.scores.getResult()), found.logits,
        found.isPlain() ? found.logits : Value(found.sum.getResult())})
    if (isF64(value) != isWide())
      return refuse(ReasonKind::streamedPrecision);
  return success();
}

/// The weights are the operand that follows from the scores.
LogicalResult StreamedFinder::findFront() {
  llvm::DenseSet<Value> following = {found.scores.getResult()};
  for (Operation *op : group.ops)
    if (computesWith(op, following))
      following.insert_range(op->getResults());
  bool isLhs = following.contains(product.getLhs());
  if (isLhs == following.contains(product.getRhs()))
    return refuse(ReasonKind::streamedBothFollow);
  found.weights = isLhs ? product.getLhs() : product.getRhs();
  SmallVector<Value> work = {found.weights};
  while (!work.empty())
    if (Operation *op = work.pop_back_val().getDefiningOp();
        op && llvm::is_contained(group.ops, op) &&
        found.front.insert(op).second)
      llvm::append_range(work, op->getOperands());
  return success();
}

/// A maximum and the sum of the exponentials below it, along the last axis.
LogicalResult StreamedFinder::findStatistics() {
  int64_t last = found.scores.getType().getRank() - 1;
  unsigned reductions = 0;
  for (Operation *op : group.ops) {
    if (!found.front.contains(op) || !isReduction(op))
      continue;
    ++reductions;
    // Those along other axes are one op by now.
    if (isa<SoftmaxStatsOp>(op) && reducedDims(op) != ArrayRef(last))
      return refuse(ReasonKind::streamedSoftmaxAxis);
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce || reduce.getKind() != ReduceKind::sum || !reduce.getKeep())
      continue;
    found.exponentials =
        exponentialsBehind(reduce.getInput(), reduce.getDims());
    found.sum = found.exponentials ? reduce : ReduceOp();
  }
  if (reductions == 0) {
    // Tensor cores round their operands; a CPU's panels have to be told.
    found.logits = inPanels() ? found.weights : found.unroundedWeights();
    return success();
  }
  if (!found.sum || reductions != 2)
    return refuse(ReasonKind::streamedNoSoftmax);
  if (found.sum.getDims() != ArrayRef(last))
    return refuse(ReasonKind::streamedSoftmaxAxis);
  // A CPU's weights are not rounded.
  if (!inPanels() && getElementTypeOrSelf(found.weights).isF16() &&
      found.summed() != found.exponentials.getResult())
    return refuse(ReasonKind::streamedSmallWeights);
  found.max = maximumOf(found.exponentials, found.sum.getDims());
  auto difference = found.exponentials.getInput().getDefiningOp<SubOp>();
  found.logits = difference.getLhs();
  if (difference.getRhs().getDefiningOp<MaxOp>())
    found.ceiling = difference.getRhs();
  else
    found.isGuarded = difference.getRhs() != found.max.getResult();
  return success();
}

bool StreamedFinder::isOfRow(Value value) const {
  SmallVector<Extent> extents = dims.extents(value);
  SmallVector<Extent> shape =
      dims.extents(ContractOp(found.scores).getResult());
  if (extents.size() != shape.size() || extents.back().size != 1)
    return false;
  extents.pop_back();
  shape.pop_back();
  return extents == shape;
}

/// What follows from the exponentials is in proportion to them.
LogicalResult StreamedFinder::classifyWeight(Operation *op) {
  auto isPlain = [&](Value value) {
    return !full.contains(value) && !rows.contains(value);
  };
  Value first = op->getOperand(0);
  bool isFirst = weighted.contains(first);
  bool isProportional = false, isOfRows = false;
  if (isa<CastOp>(op)) {
    isProportional = isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  } else if (isa<MulOp, DivOp>(op)) {
    Value other = op->getOperand(isFirst ? 1 : 0);
    isOfRows = rows.contains(other);
    isProportional =
        (isFirst || isa<MulOp>(op)) && (isOfRows || isPlain(other));
  } else if (auto select = dyn_cast<SelectOp>(op)) {
    bool isTrue = weighted.contains(select.getTrueValue());
    Value other = isTrue ? select.getFalseValue() : select.getTrueValue();
    isProportional =
        isPlain(select.getCondition()) && matchPattern(other, m_AnyZeroFloat());
  }
  if (!isProportional)
    return refuse(ReasonKind::streamedWeights);
  if (isOfRows && isF64(op->getOperand(isFirst ? 1 : 0)) != isWide())
    return refuse(ReasonKind::streamedPrecision);
  if (isOfRows)
    found.rowFactors.push_back({op, isFirst ? 0u : 1u});
  if (isOfRows || computesWith(op, factored))
    factored.insert(op->getResult(0));
  weighted.insert(op->getResult(0));
  full.insert(op->getResult(0));
  return success();
}

/// Of an op that follows from the scores.
LogicalResult StreamedFinder::classify(Operation *op) {
  if (op == found.max.getOperation() || op == found.sum.getOperation()) {
    if (computesWith(op, factored))
      return refuse(ReasonKind::streamedWeights);
    rows.insert(op->getResult(0));
    return success();
  }
  if (!op->hasTrait<mlir::fuse::OpTrait::Pointwise>())
    return refuse(ReasonKind::streamedScoresMoved);
  Value result = op->getResult(0);
  if (computesWith(op, weighted)) {
    if (failed(classifyWeight(op)))
      return failure();
  } else if (!computesWith(op, full)) {
    if (!isOfRow(result))
      return refuse(ReasonKind::streamedStatistics);
    rows.insert(result);
    return success();
  } else if (op == found.exponentials.getOperation()) {
    weighted.insert(result);
    full.insert(result);
  } else if (!computesWith(op, rows) ||
             op == found.exponentials.getInput().getDefiningOp()) {
    full.insert(result);
  } else {
    return refuse(ReasonKind::streamedMeet);
  }
  return dims.sameShape(result, found.scores.getResult())
             ? success()
             : refuse(ReasonKind::streamedShape);
}

OperandWork StreamedFinder::workOf(const MmaOperand &operand) const {
  if (!isComputed(operand))
    return {0, elementBytes(operand.tensor)};
  return operandWork(
      operand.tensor,
      operandOps(operand.tensor, [&](Operation *op) { return isInside(op); }));
}

/// Queries, keys or values of which each tile computes those that it reads.
std::optional<MmaOperand>
StreamedFinder::findComputed(const ContractionSpace &space, Value tensor,
                             StringRef axes, char own, char rows) const {
  char features = own == rows ? space.summed.front() : own;
  Extent extent = dims.extent(tensor, axes.find(features));
  // A thread computes features that are neighbours in memory.
  if (operandOps(tensor, [&](Operation *op) { return isInside(op); }).empty() ||
      axes.back() != features || !extent.isStatic() ||
      extent.size % featuresAtOnce != 0)
    return std::nullopt;
  MmaOperand operand;
  operand.tensor = tensor;
  operand.axes = {features, rows};
  for (auto [number, axis] : llvm::enumerate(axes))
    if (axis != features && axis != rows &&
        dims.extent(tensor, number).size != 1)
      operand.axes.push_back(axis);
  return operand;
}

/// Keys and values have `rows` along which they may be paged.
FailureOr<MmaOperand> StreamedFinder::findOperand(const ContractionSpace &space,
                                                  Value tensor, StringRef axes,
                                                  char own,
                                                  std::optional<char> rows) {
  if (!inPanels()) {
    if (auto computed =
            findComputed(space, tensor, axes, own, rows.value_or(own)))
      return *computed;
    MmaOperandFinder finder(group, dims, *facts, reason);
    auto operand = rows ? finder.findPaged(space, tensor, axes, own, *rows)
                        : finder.find(space, tensor, axes, {own});
    // Other contractions compute such operands; here they come as they are.
    if (succeeded(operand) && operand->computed)
      return refuse(Reason(ReasonKind::streamedComputed, featuresAtOnce));
    return operand;
  }
  if (rows &&
      isCostlyOperand(tensor, [&](Operation *op) { return isInside(op); }))
    return refuse(ReasonKind::streamedCostlyKeys);
  MmaOperand operand;
  operand.tensor = tensor;
  for (auto [number, axis] : llvm::enumerate(axes))
    if (dims.extent(tensor, number).size != 1)
      operand.axes.push_back(axis);
  return operand;
}

/// Tensors that are joined along the features are read where they are, each
/// from a whole row of shared memory on.
FailureOr<SmallVector<FeaturePart, 1>>
StreamedFinder::findParts(const ContractionSpace &space, Value tensor,
                          StringRef axes, char own, std::optional<char> rows) {
  char features = space.summed.front();
  auto inside = [&](Operation *op) { return isInside(op); };
  SmallVector<Value> tensors = {tensor};
  if (!inPanels())
    tensors = joinedTensors(tensor, axes, features, inside);
  SmallVector<FeaturePart, 1> parts;
  if (tensors.size() == 1) {
    FailureOr<MmaOperand> whole = findOperand(space, tensor, axes, own, rows);
    if (failed(whole))
      return failure();
    parts.push_back({*whole, tensor, axes.str(), 0,
                     dims.extent(tensor, axes.find(features)).size});
    return parts;
  }
  MmaOperandFinder finder(group, dims, *facts, reason);
  int64_t first = 0;
  for (Value part : tensors) {
    auto moved = movedTensorOf(part, axes, dims, inside);
    Extent count = dims.extent(part, axes.find(features));
    if (!moved || !count.isStatic() || tensors.size() > mostParts ||
        first % MmaScheduleAttr::kRowElements != 0)
      return refuse(ReasonKind::streamedParts);
    auto operand = finder.find(space, moved->tensor, moved->axes, {own},
                               /*blocks=*/std::nullopt, /*isPart=*/true);
    if (failed(operand))
      return failure();
    if (!operand->isAlongK(features))
      return refuse(ReasonKind::streamedParts);
    parts.push_back({*operand, moved->tensor, moved->axes, first, count.size});
    first += count.size;
  }
  return parts;
}

LogicalResult StreamedFinder::findOperands() {
  ContractionSpace space = contractionSpaceOf(found.scores, RowAxis::innermost);
  if (space.summed.size() != 1)
    return refuse(ReasonKind::streamedSeveralSums);
  ContractionSides sides(space);
  if (!space.m || sides.rowAxes.contains(space.n))
    return refuse(ReasonKind::streamedNoProduct);
  found.m = *space.m;
  found.n = space.n;
  found.k = space.summed.front();
  auto queries =
      findParts(space, sides.rows, sides.rowAxes, found.m, std::nullopt);
  if (failed(queries))
    return failure();
  auto keys =
      findParts(space, sides.columns, sides.columnAxes, found.n, found.n);
  if (failed(keys))
    return failure();
  found.queryParts = std::move(*queries);
  found.keyParts = std::move(*keys);
  found.queries = found.queryParts.front().operand;
  found.keys = found.keyParts.front().operand;
  found.computesQueries = isComputed(found.queries);
  found.computesKeys = isComputed(found.keys);
  found.ofQueries = workOf(found.queries);
  found.ofKeys = workOf(found.keys);
  return success();
}

/// The second product has the scores' axes but for the keys, and its own
/// columns.
LogicalResult StreamedFinder::findProduct() {
  bool isLhs = found.weights == product.getLhs();
  StringRef axes = isLhs ? product.getLhsAxes() : product.getRhsAxes();
  StringRef others = isLhs ? product.getRhsAxes() : product.getLhsAxes();
  Value values = isLhs ? product.getRhs() : product.getLhs();
  StringRef result = product.getResultAxes();
  // A number has no rows to stream.
  if (result.empty() || axes.empty())
    return refuse(ReasonKind::streamedKeys);
  ContractionSpace space = contractionSpaceOf(product, RowAxis::innermost);
  char columns = result.back();
  bool isProduct = space.summed.size() == 1 &&
                   space.summed.front() == axes.back() &&
                   !axes.contains(columns) && others.contains(columns) &&
                   result.size() == axes.size();
  for (char axis : axes.drop_back())
    isProduct &= result.contains(axis);
  for (auto [number, axis] : llvm::enumerate(axes.drop_back()))
    isProduct &=
        !isProduct || dims.extent(product.getResult(), result.find(axis)) ==
                          dims.extent(found.weights, number);
  if (!isProduct)
    return refuse(ReasonKind::streamedKeys);
  MmaSpace &its = found.product;
  its.m = axes[found.scores.getResultAxes().find(found.m)];
  its.n = columns;
  its.k = axes.back();
  if (others.contains(its.m))
    return refuse(ReasonKind::streamedValues);
  its.rowAxes = {its.m};
  llvm::append_range(its.resultAxes, result);
  for (char axis : result.drop_back())
    if (axis != its.m)
      its.outer.push_back(axis);
  its.rows.axes = {its.k, its.m};
  space.n = columns;
  FailureOr<MmaOperand> operand = failure();
  std::optional<MmaOperand> inKeys;
  if (!inPanels())
    inKeys = valuesInKeys(found, group, dims, product, values);
  if (inKeys)
    operand = *inKeys;
  else
    operand = findOperand(space, values, others, columns, its.k);
  if (failed(operand))
    return failure();
  found.computesValues = isComputed(*operand);
  found.ofValues = workOf(*operand);
  its.segments.emplace_back();
  its.segments.front().contractions.push_back(
      {product, *operand, product.getResult()});
  return checkSizes();
}

LogicalResult StreamedFinder::checkSizes() {
  std::pair<Extent, int64_t> all[] = {{found.depthExtent(dims), mostDepth},
                                      {found.columnExtent(dims), mostColumns}};
  for (auto &[extent, mostOfTiles] : all) {
    int64_t most = inPanels() ? mostPanelDepth : mostOfTiles;
    if (!extent.isStatic() || extent.size > most || extent.size < 1)
      return refuse(Reason(ReasonKind::streamedHeads, most));
  }
  return success();
}

/// Whether an operand differs along the axis.
static bool depends(const MmaOperand &operand, char axis) {
  return llvm::is_contained(operand.axes, axis) ||
         (operand.pages && llvm::is_contained(operand.pages->idAxes, axis));
}

/// Whether a part of an operand differs along the axis.
static auto hasAxis(char axis) {
  return
      [axis](const FeaturePart &part) { return depends(part.operand, axis); };
}

/// Queries that do not lie along their features have no other axis next to m in
/// shared memory.
void StreamedFinder::findHeads() {
  ContractionSpace space = contractionSpaceOf(found.scores, RowAxis::innermost);
  const MmaOperand &values = found.values();
  if (!inPanels() && !found.queries.isAlongK(found.k))
    return;
  for (char axis : space.outer) {
    Extent extent = space.extent(axis, dims);
    if (extent.isStatic() && extent.size > 1 &&
        llvm::all_of(found.queryParts, hasAxis(axis)) &&
        llvm::none_of(found.keyParts, hasAxis(axis)) &&
        !depends(values, found.productAxis(axis)))
      found.heads = axis;
  }
}

/// Of the product's shape, or of one element a row.
LogicalResult StreamedFinder::findResults() {
  MmaSegment &segment = found.product.segments.front();
  llvm::DenseSet<Value> after = {product.getResult()};
  SmallVector<Operation *> ops;
  for (Operation *op : group.ops) {
    if (found.front.contains(op))
      continue;
    bool follows = op == product.getOperation() || computesWith(op, after);
    if (computesWith(op, full) && op != product.getOperation())
      return refuse(ReasonKind::streamedScoresNeeded);
    if (computesWith(op, rows)) {
      if (follows || !op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
          !isOfRow(op->getResult(0)))
        return refuse(ReasonKind::streamedRowResults);
      rows.insert(op->getResult(0));
      continue;
    }
    if (follows)
      after.insert_range(op->getResults());
    ops.push_back(op);
  }
  SmallVector<Value> results;
  for (auto [number, value] : llvm::enumerate(group.results)) {
    if (full.contains(value))
      return refuse(ReasonKind::streamedScoresStored);
    if (rows.contains(value)) {
      found.rowResults.push_back(number);
      continue;
    }
    segment.results.push_back(number);
    results.push_back(value);
  }
  return findFlow(ops, results);
}

/// Of what is computed behind the softmax, and of what values are computed by.
LogicalResult StreamedFinder::findFlow(ArrayRef<Operation *> ops,
                                       ArrayRef<Value> results) {
  MmaSegment &segment = found.product.segments.front();
  if (!inPanels()) {
    FailureOr<ContractionFlow> flow =
        contractionFlowOf(product, ops, results, dims, reason);
    if (failed(flow))
      return failure();
    segment.flow = std::move(*flow);
    return success();
  }
  llvm::DenseSet<Value> after = {product.getResult()};
  for (Operation *op : ops) {
    if (op == product.getOperation())
      continue;
    if (isReduction(op) || isRowOrder(op) || isa<ContractOp, ScatterOp>(op))
      return refuse(ReasonKind::streamedMaskReduced);
    if (!computesWith(op, after))
      continue;
    if (!op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
        !dims.sameShape(op->getResult(0), product.getResult()))
      return refuse(ReasonKind::resultNotContractionShape);
    after.insert(op->getResult(0));
  }
  for (Value result : results)
    if (!dims.sameShape(result, product.getResult()))
      return refuse(ReasonKind::resultNotContractionShape);
  return success();
}

FailureOr<StreamedSpace> StreamedFinder::find() {
  if (failed(findContractions()) || failed(findFront()) ||
      failed(findStatistics()) || failed(checkTypes()))
    return failure();
  full.insert(found.scores.getResult());
  for (Operation *op : group.ops) {
    if (!found.front.contains(op) || op == found.scores.getOperation())
      continue;
    if (computesWith(op, full) || computesWith(op, rows)) {
      if (failed(classify(op)))
        return failure();
    } else if (isReduction(op) || isRowOrder(op) ||
               isa<ContractOp, ScatterOp>(op)) {
      return refuse(ReasonKind::streamedMaskReduced);
    }
  }
  if (!(found.isPlain() ? full : weighted).contains(found.weights))
    return refuse(ReasonKind::streamedNotRead);
  if (failed(findOperands()) || failed(findProduct()) || failed(findResults()))
    return failure();
  findHeads();
  return std::move(found);
}

FailureOr<StreamedSpace> mlir::fuse::streamedSpaceOf(const MmaGroup &group,
                                                     const DimClasses &dims,
                                                     TensorFacts facts,
                                                     Reason &reason) {
  return StreamedFinder(group, dims, facts, reason).find();
}

FailureOr<StreamedSpace> mlir::fuse::streamedSpaceOf(KernelOp kernel,
                                                     const DimClasses &dims,
                                                     TensorFacts facts,
                                                     Reason &reason) {
  return streamedSpaceOf(KernelAsGroup(kernel), dims, facts, reason);
}

FailureOr<StreamedSpace>
mlir::fuse::panelStreamedSpaceOf(const MmaGroup &group, const DimClasses &dims,
                                 Reason &reason) {
  return StreamedFinder(group, dims, std::nullopt, reason).find();
}

FailureOr<StreamedSpace>
mlir::fuse::panelStreamedSpaceOf(KernelOp kernel, const DimClasses &dims,
                                 Reason &reason) {
  return panelStreamedSpaceOf(KernelAsGroup(kernel), dims, reason);
}
