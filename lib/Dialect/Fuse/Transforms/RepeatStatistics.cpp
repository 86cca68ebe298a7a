//===- RepeatStatistics.cpp - Statistics of a vector that rows multiply ---===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between two products with one row, as in decoding one token, lies a norm:
//
//   %s = fuse.reduce mean (x * x)          x[k]
//   %n = x * rsqrt(%s + eps) * w
//   %y = fuse.reduce sum (W * %n)          W[n, k], along k
//
// Whoever computes %s, all that is multiplied with %n waits for it: a launch,
// or all blocks of the kernel before, which meet. But each row of W is walked
// with all of x, and memory leaves time to add up x * x beside:
//
//   %s = fuse.reduce mean (x * x, for each n)
//   %p = fuse.reduce sum (W * (x * w))
//   %y = %p * rsqrt(%s + eps)
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEREPEATSTATISTICS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Elements of a vector that each row reads again: it stays near the cores.
static constexpr int64_t mostElements = 16384;
/// What is further away from the products is not looked for.
static constexpr size_t mostSteps = 32;
/// Narrower elements of the matrix leave no time beside reading them.
static constexpr unsigned fewestBits = 16;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// Products of such numbers, in any order, overflow where those of f32 do.
static bool hasRangeOfF32(Value value) {
  return elementOf(value).isF32() || elementOf(value).isBF16();
}

static bool hasOneElement(Value value) {
  return llvm::all_of(shapeOf(value), [](int64_t size) { return size == 1; });
}

/// Whether all dimensions but the last have size 1.
static bool isVector(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  return !shape.empty() && !ShapedType::isDynamic(shape.back()) &&
         llvm::all_of(shape.drop_back(), [](int64_t s) { return s == 1; });
}

static bool isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

namespace {
/// A step from the products to a vector without its factor.
struct Step {
  Operation *op;
  unsigned next;
};

/// Products of a matrix and a vector with a factor that follows from the
/// vector's statistic.
class ScaledProducts {
public:
  explicit ScaledProducts(ReduceOp sums) : sums(sums) {}

  bool find();
  void rewrite();

private:
  bool findVector();
  bool follow(Value value);
  bool isFactor(Value value, Value scaled);
  Value emitRest(OpBuilder &builder);
  Value emitFactor(OpBuilder &builder, Type rows);

  ReduceOp sums;
  MulOp products;
  /// The operand of the products that is the vector.
  unsigned vector = 0;
  /// From the vector down; the last one multiplies with the factor.
  SmallVector<Step> steps;
  ReduceOp statistic;
  /// The ops by which the factor follows from the statistic, in order.
  SmallVector<Operation *> behind;
};
} // namespace

/// Whether `value`, one number, follows from a reduction of a vector of the
/// shape of `scaled`.
bool ScaledProducts::isFactor(Value value, Value scaled) {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> work = {value};
  ReduceOp found;
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || ops.size() > mostSteps)
      return false;
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (found && found != reduce)
        return false;
      found = reduce;
      continue;
    }
    // A number has no dimensions, and goes with any shape.
    if (isa<ConstantOp>(op) && shapeOf(op->getResult(0)).empty())
      continue;
    if (!op->hasTrait<mlir::fuse::OpTrait::Pointwise>() || isa<CastOp>(op) ||
        op->getNumResults() != 1 || !hasOneElement(op->getResult(0)) ||
        !elementOf(op->getResult(0)).isF32())
      return false;
    ops.insert(op);
    llvm::append_range(work, op->getOperands());
  }
  if (!found || shapeOf(found.getInput()) != shapeOf(scaled) ||
      !elementOf(found.getInput()).isF32() || !hasOneElement(found))
    return false;
  statistic = found;
  behind = ops.takeVector();
  llvm::sort(behind,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return true;
}

/// Whether a way from `value` leads to a factor.
bool ScaledProducts::follow(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isVector(value) || !hasRangeOfF32(value) ||
      steps.size() == mostSteps)
    return false;
  auto into = [&](unsigned next) {
    steps.push_back({op, next});
    if (follow(op->getOperand(next)))
      return true;
    steps.pop_back();
    return false;
  };
  if (auto cast = dyn_cast<CastOp>(op)) {
    auto bits = [](Value v) { return elementOf(v).getIntOrFloatBitWidth(); };
    bool roundsLate = cast->hasAttr(kImplicitAttr) ||
                      bits(cast.getResult()) >= bits(cast.getInput());
    return roundsLate && into(0);
  }
  if (isReshape(op))
    return into(0);
  // A square has its factor twice.
  if (!isa<MulOp>(op) || op->getOperand(0) == op->getOperand(1))
    return false;
  for (unsigned next : {0, 1}) {
    Value scaled = op->getOperand(next);
    if (scaled.getType() == value.getType() &&
        isFactor(op->getOperand(1 - next), scaled)) {
      steps.push_back({op, next});
      return true;
    }
  }
  for (unsigned next : {0, 1})
    if (op->getOperand(next).getType() == value.getType() && into(next))
      return true;
  return false;
}

bool ScaledProducts::findVector() {
  ArrayRef<int64_t> shape = shapeOf(products);
  for (unsigned number : {0, 1}) {
    Value matrix = products->getOperand(1 - number);
    Value candidate = products->getOperand(number);
    auto widened = matrix.getDefiningOp<CastOp>();
    Value read = widened ? widened.getInput() : matrix;
    if (shapeOf(matrix) == shape && shapeOf(candidate).size() == shape.size() &&
        isVector(candidate) &&
        elementOf(read).getIntOrFloatBitWidth() >= fewestBits &&
        follow(candidate)) {
      vector = number;
      return true;
    }
  }
  return false;
}

bool ScaledProducts::find() {
  products = sums.getInput().getDefiningOp<MulOp>();
  if (sums.getKind() != ReduceKind::sum || !products ||
      !elementOf(sums).isF32() || !products.getType().hasStaticShape())
    return false;
  ArrayRef<int64_t> shape = shapeOf(products);
  int64_t last = shape.size() - 1;
  return sums.getDims() == ArrayRef(last) && shape.back() > 0 &&
         shape.back() <= mostElements && !isVector(products) && findVector();
}

/// The vector without its factor, as the products read it.
Value ScaledProducts::emitRest(OpBuilder &builder) {
  Value rest = steps.back().op->getOperand(steps.back().next);
  for (const Step &step : llvm::reverse(ArrayRef(steps).drop_back())) {
    IRMapping mapping;
    mapping.map(step.op->getOperand(step.next), rest);
    rest = builder.clone(*step.op, mapping)->getResult(0);
  }
  return rest;
}

/// The factor once more, for each of the rows.
Value ScaledProducts::emitFactor(OpBuilder &builder, Type rows) {
  Location loc = statistic.getLoc();
  Value elements = statistic.getInput();
  auto withShapeOf = [&](Value other) {
    return cast<RankedTensorType>(elements.getType()).clone(shapeOf(other));
  };
  for (const Step &step : llvm::reverse(steps)) {
    Value shaped = step.op->getResult(0);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(step.op))
      elements = tensor::ExpandShapeOp::create(
          builder, loc, withShapeOf(shaped), elements,
          expand.getReassociationIndices());
    else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(step.op))
      elements = tensor::CollapseShapeOp::create(
          builder, loc, withShapeOf(shaped), elements,
          collapse.getReassociationIndices());
  }
  elements = BroadcastOp::create(builder, loc, withShapeOf(products), elements,
                                 /*like=*/Value());
  IRMapping mapping;
  mapping.map(statistic.getResult(),
              ReduceOp::create(builder, loc, rows, statistic.getKind(),
                               elements, sums.getDims(), sums.getKeep())
                  .getResult());
  Value factor = mapping.lookup(statistic.getResult());
  for (Operation *op : behind) {
    Operation *copy = builder.clone(*op, mapping);
    copy->getResult(0).setType(rows);
    factor = copy->getResult(0);
  }
  return factor;
}

void ScaledProducts::rewrite() {
  OpBuilder builder(sums);
  Location loc = sums.getLoc();
  IRMapping mapping;
  mapping.map(products->getOperand(vector), emitRest(builder));
  Operation *rest = builder.clone(*products, mapping);
  mapping.map(products.getResult(), rest->getResult(0));
  Value plain = builder.clone(*sums, mapping)->getResult(0);
  Value factor = emitFactor(builder, plain.getType());
  sums.replaceAllUsesWith(
      MulOp::create(builder, loc, plain, factor).getResult());
}

namespace {
struct RepeatStatistics
    : public mlir::fuse::impl::FuseRepeatStatisticsBase<RepeatStatistics> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ReduceOp> candidates;
    for (Block &block : getOperation().getBody())
      llvm::append_range(candidates, block.getOps<ReduceOp>());
    for (ReduceOp sums : candidates) {
      ScaledProducts found(sums);
      if (!found.find())
        continue;
      found.rewrite();
    }
    // What nobody needs any more, from the last on.
    for (Block &block : getOperation().getBody())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
  }
};
} // namespace
