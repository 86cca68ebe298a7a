//===- HostSizes.cpp - The sizes of a kernel, on the host -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether the size of the class is known, if only by a rule.
bool HostSizes::addDerived(int cls) {
  if (sources.contains(cls))
    return true;
  if (!open.insert(cls).second)
    return false;
  for (const SizeRule &rule : dims.rules(cls))
    if (llvm::all_of(rule.terms, [&](const Extent &term) {
          return term.isStatic() || addDerived(term.cls);
        })) {
      sources.insert({cls, std::nullopt});
      derived.try_emplace(cls, rule);
      break;
    }
  open.erase(cls);
  return sources.contains(cls);
}

LogicalResult HostSizes::collect() {
  for (BlockArgument input : kernel.getBody().getArguments())
    for (auto [axis, extent] : llvm::enumerate(dims.extents(input)))
      if (!extent.isStatic())
        sources.insert(
            {extent.cls,
             std::make_pair(input.getArgNumber(), static_cast<int64_t>(axis))});
  auto isFound = [&](Value value) {
    return !isa<RankedTensorType>(value.getType()) ||
           llvm::all_of(dims.extents(value), [&](const Extent &extent) {
             return extent.isStatic() || addDerived(extent.cls);
           });
  };
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (!isFound(value)) {
        op->emitError() << "expected every dynamic size to be one of the "
                           "kernel's inputs', but got "
                        << value.getType()
                        << " with a size of its own; reshape outside the "
                           "kernel";
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

Value HostSizes::of(OpBuilder &builder, const Extent &extent) const {
  Location loc = kernel->getLoc();
  if (extent.isStatic())
    return arith::ConstantIndexOp::create(builder, loc, extent.size);
  if (auto source = sources.lookup(extent.cls))
    return tensor::DimOp::create(
        builder, loc, kernel->getOperand(source->first), source->second);
  return buildSize(builder, loc, derived.at(extent.cls),
                   [&](const Extent &term) { return of(builder, term); });
}

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value ceilDiv(OpBuilder &builder, Location loc, Value value,
                     int64_t divisor) {
  return builder.createOrFold<arith::CeilDivUIOp>(
      loc, value, constant(builder, loc, divisor));
}

Value HostSizes::product(OpBuilder &builder, ArrayRef<Extent> extents) const {
  Location loc = kernel->getLoc();
  Value total = constant(builder, loc, 1);
  for (const Extent &extent : extents)
    total =
        builder.createOrFold<arith::MulIOp>(loc, total, of(builder, extent));
  return total;
}

Value HostSizes::parts(OpBuilder &builder, const GridFactor &factor) const {
  return ceilDiv(builder, kernel->getLoc(), product(builder, factor.extents),
                 factor.divisor);
}

Value HostSizes::blocksOf(OpBuilder &builder, const GridTerm &term) const {
  Location loc = kernel->getLoc();
  Value blocks = constant(builder, loc, 1);
  for (const GridFactor &factor : term.factors) {
    Value sum = parts(builder, factor);
    for (const GridFactor &other : factor.others)
      sum =
          builder.createOrFold<arith::AddIOp>(loc, sum, parts(builder, other));
    blocks = builder.createOrFold<arith::MulIOp>(loc, blocks, sum);
  }
  blocks = ceilDiv(builder, loc, blocks, term.divisor);
  if (term.most) {
    blocks = builder.createOrFold<arith::MinUIOp>(
        loc, blocks, constant(builder, loc, term.most));
    blocks = builder.createOrFold<arith::MaxUIOp>(
        loc, blocks, constant(builder, loc, term.least));
  }
  return blocks;
}

Value HostSizes::blocks(OpBuilder &builder, const Grid &grid) const {
  Location loc = kernel->getLoc();
  Value total = constant(builder, loc, 0);
  for (const GridTerm &term : grid)
    total = builder.createOrFold<arith::AddIOp>(loc, total,
                                                blocksOf(builder, term));
  return total;
}
