//===- DimNames.cpp - One name for dims that must be equal ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimClasses.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/JIT/Diagnostics.h"
#include "fuse/JIT/Frontend.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::Expected;
using llvm::formatv;
using namespace mlir;

using mlir::fuse::DimClasses;
using mlir::fuse::Extent;
using mlir::fuse::kDimsAttr;
using mlir::fuse::kNameAttr;

namespace fuse::jit {

namespace {
/// A dynamic dim of an argument, with the user's name for it if there is one.
struct Dim {
  BlockArgument argument;
  int64_t axis;
  StringRef userName;
};
} // namespace

/// The dynamic dims of all arguments, in order.
static Expected<SmallVector<Dim>> collectDims(func::FuncOp entry) {
  SmallVector<Dim> dims;
  for (BlockArgument argument : entry.getArguments()) {
    auto type = cast<RankedTensorType>(argument.getType());
    auto names =
        entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), kDimsAttr);
    if (names && names.size() != type.getNumDynamicDims())
      return makeError(argument.getLoc(),
                       formatv("expected {0} names in {1}, one a dynamic dim, "
                               "but got {2}; name each '?' once",
                               type.getNumDynamicDims(), kDimsAttr,
                               names.size()));
    unsigned next = 0;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (type.isDynamicDim(axis)) {
        auto name = names ? dyn_cast<StringAttr>(names[next++]) : StringAttr();
        dims.push_back({argument, axis, name ? name.getValue() : ""});
      }
  }
  return dims;
}

/// "x.0".
static std::string defaultName(func::FuncOp entry, const Dim &dim) {
  auto name = entry.getArgAttrOfType<StringAttr>(dim.argument.getArgNumber(),
                                                 kNameAttr);
  return formatv("{0}.{1}", name.getValue(), dim.axis);
}

/// The name of each class of equal dims.
static Expected<llvm::DenseMap<int, std::string>>
nameClasses(func::FuncOp entry, const DimClasses &classes, ArrayRef<Dim> dims) {
  llvm::DenseMap<int, std::string> names;
  for (const Dim &dim : dims) {
    Extent extent = classes.extent(dim.argument, dim.axis);
    if (extent.isStatic() || dim.userName.empty())
      continue;
    auto [it, isNew] = names.try_emplace(extent.cls, dim.userName.str());
    if (!isNew && it->second != dim.userName)
      return makeError(
          dim.argument.getLoc(),
          formatv("expected dim {0} to be called '{1}', to which the program's "
                  "ops make it equal, but got '{2}'; use one name for both",
                  dim.axis, it->second, dim.userName));
  }
  for (const Dim &dim : dims) {
    Extent extent = classes.extent(dim.argument, dim.axis);
    if (!extent.isStatic())
      names.try_emplace(extent.cls, defaultName(entry, dim));
  }
  return names;
}

llvm::Error nameDims(func::FuncOp entry) {
  Expected<SmallVector<Dim>> dims = collectDims(entry);
  if (!dims)
    return dims.takeError();
  DimClasses classes(entry);
  auto names = nameClasses(entry, classes, *dims);
  if (!names)
    return names.takeError();
  llvm::MapVector<unsigned, SmallVector<Attribute>> attrs;
  for (const Dim &dim : *dims) {
    Extent extent = classes.extent(dim.argument, dim.axis);
    std::string name = extent.isStatic() ? std::to_string(extent.size)
                                         : names->lookup(extent.cls);
    attrs[dim.argument.getArgNumber()].push_back(
        StringAttr::get(entry.getContext(), name));
  }
  for (auto &[index, list] : attrs)
    entry.setArgAttr(index, kDimsAttr,
                     ArrayAttr::get(entry.getContext(), list));
  return llvm::Error::success();
}

} // namespace fuse::jit
