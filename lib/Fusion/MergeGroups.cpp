//===- MergeGroups.cpp - Which primitives share a kernel ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeGroups.h"
#include "RowShapes.h"
#include "fuse/Analysis/ElementSegments.h"
#include "fuse/Analysis/ReductionSegments.h"

#include "fuse/Analysis/ContractionSegments.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/TileSpace.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

bool mlir::fuse::isHostReshape(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

/// Whether the sizes of the reshape's result follow from its operand's. Of
/// several dynamic dimensions in one group they do not.
static bool hasKnownSizes(Operation *op) {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  if (!expand)
    return true;
  for (const ReassociationIndices &group : expand.getReassociationIndices())
    if (llvm::count_if(group, [&](int64_t dim) {
          return expand.getResultType().isDynamicDim(dim);
        }) > 1)
      return false;
  return true;
}

/// Gives every reshape one user, so that a group can adopt it: the last of a
/// chain first, as each copy reads what is before it.
static func::FuncOp splitReshapes(func::FuncOp function) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(function.getBody().front()))) {
    if (!isHostReshape(&op))
      continue;
    OpBuilder builder(&op);
    SmallVector<OpOperand *> uses(
        llvm::make_pointer_range(op.getResult(0).getUses()));
    for (OpOperand *use : ArrayRef(uses).drop_front(!uses.empty()))
      use->set(builder.clone(op)->getResult(0));
  }
  return function;
}

GroupMerger::GroupMerger(func::FuncOp function, const MachineRates &machine,
                         std::optional<ScheduleTarget> target, bool streams)
    : groups(splitReshapes(function)), function(function), machine(machine),
      target(std::move(target)), streams(streams),
      dims(std::make_unique<DimClasses>(function)) {}

//===----------------------------------------------------------------------===//
// Legality and cost
//===----------------------------------------------------------------------===//

static bool hasSeveralContractions(ArrayRef<Operation *> ops) {
  return llvm::count_if(ops, llvm::IsaPred<ContractOp>) > 1;
}

/// Whether blocks that pack operands can take the tiles of the contractions one
/// by one, to compute at once what follows from all of them.
static bool haveTilesInCommon(ArrayRef<Operation *> ops,
                              ArrayRef<Value> results, const DimClasses &dims,
                              Reason &reason) {
  auto segments = contractionSegmentsOf(ops, results);
  if (segments.size() > 1) {
    reason = ReasonKind::nothingInCommon;
    return false;
  }
  SmallVector<ContractOp> contractions;
  for (Operation *op : ops)
    if (auto contract = dyn_cast<ContractOp>(op))
      contractions.push_back(contract);
  return succeeded(tileSpaceOf(contractions, dims, reason));
}

/// Several contractions can where tensor cores run them together, or blocks
/// pack operands.
bool GroupMerger::mayShareKernel(ArrayRef<Operation *> ops,
                                 ArrayRef<Value> results, Reason &reason) {
  if (!hasSeveralContractions(ops))
    return true;
  Reason why;
  SmallVector<Value> inputs = groups.inputsOf(ops);
  MmaGroup group{ops, inputs, results};
  if (streams && machine.streams() &&
      succeeded(streamedSpaceOn(machine, group, *dims, why)))
    return true;
  if (machine.packsOperands)
    return haveTilesInCommon(ops, results, *dims, reason);
  if (succeeded(tensorCoreSpace(group, *dims, *machine.tensorCores, why)))
    return true;
  reason = Reason::because(ReasonKind::notTogether, std::move(why));
  return false;
}

bool GroupMerger::isLegal(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                          Reason &reason, bool tilesReduce,
                          KnownSegments *segments) {
  GroupView group{ops, results, tilesReduce, machine.packsOperands, segments};
  return succeeded(classifyGroup(group, *dims, machine.tensorCoresOrNull(),
                                 reason)) &&
         mayShareKernel(ops, results, reason);
}

std::optional<double> GroupMerger::seconds(ArrayRef<Operation *> ops,
                                           ArrayRef<Value> results,
                                           KnownSegments *segments) {
  return kernelSeconds(ops, groups.inputsOf(ops), results, *dims, machine,
                       segments);
}

double GroupMerger::seconds(int group) {
  auto [known, isNew] = secondsOf.try_emplace(group, 0.0);
  if (isNew) {
    SmallVector<Operation *> ops(groups.ops(group));
    // Whatever one op needs alone is not too much.
    known->second = seconds(ops, groups.resultsOf(ops))
                        .value_or(std::numeric_limits<double>::infinity());
  }
  return known->second;
}

/// Why what is legal as one kernel should not be one launch; nothing if it may.
Reason GroupMerger::whyApart(ArrayRef<Operation *> ops, KnownSegments &known) {
  Reason reason;
  // Tiles of tensor cores are one walk, and walks in order take turns.
  bool takeTurns = llvm::any_of(ops, isRowOrder) &&
                   timesWalked(ops, groups.inputsOf(ops), groups.resultsOf(ops),
                               *dims, machine) == 1;
  if (hasSeveralContractions(ops) || takeTurns)
    return {};
  const auto &segments = known.get(reason);
  return succeeded(segments) ? whyNotOneLaunch(*segments, *dims, machine)
                             : Reason();
}

/// Whether a group that ops join or leave is legal as one kernel, and may be
/// one launch.
bool GroupMerger::isOneLaunch(ArrayRef<Operation *> ops,
                              ArrayRef<Value> results,
                              KnownSegments &segments) {
  Reason reason;
  return isLegal(ops, results, reason, /*tilesReduce=*/false, &segments) &&
         (ops.empty() || !whyApart(ops, segments));
}

/// Why one kernel of both, which takes so long, or has values that are needed
/// at too many sets of places, is not better than two.
Reason GroupMerger::whySlower(int a, int b, std::optional<double> together,
                              double apart) {
  SmallVector<Operation *> ops = groups.merged(a, b);
  if (!together)
    return Reason(ReasonKind::tooManyPlaces, mostViews);
  if (std::isinf(*together))
    return ReasonKind::tooManyContractions;
  auto because = [&](ReasonKind kind) {
    return Reason(kind, microseconds(*together), microseconds(apart));
  };
  if (hasSeveralContractions(ops))
    return because(ReasonKind::contractionsSlower);
  // Elsewhere what is computed of an operand is computed for each tile.
  if (machine.tensorCores && llvm::any_of(ops, llvm::IsaPred<ContractOp>))
    return because(ReasonKind::detachedSlower);
  auto busyIn = [&](ArrayRef<Operation *> kernel) {
    return busyPart(kernel, groups.resultsOf(kernel), *dims, machine);
  };
  bool idles =
      busyIn(ops) < std::max(busyIn(groups.ops(a)), busyIn(groups.ops(b)));
  return because(idles ? ReasonKind::fewBlocks : ReasonKind::recomputed);
}

/// Merges the groups, and the reshapes that lie between them.
bool GroupMerger::tryMerge(int a, int b, ArrayRef<Operation *> views,
                           Reason &reason) {
  double apart = seconds(a) + seconds(b);
  for (Operation *view : views)
    groups.adopt(view, a);
  std::optional<double> together;
  auto check = [&] {
    SmallVector<Operation *> ops = groups.merged(a, b);
    SmallVector<Value> results = groups.resultsOf(ops);
    // Without the reshape the ops are not what one kernel would run.
    if (groups.hasHostPathAround(a, b)) {
      reason = ReasonKind::reshapeBetween;
      return false;
    }
    KnownSegments segments(ops, results, *dims);
    if (!isLegal(ops, results, reason, /*tilesReduce=*/false, &segments))
      return false;
    if (groups.hasPathAround(a, b)) {
      reason = ReasonKind::kernelBetween;
      return false;
    }
    if (Reason why = whyApart(ops, segments)) {
      reason = std::move(why);
      return false;
    }
    together = seconds(ops, results, &segments);
    if (!together || *together > apart) {
      reason = whySlower(a, b, together, apart);
      return false;
    }
    return true;
  };
  if (check()) {
    groups.merge(a, b);
    secondsOf.erase(std::max(a, b));
    secondsOf[std::min(a, b)] = *together;
    return true;
  }
  for (Operation *view : views)
    groups.release(view);
  return false;
}

//===----------------------------------------------------------------------===//
// Producers into consumers
//===----------------------------------------------------------------------===//

/// Whether a pointwise op alone reads the result of another of its shape.
/// Whatever kernel needs one of them then needs both at the same points.
static bool isLink(Operation *producer, Operation *consumer,
                   const DimClasses &dims) {
  auto isPointwise = [](Operation *op) {
    return op->hasTrait<mlir::fuse::OpTrait::Pointwise>();
  };
  return isPointwise(producer) && isPointwise(consumer) &&
         producer->getResult(0).hasOneUse() &&
         dims.sameShape(producer->getResult(0), consumer->getResult(0));
}

/// Whether all that reads a pointwise op are pointwise ops of its shape in one
/// group, which needs them at the same points.
bool GroupMerger::isFork(Operation *op) const {
  auto isPointwise = [](Operation *each) {
    return each->hasTrait<mlir::fuse::OpTrait::Pointwise>();
  };
  if (!groups.contains(op) || !isPointwise(op) || op->use_empty())
    return false;
  Operation *first = *op->user_begin();
  return groups.contains(first) && groups.of(first) != groups.of(op) &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           return groups.contains(user) &&
                  groups.of(user) == groups.of(first) && isPointwise(user) &&
                  dims->sameShape(op->getResult(0), user->getResult(0));
         });
}

/// One step each, where a merge by trial would look at all of the chain. Then
/// what parts and meets again, as x in x sigmoid(x).
void GroupMerger::mergeChains() {
  for (Operation &op : function.getBody().front())
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (groups.contains(&op) && groups.contains(producer) &&
          groups.of(producer) != groups.of(&op) && isLink(producer, &op, *dims))
        groups.merge(groups.of(producer), groups.of(&op));
    }
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (isFork(&op))
      groups.merge(groups.of(&op), groups.of(*op.user_begin()));
}

/// `user` and the reshapes that follow it, as far as each is read by one op:
/// those of the host, which a group may adopt.
SmallVector<Operation *> GroupMerger::reshapesFrom(Operation *user) const {
  SmallVector<Operation *> chain;
  while (isHostReshape(user) && !groups.contains(user) && hasKnownSizes(user) &&
         llvm::all_equal(user->getUsers()) && !user->use_empty()) {
    chain.push_back(user);
    user = *user->user_begin();
  }
  return chain;
}

/// The reshapes by which a group reads another's results, all of them: one that
/// stayed outside would lie on a path around the kernel of both.
SmallVector<Operation *> GroupMerger::viewsBetween(int producer,
                                                   int consumer) const {
  SmallVector<Operation *> views;
  for (Operation *op : groups.ops(producer))
    for (Operation *user : op->getUsers()) {
      SmallVector<Operation *> chain = reshapesFrom(user);
      Operation *reader = chain.empty() ? user : *chain.back()->user_begin();
      if (groups.contains(reader) && groups.of(reader) == consumer)
        llvm::append_range(views, chain);
    }
  return views;
}

/// Numbers that follow from reductions of several tensors, of which one has a
/// size that only calls know. Beside one of these they would keep its launch
/// from being that of the others, too.
void GroupMerger::findLateNumbers() {
  if (!machine.sharesResults)
    return;
  struct Origin {
    SmallVector<Extent> domain;
    bool isDynamic = false, areSeveral = false;
  };
  DenseMap<Value, Origin> origins;
  for (Operation &op : function.getBody().front()) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      RankedTensorType type = reduce.getInput().getType();
      if (reduce.getDims().size() == static_cast<size_t>(type.getRank()))
        origins[reduce.getResult()] = {dims->extents(reduce.getInput()),
                                       !type.hasStaticShape()};
      continue;
    }
    bool isReshape = isHostReshape(&op);
    if (!isReshape && !op.hasTrait<mlir::fuse::OpTrait::Pointwise>())
      continue;
    Value result = op.getResult(0);
    if (staticProduct(dims->extents(result)) != 1)
      continue;
    std::optional<Origin> all;
    for (Value operand : op.getOperands()) {
      auto found = origins.find(operand);
      if (found == origins.end())
        continue;
      if (!all)
        all = found->second;
      all->areSeveral |=
          found->second.areSeveral || found->second.domain != all->domain;
      all->isDynamic |= found->second.isDynamic;
    }
    if (!all)
      continue;
    if (all->areSeveral && all->isDynamic && !isReshape)
      lateNumbers.insert(&op);
    origins[result] = std::move(*all);
  }
  // What only these need is theirs.
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (op.getNumResults() == 1 && origins.contains(op.getResult(0)) &&
        !isa<ReduceOp>(op) && !isHostReshape(&op) && !op.use_empty() &&
        llvm::all_of(op.getUsers(), [&](Operation *user) {
          return lateNumbers.contains(user);
        }))
      lateNumbers.insert(&op);
}

void GroupMerger::mergeProducers(Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  llvm::stable_sort(operands, [](Value a, Value b) {
    return estimatedBytes(a) > estimatedBytes(b);
  });
  for (Value operand : operands) {
    Operation *producer = operand.getDefiningOp();
    while (isHostReshape(producer) && !groups.contains(producer))
      producer = producer->getOperand(0).getDefiningOp();
    if (!groups.contains(producer) || groups.of(producer) == groups.of(op))
      continue;
    if (lateNumbers.contains(op) && !lateNumbers.contains(producer)) {
      missed[{op, producer}] = ReasonKind::differentShapes;
      continue;
    }
    Reason reason;
    if (!tryMerge(groups.of(producer), groups.of(op),
                  viewsBetween(groups.of(producer), groups.of(op)), reason))
      missed[{op, producer}] = reason;
  }
}

//===----------------------------------------------------------------------===//
// Ops that are better placed elsewhere
//===----------------------------------------------------------------------===//

/// What is computed for each row that reads it, instead of once, has to save
/// more than its instructions take: they are seldom free beside the loads.
bool GroupMerger::isFasterSunk(Operation *op, int consumer) {
  int from = groups.of(op);
  SmallVector<Operation *> with = groups.with(consumer, op),
                           without = groups.without(from, op);
  // What the op reads now leaves its old group, if it was computed there.
  SmallVector<Value> leaving = groups.resultsOf(without);
  SmallVector<Value> results = groups.resultsOf(groups.ops(consumer));
  KnownSegments joined(with, results, *dims), left(without, leaving, *dims);
  if (!isOneLaunch(with, results, joined) ||
      !isOneLaunch(without, leaving, left))
    return false;
  std::optional<double> to = seconds(with, results, &joined),
                        rest = seconds(without, leaving, &left);
  if (!to || !rest)
    return false;
  double saved = seconds(from) + seconds(consumer) - (*to + *rest);
  auto instructions = [&](ArrayRef<Operation *> ops, ArrayRef<Value> left) {
    return instructionSeconds({op}, ops, left, *dims, machine);
  };
  double more =
      instructions(with, results) -
      instructions(groups.ops(from), groups.resultsOf(groups.ops(from)));
  return saved > std::max(more, 0.0);
}

/// Moves `op` and the reshapes behind it to the group that alone reads it, if
/// that is faster.
void GroupMerger::trySink(Operation *op) {
  SmallVector<Operation *> views;
  std::optional<int> consumer;
  for (Operation *user : op->getUsers()) {
    SmallVector<Operation *> chain = reshapesFrom(user);
    if (!chain.empty())
      user = *chain.back()->user_begin();
    if (!groups.contains(user) || groups.of(user) == groups.of(op) ||
        consumer.value_or(groups.of(user)) != groups.of(user))
      return;
    consumer = groups.of(user);
    llvm::append_range(views, chain);
  }
  for (Operation *view : views)
    groups.adopt(view, *consumer);
  if (isFasterSunk(op, *consumer)) {
    keepReasons({op});
    groups.move(op, *consumer);
    secondsOf.clear();
    return;
  }
  for (Operation *view : views)
    groups.release(view);
}

void GroupMerger::sinkIntoConsumers() {
  for (Operation &op : llvm::reverse(function.getBody().front()))
    if (groups.contains(&op) && groups.ops(groups.of(&op)).size() > 1 &&
        op.hasTrait<mlir::fuse::OpTrait::Pointwise>() && !op.use_empty())
      trySink(&op);
}

void GroupMerger::run() {
  mergeStreamed();
  mergeChains();
  findLateNumbers();
  for (Operation &op : function.getBody().front())
    if (groups.contains(&op))
      mergeProducers(&op);
  sinkIntoConsumers();
  copyIntoConsumers();
  repeatBesideOrder();
  mergeStatistics();
  mergeNeighbours();
  while (askAgain())
    ;
}
