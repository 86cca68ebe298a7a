//===- Reduction.cpp - Types of reductions and norms ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimRemedy.h"
#include "ElementTypes.h"
#include "fuse/Dialect/Fuse/IR/CollapsedOnes.h"
#include "fuse/Dialect/Fuse/IR/Exponentials.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Reduced dimensions
//===----------------------------------------------------------------------===//

bool mlir::fuse::isReduction(Operation *op) {
  // What op->hasTrait() says, in a fraction of the time.
  return isa<ReduceOp, SoftmaxStatsOp, WelfordOp>(op);
}

ArrayRef<int64_t> mlir::fuse::reducedDims(Operation *op) {
  return llvm::TypeSwitch<Operation *, ArrayRef<int64_t>>(op)
      .Case<ReduceOp, SoftmaxStatsOp, WelfordOp>(
          [](auto reduction) { return reduction.getDims(); });
}

bool mlir::fuse::keepsReducedDims(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return !reduce || reduce.getKeep();
}

void mlir::fuse::setReducedDims(Operation *op, ArrayRef<int64_t> dims) {
  llvm::TypeSwitch<Operation *>(op).Case<ReduceOp, SoftmaxStatsOp, WelfordOp>(
      [&](auto reduction) { reduction.setDims(dims); });
}

/// `dims` are distinct dimensions of the operand, in ascending order.
static bool areReducible(ArrayRef<int64_t> dims, int64_t rank) {
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= rank || (index > 0 && dims[index - 1] >= dim))
      return false;
  return true;
}

static LogicalResult verifyReducedDims(Operation *op, RankedTensorType input,
                                       ArrayRef<int64_t> dims) {
  if (areReducible(dims, input.getRank()))
    return success();
  return op->emitOpError("expected dims to be distinct dimensions of ")
         << input << " in ascending order, but got [" << dims << "]; "
         << fuse::detail::dimRemedy(dims, input.getRank(),
                                    "sort them and keep each in 0 to rank - 1");
}

/// The operand's type with `dims` of size 1, or without them.
static RankedTensorType reduceType(RankedTensorType input,
                                   ArrayRef<int64_t> dims, bool keep) {
  SmallVector<int64_t> shape;
  for (auto [axis, size] : llvm::enumerate(input.getShape()))
    if (!llvm::is_contained(dims, axis))
      shape.push_back(size);
    else if (keep)
      shape.push_back(1);
  return input.clone(shape);
}

/// Infers the result of a reduction. Dims that do not fit are an error of the
/// verifier, which has the op to name; a builder that gives them fails.
static LogicalResult inferReduced(ValueRange operands, ArrayRef<int64_t> dims,
                                  bool keep, std::optional<Location> location,
                                  SmallVectorImpl<Type> &inferred) {
  auto input = cast<RankedTensorType>(operands.front().getType());
  if (!areReducible(dims, input.getRank()))
    return emitOptionalError(location, "expected ascending dimensions of ",
                             input, ", but got others; sort them");
  inferred.push_back(reduceType(input, dims, keep));
  return success();
}

//===----------------------------------------------------------------------===//
// Reduce, logsumexp, softmax
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor op(operands, attributes, properties, regions);
  return inferReduced(operands, op.getDims(), op.getKeep(), location, inferred);
}

LogicalResult ReduceOp::verify() {
  RankedTensorType input = getInput().getType();
  // 1. `dims` are distinct dimensions of the operand, in ascending order.
  if (failed(verifyReducedDims(*this, input, getDims())))
    return failure();
  // 2. any and all take i1; the others take numbers, mean floats.
  Type element = input.getElementType();
  bool logical = getKind() == ReduceKind::any || getKind() == ReduceKind::all;
  if (logical != element.isInteger(1))
    return emitOpError("expected input of ")
           << (logical ? "i1" : "numbers") << " for "
           << stringifyReduceKind(getKind()) << ", but got " << input
           << (logical ? "; fuse.compare gives i1" : "; fuse.cast it to i32");
  if (getKind() == ReduceKind::mean && !isa<FloatType>(element))
    return emitOpError("expected input of floats for mean, but got ")
           << input << "; fuse.cast it to f32";
  return fuse::detail::verifyInferredResult(
      *this, reduceType(input, getDims(), getKeep()));
}

SmallVector<ReassociationIndices>
mlir::fuse::groupsWithout(int64_t rank, ArrayRef<int64_t> dims) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!llvm::is_contained(dims, axis))
      groups.emplace_back(std::exchange(leading, {}));
    (groups.empty() ? leading : groups.back()).push_back(axis);
  }
  return groups;
}

/// A reduction of dimensions of size 1 leaves its operand. Floats that are
/// added up start from +0, also those of no dimension, which turns a -0 into
/// it.
LogicalResult ReduceOp::canonicalize(ReduceOp op, PatternRewriter &rewriter) {
  RankedTensorType input = op.getInput().getType();
  auto isOne = [&](int64_t dim) { return input.getDimSize(dim) == 1; };
  if (!llvm::all_of(op.getDims(), isOne))
    return rewriter.notifyMatchFailure(op, "elements are combined");
  // A schedule that was given is one for the reductions that are there.
  auto kernel = op->getParentOfType<KernelOp>();
  if (kernel && kernel.getScheduleAttr() && !op.getDims().empty())
    return rewriter.notifyMatchFailure(op, "its kernel has a schedule");
  Value value = op.getInput();
  bool adds =
      op.getKind() == ReduceKind::sum || op.getKind() == ReduceKind::mean;
  if (auto element = dyn_cast<FloatType>(input.getElementType());
      adds && element) {
    auto scalar = RankedTensorType::get({}, element);
    auto zero =
        DenseElementsAttr::get(scalar, rewriter.getFloatAttr(element, 0));
    Value constant = ConstantOp::create(rewriter, op.getLoc(), zero);
    value = AddOp::create(rewriter, op.getLoc(), input, value, constant);
  }
  if (input != op.getType())
    value = tensor::CollapseShapeOp::create(
        rewriter, op.getLoc(), op.getType(), value,
        groupsWithout(input.getRank(), op.getDims()));
  rewriter.replaceOp(op, value);
  return success();
}

/// x, where `value` is x, but 0 where x is infinite; null elsewhere.
static Value getGuarded(Value value) {
  auto select = value.getDefiningOp<SelectOp>();
  if (!select || !matchPattern(select.getTrueValue(), m_PosZeroFloat()))
    return {};
  auto compare = select.getCondition().getDefiningOp<CompareOp>();
  if (!compare || compare.getPredicate() != ComparePredicate::eq ||
      !matchPattern(compare.getRhs(), m_PosInfFloat()))
    return {};
  auto magnitude = compare.getLhs().getDefiningOp<AbsOp>();
  bool isOfValue = magnitude && magnitude.getInput() == select.getFalseValue();
  return isOfValue ? select.getFalseValue() : Value();
}

ReduceOp mlir::fuse::maximumBelow(ExpOp exp, ArrayRef<int64_t> dims) {
  auto difference = exp.getInput().getDefiningOp<SubOp>();
  if (!difference)
    return {};
  Value guarded = getGuarded(difference.getRhs());
  auto max =
      (guarded ? guarded : difference.getRhs()).getDefiningOp<ReduceOp>();
  bool isOfAll = max && max.getKind() == ReduceKind::max && max.getKeep() &&
                 max.getInput() == difference.getLhs() && max.getDims() == dims;
  return isOfAll ? max : ReduceOp();
}

ReduceOp ReduceOp::getMaximumOfExponents() {
  auto exp = getInput().getDefiningOp<ExpOp>();
  bool isSum = exp && getKind() == ReduceKind::sum && getKeep();
  return isSum ? maximumBelow(exp, getDims()) : ReduceOp();
}

ReduceOp ReduceOp::getMeanOfDeviations() {
  bool adds = getKind() == ReduceKind::sum || getKind() == ReduceKind::mean;
  auto square = getInput().getDefiningOp<MulOp>();
  if (!adds || !getKeep() || !square || square.getLhs() != square.getRhs())
    return {};
  auto deviation = square.getLhs().getDefiningOp<SubOp>();
  if (!deviation)
    return {};
  auto isMeanOf = [&](Value value, Value of) {
    auto mean = value.getDefiningOp<ReduceOp>();
    return mean && mean.getKind() == ReduceKind::mean && mean.getKeep() &&
           mean.getInput() == of && mean.getDims() == getDims();
  };
  Value lhs = deviation.getLhs(), rhs = deviation.getRhs();
  if (isMeanOf(rhs, lhs))
    return rhs.getDefiningOp<ReduceOp>();
  return isMeanOf(lhs, rhs) ? lhs.getDefiningOp<ReduceOp>() : ReduceOp();
}

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  // A sum starts from +0 and would turn a -0 into it.
  bool adds = getKind() == ReduceKind::sum || getKind() == ReduceKind::mean;
  if (getType() != getInput().getType() ||
      (adds && isa<FloatType>(getType().getElementType())))
    return {};
  return getInput();
}

LogicalResult LogSumExpOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &inferred) {
  Adaptor op(operands, attributes, properties, regions);
  return inferReduced(operands, op.getDims(), op.getKeep(), location, inferred);
}

LogicalResult LogSumExpOp::verify() {
  // 1. `dims` are distinct dimensions of the operand, in ascending order.
  if (failed(verifyReducedDims(*this, getInput().getType(), getDims())))
    return failure();
  return fuse::detail::verifyInferredResult(
      *this, reduceType(getInput().getType(), getDims(), getKeep()));
}

/// The results have the input's type with the reduced dimensions as size 1.
static LogicalResult verifyKeptResults(Operation *op, RankedTensorType input,
                                       ArrayRef<int64_t> dims) {
  RankedTensorType expected = reduceType(input, dims, /*keep=*/true);
  for (Value result : op->getResults())
    if (result.getType() != expected)
      return op->emitOpError("expected results of type ")
             << expected << ", but got " << result.getType()
             << "; reduced dimensions stay with size 1";
  return success();
}

LogicalResult SoftmaxStatsOp::verify() {
  RankedTensorType input = getInput().getType();
  // 1. `dims` are distinct dimensions of the operand, in ascending order.
  if (failed(verifyReducedDims(*this, input, getDims())))
    return failure();
  return verifyKeptResults(*this, input, getDims());
}

LogicalResult WelfordOp::verify() {
  // 1. `kind` is sum or mean.
  if (getKind() != ReduceKind::sum && getKind() != ReduceKind::mean)
    return emitOpError("expected sum or mean, but got ")
           << stringifyReduceKind(getKind()) << "; use fuse.reduce";
  // 2. `dims` are distinct dimensions of the operand, in ascending order.
  RankedTensorType input = getInput().getType();
  if (failed(verifyReducedDims(*this, input, getDims())))
    return failure();
  return verifyKeptResults(*this, input, getDims());
}

LogicalResult SoftmaxOp::verify() {
  // 1. `dims` are distinct dimensions of the operand, in ascending order.
  return verifyReducedDims(*this, getInput().getType(), getDims());
}

LogicalResult LogSoftmaxOp::verify() {
  // 1. `dims` are distinct dimensions of the operand, in ascending order.
  return verifyReducedDims(*this, getInput().getType(), getDims());
}

//===----------------------------------------------------------------------===//
// Arg-extremes
//===----------------------------------------------------------------------===//

template <typename Op> static LogicalResult verifyArg(Op op) {
  RankedTensorType input = op.getInput().getType();
  // 1. `dim` is a dimension of the operand.
  int64_t dim = op.getDim();
  if (dim < 0 || dim >= input.getRank())
    return op.emitOpError("expected dim to be a dimension of ")
           << input << ", but got " << dim << "; "
           << fuse::detail::dimRemedy(dim, input.getRank(),
                                      "choose 0 to rank - 1");
  // 2. The result has the operand's other dimensions.
  RankedTensorType expected = reduceType(input, {dim}, op.getKeep())
                                  .clone(op.getType().getElementType());
  return fuse::detail::verifyInferredResult(op, expected);
}

LogicalResult ArgMaxOp::verify() { return verifyArg(*this); }

LogicalResult ArgMinOp::verify() { return verifyArg(*this); }

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static LogicalResult verifyNormRank(Operation *op, RankedTensorType input) {
  if (input.getRank() >= 1)
    return success();
  return op->emitOpError("expected input of rank 1 or more, but got ")
         << input << "; insert a tensor.expand_shape";
}

static LogicalResult verifyNormVector(Operation *op, RankedTensorType input,
                                      TypedValue<RankedTensorType> vector,
                                      StringRef name) {
  if (!vector)
    return success();
  RankedTensorType got = vector.getType();
  int64_t columns = input.getShape().back();
  if (got.getElementType() != input.getElementType())
    return op->emitOpError("expected ")
           << name << " of " << input.getElementType() << ", but got " << got
           << "; "
           << fuse::detail::castRemedy(input.getElementType(), "the input",
                                       got.getElementType(),
                                       ("the " + name).str())
           << (fuse::detail::commonElementType(input.getElementType(),
                                               got.getElementType()) ==
                       input.getElementType()
                   ? ""
                   : ", and the result back");
  if (got.getRank() == 1 && mayBeEqual(got.getDimSize(0), columns))
    return success();
  return op->emitOpError("expected ")
         << name << " of rank 1 and the size of the last dimension of " << input
         << ", but got " << got << "; give one value for each column";
}

static LogicalResult verifyEps(Operation *op, const APFloat &eps) {
  if (eps.isFinite() && !(eps.isNegative() && eps.isNonZero()))
    return success();
  return op->emitOpError("expected eps to be finite and not negative, but got ")
         << eps.convertToDouble() << "; 1.0e-5 is usual";
}

LogicalResult RmsNormOp::verify() {
  RankedTensorType input = getInput().getType();
  // 1. The input has rank 1 or more.
  if (failed(verifyNormRank(*this, input)))
    return failure();
  // 2. `weight` has rank 1, the size of the last dimension, and the input's
  //    element type.
  if (failed(verifyNormVector(*this, input, getWeight(), "weight")))
    return failure();
  // 3. `eps` is not negative.
  return verifyEps(*this, getEps());
}

LogicalResult LayerNormOp::verify() {
  RankedTensorType input = getInput().getType();
  // 1. The input has rank 1 or more.
  if (failed(verifyNormRank(*this, input)))
    return failure();
  // 2. `weight` and `bias` have rank 1, the size of the last dimension, and the
  //    input's element type; `bias` needs `weight`.
  if (getBias() && !getWeight())
    return emitOpError("expected weight with bias, but got bias alone; give a "
                       "weight of ones");
  if (failed(verifyNormVector(*this, input, getWeight(), "weight")) ||
      failed(verifyNormVector(*this, input, getBias(), "bias")))
    return failure();
  // 3. `eps` is not negative.
  return verifyEps(*this, getEps());
}
