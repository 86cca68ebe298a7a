//===- CollapseDims.cpp - Dimensions that nothing tells apart -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neighbouring dimensions of a kernel that every op walks in the same way are
// one dimension of as many elements. A run of dimensions starts at a reduction,
// or in a kernel without one at a transpose that keeps it together, and is
// followed through the body: each value that is tied to it has either all of
// the run, or size 1 along all of it, or none of it. What has only a part of
// it, as a bias of the last dimension has, or asks where it is, keeps the
// dimensions apart.
//
// Values of equal shapes are tied, also where no op connects them: by its shape
// a kernel knows what it walks at which place.
//
// Inputs and results are reshaped on the host, which moves nothing. What is
// read or written as a strided view is left alone.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Analysis/ReductionSpace.h"
#include "fuse/Analysis/Strides.h"
#include "fuse/Fusion/Passes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_COLLAPSEDIMS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static ArrayRef<int64_t> shapeOf(Value value) {
  return tensorType(value).getShape();
}

static SmallVector<Operation *> reductionsOf(KernelOp kernel) {
  SmallVector<Operation *> found;
  for (Operation &op : kernel.getBody().front())
    if (isReduction(&op))
      found.push_back(&op);
  return found;
}

namespace {
/// The values of a kernel that a run of dimensions goes through.
class RunCollapser {
public:
  RunCollapser(KernelOp kernel, const DimClasses &dims, int64_t count)
      : kernel(kernel), dims(dims), count(count) {}

  /// Follows the run from the operand of a reduction on. Fails where it cannot
  /// be one dimension.
  LogicalResult collect(Operation *op, int64_t first);
  /// Makes the run one dimension, inside of the kernel and at its edge.
  void apply();
  /// The first dimension of the run for each value that was seen.
  const llvm::MapVector<Value, int64_t> &seen() const { return firsts; }

private:
  LogicalResult add(Value value, int64_t first);
  LogicalResult addShape(ArrayRef<Extent> shape, int64_t first);
  LogicalResult addReducedShapes(Operation *op, int64_t first);
  LogicalResult follow(Value value);
  LogicalResult visit(Operation *op);
  LogicalResult visitPointwise(Operation *op);
  LogicalResult addOperand(Value operand, Value result, int64_t fromEnd);
  LogicalResult visitReduce(Operation *op);
  LogicalResult visitTranspose(TransposeOp op);
  LogicalResult findSizes();
  bool meetsOthers() const;
  std::optional<ReductionSpace> collapsedSpace(Operation *op) const;

  ArrayRef<int64_t> run(Value value, int64_t first) const {
    return shapeOf(value).slice(first, count);
  }
  RankedTensorType collapsed(RankedTensorType type, int64_t first) const;
  SmallVector<ReassociationIndices> groups(int64_t rank, int64_t first) const;
  void reshapeInput(BlockArgument argument, int64_t first);
  void reshapeResult(unsigned number, int64_t first);
  SmallVector<int64_t> dimsWithoutRun(Operation *op, int64_t first) const;
  SmallVector<int64_t> permutationWithoutRun(TransposeOp op,
                                             int64_t first) const;

  KernelOp kernel;
  const DimClasses &dims;
  int64_t count;
  llvm::MapVector<Value, int64_t> firsts;
  /// The first dimension of the run for each shape that was seen.
  SmallVector<std::pair<SmallVector<Extent>, int64_t>> shapes;
  SmallVector<Value> work;
  /// An input's dimension for each dynamic one of the results to reshape.
  DenseMap<std::pair<unsigned, int64_t>, std::pair<Value, int64_t>> sizes;
};
} // namespace

LogicalResult RunCollapser::add(Value value, int64_t first) {
  auto [it, isNew] = firsts.insert({value, first});
  if (isNew)
    work.push_back(value);
  return success(it->second == first);
}

/// All values of the kernel that have the shape.
LogicalResult RunCollapser::addShape(ArrayRef<Extent> shape, int64_t first) {
  for (auto &[known, place] : shapes)
    if (ArrayRef<Extent>(known) == shape)
      return success(place == first);
  shapes.emplace_back(llvm::to_vector(shape), first);
  auto addIfEqual = [&](Value value) {
    return success(!isa<RankedTensorType>(value.getType()) ||
                   ArrayRef<Extent>(dims.extents(value)) != shape ||
                   succeeded(add(value, first)));
  };
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (failed(addIfEqual(argument)))
      return failure();
  for (Operation &op : kernel.getBody().front())
    for (Value result : op.getResults())
      if (failed(addIfEqual(result)))
        return failure();
  return success();
}

/// The shapes by which results are known to have one element for all places
/// that the reduction combines.
LogicalResult RunCollapser::addReducedShapes(Operation *op, int64_t first) {
  SmallVector<Extent> ones = dims.extents(op->getOperand(0)), kept;
  for (auto [dim, extent] : llvm::enumerate(ones)) {
    if (llvm::is_contained(reducedDims(op), dim))
      extent = Extent{1};
    else
      kept.push_back(extent);
  }
  if (failed(addShape(ones, first)))
    return failure();
  if (llvm::is_contained(reducedDims(op), first))
    return success();
  int64_t before =
      llvm::count_if(reducedDims(op), [&](int64_t dim) { return dim < first; });
  return addShape(kept, first - before);
}

LogicalResult RunCollapser::follow(Value value) {
  Operation *producer = value.getDefiningOp();
  // A view's dimensions need not be neighbours in memory.
  if (!producer && strideKind(value) != StrideKind::dense)
    return failure();
  if (producer && failed(visit(producer)))
    return failure();
  for (OpOperand &use : value.getUses())
    if (failed(visit(use.getOwner())) ||
        (isa<YieldOp>(use.getOwner()) &&
         resultKind(kernel, use.getOperandNumber()) != StrideKind::dense))
      return failure();
  return addShape(dims.extents(value), firsts.lookup(value));
}

LogicalResult RunCollapser::collect(Operation *op, int64_t first) {
  if (failed(add(op->getOperand(0), first)) ||
      (isReduction(op) && failed(addReducedShapes(op, first))))
    return failure();
  while (!work.empty())
    if (failed(follow(work.pop_back_val())))
      return failure();
  return failure(meetsOthers() || failed(findSizes()));
}

LogicalResult RunCollapser::visit(Operation *op) {
  if (isa<YieldOp>(op))
    return success();
  if (isReduction(op))
    return visitReduce(op);
  // The place of a random number counts all elements, however many dimensions
  // they have; iota asks for one dimension.
  if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>() && !isa<IotaOp>(op))
    return visitPointwise(op);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return visitTranspose(transpose);
  return failure();
}

/// Where the result has these dimensions of the input next to each other, in
/// their order; none where it does not.
static std::optional<int64_t> placeOfRun(TransposeOp op, int64_t first,
                                         int64_t count) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  int64_t place = llvm::find(permutation, first) - permutation.begin();
  if (place + count > static_cast<int64_t>(permutation.size()))
    return std::nullopt;
  for (int64_t dim = 0; dim < count; ++dim)
    if (permutation[place + dim] != first + dim)
      return std::nullopt;
  return place;
}

/// In kernels that reduce, it is by their shapes that walks know how what is
/// moved lies.
LogicalResult RunCollapser::visitTranspose(TransposeOp op) {
  if (!reductionsOf(kernel).empty())
    return failure();
  auto *it = firsts.find(op.getInput());
  int64_t first = it != firsts.end()
                      ? it->second
                      : op.getPermutation()[firsts.lookup(op.getResult())];
  std::optional<int64_t> place = placeOfRun(op, first, count);
  return failure(!place || failed(add(op.getInput(), first)) ||
                 failed(add(op.getResult(), *place)));
}

/// Shapes align at the last dimension.
LogicalResult RunCollapser::visitPointwise(Operation *op) {
  auto fromEnd = [&](Value value) -> std::optional<int64_t> {
    auto *it = firsts.find(value);
    if (it == firsts.end())
      return std::nullopt;
    return tensorType(value).getRank() - it->second;
  };
  Value result = op->getResult(0);
  std::optional<int64_t> place = fromEnd(result);
  for (Value operand : op->getOperands())
    if (!place)
      place = fromEnd(operand);
  if (failed(add(result, tensorType(result).getRank() - *place)))
    return failure();
  for (Value operand : op->getOperands())
    if (failed(addOperand(operand, result, *place)))
      return failure();
  return success();
}

LogicalResult RunCollapser::addOperand(Value operand, Value result,
                                       int64_t fromEnd) {
  int64_t rank = tensorType(operand).getRank();
  auto isOne = [](int64_t size) { return size == 1; };
  // A single 1 in place of the run is what it becomes.
  if (int64_t past = fromEnd - count; rank < fromEnd)
    return success(rank <= past ||
                   (rank == past + 1 && shapeOf(operand).front() == 1));
  int64_t first = rank - fromEnd;
  ArrayRef<int64_t> own = run(operand, first);
  ArrayRef<int64_t> whole = run(result, tensorType(result).getRank() - fromEnd);
  bool repeats = llvm::any_of(llvm::zip(own, whole), [](auto sizes) {
    return std::get<0>(sizes) == 1 && std::get<1>(sizes) != 1;
  });
  if (repeats && !llvm::all_of(own, isOne))
    return failure();
  return add(operand, first);
}

/// All of the run is reduced, or all stays.
LogicalResult RunCollapser::visitReduce(Operation *op) {
  Value input = op->getOperand(0);
  // The dimensions of the input that the result has.
  SmallVector<int64_t> kept;
  for (int64_t dim = 0, rank = tensorType(input).getRank(); dim < rank; ++dim)
    if (keepsReducedDims(op) || !llvm::is_contained(reducedDims(op), dim))
      kept.push_back(dim);
  for (Value result : op->getResults()) {
    auto *it = firsts.find(result);
    if (it == firsts.end())
      continue;
    auto dims = ArrayRef(kept).slice(it->second, count);
    if (dims.back() - dims.front() + 1 != count ||
        failed(add(input, dims.front())))
      return failure();
  }
  int64_t first = firsts.lookup(input);
  int64_t reduced = llvm::count_if(reducedDims(op), [&](int64_t dim) {
    return dim >= first && dim < first + count;
  });
  if (reduced != 0 && reduced != count)
    return failure();
  if (reduced && !keepsReducedDims(op))
    return success();
  for (Value result : op->getResults())
    if (failed(add(result, llvm::find(kept, first) - kept.begin())))
      return failure();
  return success();
}

/// The host gives results their shape back: it takes sizes from the inputs.
LogicalResult RunCollapser::findSizes() {
  for (auto [number, value] : llvm::enumerate(kernel.getYield().getValues())) {
    if (!firsts.contains(value) || tensorType(value).hasStaticShape())
      continue;
    for (auto [axis, extent] : llvm::enumerate(dims.extents(value))) {
      if (!tensorType(value).isDynamicDim(axis))
        continue;
      auto &size = sizes[{number, axis}];
      for (BlockArgument argument : kernel.getBody().getArguments())
        for (auto [dim, other] : llvm::enumerate(dims.extents(argument)))
          if (!size.first && other == extent)
            size = {kernel.getInputs()[argument.getArgNumber()], dim};
      if (!size.first)
        return failure();
    }
  }
  return success();
}

/// What the reduction walks without the run, where its size is known.
std::optional<ReductionSpace>
RunCollapser::collapsedSpace(Operation *op) const {
  auto *it = firsts.find(op->getOperand(0));
  if (it == firsts.end())
    return std::nullopt;
  int64_t first = it->second;
  SmallVector<Extent> domain = dims.extents(op->getOperand(0));
  SmallVector<Extent> several(llvm::make_filter_range(
      ArrayRef(domain).slice(first, count),
      [](const Extent &extent) { return extent.size != 1; }));
  std::optional<int64_t> product = staticProduct(several);
  if (!product && several.size() > 1)
    return std::nullopt;
  domain[first] = product ? Extent{*product} : several.front();
  domain.erase(domain.begin() + first + 1, domain.begin() + first + count);
  return ReductionSpace{domain, dimsWithoutRun(op, first), {}};
}

/// Whether one has the shape of what the other reduces to.
static bool isReducedTo(const ReductionSpace &a, const ReductionSpace &b) {
  return a.isReducedShape(b.domain) || b.isReducedShape(a.domain);
}

/// Whether a reduction would walk what others reduce in another way, or would
/// begin or cease to have the shape that another reduces to. Walks are told
/// apart by their shapes, and only those that were found when the kernel was
/// formed have been looked at.
bool RunCollapser::meetsOthers() const {
  auto reductions = reductionsOf(kernel);
  auto spaceOf = [&](Operation *op) {
    return ReductionSpace{dims.extents(op->getOperand(0)),
                          SmallVector<int64_t>(reducedDims(op)),
                          {}};
  };
  return llvm::any_of(reductions, [&](Operation *op) {
    std::optional<ReductionSpace> own = collapsedSpace(op);
    return own && llvm::any_of(reductions, [&](Operation *reduction) {
             if (firsts.contains(reduction->getOperand(0)))
               return false;
             ReductionSpace other = spaceOf(reduction);
             return other.domain == own->domain
                        ? other.reduced != own->reduced
                        : isReducedTo(other, *own) !=
                              isReducedTo(other, spaceOf(op));
           });
  });
}

RankedTensorType RunCollapser::collapsed(RankedTensorType type,
                                         int64_t first) const {
  return tensor::CollapseShapeOp::inferCollapsedType(
      type, groups(type.getRank(), first));
}

SmallVector<ReassociationIndices> RunCollapser::groups(int64_t rank,
                                                       int64_t first) const {
  SmallVector<ReassociationIndices> result;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim <= first || dim >= first + count)
      result.emplace_back();
    result.back().push_back(dim);
  }
  return result;
}

void RunCollapser::reshapeInput(BlockArgument argument, int64_t first) {
  OpBuilder builder(kernel);
  OpOperand &input = kernel.getInputsMutable()[argument.getArgNumber()];
  input.set(tensor::CollapseShapeOp::create(
      builder, kernel.getLoc(), collapsed(tensorType(argument), first),
      input.get(), groups(tensorType(argument).getRank(), first)));
}

void RunCollapser::reshapeResult(unsigned number, int64_t first) {
  OpBuilder builder(kernel);
  Location loc = kernel.getLoc();
  Value result = kernel.getResult(number);
  RankedTensorType type = tensorType(result);
  SmallVector<OpFoldResult> shape;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      shape.push_back(builder.getIndexAttr(size));
      continue;
    }
    auto [input, dim] = sizes.lookup({number, axis});
    shape.push_back(
        tensor::DimOp::create(builder, loc, input, dim).getResult());
  }
  builder.setInsertionPointAfter(kernel);
  result.setType(collapsed(type, first));
  auto expand = tensor::ExpandShapeOp::create(
      builder, loc, type, result, groups(type.getRank(), first), shape);
  result.replaceAllUsesExcept(expand, expand);
}

SmallVector<int64_t> RunCollapser::dimsWithoutRun(Operation *op,
                                                  int64_t first) const {
  int64_t last = first + count - 1;
  SmallVector<int64_t> dims;
  for (int64_t dim : reducedDims(op))
    if (dim <= first || dim > last)
      dims.push_back(dim > last ? dim - (last - first) : dim);
  return dims;
}

SmallVector<int64_t> RunCollapser::permutationWithoutRun(TransposeOp op,
                                                         int64_t first) const {
  int64_t last = first + count - 1;
  SmallVector<int64_t> dims;
  for (int64_t dim : op.getPermutation())
    if (dim <= first || dim > last)
      dims.push_back(dim > last ? dim - (last - first) : dim);
  return dims;
}

void RunCollapser::apply() {
  // What is reshaped at the edge is read before types change.
  for (auto [number, value] : llvm::enumerate(kernel.getYield().getValues()))
    if (auto *it = firsts.find(value); it != firsts.end())
      reshapeResult(number, it->second);
  for (auto [value, first] : firsts)
    if (auto argument = dyn_cast<BlockArgument>(value))
      reshapeInput(argument, first);
  for (Operation *reduce : reductionsOf(kernel))
    if (auto *it = firsts.find(reduce->getOperand(0)); it != firsts.end())
      setReducedDims(reduce, dimsWithoutRun(reduce, it->second));
  kernel.walk([&](TransposeOp op) {
    if (auto *it = firsts.find(op.getInput()); it != firsts.end())
      op.setPermutation(permutationWithoutRun(op, it->second));
  });
  for (auto [value, first] : firsts)
    value.setType(collapsed(tensorType(value), first));
}

namespace {
struct CollapseDimsPass
    : public mlir::fuse::impl::CollapseDimsBase<CollapseDimsPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  bool collapseOne(KernelOp kernel, const DimClasses &dims);
  bool collapseReduced(Operation *reduce, const DimClasses &dims);
  bool collapseTransposed(TransposeOp transpose, const DimClasses &dims);
  bool tryRun(Operation *start, const DimClasses &dims, int64_t first,
              int64_t count);

  /// Values, first dimensions and numbers of dimensions from which a run was
  /// followed in vain.
  llvm::DenseSet<std::tuple<Value, int64_t, int64_t>> refused;
};
} // namespace

/// Dimensions from `from` on that are all reduced, or all stay.
static int64_t endOfRun(Operation *op, int64_t from) {
  auto isReduced = [&](int64_t dim) {
    return llvm::is_contained(reducedDims(op), dim);
  };
  int64_t rank = tensorType(op->getOperand(0)).getRank(), end = from + 1;
  while (end < rank && isReduced(end) == isReduced(from))
    ++end;
  return end;
}

bool CollapseDimsPass::tryRun(Operation *start, const DimClasses &dims,
                              int64_t first, int64_t count) {
  if (refused.contains({start->getOperand(0), first, count}))
    return false;
  RunCollapser collapser(cast<KernelOp>(start->getParentOp()), dims, count);
  if (succeeded(collapser.collect(start, first))) {
    collapser.apply();
    return true;
  }
  // All that was seen before something refused is tied to it.
  for (auto [value, place] : collapser.seen())
    refused.insert({value, place, count});
  return false;
}

/// Makes one run of the reduction's dimensions one dimension, if there is one
/// for which that is possible. Dimensions that stay matter at the end, where
/// they are what is contiguous.
bool CollapseDimsPass::collapseReduced(Operation *reduce,
                                       const DimClasses &dims) {
  int64_t rank = tensorType(reduce->getOperand(0)).getRank();
  for (int64_t first = 0; first + 1 < rank; ++first) {
    int64_t end = endOfRun(reduce, first);
    bool matters =
        llvm::is_contained(reducedDims(reduce), first) || end == rank;
    for (int64_t count = end - first; matters && count > 1; --count)
      if (tryRun(reduce, dims, first, count))
        return true;
  }
  return false;
}

/// The same of dimensions of known size that are together on both sides, and
/// the last ones of one: vectors need then not divide the last of them alone.
bool CollapseDimsPass::collapseTransposed(TransposeOp transpose,
                                          const DimClasses &dims) {
  ArrayRef<int64_t> shape = shapeOf(transpose.getInput());
  int64_t rank = shape.size();
  for (int64_t first = 0; first + 1 < rank; ++first)
    for (int64_t count = rank - first; count > 1; --count) {
      std::optional<int64_t> place = placeOfRun(transpose, first, count);
      if (!place || (first + count < rank && *place + count < rank) ||
          ShapedType::isDynamicShape(shape.slice(first, count)))
        continue;
      if (tryRun(transpose, dims, first, count))
        return true;
    }
  return false;
}

bool CollapseDimsPass::collapseOne(KernelOp kernel, const DimClasses &dims) {
  auto reductions = reductionsOf(kernel);
  if (!reductions.empty())
    return llvm::any_of(reductions, [&](Operation *reduce) {
      return collapseReduced(reduce, dims);
    });
  return llvm::any_of(kernel.getBody().getOps<TransposeOp>(),
                      [&](TransposeOp transpose) {
                        return collapseTransposed(transpose, dims);
                      });
}

/// Each round makes at most one run of each kernel one dimension, so that the
/// function's sizes are analysed once a round. Kernels alone do not know which
/// sizes are equal: the names of the function's arguments say so, too.
void CollapseDimsPass::runOnOperation() {
  SmallVector<KernelOp> kernels;
  for (KernelOp kernel : getOperation().getOps<KernelOp>())
    if (!kernel.getScheduleAttr())
      kernels.push_back(kernel);
  llvm::SetVector<Operation *> collapsed;
  while (!kernels.empty()) {
    DimClasses dims(getOperation());
    refused.clear();
    llvm::erase_if(kernels,
                   [&](KernelOp kernel) { return !collapseOne(kernel, dims); });
    collapsed.insert_range(kernels);
  }
  // With fewer dimensions a broadcast may be none, and nobody need what it
  // took its shape from.
  for (Operation *kernel : collapsed)
    (void)applyPatternsGreedily(cast<KernelOp>(kernel).getBody(),
                                RewritePatternSet(&getContext()));
}
