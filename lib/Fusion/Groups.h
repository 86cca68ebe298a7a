//===- Groups.h - A partition of a program's ops ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_FUSION_GROUPS_H
#define FUSE_LIB_FUSION_GROUPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fuse {

/// Puts ops of one block in program order.
void sortByPlace(SmallVectorImpl<Operation *> &ops);

/// The primitives of a function in disjoint groups; other ops (reshapes, sizes,
/// the return) stay on the host, but a reshape between two ops of a group may
/// be adopted by it. Splat constants belong to no group: every kernel that
/// needs one has its own.
class Groups {
public:
  explicit Groups(func::FuncOp function);

  /// Whether `op` (may be null) is in a group.
  bool contains(Operation *op) const { return op && groupOf.contains(op); }
  int of(Operation *op) const { return groupOf.lookup(op); }
  ArrayRef<Operation *> ops(int group) const { return members[group]; }
  bool isAlive(int group) const { return !members[group].empty(); }
  SmallVector<int> all() const;

  /// The ops of both groups in program order.
  SmallVector<Operation *> merged(int a, int b) const;
  /// Merges both into the group of the smaller number.
  void merge(int a, int b);

  /// The ops of `group` and `op`, in program order.
  SmallVector<Operation *> with(int group, Operation *op) const;
  SmallVector<Operation *> without(int group, Operation *op) const;
  /// Moves `op` from its group to another.
  void move(Operation *op, int group);

  /// Takes an op of the host into a group, and gives it back.
  void adopt(Operation *op, int group);
  void release(Operation *op);
  /// Says of a copy of `original`, in no group, that it stands next to it.
  void place(Operation *copy, Operation *original) {
    positions[copy] = position(original);
    if (duplicated.contains(original))
      duplicated.insert(copy);
  }
  /// Takes in a copy of `original` that stands next to it.
  void addCopy(Operation *copy, Operation *original, int group);
  /// Forgets an op that is about to be erased.
  void forget(Operation *op);

  /// What the ops read from, and give to, ops that are not among them.
  SmallVector<Value> inputsOf(ArrayRef<Operation *> ops) const;
  SmallVector<Value> resultsOf(ArrayRef<Operation *> ops) const;

  /// Whether `to` depends on `from`.
  bool hasPath(int from, int to) const;
  /// Whether some op outside both groups lies on a path between them.
  bool hasPathAround(int a, int b) const;
  /// Whether ops of the host alone make up such a path.
  bool hasHostPathAround(int a, int b) const;

  /// Whether kernels copy the op instead of reading its result.
  static bool isDuplicated(Operation *op);

  /// A group, or an op of the host (then `group` is -1).
  struct Node {
    int group;
    Operation *host;
  };
  /// All groups and host ops but the return, each after what it needs.
  SmallVector<Node> topologicalOrder() const;

private:
  bool reaches(ArrayRef<Operation *> starts, int to, int through) const;
  unsigned position(Operation *op) const { return positions.lookup(op); }
  unsigned horizon(unsigned position) const;
  void widenHorizons(unsigned first, unsigned last);

  Block *body;
  DenseMap<Operation *, int> groupOf;
  DenseMap<Operation *, unsigned> positions;
  unsigned numPositions;
  /// Ops that kernels copy, as they were found: all of a program may read a
  /// constant, and asking for its users takes as long.
  llvm::DenseSet<Operation *> duplicated;
  /// Of each position; empty where groups have changed since.
  mutable SmallVector<unsigned> horizons;
  SmallVector<SmallVector<Operation *>> members;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_FUSION_GROUPS_H
