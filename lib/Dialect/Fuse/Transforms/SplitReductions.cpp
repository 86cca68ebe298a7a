//===- SplitReductions.cpp - Two steps for reductions of few results ------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel gives every row, or every few columns, to one block: a sum over a
// whole tensor would run on one multiprocessor. Such a reduction becomes two:
// the first makes as many partial results as keep the machine busy, the second
// combines these. Both have a fixed order, so that the result does not change
// from run to run.
//
// Reductions over leading dimensions have it easier: blocks can share a column
// in the kernel's schedule (`parts`), for any size. They are only cut here
// where the kernel goes on to values of the shape that is reduced. The only
// result of a whole tensor all blocks can share, and go on (`share = grid`),
// and the blocks of a cluster share a row that their memory holds.
//
// A cut inside of a dimension reshapes what is reduced. Where other ops read
// that in its own shape, too, it would be written for both; what is computed of
// few tensors element by element is computed again instead.
//
// What reduces rows of values that need other reductions of these rows is cut
// behind the row, too: its first step then belongs to the kernel of the others,
// which else would write what it has computed.
//
//===----------------------------------------------------------------------===//

#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITREDUCTIONS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t dynamicSize = 4096;
/// Columns that a block of a reduction over leading dimensions takes.
static constexpr double columnsPerBlock = 128;
/// Bytes that a block reads in the time of two launches.
static constexpr double bytesPerLaunch = 256 * 1024;
/// Elements of a partial result below which more of them win nothing.
static constexpr int64_t fewestElements = 512;

static int64_t estimate(int64_t size) {
  return ShapedType::isDynamic(size) ? dynamicSize : size;
}

namespace {
/// One reduction, and whether and where to cut it.
class Splitter {
public:
  Splitter(ReduceOp op, const FuseSplitReductionsOptions &options)
      : op(op), type(op.getInput().getType()), options(options),
        blocks(options.blocks) {}

  /// Whether too few blocks would take too long.
  bool isStarved();
  /// Whether a schedule can let several blocks share a result.
  bool canBeShared();
  /// The number of leading reduced dimensions that the second step takes; 0 if
  /// there is no such cut.
  size_t cutBetweenDims();
  /// Into how many parts the first reduced dimension can be cut; 1 if it
  /// cannot.
  int64_t cutInside();

  /// The first step takes these dimensions.
  void splitBetweenDims(OpBuilder &builder, ArrayRef<int64_t> first);
  void splitInside(OpBuilder &builder, int64_t parts);

private:
  bool isReduced(int64_t dim) { return llvm::is_contained(op.getDims(), dim); }
  double kept();
  SmallVector<Operation *> computedAgain();
  Value inParts(OpBuilder &builder, RankedTensorType expanded,
                const ReshapeGroups &groups);
  Value widened(OpBuilder &builder, Value value);
  Value reduce(OpBuilder &builder, Value value, ArrayRef<int64_t> dims);
  void replace(OpBuilder &builder, Value kept);

  ReduceOp op;
  RankedTensorType type;
  FuseSplitReductionsOptions options;
  int64_t blocks;
};
} // namespace

double Splitter::kept() {
  double product = 1;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    if (!isReduced(dim))
      product *= estimate(size);
  return product;
}

bool Splitter::isStarved() {
  if (op.getDims().empty())
    return false;
  double bytes = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  for (int64_t size : type.getShape())
    bytes *= estimate(size);
  int64_t rank = type.getRank(), reduced = op.getDims().size();
  bool overLast = isReduced(rank - 1);
  bool areRows = op.getDims().front() == rank - reduced;
  double busy = std::max(1.0, overLast ? kept() : kept() / columnsPerBlock);
  if (areRows && bytes / busy <= options.sharedRowBytes)
    busy *= options.blocksPerRow;
  return busy < blocks / 2.0 && bytes / busy > bytesPerLaunch;
}

bool Splitter::canBeShared() {
  // One result is shared by all blocks, whatever follows from it.
  if (op.getDims().size() == static_cast<size_t>(type.getRank()))
    return true;
  SmallVector<Operation *> work = {op};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers()) {
      bool widens = llvm::any_of(user->getResultTypes(), [&](Type result) {
        auto tensor = dyn_cast<RankedTensorType>(result);
        return tensor && tensor.getShape() == type.getShape();
      });
      if (widens)
        return false;
      if (seen.insert(user).second)
        work.push_back(user);
    }
  return true;
}

size_t Splitter::cutBetweenDims() {
  int64_t inner = 1;
  ArrayRef<int64_t> dims = op.getDims();
  for (size_t outer = dims.size() - 1; outer > 0; --outer) {
    inner *= estimate(type.getDimSize(dims[outer]));
    double rest = kept();
    for (int64_t dim : dims.take_front(outer))
      rest *= estimate(type.getDimSize(dim));
    if (inner >= fewestElements || rest <= 2 * blocks)
      return rest >= 8 ? outer : 0;
  }
  return 0;
}

int64_t Splitter::cutInside() {
  int64_t size = type.getDimSize(op.getDims().front());
  if (ShapedType::isDynamic(size))
    return 1;
  int64_t best = 1, most = std::max<double>(8, 4 * blocks / kept());
  for (int64_t parts = 2; parts <= most && parts <= size; ++parts)
    if (size % parts == 0 && size / parts >= fewestElements / 8)
      best = parts;
  return best >= 8 ? best : 1;
}

/// Partial results are not rounded to 16 bits.
Value Splitter::widened(OpBuilder &builder, Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (!element.isF16() && !element.isBF16())
    return value;
  return CastOp::create(
      builder, op.getLoc(),
      cast<RankedTensorType>(value.getType()).clone(builder.getF32Type()),
      value);
}

/// The ops by which what is reduced is computed from tensors in memory or from
/// smaller ones, if others read it, too, and writing it for both would move
/// more bytes than reading these tensors twice.
SmallVector<Operation *> Splitter::computedAgain() {
  constexpr size_t mostOps = 16;
  Value whole = op.getInput();
  auto bytes = [](Value value) {
    return llvm::divideCeil(
        cast<RankedTensorType>(value.getType()).getElementTypeBitWidth(), 8);
  };
  auto isWhole = [&](Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    return tensor && tensor.getShape() == type.getShape();
  };
  llvm::SetVector<Value> found;
  found.insert(whole);
  SmallVector<Operation *> ops;
  uint64_t read = 0;
  for (size_t next = 0; next < found.size(); ++next) {
    Operation *each = found[next].getDefiningOp();
    if (!isShapeless(each)) {
      read += bytes(found[next]);
      continue;
    }
    ops.push_back(each);
    for (Value operand : each->getOperands())
      if (isWhole(operand))
        found.insert(operand);
  }
  bool isReturned = llvm::any_of(whole.getUsers(), [](Operation *user) {
    return !isa<FuseDialect>(user->getDialect());
  });
  // Written once and read twice, or read from where the program returns it.
  uint64_t most = bytes(whole) * (isReturned ? 1 : 3);
  if (whole.hasOneUse() || ops.size() > mostOps || read >= most)
    return {};
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

/// What is reduced, in the shape with parts.
Value Splitter::inParts(OpBuilder &builder, RankedTensorType expanded,
                        const ReshapeGroups &groups) {
  IRMapping mapping;
  for (Operation *each : computedAgain()) {
    SmallVector<Value> operands;
    for (Value operand : each->getOperands()) {
      auto type = cast<RankedTensorType>(operand.getType());
      Value known = mapping.lookupOrNull(operand);
      operands.push_back(
          known ? known
                : expandOperand(builder, op.getLoc(), operand,
                                expanded.clone(type.getElementType()), groups));
    }
    Operation *clone = builder.clone(*each);
    clone->setOperands(operands);
    clone->getResult(0).setType(
        expanded.clone(getElementTypeOrSelf(each->getResult(0).getType())));
    mapping.map(each->getResult(0), clone->getResult(0));
  }
  if (Value known = mapping.lookupOrNull(op.getInput()))
    return known;
  return expandOperand(builder, op.getLoc(), op.getInput(), expanded, groups);
}

Value Splitter::reduce(OpBuilder &builder, Value value,
                       ArrayRef<int64_t> dims) {
  return ReduceOp::create(builder, op.getLoc(), op.getKind(), value, dims,
                          /*keep=*/true);
}

/// Replaces the op by a value that keeps the reduced dimensions.
void Splitter::replace(OpBuilder &builder, Value kept) {
  Location loc = op.getLoc();
  RankedTensorType result = op.getType();
  if (!op.getKeep()) {
    // Each dimension that stays starts a group, but for the first: reduced ones
    // before it belong to it.
    SmallVector<ReassociationIndices> groups(result.getRank());
    int64_t group = -1;
    for (int64_t dim = 0; dim < type.getRank() && !groups.empty(); ++dim) {
      group += !isReduced(dim);
      groups[std::max<int64_t>(group, 0)].push_back(dim);
    }
    kept = tensor::CollapseShapeOp::create(
        builder, loc, result.clone(getElementTypeOrSelf(kept.getType())), kept,
        groups);
  }
  if (kept.getType() != result) {
    auto cast = CastOp::create(builder, loc, result, kept);
    cast->setAttr(kImplicitAttr, builder.getUnitAttr());
    kept = cast;
  }
  op.replaceAllUsesWith(kept);
  op.erase();
}

void Splitter::splitBetweenDims(OpBuilder &builder, ArrayRef<int64_t> first) {
  auto rest = llvm::filter_to_vector(op.getDims(), [&](int64_t dim) {
    return !llvm::is_contained(first, dim);
  });
  Value whole = widened(builder, op.getInput());
  Value partial = reduce(builder, whole, first);
  replace(builder, reduce(builder, partial, rest));
}

void Splitter::splitInside(OpBuilder &builder, int64_t parts) {
  Location loc = op.getLoc();
  int64_t cut = op.getDims().front();
  ReshapeGroups groups;
  SmallVector<int64_t> shape, inner;
  for (int64_t dim = 0, next = 0; dim < type.getRank(); ++dim) {
    groups.push_back({next++});
    if (dim == cut) {
      groups.back().push_back(next++);
      shape.append({parts, type.getDimSize(dim) / parts});
    } else {
      shape.push_back(type.getDimSize(dim));
    }
    if (isReduced(dim))
      inner.push_back(next - 1);
  }
  Value expanded =
      widened(builder, inParts(builder, type.clone(shape), groups));
  Type element = getElementTypeOrSelf(expanded.getType());
  Value partial = reduce(builder, expanded, inner);
  // The reduced part of each dimension has gone: back to the old rank.
  for (int64_t dim : inner)
    shape[dim] = 1;
  SmallVector<int64_t> merged;
  for (const ReassociationIndices &group : groups)
    merged.push_back(shape[group.front()]);
  Value narrow = tensor::CollapseShapeOp::create(
      builder, loc, RankedTensorType::get(merged, element), partial, groups);
  replace(builder, reduce(builder, narrow, {cut}));
}

namespace {
/// Which reductions of rows each value needs, found in the order of the ops.
class RowsBefore {
public:
  /// How many leading dimensions remain for a second step of `op`, if its first
  /// reduces rows that its operand needs reduced; else 0, also where what
  /// remains makes longer rows of these.
  size_t cut(ReduceOp op) const {
    Rows rows = of.lookup(op.getInput());
    ArrayRef<int64_t> dims = op.getDims();
    if (rows.shape != op.getInput().getType().getShape() ||
        rows.dims >= dims.size() || dims.front() != 0)
      return 0;
    size_t outer = dims.size() - rows.dims;
    int64_t rank = rows.shape.size();
    return dims[outer] == rank - static_cast<int64_t>(rows.dims) ? outer : 0;
  }

  void add(Operation &op) {
    Rows rows = reducedBy(op);
    for (Value operand : op.getOperands())
      if (Rows before = of.lookup(operand); before.dims > rows.dims)
        rows = before;
    if (rows.dims > 0)
      for (Value result : op.getResults())
        of[result] = rows;
  }

private:
  /// So many trailing dimensions of this shape.
  struct Rows {
    ArrayRef<int64_t> shape;
    size_t dims = 0;
  };

  static Rows reducedBy(Operation &op) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce || reduce.getDims().empty())
      return {};
    ArrayRef<int64_t> shape = reduce.getInput().getType().getShape();
    size_t dims = reduce.getDims().size();
    bool areRows =
        static_cast<size_t>(reduce.getDims().front()) == shape.size() - dims;
    return areRows ? Rows{shape, dims} : Rows{};
  }

  DenseMap<Value, Rows> of;
};

/// Reductions over fewer dimensions of tensors that others reduce as a whole.
class ReductionsBeside {
public:
  explicit ReductionsBeside(func::FuncOp function);

  /// The dimensions that another reduction of the same tensors takes, of rows
  /// rather than of columns; none if there is no such, if not all elements are
  /// reduced, or if rows have one of each.
  SmallVector<int64_t> within(ReduceOp op) const;

private:
  /// Tensors that are reduced, as far as they are computed element by element.
  using Tensors = llvm::SmallDenseSet<Value, 4>;

  static Tensors tensorsOf(ReduceOp op);

  SmallVector<std::pair<SmallVector<int64_t>, Tensors>> parts;
};
} // namespace

ReductionsBeside::ReductionsBeside(func::FuncOp function) {
  for (auto op : function.getOps<ReduceOp>())
    if (!op.getDims().empty() && static_cast<int64_t>(op.getDims().size()) !=
                                     op.getInput().getType().getRank())
      parts.emplace_back(op.getDims(), tensorsOf(op));
}

ReductionsBeside::Tensors ReductionsBeside::tensorsOf(ReduceOp op) {
  constexpr size_t mostOps = 64;
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  Tensors tensors;
  llvm::SetVector<Value> found;
  found.insert(op.getInput());
  for (size_t next = 0; next < found.size() && next < mostOps; ++next) {
    Operation *each = found[next].getDefiningOp();
    if (!isShapeless(each)) {
      if (!each || each->getNumOperands() > 0)
        tensors.insert(found[next]);
      continue;
    }
    for (Value operand : each->getOperands())
      if (shapeOf(operand) == shapeOf(op.getInput()))
        found.insert(operand);
  }
  return tensors;
}

SmallVector<int64_t> ReductionsBeside::within(ReduceOp op) const {
  int64_t rank = op.getInput().getType().getRank();
  if (static_cast<int64_t>(op.getDims().size()) != rank ||
      meetsReduced(op.getInput()))
    return {};
  Tensors own = tensorsOf(op);
  SmallVector<int64_t> best;
  for (const auto &[dims, tensors] : parts) {
    bool isShared =
        llvm::any_of(tensors, [&](Value v) { return own.contains(v); });
    auto rankOf = [&](ArrayRef<int64_t> taken) {
      return std::make_pair(!taken.empty() && taken.back() == rank - 1,
                            taken.size());
    };
    if (isShared && rankOf(dims) > rankOf(best))
      best = dims;
  }
  return best;
}

namespace {
struct SplitReductionsPass
    : public mlir::fuse::impl::FuseSplitReductionsBase<SplitReductionsPass> {
  using Base::Base;

  void runOnOperation() override {
    RowsBefore rowsBefore;
    ReductionsBeside beside(getOperation());
    SmallVector<std::pair<ReduceOp, SmallVector<int64_t>>> reductions;
    for (Operation &op : getOperation().getOps()) {
      if (auto reduce = dyn_cast<ReduceOp>(op)) {
        size_t outer = rowsBefore.cut(reduce);
        reductions.emplace_back(
            reduce,
            outer > 0 ? SmallVector<int64_t>(reduce.getDims().drop_front(outer))
                      : beside.within(reduce));
      }
      rowsBefore.add(op);
    }
    for (auto &[reduce, first] : reductions)
      split(reduce, first);
  }

private:
  /// `first`: what a first step takes for the sake of fusion.
  void split(ReduceOp op, ArrayRef<int64_t> first) {
    Splitter splitter(op,
                      {blocks, sharedByBlocks, blocksPerRow, sharedRowBytes});
    OpBuilder builder(op);
    if (!first.empty())
      return splitter.splitBetweenDims(builder, first);
    if (!splitter.isStarved() || (sharedByBlocks && splitter.canBeShared()))
      return;
    if (size_t outer = splitter.cutBetweenDims())
      splitter.splitBetweenDims(builder, op.getDims().drop_front(outer));
    else if (int64_t parts = splitter.cutInside(); parts > 1)
      splitter.splitInside(builder, parts);
  }
};
} // namespace
