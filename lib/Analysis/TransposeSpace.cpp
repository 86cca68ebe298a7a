//===- TransposeSpace.cpp - What a kernel reads across --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/TransposeSpace.h"

#include "fuse/Analysis/Strides.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

SmallVector<Extent> TransposeSpace::batch() const {
  SmallVector<Extent> extents;
  for (auto [axis, extent] :
       llvm::enumerate(ArrayRef(segment.extents).drop_back()))
    if (static_cast<int64_t>(axis) != across)
      extents.push_back(extent);
  return extents;
}

namespace {
/// The index of one dimension of a value: a sum of multiples of the results'
/// indices, and a constant.
struct Subscript {
  struct Term {
    int64_t axis, factor;
    bool operator==(const Term &other) const {
      return axis == other.axis && factor == other.factor;
    }
  };
  SmallVector<Term, 2> terms;
  int64_t offset = 0;

  bool operator==(const Subscript &other) const {
    return terms == other.terms && offset == other.offset;
  }
  bool walks(int64_t axis) const {
    return llvm::any_of(terms, [&](const Term &t) { return t.axis == axis; });
  }
  bool walksByOne(int64_t axis) const {
    return llvm::any_of(
        terms, [&](const Term &t) { return t.axis == axis && t.factor == 1; });
  }
};
using Subscripts = SmallVector<Subscript>;

/// Follows the results of a kernel backwards.
class Walk {
public:
  /// From values whose last dimension is `lastAxis`, through `ops` alone.
  /// With `views`, inputs of kind `any` are contiguous along their last
  /// dimension but one.
  Walk(ArrayRef<Operation *> ops, const DimClasses &dims, int64_t lastAxis,
       bool views)
      : ops(ops.begin(), ops.end()), dims(dims), lastAxis(lastAxis),
        views(views) {}

  void start(Value result);

  /// With the dimension across of each.
  SmallVector<std::pair<int64_t, CrossedValue>> found;
  /// Where set, each input that is reached is added, and nothing is found.
  SmallVector<WalkedInput> *inputs = nullptr;

private:
  /// The op that computes the value; null for an input.
  Operation *opOf(Value value) const {
    Operation *op = value.getDefiningOp();
    return ops.contains(op) ? op : nullptr;
  }
  bool isMoved(Value value) const;
  void visit(Value value, const Subscripts &subscripts);
  void addInput(BlockArgument input, const Subscripts &subscripts);
  std::optional<std::pair<int64_t, CrossedValue>>
  crossed(Value value, const Subscripts &subscripts);
  int64_t seamAlong(int64_t across) const;
  bool isKnown(Value value, const Subscripts &subscripts);
  void visitOperand(OpOperand &operand, const Subscripts &subscripts);
  void visitPointwise(Operation *op, const Subscripts &subscripts);
  void visitConcat(ConcatOp op, const Subscripts &subscripts);
  std::optional<Subscripts> operandOf(Operation *op, const Subscripts &result);
  std::optional<Subscripts> expanded(tensor::ExpandShapeOp op,
                                     const Subscripts &result);
  std::optional<Subscripts> collapsed(tensor::CollapseShapeOp op,
                                      const Subscripts &result);

  llvm::SmallPtrSet<Operation *, 16> ops;
  const DimClasses &dims;
  int64_t lastAxis;
  bool views;
  SmallVector<OpOperand *> path;
  /// Where operands of the path's concatenations start and end: an axis of the
  /// results, and an index along it.
  SmallVector<std::pair<int64_t, int64_t>> seams;
  /// A value is visited once for each way in which concatenations need it.
  struct Visit {
    Subscripts subscripts;
    SmallVector<OpOperand *> joined;
    /// The number of what was found.
    std::optional<size_t> found;
  };
  DenseMap<Value, SmallVector<Visit, 1>> seen;
};
} // namespace

/// Whether the value is an input, or made of inputs by moving elements.
bool Walk::isMoved(Value value) const {
  Operation *op = opOf(value);
  if (!op)
    return true;
  bool moves = op->hasTrait<mlir::fuse::OpTrait::Movement>() ||
               isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
  return moves && llvm::all_of(op->getOperands(),
                               [&](Value operand) { return isMoved(operand); });
}

/// The value, if its contiguous dimension follows one dimension of the results
/// alone and another of its dimensions follows the results' last.
std::optional<std::pair<int64_t, CrossedValue>>
Walk::crossed(Value value, const Subscripts &subscripts) {
  // Of what comes before these the lanes are computed as they are read.
  bool isRead = isMoved(value) ||
                isa_and_nonnull<PadOp, ReverseOp, ConcatOp>(opOf(value));
  if (subscripts.size() < 2 || !isRead)
    return std::nullopt;
  bool isTurned = views && !opOf(value) && strideKind(value) == StrideKind::any;
  int64_t along = subscripts.size() - (isTurned ? 2 : 1);
  const Subscript &inner = subscripts[along];
  if (inner.terms.size() != 1 || inner.terms.front().factor != 1)
    return std::nullopt;
  int64_t across = inner.terms.front().axis;
  if (across == lastAxis)
    return std::nullopt;
  std::optional<int64_t> dim;
  for (auto [axis, subscript] : llvm::enumerate(subscripts)) {
    if (static_cast<int64_t>(axis) == along)
      continue;
    if (subscript.walks(across))
      return std::nullopt;
    if (!subscript.walks(lastAxis))
      continue;
    if (dim || !subscript.walksByOne(lastAxis))
      return std::nullopt;
    dim = axis;
  }
  if (!dim)
    return std::nullopt;
  return std::make_pair(
      across, CrossedValue{
                  value, {path}, along, *dim, inner.offset, seamAlong(across)});
}

int64_t Walk::seamAlong(int64_t across) const {
  int64_t seam = 0;
  for (auto [axis, index] : seams)
    if (axis == across)
      seam = std::gcd(seam, index);
  return seam;
}

/// Whether the value has been visited. What another operand of a concatenation
/// has found is needed at this one's places, too.
bool Walk::isKnown(Value value, const Subscripts &subscripts) {
  SmallVector<OpOperand *> joined;
  llvm::copy_if(path, std::back_inserter(joined), [](OpOperand *operand) {
    return isa<ConcatOp>(operand->getOwner());
  });
  std::optional<size_t> known;
  for (const Visit &before : seen[value]) {
    if (before.subscripts != subscripts)
      continue;
    if (before.joined == joined)
      return true;
    known = before.found;
  }
  seen[value].push_back({subscripts, joined, known});
  if (!known)
    return false;
  auto &[across, crossed] = found[*known];
  crossed.paths.push_back(path);
  crossed.seam = std::gcd(crossed.seam, seamAlong(across));
  return true;
}

std::optional<Subscripts> Walk::expanded(tensor::ExpandShapeOp op,
                                         const Subscripts &result) {
  Subscripts source;
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    Subscript sum;
    for (int64_t axis : group) {
      Extent extent = dims.extent(op.getResult(), axis);
      if (extent.size == 1)
        continue;
      if (!extent.isStatic() && !(sum == Subscript()))
        return std::nullopt;
      for (Subscript::Term &term : sum.terms)
        term.factor *= extent.size;
      sum.terms.append(result[axis].terms);
      if (llvm::MulOverflow(sum.offset, extent.size, sum.offset) ||
          llvm::AddOverflow(sum.offset, result[axis].offset, sum.offset))
        return std::nullopt;
    }
    source.push_back(sum);
  }
  return source;
}

/// Only where nothing but dimensions of size 1 come in.
std::optional<Subscripts> Walk::collapsed(tensor::CollapseShapeOp op,
                                          const Subscripts &result) {
  Subscripts source(op.getSrcType().getRank());
  for (auto [axis, group] : llvm::enumerate(op.getReassociationIndices())) {
    bool placed = false;
    for (int64_t dim : group) {
      if (dims.extent(op.getSrc(), dim).size == 1)
        continue;
      if (placed)
        return std::nullopt;
      placed = true;
      source[dim] = result[axis];
    }
  }
  return source;
}

/// What an op that only moves the elements of its first operand does to
/// subscripts; none if that is not a sum.
std::optional<Subscripts> Walk::operandOf(Operation *op,
                                          const Subscripts &result) {
  return llvm::TypeSwitch<Operation *, std::optional<Subscripts>>(op)
      .Case<TransposeOp>([&](TransposeOp transpose) {
        Subscripts source(result.size());
        for (auto [axis, subscript] :
             llvm::zip_equal(transpose.getPermutation(), result))
          source[axis] = subscript;
        return source;
      })
      .Case<SliceOp>([&](SliceOp slice) -> std::optional<Subscripts> {
        Subscripts source = result;
        for (auto [subscript, offset, step] :
             llvm::zip_equal(source, slice.getOffsets(), slice.getSteps())) {
          if (step != 1 ||
              llvm::AddOverflow(subscript.offset, offset, subscript.offset))
            return std::nullopt;
        }
        return source;
      })
      .Case<tensor::ExpandShapeOp>(
          [&](auto expand) { return expanded(expand, result); })
      .Case<tensor::CollapseShapeOp>(
          [&](auto collapse) { return collapsed(collapse, result); })
      .Default([](Operation *) { return std::nullopt; });
}

void Walk::visitOperand(OpOperand &operand, const Subscripts &subscripts) {
  path.push_back(&operand);
  visit(operand.get(), subscripts);
  path.pop_back();
}

void Walk::visitPointwise(Operation *op, const Subscripts &subscripts) {
  // Where these are is all that they read.
  if (isa<IotaOp, RandomOp>(op))
    return;
  auto operands = op->getOpOperands();
  if (isa<BroadcastOp>(op))
    operands = operands.take_front(1);
  for (OpOperand &operand : operands) {
    SmallVector<Extent> extents = dims.extents(operand.get());
    int64_t shift = subscripts.size() - extents.size();
    Subscripts source;
    for (auto [axis, extent] : llvm::enumerate(extents)) {
      bool repeats = extent.size == 1 &&
                     dims.extent(op->getResult(0), axis + shift).size != 1;
      source.push_back(repeats ? Subscript() : subscripts[axis + shift]);
    }
    visitOperand(operand, source);
  }
}

/// Each operand at its own places. Behind one of a dynamic size these are
/// unknown.
void Walk::visitConcat(ConcatOp op, const Subscripts &subscripts) {
  auto axis = static_cast<int64_t>(op.getDim());
  const Subscript &subscript = subscripts[axis];
  bool isPlain =
      subscript.terms.size() == 1 && subscript.terms.front().factor == 1;
  size_t before = seams.size();
  auto addSeam = [&](std::optional<int64_t> index) {
    for (const Subscript::Term &term : subscript.terms)
      seams.push_back(
          {term.axis, isPlain && index ? *index - subscript.offset : 1});
  };
  int64_t start = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    Extent size = dims.extent(operand.get(), axis);
    std::optional<int64_t> end;
    if (size.isStatic())
      end = start + size.size;
    addSeam(start);
    addSeam(end);
    Subscripts source = subscripts;
    source[axis].offset -= start;
    visitOperand(operand, source);
    seams.resize(before);
    if (!end)
      return;
    start = *end;
  }
}

void Walk::addInput(BlockArgument input, const Subscripts &subscripts) {
  WalkedInput walked{input, path, {}, {}};
  for (const Subscript &subscript : subscripts) {
    auto axis = WalkedInput::elsewhere;
    if (subscript.terms.empty())
      axis = WalkedInput::stays;
    else if (subscript.terms.size() == 1 && subscript.terms[0].factor == 1)
      axis = subscript.terms[0].axis;
    auto walks = [&](const Subscript &other) { return other.walks(axis); };
    // A diagonal is no run.
    if (axis >= 0 && llvm::count_if(subscripts, walks) > 1)
      axis = WalkedInput::elsewhere;
    walked.axes.push_back(axis);
    walked.starts.push_back(subscript.offset);
  }
  inputs->push_back(std::move(walked));
}

void Walk::visit(Value value, const Subscripts &subscripts) {
  if (isKnown(value, subscripts))
    return;
  auto argument = dyn_cast<BlockArgument>(value);
  if (inputs && argument)
    return addInput(argument, subscripts);
  std::optional<std::pair<int64_t, CrossedValue>> here;
  if (!inputs)
    here = crossed(value, subscripts);
  if (here) {
    seen[value].back().found = found.size();
    found.push_back(std::move(*here));
    return;
  }
  Operation *op = opOf(value);
  if (!op)
    return;
  if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>())
    return visitPointwise(op, subscripts);
  // A reduction reads its rows element by element rather than from tiles.
  if (auto concat = dyn_cast<ConcatOp>(op); concat && views)
    return visitConcat(concat, subscripts);
  if (std::optional<Subscripts> source = operandOf(op, subscripts))
    visitOperand(op->getOpOperand(0), *source);
}

void Walk::start(Value result) {
  Subscripts identity;
  for (int64_t axis = 0; axis <= lastAxis; ++axis)
    identity.push_back({{{axis, 1}}, 0});
  visit(result, identity);
}

SmallVector<WalkedInput> mlir::fuse::walkedInputs(KernelOp kernel,
                                                  const Segment &segment,
                                                  const DimClasses &dims) {
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front())
    ops.push_back(&op);
  SmallVector<WalkedInput> inputs;
  Walk walk(ops, dims, segment.extents.size() - 1, /*views=*/false);
  walk.inputs = &inputs;
  for (unsigned result : segment.results)
    walk.start(kernel.getYield().getValues()[result]);
  return inputs;
}

std::optional<TransposeSpace>
mlir::fuse::transposeSpaceOf(KernelOp kernel, const DimClasses &dims) {
  SmallVector<Segment> segments = segmentsOf(kernel, dims);
  if (segments.size() != 1 || segments.front().extents.empty())
    return std::nullopt;
  SmallVector<Operation *> ops;
  for (Operation &op : kernel.getBody().front()) {
    if (isReduction(&op) || isRowOrder(&op) || isa<ContractOp, ScatterOp>(op))
      return std::nullopt;
    ops.push_back(&op);
  }
  TransposeSpace space;
  space.segment = segments.front();
  Walk walk(ops, dims, space.segment.extents.size() - 1, /*views=*/true);
  for (Value result : kernel.getYield().getValues())
    walk.start(result);
  if (walk.found.empty())
    return std::nullopt;
  space.across = walk.found.front().first;
  for (auto &[across, value] : walk.found)
    if (across == space.across)
      space.values.push_back(std::move(value));
  return space;
}

bool mlir::fuse::readsAcross(ArrayRef<Operation *> ops, ArrayRef<Value> results,
                             const DimClasses &dims) {
  // Nothing else permutes dimensions.
  if (llvm::none_of(ops, llvm::IsaPred<TransposeOp>))
    return false;
  SmallVector<Value> starts;
  for (Value result : results) {
    auto scatter = result.getDefiningOp<ScatterOp>();
    starts.push_back(scatter ? scatter.getUpdates() : result);
  }
  for (Operation *op : ops)
    if (isReduction(op) || isRowOrder(op))
      starts.push_back(op->getOperand(0));
  return llvm::any_of(starts, [&](Value start) {
    SmallVector<Extent> extents = dims.extents(start);
    auto isLong = [&](int64_t axis) {
      return !extents[axis].isStatic() || extents[axis].size >= kLeastTileSide;
    };
    int64_t last = extents.size() - 1;
    Walk walk(ops, dims, last, /*views=*/false);
    walk.start(start);
    return llvm::any_of(walk.found, [&](const auto &found) {
      return isLong(last) && isLong(found.first);
    });
  });
}
