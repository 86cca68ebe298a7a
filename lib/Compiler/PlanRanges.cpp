//===- PlanRanges.cpp - Ranges of sizes, from IR to the plan --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanRanges.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"

using namespace mlir;
using ::fuse::runtime::Facts;
using ::fuse::runtime::SizeRanges;

namespace fuse::jit {

std::vector<SizeRanges> readSizeRanges(func::FuncOp entry,
                                       ArrayRef<std::string> symbols) {
  std::vector<SizeRanges> result;
  auto noted =
      entry->getAttrOfType<DictionaryAttr>(mlir::fuse::kSizeRangesAttr);
  for (NamedAttribute named :
       noted ? noted.getValue() : ArrayRef<NamedAttribute>()) {
    SizeRanges ranges;
    SmallVector<StringRef> names;
    named.getName().strref().split(names, '*');
    for (StringRef name : names)
      if (const auto *found = llvm::find(symbols, name); found != symbols.end())
        ranges.symbols.push_back(found - symbols.begin());
    auto bounds = dyn_cast<DenseI64ArrayAttr>(named.getValue());
    if (!bounds || ranges.symbols.size() != names.size())
      continue;
    ranges.bounds.assign(bounds.asArrayRef().begin(),
                         bounds.asArrayRef().end());
    result.push_back(std::move(ranges));
  }
  return result;
}

void assumeSizes(func::FuncOp entry, const Facts &facts) {
  if (facts.sizes.empty())
    return;
  Builder builder(entry.getContext());
  SmallVector<NamedAttribute> sizes;
  for (StringRef text : facts.sizes) {
    auto [name, size] = text.rsplit('=');
    int64_t number = 0;
    [[maybe_unused]] bool failed = size.getAsInteger(10, number);
    assert(!failed && "the runtime writes numbers");
    sizes.push_back(
        builder.getNamedAttr(name, builder.getI64IntegerAttr(number)));
  }
  entry->setAttr(mlir::fuse::kAssumedSizesAttr,
                 builder.getDictionaryAttr(sizes));
}

} // namespace fuse::jit
