//===- ValuesInKeys.cpp - Values that are features of the keys ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaOperands.h"
#include "fuse/Analysis/StreamedSpace.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Letters of the second contraction for those of the first.
struct ProductLetters {
  const StreamedSpace &space;
  StringRef ofWeights;

  ProductLetters(const StreamedSpace &space, ContractOp product)
      : space(space),
        ofWeights(space.weights == product.getLhs() ? product.getLhsAxes()
                                                    : product.getRhsAxes()) {}

  char of(char ofKeys) const {
    ContractOp scores = space.scores;
    return ofKeys == space.k ? space.product.n
                             : ofWeights[scores.getResultAxes().find(ofKeys)];
  }
};
} // namespace

/// Whether values with `axes` have the elements of the part at the same places,
/// but for those along the features.
static bool areFeaturesOf(const FeaturePart &part, StringRef axes, Value source,
                          const DimClasses &dims,
                          const ProductLetters &letters) {
  if (!isSameMoved(source, part.value) || axes.size() != part.axes.size())
    return false;
  for (auto [number, axis] : llvm::enumerate(axes)) {
    char ofKeys = part.axes[number];
    bool isOne = dims.extent(source, number).size == 1;
    if (letters.of(ofKeys) != axis && (!isOne || ofKeys == letters.space.k))
      return false;
  }
  return true;
}

/// The first feature of the part that the slice has; none where it has not all
/// places of the other axes, or not every feature from there on.
static std::optional<int64_t> firstOfSlice(SliceOp slice,
                                           const FeaturePart &part, char k,
                                           const DimClasses &dims) {
  size_t features = part.axes.find(k);
  for (size_t number = 0; number < part.axes.size(); ++number)
    if (number != features && dims.extent(slice.getResult(), number) !=
                                  dims.extent(slice.getInput(), number))
      return std::nullopt;
  int64_t first = slice.getOffsets()[features];
  if (slice.getSteps()[features] != 1 || first % kFirstOfKeys != 0)
    return std::nullopt;
  return first;
}

std::optional<MmaOperand> mlir::fuse::valuesInKeys(StreamedSpace &space,
                                                   const MmaGroup &group,
                                                   const DimClasses &dims,
                                                   ContractOp product,
                                                   Value values) {
  if (space.computesKeys || !space.keys.isAlongK(space.k))
    return std::nullopt;
  SliceOp slice = values.getDefiningOp<SliceOp>();
  if (slice && !llvm::is_contained(group.ops, slice.getOperation()))
    slice = {};
  Value source = slice ? slice.getInput() : values;
  StringRef axes =
      values == product.getLhs() ? product.getLhsAxes() : product.getRhsAxes();
  ProductLetters letters(space, product);
  const FeaturePart *part =
      llvm::find_if(space.keyParts, [&](const FeaturePart &part) {
        return areFeaturesOf(part, axes, source, dims, letters);
      });
  if (part == space.keyParts.end())
    return std::nullopt;
  int64_t first = part->first, depth = space.depthExtent(dims).size;
  if (slice) {
    std::optional<int64_t> inPart = firstOfSlice(slice, *part, space.k, dims);
    if (!inPart)
      return std::nullopt;
    first += *inPart;
  } else if (!areWideRows(depth, depth)) {
    return std::nullopt;
  }
  MmaOperand operand = part->operand;
  for (char &axis : operand.axes)
    if (axis != MmaPages::kAxis)
      axis = letters.of(axis);
  if (operand.pages) {
    operand.pages->axis = letters.of(operand.pages->axis);
    for (char &axis : operand.pages->idAxes)
      axis = axis ? letters.of(axis) : axis;
  }
  space.firstOfKeys = first;
  return operand;
}
