//===- MergeNeighbours.cpp - One launch for independent groups ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last merges. Groups that need nothing of each other share a launch where
// blocks of one kind can run both; where they could gain by it and do not, the
// reason is kept. After that all that was refused is asked again: of the groups
// as they are in the end it may be legal, and what was said untrue.
//
//===----------------------------------------------------------------------===//

#include "MergeGroups.h"

#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/Strides.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Parameters, of 8 bytes, beyond which neighbours are not merged. Every driver
/// takes 4 KiB, of which some are left for what schedules add; LLVM's passes
/// for a CPU ask of each pair of a kernel's pointers whether they overlap.
static size_t mostParameters(const MachineRates &machine) {
  return machine.sharesResults ? 480 : 64;
}

bool GroupMerger::shareInput(int a, int b) {
  llvm::SmallDenseSet<Value> inputs;
  for (Value input : groups.inputsOf(groups.ops(a)))
    inputs.insert(behindReshapes(input));
  return llvm::any_of(groups.inputsOf(groups.ops(b)), [&](Value v) {
    return inputs.contains(behindReshapes(v));
  });
}

static bool contracts(GroupKind kind) {
  return kind == GroupKind::Contraction || kind == GroupKind::Streamed;
}

/// Kernels of one kind; rows and what is reduced over all of them; and on a
/// GPU, whose launches cost more than a loop, rows and what is only computed.
bool GroupMerger::mayBeNeighbours(GroupKind a, GroupKind b) const {
  if (a == GroupKind::Streamed || b == GroupKind::Streamed)
    return false;
  if (a == GroupKind::Contraction || b == GroupKind::Contraction)
    return a == b && machine.tensorCores.has_value();
  // A walk in order may take along what other walks of the same rows find.
  if (a == GroupKind::Ordered || b == GroupKind::Ordered)
    return a != GroupKind::Columns && b != GroupKind::Columns;
  bool isComputed = a == GroupKind::Pointwise || b == GroupKind::Pointwise;
  bool areRows = a == GroupKind::Rows || b == GroupKind::Rows;
  return a == b || !isComputed || (areRows && machine.sharesResults);
}

/// Whether a launch for both could be worth it: always where blocks of their
/// own run them, else for what both read.
bool GroupMerger::couldGain(int a, GroupKind ofA, int b, GroupKind ofB) {
  bool isOrdered = ofA == GroupKind::Ordered || ofB == GroupKind::Ordered;
  bool needShared = ofA == GroupKind::Contraction ||
                    (isOrdered && ofA != ofB) ||
                    (ofA == GroupKind::Columns && !machine.sharesResults);
  bool isComputed = ofA == GroupKind::Pointwise || ofB == GroupKind::Pointwise;
  return ((ofA == ofB || isComputed) && !needShared) || shareInput(a, b);
}

/// What a kernel does, as a remark says it of two that cannot share blocks.
static StringRef verbOf(GroupKind kind) {
  switch (kind) {
  case GroupKind::Pointwise:
    return "computes element by element";
  case GroupKind::Rows:
    return "reduces rows";
  case GroupKind::Columns:
    return "reduces columns";
  case GroupKind::Ordered:
    return "walks rows in order";
  case GroupKind::Contraction:
  case GroupKind::Streamed:
    return "contracts";
  }
  llvm_unreachable("every kind is handled");
}

/// The tensors at the edge of a group's kernel, and the sizes and strides that
/// only a call knows. Equal views of a tensor become one again.
size_t GroupMerger::parametersOf(int group) const {
  llvm::SmallDenseSet<Value> read;
  for (Value input : groups.inputsOf(groups.ops(group)))
    read.insert(behindReshapes(input));
  size_t strides = 0;
  for (Value input : read)
    if (strideKind(input) != StrideKind::dense)
      strides += cast<RankedTensorType>(input.getType()).getRank();
  llvm::SmallDenseSet<int> sizes;
  SmallVector<Value> edge(read.begin(), read.end());
  llvm::append_range(edge, groups.resultsOf(groups.ops(group)));
  for (Value value : edge)
    for (const Extent &extent : dims->extents(value))
      if (!extent.isStatic())
        sizes.insert(extent.cls);
  return edge.size() + strides + sizes.size();
}

/// One reason of a kind for each group: of 64 norms that are too short for the
/// launch of another, each says so once.
void GroupMerger::noteApart(int a, int b, Reason reason) {
  if (saidApart.insert({b, static_cast<int>(reason.kind())}).second)
    apart[{groups.ops(b).front(), groups.ops(a).front()}] = std::move(reason);
}

/// Whether one launch for both would scan too many tensors.
bool GroupMerger::scanTooMany(int a, int b) {
  auto scansOf = [&](int group) {
    return llvm::count_if(groups.ops(group), llvm::IsaPred<ScanOp>);
  };
  int64_t before = scansOf(a), more = scansOf(b);
  return before > 0 && more > 0 &&
         before + more > machine.numbers().fusion.scansTogether &&
         !shareInput(a, b);
}

bool GroupMerger::areDependent(int a, int b) const {
  return groups.hasPath(a, b) || groups.hasPath(b, a);
}

/// Merges two groups, or notes why they stay apart if they could gain.
bool GroupMerger::tryNeighbours(int a, GroupKind ofA, int b, GroupKind ofB) {
  bool may = mayBeNeighbours(ofA, ofB);
  // That a contraction reads what others read is no surprise.
  bool isAsked = may ? couldGain(a, ofA, b, ofB)
                     : !contracts(ofA) && !contracts(ofB) && shareInput(a, b);
  if (!isAsked || areDependent(a, b))
    return false;
  Reason reason;
  if (!may)
    reason = Reason(ReasonKind::differentWalks, verbOf(ofA), verbOf(ofB));
  else if (size_t most = mostParameters(machine);
           parametersOf(a) + parametersOf(b) > most)
    reason = Reason(ReasonKind::tooManyTensors, most);
  else if (scanTooMany(a, b))
    reason = Reason(ReasonKind::tooManyScans,
                    machine.numbers().fusion.scansTogether);
  else if (tryMerge(a, b, {}, reason))
    return true;
  noteApart(a, b, std::move(reason));
  return false;
}

/// What a kernel of two neighbours does.
static GroupKind kindOfBoth(GroupKind a, GroupKind b) {
  if (a == GroupKind::Ordered || b == GroupKind::Ordered)
    return GroupKind::Ordered;
  return a == b ? a : GroupKind::Rows;
}

void GroupMerger::mergeNeighbours() {
  SmallVector<int> all = groups.all();
  DenseMap<int, GroupKind> kinds;
  Reason reason;
  for (int group : all) {
    SmallVector<Operation *> ops(groups.ops(group));
    FailureOr<GroupKind> kind =
        classifyGroup({ops, groups.resultsOf(ops), /*tilesReduce=*/false,
                       machine.packsOperands},
                      *dims, machine.tensorCoresOrNull(), reason);
    if (succeeded(kind))
      kinds[group] = *kind;
  }
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size() && groups.isAlive(all[i]); ++j) {
      int a = all[i], b = all[j];
      if (!groups.isAlive(b) || !kinds.contains(a) || !kinds.contains(b))
        continue;
      if (tryNeighbours(a, kinds[a], b, kinds[b]))
        kinds[a] = kindOfBoth(kinds[a], kinds[b]);
    }
}

/// The reduction that leaves the parts which `op` combines, where one of the
/// program became two for more blocks; else null.
static Operation *reducesPartsOf(Operation *op) {
  auto combine = dyn_cast<ReduceOp>(op);
  if (!combine)
    return nullptr;
  Value parts = combine.getInput();
  while (isHostReshape(parts.getDefiningOp()))
    parts = parts.getDefiningOp()->getOperand(0);
  auto partial = parts.getDefiningOp<ReduceOp>();
  bool isOne = partial && partial.getKind() == combine.getKind() &&
               partial.getLoc() == combine.getLoc();
  return isOne ? partial : nullptr;
}

static bool isOfShape(const Reason &why) {
  return why.is(ReasonKind::notRowShape) ||
         why.is(ReasonKind::differentShapes) ||
         why.is(ReasonKind::differentDims) || why.is(ReasonKind::otherRows);
}

/// Whether a reduction of the group has become two for more blocks, of which
/// another group has the second.
bool GroupMerger::leavesParts(int group) {
  return llvm::any_of(function.getBody().front(), [&](Operation &op) {
    Operation *partial = groups.contains(&op) ? reducesPartsOf(&op) : nullptr;
    return groups.contains(partial) && groups.of(partial) == group &&
           groups.of(&op) != group;
  });
}

/// Why two kernels stay apart, of which the first leaves parts of reductions or
/// combines them: shapes that nobody wrote are not what is in the way.
Reason GroupMerger::whyInShapes(int producer, int consumer, Reason why) {
  if (!isOfShape(why))
    return why;
  auto combines = [&](int group, bool ofProducer) {
    return llvm::any_of(groups.ops(group), [&](Operation *op) {
      Operation *partial = reducesPartsOf(op);
      return partial && (groups.of(partial) == producer) == ofProducer;
    });
  };
  bool isBetween = combines(consumer, /*ofProducer=*/true) ||
                   combines(producer, /*ofProducer=*/false);
  return isBetween ? Reason(ReasonKind::partsMeet) : why;
}

/// Whether ops that moved to other groups after all were asked could be merged,
/// or else why not.
bool GroupMerger::askSilent(const llvm::DenseSet<std::pair<int, int>> &asked) {
  llvm::DenseSet<std::pair<int, int>> seen(asked);
  for (Operation &op : function.getBody().front()) {
    if (!groups.contains(&op))
      continue;
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      while (isHostReshape(producer) && !groups.contains(producer))
        producer = producer->getOperand(0).getDefiningOp();
      if (!groups.contains(producer))
        continue;
      int a = groups.of(producer), b = groups.of(&op);
      Reason reason;
      if (a == b || !seen.insert({a, b}).second)
        continue;
      if (tryMerge(a, b, viewsBetween(a, b), reason))
        return true;
      missed[{&op, producer}] = std::move(reason);
    }
  }
  return false;
}

/// Whether something was merged, after which all has to be asked again.
bool GroupMerger::askAgain() {
  llvm::DenseMap<std::pair<int, int>, Reason> reasons;
  for (auto &[edge, reason] : missed) {
    auto [consumer, producer] = edge;
    int b = groups.of(consumer), a = groups.of(producer);
    if (a == b)
      continue;
    auto [known, isNew] = reasons.try_emplace({a, b});
    if (isNew && tryMerge(a, b, viewsBetween(a, b), known->second))
      return true;
  }
  for (auto &[edge, reason] : missed)
    if (Reason why =
            reasons.lookup({groups.of(edge.second), groups.of(edge.first)});
        why && !settled.contains(edge))
      reason = std::move(why);
  llvm::DenseSet<std::pair<int, int>> asked;
  for (auto &[edge, reason] : missed)
    asked.insert({groups.of(edge.second), groups.of(edge.first)});
  if (askSilent(asked) || askAgainApart())
    return true;
  for (auto &[edge, reason] : missed)
    reason = whyInShapes(groups.of(edge.second), groups.of(edge.first), reason);
  for (auto &[edge, reason] : apart)
    if (isOfShape(reason) && (leavesParts(groups.of(edge.first)) ||
                              leavesParts(groups.of(edge.second))))
      reason = ReasonKind::partsMeet;
  return false;
}

bool GroupMerger::askAgainApart() {
  for (auto &[edge, reason] : apart) {
    int b = groups.of(edge.first), a = groups.of(edge.second);
    bool wasTried = !reason.is(ReasonKind::differentWalks) &&
                    !reason.is(ReasonKind::tooManyTensors) &&
                    !reason.is(ReasonKind::tooManyScans);
    if (wasTried && a != b && !areDependent(a, b) && tryMerge(a, b, {}, reason))
      return true;
  }
  // What has become dependent by other merges has an edge, and its reason.
  apart.remove_if([&](auto &entry) {
    int b = groups.of(entry.first.first), a = groups.of(entry.first.second);
    return a == b || areDependent(a, b);
  });
  return false;
}
