//===- MergeStreamed.cpp - A softmax between contractions, merged ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A merge of two groups at a time does not lead from attention's contractions
// to one kernel: with the softmax but without the second of them, the first
// cannot share one. So what leads from one contraction to the next is looked at
// as a whole, before anything else is merged.
//
// Keys and values that are gathered from pages of a cache are read there,
// values that are a slice of the keys' features where the keys are, and queries
// and keys that are several tensors side by side in these.
//
// What masks the scores goes with them where it costs little to compute for
// each of them: comparisons of places, say. An op that others need, too, is
// copied.
//
//===----------------------------------------------------------------------===//

#include "MergeGroups.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/StreamedSpace.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// Ops that a contraction's operand is computed by.
using Slice = llvm::SmallSetVector<Operation *, 32>;

/// Everything from the nearest contractions on that `value` follows from.
static Slice sliceBehindContractions(Value value, const Groups &groups) {
  Slice slice;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!groups.contains(op) || !slice.insert(op) || isa<ContractOp>(op))
      continue;
    llvm::append_range(work, op->getOperands());
  }
  return slice;
}

/// Whether the op divides integers by a constant, which is a multiplication.
static bool isConstantDivision(Operation *op) {
  return isa<DivOp, FmodOp>(op) &&
         isa<IntegerType>(getElementTypeOrSelf(op->getResult(0))) &&
         matchPattern(op->getOperand(1), m_Constant());
}

/// Whether an op that follows from no score is computed with each of them.
static bool isCheap(Operation *op) {
  if (isConstantDivision(op))
    return true;
  return isa<IotaOp>(op) || (op->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
                             !isa<DivOp>(op) && !isSpecialFunction(op));
}

/// The ops between a contraction and `product`, both included, in program
/// order, and among them those that follow from the scores.
static SmallVector<Operation *> opsBetween(ContractOp product, Value weights,
                                           const Groups &groups,
                                           llvm::DenseSet<Value> &following) {
  Slice slice = sliceBehindContractions(weights, groups);
  SmallVector<Operation *> ops(slice.begin(), slice.end());
  sortByPlace(ops);
  for (Operation *op : ops)
    if (isa<ContractOp>(op) || computesWith(op, following))
      following.insert_range(op->getResults());
  // Backwards: what is not cheap stays outside, with all that leads there.
  llvm::DenseSet<Value> needed = {weights};
  SmallVector<Operation *> kept = {product};
  for (Operation *op : llvm::reverse(ops)) {
    bool isNeeded = llvm::any_of(op->getResults(),
                                 [&](Value v) { return needed.contains(v); });
    bool follows = llvm::any_of(op->getResults(),
                                [&](Value v) { return following.contains(v); });
    if (!isNeeded || (!follows && !isCheap(op)))
      continue;
    kept.push_back(op);
    if (!isa<ContractOp>(op))
      needed.insert_range(op->getOperands());
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

/// Whether a contraction among the ops has the operand.
static bool isContracted(Value operand, ArrayRef<Operation *> ops) {
  return llvm::any_of(ops, [&](Operation *op) {
    return isa<ContractOp>(op) &&
           llvm::any_of(op->getOperands(), [&](Value other) {
             return isSameMoved(operand, other);
           });
  });
}

/// Adds what gathers an operand of one of the contractions from pages, and with
/// `slices` what cuts it out of another operand.
static SmallVector<Operation *> withPages(ArrayRef<Operation *> ops,
                                          const Groups &groups, bool slices) {
  llvm::SmallSetVector<Operation *, 32> all;
  for (Operation *op : ops)
    if (isa<ContractOp>(op))
      for (Value operand : op->getOperands()) {
        if (auto slice = operand.getDefiningOp<SliceOp>();
            slice && slices && groups.contains(slice) &&
            isContracted(slice.getInput(), ops)) {
          all.insert(slice);
          operand = slice.getInput();
        }
        SmallVector<Operation *> paging = pagingOps(operand);
        if (llvm::all_of(paging,
                         [&](Operation *op) { return groups.contains(op); }))
          all.insert(paging.begin(), paging.end());
      }
  all.insert(ops.begin(), ops.end());
  SmallVector<Operation *> sorted = all.takeVector();
  sortByPlace(sorted);
  return sorted;
}

/// Adds what joins tensors along the features of an operand of the scores.
static SmallVector<Operation *>
withJoins(ArrayRef<Operation *> ops, ContractOp scores, const Groups &groups) {
  llvm::SmallSetVector<Operation *, 32> all;
  for (Value operand : scores->getOperands())
    all.insert_range(joiningOps(
        operand, [&](Operation *op) { return groups.contains(op); }));
  all.insert(ops.begin(), ops.end());
  SmallVector<Operation *> sorted = all.takeVector();
  sortByPlace(sorted);
  return sorted;
}

/// Adds what computes an operand of one of the contractions.
static SmallVector<Operation *> withOperands(ArrayRef<Operation *> ops,
                                             const Groups &groups) {
  llvm::SmallSetVector<Operation *, 32> all;
  for (Operation *op : ops)
    if (isa<ContractOp>(op))
      for (Value operand : op->getOperands())
        if (!llvm::is_contained(ops, operand.getDefiningOp()))
          for (Operation *one : operandOps(
                   operand, [&](Operation *op) { return groups.contains(op); }))
            all.insert(one);
  all.insert(ops.begin(), ops.end());
  SmallVector<Operation *> sorted = all.takeVector();
  sortByPlace(sorted);
  return sorted;
}

/// Whether one of the values is computed by one of the ops, through others.
static bool followsFrom(ArrayRef<Value> values, ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 32> seen;
  SmallVector<Value> work(values);
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || op->isBeforeInBlock(ops.front()) || !seen.insert(op).second)
      continue;
    if (llvm::is_contained(ops, op))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// What the ops take as kernels of their own: the scores, their softmax and the
/// product of the weights.
static double secondsInThree(const StreamedSpace &space,
                             ArrayRef<Operation *> ops, const Groups &groups,
                             const DimClasses &dims,
                             const MachineRates &machine) {
  SmallVector<Operation *> parts[3];
  llvm::DenseSet<Value> needed = {space.logits};
  SmallVector<Operation *> scores;
  for (Operation *op : llvm::reverse(ops)) {
    if (llvm::none_of(op->getResults(),
                      [&](Value v) { return needed.contains(v); }))
      continue;
    parts[0].insert(parts[0].begin(), op);
    needed.insert_range(op->getOperands());
  }
  for (Operation *op : ops)
    if (!llvm::is_contained(parts[0], op))
      parts[space.front.contains(op) ? 1 : 2].push_back(op);
  double seconds = 0;
  Value results[] = {space.logits, space.weights,
                     ContractOp(space.productOp()).getResult()};
  for (auto [part, result] : llvm::zip_equal(parts, results))
    if (!part.empty())
      seconds +=
          kernelSeconds(part, groups.inputsOf(part), {result}, dims, machine)
              .value_or(std::numeric_limits<double>::infinity());
  return seconds;
}

/// What is needed outside, too, is computed there as well.
void GroupMerger::takeCopies(ArrayRef<Operation *> ops,
                             const llvm::DenseSet<Value> &following) {
  for (Operation *op : llvm::reverse(ops)) {
    // Merged groups have the smaller number.
    int group = groups.of(ops.back());
    bool isOwn = isa<ContractOp>(op) ||
                 llvm::any_of(op->getResults(),
                              [&](Value v) { return following.contains(v); });
    bool isNeededOutside =
        !isOwn && llvm::any_of(op->getUsers(), [&](Operation *user) {
          return !groups.contains(user) || groups.of(user) != group;
        });
    if (isNeededOutside)
      copyInto(group, {op}, op);
    else if (groups.of(op) != group)
      groups.merge(groups.of(op), group);
  }
}

/// Whether a kernel that computes its operands takes no longer than one for
/// these and those that write them.
bool GroupMerger::isComputedFaster(ContractOp product,
                                   ArrayRef<Operation *> ops,
                                   ArrayRef<Operation *> computing) {
  Reason reason;
  auto secondsOf = [&](ArrayRef<Operation *> some) {
    SmallVector<Value> inputs = groups.inputsOf(some);
    FailureOr<StreamedSpace> space = streamedSpaceOn(
        machine, {some, inputs, product.getResult()}, *dims, reason);
    return succeeded(space)
               ? streamedSeconds(*space, *dims, *machine.tensorCores,
                                 /*assumed=*/{})
               : std::numeric_limits<double>::infinity();
  };
  double apart = secondsOf(ops);
  for (Operation *op : ops)
    if (isa<ContractOp>(op))
      for (Value operand : op->getOperands()) {
        SmallVector<Operation *> its = operandOps(operand, [&](Operation *op) {
          return llvm::is_contained(computing, op) &&
                 !llvm::is_contained(ops, op);
        });
        if (its.empty())
          continue;
        sortByPlace(its);
        apart +=
            kernelSeconds(its, groups.inputsOf(its), {operand}, *dims, machine)
                .value_or(0);
      }
  return secondsOf(computing) <= apart;
}

/// Whether another contraction shares the kernel of this one already.
bool GroupMerger::isStreamed(Operation *contraction) {
  return llvm::count_if(groups.ops(groups.of(contraction)),
                        llvm::IsaPred<ContractOp>) > 1;
}

/// Whether the contraction is one kernel with those that `weights` follows
/// from, `plain` ones without statistics or others.
bool GroupMerger::tryStream(ContractOp product, Value weights, bool plain) {
  llvm::DenseSet<Value> following;
  SmallVector<Operation *> ops =
      opsBetween(product, weights, groups, following);
  Operation *first = *llvm::find_if(ops, llvm::IsaPred<ContractOp>);
  if (first == product.getOperation() ||
      (plain && (isStreamed(first) || isStreamed(product) ||
                 missed.contains({product, first}))))
    return false;
  SmallVector<Operation *> computing = withOperands(ops, groups);
  if (machine.tensorCores && computing.size() > ops.size() &&
      isComputedFaster(product, ops, computing) &&
      tryStream(product, computing, following, plain))
    return true;
  SmallVector<Operation *> joined =
      withJoins(ops, cast<ContractOp>(first), groups);
  return (joined.size() > ops.size() &&
          tryReadInPlace(product, joined, following, plain)) ||
         tryReadInPlace(product, ops, following, plain);
}

/// The same with what gathers operands from pages or cuts them out of others,
/// as far as kernels read these where they are.
bool GroupMerger::tryReadInPlace(ContractOp product, ArrayRef<Operation *> ops,
                                 const llvm::DenseSet<Value> &following,
                                 bool plain) {
  SmallVector<Operation *> paged = withPages(ops, groups, /*slices=*/false),
                           sliced = withPages(ops, groups, /*slices=*/true);
  return (sliced.size() > paged.size() &&
          tryStream(product, sliced, following, plain)) ||
         (paged.size() > ops.size() &&
          tryStream(product, paged, following, plain)) ||
         tryStream(product, ops, following, plain);
}

/// Whether each of several matrices is multiplied with one of its own, as heads
/// are, rather than rows with the weights of a layer.
static bool isBatched(ContractOp op) {
  return llvm::any_of(op.getResultAxes(), [&](char axis) {
    return op.getLhsAxes().contains(axis) && op.getRhsAxes().contains(axis);
  });
}

bool GroupMerger::tryStream(ContractOp product, ArrayRef<Operation *> ops,
                            const llvm::DenseSet<Value> &following,
                            bool plain) {
  Operation *first = *llvm::find_if(ops, llvm::IsaPred<ContractOp>);
  Reason reason;
  // Layers one after the other are no attention that could be streamed: what
  // tiles lack says more about them.
  bool isAttention =
      llvm::any_of(ops, llvm::IsaPred<ExpOp>) || isBatched(ContractOp(first));
  auto refuse = [&] {
    if (isAttention) {
      missed[{product, first}] =
          Reason::because(ReasonKind::notStreamed, reason);
      settled.insert({product, first});
    }
    return false;
  };
  SmallVector<Value> inputs = groups.inputsOf(ops), results;
  for (Value result : groups.resultsOf(ops))
    if (following.contains(result) || result == product.getResult())
      results.push_back(result);
  FailureOr<StreamedSpace> space =
      streamedSpaceOn(machine, {ops, inputs, results}, *dims, reason);
  if (failed(space))
    return refuse();
  if (space->isPlain() != plain)
    return false;
  if (followsFrom(inputs, ops)) {
    reason = ReasonKind::streamedThroughOthers;
    return refuse();
  }
  if (machine.tensorCores &&
      !isStreamedOn(*space, *dims, *machine.tensorCores)) {
    reason = Reason(ReasonKind::streamedHeads, mostNarrowDepth);
    return refuse();
  }
  // A CPU packs keys and values again for each block of queries, which costs
  // less than scores in memory as long as they are narrow. A softmax would read
  // these more than once.
  if (!machine.tensorCores && space->isPlain() &&
      areWideRows(space->depthExtent(*dims).size,
                  space->columnExtent(*dims).size)) {
    reason = Reason(ReasonKind::streamedHeads, mostNarrowDepth);
    return refuse();
  }
  // A CPU's scores stay in its caches, whatever their number.
  if (machine.tensorCores) {
    double together =
        streamedSeconds(*space, *dims, *machine.tensorCores, /*assumed=*/{});
    double apart = secondsInThree(*space, ops, groups, *dims, machine);
    if (together > apart) {
      reason = Reason(ReasonKind::streamedSlower, microseconds(together),
                      microseconds(apart));
      return refuse();
    }
  }
  missed.erase({product, first});
  settled.erase({product, first});
  takeCopies(ops, following);
  dims = std::make_unique<DimClasses>(function);
  return true;
}

void GroupMerger::mergeStreamed() {
  if (!streams || !machine.streams())
    return;
  SmallVector<ContractOp> products(
      function.getBody().front().getOps<ContractOp>());
  // What has a softmax first: otherwise its second product and a projection
  // behind it, say, would be taken for a pair without one.
  for (bool plain : {false, true})
    for (ContractOp product : products)
      for (Value operand : product.getOperands())
        if (groups.contains(operand.getDefiningOp()) &&
            tryStream(product, operand, plain))
          break;
}
