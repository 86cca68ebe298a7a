//===- CopyIntoConsumers.cpp - Values that each reader computes -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that several groups need is computed again in each of them when that
// is faster than writing and reading it: a cast, say.
//
// Kernels that walk rows in order have no sums over all rows. What they leave
// for such sums is computed again in one kernel of all of these, where it
// follows from no order itself:
//
//   p = softmax(x); top_k(p); sum(p, tokens)
//   ->  top_k(softmax(x))  beside  sum(softmax(x), tokens)
//
//===----------------------------------------------------------------------===//

#include "MergeGroups.h"

#include "fuse/Analysis/ReductionSpace.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// The ops of their group that `ops` are computed by from what the group reads
/// and from `stored`, in program order and with themselves; nothing if one is
/// among them that is not computed again: a contraction, say.
static SmallVector<Operation *> computedBy(ArrayRef<Operation *> ops,
                                           const Groups &groups,
                                           ArrayRef<Value> stored,
                                           bool reduces = false) {
  llvm::SetVector<Operation *> found(ops.begin(), ops.end());
  for (size_t i = 0; i < found.size(); ++i) {
    if ((isReduction(found[i]) && !reduces) || isRowOrder(found[i]) ||
        isa<ContractOp, ScatterOp>(found[i]))
      return {};
    for (Value operand : found[i]->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (groups.contains(producer) &&
          groups.of(producer) == groups.of(ops.front()) &&
          !llvm::is_contained(stored, operand))
        found.insert(producer);
    }
  }
  SmallVector<Operation *> sorted = found.takeVector();
  sortByPlace(sorted);
  return sorted;
}

/// `ops` without those that only serve what is not in `results`.
static SmallVector<Operation *> alive(ArrayRef<Operation *> ops,
                                      ArrayRef<Value> results) {
  llvm::SmallDenseSet<Value> needed(results.begin(), results.end());
  SmallVector<Operation *> kept;
  for (Operation *op : llvm::reverse(ops))
    if (llvm::any_of(op->getResults(),
                     [&](Value v) { return needed.contains(v); })) {
      kept.push_back(op);
      needed.insert(op->operand_begin(), op->operand_end());
    }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

/// The ops of both, in program order.
static SmallVector<Operation *> unionOf(ArrayRef<Operation *> a,
                                        ArrayRef<Operation *> b) {
  SmallVector<Operation *> ops(a);
  ops.append(b.begin(), b.end());
  sortByPlace(ops);
  return ops;
}

/// Computes `op` in each group that reads it instead of once. What is saved has
/// to be more than the instructions take, as in isFasterSunk().
bool GroupMerger::tryCopy(Operation *op) {
  int from = groups.of(op);
  llvm::SetVector<int> consumers;
  for (Operation *user : op->getUsers()) {
    if (!groups.contains(user))
      return false;
    if (groups.of(user) != from)
      consumers.insert(groups.of(user));
  }
  SmallVector<Value> remaining = groups.resultsOf(groups.ops(from));
  llvm::erase(remaining, op->getResult(0));
  SmallVector<Operation *> copied = computedBy(op, groups, {});
  // What a reduction or a contraction has left in memory anyway, a consumer may
  // read there.
  if (copied.empty())
    copied = computedBy(op, groups, remaining);
  if (consumers.empty() || copied.empty())
    return false;

  double before = seconds(from), after = 0;
  double more =
      -instructionSeconds(copied, groups.ops(from),
                          groups.resultsOf(groups.ops(from)), *dims, machine);
  for (int consumer : consumers) {
    SmallVector<Operation *> ops = unionOf(groups.ops(consumer), copied);
    SmallVector<Value> results = groups.resultsOf(groups.ops(consumer));
    more += instructionSeconds(copied, ops, results, *dims, machine);
    KnownSegments segments(ops, results, *dims);
    std::optional<double> with = seconds(ops, results, &segments);
    if (!with || !isOneLaunch(ops, results, segments))
      return false;
    before += seconds(consumer);
    after += *with;
  }
  SmallVector<Operation *> rest = alive(groups.ops(from), remaining);
  KnownSegments left(rest, remaining, *dims);
  if (!isOneLaunch(rest, remaining, left))
    return false;
  if (!rest.empty())
    after += seconds(rest, remaining, &left)
                 .value_or(std::numeric_limits<double>::infinity());
  if (before - after <= std::max(more, 0.0))
    return false;

  secondsOf.clear();
  SmallVector<Operation *> all(groups.ops(from));
  for (int consumer : consumers)
    copyInto(consumer, copied, {op});
  llvm::SmallPtrSet<Operation *, 16> kept(rest.begin(), rest.end());
  llvm::erase_if(all, [&](Operation *o) { return kept.contains(o); });
  eraseDead(std::move(all));
  dims = std::make_unique<DimClasses>(function);
  return true;
}

/// The reshapes of the host by which an op reads its operands, again: each has
/// one user, so that a group can adopt it.
void GroupMerger::copyReshapes(Operation *op, IRMapping &mapping) {
  SmallVector<Operation *> chain;
  for (Value operand : op->getOperands())
    for (Operation *reshape = operand.getDefiningOp();
         isHostReshape(reshape) && !groups.contains(reshape);
         reshape = reshape->getOperand(0).getDefiningOp())
      chain.push_back(reshape);
  for (Operation *reshape : llvm::reverse(chain)) {
    OpBuilder builder(reshape);
    groups.place(builder.clone(*reshape, mapping), reshape);
  }
}

/// Computes `ops` again in a group that needs those of `last`.
void GroupMerger::copyInto(int consumer, ArrayRef<Operation *> ops,
                           ArrayRef<Operation *> last) {
  IRMapping mapping;
  for (Operation *op : ops) {
    copyReshapes(op, mapping);
    OpBuilder builder(op);
    builder.setInsertionPointAfter(op);
    groups.addCopy(builder.clone(*op, mapping), op, consumer);
  }
  auto isInConsumer = [&](OpOperand &use) {
    return groups.contains(use.getOwner()) &&
           groups.of(use.getOwner()) == consumer;
  };
  for (Operation *op : last)
    for (Value result : op->getResults())
      result.replaceUsesWithIf(mapping.lookup(result), isInConsumer);
}

/// Why an edge from one of the ops, which leave their group, was refused is
/// said of the rest of the group.
void GroupMerger::keepReasons(ArrayRef<Operation *> leaving) {
  llvm::SmallPtrSet<Operation *, 16> gone(leaving.begin(), leaving.end());
  Operation *rest = nullptr;
  for (Operation *op : groups.ops(groups.of(leaving.front())))
    if (!gone.contains(op))
      rest = op;
  auto edges = missed.takeVector();
  for (auto &[edge, reason] : edges)
    if (!gone.contains(edge.second))
      missed.insert({edge, std::move(reason)});
    else if (rest)
      missed.insert({{edge.first, rest}, std::move(reason)});
}

void GroupMerger::eraseDead(SmallVector<Operation *> ops) {
  if (ops.empty())
    return;
  keepReasons(ops);
  for (Operation *op : llvm::reverse(ops)) {
    missed.remove_if([&](auto &entry) { return entry.first.first == op; });
    groups.forget(op);
    erased.insert(op);
    op->erase();
  }
}

void GroupMerger::copyIntoConsumers() {
  SmallVector<Operation *> candidates;
  for (Operation &op : llvm::reverse(function.getBody().front())) {
    bool leaves =
        groups.contains(&op) && op.getNumResults() == 1 &&
        llvm::any_of(op.getUsers(), [&](Operation *user) {
          return groups.contains(user) && groups.of(user) != groups.of(&op);
        });
    if (leaves)
      candidates.push_back(&op);
  }
  for (Operation *op : candidates)
    if (!erased.contains(op))
      tryCopy(op);
}

//===----------------------------------------------------------------------===//
// Sums beside rows that are walked in order
//===----------------------------------------------------------------------===//

/// The ops of `from` whose results a group reads.
SmallVector<Operation *> GroupMerger::readFrom(int from, int consumer) const {
  llvm::SetVector<Operation *> read;
  for (Operation *op : groups.ops(consumer))
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp();
          groups.contains(producer) && groups.of(producer) == from)
        read.insert(producer);
  return read.takeVector();
}

/// The groups that read `from`, each with the reshapes before it, in program
/// order.
SmallVector<int> GroupMerger::readersOf(int from) const {
  llvm::SetVector<int> readers;
  for (Operation *op : groups.ops(from))
    for (Operation *user : op->getUsers()) {
      SmallVector<Operation *> chain = reshapesFrom(user);
      if (!chain.empty())
        user = *chain.back()->user_begin();
      if (groups.contains(user) && groups.of(user) != from)
        readers.insert(groups.of(user));
    }
  return readers.takeVector();
}

/// Whether `consumer` could compute again what it reads of `from`.
bool GroupMerger::mayRepeat(int from, int consumer) {
  SmallVector<Operation *> read = readFrom(from, consumer);
  if (read.empty())
    return false;
  SmallVector<Operation *> copied =
      computedBy(read, groups, {}, /*reduces=*/true);
  Reason reason;
  return llvm::any_of(copied, isReduction) &&
         isLegal(unionOf(groups.ops(consumer), copied),
                 groups.resultsOf(groups.ops(consumer)), reason);
}

/// Computes again what readers of `from`, which walks rows in order, need of
/// it, in one kernel of all that can.
void GroupMerger::tryBesideOrder(int from) {
  SmallVector<int> consumers;
  SmallVector<Operation *> views;
  for (int reader : readersOf(from)) {
    SmallVector<Operation *> own = viewsBetween(from, reader);
    for (Operation *view : own)
      groups.adopt(view, reader);
    bool isFree = llvm::none_of(
        consumers, [&](int other) { return areDependent(other, reader); });
    if (isFree && mayRepeat(from, reader)) {
      consumers.push_back(reader);
      llvm::append_range(views, own);
      continue;
    }
    for (Operation *view : own)
      groups.release(view);
  }
  if (consumers.empty() || !isFasterRepeated(from, consumers)) {
    for (Operation *view : views)
      groups.release(view);
    return;
  }
  int consumer = consumers.front();
  for (int other : ArrayRef(consumers).drop_front()) {
    groups.merge(consumer, other);
    consumer = std::min(consumer, other);
  }
  secondsOf.clear();
  SmallVector<Operation *> read = readFrom(from, consumer);
  copyInto(consumer, computedBy(read, groups, {}, /*reduces=*/true), read);
  SmallVector<Operation *> all(groups.ops(from));
  SmallVector<Operation *> rest = alive(all, groups.resultsOf(all));
  llvm::SmallPtrSet<Operation *, 16> kept(rest.begin(), rest.end());
  llvm::erase_if(all, [&](Operation *op) { return kept.contains(op); });
  eraseDead(std::move(all));
  missed.remove_if([&](auto &entry) {
    return groups.of(entry.first.first) == consumer &&
           groups.of(entry.first.second) == from &&
           !groups.hasPath(from, consumer);
  });
  dims = std::make_unique<DimClasses>(function);
}

/// Whether one kernel of the consumers that computes what they read of `from`
/// is legal, and faster.
bool GroupMerger::isFasterRepeated(int from, ArrayRef<int> consumers) {
  llvm::SetVector<Operation *> read;
  llvm::SmallDenseSet<Operation *> readers;
  SmallVector<Operation *> ops;
  SmallVector<Value> results;
  double before = seconds(from);
  for (int consumer : consumers) {
    read.insert_range(readFrom(from, consumer));
    readers.insert_range(groups.ops(consumer));
    ops = unionOf(ops, groups.ops(consumer));
    before += seconds(consumer);
  }
  results = groups.resultsOf(ops);
  SmallVector<Operation *> copied =
      computedBy(read.getArrayRef(), groups, {}, /*reduces=*/true);
  ops = unionOf(ops, copied);
  KnownSegments segments(ops, results, *dims);
  if (!isOneLaunch(ops, results, segments))
    return false;
  SmallVector<Value> remaining;
  for (Value result : groups.resultsOf(groups.ops(from)))
    if (llvm::any_of(result.getUsers(), [&](Operation *user) {
          return !readers.contains(user) &&
                 !(groups.contains(user) && groups.of(user) == from);
        }))
      remaining.push_back(result);
  std::optional<double> repeated = seconds(ops, results, &segments),
                        rest = seconds(alive(groups.ops(from), remaining),
                                       remaining);
  return repeated && rest &&
         before - (*repeated + *rest) >
             instructionSeconds(copied, ops, results, *dims, machine);
}

void GroupMerger::repeatBesideOrder() {
  for (int group : groups.all())
    if (groups.isAlive(group) && llvm::any_of(groups.ops(group), isRowOrder))
      tryBesideOrder(group);
}
