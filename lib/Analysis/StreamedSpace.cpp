//===- StreamedSpace.cpp - A softmax between two contractions -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/StreamedSpace.h"

#include "MmaOperands.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of a row of the queries, and of the sums.
static constexpr int64_t mostDepth = 256;

char StreamedSpace::productAxis(char scoreAxis) const {
  ContractOp first = scores, second = productOp();
  StringRef axes =
      weights == second.getLhs() ? second.getLhsAxes() : second.getRhsAxes();
  return axes[first.getResultAxes().find(scoreAxis)];
}

Extent StreamedSpace::rowExtent(const DimClasses &dims) const {
  return contractionSpaceOf(scores).extent(m, dims);
}

Extent StreamedSpace::keyExtent(const DimClasses &dims) const {
  return contractionSpaceOf(scores).extent(n, dims);
}

Extent StreamedSpace::depthExtent(const DimClasses &dims) const {
  return contractionSpaceOf(scores).extent(k, dims);
}

Extent StreamedSpace::columnExtent(const DimClasses &dims) const {
  return contractionSpaceOf(productOp()).extent(product.n, dims);
}

bool StreamedSpace::isPaged() const { return keys.pages || values().pages; }

int64_t StreamedSpace::headCount(const DimClasses &dims) const {
  return heads ? contractionSpaceOf(scores).extent(*heads, dims).size : 1;
}

bool StreamedSpace::canLeaveParts() const {
  return llvm::none_of(product.segments.front().flow.values, [](auto &entry) {
    return isa_and_nonnull<RotaryOp>(entry.first.getDefiningOp());
  });
}

bool mlir::fuse::computesWith(Operation *op,
                              const llvm::DenseSet<Value> &values) {
  return !isa<IotaOp>(op) && readsAny(op, values);
}

bool mlir::fuse::areChained(ArrayRef<Operation *> ops) {
  llvm::DenseSet<Value> following;
  for (Operation *op : ops) {
    bool follows = computesWith(op, following);
    if (follows && isa<ContractOp>(op))
      return true;
    if (follows || isa<ContractOp>(op))
      following.insert_range(op->getResults());
  }
  return false;
}

namespace {
class StreamedFinder {
public:
  StreamedFinder(const MmaGroup &group, const DimClasses &dims,
                 TensorFacts facts, Reason &reason)
      : group(group), dims(dims), facts(facts), reason(reason) {}

  FailureOr<StreamedSpace> find();

private:
  LogicalResult refuse(Reason why) {
    reason = std::move(why);
    return failure();
  }
  LogicalResult findContractions();
  LogicalResult findFront();
  LogicalResult findStatistics();
  LogicalResult classify(Operation *op);
  LogicalResult classifyWeight(Operation *op);
  LogicalResult findOperands();
  LogicalResult findProduct();
  void findHeads();
  LogicalResult findResults();
  bool isOfRow(Value value) const;

  const MmaGroup &group;
  const DimClasses &dims;
  TensorFacts facts;
  Reason &reason;
  StreamedSpace found;
  ContractOp product;
  /// What follows from the scores and has their shape; of these, what follows
  /// from the exponentials; what has one element a row.
  llvm::DenseSet<Value> full, weighted, rows;
};
} // namespace

/// Exactly two, one of which reads what follows from the other.
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
    if ((!element.isF16() && !element.isBF16()) ||
        contraction.getLhs().getType().getElementType() != element)
      return refuse(ReasonKind::streamedTypes);
  }
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
    auto reduce = dyn_cast<ReduceOp>(op);
    if (ReduceOp max = reduce ? reduce.getMaximumOfExponents() : ReduceOp()) {
      found.sum = reduce;
      found.max = max;
    }
  }
  if (!found.sum || reductions != 2)
    return refuse(ReasonKind::streamedNoSoftmax);
  if (found.sum.getDims() != ArrayRef(last))
    return refuse(ReasonKind::streamedSoftmaxAxis);
  found.exponentials = found.sum.getInput().getDefiningOp<ExpOp>();
  auto difference = found.exponentials.getInput().getDefiningOp<SubOp>();
  found.logits = difference.getLhs();
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

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
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
    isProportional = isPlain(select.getCondition()) && isZero(other);
  }
  if (!isProportional)
    return refuse(ReasonKind::streamedWeights);
  if (isOfRows)
    found.rowFactors.push_back({op, isFirst ? 0u : 1u});
  weighted.insert(op->getResult(0));
  full.insert(op->getResult(0));
  return success();
}

/// Of an op that follows from the scores.
LogicalResult StreamedFinder::classify(Operation *op) {
  if (op == found.max.getOperation() || op == found.sum.getOperation()) {
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
  } else if (op == found.exponentials.getInput().getDefiningOp() ||
             !computesWith(op, rows)) {
    full.insert(result);
  } else {
    return refuse(ReasonKind::streamedMeet);
  }
  return dims.sameShape(result, found.scores.getResult())
             ? success()
             : refuse(ReasonKind::streamedShape);
}

LogicalResult StreamedFinder::findOperands() {
  ContractionSpace space = contractionSpaceOf(found.scores);
  if (space.summed.size() != 1)
    return refuse(ReasonKind::streamedSeveralSums);
  ContractionSides sides(space);
  if (!space.m || sides.rowAxes.contains(space.n))
    return refuse(ReasonKind::streamedNoProduct);
  found.m = *space.m;
  found.n = space.n;
  found.k = space.summed.front();
  MmaOperandFinder finder(group, dims, facts, reason);
  FailureOr<MmaOperand> queries =
      finder.find(space, sides.rows, sides.rowAxes, {found.m});
  if (failed(queries))
    return failure();
  FailureOr<MmaOperand> keys =
      finder.findPaged(space, sides.columns, sides.columnAxes, found.n,
                       /*rows=*/found.n);
  if (failed(keys))
    return failure();
  found.queries = *queries;
  found.keys = *keys;
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
  ContractionSpace space = contractionSpaceOf(product);
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
  MmaOperandFinder finder(group, dims, facts, reason);
  FailureOr<MmaOperand> operand =
      finder.findPaged(space, values, others, columns, /*rows=*/its.k);
  if (failed(operand))
    return failure();
  its.segments.emplace_back();
  its.segments.front().contractions.push_back({product, *operand});
  for (const Extent &extent :
       {found.depthExtent(dims), found.columnExtent(dims)})
    if (!extent.isStatic() || extent.size > mostDepth || extent.size < 1)
      return refuse(ReasonKind::streamedHeads);
  return success();
}

/// Whether an operand differs along the axis.
static bool depends(const MmaOperand &operand, char axis) {
  return llvm::is_contained(operand.axes, axis) ||
         (operand.pages && llvm::is_contained(operand.pages->idAxes, axis));
}

/// Queries that do not lie along their features have no other axis next to m in
/// shared memory.
void StreamedFinder::findHeads() {
  ContractionSpace space = contractionSpaceOf(found.scores);
  const MmaOperand &values = found.values();
  if (!found.queries.isAlongK(found.k))
    return;
  for (char axis : space.outer) {
    Extent extent = space.extent(axis, dims);
    if (extent.isStatic() && extent.size > 1 &&
        llvm::is_contained(found.queries.axes, axis) &&
        !depends(found.keys, axis) && !depends(values, found.productAxis(axis)))
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
  FailureOr<ContractionFlow> flow =
      contractionFlowOf(product, ops, results, dims, reason);
  if (failed(flow))
    return failure();
  segment.flow = std::move(*flow);
  return success();
}

FailureOr<StreamedSpace> StreamedFinder::find() {
  if (failed(findContractions()) || failed(findFront()) ||
      failed(findStatistics()))
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
  if (!weighted.contains(found.weights))
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
