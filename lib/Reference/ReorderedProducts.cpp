//===- ReorderedProducts.cpp - Factors that leave a sum of products -------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may take sum_k (x[k] r) y[k] as r sum_k x[k] y[k]. The relative
// error of both is the same, as long as neither order overflows or underflows.
// What any order may reach is at most the product of all factors above 1, and
// at least that of all below:
//
//   reach(x) = max(1, |x|)          of what is no product
//   reach(x y) = reach(x) reach(y)
//   reach(exp(x)) = 256 max(1, exp(x)), as attention has it
//
// so that there is no bound where the sum of these overflows, for the factors
// or for their reciprocals. The same holds of scales that sums of products of
// 8-bit floats are multiplied with, block by block, before they are added.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "ReorderedScales.h"
#include "Softmax.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;
using mlir::dyn_cast;
using mlir::isa;
using mlir::isa_and_nonnull;
using mlir::Operation;

namespace {
class Reach {
public:
  /// Of the factors' reciprocals if `isInverse`.
  Reach(GetTensor get, bool isInverse) : get(get), isInverse(isInverse) {}

  const Value &of(mlir::Value value, unsigned depth = 0);

private:
  Value find(mlir::Value value, unsigned depth);
  Value ofLeaf(mlir::Value value, bool divides = false) const;
  Value ofProduct(Operation *op, unsigned depth);

  GetTensor get;
  bool isInverse;
  llvm::DenseMap<mlir::Value, std::shared_ptr<const Value>> known;
};
} // namespace

/// How far from a contraction factors are looked for.
static constexpr unsigned kMostOps = 32;

/// f16 keeps the program's order, and so does what an explicit cast rounds.
static bool isReordered(Operation *op) {
  if (!op || op->getNumOperands() == 0 || op->getNumResults() != 1)
    return false;
  auto dtype = [](mlir::Value value) {
    return getDType(mlir::getElementTypeOrSelf(value.getType()));
  };
  auto isWide = [&](mlir::Value value) {
    auto type = dtype(value);
    return type == DType::BF16 || type == DType::F32 || type == DType::F64;
  };
  if (auto cast = dyn_cast<CastOp>(op))
    return isWide(cast.getInput()) && isWide(cast.getResult()) &&
           (cast->hasAttr(kImplicitAttr) ||
            getBytes(*dtype(cast.getResult())) >=
                getBytes(*dtype(cast.getInput())));
  return isa<MulOp, DivOp, RmsNormOp, TransposeOp, mlir::tensor::ExpandShapeOp,
             mlir::tensor::CollapseShapeOp>(op) &&
         isWide(op->getResult(0));
}

/// A softmax is divided by its sum, after the contraction where that is
/// attention's second.
static bool isExponential(Operation *op) {
  return isa_and_nonnull<ExpOp, SoftmaxOp>(op);
}

/// Of a factor, or a divisor. A zero stays one in any order.
static double reachOf(Bounded x, bool isInverse, bool divides) {
  double most = x.magnitude();
  if (isInverse)
    most = divides || x.value == 0.0 ? std::fabs(x.value)
                                     : 1.0 / std::fabs(x.value);
  else if (divides)
    most = 1.0 / std::max(0.0, std::fabs(x.value) - x.error);
  return std::isnan(most) ? kInfinity : std::max(1.0, most);
}

Value Reach::ofLeaf(mlir::Value value, bool divides) const {
  const Value &tensor = get(value);
  Value reach = Value::zeros(DType::F64, tensor.shape);
  reach.error.clear();
  for (int64_t i = 0; i < tensor.size(); ++i)
    reach.data[i] =
        reachOf({tensor.data[i], tensor.getError(i)}, isInverse, divides);
  return reach;
}

Value Reach::ofProduct(Operation *op, unsigned depth) {
  Value result = Value::zeros(DType::F64, get(op->getResult(0)).shape);
  result.error.clear();
  llvm::fill(result.data, 1.0);
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    Value reach = isa<DivOp>(op) && number == 1 ? ofLeaf(operand, true)
                                                : of(operand, depth + 1);
    std::vector<int64_t> places = listOffsets(
        result.shape, getBroadcastStrides(reach.shape, result.shape));
    for (auto [element, place] : llvm::zip_equal(result.data, places))
      element *= reach.data[place];
  }
  // Of the reciprocal root that a norm multiplies with.
  if (auto norm = dyn_cast<RmsNormOp>(op); norm && !isInverse)
    for (double &element : result.data)
      element *=
          std::max(1.0, 1.0 / std::sqrt(norm.getEps().convertToDouble()));
  return result;
}

Value Reach::find(mlir::Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (isExponential(op) && !isInverse) {
    Value reach = ofLeaf(value);
    for (double &element : reach.data)
      element *= kMostAboveMaximum;
    return reach;
  }
  if (depth == kMostOps || !isReordered(op))
    return ofLeaf(value);
  if (isa<MulOp, DivOp, RmsNormOp>(op))
    return ofProduct(op, depth);
  Value below = of(op->getOperand(0), depth + 1);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return evaluateTranspose(transpose, below);
  below.shape = get(value).shape;
  return below;
}

const Value &Reach::of(mlir::Value value, unsigned depth) {
  if (auto found = known.find(value); found != known.end())
    return *found->second;
  auto reach = std::make_shared<const Value>(find(value, depth));
  return *known.try_emplace(value, std::move(reach)).first->second;
}

static double largest(const Value &reach) {
  double most = 1.0;
  for (double element : reach.data)
    most = std::max(most, element);
  return most;
}

/// Takes the bounds where the products that `reach` knows add up to too much.
static llvm::Error
dropBounds(Operation *op, Reach reach,
           llvm::function_ref<llvm::Expected<Value>(Operands)> evaluate,
           Value &result) {
  llvm::SmallVector<const Value *, 2> factors;
  for (mlir::Value operand : op->getOperands())
    factors.push_back(&reach.of(operand));
  // Half of it, for what roundings add.
  double limit =
      0.5 * getMaxFinite(isNarrow(result.dtype) ? DType::F32 : result.dtype);
  // No sum has more terms than an operand has elements.
  double most = factors.front()->size();
  for (const Value *factor : factors)
    most *= largest(*factor);
  if (most <= limit)
    return llvm::Error::success();
  llvm::Expected<Value> sums = evaluate(factors);
  if (!sums)
    return sums.takeError();
  for (int64_t i = 0; i < result.size(); ++i)
    if (!(sums->data[i] + sums->getError(i) <= limit))
      result.error[i] = kInfinity;
  return llvm::Error::success();
}

/// Drops bounds where another order of the factors may overflow, or underflow.
static llvm::Error
dropBothWays(Operation *op, GetTensor get,
             llvm::function_ref<llvm::Expected<Value>(Operands)> evaluate,
             Value &result) {
  for (bool isInverse : {false, true})
    if (llvm::Error error =
            dropBounds(op, Reach(get, isInverse), evaluate, result))
      return error;
  return llvm::Error::success();
}

llvm::Error mlir::fuse::reference::allowReorderedProducts(
    Operation *op, GetTensor get,
    llvm::function_ref<llvm::Expected<Value>(Operands)> evaluate,
    Value &result) {
  auto anyOperand = [&](bool (*has)(Operation *)) {
    return llvm::any_of(op->getOperands(), [&](mlir::Value operand) {
      return has(operand.getDefiningOp());
    });
  };
  if (anyOperand(isReordered))
    return dropBothWays(op, get, evaluate, result);
  if (!anyOperand(isExponential))
    return llvm::Error::success();
  // Where only the division moves, no NaN comes or goes.
  Value inOrder = result;
  if (llvm::Error error =
          dropBounds(op, Reach(get, /*isInverse=*/false), evaluate, result))
    return error;
  for (int64_t i = 0; i < result.size(); ++i)
    if (std::isnan(result.data[i]))
      result.error[i] = inOrder.getError(i);
  return llvm::Error::success();
}

/// Whether products lead from sums of products of 8-bit floats to the value.
static bool areScaledSums(mlir::Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto contract = dyn_cast<ContractOp>(op))
    return contract.getLhs().getType().getElementTypeBitWidth() == 8;
  return isReordered(op) && llvm::any_of(op->getOperands(), areScaledSums);
}

llvm::Error mlir::fuse::reference::allowReorderedScales(
    ReduceOp op, GetTensor get,
    llvm::function_ref<llvm::Expected<Value>(Operands)> evaluate,
    Value &result) {
  if (op.getKind() != ReduceKind::sum || !areScaledSums(op->getOperand(0)))
    return llvm::Error::success();
  return dropBothWays(op, get, evaluate, result);
}
