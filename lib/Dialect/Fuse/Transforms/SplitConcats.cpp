//===- SplitConcats.cpp - Reductions of the parts of rows -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An attention sink is written as one more score for each row, which the
// weights then lack:
//
//   slice(softmax(concat(x, s)))
//
// Rows that are one longer than what is read and written fuse with nothing.
// So where single elements are appended, what follows is computed for each part
// alone, if all of it can be, down to reductions, which are combined, and
// slices. Where all parts are single elements, as the largest two of a router's
// row and their softmax, what needs the whole row gets the parts joined again.
//
//===----------------------------------------------------------------------===//

#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITCONCATS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
class ConcatSplitter {
public:
  explicit ConcatSplitter(ConcatOp concat)
      : concat(concat), dim(concat.getDim()) {}

  /// Whether nothing needs the whole rows, and a reduction is among what needs
  /// them.
  bool isSplit();
  void rewrite();

private:
  bool mayFollow(Operation *op);
  void joinWhereWhole(Operation *op);
  std::optional<unsigned> partOf(SliceOp op);
  RankedTensorType typeOf(unsigned part) {
    return cast<RankedTensorType>(concat.getInputs()[part].getType());
  }
  void splitPointwise(Operation *op);
  void splitReduction(ReduceOp op);

  ConcatOp concat;
  int64_t dim;
  /// Whether all parts are one element.
  bool areSingle = false;
  /// What is computed, in program order, and the parts of the values.
  llvm::SetVector<Operation *> following;
  DenseMap<Value, SmallVector<Value>> parts;
};
} // namespace

/// The part that the slice is, if it is one.
std::optional<unsigned> ConcatSplitter::partOf(SliceOp op) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  int64_t before = 0;
  for (unsigned part = 0; part < concat.getInputs().size(); ++part) {
    int64_t size = typeOf(part).getDimSize(dim);
    int64_t behind = 0;
    bool isKnown = true;
    for (unsigned other = part + 1; other < concat.getInputs().size();
         ++other) {
      isKnown &= !typeOf(other).isDynamicDim(dim);
      behind += typeOf(other).getDimSize(dim);
    }
    bool matches = true;
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      int64_t offset = op.getOffsets()[axis], wanted = op.getSizes()[axis];
      bool isWhole = wanted == -1 || wanted == type.getDimSize(axis);
      bool isPart = !ShapedType::isDynamic(size) && wanted == size;
      matches &= op.getSteps()[axis] == 1;
      if (axis == dim)
        matches &=
            offset == before && (isPart || (isKnown && wanted == -1 - behind));
      else
        matches &= offset == 0 && isWhole;
    }
    if (matches)
      return part;
    if (ShapedType::isDynamic(size))
      break;
    before += size;
  }
  return std::nullopt;
}

/// Of an op that reads a value of the whole rows.
bool ConcatSplitter::mayFollow(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    // A sum of parts would be rounded twice in 16 bits.
    Type element = reduce.getType().getElementType();
    bool isSum = reduce.getKind() == ReduceKind::sum &&
                 (element.isF32() || element.isF64());
    return reduce.getDims() == ArrayRef(dim) && reduce.getKeep() &&
           (reduce.getKind() == ReduceKind::max || isSum);
  }
  if (auto slice = dyn_cast<SliceOp>(op))
    return partOf(slice).has_value();
  if (!isShapeless(op) || op->getNumResults() != 1)
    return false;
  // Others repeat along the rows, or follow as well.
  int64_t rank = concat.getType().getRank();
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t own = dim - (rank - type.getRank());
    bool follows = operand == concat.getResult() ||
                   following.contains(operand.getDefiningOp());
    return (follows && type.getRank() == rank) || own < 0 ||
           type.getDimSize(own) == 1;
  });
}

/// Of several long parts each would be rows of a length of its own.
bool ConcatSplitter::isSplit() {
  constexpr unsigned mostSingle = 8;
  bool reduces = false;
  unsigned count = concat.getInputs().size();
  unsigned longParts =
      llvm::count_if(llvm::seq<unsigned>(count), [&](unsigned part) {
        return typeOf(part).getDimSize(dim) != 1;
      });
  areSingle = longParts == 0 && count <= mostSingle;
  if (longParts != 1 && !areSingle)
    return false;
  Block *block = concat->getBlock();
  llvm::DenseSet<Value> values = {concat.getResult()};
  for (Operation &op :
       llvm::make_range(std::next(concat->getIterator()), block->end())) {
    if (llvm::none_of(op.getOperands(),
                      [&](Value value) { return values.contains(value); }))
      continue;
    if (!mayFollow(&op) && areSingle)
      continue;
    if (!mayFollow(&op))
      return false;
    following.insert(&op);
    reduces |= isa<ReduceOp>(op);
    if (!isa<ReduceOp, SliceOp>(op))
      values.insert(op.getResult(0));
  }
  return reduces;
}

void ConcatSplitter::splitPointwise(Operation *op) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Value> found;
  for (unsigned part = 0; part < concat.getInputs().size(); ++part) {
    Operation *clone = builder.clone(*op);
    for (OpOperand &operand : clone->getOpOperands())
      if (auto it = parts.find(operand.get());
          it != parts.end() && !it->second.empty())
        operand.set(it->second[part]);
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = typeOf(part).getDimSize(dim);
    clone->getResult(0).setType(type.clone(shape));
    found.push_back(clone->getResult(0));
  }
  parts[op->getResult(0)] = std::move(found);
}

void ConcatSplitter::splitReduction(ReduceOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value all;
  for (Value part : parts[op.getInput()]) {
    Value own = part;
    if (cast<RankedTensorType>(part.getType()).getDimSize(dim) != 1)
      own = ReduceOp::create(builder, op.getType(), op.getKind(), part,
                             op.getDims(), /*keep=*/true);
    if (!all)
      all = own;
    else if (op.getKind() == ReduceKind::max)
      all = MaxOp::create(builder, op.getType(), all, own);
    else
      all = AddOp::create(builder, op.getType(), all, own);
  }
  op.getResult().replaceAllUsesWith(all);
}

/// Joins the parts of what others need the whole of.
void ConcatSplitter::joinWhereWhole(Operation *op) {
  Value whole = op->getResult(0);
  auto isOutside = [&](OpOperand &use) {
    return !following.contains(use.getOwner());
  };
  if (llvm::none_of(whole.getUses(), isOutside))
    return;
  OpBuilder builder(op);
  Value joined = ConcatOp::create(builder, op->getLoc(), whole.getType(),
                                  parts[whole], concat.getDim());
  whole.replaceUsesWithIf(joined, isOutside);
}

void ConcatSplitter::rewrite() {
  parts[concat.getResult()] = SmallVector<Value>(concat.getInputs());
  for (Operation *op : following) {
    if (auto reduce = dyn_cast<ReduceOp>(op))
      splitReduction(reduce);
    else if (auto slice = dyn_cast<SliceOp>(op))
      slice.getResult().replaceAllUsesWith(
          parts[slice.getInput()][*partOf(slice)]);
    else {
      splitPointwise(op);
      joinWhereWhole(op);
    }
  }
  for (Operation *op : llvm::reverse(following))
    op->erase();
  if (concat.use_empty())
    concat.erase();
}

namespace {
struct SplitConcats
    : public mlir::fuse::impl::FuseSplitConcatsBase<SplitConcats> {
  using Base::Base;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      for (ConcatOp op : llvm::make_early_inc_range(block.getOps<ConcatOp>()))
        if (ConcatSplitter splitter(op); splitter.isSplit())
          splitter.rewrite();
  }
};
} // namespace
