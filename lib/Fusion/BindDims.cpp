//===- BindDims.cpp - Names for dynamic dimensions ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimNames.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Fusion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_BINDDIMS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct BindDimsPass : public mlir::fuse::impl::BindDimsBase<BindDimsPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  void requireSizes(const DimClasses &dims,
                    const DenseMap<int, std::string> &names);
};
} // namespace

void BindDimsPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  DimClasses dims(function);
  DenseMap<int, std::string> names = nameDims(function, dims);
  DenseMap<unsigned, SmallVector<Attribute>> attributes;
  Builder builder(&getContext());
  forEachDynamicDim(function, [&](BlockArgument argument, int64_t axis,
                                  unsigned) {
    Extent extent = dims.extent(argument, axis);
    attributes[argument.getArgNumber()].push_back(
        builder.getStringAttr(extent.isStatic() ? std::to_string(extent.size)
                                                : names.lookup(extent.cls)));
  });
  for (auto &[number, list] : attributes)
    function.setArgAttr(number, kDimsAttr, builder.getArrayAttr(list));
  requireSizes(dims, names);
}

//===----------------------------------------------------------------------===//
// Conditions on sizes
//===----------------------------------------------------------------------===//

namespace {
/// Writes, at the start of a program, what must hold of its sizes beyond what
/// `fuse.dims` says: sizes that ops derive from others.
class SizeConditions {
public:
  SizeConditions(func::FuncOp function, const DimClasses &dims,
                 const DenseMap<int, std::string> &names);

  /// The sizes of `value` along `axis`, where ops derive it, agree.
  void requireAgreement(Location loc, Value value, int64_t axis);
  void requireInside(SliceOp slice);
  void requireLength(TopKOp top);
  /// Makes a size that the program asks of an op's result one of the arguments
  /// again: a kernel may then compute that result and use the size.
  void hoist(tensor::DimOp op);

private:
  Value sizeOf(Location loc, const Extent &extent);
  std::string describe(const Extent &extent);
  std::string describe(const SizeRule &rule);
  void require(Location loc, Value lhs, RequirePredicate predicate, Value rhs,
               const Twine &message) {
    RequireOp::create(builder, loc, lhs, predicate, rhs, message.str());
  }

  OpBuilder builder;
  const DimClasses &dims;
  const DenseMap<int, std::string> &names;
  /// An argument's dimension for each class that has one.
  DenseMap<int, std::pair<BlockArgument, int64_t>> sources;
  llvm::SmallDenseSet<int> done;
};
} // namespace

SizeConditions::SizeConditions(func::FuncOp function, const DimClasses &dims,
                               const DenseMap<int, std::string> &names)
    : builder(OpBuilder::atBlockBegin(&function.getBody().front())), dims(dims),
      names(names) {
  for (BlockArgument argument : function.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      for (auto [axis, extent] : llvm::enumerate(dims.extents(argument)))
        if (!extent.isStatic())
          sources.try_emplace(extent.cls, argument, axis);
}

Value SizeConditions::sizeOf(Location loc, const Extent &extent) {
  if (extent.isStatic())
    return arith::ConstantIndexOp::create(builder, loc, extent.size);
  if (auto it = sources.find(extent.cls); it != sources.end())
    return tensor::DimOp::create(builder, loc, it->second.first,
                                 it->second.second);
  return buildSize(builder, loc, dims.rules(extent.cls).front(),
                   [&](const Extent &term) { return sizeOf(loc, term); });
}

std::string SizeConditions::describe(const Extent &extent) {
  if (extent.isStatic())
    return std::to_string(extent.size);
  if (auto it = names.find(extent.cls); it != names.end())
    return it->second;
  return "(" + describe(dims.rules(extent.cls).front()) + ")";
}

std::string SizeConditions::describe(const SizeRule &rule) {
  SmallVector<std::string> terms;
  for (const Extent &term : rule.terms)
    terms.push_back(describe(term));
  std::string text =
      llvm::join(terms, rule.kind == SizeRule::Product ? " * " : " + ");
  if (rule.constant)
    text += (rule.constant < 0 ? " - " : " + ") +
            std::to_string(std::abs(rule.constant));
  if (rule.divisor == 1)
    return text;
  bool simple = rule.terms.size() == 1 && !rule.constant;
  return (simple ? text : "(" + text + ")") + " / " +
         std::to_string(rule.divisor);
}

void SizeConditions::requireAgreement(Location loc, Value value, int64_t axis) {
  SmallVector<SizeRule> rules = dims.rules(value, axis);
  Extent extent = dims.extent(value, axis);
  if (!extent.isStatic() && !done.insert(extent.cls).second)
    return;
  for (const SizeRule &rule : rules) {
    // The verifiers compare static sizes.
    bool isKnown =
        extent.isStatic() &&
        llvm::all_of(rule.terms, [](const Extent &e) { return e.isStatic(); });
    bool isTheSize = !extent.isStatic() && !sources.contains(extent.cls) &&
                     &rule == rules.begin();
    if (isKnown || isTheSize)
      continue;
    Value size = buildSize(builder, loc, rule, [&](const Extent &term) {
      return sizeOf(loc, term);
    });
    require(loc, size, RequirePredicate::eq, sizeOf(loc, extent),
            describe(rule) + " to equal " + describe(extent));
  }
}

void SizeConditions::requireInside(SliceOp slice) {
  Location loc = slice.getLoc();
  for (auto [axis, extent] : llvm::enumerate(dims.extents(slice.getInput()))) {
    int64_t size = slice.getSizes()[axis], offset = slice.getOffsets()[axis];
    int64_t end = size > 0 ? offset + (size - 1) * slice.getSteps()[axis] + 1
                           : offset + slice.getLeftOut(axis);
    if (extent.isStatic() || end == 0)
      continue;
    require(loc, sizeOf(loc, extent), RequirePredicate::ge,
            sizeOf(loc, Extent{end}),
            describe(extent) + " to be at least " + Twine(end) +
                (slice.getLeftOut(axis)
                     ? ", which the slice starts behind and leaves out"
                     : ", where the slice ends"));
  }
}

void SizeConditions::requireLength(TopKOp top) {
  Extent length = dims.extents(top.getInput()).back();
  auto k = static_cast<int64_t>(top.getK());
  if (length.isStatic())
    return;
  Location loc = top.getLoc();
  require(loc, sizeOf(loc, length), RequirePredicate::ge,
          sizeOf(loc, Extent{k}),
          describe(length) + " to be at least k = " + Twine(k) +
              ", which fuse.top_k asks for");
}

void SizeConditions::hoist(tensor::DimOp op) {
  std::optional<int64_t> axis = op.getConstantIndex();
  if (!axis || isa<BlockArgument>(op.getSource()))
    return;
  Extent extent = dims.extent(op.getSource(), *axis);
  if (!extent.isStatic() && !sources.contains(extent.cls) &&
      dims.rules(extent.cls).empty())
    return;
  op.replaceAllUsesWith(sizeOf(op.getLoc(), extent));
  op.erase();
}

void BindDimsPass::requireSizes(const DimClasses &dims,
                                const DenseMap<int, std::string> &names) {
  SizeConditions conditions(getOperation(), dims, names);
  SmallVector<Operation *> ops;
  for (Operation &op : getOperation().getBody().front())
    ops.push_back(&op);
  for (Operation *op : ops) {
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      conditions.hoist(dim);
      continue;
    }
    if (auto slice = dyn_cast<SliceOp>(op))
      conditions.requireInside(slice);
    if (auto top = dyn_cast<TopKOp>(op))
      conditions.requireLength(top);
    if (auto rotary = dyn_cast<RotaryOp>(op))
      if (rotary.getOffset() && rotary.getOffset().getType().getRank() == 1)
        conditions.requireAgreement(op->getLoc(), rotary.getOffset(), 0);
    for (Value result : op->getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()))
        for (int64_t axis = 0; axis < type.getRank(); ++axis)
          conditions.requireAgreement(op->getLoc(), result, axis);
  }
}
