//===- DimNames.cpp - What the dynamic dimensions are called --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimNames.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

using namespace mlir;
using namespace mlir::fuse;

void mlir::fuse::forEachDynamicDim(
    func::FuncOp function,
    llvm::function_ref<void(BlockArgument, int64_t, unsigned)> visit) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    unsigned number = 0;
    for (int64_t axis = 0; type && axis < type.getRank(); ++axis)
      if (type.isDynamicDim(axis))
        visit(argument, axis, number++);
  }
}

static std::string argumentName(func::FuncOp function, unsigned number) {
  auto name = function.getArgAttrOfType<StringAttr>(number, kNameAttr);
  return name ? name.str() : ("arg" + Twine(number)).str();
}

/// Of the argument's dynamic dimension of that number; empty if it has none.
static StringRef userName(func::FuncOp function, unsigned number,
                          unsigned dynamicNumber) {
  auto names = function.getArgAttrOfType<ArrayAttr>(number, kDimsAttr);
  if (!names || dynamicNumber >= names.size())
    return {};
  return cast<StringAttr>(names[dynamicNumber]).getValue();
}

DenseMap<int, std::string> mlir::fuse::nameDims(func::FuncOp function,
                                                const DimClasses &dims) {
  DenseMap<int, std::string> names;
  forEachDynamicDim(
      function, [&](BlockArgument argument, int64_t axis, unsigned number) {
        Extent extent = dims.extent(argument, axis);
        StringRef name = userName(function, argument.getArgNumber(), number);
        if (!extent.isStatic() && !name.empty())
          names.try_emplace(extent.cls, name.str());
      });
  forEachDynamicDim(
      function, [&](BlockArgument argument, int64_t axis, unsigned) {
        Extent extent = dims.extent(argument, axis);
        if (!extent.isStatic())
          names.try_emplace(extent.cls,
                            argumentName(function, argument.getArgNumber()) +
                                "." + std::to_string(axis));
      });
  return names;
}
