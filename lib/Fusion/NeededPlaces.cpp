//===- NeededPlaces.cpp - Where the values of a group are needed ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NeededPlaces.h"

#include "fuse/Analysis/ReductionSpace.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether a slice has all of each dimension but the last.
static bool slicesRows(SliceOp slice) {
  RankedTensorType from = slice.getInput().getType(), to = slice.getType();
  for (int64_t dim = 0; dim + 1 < to.getRank(); ++dim) {
    bool isWhole = to.isDynamicDim(dim)
                       ? slice.getSizes()[dim] == -1
                       : to.getDimSize(dim) == from.getDimSize(dim);
    if (!isWhole || slice.getOffsets()[dim] != 0 || slice.getSteps()[dim] != 1)
      return false;
  }
  return to.getRank() > 0;
}

/// Whether the op takes the elements of an operand from other places of their
/// line along the last dimension.
static bool staysInRow(Operation *op, unsigned operand) {
  auto last = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank() - 1;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](TakeAlongOp take) {
        return operand == 0 &&
               static_cast<int64_t>(take.getDim()) == last(take.getResult());
      })
      .Case([](SliceOp slice) { return slicesRows(slice); })
      .Case([&](ReverseOp reverse) {
        return reverse.getDims() == ArrayRef(last(reverse.getResult()));
      })
      .Case([&](ConcatOp concat) {
        return static_cast<int64_t>(concat.getDim()) ==
               last(concat.getResult());
      })
      .Default(false);
}

bool mlir::fuse::isIndexOfElement(Operation *op, unsigned operand) {
  auto rank = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getRank();
  };
  // A table of one dimension leaves the shape of the indices.
  return operand == 1 && isa<TakeAlongOp, GatherOp>(op) &&
         (isa<TakeAlongOp>(op) || rank(op->getOperand(0)) == 1);
}

NeededPlaces::NeededPlaces(const GroupView &group, bool rows) {
  for (Operation *op : group.ops)
    if (isReduction(op) || isRowOrder(op) || isa<ContractOp>(op) ||
        llvm::any_of(op->getOperands(),
                     [&](Value v) { return after.contains(v); }))
      after.insert(op->result_begin(), op->result_end());

  aligned.insert(group.results.begin(), group.results.end());
  for (Operation *op : llvm::reverse(group.ops)) {
    auto has = [&](const llvm::DenseSet<Value> &set) {
      return llvm::any_of(op->getResults(),
                          [&](Value v) { return set.contains(v); });
    };
    bool isAligned = has(aligned), isDisplaced = has(displaced);
    bool isInRow = has(inRow);
    bool isPointwise = op->hasTrait<mlir::fuse::OpTrait::Pointwise>();
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      // Others are computed anew at any places.
      bool isIndex =
          rows && after.contains(operand) && isIndexOfElement(op, number);
      bool follows = isPointwise || isReduction(op) || isIndex ||
                     (isa<RotaryOp>(op) && number == 0);
      bool isTaken = rows && staysInRow(op, number);
      // A row's reductions are the same at all of its places.
      if ((isAligned && follows) || (isInRow && isReduction(op)))
        aligned.insert(operand);
      if ((isInRow && (isPointwise || isIndex)) ||
          ((isAligned || isInRow) && isTaken))
        inRow.insert(operand);
      if (isDisplaced || !(follows || isTaken) ||
          (isInRow && !isPointwise && !isIndex && !isReduction(op) && !isTaken))
        displaced.insert(operand);
    }
  }
}
