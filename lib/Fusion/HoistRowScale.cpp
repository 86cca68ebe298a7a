//===- HoistRowScale.cpp - Factors of rows out of contractions ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ways to factors are found first (RowFactors.h), then those go whose ops would
// have to be computed for others all the same, or that gain nothing; only what
// is left is rewritten: what stays of a way is computed anew from what it ends
// at, and the factors are multiplied into the result.
//
//===----------------------------------------------------------------------===//

#include "RowFactors.h"
#include "RowScaleTimes.h"

#include "fuse/Fusion/Passes.h"
#include "fuse/Schedule/MmaModel.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_HOISTROWSCALE
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

using Shape = SmallVector<int64_t>;

/// What is further away from a contraction is not looked for.
static constexpr size_t mostProducers = 64;

static unsigned bitsOf(Value value) {
  return getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
}

//===----------------------------------------------------------------------===//
// Which of them gain
//===----------------------------------------------------------------------===//

/// All ops that need the result of `op`.
static llvm::DenseSet<Operation *> dependentsOf(Operation *op) {
  llvm::DenseSet<Operation *> found;
  SmallVector<Operation *> work = {op};
  while (!work.empty())
    for (Operation *user : work.pop_back_val()->getUsers())
      if (found.insert(user).second)
        work.push_back(user);
  return found;
}

/// `value` without casts from narrower elements, and without views.
static Value behindViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto cast = dyn_cast<CastOp>(op);
    bool widens = cast && bitsOf(cast.getInput()) <= bitsOf(value);
    if (!isView(op) && !widens)
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Whether `value` is in memory in any case: an input, a result of the program,
/// or what an op reads that is in `behind` a contraction, since no kernel
/// before that one can hold it in registers.
static bool isInMemory(Value value, const llvm::DenseSet<Operation *> &behind) {
  return isa<BlockArgument>(value) ||
         llvm::any_of(value.getUsers(), [&](Operation *user) {
           return user->hasTrait<mlir::OpTrait::IsTerminator>() ||
                  behind.contains(user);
         });
}

/// Whether the way leaves nothing to compute from `left`, not even a cast.
static bool leavesView(const Way &way, Value left) {
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  return elementOf(left) == elementOf(way.contract->getOperand(way.operand)) &&
         llvm::all_of(way.steps, [](const Step &step) {
           return step.isTaken || isView(step.op) || isa<CastOp>(step.op);
         });
}

/// The last contraction that `value` follows from by pointwise ops of its
/// shape; null if there is none, or if these need what only another kernel
/// computes from the contraction.
static ContractOp epilogueOf(Value value) {
  llvm::SmallSetVector<Operation *, 16> ops;
  SmallVector<Operation *> others;
  auto add = [&](Value operand) {
    Operation *op = operand.getDefiningOp();
    if (op && shapeOf(operand) == shapeOf(value) &&
        (isa<ContractOp>(op) || op->hasTrait<mlir::fuse::OpTrait::Pointwise>()))
      ops.insert(op);
    else if (op)
      others.push_back(op);
  };
  add(value);
  ContractOp last;
  for (size_t next = 0; next < ops.size() && next < mostProducers; ++next) {
    auto contract = dyn_cast<ContractOp>(ops[next]);
    if (!contract)
      llvm::for_each(ops[next]->getOperands(), add);
    else if (!last || last->isBeforeInBlock(contract))
      last = contract;
  }
  if (!last || ops.size() > mostProducers)
    return {};
  llvm::DenseSet<Operation *> behind = dependentsOf(last);
  bool needsOthers =
      llvm::any_of(others, [&](Operation *op) { return behind.contains(op); });
  return needsOthers ? ContractOp() : last;
}

/// The contraction in whose kernel what the way leaves of `left` is computed,
/// where that one has `left` in registers, while the factors need a kernel
/// between the two: then that one has less to write. Null if there is none.
static ContractOp leavesEpilogue(const Way &way, Value left) {
  ContractOp before = epilogueOf(left);
  if (!before)
    return {};
  llvm::DenseSet<Operation *> behind = dependentsOf(before);
  auto isBehind = [&](const Step &step) {
    return step.op->getNumOperands() == 2 &&
           behind.contains(factorOf(step).getDefiningOp());
  };
  bool isLater = false, areViews = true;
  for (const Step &step : way.steps) {
    if (step.isTaken) {
      isLater |= isBehind(step);
      continue;
    }
    // A view of the other kernel's results is free, one of values inside it is
    // not.
    if (isBehind(step) || (isView(step.op) && !areViews))
      return {};
    areViews &= isView(step.op);
  }
  return isLater ? before : ContractOp();
}

static bool isWorthwhile(const Way &way) {
  Value left = behindViews(way.end());
  return isInMemory(left, dependentsOf(way.contract)) &&
         (leavesView(way, left) || leavesEpilogue(way, left));
}

/// What the factors of the way take.
static RowScaleTimes timesOf(const Way &way, const DimClasses &dims,
                             const GPUTarget &gpu) {
  Value left = behindViews(way.end());
  ContractOp before =
      leavesView(way, left) ? ContractOp() : leavesEpilogue(way, left);
  return rowScaleTimes(way.contract, way.operand, left, before, dims, gpu);
}

/// Keeps the ways whose ops nobody needs once all of these ways are rewritten.
static void keepUnshared(SmallVectorImpl<Way> &ways) {
  for (bool changed = true; changed;) {
    llvm::DenseSet<OpOperand *> vanishing;
    for (Way &way : ways) {
      vanishing.insert(&way.contract->getOpOperand(way.operand));
      for (const Step &step : way.steps)
        vanishing.insert(&step.op->getOpOperand(step.next));
    }
    size_t before = ways.size();
    llvm::erase_if(ways, [&](const Way &way) {
      return llvm::any_of(way.steps, [&](const Step &step) {
        return llvm::any_of(
            step.op->getResult(0).getUses(),
            [&](OpOperand &use) { return !vanishing.contains(&use); });
      });
    });
    changed = ways.size() != before;
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static OpFoldResult sizeOf(OpBuilder &builder, Location loc, Value value,
                           int64_t dim) {
  if (!ShapedType::isDynamic(shapeOf(value)[dim]))
    return builder.getIndexAttr(shapeOf(value)[dim]);
  return tensor::DimOp::create(builder, loc, value, dim).getResult();
}

/// The factor above a view, for which shapeAbove() has found `shape`.
static Value emitAbove(OpBuilder &builder, Value factor, Operation *view,
                       ArrayRef<int64_t> shape) {
  if (shapeOf(factor).empty())
    return factor;
  Location loc = view->getLoc();
  auto type = cast<RankedTensorType>(factor.getType()).clone(shape);
  if (auto transpose = dyn_cast<TransposeOp>(view))
    return TransposeOp::create(builder, loc, type, factor,
                               transpose.getPermutation());
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(view))
    return tensor::CollapseShapeOp::create(builder, loc, type, factor,
                                           collapse.getReassociationIndices());
  auto expand = cast<tensor::ExpandShapeOp>(view);
  SmallVector<OpFoldResult> sizes = expand.getMixedOutputShape();
  for (auto [size, known] : llvm::zip_equal(sizes, shape))
    if (!ShapedType::isDynamic(known))
      size = builder.getIndexAttr(known);
  return tensor::ExpandShapeOp::create(builder, loc,
                                       cast<RankedTensorType>(type), factor,
                                       expand.getReassociationIndices(), sizes);
}

/// Groups of dimensions with one each of those that `varies` says.
static SmallVector<ReassociationIndices> groupsAround(ArrayRef<bool> varies) {
  SmallVector<ReassociationIndices> groups;
  bool hasOne = false;
  for (auto [dim, isOne] : llvm::enumerate(varies)) {
    if (groups.empty() || (isOne && hasOne)) {
      groups.emplace_back();
      hasOne = false;
    }
    groups.back().push_back(dim);
    hasOne |= isOne;
  }
  return groups;
}

namespace {
/// Gives a factor with the axes of an operand those of the result.
class AxisMapper {
public:
  AxisMapper(OpBuilder &builder, ContractOp contract)
      : builder(builder), loc(contract.getLoc()),
        result(contract.getResultAxes()) {}

  Value map(Value factor, StringRef axes);

private:
  void dropOnes();
  void order();
  void spread();

  OpBuilder &builder;
  Location loc;
  StringRef result;
  Value factor;
  std::string letters;
};
} // namespace

Value AxisMapper::map(Value value, StringRef axes) {
  factor = value;
  letters = axes.take_back(shapeOf(factor).size()).str();
  // Often the axes are where they have to be.
  auto pairs = llvm::zip(llvm::reverse(letters), llvm::reverse(result),
                         llvm::reverse(shapeOf(factor)));
  bool fits =
      letters.size() <= result.size() && llvm::all_of(pairs, [](auto pair) {
        auto [own, wanted, size] = pair;
        return own == wanted || size == 1;
      });
  if (!fits) {
    dropOnes();
    order();
    spread();
  }
  return factor;
}

void AxisMapper::dropOnes() {
  SmallVector<bool> varies;
  Shape shape;
  std::string kept;
  for (auto [letter, size] : llvm::zip_equal(letters, shapeOf(factor))) {
    varies.push_back(size != 1);
    if (size != 1) {
      shape.push_back(size);
      kept += letter;
    }
  }
  if (kept == letters)
    return;
  SmallVector<ReassociationIndices> groups;
  if (!kept.empty())
    groups = groupsAround(varies);
  letters = kept;
  factor = tensor::CollapseShapeOp::create(
      builder, loc, cast<RankedTensorType>(factor.getType()).clone(shape),
      factor, groups);
}

void AxisMapper::order() {
  std::string wanted = letters;
  llvm::sort(wanted,
             [&](char a, char b) { return result.find(a) < result.find(b); });
  if (wanted == letters)
    return;
  SmallVector<int64_t> permutation;
  Shape shape;
  for (char letter : wanted) {
    permutation.push_back(letters.find(letter));
    shape.push_back(shapeOf(factor)[permutation.back()]);
  }
  letters = wanted;
  factor = TransposeOp::create(
      builder, loc, cast<RankedTensorType>(factor.getType()).clone(shape),
      factor, permutation);
}

/// Puts ones between and behind the axes, where the result has others.
void AxisMapper::spread() {
  if (result.ends_with(letters))
    return;
  StringRef covered = result.drop_front(result.find(letters.front()));
  SmallVector<bool> varies;
  Shape shape;
  SmallVector<OpFoldResult> sizes;
  for (char letter : covered) {
    size_t dim = letters.find(letter);
    varies.push_back(dim != std::string::npos);
    shape.push_back(varies.back() ? shapeOf(factor)[dim] : 1);
    sizes.push_back(varies.back() ? sizeOf(builder, loc, factor, dim)
                                  : OpFoldResult(builder.getIndexAttr(1)));
  }
  factor = tensor::ExpandShapeOp::create(
      builder, loc,
      RankedTensorType::get(shape, getElementTypeOrSelf(factor.getType())),
      factor, groupsAround(varies), sizes);
}

/// A cast that rounds where its value is stored.
static Value emitImplicitCast(OpBuilder &builder, Location loc, Value value,
                              Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getElementType() == element)
    return value;
  auto cast = CastOp::create(builder, loc, type.clone(element), value);
  cast->setAttr(kImplicitAttr, builder.getUnitAttr());
  return cast;
}

/// The step's op on another operand; a cast back to the elements that this was
/// widened from is none.
static Value emitStep(OpBuilder &builder, const Step &step, Value operand) {
  Type type = step.op->getResult(0).getType();
  if (isa<CastOp>(step.op))
    if (auto widened = operand.getDefiningOp<CastOp>())
      if (widened.getInput().getType() == type &&
          bitsOf(widened.getInput()) < bitsOf(operand))
        return widened.getInput();
  IRMapping mapping;
  mapping.map(step.op->getOperand(step.next), operand);
  return builder.clone(*step.op, mapping)->getResult(0);
}

static Value emitScaled(OpBuilder &builder, Location loc, Value value,
                        const Step &step, Value factor) {
  Type element = getElementTypeOrSelf(factor.getType());
  // Products of 16 bits may be of f32 as well: they are computed so.
  if (bitsOf(value) > bitsOf(factor))
    factor = emitImplicitCast(builder, loc, factor,
                              getElementTypeOrSelf(value.getType()));
  else
    value = emitImplicitCast(builder, loc, value, element);
  return isa<DivOp>(step.op)
             ? DivOp::create(builder, loc, value, factor).getResult()
             : MulOp::create(builder, loc, value, factor).getResult();
}

/// Computes the operand without its factors, and puts them behind the
/// contraction.
static void rewrite(Way &way) {
  ContractOp contract = way.contract;
  Location loc = contract.getLoc();
  OpBuilder builder(contract);
  Value rest = way.end();
  SmallVector<std::pair<const Step *, Value>> factors;
  for (const Step &step : llvm::reverse(way.steps)) {
    if (step.isTaken) {
      factors.push_back({&step, factorOf(step)});
      continue;
    }
    rest = emitStep(builder, step, rest);
    if (isView(step.op))
      for (auto &[of, factor] : factors)
        factor = emitAbove(builder, factor, step.op,
                           *shapeAbove(shapeOf(factor), step.op));
  }
  contract->setOperand(way.operand, rest);

  builder.setInsertionPointAfter(contract);
  llvm::SmallPtrSet<Operation *, 8> scales;
  Value result = contract.getResult(), scaled = result;
  Operation *last = contract->getNextNode();
  AxisMapper mapper(builder, contract);
  for (auto [step, factor] : factors)
    scaled =
        emitScaled(builder, loc, scaled, *step, mapper.map(factor, way.axes()));
  scaled = emitImplicitCast(builder, loc, scaled,
                            getElementTypeOrSelf(result.getType()));
  for (Operation *op = contract->getNextNode(); op != last;
       op = op->getNextNode())
    scales.insert(op);
  result.replaceAllUsesExcept(scaled, scales);
  for (const Step &step : way.steps)
    if (step.op->use_empty())
      step.op->erase();
}

namespace {
struct HoistRowScalePass
    : public mlir::fuse::impl::HoistRowScaleBase<HoistRowScalePass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<Way> ways;
    for (Block &block : getOperation().getBody())
      for (ContractOp contract : block.getOps<ContractOp>())
        for (unsigned operand : {0, 1})
          if (auto way = findWay(contract, operand, normsOnly))
            if (isWorthwhile(*way))
              ways.push_back(std::move(*way));
    keepUnshared(ways);
    if (keepFaster(ways))
      keepUnshared(ways);
    // What one leaves is another's operand: from the first contraction on.
    llvm::for_each(ways, rewrite);
  }

private:
  /// Keeps the ways that the model of time takes for faster, on chips whose
  /// tensor cores run contractions, and notes both times; whether some go.
  bool keepFaster(SmallVectorImpl<Way> &ways) {
    llvm::Expected<GPUTarget> gpu = lookupGPUTarget(chip);
    if (!gpu) {
      llvm::consumeError(gpu.takeError());
      return false;
    }
    DimClasses dims(getOperation());
    size_t before = ways.size();
    llvm::erase_if(ways, [&](Way &way) {
      RowScaleTimes times = timesOf(way, dims, *gpu);
      constexpr double micro = 1e6;
      way.contract->setAttr(kRowScaleAttr,
                            Builder(&getContext())
                                .getF64ArrayAttr({times.asScale * micro,
                                                  times.asKernel * micro}));
      return times.asScale > times.asKernel;
    });
    return ways.size() != before;
  }
};
} // namespace
