//===- SplitRotaries.cpp - Rotary embeddings of products with a vector ----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rotary embedding takes pairs of a head's features. Where these are sums of
// rows of a matrix, a row has one of a pair, and rows exchange nothing. So the
// matrix is cut into the rows of first and of second features, each of which a
// thread block sums both of:
//
//   a = A x, b = B x        y_a = a cos - b sin,  y_b = b cos + a sin
//
// The angles' cosines and sines are what the same op makes of the pair (1, 0)
// and (0, 1): all that it knows of positions, tables and scalings stays there.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "MatrixVector.h"
#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/SliceSizes.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESPLITROTARIES
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

namespace {
/// A dimension of pairs: of size groups x 2 x apart, the features of a pair so
/// far apart. Half of it are two dimensions, groups and apart, where both are
/// larger than 1: those of heads and of features.
struct PairedDim {
  int64_t dim, apart;

  int64_t groupsOf(Value value) const {
    int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(dim);
    return size / (2 * apart);
  }
  bool isSplit(Value value) const { return apart > 1 && groupsOf(value) > 1; }
};

class RotarySplitter {
public:
  explicit RotarySplitter(RotaryOp op) : op(op), builder(op.getLoc(), op) {}

  /// Whether pairs are those of rows that products with a vector sum.
  bool applies();
  void run();

private:
  bool canTake(Value value, PairedDim at, bool &multiplies);
  RankedTensorType halfType(Value value, PairedDim at);
  Value half(Value value, PairedDim at, int64_t which);
  Value halfExpanded(tensor::ExpandShapeOp expand, PairedDim at, int64_t which);
  Value aligned(Value operand, Value result, PairedDim at);
  Value cut(Value value, PairedDim at, int64_t which);
  Value joined(Value first, Value second);
  PairedDim pairs() {
    bool isHalf = op.getLayout() == RotaryLayout::half;
    return {typeOf(op.getInput()).getRank() - 1,
            isHalf ? op.getHeadDim() / 2 : 1};
  }

  RotaryOp op;
  ImplicitLocOpBuilder builder;
};
} // namespace

/// The dimension of an operand, which may have fewer of them, that is `at` of
/// the result; none where all features share its elements.
static std::optional<PairedDim> inOperand(Value operand, Value result,
                                          PairedDim at) {
  int64_t missing = typeOf(result).getRank() - typeOf(operand).getRank();
  int64_t dim = at.dim - missing;
  if (dim < 0 || typeOf(operand).getDimSize(dim) == 1)
    return std::nullopt;
  return PairedDim{dim, at.apart};
}

/// The dimension that an expansion makes `at` of, with others before it.
static std::optional<PairedDim> beforeExpansion(tensor::ExpandShapeOp op,
                                                PairedDim at) {
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices()))
    if (group.back() == at.dim)
      return PairedDim{static_cast<int64_t>(dim), at.apart};
  return std::nullopt;
}

/// The operand of a product that has a letter of the result, and where.
static std::optional<std::pair<unsigned, int64_t>>
matrixDimOf(ContractOp op, int64_t resultDim) {
  char letter = op.getResultAxes()[resultDim];
  size_t left = op.getLhsAxes().find(letter),
         right = op.getRhsAxes().find(letter);
  if ((left == StringRef::npos) == (right == StringRef::npos))
    return std::nullopt;
  bool isLeft = left != StringRef::npos;
  return std::pair(isLeft ? 0u : 1u,
                   static_cast<int64_t>(isLeft ? left : right));
}

static bool isCut(Value value, PairedDim at) {
  return typeOf(value).getDimSize(at.dim) % (2 * at.apart) == 0;
}

/// Whether what leads to `value` alone can be computed of half of the features.
/// What is in memory can be read in parts.
bool RotarySplitter::canTake(Value value, PairedDim at, bool &multiplies) {
  Operation *producer = value.getDefiningOp();
  if (!typeOf(value).hasStaticShape() || !isCut(value, at))
    return false;
  if (!producer)
    return true;
  if (!value.hasOneUse())
    return false;
  if (auto contract = dyn_cast<ContractOp>(producer)) {
    std::optional<std::pair<unsigned, int64_t>> dim =
        matrixDimOf(contract, at.dim);
    if (!dim || !isMatrixVectorProduct(contract, /*isLeft=*/dim->first == 0) ||
        contract->getOperand(dim->first).getDefiningOp())
      return false;
    multiplies = true;
    return true;
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(producer)) {
    std::optional<PairedDim> before = beforeExpansion(expand, at);
    return before && !at.isSplit(value) &&
           canTake(expand.getSrc(), *before, multiplies);
  }
  if (!isShapeless(producer) || producer->getNumResults() != 1)
    return false;
  return llvm::all_of(producer->getOperands(), [&](Value operand) {
    std::optional<PairedDim> its = inOperand(operand, value, at);
    return !its || canTake(operand, *its, multiplies);
  });
}

bool RotarySplitter::applies() {
  bool multiplies = false;
  return op.getRotaryDims() == op.getHeadDim() &&
         typeOf(op.getInput()).getShape().back() == op.getHeadDim() &&
         canTake(op.getInput(), pairs(), multiplies) && multiplies;
}

RankedTensorType RotarySplitter::halfType(Value value, PairedDim at) {
  SmallVector<int64_t> shape(typeOf(value).getShape());
  bool isSplit = at.isSplit(value);
  shape[at.dim] = isSplit ? at.groupsOf(value) : shape[at.dim] / 2;
  if (isSplit)
    shape.insert(shape.begin() + at.dim + 1, at.apart);
  return typeOf(value).clone(shape);
}

/// A view of the first or the second features.
Value RotarySplitter::cut(Value value, PairedDim at, int64_t which) {
  RankedTensorType type = typeOf(value), half = halfType(value, at);
  SmallVector<int64_t> offsets(type.getRank(), 0), steps(type.getRank(), 1);
  if (!at.isSplit(value)) {
    offsets[at.dim] = which * at.apart;
    steps[at.dim] = at.apart == 1 ? 2 : 1;
    return SliceOp::create(builder, half, value, offsets,
                           sliceSizes(half.getShape()), steps);
  }
  SmallVector<int64_t> split(half.getShape());
  split.insert(split.begin() + at.dim + 1, 2);
  SmallVector<ReassociationIndices> apart, together;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    int64_t place = dim > at.dim ? dim + 2 : dim;
    if (dim == at.dim) {
      apart.push_back({place, place + 1, place + 2});
      together.push_back({place, place + 1});
      together.push_back({place + 2});
    } else {
      apart.push_back({place});
      together.push_back({place});
    }
  }
  Value parts =
      tensor::ExpandShapeOp::create(builder, type.clone(split), value, apart);
  offsets.assign(split.size(), 0);
  steps.assign(split.size(), 1);
  offsets[at.dim + 1] = which;
  split[at.dim + 1] = 1;
  Value its = SliceOp::create(builder, type.clone(split), parts, offsets,
                              sliceSizes(split), steps);
  return tensor::CollapseShapeOp::create(builder, half, its, together);
}

/// An operand that all features share, with as many dimensions as the others.
Value RotarySplitter::aligned(Value operand, Value result, PairedDim at) {
  RankedTensorType type = typeOf(operand);
  int64_t dim = at.dim - (typeOf(result).getRank() - type.getRank());
  if (!at.isSplit(result) || dim < 0)
    return operand;
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, 1);
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < type.getRank(); ++i)
    groups.push_back(i < dim    ? ReassociationIndices{i}
                     : i == dim ? ReassociationIndices{i, i + 1}
                                : ReassociationIndices{i + 1});
  return tensor::ExpandShapeOp::create(builder, type.clone(shape), operand,
                                       groups);
}

Value RotarySplitter::halfExpanded(tensor::ExpandShapeOp expand, PairedDim at,
                                   int64_t which) {
  PairedDim before = *beforeExpansion(expand, at);
  Value source = half(expand.getSrc(), before, which);
  RankedTensorType type = halfType(expand.getResult(), at);
  SmallVector<ReassociationIndices> groups;
  for (auto [dim, group] : llvm::enumerate(expand.getReassociationIndices())) {
    bool isSplit = static_cast<int64_t>(dim) == before.dim &&
                   before.isSplit(expand.getSrc());
    if (isSplit)
      groups.push_back(ReassociationIndices(ArrayRef(group).drop_back()));
    groups.push_back(isSplit ? ReassociationIndices{group.back()} : group);
  }
  return source.getType() == type
             ? source
             : tensor::ExpandShapeOp::create(builder, type, source, groups);
}

/// The axes of a product's operand or result with another before one of them.
static std::string withAxis(StringRef axes, int64_t before, char letter) {
  return (axes.take_front(before) + StringRef(&letter, 1) +
          axes.drop_front(before))
      .str();
}

static void addAxis(ContractOp op, unsigned number, int64_t dim,
                    int64_t resultDim) {
  std::string left = op.getLhsAxes().str(), right = op.getRhsAxes().str();
  char letter = 'a';
  while (StringRef(left + right).contains(letter))
    ++letter;
  std::string &own = number == 0 ? left : right;
  own = withAxis(own, dim, letter);
  std::string result = withAxis(op.getResultAxes(), resultDim, letter);
  op.setSpec(left + "," + right + "->" + result);
}

Value RotarySplitter::half(Value value, PairedDim at, int64_t which) {
  Operation *producer = value.getDefiningOp();
  if (!producer)
    return cut(value, at, which);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(producer))
    return halfExpanded(expand, at, which);
  IRMapping mapping;
  if (auto contract = dyn_cast<ContractOp>(producer)) {
    auto [number, dim] = *matrixDimOf(contract, at.dim);
    Value matrix = contract->getOperand(number);
    mapping.map(matrix, cut(matrix, {dim, at.apart}, which));
    auto copy = cast<ContractOp>(builder.clone(*contract, mapping));
    if (at.isSplit(value))
      addAxis(copy, number, dim, at.dim);
    copy.getResult().setType(halfType(value, at));
    return copy;
  }
  for (Value operand : producer->getOperands())
    if (!mapping.contains(operand)) {
      std::optional<PairedDim> its = inOperand(operand, value, at);
      mapping.map(operand, its ? half(operand, *its, which)
                               : aligned(operand, value, at));
    }
  Operation *copy = builder.clone(*producer, mapping);
  Type element = typeOf(value).getElementType();
  copy->getResult(0).setType(halfType(value, at).clone(element));
  return copy->getResult(0);
}

/// Features of pairs in their places again.
Value RotarySplitter::joined(Value first, Value second) {
  RankedTensorType type = typeOf(first);
  int64_t last = type.getRank() - 1;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() *= 2;
  if (op.getLayout() == RotaryLayout::half)
    return ConcatOp::create(builder, type.clone(shape),
                            ValueRange{first, second}, last);
  SmallVector<int64_t> apart(type.getShape()), pairs(type.getShape());
  apart.push_back(1);
  pairs.push_back(2);
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < last; ++dim)
    groups.push_back({dim});
  groups.push_back({last, last + 1});
  SmallVector<Value> parts;
  for (Value part : {first, second})
    parts.push_back(tensor::ExpandShapeOp::create(
        builder, typeOf(part).clone(apart), part, groups));
  Value all = ConcatOp::create(builder, type.clone(pairs), parts, last + 1);
  return tensor::CollapseShapeOp::create(builder, type.clone(shape), all,
                                         groups);
}

void RotarySplitter::run() {
  RankedTensorType type = typeOf(op.getInput());
  Type wide = getWideType(type.getElementType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() /= 2;
  auto ofHalf = RankedTensorType::get(shape, wide);
  auto filled = [&](double value) -> Value {
    return BroadcastOp::create(builder, ofHalf,
                               emitScalar(builder, wide, value));
  };
  IRMapping mapping;
  mapping.map(op.getInput(), joined(filled(1), filled(0)));
  // Tables have the input's type or f32, and the input is f32 here.
  for (Value table : {op.getCosTable(), op.getSinTable()})
    if (table)
      mapping.map(table, emitWiden(builder, table));
  Operation *angles = builder.clone(*op, mapping);
  angles->getResult(0).setType(type.clone(wide));
  PairedDim at = pairs();
  Value cos = cut(angles->getResult(0), at, 0);
  Value sin = cut(angles->getResult(0), at, 1);
  Value a = emitWiden(builder, half(op.getInput(), at, 0));
  Value b = emitWiden(builder, half(op.getInput(), at, 1));
  auto mul = [&](Value x, Value y) -> Value {
    return MulOp::create(builder, ofHalf, x, y);
  };
  Value first = SubOp::create(builder, ofHalf, mul(a, cos), mul(b, sin));
  Value second = AddOp::create(builder, ofHalf, mul(b, cos), mul(a, sin));
  Type element = type.getElementType();
  op.replaceAllUsesWith(joined(emitCast(builder, first, element),
                               emitCast(builder, second, element)));
  llvm::SetVector<Operation *> unused;
  unused.insert(op);
  while (!unused.empty()) {
    Operation *last = unused.pop_back_val();
    if (!isOpTriviallyDead(last))
      continue;
    for (Value operand : last->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        unused.insert(producer);
    last->erase();
  }
}

namespace {
struct SplitRotaries
    : public mlir::fuse::impl::FuseSplitRotariesBase<SplitRotaries> {
  using Base::Base;

  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      SmallVector<RotaryOp> found(block.getOps<RotaryOp>());
      for (RotaryOp op : found) {
        RotarySplitter splitter(op);
        if (splitter.applies())
          splitter.run();
      }
    }
  }
};
} // namespace
