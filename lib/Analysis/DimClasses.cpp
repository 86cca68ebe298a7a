//===- DimClasses.cpp - Which dimensions are equal ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimClasses.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <tuple>
#include <vector>

using namespace mlir;
using namespace mlir::fuse;

std::optional<int64_t> mlir::fuse::staticProduct(ArrayRef<Extent> extents) {
  int64_t product = 1;
  for (const Extent &extent : extents) {
    if (!extent.isStatic())
      return std::nullopt;
    product *= extent.size;
  }
  return product;
}

DimClasses::DimClasses(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      addValue(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          addValue(argument);
  });
  if (auto function = dyn_cast<func::FuncOp>(root))
    uniteNames(function);
  root->walk([&](Operation *op) { visit(op); });
  while (uniteByRules())
    ;
}

/// Sizes of one name are equal: a call checks that of its arrays.
void DimClasses::uniteNames(func::FuncOp function) {
  llvm::StringMap<int> first;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      kDimsAttr);
    if (!type || !names)
      continue;
    size_t number = 0;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (type.isDynamicDim(axis) && number < names.size()) {
        StringRef name = cast<StringAttr>(names[number++]).getValue();
        int node = *nodeOf(argument, axis);
        uniteNodes(first.try_emplace(name, node).first->second, node);
      }
  }
}

DimClasses::DimClasses(ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      addValue(operand);
    for (Value result : op->getResults())
      addValue(result);
  }
  llvm::for_each(ops, [&](Operation *op) { visit(op); });
  while (uniteByRules())
    ;
}

void DimClasses::addValue(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !nodes.try_emplace(value, parents.size()).second)
    return;
  for (int64_t size : type.getShape()) {
    parents.push_back(parents.size());
    sizes.push_back(size);
  }
}

int DimClasses::find(int node) const {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

std::optional<int> DimClasses::nodeOf(Value value, int64_t axis) const {
  auto it = nodes.find(value);
  if (it == nodes.end() || axis < 0 ||
      axis >= cast<RankedTensorType>(value.getType()).getRank())
    return std::nullopt;
  return static_cast<int>(it->second + axis);
}

void DimClasses::unite(Value a, int64_t i, Value b, int64_t j) {
  std::optional<int> one = nodeOf(a, i), other = nodeOf(b, j);
  if (one && other)
    uniteNodes(*one, *other);
}

bool DimClasses::uniteNodes(int a, int b) {
  int rootA = find(a), rootB = find(b);
  if (rootA == rootB)
    return false;
  // Two different static sizes are an error that the verifiers report.
  if (ShapedType::isDynamic(sizes[rootA]))
    sizes[rootA] = sizes[rootB];
  // The older node leads, so that classes are numbered in program order.
  if (rootB < rootA) {
    std::swap(rootA, rootB);
    sizes[rootA] =
        ShapedType::isDynamic(sizes[rootA]) ? sizes[rootB] : sizes[rootA];
  }
  parents[rootB] = rootA;
  return true;
}

/// Sizes that follow from the same by the same rule are equal.
bool DimClasses::uniteByRules() {
  using Term = std::pair<int64_t, int>;
  using Rule = std::tuple<int, int64_t, int64_t, std::vector<Term>>;
  std::map<Rule, int> results;
  bool changed = false;
  for (const NodeRule &rule : nodeRules) {
    std::vector<Term> terms;
    for (int term : rule.terms) {
      Extent extent = extentOf(term);
      terms.emplace_back(extent.size, extent.cls);
    }
    llvm::sort(terms);
    auto [known, isNew] = results.try_emplace(
        {rule.kind, rule.constant, rule.divisor, std::move(terms)},
        rule.result);
    changed |= !isNew && uniteNodes(known->second, rule.result);
  }
  return changed;
}

void DimClasses::uniteSameRank(Value a, Value b) {
  int64_t rank = cast<RankedTensorType>(a.getType()).getRank();
  for (int64_t axis = 0; axis < rank; ++axis)
    unite(a, axis, b, axis);
}

void DimClasses::uniteBroadcast(Value operand, Value result) {
  auto type = cast<RankedTensorType>(operand.getType());
  int64_t shift =
      cast<RankedTensorType>(result.getType()).getRank() - type.getRank();
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.getDimSize(axis) != 1)
      unite(operand, axis, result, axis + shift);
}

/// The equalities of a reduction of `input` over `dims` to `result`.
template <typename Unite>
static void forEachKeptDim(Value input, ArrayRef<int64_t> dims, bool keep,
                           Unite unite) {
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  for (int64_t axis = 0, out = 0; axis < rank; ++axis) {
    bool reduced = llvm::is_contained(dims, axis);
    if (!reduced)
      unite(axis, out);
    out += !reduced || keep;
  }
}

/// Calls `unite(operandAxis, operand, axis, other)` for each pair of axes that
/// a contraction names by the same letter.
template <typename Unite>
static void forEachSharedLetter(ContractOp op, Unite unite) {
  std::pair<StringRef, Value> tensors[] = {
      {op.getLhsAxes(), op.getLhs()},
      {op.getRhsAxes(), op.getRhs()},
      {op.getResultAxes(), op.getResult()}};
  for (unsigned a = 0; a < 3; ++a)
    for (unsigned b = a + 1; b < 3; ++b)
      for (auto [i, letter] : llvm::enumerate(tensors[a].first)) {
        size_t j = tensors[b].first.find(letter);
        auto isOne = [](Value v, int64_t axis) {
          return cast<RankedTensorType>(v.getType()).getDimSize(axis) == 1;
        };
        if (j != StringRef::npos && !isOne(tensors[a].second, i) &&
            !isOne(tensors[b].second, j))
          unite(tensors[a].second, i, tensors[b].second, j);
      }
}

void DimClasses::addRule(Value result, int64_t axis, SizeRule::Kind kind,
                         ArrayRef<Key> terms, int64_t constant,
                         int64_t divisor) {
  std::optional<int> node = nodeOf(result, axis);
  if (!node)
    return;
  NodeRule rule{*node, kind, {}, constant, divisor};
  for (auto [value, dim] : terms) {
    std::optional<int> term = nodeOf(value, dim);
    if (!term)
      return;
    rule.terms.push_back(*term);
  }
  nodeRules.push_back(std::move(rule));
}

/// A dimension of a group is the group's size over the others', if these are
/// static; the sizes of several dynamic ones are operands, which may be sizes
/// of other tensors.
void DimClasses::visitExpand(tensor::ExpandShapeOp op) {
  Value source = op.getSrc(), result = op.getResult();
  auto type = cast<RankedTensorType>(result.getType());
  for (auto [axis, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t known = 1, dynamic = -1, dynamics = 0;
    for (int64_t dim : group) {
      bool isDynamic = type.isDynamicDim(dim);
      known *= isDynamic ? 1 : type.getDimSize(dim);
      dynamic = isDynamic ? dim : dynamic;
      dynamics += isDynamic;
    }
    if (dynamics == 1 && known == 1)
      unite(source, axis, result, dynamic);
    else if (dynamics == 1 && known > 1)
      addRule(result, dynamic, SizeRule::Product,
              Key(source, static_cast<int64_t>(axis)), 0, known);
  }
  for (auto [axis, size] : llvm::enumerate(op.getMixedOutputShape())) {
    auto of = llvm::dyn_cast_if_present<Value>(size);
    auto dim = of ? of.getDefiningOp<tensor::DimOp>() : nullptr;
    if (std::optional<int64_t> index =
            dim ? dim.getConstantIndex() : std::nullopt)
      unite(dim.getSource(), *index, result, axis);
  }
}

void DimClasses::visitCollapse(tensor::CollapseShapeOp op) {
  Value source = op.getSrc(), result = op.getResult();
  auto type = cast<RankedTensorType>(source.getType());
  for (auto [axis, group] : llvm::enumerate(op.getReassociationIndices())) {
    SmallVector<Key> terms;
    for (int64_t dim : group)
      if (type.getDimSize(dim) != 1)
        terms.push_back({source, dim});
    if (terms.size() == 1)
      unite(source, terms.front().second, result, axis);
    else
      addRule(result, axis, SizeRule::Product, terms);
  }
}

void DimClasses::visitMovement(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<TransposeOp>([&](TransposeOp transpose) {
        for (auto [axis, from] : llvm::enumerate(transpose.getPermutation()))
          unite(transpose.getInput(), from, transpose.getResult(), axis);
      })
      .Case<ReverseOp>([&](ReverseOp reverse) {
        uniteSameRank(reverse.getInput(), reverse.getResult());
      })
      .Case<SliceOp>([&](SliceOp slice) {
        Value input = slice.getInput(), result = slice.getResult();
        auto type = cast<RankedTensorType>(result.getType());
        for (int64_t axis = 0; axis < type.getRank(); ++axis) {
          if (!type.isDynamicDim(axis))
            continue;
          // What the verifier has bounded.
          int64_t missing = slice.getOffsets()[axis] + slice.getLeftOut(axis);
          int64_t step = slice.getSteps()[axis];
          if (missing == 0 && step == 1)
            unite(input, axis, result, axis);
          else
            addRule(result, axis, SizeRule::Sum, Key(input, axis), -missing,
                    step);
        }
      })
      .Case<UnpackOp>([&](UnpackOp unpack) {
        Value input = unpack.getInput(), result = unpack.getResult();
        int64_t last = unpack.getType().getRank() - 1;
        for (int64_t axis = 0; axis < last; ++axis)
          unite(input, axis, result, axis);
        if (unpack.getType().isDynamicDim(last))
          addRule(result, last, SizeRule::Sum,
                  SmallVector<Key>(2, Key(input, last)));
      })
      .Case<PadOp>([&](PadOp pad) {
        for (auto [axis, low, high] :
             llvm::enumerate(pad.getLow(), pad.getHigh())) {
          Key from(pad.getInput(), static_cast<int64_t>(axis));
          if (low + high == 0)
            unite(from.first, axis, pad.getResult(), axis);
          else
            addRule(pad.getResult(), axis, SizeRule::Sum, from, low + high);
        }
      })
      .Case<ConcatOp>([&](ConcatOp concat) {
        Value result = concat.getResult();
        int64_t dim = concat.getDim();
        SmallVector<Key> parts;
        for (Value input : concat.getInputs()) {
          parts.push_back({input, dim});
          int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
          for (int64_t axis = 0; axis < rank; ++axis)
            if (axis != dim)
              unite(input, axis, result, axis);
        }
        addRule(result, dim, SizeRule::Sum, parts);
      })
      .Case<GatherOp>([&](GatherOp gather) {
        uniteIndexed(gather.getTable(), gather.getIds(), gather.getDim(),
                     gather.getResult());
      })
      .Case<TakeAlongOp>([&](TakeAlongOp take) {
        int64_t rank = take.getType().getRank();
        for (int64_t axis = 0; axis < rank; ++axis) {
          unite(take.getIds(), axis, take.getResult(), axis);
          if (axis != static_cast<int64_t>(take.getDim()))
            unite(take.getTable(), axis, take.getResult(), axis);
        }
      })
      .Case<ScatterOp>([&](ScatterOp scatter) {
        uniteSameRank(scatter.getInto(), scatter.getResult());
        uniteIndexed(scatter.getInto(), scatter.getIds(), scatter.getDim(),
                     scatter.getUpdates());
      });
}

/// `indexed` has the shape of `table` with dimension `dim` replaced by the
/// dimensions of `ids`.
void DimClasses::uniteIndexed(Value table, Value ids, int64_t dim,
                              Value indexed) {
  int64_t rank = cast<RankedTensorType>(table.getType()).getRank();
  int64_t count = cast<RankedTensorType>(ids.getType()).getRank();
  for (int64_t axis = 0; axis < rank; ++axis)
    if (axis != dim)
      unite(table, axis, indexed, axis < dim ? axis : axis + count - 1);
  for (int64_t axis = 0; axis < count; ++axis)
    unite(ids, axis, indexed, dim + axis);
}

void DimClasses::visit(Operation *op) {
  if (op->hasTrait<mlir::fuse::OpTrait::Pointwise>()) {
    auto broadcast = dyn_cast<BroadcastOp>(op);
    for (Value operand : op->getOperands()) {
      // What gives the result its shape is as large, also where its size is 1.
      bool isLike = isa<CastOp, IotaOp>(op) ||
                    (broadcast && operand == broadcast.getLike());
      if (isLike)
        uniteSameRank(operand, op->getResult(0));
      else
        uniteBroadcast(operand, op->getResult(0));
    }
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case<SoftmaxOp, LogSoftmaxOp, RmsNormOp, LayerNormOp>(
          [&](auto norm) { uniteSameRank(norm.getInput(), norm.getResult()); })
      .Case<RotaryOp>([&](RotaryOp rotary) {
        uniteSameRank(rotary.getInput(), rotary.getResult());
        int64_t tokens = rotary.getTokenAxis();
        if (Value positions = rotary.getPositions()) {
          int64_t rank = cast<RankedTensorType>(positions.getType()).getRank();
          unite(rotary.getInput(), tokens, positions, rank - 1);
          if (rank == 2)
            unite(rotary.getInput(), 0, positions, 0);
        } else if (rotary.getCosTable() && rotary.countsTokens()) {
          unite(rotary.getInput(), tokens, rotary.getCosTable(), 0);
        }
        Value offset = rotary.getOffset(), sequences = rotary.getSequences();
        if (offset && sequences)
          addRule(offset, 0, SizeRule::Sum, Key(sequences, 0), -1);
        else if (offset)
          unite(rotary.getInput(), 0, offset, 0);
        if (rotary.getCosTable())
          uniteSameRank(rotary.getCosTable(), rotary.getSinTable());
      })
      .Case<ScanOp>([&](ScanOp scan) {
        uniteSameRank(scan.getInput(), scan.getResult());
      })
      .Case<SegmentSumOp>([&](SegmentSumOp sum) {
        int64_t rank = sum.getType().getRank();
        for (int64_t axis = 1; axis < rank; ++axis)
          unite(sum.getInput(), axis, sum.getResult(), axis);
        addRule(sum.getResult(), 0, SizeRule::Sum, Key(sum.getOffsets(), 0),
                -1);
      })
      .Case<TopKOp>([&](TopKOp top) {
        for (Value result : top->getResults())
          for (int64_t axis = 0, last = top.getInput().getType().getRank() - 1;
               axis < last; ++axis)
            unite(top.getInput(), axis, result, axis);
      })
      .Case<ReduceOp, LogSumExpOp>([&](auto reduce) {
        forEachKeptDim(reduce.getInput(), reduce.getDims(), reduce.getKeep(),
                       [&](int64_t in, int64_t out) {
                         unite(reduce.getInput(), in, reduce.getResult(), out);
                       });
      })
      .Case<SoftmaxStatsOp, WelfordOp>([&](auto stats) {
        forEachKeptDim(stats.getInput(), stats.getDims(), /*keep=*/true,
                       [&](int64_t in, int64_t out) {
                         for (Value result : stats->getResults())
                           unite(stats.getInput(), in, result, out);
                       });
      })
      .Case<ContractOp>([&](ContractOp contract) {
        forEachSharedLetter(contract, [&](Value a, int64_t i, Value b,
                                          int64_t j) { unite(a, i, b, j); });
      })
      .Case<tensor::ExpandShapeOp>([&](auto expand) { visitExpand(expand); })
      .Case<tensor::CollapseShapeOp>(
          [&](auto collapse) { visitCollapse(collapse); })
      .Case<DropoutOp>([&](DropoutOp dropout) {
        uniteSameRank(dropout.getInput(), dropout.getResult());
      })
      .Case<ArgMaxOp, ArgMinOp>([&](auto arg) {
        forEachKeptDim(arg.getInput(), {static_cast<int64_t>(arg.getDim())},
                       arg.getKeep(), [&](int64_t in, int64_t out) {
                         unite(arg.getInput(), in, arg.getResult(), out);
                       });
      })
      .Case<KernelOp>([&](KernelOp kernel) {
        Block &body = kernel.getBody().front();
        for (auto [input, argument] :
             llvm::zip(kernel.getInputs(), body.getArguments()))
          uniteSameRank(input, argument);
        for (auto [value, result] : llvm::zip(
                 body.getTerminator()->getOperands(), kernel.getResults()))
          uniteSameRank(value, result);
      })
      .Default([&](Operation *other) { visitMovement(other); });
}

Extent DimClasses::extentOf(int node) const {
  int root = find(node);
  if (!ShapedType::isDynamic(sizes[root]))
    return {sizes[root]};
  return {ShapedType::kDynamic, root};
}

Extent DimClasses::extent(Value value, int64_t axis) const {
  // What the type says is what the class would.
  int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(axis);
  if (!ShapedType::isDynamic(size))
    return {size};
  std::optional<int> node = nodeOf(value, axis);
  assert(node && "dimension outside the analysed code");
  return extentOf(*node);
}

int64_t DimClasses::knownDivisor(const Extent &extent) const {
  if (extent.isStatic())
    return extent.size;
  int64_t most = 1;
  for (const SizeRule &rule : rules(extent.cls)) {
    if (!rule.isPlainProduct())
      continue;
    int64_t factor = 1;
    for (const Extent &term : rule.terms)
      if (term.isStatic() && llvm::MulOverflow(factor, term.size, factor))
        factor = 1;
    most = std::max(most, factor);
  }
  return most;
}

SmallVector<SizeRule> DimClasses::rules(int cls) const {
  SmallVector<SizeRule> found;
  for (const NodeRule &rule : nodeRules) {
    if (find(rule.result) != find(cls))
      continue;
    SizeRule known{rule.kind, {}, rule.constant, rule.divisor};
    for (int term : rule.terms)
      known.terms.push_back(extentOf(term));
    // Two ops may say the same.
    bool isNew = llvm::none_of(found, [&](const SizeRule &other) {
      return other.kind == known.kind && other.terms == known.terms &&
             other.constant == known.constant && other.divisor == known.divisor;
    });
    if (isNew)
      found.push_back(std::move(known));
  }
  return found;
}

SmallVector<SizeRule> DimClasses::rules(Value value, int64_t axis) const {
  return rules(nodeOf(value, axis).value_or(0));
}

SmallVector<Extent> DimClasses::extents(Value value) const {
  SmallVector<Extent> result;
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  for (int64_t axis = 0; axis < rank; ++axis)
    result.push_back(extent(value, axis));
  return result;
}

Value mlir::fuse::buildSize(OpBuilder &builder, Location loc,
                            const SizeRule &rule,
                            llvm::function_ref<Value(const Extent &)> sizeOf) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  bool isProduct = rule.kind == SizeRule::Product;
  Value size = constant(isProduct ? 1 : 0);
  for (const Extent &term : rule.terms)
    size = isProduct
               ? builder.createOrFold<arith::MulIOp>(loc, size, sizeOf(term))
               : builder.createOrFold<arith::AddIOp>(loc, size, sizeOf(term));
  if (rule.constant < 0)
    size = builder.createOrFold<arith::SubIOp>(loc, size,
                                               constant(-rule.constant));
  else if (rule.constant > 0)
    size =
        builder.createOrFold<arith::AddIOp>(loc, size, constant(rule.constant));
  if (rule.divisor > 1)
    size = builder.createOrFold<arith::CeilDivUIOp>(loc, size,
                                                    constant(rule.divisor));
  return size;
}
