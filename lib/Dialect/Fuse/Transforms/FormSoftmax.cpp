//===- FormSoftmax.cpp - Weights of contractions as a softmax -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel streams the keys of attention if the weights are exponentials
// below the maximum of their row (StreamedSpace.h). Programs write the same
// weights in other ways. Three steps give them that form:
//
//   exp2(x)                  -> exp(x ln 2)
//   (exp(x) y) / s           -> (exp(x) / s) y        y the other operand
//   exp(x - r) where mask    -> exp(z - m) exp(m - r)
//                               z = mask ? x : -inf, m = max(z)
//
// In the last step r is any number of the row, or 0, and exp(m - r) a factor of
// the row. It does not stay with the exponentials: a sum of them has it, too,
// so that it goes where one is divided by the other, and becomes a summand of a
// logarithm. Values are homogeneous of a degree in the factor, as physical
// quantities are in a unit. Where something else reads the exponentials, as
// with a small number beside the sum, they and the sum are multiplied by it.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "SoftmaxFactor.h"

#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEFORMSOFTMAX
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// All ops of the block that a contraction leads to by other ops than
/// contractions.
static llvm::DenseSet<Operation *> behindContractions(Block &block) {
  llvm::DenseSet<Operation *> found;
  for (Operation &op : block)
    if (!isa<ContractOp>(op) &&
        llvm::any_of(op.getOperands(), [&](Value operand) {
          Operation *its = operand.getDefiningOp();
          return its && (isa<ContractOp>(its) || found.contains(its));
        }))
      found.insert(&op);
  return found;
}

/// Those of `behind` that the value follows from.
static llvm::SmallSetVector<Operation *, 16>
opsOf(Value value, const llvm::DenseSet<Operation *> &behind) {
  llvm::SmallSetVector<Operation *, 16> found;
  SmallVector<Value> work = {value};
  while (!work.empty())
    if (Operation *op = work.pop_back_val().getDefiningOp();
        op && behind.contains(op) && found.insert(op))
      llvm::append_range(work, op->getOperands());
  return found;
}

//===----------------------------------------------------------------------===//
// Divisions behind the product
//===----------------------------------------------------------------------===//

namespace {
/// A product of exponentials, divided by a number of the row or multiplied with
/// one.
struct LateFactor {
  ContractOp product;
  /// The product's operand that has the rows: 0 for the left one.
  unsigned weights;
  /// Between the product and `op`.
  SmallVector<CastOp> casts;
  /// A quotient or product, of which operand number `row` is the number of the
  /// row.
  Operation *op;
  unsigned row;

  Value factor() const { return op->getOperand(row); }
};
} // namespace

/// The operand with the axes of the result, but for the last ones.
static std::optional<unsigned> operandOfRows(ContractOp product) {
  StringRef result = product.getResultAxes();
  StringRef axes[] = {product.getLhsAxes(), product.getRhsAxes()};
  for (unsigned number : {0, 1})
    if (!result.empty() && axes[number].size() == result.size() &&
        axes[number].drop_back() == result.drop_back() &&
        !result.contains(axes[number].back()))
      return number;
  return std::nullopt;
}

static std::optional<LateFactor> lateFactorOf(ContractOp product) {
  std::optional<unsigned> weights = operandOfRows(product);
  if (!weights)
    return std::nullopt;
  LateFactor found{product, *weights, {}, nullptr, 1};
  Value value = product.getResult();
  while (value.hasOneUse()) {
    found.op = *value.user_begin();
    auto cast = dyn_cast<CastOp>(found.op);
    if (!cast || !isa<FloatType>(getElementTypeOrSelf(cast.getResult())))
      break;
    found.casts.push_back(cast);
    value = cast.getResult();
  }
  if (!isa_and_nonnull<DivOp, MulOp>(found.op) || !value.hasOneUse())
    return std::nullopt;
  bool isFirst = found.op->getOperand(0) == value;
  if (!isFirst && isa<DivOp>(found.op))
    return std::nullopt;
  found.row = isFirst ? 1 : 0;
  // A number of more rows than the product has would repeat it.
  if (!isOfRows(found.factor(), product.getResult()) ||
      found.op->getResult(0).getType() != value.getType())
    return std::nullopt;
  return found;
}

/// Multiplies or divides the operand instead, in the type that it is computed
/// in.
static void moveBeforeProduct(const LateFactor &late) {
  ContractOp product = late.product;
  Operation *after = late.factor().getDefiningOp();
  Operation *at = after && product->isBeforeInBlock(after)
                      ? after->getNextNode()
                      : product.getOperation();
  ImplicitLocOpBuilder builder(late.op->getLoc(), at);
  Value operand = product->getOperand(late.weights), weights = operand;
  Type narrow = getElementTypeOrSelf(weights);
  if (auto cast = weights.getDefiningOp<CastOp>();
      cast && isa<FloatType>(getElementTypeOrSelf(cast.getInput())))
    weights = cast.getInput();
  Value row = emitCast(builder, late.factor(), getElementTypeOrSelf(weights));
  Operation *moved = isa<DivOp>(late.op)
                         ? DivOp::create(builder, weights, row).getOperation()
                         : MulOp::create(builder, weights, row).getOperation();
  moved->setDiscardableAttrs(late.op->getDiscardableAttrDictionary());
  IRMapping mapping;
  mapping.map(operand, emitCast(builder, moved->getResult(0), narrow));
  Operation *last = builder.clone(*product, mapping);
  for (CastOp cast : late.casts)
    last = builder.clone(*cast.getOperation(), mapping);
  late.op->replaceAllUsesWith(last);
  late.op->erase();
  for (CastOp cast : llvm::reverse(late.casts))
    cast.erase();
  product.erase();
}

/// Whether the operand may be too large for f16, so that the product is not
/// that of what the program divides behind it.
static bool mayOverflow(ContractOp product, ArrayRef<Operation *> ofWeights) {
  return product.getLhs().getType().getElementType().isF16() &&
         llvm::any_of(ofWeights, [](Operation *op) {
           auto exp = dyn_cast<ExpOp>(op);
           return exp && !SoftmaxFactor(exp).isFormed();
         });
}

static void moveBeforeProducts(Block &block) {
  llvm::DenseSet<Operation *> behind = behindContractions(block);
  SmallVector<ContractOp> products(block.getOps<ContractOp>());
  for (ContractOp product : products) {
    std::optional<LateFactor> late = lateFactorOf(product);
    if (!late)
      continue;
    auto ofWeights = opsOf(product->getOperand(late->weights), behind);
    auto ofRow = opsOf(late->factor(), behind);
    bool isOfSum = llvm::any_of(ofRow, [&](Operation *op) {
      auto sum = dyn_cast<ReduceOp>(op);
      return sum && ofWeights.contains(sum.getInput().getDefiningOp());
    });
    if (isOfSum && llvm::any_of(ofWeights, llvm::IsaPred<ExpOp>) &&
        !mayOverflow(product, ofWeights.getArrayRef()))
      moveBeforeProduct(*late);
  }
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// The exponent's maximum over the last dimension, where it is one of
/// `difference`; not below a ceiling or a guard.
static ReduceOp plainMaximum(SubOp difference) {
  auto max = difference.getRhs().getDefiningOp<ReduceOp>();
  return max && max.getKind() == ReduceKind::max && max.getKeep() &&
                 max.getInput() == difference.getLhs()
             ? max
             : ReduceOp();
}

/// 2^x as e^(x ln 2). The maximum of an exponent is that of the exponent times
/// ln 2, from which others get it back.
static void toBaseE(Exp2Op op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Value exponent = op.getInput();
  Type element = getElementTypeOrSelf(exponent);
  auto times = [&](Value value, double factor) -> Value {
    return MulOp::create(builder, value, emitScalar(builder, element, factor));
  };
  auto difference = exponent.getDefiningOp<SubOp>();
  ReduceOp max = difference ? plainMaximum(difference) : ReduceOp();
  Value natural;
  if (max) {
    builder.setInsertionPoint(max);
    Value scaled = times(difference.getLhs(), llvm::numbers::ln2);
    Value its = ReduceOp::create(builder, ReduceKind::max, scaled,
                                 max.getDims(), /*keep=*/true);
    Value binary = times(its, llvm::numbers::log2e);
    max.replaceAllUsesWith(binary);
    max.erase();
    builder.setInsertionPoint(op);
    natural = SubOp::create(builder, scaled, its);
  } else {
    natural = times(exponent, llvm::numbers::ln2);
  }
  auto exp = ExpOp::create(builder, natural);
  exp->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.replaceAllUsesWith(exp.getResult());
  op.erase();
}

/// Whether a sum over the last dimension has the value, or its product with
/// something.
static bool isSummed(Value value, unsigned depth = 4) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto reduce = dyn_cast<ReduceOp>(user);
    if (reduce)
      return reduce.getKind() == ReduceKind::sum;
    return depth > 0 && isa<CastOp, MulOp, SelectOp>(user) &&
           isSummed(user->getResult(0), depth - 1);
  });
}

/// Ops between two contractions.
static llvm::DenseSet<Operation *> betweenContractions(Block &block) {
  llvm::DenseSet<Operation *> behind = behindContractions(block), between;
  for (Operation &op : llvm::reverse(block)) {
    bool isBefore = llvm::any_of(op.getUsers(), [&](Operation *user) {
      return isa<ContractOp>(user) || between.contains(user);
    });
    if (isBefore && behind.contains(&op))
      between.insert(&op);
  }
  return between;
}

static void formIn(Block &block) {
  llvm::DenseSet<Operation *> between = betweenContractions(block);
  SmallVector<Exp2Op> binary;
  for (Exp2Op exp : block.getOps<Exp2Op>())
    if (between.contains(exp) && isSummed(exp.getResult()))
      binary.push_back(exp);
  llvm::for_each(binary, toBaseE);
  moveBeforeProducts(block);
  between = betweenContractions(block);
  SmallVector<ExpOp> exponentials;
  for (ExpOp exp : block.getOps<ExpOp>())
    if (between.contains(exp))
      exponentials.push_back(exp);
  // Again where a mask has gone into the exponent.
  for (ExpOp exp : exponentials)
    while (exp)
      exp = SoftmaxFactor(exp).takeOut();
}

namespace {
struct FormSoftmax : public mlir::fuse::impl::FuseFormSoftmaxBase<FormSoftmax> {
  using Base::Base;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      formIn(block);
  }
};
} // namespace
