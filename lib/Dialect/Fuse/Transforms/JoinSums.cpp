//===- JoinSums.cpp - One sum of the sums of many tensors -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The norm of all gradients adds up the sums of squares of many tensors. A
// kernel for each would take a launch for each, since blocks that share a sum
// wait for each other. Instead every tensor is cut into rows of one length,
// small ones with zeros behind them, and the sums of all rows are summed:
//
//   sum(x) + sum(y) + sum(z) -> sum(concat(rows(x), rows(y), rows(z)))
//
// Rows of one length share a launch, and are stored side by side. Sums of sums
// have another order of additions than the program's; it is fixed, too. So it
// is with the largest and the smallest of many tensors, and with whether any or
// all of their elements hold. What is joined may also
// be the elements of a concat that is reduced, as of a stack of norms.
//
// A loss of what a mask keeps is divided by the sum of the mask, which has an
// element for each row of what is masked. It is then a sum over rows, beside
// which blocks add up the mask:
//
//   sum(x * m) -> sum(sum(x, rows) * m)
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEJOINSUMS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Lengths of rows, powers of two.
static constexpr int64_t longestRow = 2048, shortestRow = 256;
/// Elements of tensors that zeros fill up to whole rows. Larger ones are read
/// with full width.
static constexpr int64_t mostFilled = 1 << 16;
/// Tensors from which on two launches are fewer.
static constexpr size_t fewestTensors = 3;

/// Whether this reduces all elements of a tensor, and is needed here only.
static bool isWhole(ReduceOp op, ReduceKind kind) {
  RankedTensorType type = op.getInput().getType();
  return op.getKind() == kind && op->hasOneUse() && type.hasStaticShape() &&
         type.getNumElements() > 0 && type.getRank() > 0 &&
         (isa<FloatType>(type.getElementType()) ||
          type.getElementType().isInteger(1)) &&
         op.getDims().size() == static_cast<size_t>(type.getRank());
}

/// By which reduction's kind the op takes two values together.
static std::optional<ReduceKind> kindOf(Operation *op) {
  if (isa_and_nonnull<AddOp>(op))
    return ReduceKind::sum;
  if (isa_and_nonnull<MaxOp>(op))
    return ReduceKind::max;
  if (isa_and_nonnull<MinOp>(op))
    return ReduceKind::min;
  if (isa_and_nonnull<OrOp, AndOp>(op) &&
      getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1))
    return isa<OrOp>(op) ? ReduceKind::any : ReduceKind::all;
  return std::nullopt;
}

static Value combine(ImplicitLocOpBuilder &builder, ReduceKind kind, Value a,
                     Value b) {
  if (kind == ReduceKind::max)
    return MaxOp::create(builder, a, b);
  if (kind == ReduceKind::min)
    return MinOp::create(builder, a, b);
  if (kind == ReduceKind::any)
    return OrOp::create(builder, a, b);
  if (kind == ReduceKind::all)
    return AndOp::create(builder, a, b);
  return AddOp::create(builder, a, b);
}

/// What leaves a result as it is.
static TypedAttr neutralOf(ReduceKind kind, Type type) {
  if (type.isInteger(1))
    return IntegerAttr::get(type, kind == ReduceKind::all);
  if (kind == ReduceKind::sum)
    return FloatAttr::get(type, 0.0);
  return FloatAttr::get(
      type, APFloat::getInf(cast<FloatType>(type).getFloatSemantics(),
                            kind == ReduceKind::max));
}

static bool isOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

/// The largest length of rows, as a power of two, that divides the tensor; 0 if
/// there is none.
static int64_t rowLength(ReduceOp sum) {
  int64_t elements = sum.getInput().getType().getNumElements();
  int64_t length = longestRow;
  while (length >= shortestRow && elements % length != 0)
    length /= 2;
  return length >= shortestRow ? length : 0;
}

static bool hasRows(ReduceOp sum) {
  return rowLength(sum) > 0 ||
         sum.getInput().getType().getNumElements() <= mostFilled;
}

namespace {
/// A tree of additions, or of another such op, with reductions of whole
/// tensors at its leaves.
class SumTree {
public:
  SumTree(Operation *root, ReduceKind kind)
      : root(root), kind(kind),
        type(cast<RankedTensorType>(root->getResult(0).getType())) {
    collect(root->getResult(0));
  }

  bool isWorthwhile() const { return sums.size() >= fewestTensors; }
  /// The root and all that it takes in, but for what is reduced.
  ArrayRef<Operation *> inner() const { return nodes; }
  void join();

private:
  bool isInner(Operation *op) const;
  void collect(Value value);
  Value rowSums(ImplicitLocOpBuilder &builder, ReduceOp sum, int64_t length);
  Value shaped(ImplicitLocOpBuilder &builder, Value value);

  Operation *root;
  ReduceKind kind;
  RankedTensorType type;
  SmallVector<ReduceOp> sums;
  SmallVector<Operation *> nodes;
  /// What is taken in besides, of one element.
  SmallVector<Value> others;
};

/// Computes a value in another shape of as many elements: what is computed
/// element by element, for this value only, from tensors in that shape.
class Reshaper {
public:
  Reshaper(ImplicitLocOpBuilder &builder, ArrayRef<int64_t> shape)
      : builder(builder), shape(shape) {}

  Value get(Value value);

private:
  bool commutes(Operation *op) const;
  Value reshape(Value value);

  ImplicitLocOpBuilder &builder;
  ArrayRef<int64_t> shape;
  IRMapping known;
};
} // namespace

/// Whether all operands have the shape of the result, or one element, and one
/// op alone reads it.
bool Reshaper::commutes(Operation *op) const {
  if (!op || !op->hasTrait<mlir::fuse::OpTrait::Pointwise>() ||
      isa<IotaOp>(op) || !llvm::all_equal(op->getUsers()))
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return llvm::all_of(op->getOperandTypes(), [&](Type operand) {
    auto tensor = cast<RankedTensorType>(operand);
    return tensor.getRank() == 0 || tensor.getShape() == type.getShape();
  });
}

Value Reshaper::reshape(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  auto all = llvm::to_vector<2>(llvm::seq<int64_t>(type.getRank()));
  if (type.getRank() > 1)
    value = tensor::CollapseShapeOp::create(
        builder, value, ArrayRef<ReassociationIndices>{all});
  if (shape.size() == 1)
    return value;
  auto dims = llvm::to_vector<2>(llvm::seq<int64_t>(shape.size()));
  return tensor::ExpandShapeOp::create(builder, type.clone(shape), value,
                                       ArrayRef<ReassociationIndices>{dims});
}

Value Reshaper::get(Value value) {
  if (cast<RankedTensorType>(value.getType()).getRank() == 0)
    return value;
  if (Value done = known.lookupOrNull(value))
    return done;
  Operation *op = value.getDefiningOp();
  if (!commutes(op)) {
    known.map(value, reshape(value));
    return known.lookup(value);
  }
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, get(operand));
  Value result = builder.clone(*op, mapping)->getResult(0);
  result.setType(cast<RankedTensorType>(value.getType()).clone(shape));
  known.map(value, result);
  return result;
}

/// Whether what the op combines belongs to the tree: two values, or a concat of
/// single elements that is reduced.
bool SumTree::isInner(Operation *op) const {
  if (op != root && !op->hasOneUse())
    return false;
  if (kindOf(op) == kind)
    return true;
  auto reduce = dyn_cast<ReduceOp>(op);
  auto concat =
      reduce ? reduce.getInput().getDefiningOp<ConcatOp>() : ConcatOp();
  return concat && reduce.getKind() == kind && concat->hasOneUse() &&
         reduce.getDims().size() ==
             static_cast<size_t>(concat.getType().getRank()) &&
         llvm::all_of(concat.getOperands(), isOneElement);
}

/// Follows what nothing else reads, through reshapes of single elements.
void SumTree::collect(Value value) {
  SmallVector<Value> left = {value};
  while (!left.empty()) {
    Value next = left.pop_back_val(), shown = next;
    while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
               next.getDefiningOp()) &&
           next.hasOneUse())
      next = next.getDefiningOp()->getOperand(0);
    Operation *op = next.getDefiningOp();
    auto reduce = dyn_cast_or_null<ReduceOp>(op);
    if (op && isInner(op)) {
      nodes.push_back(op);
      if (reduce)
        op = reduce.getInput().getDefiningOp();
      for (Value operand : llvm::reverse(op->getOperands()))
        left.push_back(operand);
    } else if (reduce && isWhole(reduce, kind) && hasRows(reduce) &&
               getElementTypeOrSelf(reduce.getInput().getType()) ==
                   type.getElementType()) {
      sums.push_back(reduce);
    } else {
      others.push_back(shown);
    }
  }
}

/// A single element in the shape of the root.
Value SumTree::shaped(ImplicitLocOpBuilder &builder, Value value) {
  auto from = cast<RankedTensorType>(value.getType());
  if (from.getRank() > 0 && from != type)
    value = tensor::CollapseShapeOp::create(builder, value,
                                            ArrayRef<ReassociationIndices>{});
  if (value.getType() == type)
    return value;
  return tensor::ExpandShapeOp::create(builder, type, value,
                                       ArrayRef<ReassociationIndices>{});
}

/// [rows, 1]: the sums of rows of `length` elements.
Value SumTree::rowSums(ImplicitLocOpBuilder &builder, ReduceOp sum,
                       int64_t length) {
  RankedTensorType type = sum.getInput().getType();
  int64_t elements = type.getNumElements();
  int64_t rows = llvm::divideCeil(elements, length);
  int64_t missing = rows * length - elements;
  Value value;
  if (missing == 0) {
    value = Reshaper(builder, {rows, length}).get(sum.getInput());
  } else {
    value = Reshaper(builder, {elements}).get(sum.getInput());
    value = PadOp::create(builder, type.clone({rows * length}), value,
                          ArrayRef<int64_t>{0}, ArrayRef<int64_t>{missing},
                          neutralOf(kind, type.getElementType()));
    value = tensor::ExpandShapeOp::create(
        builder, type.clone({rows, length}), value,
        ArrayRef<ReassociationIndices>{{0, 1}});
  }
  return ReduceOp::create(builder, kind, value, {1}, /*keep=*/true);
}

void SumTree::join() {
  ImplicitLocOpBuilder builder(root->getLoc(), root);
  int64_t length = longestRow;
  for (ReduceOp sum : sums)
    if (int64_t own = rowLength(sum))
      length = std::min(length, own);
  SmallVector<Value> parts;
  for (ReduceOp sum : sums)
    parts.push_back(rowSums(builder, sum, length));
  int64_t rows = 0;
  for (Value part : parts)
    rows += cast<RankedTensorType>(part.getType()).getDimSize(0);
  auto joined = RankedTensorType::get({rows, 1}, type.getElementType());
  Value total = ConcatOp::create(builder, joined, parts, /*dim=*/0);
  total = shaped(builder, ReduceOp::create(builder, kind, total, {0, 1},
                                           /*keep=*/false));
  for (Value other : others)
    total = combine(builder, kind, total, shaped(builder, other));
  root->replaceAllUsesWith(ValueRange(total));
}

/// Whether all elements are summed, to one of at least 32 bits.
static bool sumsAll(ReduceOp sum) {
  RankedTensorType type = sum.getInput().getType();
  return sum.getKind() == ReduceKind::sum && !sum.getKeep() &&
         isa<FloatType>(type.getElementType()) &&
         type.getElementTypeBitWidth() >= 32 &&
         sum.getDims().size() == static_cast<size_t>(type.getRank());
}

/// What the value shows in other shapes or types.
static Value rootOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {
/// A sum of what a mask, with an element for each row, is multiplied with or
/// selects.
class MaskedSum {
public:
  explicit MaskedSum(ReduceOp sum) : sum(sum) {}

  bool find();
  void split();

private:
  bool isMaskOf(Value mask, Value masked);
  bool isSummedItself();

  ReduceOp sum;
  Operation *op = nullptr;
  unsigned mask = 0, masked = 0;
  /// The first dimension of the rows.
  int64_t first = 0;
};
} // namespace

/// Whether the mask has the other's leading dimensions, and 1 in place of the
/// last ones.
bool MaskedSum::isMaskOf(Value mask, Value masked) {
  auto ofMask = cast<RankedTensorType>(mask.getType()).getShape();
  auto shape = cast<RankedTensorType>(masked.getType()).getShape();
  if (ofMask.size() != shape.size() ||
      shape != sum.getInput().getType().getShape())
    return false;
  first = static_cast<int64_t>(shape.size());
  while (first > 0 && ofMask[first - 1] == 1)
    --first;
  auto isOne = [](int64_t size) { return size == 1; };
  return first > 0 && ofMask.take_front(first) == shape.take_front(first) &&
         !llvm::all_of(shape.drop_front(first), isOne);
}

/// Whether the program sums the mask, too.
bool MaskedSum::isSummedItself() {
  Value root = rootOf(op->getOperand(mask));
  SmallVector<Value> work = {root};
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (isa<CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp>(user))
        work.push_back(user->getResult(0));
      if (auto other = dyn_cast<ReduceOp>(user); other && sumsAll(other))
        return true;
    }
  return false;
}

bool MaskedSum::find() {
  op = sum.getInput().getDefiningOp();
  if (!sumsAll(sum) || !op || !op->hasOneUse())
    return false;
  if (auto select = dyn_cast<SelectOp>(op)) {
    std::tie(mask, masked) = std::make_pair(0u, 1u);
    return matchPattern(Value(select.getFalseValue()), m_AnyZeroFloat()) &&
           isMaskOf(op->getOperand(0), op->getOperand(1)) && isSummedItself();
  }
  if (!isa<MulOp>(op))
    return false;
  for (unsigned number : {0, 1}) {
    std::tie(mask, masked) = std::make_pair(number, 1 - number);
    if (isMaskOf(op->getOperand(mask), op->getOperand(masked)) &&
        isSummedItself())
      return true;
  }
  return false;
}

void MaskedSum::split() {
  OpBuilder builder(sum);
  RankedTensorType type = sum.getInput().getType();
  Value rows = ReduceOp::create(
      builder, sum.getLoc(), ReduceKind::sum, op->getOperand(masked),
      llvm::to_vector(llvm::seq(first, type.getRank())), /*keep=*/true);
  Operation *ofRows = builder.clone(*op);
  ofRows->setOperand(masked, rows);
  ofRows->getResult(0).setType(rows.getType());
  sum.getInputMutable().assign(ofRows->getResult(0));
}

namespace {
struct JoinSumsPass : public mlir::fuse::impl::FuseJoinSumsBase<JoinSumsPass> {
  using Base::Base;

  void runOnOperation() override {
    // From the roots on: what a tree has taken in is no root.
    llvm::DenseSet<Operation *> seen;
    for (Operation &op : llvm::make_early_inc_range(
             llvm::reverse(getOperation().getBody().front()))) {
      std::optional<ReduceKind> kind = kindOf(&op);
      if (auto reduce = dyn_cast<ReduceOp>(op);
          reduce && reduce.getInput().getDefiningOp<ConcatOp>())
        kind = reduce.getKind();
      if (!kind || op.use_empty() || !isOneElement(op.getResult(0)) ||
          seen.contains(&op))
        continue;
      SumTree tree(&op, *kind);
      seen.insert_range(tree.inner());
      if (tree.isWorthwhile())
        tree.join();
    }
    for (ReduceOp sum : llvm::to_vector(getOperation().getOps<ReduceOp>())) {
      MaskedSum masked(sum);
      if (masked.find())
        masked.split();
    }
    for (Operation &op : llvm::make_early_inc_range(
             llvm::reverse(getOperation().getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};
} // namespace
