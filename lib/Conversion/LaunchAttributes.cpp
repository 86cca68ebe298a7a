//===- LaunchAttributes.cpp - What a launch says of its kernel ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchAttributes.h"

#include "fuse/Analysis/KernelSpace.h"
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

ArrayAttr mlir::fuse::copiesOf(KernelOp kernel) {
  Builder builder(kernel.getContext());
  SmallVector<Attribute> pairs;
  for (auto [result, value] : llvm::enumerate(kernel.getYield().getValues()))
    if (auto scatter = value.getDefiningOp<ScatterOp>())
      pairs.push_back(builder.getI64ArrayAttr(
          {static_cast<int64_t>(result),
           cast<BlockArgument>(scatter.getInto()).getArgNumber()}));
  return pairs.empty() ? ArrayAttr() : builder.getArrayAttr(pairs);
}

DenseI64ArrayAttr mlir::fuse::gatheredOf(KernelOp kernel,
                                         ArrayRef<unsigned> inputs) {
  SmallVector<int64_t> numbers;
  for (auto [number, input] : llvm::enumerate(inputs))
    if (isOnlyGathered(kernel.getBody().getArgument(input)))
      numbers.push_back(number);
  return numbers.empty() ? DenseI64ArrayAttr()
                         : DenseI64ArrayAttr::get(kernel.getContext(), numbers);
}
