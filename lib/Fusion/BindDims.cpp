//===- BindDims.cpp - Names for dynamic dimensions ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Fusion/Passes.h"

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
  std::string argumentName(unsigned number) {
    auto name = getOperation().getArgAttrOfType<StringAttr>(number, kNameAttr);
    return name ? name.str() : ("arg" + Twine(number)).str();
  }
  StringRef userName(unsigned number, unsigned dynamicNumber) {
    auto names = getOperation().getArgAttrOfType<ArrayAttr>(number, kDimsAttr);
    if (!names || dynamicNumber >= names.size())
      return {};
    return cast<StringAttr>(names[dynamicNumber]).getValue();
  }
};
} // namespace

void BindDimsPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal())
    return;
  DimClasses dims(function);
  // A class takes the first name that the user gave to one of its dimensions.
  DenseMap<int, std::string> names;
  auto forEachDynamic = [&](auto visit) {
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      unsigned number = 0;
      for (int64_t axis = 0; type && axis < type.getRank(); ++axis)
        if (type.isDynamicDim(axis))
          visit(argument, axis, number++);
    }
  };
  forEachDynamic([&](BlockArgument argument, int64_t axis, unsigned number) {
    Extent extent = dims.extent(argument, axis);
    StringRef name = userName(argument.getArgNumber(), number);
    if (!extent.isStatic() && !name.empty())
      names.try_emplace(extent.cls, name.str());
  });
  DenseMap<unsigned, SmallVector<Attribute>> attributes;
  Builder builder(&getContext());
  forEachDynamic([&](BlockArgument argument, int64_t axis, unsigned number) {
    Extent extent = dims.extent(argument, axis);
    std::string name;
    if (extent.isStatic()) {
      name = std::to_string(extent.size);
    } else {
      unsigned position = argument.getArgNumber();
      name = names
                 .try_emplace(extent.cls, argumentName(position) + "." +
                                              std::to_string(axis))
                 .first->second;
    }
    attributes[argument.getArgNumber()].push_back(builder.getStringAttr(name));
  });
  for (auto &[number, list] : attributes)
    function.setArgAttr(number, kDimsAttr, builder.getArrayAttr(list));
}
