//===- GroupedRegions.cpp - Rows that are needed in groups, too -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A normed row is returned, and quantised by groups:
//
//   %n = fuse.mul %x, %r                                 [t, 4096]
//   %g = tensor.expand_shape %n [[0], [1, 2]]            [t, 32, 128]
//   %m = fuse.reduce max %g dims = [2]                   [t, 32]
//   return %n, %m
//
// One walk has both if the row is computed in the shape of its groups, and
// whoever needs it otherwise gets the collapse of that. A region is all that
// such a row is connected with by pointwise ops and reductions in its shape;
// it begins at what lies in memory, whose reshapes are free, and only returns
// and movements may read it otherwise.
//
//===----------------------------------------------------------------------===//

#include "GroupedRegions.h"

#include "ReshapeOperands.h"
#include "SwapReshapes.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/Shapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::fuse;

using Groups = ReshapeGroups;

/// Ops of a region, at most; and those that are looked through.
static constexpr size_t mostOps = 256, mostPassed = 64;

static bool isOne(int64_t size) { return size == 1; }

/// Whether a reduction of these dimensions of the expanded shape combines a
/// part of those that a dimension has been split into.
static bool splits(ArrayRef<int64_t> reduced, tensor::ExpandShapeOp expand) {
  ArrayRef<int64_t> shape = expand.getResultType().getShape();
  return llvm::any_of(
      expand.getReassociationIndices(), [&](const ReassociationIndices &group) {
        auto isIn = [&](int64_t dim) {
          return !isOne(shape[dim]) && llvm::is_contained(reduced, dim);
        };
        auto isOut = [&](int64_t dim) {
          return !isOne(shape[dim]) && !llvm::is_contained(reduced, dim);
        };
        return llvm::any_of(group, isIn) && llvm::any_of(group, isOut);
      });
}

/// Whether groups that the expansion makes are reduced: of what follows from it
/// element by element, also where other dimensions are joined again.
static bool reducesGroups(tensor::ExpandShapeOp expand) {
  // The dimensions of the expanded shape that are each of the value's.
  SmallVector<std::pair<Value, Groups>> work;
  llvm::SmallDenseSet<Value> seen;
  auto add = [&](Value value, Groups dims) {
    if (seen.size() < mostPassed && seen.insert(value).second)
      work.emplace_back(value, std::move(dims));
  };
  Groups own;
  for (int64_t dim = 0; dim < expand.getResultType().getRank(); ++dim)
    own.push_back({dim});
  add(expand, own);
  while (!work.empty()) {
    auto [value, dims] = work.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (isShapeless(user) && tensorType(user->getResult(0)).getShape() ==
                                   tensorType(value).getShape()) {
        add(user->getResult(0), dims);
      } else if (isReduction(user)) {
        SmallVector<int64_t> reduced;
        for (int64_t dim : reducedDims(user))
          llvm::append_range(reduced, dims[dim]);
        if (splits(reduced, expand))
          return true;
      } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
        Groups joined;
        for (const ReassociationIndices &group :
             collapse.getReassociationIndices()) {
          joined.emplace_back();
          for (int64_t dim : group)
            llvm::append_range(joined.back(), dims[dim]);
        }
        add(collapse, std::move(joined));
      }
    }
  }
  return false;
}

/// Whether what the expansion splits has known sizes, and it splits anything.
static bool splitsKnownSizes(tensor::ExpandShapeOp expand) {
  ArrayRef<int64_t> shape = expand.getResultType().getShape();
  bool splits = false;
  for (const ReassociationIndices &group : expand.getReassociationIndices()) {
    auto isBad = [&](int64_t dim) {
      return isOne(shape[dim]) || ShapedType::isDynamic(shape[dim]);
    };
    if (group.size() > 1 && llvm::any_of(group, isBad))
      return false;
    splits |= group.size() > 1;
  }
  return splits;
}

/// Whether the value is read from memory, or follows from such element by
/// element or by moves.
static bool isOfMemory(Value value) {
  SmallVector<Value> work = {value};
  for (size_t seen = 0; !work.empty(); ++seen) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || isa<ConstantOp>(op))
      continue;
    bool passes = isShapeless(op) ||
                  isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, SliceOp,
                      TransposeOp, ConcatOp, PadOp, ReverseOp, GatherOp>(op);
    if (!passes || seen == mostPassed)
      return false;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        work.push_back(operand);
  }
  return true;
}

namespace {
class GroupedRegion {
public:
  explicit GroupedRegion(tensor::ExpandShapeOp first)
      : first(first), row(first.getSrcType()) {}

  /// Fails where something of it cannot have the shape of groups, or where
  /// nothing but groups is needed. `withReaders`: what else reads the memory
  /// that it begins at is of the region, too.
  bool collect(bool withReaders);
  void regroup();

private:
  bool isOfShape(Value value) const;
  bool takes(Operation *op) const;
  bool isOfRegion(Value value) const {
    return ops.contains(value.getDefiningOp());
  }
  bool isGrouping(Operation *user) const;
  void visit(Operation *op);
  void visitSource(Value value, bool withReaders);
  bool refineGroups();
  bool mayExpand(Value value) const;
  bool isToGroups(tensor::ExpandShapeOp expand) const;
  bool mayLeave() const;
  bool isShared() const;
  bool reducesRows() const;
  /// What the dimensions of `shape`, a row in groups, are in the refined one.
  Groups groupsOf(ArrayRef<int64_t> shape) const;
  RankedTensorType grouped(RankedTensorType type) const;
  Value operandOf(OpBuilder &builder, Value operand);
  void rebuild(Operation *op);
  void replaceGrouping(tensor::ExpandShapeOp expand);
  void leave(Value value);

  tensor::ExpandShapeOp first;
  RankedTensorType row;
  /// The row in the shape that refines the groups of all sizes.
  SmallVector<int64_t> refined;
  Groups groups;
  llvm::SetVector<Operation *> ops;
  /// What lies in memory in the row's shape.
  llvm::SetVector<Value> sources;
  llvm::SetVector<tensor::ExpandShapeOp> groupings;
  /// What stands for the region's values: in groups, but for those whose
  /// reduced dimensions have gone.
  IRMapping after;
  /// What is read in groups of others.
  IRMapping expanded;
};
} // namespace

/// Whether the value has the rows' dimensions, or size 1 in place of some.
bool GroupedRegion::isOfShape(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == row.getRank() &&
         llvm::all_of(llvm::zip(type.getShape(), row.getShape()), [](auto of) {
           return isOne(std::get<0>(of)) || std::get<0>(of) == std::get<1>(of);
         });
}

bool GroupedRegion::takes(Operation *op) const {
  if (!op || op->getBlock() != first->getBlock())
    return false;
  if (isShapeless(op))
    return isOfShape(op->getResult(0));
  if (!isReduction(op) || !isOfShape(op->getOperand(0)))
    return false;
  ArrayRef<int64_t> shape = tensorType(op->getOperand(0)).getShape();
  return llvm::all_of(reducedDims(op), [&](int64_t dim) {
    return shape[dim] == row.getDimSize(dim);
  });
}

/// Whether it makes groups of rows that are reduced.
bool GroupedRegion::isGrouping(Operation *user) const {
  auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
  return expand && expand.getSrcType().getShape() == row.getShape() &&
         splitsKnownSizes(expand) && reducesGroups(expand);
}

void GroupedRegion::visit(Operation *op) {
  for (Value operand : op->getOperands()) {
    if (!isOfShape(operand))
      continue;
    if (Operation *before = operand.getDefiningOp(); takes(before))
      ops.insert(before);
    else
      sources.insert(operand);
  }
  for (Value result : op->getResults())
    for (Operation *user : result.getUsers())
      if (takes(user) && llvm::any_of(user->getOperands(), [&](Value operand) {
            return operand == result && isOfShape(operand);
          }))
        ops.insert(user);
      else if (isGrouping(user))
        groupings.insert(cast<tensor::ExpandShapeOp>(user));
}

/// What else reads such memory may as well have the shape of groups, unless it
/// needs something else.
void GroupedRegion::visitSource(Value value, bool withReaders) {
  for (Operation *user : value.getUsers())
    if (withReaders && takes(user) &&
        llvm::all_of(user->getOperands(), isOfMemory))
      ops.insert(user);
    else if (isGrouping(user))
      groupings.insert(cast<tensor::ExpandShapeOp>(user));
}

bool GroupedRegion::refineGroups() {
  for (tensor::ExpandShapeOp grouping : groupings) {
    ArrayRef<int64_t> shape = grouping.getResultType().getShape();
    Groups before = std::move(groups);
    SmallVector<int64_t> coarse = std::move(refined);
    groups.clear();
    refined.clear();
    for (auto [dim, group] :
         llvm::enumerate(grouping.getReassociationIndices())) {
      ArrayRef<int64_t> own = shape.slice(group.front(), group.size());
      SmallVector<int64_t> both(own);
      if (!before.empty()) {
        auto found = refineSizes(
            ArrayRef(coarse).slice(before[dim].front(), before[dim].size()),
            own);
        if (!found)
          return false;
        both = std::move(*found);
      }
      groups.emplace_back();
      for (int64_t size : both) {
        groups.back().push_back(static_cast<int64_t>(refined.size()));
        refined.push_back(size);
      }
    }
  }
  return true;
}

/// Whether a value that is not of the region can be read in groups for free.
bool GroupedRegion::mayExpand(Value value) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() == 0)
    return true;
  int64_t missing = row.getRank() - type.getRank();
  auto isSplit = [&](int64_t dim) {
    return groups[dim + missing].size() > 1 && !isOne(type.getDimSize(dim));
  };
  if (auto iota = value.getDefiningOp<IotaOp>())
    return !isSplit(iota.getDim());
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    if (llvm::any_of(groupings, [&](tensor::ExpandShapeOp grouping) {
          return grouping.getResultType().getShape() ==
                     collapse.getSrcType().getShape() &&
                 grouping.getReassociationIndices() ==
                     collapse.getReassociationIndices();
        }))
      return true;
  return isOfMemory(value);
}

/// Whether what a user of a row makes of it, if anything, is only stored.
static bool isStored(Operation *user) {
  return isa<func::ReturnOp, tensor::DimOp>(user) ||
         (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, SliceOp,
              TransposeOp, ConcatOp, PadOp, ReverseOp>(user) &&
          llvm::all_of(user->getUsers(), isStored));
}

/// Whether the expansion is to the shape of groups that are reduced.
bool GroupedRegion::isToGroups(tensor::ExpandShapeOp expand) const {
  return llvm::any_of(groupings, [&](tensor::ExpandShapeOp grouping) {
    return grouping.getResultType().getShape() ==
           expand.getResultType().getShape();
  });
}

/// Whether all that reads values of the region, and is not of it, stores them,
/// or needs groups of the same sizes.
bool GroupedRegion::mayLeave() const {
  return llvm::all_of(ops, [&](Operation *op) {
    // What a row is reduced to has no groups.
    bool isNumber = isReduction(op) && !keepsReducedDims(op);
    return isNumber || llvm::all_of(op->getUsers(), [&](Operation *user) {
             auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
             return ops.contains(user) || isStored(user) ||
                    (expand && isToGroups(expand));
           });
  });
}

/// Whether more than groups of one size is needed.
bool GroupedRegion::isShared() const {
  auto shapeOf = [](tensor::ExpandShapeOp grouping) {
    return grouping.getResultType().getShape();
  };
  return !llvm::all_equal(llvm::map_range(groupings, shapeOf)) ||
         llvm::any_of(ops, [&](Operation *op) {
           return llvm::any_of(op->getUsers(), [&](Operation *user) {
             return !ops.contains(user) && !isa<tensor::DimOp>(user) &&
                    !llvm::is_contained(groupings, user);
           });
         });
}

/// Whether all that is reduced is of rows, or of parts of them. Reductions of
/// columns are better off with whole rows.
bool GroupedRegion::reducesRows() const {
  return llvm::all_of(ops, [&](Operation *op) {
    return !isReduction(op) || llvm::any_of(reducedDims(op), [&](int64_t dim) {
      return groups[dim].size() > 1;
    });
  });
}

bool GroupedRegion::collect(bool withReaders) {
  if (!isGrouping(first))
    return false;
  groupings.insert(first);
  if (Operation *op = first.getSrc().getDefiningOp(); takes(op))
    ops.insert(op);
  else
    sources.insert(first.getSrc());
  size_t seenOps = 0, seenSources = 0;
  while (seenOps < ops.size() || seenSources < sources.size()) {
    if (seenOps < ops.size())
      visit(ops[seenOps++]);
    else
      visitSource(sources[seenSources++], withReaders);
    if (ops.size() > mostOps)
      return false;
  }
  return isShared() && mayLeave() && refineGroups() && reducesRows() &&
         llvm::all_of(sources,
                      [&](Value source) { return mayExpand(source); }) &&
         llvm::all_of(ops, [&](Operation *op) {
           return llvm::all_of(op->getOperands(), [&](Value operand) {
             return isOfRegion(operand) || mayExpand(operand);
           });
         });
}

Groups GroupedRegion::groupsOf(ArrayRef<int64_t> shape) const {
  Groups result;
  size_t next = 0;
  for (const ReassociationIndices &group : groups) {
    int64_t left = 0;
    for (int64_t dim : group) {
      if (left == 0) {
        result.emplace_back();
        left = shape[next++];
      }
      result.back().push_back(dim);
      bool isWhole = group.size() == 1;
      left = isWhole ? 0 : left / refined[dim];
      if (left == 1)
        left = 0;
    }
  }
  return result;
}

RankedTensorType GroupedRegion::grouped(RankedTensorType type) const {
  SmallVector<int64_t> shape;
  for (auto [size, group] : llvm::zip_equal(type.getShape(), groups))
    for (int64_t dim : group)
      shape.push_back(isOne(size) ? 1 : refined[dim]);
  return type.clone(shape);
}

Value GroupedRegion::operandOf(OpBuilder &builder, Value operand) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type)
    return operand;
  Value known = after.lookupOrDefault(operand);
  if (known != operand && isOfShape(operand))
    return known;
  if (Value found = expanded.lookupOrNull(operand))
    return found;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(known);
  Value result = expandOperand(builder, operand.getLoc(), known,
                               type.clone(refined), groups);
  expanded.map(operand, result);
  return result;
}

void GroupedRegion::rebuild(Operation *op) {
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(operandOf(builder, operand));
  auto reduce = dyn_cast<ReduceOp>(op);
  if (reduce && !reduce.getKeep()) {
    auto inner = ReduceOp::create(builder, op->getLoc(), reduce.getKind(),
                                  operands.front(),
                                  expandedDims(reduce.getDims(), groups),
                                  /*keep=*/false);
    inner->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    Value result = inner;
    if (result.getType() != reduce.getType())
      result = tensor::CollapseShapeOp::create(
          builder, op->getLoc(), reduce.getType(), result,
          reducedGroups(groups, reduce.getDims(), /*keep=*/false));
    after.map(reduce.getResult(), result);
    return;
  }
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults())) {
    to.setType(grouped(tensorType(from)));
    after.map(from, to);
  }
  if (isReduction(op))
    setReducedDims(clone, expandedDims(reducedDims(op), groups));
}

/// What a reader of collapsed groups makes of those in the refined shape,
/// collapsed likewise; null where it needs the collapse.
static Value refineReader(Operation *reader, tensor::CollapseShapeOp collapse) {
  OpBuilder builder(reader);
  Groups groups = collapse.getReassociationIndices();
  Value refined;
  if (auto reduce = dyn_cast<ReduceOp>(reader)) {
    refined = ReduceOp::create(
        builder, reader->getLoc(), reduce.getKind(), collapse.getSrc(),
        expandedDims(reduce.getDims(), groups), reduce.getKeep());
    refined.getDefiningOp()->setDiscardableAttrs(
        reader->getDiscardableAttrDictionary());
    groups = reducedGroups(groups, reduce.getDims(), reduce.getKeep());
  } else if (isShapeless(reader) &&
             tensorType(reader->getResult(0)).getShape() ==
                 collapse.getResultType().getShape()) {
    Operation *clone = expandOp(builder, reader, collapse.getSrcType(), groups);
    for (OpOperand &operand : reader->getOpOperands())
      if (Value own = clone->getOperand(operand.getOperandNumber());
          operand.get() == collapse.getResult()) {
        clone->setOperand(operand.getOperandNumber(), collapse.getSrc());
        own.getDefiningOp()->erase();
      }
    refined = clone->getResult(0);
  }
  if (!refined || refined.getType() == reader->getResult(0).getType())
    return refined;
  return tensor::CollapseShapeOp::create(builder, reader->getLoc(),
                                         tensorType(reader->getResult(0)),
                                         refined, groups);
}

/// Gives what reads groups of memory the refined shape: their collapse would
/// only be another reshape of that.
static void refineReaders(tensor::CollapseShapeOp collapse) {
  llvm::SetVector<Operation *> readers(collapse->user_begin(),
                                       collapse->user_end());
  for (Operation *reader : readers)
    if (Value result = refineReader(reader, collapse)) {
      reader->getResult(0).replaceAllUsesWith(result);
      reader->erase();
    }
  if (collapse.use_empty())
    collapse.erase();
}

/// Replaces what makes groups of a row.
void GroupedRegion::replaceGrouping(tensor::ExpandShapeOp expand) {
  OpBuilder builder(expand);
  bool isSource = !isOfRegion(expand.getSrc());
  Value result = operandOf(builder, expand.getSrc());
  tensor::CollapseShapeOp collapse;
  if (result.getType() != expand.getType())
    result = collapse = tensor::CollapseShapeOp::create(
        builder, expand.getLoc(), expand.getResultType(), result,
        groupsOf(expand.getResultType().getShape()));
  expand.replaceAllUsesWith(result);
  expand.erase();
  if (collapse && isSource)
    refineReaders(collapse);
}

/// Gives those who are not of the region what they read.
void GroupedRegion::leave(Value value) {
  Value known = after.lookupOrNull(value), whole = known;
  llvm::SetVector<Operation *> users(value.user_begin(), value.user_end());
  for (Operation *user : users) {
    auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
    if (expand && groupings.contains(expand)) {
      replaceGrouping(expand);
    } else if (known && !ops.contains(user)) {
      if (whole.getType() != value.getType()) {
        OpBuilder builder(value.getContext());
        builder.setInsertionPointAfterValue(known);
        whole = tensor::CollapseShapeOp::create(
            builder, value.getLoc(), tensorType(value), known, groups);
      }
      user->replaceUsesOfWith(value, whole);
    }
  }
}

void GroupedRegion::regroup() {
  SmallVector<Operation *> sorted(ops.getArrayRef());
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  llvm::for_each(sorted, [&](Operation *op) { rebuild(op); });
  for (Value source : sources)
    leave(source);
  for (Operation *op : sorted)
    for (Value result : op->getResults())
      leave(result);
  for (Operation *op : llvm::reverse(sorted))
    op->erase();
}

void mlir::fuse::groupSharedRows(Block &block) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (auto expand : block.getOps<tensor::ExpandShapeOp>()) {
      GroupedRegion all(expand), own(expand);
      changed = all.collect(/*withReaders=*/true);
      GroupedRegion &region = changed ? all : own;
      if (!changed && !own.collect(/*withReaders=*/false))
        continue;
      region.regroup();
      // Other expansions may have gone with this one.
      changed = true;
      break;
    }
  }
}
