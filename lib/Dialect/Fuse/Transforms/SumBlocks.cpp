//===- SumBlocks.cpp - Scales by blocks behind products of 8-bit floats ---===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scale that is the same for a block of the summed axis leaves the sum of
// that block, so that the 8-bit floats are multiplied as they are:
//
//   contract("mk,nk->mn", x s, w t)
//     = sum over b of s t contract("mbk,nbk->bmn", x, w)
//
// Products of a block are summed in f32, as those of wider operands are. Of
// these, 8-bit floats times a scale in 16 bits, the rounding is left out, as it
// may be of what does not leave a kernel; not of what a cast rounds.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESUMBLOCKS
#include "fuse/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Places of a block, as many as tensor cores sum before their sums are added
/// to others in f32.
static constexpr int64_t blockPlaces = 128;

static bool isFloat8(Value value) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(
      getElementTypeOrSelf(value.getType()));
}

/// Whether a cast between floats rounds nothing. What the program rounds by a
/// cast stays rounded.
static bool widens(CastOp cast) {
  Type from = cast.getInput().getType().getElementType();
  Type to = cast.getType().getElementType();
  return isa<FloatType>(from) && isa<FloatType>(to) &&
         from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth();
}

//===----------------------------------------------------------------------===//
// Scaled operands
//===----------------------------------------------------------------------===//

namespace {
/// An operand of a contraction that is 8-bit floats times scales.
struct ScaledOperand {
  Value quantized;
  /// Each broadcasts to the shape of what is quantized, and has one element for
  /// all of its last dimension.
  SmallVector<Value> scales;
  /// The letters of that shape's dimensions. An axis that was split has its
  /// own for the last part, the summed one that of the places.
  std::string letters;
};

/// Makes sums of blocks of one contraction.
class BlockBuilder {
public:
  explicit BlockBuilder(ContractOp contract) : contract(contract) {}

  /// Whether both operands are scaled by the same blocks.
  bool match();
  void rewrite();

private:
  std::optional<ScaledOperand> scaled(Value operand, StringRef axes);
  std::string split(StringRef axes, ArrayRef<int64_t> shape,
                    ArrayRef<ReassociationIndices> groups);
  Value joined(ImplicitLocOpBuilder &builder, const ScaledOperand &operand,
               std::string &axes);
  Value placed(ImplicitLocOpBuilder &builder, const ScaledOperand &operand,
               Value scale, StringRef letters);

  ContractOp contract;
  char summed = 0;
  /// The letter of the blocks, and for split axes those of their first parts.
  static constexpr char blocks = '#';
  llvm::SmallDenseMap<char, char> firstParts;
  std::optional<ScaledOperand> left, right;
};
} // namespace

/// The letters of the dimensions that axes are split into; empty where one is
/// split otherwise than into two, or the summed one into other blocks.
std::string BlockBuilder::split(StringRef axes, ArrayRef<int64_t> shape,
                                ArrayRef<ReassociationIndices> groups) {
  std::string letters;
  for (auto [axis, group] : llvm::zip_equal(axes, groups)) {
    bool isSplit = group.size() == 2;
    if (group.size() > 2 || (axis == summed && !isSplit))
      return {};
    if (isSplit && axis == summed)
      letters += blocks;
    else if (isSplit)
      letters += firstParts[axis] = static_cast<char>(axis ^ ('a' ^ 'A'));
    letters += axis;
  }
  return shape.back() == blockPlaces && letters.back() == summed
             ? letters
             : std::string();
}

std::optional<ScaledOperand> BlockBuilder::scaled(Value operand,
                                                  StringRef axes) {
  ScaledOperand found;
  Value value = operand;
  while (!isFloat8(value)) {
    Operation *op = value.getDefiningOp();
    if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op);
        collapse && found.letters.empty()) {
      found.letters = split(axes, collapse.getSrcType().getShape(),
                            collapse.getReassociationIndices());
      if (found.letters.empty())
        return std::nullopt;
      value = collapse.getSrc();
    } else if (auto cast = dyn_cast_or_null<CastOp>(op); cast && widens(cast)) {
      value = cast.getInput();
    } else if (auto mul = dyn_cast_or_null<MulOp>(op)) {
      // The scale is the smaller one.
      auto isScale = [&](Value factor) {
        RankedTensorType type = tensorType(factor);
        return type.getRank() == 0 || type.getShape().back() == 1;
      };
      Value scale = isScale(mul.getRhs()) ? mul.getRhs() : mul.getLhs();
      Value other = scale == mul.getRhs() ? mul.getLhs() : mul.getRhs();
      if (!isScale(scale) || found.letters.empty() ||
          tensorType(other).getShape() != mul.getType().getShape())
        return std::nullopt;
      found.scales.push_back(scale);
      value = other;
    } else {
      return std::nullopt;
    }
  }
  found.quantized = value;
  if (found.scales.empty())
    return std::nullopt;
  return found;
}

bool BlockBuilder::match() {
  // What is rounded to 16 bits may have errors as large as those of sums that
  // tensor cores keep with few bits.
  Type element = contract.getLhs().getType().getElementType();
  auto sums = contract.getContractedAxes();
  if ((!element.isF16() && !element.isBF16()) || sums.size() != 1)
    return false;
  summed = sums.front();
  StringRef lhs = contract.getLhsAxes(), rhs = contract.getRhsAxes();
  if (lhs.back() != summed || rhs.back() != summed ||
      llvm::any_of(contract.getResultAxes(),
                   [](char axis) { return !llvm::isLower(axis); }))
    return false;
  left = scaled(contract.getLhs(), lhs);
  right = scaled(contract.getRhs(), rhs);
  auto blocksOf = [](const ScaledOperand &operand) {
    return *std::next(tensorType(operand.quantized).getShape().rbegin());
  };
  return left && right && blocksOf(*left) == blocksOf(*right);
}

/// What is quantized, whose axes but for the summed one are whole again.
Value BlockBuilder::joined(ImplicitLocOpBuilder &builder,
                           const ScaledOperand &operand, std::string &axes) {
  SmallVector<ReassociationIndices> groups;
  for (auto [dim, letter] : llvm::enumerate(operand.letters)) {
    bool isRest = !groups.empty() && letter != summed &&
                  firstParts.contains(letter) &&
                  operand.letters[dim - 1] == firstParts.lookup(letter);
    if (isRest)
      axes.pop_back();
    else
      groups.emplace_back();
    groups.back().push_back(dim);
    axes += letter;
  }
  if (groups.size() == operand.letters.size())
    return operand.quantized;
  return tensor::CollapseShapeOp::create(builder, operand.quantized, groups);
}

/// A scale as it broadcasts to the products, whose dimensions have `letters`.
Value BlockBuilder::placed(ImplicitLocOpBuilder &builder,
                           const ScaledOperand &operand, Value scale,
                           StringRef letters) {
  RankedTensorType type = tensorType(scale);
  if (type.getRank() == 0)
    return emitCast(builder, scale, builder.getF32Type());
  // Its dimensions that have a size, and their letters.
  StringRef own = StringRef(operand.letters).take_back(type.getRank());
  std::string kept;
  SmallVector<int64_t> sizes;
  for (auto [letter, size] : llvm::zip_equal(own, type.getShape()))
    if (size != 1) {
      kept += letter;
      sizes.push_back(size);
    }
  auto groups = [](ArrayRef<int64_t> shape) {
    SmallVector<ReassociationIndices> found;
    ReassociationIndices group;
    for (auto [dim, size] : llvm::enumerate(shape)) {
      group.push_back(dim);
      if (size != 1)
        found.push_back(std::exchange(group, {}));
    }
    if (!found.empty())
      found.back().append(group);
    return found;
  };
  Value value = emitCast(builder, scale, builder.getF32Type());
  if (kept.size() != own.size())
    value = tensor::CollapseShapeOp::create(
        builder, RankedTensorType::get(sizes, builder.getF32Type()), value,
        groups(type.getShape()));
  SmallVector<int64_t> order, shape;
  for (char letter : letters)
    if (size_t at = kept.find(letter); at != std::string::npos) {
      order.push_back(at);
      shape.push_back(sizes[at]);
    } else {
      shape.push_back(1);
    }
  if (!llvm::is_sorted(order))
    value = TransposeOp::create(builder, value, order);
  if (kept.size() != letters.size())
    value = tensor::ExpandShapeOp::create(
        builder, RankedTensorType::get(shape, builder.getF32Type()), value,
        groups(shape));
  return value;
}

void BlockBuilder::rewrite() {
  ImplicitLocOpBuilder builder(contract.getLoc(), contract);
  std::string leftAxes, rightAxes, letters(1, blocks);
  Value x = joined(builder, *left, leftAxes),
        w = joined(builder, *right, rightAxes);
  // A letter that no axis has.
  std::string used = leftAxes + rightAxes;
  char block = 'a';
  while (used.find(block) != std::string::npos)
    ++block;
  std::string resultAxes = contract.getResultAxes().str();
  std::string spec = leftAxes + "," + rightAxes + "->" + block + resultAxes;
  std::replace(spec.begin(), spec.end(), blocks, block);
  RankedTensorType type = contract.getType();
  SmallVector<int64_t> shape = {
      *std::next(tensorType(left->quantized).getShape().rbegin())};
  llvm::append_range(shape, type.getShape());
  Type f32 = builder.getF32Type();
  Value value = ContractOp::create(builder, RankedTensorType::get(shape, f32),
                                   builder.getStringAttr(spec), x, w,
                                   ContractPrecisionAttr());
  // Split as the operands' axes are.
  SmallVector<ReassociationIndices> groups = {{0}};
  SmallVector<int64_t> parts = {shape.front()};
  for (auto [axis, size] : llvm::zip_equal(resultAxes, type.getShape())) {
    ReassociationIndices group;
    auto add = [&](char letter, int64_t of) {
      group.push_back(parts.size());
      parts.push_back(of);
      letters += letter;
    };
    if (firstParts.contains(axis)) {
      const ScaledOperand &operand =
          StringRef(left->letters).contains(axis) ? *left : *right;
      ArrayRef<int64_t> sizes = tensorType(operand.quantized).getShape();
      size_t at = operand.letters.find(axis);
      add(firstParts.lookup(axis), sizes[at - 1]);
      add(axis, sizes[at]);
    } else {
      add(axis, size);
    }
    groups.push_back(group);
  }
  bool isSplit = parts.size() != shape.size();
  if (isSplit)
    value = tensor::ExpandShapeOp::create(
        builder, RankedTensorType::get(parts, f32), value, groups);
  for (const ScaledOperand *operand : {&*left, &*right})
    for (Value scale : operand->scales)
      value = MulOp::create(builder, value.getType(), value,
                            placed(builder, *operand, scale, letters));
  if (isSplit)
    value = tensor::CollapseShapeOp::create(
        builder, RankedTensorType::get(shape, f32), value, groups);
  value = ReduceOp::create(builder, type.clone(f32), ReduceKind::sum, value,
                           ArrayRef<int64_t>{0}, /*keep=*/false);
  contract.replaceAllUsesWith(emitCast(builder, value, type.getElementType()));
  contract.erase();
}

//===----------------------------------------------------------------------===//
// Sums in the shape of the products
//===----------------------------------------------------------------------===//

/// The expansion of a contraction's result that a value follows from, element
/// by element; null where there is none.
static tensor::ExpandShapeOp expansionBefore(Value value) {
  SmallVector<Value> work = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value at = work.pop_back_val();
    Operation *op = at.getDefiningOp();
    if (!op || !seen.insert(at).second ||
        tensorType(at).getShape() != tensorType(value).getShape())
      continue;
    auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
    if (expand && expand.getSrc().getDefiningOp<ContractOp>())
      return expand;
    if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>())
      llvm::copy_if(op->getOperands(), std::back_inserter(work),
                    [](Value v) { return isa<RankedTensorType>(v.getType()); });
  }
  return {};
}

static Operation *collapseOp(OpBuilder &builder, Operation *op,
                             RankedTensorType expanded,
                             ArrayRef<ReassociationIndices> groups);

/// `operand`, which broadcasts to a shape that `groups` collapse, so that it
/// broadcasts to the collapsed one; null where a group repeats in part.
static Value collapseOperand(OpBuilder &builder, Value operand,
                             RankedTensorType expanded,
                             ArrayRef<ReassociationIndices> groups) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  if (!type || type.getRank() == 0)
    return operand;
  bool hasShape = type.getShape() == expanded.getShape();
  Operation *op = operand.getDefiningOp();
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op);
      expand && hasShape &&
      ArrayRef(expand.getReassociationIndices()) == groups)
    return expand.getSrc();
  if (op && hasShape && op->hasOneUse() && op->getNumResults() == 1 &&
      isShapeless(op))
    if (Operation *moved = collapseOp(builder, op, expanded, groups))
      return moved->getResult(0);
  int64_t missing = expanded.getRank() - type.getRank();
  SmallVector<ReassociationIndices> own;
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : groups) {
    if (group.back() < missing)
      continue;
    if (group.front() < missing)
      return {};
    ReassociationIndices dims;
    bool isWhole = true, isOne = true;
    int64_t size = 1;
    for (int64_t dim : group) {
      int64_t its = type.getDimSize(dim - missing);
      dims.push_back(dim - missing);
      isWhole &= its == expanded.getDimSize(dim);
      isOne &= its == 1;
      bool isKnown =
          !ShapedType::isDynamic(its) && !ShapedType::isDynamic(size);
      size = isKnown ? size * its : ShapedType::kDynamic;
    }
    if (!isWhole && !isOne)
      return {};
    own.push_back(dims);
    shape.push_back(size);
  }
  if (own.size() == static_cast<size_t>(type.getRank()))
    return operand;
  return tensor::CollapseShapeOp::create(builder, operand.getLoc(),
                                         type.clone(shape), operand, own);
}

/// The op, whose result has the expanded shape, in the collapsed one; null
/// where an operand cannot be collapsed.
static Operation *collapseOp(OpBuilder &builder, Operation *op,
                             RankedTensorType expanded,
                             ArrayRef<ReassociationIndices> groups) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(collapseOperand(builder, operand, expanded, groups));
    if (!operands.back())
      return nullptr;
  }
  Operation *moved = builder.clone(*op);
  moved->setOperands(operands);
  RankedTensorType type = tensorType(op->getResult(0));
  moved->getResult(0).setType(
      tensor::CollapseShapeOp::inferCollapsedType(type, groups));
  return moved;
}

/// Moves an expansion down past the pointwise ops that alone read it, so that
/// these stay in the shape of the tiles.
static void sink(tensor::ExpandShapeOp expand) {
  while (expand->hasOneUse()) {
    Operation *user = *expand->user_begin();
    RankedTensorType expanded = expand.getResultType();
    if (!isShapeless(user) || user->getNumResults() != 1 ||
        tensorType(user->getResult(0)).getShape() != expanded.getShape())
      return;
    OpBuilder builder(user);
    SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
    Operation *moved = collapseOp(builder, user, expanded, groups);
    if (!moved)
      return;
    auto behind = tensor::ExpandShapeOp::create(builder, user->getLoc(),
                                                tensorType(user->getResult(0)),
                                                moved->getResult(0), groups);
    user->getResult(0).replaceAllUsesWith(behind);
    user->erase();
    expand.erase();
    expand = behind;
  }
}

/// Sizes of expansions are what these were given: of what is expanded nothing
/// else then needs a result.
static void findSizes(Block &body) {
  for (auto dim : llvm::make_early_inc_range(body.getOps<tensor::DimOp>())) {
    auto expand = dim.getSource().getDefiningOp<tensor::ExpandShapeOp>();
    std::optional<int64_t> number = dim.getConstantIndex();
    if (!expand || !number)
      continue;
    if (auto size = dyn_cast<Value>(expand.getMixedOutputShape()[*number])) {
      dim.getResult().replaceAllUsesWith(size);
      dim.erase();
    }
  }
}

/// Collapses what is summed to the contraction's shape, and expands the sum.
static void collapseSum(ReduceOp sum) {
  Value input = sum->getOperand(0);
  if (sum.getKind() != ReduceKind::sum || sum.getKeep() ||
      sum.getDims().size() != 1)
    return;
  tensor::ExpandShapeOp expand = expansionBefore(input);
  if (!expand || !isFloat8(expand.getSrc().getDefiningOp()->getOperand(0)))
    return;
  int64_t dim = sum.getDims().front();
  SmallVector<ReassociationIndices> groups = expand.getReassociationIndices();
  auto *own = llvm::find_if(groups, [&](const ReassociationIndices &group) {
    return llvm::is_contained(group, dim);
  });
  if (own->size() != 1)
    return;
  int64_t axis = own - groups.begin();
  ImplicitLocOpBuilder builder(sum.getLoc(), sum);
  RankedTensorType shape = tensorType(expand.getSrc());
  Value collapsed = tensor::CollapseShapeOp::create(
      builder, shape.clone(tensorType(input).getElementType()), input, groups);
  SmallVector<int64_t> rest(shape.getShape());
  rest.erase(rest.begin() + axis);
  groups.erase(own);
  for (ReassociationIndices &group : groups)
    for (int64_t &number : group)
      number -= number > dim;
  RankedTensorType type = tensorType(sum->getResult(0));
  Value total = ReduceOp::create(
      builder, RankedTensorType::get(rest, type.getElementType()),
      ReduceKind::sum, collapsed, ArrayRef<int64_t>{axis}, /*keep=*/false);
  auto back = tensor::ExpandShapeOp::create(builder, type, total, groups);
  sum->getResult(0).replaceAllUsesWith(back);
  sum.erase();
  sink(back);
}

namespace {
struct SumBlocksPass
    : public mlir::fuse::impl::FuseSumBlocksBase<SumBlocksPass> {
  using Base::Base;

  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    for (ContractOp op :
         llvm::make_early_inc_range(body.getOps<ContractOp>())) {
      BlockBuilder builder(op);
      if (rounds && builder.match())
        builder.rewrite();
    }
    // Also in kernels, where reshapes move as outside.
    SmallVector<ReduceOp> sums;
    getOperation().walk([&](ReduceOp op) { sums.push_back(op); });
    llvm::for_each(sums, collapseSum);
    findSizes(body);
  }
};
} // namespace
