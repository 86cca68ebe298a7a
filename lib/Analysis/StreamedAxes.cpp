//===- StreamedAxes.cpp - The axes of streamed attention ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ContractionSpace.h"
#include "fuse/Analysis/StreamedSpace.h"

using namespace mlir;
using namespace mlir::fuse;

char StreamedSpace::productAxis(char scoreAxis) const {
  ContractOp first = scores, second = productOp();
  StringRef axes =
      weights == second.getLhs() ? second.getLhsAxes() : second.getRhsAxes();
  return axes[first.getResultAxes().find(scoreAxis)];
}

Extent StreamedSpace::rowExtent(const DimClasses &dims) const {
  return contractionSpaceOf(scores).extent(m, dims);
}

Extent StreamedSpace::keyExtent(const DimClasses &dims) const {
  return contractionSpaceOf(scores).extent(n, dims);
}

Extent StreamedSpace::depthExtent(const DimClasses &dims) const {
  return contractionSpaceOf(scores).extent(k, dims);
}

Extent StreamedSpace::columnExtent(const DimClasses &dims) const {
  return contractionSpaceOf(productOp()).extent(product.n, dims);
}

bool StreamedSpace::isPaged() const { return keys.pages || values().pages; }

int64_t StreamedSpace::headCount(const DimClasses &dims) const {
  return heads ? contractionSpaceOf(scores).extent(*heads, dims).size : 1;
}

bool StreamedSpace::canLeaveParts() const {
  return llvm::none_of(product.segments.front().flow.values, [](auto &entry) {
    return isa_and_nonnull<RotaryOp>(entry.first.getDefiningOp());
  });
}
