//===- SizeNames.cpp - Sizes given to several names of one dim ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/SizeNames.h"
#include "fuse/Analysis/DimNames.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::Expected;
using llvm::formatv;
using namespace mlir;

namespace fuse::jit {

/// Asks `nameOf` for each dim that the user has named; "" leaves it out.
static SizeNames
collectNames(func::FuncOp entry,
             llvm::function_ref<std::string(BlockArgument, int64_t)> nameOf) {
  SizeNames result;
  mlir::fuse::forEachDynamicDim(entry, [&](BlockArgument argument, int64_t axis,
                                           unsigned number) {
    auto names = entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                   mlir::fuse::kDimsAttr);
    StringRef name = names ? cast<StringAttr>(names[number]).getValue() : "";
    std::string dim = name.empty() ? "" : nameOf(argument, axis);
    if (!dim.empty())
      result.try_emplace(name, std::move(dim));
  });
  return result;
}

SizeNames sizeNames(func::FuncOp entry) {
  mlir::fuse::DimClasses dims(entry);
  DenseMap<int, std::string> names = mlir::fuse::nameDims(entry, dims);
  return collectNames(entry, [&](BlockArgument argument, int64_t axis) {
    mlir::fuse::Extent extent = dims.extent(argument, axis);
    return extent.isStatic() ? std::to_string(extent.size)
                             : names.lookup(extent.cls);
  });
}

SizeNames sizeNames(func::FuncOp entry, const runtime::ProgramSpec &spec) {
  return collectNames(entry, [&](BlockArgument argument, int64_t axis) {
    const runtime::SizeExpr &size =
        spec.inputs[argument.getArgNumber()].shape[axis];
    bool isNamed = size.isSymbol() || size.isConstant();
    return isNamed ? size.str(spec.symbols) : "";
  });
}

Expected<std::vector<std::string>> unifySizes(ArrayRef<std::string> sizes,
                                              const SizeNames &names,
                                              StringRef option) {
  std::vector<std::string> result;
  // By the compiler's name: what gave the size.
  llvm::StringMap<StringRef> known;
  for (const std::string &text : sizes) {
    auto [name, size] = StringRef(text).rsplit('=');
    auto found = names.find(name);
    StringRef dim = found == names.end() ? name : StringRef(found->second);
    int64_t fixed, given;
    if (dim != name && !dim.getAsInteger(10, fixed) &&
        !size.getAsInteger(10, given)) {
      if (fixed == given)
        continue;
      return llvm::createStringError(
          formatv("expected --{0} {1} to be {2}, which the program makes it, "
                  "but got {3}; leave it out",
                  option, name, fixed, given));
    }
    auto [first, isNew] = known.try_emplace(dim, text);
    auto [otherName, otherSize] = first->second.rsplit('=');
    if (isNew)
      result.push_back((dim + "=" + size).str());
    else if (otherName == name)
      return llvm::createStringError(
          formatv("expected one --{0} for '{1}', but got two; remove one",
                  option, name));
    else if (otherSize != size)
      return llvm::createStringError(
          formatv("expected {0} and {1} to be equal, which the program makes "
                  "them, but got --{2} {3} and --{2} {4}; give one size",
                  otherName, name, option, first->second, text));
  }
  return std::move(result);
}

} // namespace fuse::jit
