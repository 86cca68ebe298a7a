//===- LaunchAttributes.cpp - What a launch says of its kernel ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchAttributes.h"

#include "fuse/Analysis/Footprint.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/MovedInputs.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

ArrayAttr mlir::fuse::opNamesOf(KernelOp kernel) {
  SmallVector<StringRef> names;
  for (Operation &op : kernel.getBody().front().without_terminator())
    if (isa<FuseDialect, tensor::TensorDialect>(op.getDialect()) &&
        !isa<ConstantOp, tensor::DimOp>(op))
      names.push_back(op.getName().stripDialect());
  return Builder(kernel.getContext()).getStrArrayAttr(names);
}

ArrayAttr mlir::fuse::copiesOf(KernelOp kernel, ArrayRef<unsigned> inputs,
                               ArrayRef<unsigned> results) {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> pairs;
  for (auto [result, number] : llvm::enumerate(results))
    if (auto scatter =
            kernel.getYield().getValues()[number].getDefiningOp<ScatterOp>()) {
      unsigned into = cast<BlockArgument>(scatter.getInto()).getArgNumber();
      pairs.push_back(
          builder.getI64ArrayAttr({static_cast<int64_t>(result),
                                   llvm::find(inputs, into) - inputs.begin()}));
    }
  return pairs.empty() ? ArrayAttr() : builder.getArrayAttr(pairs);
}

static DenseI64ArrayAttr orNull(KernelOp kernel, ArrayRef<int64_t> numbers) {
  return numbers.empty() ? DenseI64ArrayAttr()
                         : DenseI64ArrayAttr::get(kernel.getContext(), numbers);
}

DenseI64ArrayAttr mlir::fuse::gatheredOf(KernelOp kernel,
                                         ArrayRef<unsigned> inputs) {
  SmallVector<int64_t> numbers;
  for (auto [number, input] : llvm::enumerate(inputs))
    if (isOnlyGathered(kernel.getBody().getArgument(input)))
      numbers.push_back(number);
  return orNull(kernel, numbers);
}

/// Whether ids say where each element of the result is written by itself.
static bool isScatteredAlongRows(Value result) {
  auto scatter = result.getDefiningOp<ScatterOp>();
  return scatter && static_cast<int64_t>(scatter.getDim()) + 1 ==
                        scatter.getType().getRank();
}

void mlir::fuse::nameMoved(Operation *launch, KernelOp kernel,
                           const DimClasses &dims, ArrayRef<unsigned> inputs,
                           ArrayRef<unsigned> results) {
  MovedInputs moved = movedInputsOf(kernel, dims);
  SmallVector<int64_t> taken, shifted;
  for (auto [number, input] : llvm::enumerate(inputs)) {
    if (moved.taken.contains(input))
      taken.push_back(number);
    if (moved.shifted.contains(input))
      shifted.push_back(number);
  }
  for (auto [number, result] : llvm::enumerate(results)) {
    if (isScatteredAlongRows(kernel.getYield().getValues()[result]))
      taken.push_back(inputs.size() + number);
    if (moved.shiftedResults.contains(result))
      shifted.push_back(inputs.size() + number);
  }
  if (!taken.empty())
    launch->setAttr(kTakenAttr, orNull(kernel, taken));
  if (!shifted.empty())
    launch->setAttr(kShiftedAttr, orNull(kernel, shifted));
}

Touched mlir::fuse::touchedOf(KernelOp kernel, const DimClasses &dims,
                              ArrayRef<unsigned> inputs,
                              ArrayRef<unsigned> results, unsigned firstResult,
                              OpBuilder &builder,
                              function_ref<Value(const Extent &)> sizeOf) {
  Footprint footprint(kernel, dims);
  Touched touched;
  SmallVector<int64_t> pointers, atMost;
  auto add = [&](Value value, const ElementCount &count, int64_t pointer) {
    if (count.atMost)
      atMost.push_back(pointer);
    if (footprint.isWhole(count, value))
      return;
    pointers.push_back(pointer);
    touched.elements.push_back(count.build(builder, kernel.getLoc(), sizeOf));
  };
  for (auto [pointer, number] : llvm::enumerate(inputs)) {
    Value input = kernel.getBody().getArgument(number);
    add(input, footprint.read(input), pointer);
  }
  for (auto [number, result] : llvm::enumerate(results)) {
    Value value = kernel.getYield().getValues()[result];
    add(value, footprint.written(value), firstResult + number);
  }
  touched.pointers = orNull(kernel, pointers);
  touched.atMost = orNull(kernel, atMost);
  return touched;
}
