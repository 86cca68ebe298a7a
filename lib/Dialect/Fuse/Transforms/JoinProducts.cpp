//===- JoinProducts.cpp - Scores that are sums of products ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention whose positions are in features of their own adds up two products:
//
//   a k^T + b r^T  ->  concat(a, b) concat(k, r)^T
//
// As one product it is what kernels stream. Its sum has the terms of both, so
// nothing is computed twice, and the addition goes. The features may be scaled
// after they are multiplied, all by one number, or be widened before they are
// added; both then follow the sum.
//
// Operands that lack an axis of the others, or have size 1 there, are repeated.
// Parts of whole rows of shared memory come first: whoever reads the parts
// where they are finds each of them at the start of such a row.
//
// In f16 a sum may be infinite where each of its parts, scaled or widened, is
// not. Those stay as they are.
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEJOINPRODUCTS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Features of what is streamed at most, also without a softmax.
static constexpr int64_t mostFeatures = 1024, mostNarrow = 256;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Where the contracted axis of an operand is, among places of result axes.
static constexpr int64_t contracted = -1;

namespace {
/// An operand of a product: for each of its dimensions the place of its axis in
/// the result.
struct Side {
  Value value;
  SmallVector<int64_t, 5> axes;

  size_t dimOf(int64_t axis) const {
    return llvm::find(axes, axis) - axes.begin();
  }
  bool has(int64_t axis) const { return llvm::is_contained(axes, axis); }
  int64_t features() const {
    return typeOf(value).getDimSize(dimOf(contracted));
  }
};

/// A product that is added, and what it goes through before, from the addition
/// backwards.
struct Term {
  ContractOp op;
  SmallVector<Operation *, 2> after;
  Side rows, columns;
  /// What is added at the root: the product, or a sum of several.
  Value added;
};

/// What is known of a block's values before any sum is looked at, so that long
/// sums of other things cost nothing.
struct KnownSums {
  /// A product is added up in these, and nothing else is in the second.
  llvm::DenseSet<Value> withProducts, ofProducts;
};

/// A tree of additions with products at its leaves.
class ProductSum {
public:
  ProductSum(AddOp root, const KnownSums &known) : root(root), known(known) {}

  /// With `narrowOnly` products of 16-bit floats.
  bool find(bool narrowOnly);
  void join();

private:
  bool isInner(Value value) const;
  bool collect(Value value, SmallVector<Operation *, 2> after,
               SmallVectorImpl<Term> &found) const;
  void collectTop(Value value);
  bool isOfScores(int64_t features) const;
  bool areAlike(const Term &a, const Term &b) const;
  Value joined(ImplicitLocOpBuilder &builder, Side Term::*side,
               std::string &axes);

  AddOp root;
  const KnownSums &known;
  SmallVector<Term> terms;
  /// What is added besides.
  SmallVector<Value> others;
};
} // namespace

/// The sides of a product; none of one that has no rows, no columns, or several
/// summed axes.
static bool findSides(Term &term) {
  StringRef result = term.op.getResultAxes();
  if (term.op.getContractedAxes().size() != 1 || result.empty())
    return false;
  auto sideOf = [&](Value value, StringRef axes) {
    Side side{value, {}};
    for (char axis : axes) {
      size_t place = result.find(axis);
      side.axes.push_back(
          place == StringRef::npos ? contracted : static_cast<int64_t>(place));
    }
    return side;
  };
  Side lhs = sideOf(term.op.getLhs(), term.op.getLhsAxes());
  Side rhs = sideOf(term.op.getRhs(), term.op.getRhsAxes());
  auto last = static_cast<int64_t>(result.size()) - 1;
  if (lhs.has(last) == rhs.has(last))
    return false;
  bool isSwapped = lhs.has(last);
  term.rows = isSwapped ? rhs : lhs;
  term.columns = isSwapped ? lhs : rhs;
  int64_t features = term.rows.features();
  return !ShapedType::isDynamic(features) && features > 0 &&
         features == term.columns.features() && features <= mostFeatures;
}

static bool isNumber(Value value) {
  return typeOf(value).hasStaticShape() && typeOf(value).getNumElements() == 1;
}

static bool areSameNumbers(Value a, Value b) {
  if (a == b)
    return true;
  auto first = a.getDefiningOp<ConstantOp>();
  auto second = b.getDefiningOp<ConstantOp>();
  return first && second &&
         first->getAttrDictionary() == second->getAttrDictionary() &&
         a.getType() == b.getType();
}

/// The operand of a product with, or a division by, a number: the other one is
/// the number. None of what is neither.
static std::optional<unsigned> scaledOperand(Operation *op) {
  if (!isa<MulOp, DivOp>(op))
    return std::nullopt;
  if (isNumber(op->getOperand(1)))
    return 0;
  return isa<MulOp>(op) && isNumber(op->getOperand(0)) ? std::optional(1u)
                                                       : std::nullopt;
}

/// Whether every value of the operand's type is one of the result's.
static bool widens(CastOp cast) {
  Type from = getElementTypeOrSelf(cast.getInput());
  Type to = getElementTypeOrSelf(cast.getResult());
  return (from.isBF16() || from.isF16() || from.isF32()) &&
         (to.isF32() || to.isF64());
}

/// What a value follows from, of its own shape, where a sum may go through.
static Value throughOne(Operation *op) {
  if (auto cast = dyn_cast<CastOp>(op))
    return widens(cast) ? cast.getInput() : Value();
  std::optional<unsigned> scaled = scaledOperand(op);
  if (!scaled ||
      op->getOperand(*scaled).getType() != op->getResult(0).getType())
    return {};
  return op->getOperand(*scaled);
}

static KnownSums knownSums(Block &block) {
  KnownSums known;
  for (Operation &op : block) {
    SmallVector<Value, 2> from;
    if (isa<AddOp>(op))
      from = llvm::to_vector<2>(op.getOperands());
    else if (isa<ContractOp>(op))
      known.ofProducts.insert(op.getResult(0));
    else if (op.getNumResults() == 1)
      if (Value before = throughOne(&op))
        from = {before};
    if (!from.empty() && llvm::all_of(from, [&](Value value) {
          return known.ofProducts.contains(value);
        }))
      known.ofProducts.insert(op.getResult(0));
    bool hasProducts =
        isa<ContractOp>(op) || llvm::any_of(from, [&](Value value) {
          return known.withProducts.contains(value);
        });
    if (hasProducts)
      known.withProducts.insert(op.getResult(0));
  }
  return known;
}

/// Whether all that is computed of the value is a part of this sum.
bool ProductSum::isInner(Value value) const {
  return value.getDefiningOp() == root || value.hasOneUse();
}

/// Finds the products that the value is the sum of; fails where it has others.
bool ProductSum::collect(Value value, SmallVector<Operation *, 2> after,
                         SmallVectorImpl<Term> &found) const {
  Operation *op = value.getDefiningOp();
  if (!op || !isInner(value))
    return false;
  if (auto contract = dyn_cast<ContractOp>(op)) {
    Term term{contract, std::move(after), {}, {}, {}};
    if (!findSides(term))
      return false;
    found.push_back(std::move(term));
    return true;
  }
  if (isa<AddOp>(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      return operand.getType() == value.getType() &&
             collect(operand, after, found);
    });
  Value before = throughOne(op);
  if (!before)
    return false;
  after.push_back(op);
  return collect(before, std::move(after), found);
}

/// Additions from the root on: what is no sum of products is added behind.
void ProductSum::collectTop(Value value) {
  SmallVector<Term> found;
  bool areProducts = known.ofProducts.contains(value) &&
                     value.getType() == root.getType() &&
                     collect(value, {}, found);
  if (areProducts && llvm::all_of(found, [&](const Term &term) {
        return areAlike(term, found.front());
      })) {
    for (Term &term : found) {
      term.added = value;
      terms.push_back(std::move(term));
    }
    return;
  }
  auto add = value.getDefiningOp<AddOp>();
  if (!add || !known.withProducts.contains(value) ||
      add.getType() != root.getType() || !isInner(value))
    return others.push_back(value);
  for (Value operand : add->getOperands())
    collectTop(operand);
}

static bool areSameSteps(ArrayRef<Operation *> a, ArrayRef<Operation *> b) {
  return llvm::equal(a, b, [](Operation *x, Operation *y) {
    if (x->getName() != y->getName() ||
        x->getResult(0).getType() != y->getResult(0).getType())
      return false;
    if (isa<CastOp>(x))
      return true;
    unsigned first = *scaledOperand(x), second = *scaledOperand(y);
    return areSameNumbers(x->getOperand(1 - first), y->getOperand(1 - second));
  });
}

/// Whether each axis of `part` is one of `whole`, of one size, or repeats
/// there.
static bool fitsInto(const Side &part, const Side &whole) {
  RankedTensorType type = typeOf(part.value), target = typeOf(whole.value);
  for (auto [dim, axis] : llvm::enumerate(whole.axes)) {
    int64_t size = target.getDimSize(dim);
    bool repeats = !part.has(axis) || type.getDimSize(part.dimOf(axis)) == 1;
    if (axis == contracted)
      continue;
    if (repeats ? ShapedType::isDynamic(size)
                : type.getDimSize(part.dimOf(axis)) != size)
      return false;
  }
  return llvm::all_of(part.axes, [&](int64_t axis) { return whole.has(axis); });
}

/// The term whose operand all others fit into.
static const Term *widest(ArrayRef<Term> terms, Side Term::*side) {
  const Term *found = llvm::find_if(terms, [&](const Term &whole) {
    return llvm::all_of(terms, [&](const Term &part) {
      return fitsInto(part.*side, whole.*side);
    });
  });
  return found == terms.end() ? nullptr : found;
}

bool ProductSum::areAlike(const Term &a, const Term &b) const {
  ContractOp first = a.op, second = b.op;
  return first.getType() == second.getType() &&
         first.getPrecision() == second.getPrecision() &&
         areSameSteps(a.after, b.after);
}

namespace {
/// What attention computes of its scores.
class Followers {
public:
  /// Follows the scores to the products that they are weights of; fails where
  /// something else needs them.
  bool follow(Value scores);

  /// Whether a maximum of the scores, as a softmax has it, is among it.
  bool haveMaximum = false;
  /// Columns of the products.
  int64_t columns = 0;

private:
  bool visit(Operation *user, Value value);

  llvm::SetVector<Value> values;
};
} // namespace

bool Followers::visit(Operation *user, Value value) {
  if (auto reduce = dyn_cast<ReduceOp>(user)) {
    haveMaximum |= reduce.getKind() == ReduceKind::max;
    return true;
  }
  if (auto product = dyn_cast<ContractOp>(user)) {
    bool isLhs = product.getLhs() == value;
    StringRef axes = isLhs ? product.getLhsAxes() : product.getRhsAxes();
    bool isOverLast = !axes.empty() && typeOf(product).getRank() > 0 &&
                      !product.getResultAxes().contains(axes.back());
    if (isOverLast)
      columns = std::max(columns, typeOf(product).getShape().back());
    return isOverLast &&
           !typeOf(product).isDynamicDim(typeOf(product).getRank() - 1);
  }
  if (!user->hasTrait<mlir::fuse::OpTrait::Pointwise>() &&
      !isa<CastOp, SliceOp, ConcatOp, TransposeOp, tensor::ExpandShapeOp,
           tensor::CollapseShapeOp>(user))
    return false;
  values.insert(user->getResult(0));
  return true;
}

bool Followers::follow(Value scores) {
  values.insert(scores);
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers())
      if (!visit(user, values[i]))
        return false;
  return columns > 0;
}

/// Whether the sum is one of scores that kernels may stream. Without a softmax
/// these have a matrix of columns for each of several places, which those of a
/// network's layers do not, and narrow ones.
bool ProductSum::isOfScores(int64_t features) const {
  Followers followers;
  if (features > mostFeatures || !followers.follow(AddOp(root)) ||
      followers.columns > mostFeatures)
    return false;
  const Term &first = terms.front();
  bool areBatched = llvm::any_of(first.rows.axes, [&](int64_t axis) {
    return axis != contracted && first.columns.has(axis);
  });
  return followers.haveMaximum ||
         (areBatched && std::max(features, followers.columns) <= mostNarrow);
}

bool ProductSum::find(bool narrowOnly) {
  for (Value operand : root->getOperands())
    collectTop(operand);
  if (terms.size() < 2)
    return false;
  auto *rest =
      std::stable_partition(terms.begin(), terms.end(), [&](const Term &term) {
        return areAlike(term, terms.front());
      });
  for (const Term &term : llvm::make_range(rest, terms.end())) {
    if (others.empty() || others.back() != term.added)
      others.push_back(term.added);
  }
  terms.erase(rest, terms.end());
  int64_t features = 0;
  for (const Term &term : terms)
    features += term.rows.features();
  ContractOp first = terms.front().op;
  Type element = first.getType().getElementType();
  bool isNarrow = element.isF16() && !terms.front().after.empty();
  return terms.size() > 1 && !isNarrow &&
         (!narrowOnly || element.isF16() || element.isBF16()) &&
         first.getLhs().getType().getElementType() == element &&
         first.getRhs().getType().getElementType() == element &&
         widest(terms, &Term::rows) && widest(terms, &Term::columns) &&
         isOfScores(features);
}

/// The operand with the axes of another, and its sizes but for the features.
static Value aligned(ImplicitLocOpBuilder &builder, const Side &side,
                     const Side &whole) {
  RankedTensorType type = typeOf(side.value), target = typeOf(whole.value);
  SmallVector<int64_t> order, shape, full;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices group;
  for (auto [dim, axis] : llvm::enumerate(whole.axes)) {
    bool isOwn = side.has(axis);
    int64_t size = isOwn ? type.getDimSize(side.dimOf(axis)) : 1;
    shape.push_back(size);
    full.push_back(axis == contracted ? size : target.getDimSize(dim));
    group.push_back(static_cast<int64_t>(dim));
    if (!isOwn)
      continue;
    order.push_back(static_cast<int64_t>(side.dimOf(axis)));
    groups.push_back(std::exchange(group, {}));
  }
  llvm::append_range(groups.back(), group);
  Value value = side.value;
  if (!llvm::is_sorted(order))
    value = TransposeOp::create(builder, value, order);
  if (shape.size() > order.size())
    value = tensor::ExpandShapeOp::create(builder, type.clone(shape), value,
                                          groups);
  if (shape != full)
    value = BroadcastOp::create(builder, type.clone(full), value);
  return value;
}

/// The operands of one side, one after the other along the features; `axes` are
/// those of the new contraction.
Value ProductSum::joined(ImplicitLocOpBuilder &builder, Side Term::*side,
                         std::string &axes) {
  const Side whole = widest(terms, side)->*side;
  ContractOp first = terms.front().op;
  for (int64_t axis : whole.axes)
    axes += axis == contracted ? first.getContractedAxes().front()
                               : first.getResultAxes()[axis];
  SmallVector<Value> parts;
  SmallVector<int64_t> shape(typeOf(whole.value).getShape());
  size_t dim = whole.dimOf(contracted);
  shape[dim] = 0;
  for (const Term &term : terms) {
    parts.push_back(aligned(builder, term.*side, whole));
    shape[dim] += (term.*side).features();
  }
  return builder.createOrFold<ConcatOp>(typeOf(whole.value).clone(shape), parts,
                                        static_cast<int64_t>(dim));
}

void ProductSum::join() {
  ImplicitLocOpBuilder builder(root.getLoc(), root);
  std::stable_partition(terms.begin(), terms.end(), [](const Term &term) {
    return term.rows.features() % MmaScheduleAttr::kRowElements == 0;
  });
  ContractOp first = terms.front().op;
  bool isSwapped = terms.front().rows.value != first.getLhs();
  std::string left, right;
  Value rows = joined(builder, &Term::rows, isSwapped ? right : left);
  Value columns = joined(builder, &Term::columns, isSwapped ? left : right);
  Value sum = ContractOp::create(
      builder, first.getType(),
      builder.getStringAttr(left + "," + right + "->" + first.getResultAxes()),
      isSwapped ? columns : rows, isSwapped ? rows : columns,
      first.getPrecisionAttr());
  for (Operation *step : llvm::reverse(terms.front().after)) {
    Operation *copy = builder.clone(*step);
    copy->setOperand(isa<CastOp>(step) ? 0 : *scaledOperand(step), sum);
    sum = copy->getResult(0);
  }
  for (Value other : others)
    sum = AddOp::create(builder, root.getType(), sum, other);
  root.getResult().replaceAllUsesWith(sum);
}

namespace {
struct JoinProducts
    : public mlir::fuse::impl::FuseJoinProductsBase<JoinProducts> {
  using Base::Base;

  void runOnOperation() override {
    // The outermost additions come first: what they join leaves the others
    // without users.
    for (Block &block : getOperation().getBody()) {
      KnownSums known = knownSums(block);
      SmallVector<AddOp> adds(block.getOps<AddOp>());
      for (AddOp add : llvm::reverse(adds)) {
        if (add->use_empty() || !known.withProducts.contains(add))
          continue;
        if (ProductSum sum(add, known); sum.find(narrowOnly))
          sum.join();
      }
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          op.erase();
    }
  }
};
} // namespace
