//===- NestReductions.cpp - Reductions of what others have reduced --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scale for each row beside one for the whole tensor reduces the same
// elements twice, in two shapes of walks:
//
//   %r = reduce max %x dims = [1]                        [n]
//   %a = reduce max %x dims = [0, 1]                     []
//
// All that the second needs is what the first has left:
//
//   %a = reduce max %r dims = [0]
//
// So it is with every kind whose partial results the first one holds in the
// precision in which the second would add them up. A kernel of rows goes on to
// a reduction over all of them, and what is left of columns is little to read.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSENESTREDUCTIONS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Ops that are compared to find out that two values are the same.
static constexpr size_t mostOps = 32;

static Type elementOf(Value value) {
  return getElementTypeOrSelf(value.getType());
}

/// What the value shows, without casts that change no number.
static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>()) {
    auto from = dyn_cast<FloatType>(elementOf(cast.getInput()));
    auto to = dyn_cast<FloatType>(elementOf(cast.getResult()));
    if (!from || !to ||
        !APFloat::isRepresentableBy(from.getFloatSemantics(),
                                    to.getFloatSemantics()))
      break;
    value = cast.getInput();
  }
  return value;
}

/// Whether two values are the same because the same ops compute them of the
/// same values; `steps` counts what has been compared.
static bool areSame(Value a, Value b, size_t &steps) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second || ++steps > mostOps || !isPure(first) ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber())
    return false;
  return OperationEquivalence::isEquivalentTo(
      first, second,
      [&](Value x, Value y) { return success(areSame(x, y, steps)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

static bool isSum(ReduceKind kind) {
  return kind == ReduceKind::sum || kind == ReduceKind::mean ||
         kind == ReduceKind::prod;
}

namespace {
/// A reduction and another one of the same elements, over fewer dimensions.
class Nest {
public:
  Nest(ReduceOp outer, ReduceOp &inner)
      : outer(outer), inner(inner), builder(outer), loc(outer.getLoc()) {}

  bool isExact();
  void rewrite();

private:
  bool isMeanOfSums();
  std::optional<int64_t> terms();
  Value shown(Type element);
  void moveBefore();
  void widen();
  void keepDims();
  Value cast(Value value, Type element);

  ReduceOp outer;
  /// Takes the place of what it was.
  ReduceOp &inner;
  OpBuilder builder;
  Location loc;
};
} // namespace

bool Nest::isMeanOfSums() {
  return outer.getKind() == ReduceKind::mean &&
         inner.getKind() == ReduceKind::sum;
}

/// How many elements each result of the inner one is of, where that is known
/// and not 0, of which there is no mean.
std::optional<int64_t> Nest::terms() {
  int64_t product = 1;
  for (int64_t dim : inner.getDims()) {
    int64_t size = inner.getInput().getType().getDimSize(dim);
    if (ShapedType::isDynamic(size) || size == 0)
      return std::nullopt;
    product *= size;
  }
  return product;
}

/// Whether the inner one can hold partial results of the outer one as that
/// would: extremes are elements, integers wrap around, and other sums are added
/// up in the same type.
bool Nest::isExact() {
  if (isMeanOfSums() ? !terms() : outer.getKind() != inner.getKind())
    return false;
  Type own = elementOf(outer.getInput()), other = elementOf(inner.getInput());
  if (!isa<FloatType>(own) || !isa<FloatType>(other))
    return own == other;
  return !isSum(outer.getKind()) || getWideType(own) == getWideType(other);
}

Value Nest::cast(Value value, Type element) {
  if (elementOf(value) == element)
    return value;
  return CastOp::create(
      builder, loc,
      mlir::cast<RankedTensorType>(value.getType()).clone(element), value);
}

/// What is reduced, in an element type that holds it, where the outer one is.
Value Nest::shown(Type element) {
  return elementOf(outer.getInput()) == element
             ? Value(outer.getInput())
             : cast(withoutCasts(outer.getInput()), element);
}

/// The inner one may come later, of a value that is computed there once more.
void Nest::moveBefore() {
  if (inner->isBeforeInBlock(outer))
    return;
  inner.getInputMutable().assign(shown(elementOf(inner.getInput())));
  inner->moveBefore(outer);
}

/// Lets the inner one leave sums as they are added up, and rounds them behind
/// it.
void Nest::widen() {
  ReduceOp narrow = inner;
  Type wide = getWideType(elementOf(narrow.getInput()));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(narrow);
  inner = ReduceOp::create(builder, loc, narrow.getKind(),
                           cast(narrow.getInput(), wide), narrow.getDims(),
                           narrow.getKeep());
  inner->setDiscardableAttrs(narrow->getDiscardableAttrDictionary());
  Value rounded = cast(inner, elementOf(narrow));
  if (Operation *op = rounded.getDefiningOp<CastOp>())
    op->setAttr(kImplicitAttr, builder.getUnitAttr());
  narrow.replaceAllUsesWith(rounded);
  narrow.erase();
}

/// Lets the inner one keep its dimensions, with a collapse for its users.
void Nest::keepDims() {
  ReduceOp bare = inner;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(bare);
  inner = ReduceOp::create(builder, bare.getLoc(), bare.getKind(),
                           bare.getInput(), bare.getDims(), /*keep=*/true);
  inner->setDiscardableAttrs(bare->getDiscardableAttrDictionary());
  Value collapsed = tensor::CollapseShapeOp::create(
      builder, bare.getLoc(), bare.getType(), inner.getResult(),
      groupsWithout(bare.getInput().getType().getRank(), bare.getDims()));
  bare.replaceAllUsesWith(collapsed);
  bare.erase();
}

void Nest::rewrite() {
  moveBefore();
  Type element = elementOf(inner);
  if (isa<FloatType>(element) && isSum(outer.getKind()) &&
      getWideType(element) != element)
    widen();
  if (outer.getKeep() && !inner.getKeep())
    keepDims();
  SmallVector<int64_t> dims;
  for (int64_t dim : outer.getDims()) {
    int64_t gone = llvm::count_if(inner.getDims(), [&](int64_t other) {
      return !inner.getKeep() && other < dim;
    });
    if (inner.getKeep() || !llvm::is_contained(inner.getDims(), dim))
      dims.push_back(dim - gone);
  }
  auto rest = ReduceOp::create(builder, loc, outer.getKind(), inner, dims,
                               outer.getKeep());
  rest->setDiscardableAttrs(outer->getDiscardableAttrDictionary());
  Value result = rest;
  if (isMeanOfSums()) {
    auto number = RankedTensorType::get({}, elementOf(result));
    auto count = builder.getFloatAttr(number.getElementType(),
                                      static_cast<double>(*terms()));
    Value divisor =
        ConstantOp::create(builder, loc, DenseElementsAttr::get(number, count));
    result = DivOp::create(builder, loc, result.getType(), result, divisor);
  }
  Value rounded = cast(result, elementOf(outer));
  if (rounded != result && isSum(outer.getKind()))
    rounded.getDefiningOp()->setAttr(kImplicitAttr, builder.getUnitAttr());
  outer.replaceAllUsesWith(rounded);
  outer.erase();
}

/// Whether `inner` reduces some of the dimensions that `outer` reduces, of the
/// same elements.
static bool isWithin(ReduceOp inner, ReduceOp outer) {
  Value own = withoutCasts(inner.getInput());
  Value other = withoutCasts(outer.getInput());
  auto isReduced = [&](int64_t dim) {
    return llvm::is_contained(outer.getDims(), dim);
  };
  size_t steps = 0;
  return inner->getBlock() == outer->getBlock() && !inner.getDims().empty() &&
         inner.getDims().size() < outer.getDims().size() &&
         llvm::all_of(inner.getDims(), isReduced) &&
         own.getType() == other.getType() && areSame(own, other, steps);
}

/// The reduction that leaves the least, of rows where as many dimensions stay.
static ReduceOp *findInner(ReduceOp outer, MutableArrayRef<ReduceOp> all) {
  ReduceOp *found = nullptr;
  auto rank = [](ReduceOp op) {
    return std::make_pair(op.getDims().size(), op.getDims().back());
  };
  for (ReduceOp &each : all)
    if (each && isWithin(each, outer) && Nest(outer, each).isExact() &&
        (!found || rank(each) > rank(*found)))
      found = &each;
  return found;
}

namespace {
struct NestReductionsPass
    : public mlir::fuse::impl::FuseNestReductionsBase<NestReductionsPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<ReduceOp> all;
    for (Block &block : getOperation().getBody())
      llvm::append_range(all, block.getOps<ReduceOp>());
    // From those over most dimensions on: each is then an inner one as it was.
    llvm::stable_sort(all, [](ReduceOp a, ReduceOp b) {
      return a.getDims().size() > b.getDims().size();
    });
    // What rows have one of each is reduced where these are.
    auto isOfRows = [](ReduceOp op) { return meetsReduced(op.getInput()); };
    llvm::erase_if(all, isOfRows);
    for (ReduceOp &outer : all)
      if (ReduceOp *inner = findInner(outer, all)) {
        Nest(outer, *inner).rewrite();
        outer = nullptr;
      }
  }
};
} // namespace
