//===- Groups.cpp - A partition of a program's ops ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Groups.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "llvm/ADT/PriorityQueue.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

void mlir::fuse::sortByPlace(SmallVectorImpl<Operation *> &ops) {
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
}

/// Whether it costs a kernel nothing to have the value itself.
static bool isRepeatable(Operation *op) {
  if (auto constant = dyn_cast_or_null<ConstantOp>(op)) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    return elements && elements.isSplat();
  }
  auto iota = dyn_cast_or_null<IotaOp>(op);
  return iota && !iota.getLike();
}

bool Groups::isDuplicated(Operation *op) {
  if (!isRepeatable(op))
    return false;
  // What a scatter writes into is memory.
  return llvm::none_of(op->getUsers(), [&](Operation *user) {
    auto scatter = dyn_cast<ScatterOp>(user);
    return scatter && scatter.getInto().getDefiningOp() == op;
  });
}

Groups::Groups(func::FuncOp function) : body(&function.getBody().front()) {
  numPositions = std::distance(body->begin(), body->end());
  for (auto [position, op] : llvm::enumerate(*body)) {
    positions[&op] = position;
    // An index range that the program returns or reshapes as it is.
    bool isOnHost = llvm::any_of(op.getUsers(), [](Operation *user) {
      return !isa<FuseDialect>(user->getDialect());
    });
    if (isDuplicated(&op))
      duplicated.insert(&op);
    bool grouped = isa<FuseDialect>(op.getDialect()) &&
                   !isa<ConstantOp, KernelOp, LaunchOp, RequireOp>(op) &&
                   (!duplicated.contains(&op) || isOnHost);
    if (!grouped)
      continue;
    groupOf[&op] = members.size();
    members.push_back({&op});
  }
}

SmallVector<int> Groups::all() const {
  SmallVector<int> alive;
  for (size_t group = 0; group < members.size(); ++group)
    if (isAlive(group))
      alive.push_back(group);
  return alive;
}

SmallVector<Operation *> Groups::merged(int a, int b) const {
  SmallVector<Operation *> ops;
  ops.reserve(members[a].size() + members[b].size());
  std::merge(
      members[a].begin(), members[a].end(), members[b].begin(),
      members[b].end(), std::back_inserter(ops),
      [&](Operation *x, Operation *y) { return position(x) < position(y); });
  return ops;
}

void Groups::merge(int a, int b) {
  if (b < a)
    std::swap(a, b);
  for (Operation *op : members[b])
    groupOf[op] = a;
  // Long chains grow at their end.
  if (position(members[a].back()) < position(members[b].front()))
    members[a].append(members[b]);
  else
    members[a] = merged(a, b);
  members[b].clear();
  widenHorizons(position(members[a].front()), position(members[a].back()));
}

SmallVector<Operation *> Groups::with(int group, Operation *op) const {
  SmallVector<Operation *> ops(members[group]);
  ops.push_back(op);
  llvm::sort(ops, [&](Operation *x, Operation *y) {
    return position(x) < position(y);
  });
  return ops;
}

SmallVector<Operation *> Groups::without(int group, Operation *op) const {
  SmallVector<Operation *> ops(members[group]);
  llvm::erase(ops, op);
  return ops;
}

void Groups::move(Operation *op, int group) {
  horizons.clear();
  members[of(op)] = without(of(op), op);
  members[group] = with(group, op);
  groupOf[op] = group;
}

void Groups::adopt(Operation *op, int group) {
  horizons.clear();
  members[group] = with(group, op);
  groupOf[op] = group;
}

void Groups::release(Operation *op) {
  horizons.clear();
  members[of(op)] = without(of(op), op);
  groupOf.erase(op);
}

void Groups::addCopy(Operation *copy, Operation *original, int group) {
  place(copy, original);
  adopt(copy, group);
}

void Groups::forget(Operation *op) {
  release(op);
  positions.erase(op);
  duplicated.erase(op);
}

SmallVector<Value> Groups::inputsOf(ArrayRef<Operation *> ops) const {
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> outside;
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()) &&
          !inside.contains(operand.getDefiningOp()))
        outside.insert(operand);
  return llvm::filter_to_vector(outside, [&](Value value) {
    return !duplicated.contains(value.getDefiningOp());
  });
}

SmallVector<Value> Groups::resultsOf(ArrayRef<Operation *> ops) const {
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  SmallVector<Value> results;
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !inside.contains(user); }))
        results.push_back(result);
  return results;
}

/// The last position from which a path may come back to `position`: only a
/// group with an op before and one behind goes back in the program's order.
unsigned Groups::horizon(unsigned position) const {
  if (horizons.empty()) {
    horizons.assign(numPositions, 0);
    for (ArrayRef<Operation *> group : members)
      if (!group.empty())
        horizons[this->position(group.front())] =
            std::max(horizons[this->position(group.front())],
                     this->position(group.back()));
    for (unsigned at = 1; at < numPositions; ++at)
      horizons[at] = std::max(horizons[at], horizons[at - 1]);
    // Groups that reach further reach as far as those that start before that.
    for (unsigned at = numPositions; at-- > 0;)
      horizons[at] = horizons[at] <= at ? at : horizons[horizons[at]];
  }
  return horizons[position];
}

/// Brings the horizons up to date after a group has grown to reach from one
/// position to another, in the time of what it reaches.
void Groups::widenHorizons(unsigned first, unsigned last) {
  if (horizons.empty())
    return;
  unsigned reached = horizons[last];
  for (unsigned at = first; at <= last && horizons[at] < reached; ++at)
    horizons[at] = reached;
  for (unsigned at = first; at-- > 0 && horizons[at] >= first;)
    horizons[at] = std::max(horizons[at], reached);
}

/// Whether a path from `starts` gets to group `to`. Ops of group `through` are
/// passed only as starts.
bool Groups::reaches(ArrayRef<Operation *> starts, int to, int through) const {
  if (starts.empty())
    return false;
  unsigned last = horizon(position(members[to].back()));
  SmallVector<Operation *> work(starts);
  llvm::SmallPtrSet<Operation *, 32> seen;
  // The whole of a group is reached with any of its ops.
  auto enter = [&](Operation *op) {
    if (contains(op))
      work.append(members[of(op)].begin(), members[of(op)].end());
    else
      work.push_back(op);
  };
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!seen.insert(op).second)
      continue;
    for (Operation *user : op->getUsers()) {
      if (contains(user) && of(user) == to)
        return true;
      if (contains(user) && of(user) == through)
        continue;
      if (position(user) <= last)
        enter(user);
    }
  }
  return false;
}

bool Groups::hasPath(int from, int to) const {
  return reaches(members[from], to, from);
}

bool Groups::hasPathAround(int a, int b) const {
  auto around = [&](int from, int to) {
    SmallVector<Operation *> outside;
    for (Operation *op : members[from])
      for (Operation *user : op->getUsers())
        if (!contains(user) || (of(user) != from && of(user) != to)) {
          if (contains(user))
            outside.append(members[of(user)].begin(), members[of(user)].end());
          else
            outside.push_back(user);
        }
    return reaches(outside, to, from);
  };
  return around(a, b) || around(b, a);
}

bool Groups::hasHostPathAround(int a, int b) const {
  auto around = [&](int from, int to) {
    SmallVector<Operation *> work(members[from]);
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      for (Operation *user : op->getUsers()) {
        if (!contains(op) && contains(user) && of(user) == to)
          return true;
        if (!contains(user) && seen.insert(user).second)
          work.push_back(user);
      }
    }
    return false;
  };
  return around(a, b) || around(b, a);
}

SmallVector<Groups::Node> Groups::topologicalOrder() const {
  // Nodes are numbered by their first op, which keeps program order where
  // dependences leave a choice.
  Block &block = *body;
  DenseMap<Operation *, unsigned> nodeOf;
  SmallVector<Node> nodes;
  DenseMap<int, unsigned> groupNodes;
  for (Operation &op : block.without_terminator()) {
    if (contains(&op)) {
      auto [it, isNew] = groupNodes.try_emplace(of(&op), nodes.size());
      if (isNew)
        nodes.push_back({of(&op), nullptr});
      nodeOf[&op] = it->second;
    } else {
      nodeOf[&op] = nodes.size();
      nodes.push_back({-1, &op});
    }
  }
  SmallVector<llvm::SetVector<unsigned>> users(nodes.size());
  for (Operation &op : block.without_terminator())
    for (OpOperand &use : op.getUses()) {
      Operation *user = use.getOwner();
      // A kernel finds the sizes of its reshapes itself.
      bool isSize =
          contains(user) && !isa<RankedTensorType>(use.get().getType());
      if (!isSize && nodeOf.contains(user) && nodeOf[user] != nodeOf[&op])
        users[nodeOf[&op]].insert(nodeOf[user]);
    }
  SmallVector<unsigned> waiting(nodes.size(), 0);
  for (auto &list : users)
    for (unsigned user : list)
      ++waiting[user];
  llvm::PriorityQueue<unsigned, std::vector<unsigned>, std::greater<unsigned>>
      ready;
  for (unsigned node = 0; node < nodes.size(); ++node)
    if (!waiting[node])
      ready.push(node);
  SmallVector<Node> order;
  while (!ready.empty()) {
    unsigned node = ready.top();
    ready.pop();
    order.push_back(nodes[node]);
    for (unsigned user : users[node])
      if (--waiting[user] == 0)
        ready.push(user);
  }
  assert(order.size() == nodes.size() && "groups form a cycle");
  return order;
}
