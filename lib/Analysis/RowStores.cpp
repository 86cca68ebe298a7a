//===- RowStores.cpp - Where what rows leave is stored --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/RowStores.h"

#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/ReductionSpace.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class StoreFinder {
public:
  explicit StoreFinder(ArrayRef<Operation *> ops);

  RowStores run(ArrayRef<Value> results);

private:
  bool staysInRow(Value value) const;
  Operation *moveBefore(Value value, RowStores &found) const;
  bool collect(Value value, StorePath path, unsigned result,
               RowStores &found) const;
  bool areOnlyPlaced(const RowStores &found, ArrayRef<Value> results) const;

  ArrayRef<Operation *> ops;
  /// What follows from reductions, and what of it by a move.
  llvm::DenseSet<Value> reduced, moved;
};
} // namespace

/// Whether elements can be followed forwards from the op's operands: it moves
/// each of them to one place at most.
static bool movesForwards(Operation *op) {
  if (auto slice = dyn_cast<SliceOp>(op))
    return llvm::all_of(slice.getSteps(),
                        [](int64_t step) { return step == 1; });
  // Only the threads of a row can fill what is beside it.
  if (auto pad = dyn_cast<PadOp>(op))
    return llvm::all_of(pad.getLow().drop_back(),
                        [](int64_t low) { return low == 0; }) &&
           llvm::all_of(pad.getHigh().drop_back(),
                        [](int64_t high) { return high == 0; });
  return isa<ConcatOp, TransposeOp, tensor::ExpandShapeOp,
             tensor::CollapseShapeOp>(op);
}

StoreFinder::StoreFinder(ArrayRef<Operation *> ops) : ops(ops) {
  for (Operation *op : ops) {
    if (isa<tensor::DimOp>(op))
      continue;
    bool follows = readsAny(op, reduced);
    if (!isReduction(op) && !follows)
      continue;
    reduced.insert(op->result_begin(), op->result_end());
    bool isMove = op->hasTrait<mlir::fuse::OpTrait::Movement>() ||
                  isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
    if (readsAny(op, moved) || (isMove && follows && !isa<ScatterOp>(op)))
      moved.insert(op->result_begin(), op->result_end());
  }
}

/// The op that moves the elements from which `value` is computed, one by one;
/// null where there are several, or it asks for others.
Operation *StoreFinder::moveBefore(Value value, RowStores &found) const {
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  llvm::SetVector<Value> computed;
  computed.insert(value);
  Operation *move = nullptr;
  for (size_t next = 0; next < computed.size(); ++next) {
    Operation *op = computed[next].getDefiningOp();
    found.placing.insert(op);
    if (movesForwards(op)) {
      if (move)
        return nullptr;
      move = op;
      continue;
    }
    if (!op->hasTrait<mlir::fuse::OpTrait::Pointwise>())
      return nullptr;
    for (Value operand : op->getOperands()) {
      if (!reduced.contains(operand))
        continue;
      if (!moved.contains(operand) ||
          cast<RankedTensorType>(operand.getType()).getShape() != shape)
        return nullptr;
      computed.insert(operand);
    }
  }
  return move;
}

/// Whether the value, which no path leads to alone, has the shape of rows that
/// are reduced: what moves within these is read where they are walked.
bool StoreFinder::staysInRow(Value value) const {
  return llvm::any_of(ops, [&](Operation *op) {
    return isReduction(op) &&
           cast<RankedTensorType>(op->getOperand(0).getType()).getShape() ==
               cast<RankedTensorType>(value.getType()).getShape();
  });
}

/// `path`: from the value on, the last step first.
bool StoreFinder::collect(Value value, StorePath path, unsigned result,
                          RowStores &found) const {
  if (!moved.contains(value)) {
    std::reverse(path.begin(), path.end());
    found.stores.push_back({value, result, std::move(path)});
    return true;
  }
  // A number that is computed of several elements of a row, and then joined to
  // others, is stored itself.
  bool isJoined =
      !path.empty() && isa<ConcatOp>(path.back().op) &&
      cast<RankedTensorType>(value.getType()).getShape().back() == 1;
  bool isWhole = isJoined || staysInRow(value);
  RowStores before = isWhole ? found : RowStores();
  Operation *op = moveBefore(value, found);
  // What is beside a row is filled in the first step only.
  if (op && (!isa<PadOp>(op) || !moved.contains(op->getOperand(0)))) {
    unsigned count = isa<ConcatOp>(op) ? op->getNumOperands() : 1;
    bool areFound = true;
    for (unsigned number = 0; number < count && areFound; ++number) {
      StorePath longer = path;
      longer.push_back({op, number, value});
      areFound =
          collect(op->getOperand(number), std::move(longer), result, found);
    }
    if (areFound)
      return true;
  }
  if (!isWhole)
    return false;
  found = std::move(before);
  std::reverse(path.begin(), path.end());
  found.stores.push_back({value, result, std::move(path)});
  return true;
}

/// Whether nothing else reads what is on a way, and each is on one. A scatter
/// that is a result stores its updates.
bool StoreFinder::areOnlyPlaced(const RowStores &found,
                                ArrayRef<Value> results) const {
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  return llvm::all_of(found.placing, [&](Operation *op) {
    // A size is no element.
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      bool isStored = isa<ScatterOp>(user) &&
                      llvm::is_contained(results, user->getResult(0));
      return !inside.contains(user) || isa<tensor::DimOp>(user) || isStored ||
             found.placing.contains(user);
    });
  });
}

RowStores StoreFinder::run(ArrayRef<Value> results) {
  RowStores found;
  bool isPlaced = !moved.empty();
  for (auto [number, result] : llvm::enumerate(results))
    isPlaced = isPlaced && collect(storedValue(result), {}, number, found);
  if (isPlaced && areOnlyPlaced(found, results))
    return found;
  found = {};
  for (auto [number, result] : llvm::enumerate(results))
    found.stores.push_back(
        {storedValue(result), static_cast<unsigned>(number), {}});
  return found;
}

SmallVector<Value> RowStores::values() const {
  return llvm::map_to_vector(stores,
                             [](const RowStore &store) { return store.value; });
}

RowStores mlir::fuse::rowStoresOf(ArrayRef<Operation *> ops,
                                  ArrayRef<Value> results) {
  return StoreFinder(ops).run(results);
}
