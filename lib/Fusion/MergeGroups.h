//===- MergeGroups.h - Which primitives share a kernel ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every primitive starts as a group of its own. What leads from a contraction
// over a softmax to another one becomes a group where tensor cores stream it
// (MergeStreamed.cpp), and chains of pointwise ops become one group at once.
// Then, in program order, each op's group is merged with those of its
// producers, the largest value first: that value then stays inside. After that
//
// - an op that only one later group uses moves there when that is faster: the
//   square in h = x + x W; mean(h * h) joins the norm that reads h anyway, not
//   the contraction, which would have to write it too;
// - a value that several groups need is computed again in each of them when
//   that is faster than writing and reading it: a cast, say;
// - what rows that are walked in order leave for sums over all rows is computed
//   again in a kernel of these (CopyIntoConsumers.cpp);
// - reductions that leave one element a row of a contraction move into its
//   kernel, if tensor cores run it and the schedulers' model of time says so
//   (TileStatistics.cpp);
// - independent groups are merged: one launch for two, and an input that both
//   read is read once. Pointwise ops, rows and contractions on tensor cores may
//   have several shapes.
//
// Every step must be legal, make no cycle, and not be slower by the model.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_FUSION_MERGEGROUPS_H
#define FUSE_LIB_FUSION_MERGEGROUPS_H

#include "CostModel.h"
#include "Groups.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Fusion/Legality.h"
#include "fuse/Schedule/Scheduler.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

namespace mlir::fuse {

/// Whether the op (may be null) is a reshape, which belongs to the host unless
/// a group has adopted it.
bool isHostReshape(Operation *op);

class GroupMerger {
public:
  /// `target`: of a chip whose tensor cores run contractions. `streams`:
  /// whether what lies between two of them may be rounded, and added up, in
  /// another order than the program says.
  GroupMerger(func::FuncOp function, const MachineRates &machine,
              std::optional<ScheduleTarget> target, bool streams);

  void run();

  Groups groups;
  using Edge = std::pair<Operation *, Operation *>;
  /// Why an edge was not fused, by consumer and producer.
  llvm::MapVector<Edge, Reason> missed;
  /// Of these, what was decided for good: why a contraction does not stream the
  /// rows of another, and why a reduction is not in its tiles.
  llvm::DenseSet<Edge> settled;
  /// Why independent groups that could gain by it do not share a launch, by an
  /// op of the later and one of the earlier.
  llvm::MapVector<Edge, Reason> apart;

private:
  void mergeStreamed();
  bool isStreamed(Operation *contraction);
  bool tryStream(ContractOp product, Value weights, bool plain);
  bool tryReadInPlace(ContractOp product, ArrayRef<Operation *> ops,
                      const llvm::DenseSet<Value> &following, bool plain);
  bool isComputedFaster(ContractOp product, ArrayRef<Operation *> ops,
                        ArrayRef<Operation *> widening);
  bool tryStream(ContractOp product, ArrayRef<Operation *> ops,
                 const llvm::DenseSet<Value> &following, bool plain);
  void takeCopies(ArrayRef<Operation *> ops,
                  const llvm::DenseSet<Value> &following);
  bool isFork(Operation *op) const;
  void mergeChains();
  void findLateNumbers();
  void mergeProducers(Operation *op);
  SmallVector<Operation *> reshapesFrom(Operation *user) const;
  SmallVector<Operation *> viewsBetween(int producer, int consumer) const;
  void sinkIntoConsumers();
  void trySink(Operation *op);
  bool isFasterSunk(Operation *op, int consumer);
  void copyIntoConsumers();
  bool tryCopy(Operation *op);
  void copyInto(int consumer, ArrayRef<Operation *> ops,
                ArrayRef<Operation *> last);
  void copyReshapes(Operation *op, IRMapping &mapping);
  void keepReasons(ArrayRef<Operation *> leaving);
  void eraseDead(SmallVector<Operation *> ops);
  void repeatBesideOrder();
  void tryBesideOrder(int from);
  SmallVector<Operation *> readFrom(int from, int consumer) const;
  SmallVector<int> readersOf(int from) const;
  bool mayRepeat(int from, int consumer);
  bool isFasterRepeated(int from, ArrayRef<int> consumers);
  void mergeStatistics();
  bool tryIntoTiles(int tiles, int rows, Reason &slower);
  std::optional<double> scheduledSeconds(ArrayRef<Operation *> ops);
  void mergeNeighbours();
  void noteApart(int a, int b, Reason reason);
  bool askAgain();
  bool askAgainApart();
  bool askSilent(const llvm::DenseSet<std::pair<int, int>> &asked);
  Reason whyInShapes(int producer, int consumer, Reason why);

  bool tryMerge(int a, int b, ArrayRef<Operation *> views, Reason &reason);
  Reason whySlower(int a, int b, std::optional<double> together, double apart);
  Reason whyApart(ArrayRef<Operation *> ops, KnownSegments &known);
  bool isLegal(ArrayRef<Operation *> ops, ArrayRef<Value> results,
               Reason &reason, bool tilesReduce = false,
               KnownSegments *segments = nullptr);
  bool isOneLaunch(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                   KnownSegments &segments);
  std::optional<double> seconds(ArrayRef<Operation *> ops,
                                ArrayRef<Value> results,
                                KnownSegments *segments = nullptr);
  double seconds(int group);
  bool mayShareKernel(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                      Reason &reason);
  bool shareInput(int a, int b);
  bool scanTooMany(int a, int b);
  bool leavesParts(int group);
  bool mayBeNeighbours(GroupKind a, GroupKind b) const;
  bool couldGain(int a, GroupKind ofA, int b, GroupKind ofB);
  bool areDependent(int a, int b) const;
  bool tryNeighbours(int a, GroupKind ofA, int b, GroupKind ofB);
  size_t parametersOf(int group) const;

  func::FuncOp function;
  MachineRates machine;
  std::optional<ScheduleTarget> target;
  bool streams;
  std::unique_ptr<DimClasses> dims;
  /// By the model, of groups as they are now.
  llvm::DenseMap<int, double> secondsOf;
  llvm::DenseSet<Operation *> erased;
  /// They join the kernels that they read when the others are formed.
  llvm::DenseSet<Operation *> lateNumbers;
  /// The kinds of reasons that were noted of each group in `apart`.
  llvm::DenseSet<std::pair<int, int>> saidApart;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_FUSION_MERGEGROUPS_H
