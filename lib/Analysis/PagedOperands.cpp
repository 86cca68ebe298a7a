//===- PagedOperands.cpp - Operands that are gathered from pages ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MmaOperands.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

/// Rows after which the swizzle of copies repeats, and rows of a tile.
static constexpr int64_t swizzledRows = 8, tileRows = 64;

namespace {
/// Where the dimensions of a gather's result come from.
struct GatheredDims {
  explicit GatheredDims(GatherOp gather)
      : first(gather.getDim()),
        ids(cast<RankedTensorType>(gather.getIds().getType()).getRank()) {}

  bool isId(int64_t dim) const { return dim >= first && dim < first + ids; }
  /// The last of the ids', which numbers the pages of a sequence.
  int64_t page() const { return first + ids - 1; }
  /// Of the table, for one that is not an id's.
  int64_t ofTable(int64_t dim) const {
    return dim < first ? dim : dim - ids + 1;
  }

  int64_t first, ids;
};
} // namespace

static bool arePages(int64_t rows) {
  return rows > 0 && rows % swizzledRows == 0 &&
         (rows % tileRows == 0 || tileRows % rows == 0);
}

SmallVector<Operation *> mlir::fuse::pagingOps(Value operand) {
  SmallVector<Operation *> ops;
  auto collapse = operand.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return ops;
  ops.push_back(collapse);
  Value source = collapse.getSrc();
  if (auto transpose = source.getDefiningOp<TransposeOp>()) {
    ops.push_back(transpose);
    source = transpose.getInput();
  }
  auto gather = source.getDefiningOp<GatherOp>();
  if (!gather)
    return {};
  ops.push_back(gather);
  return ops;
}

FailureOr<MmaOperand> MmaOperandFinder::findPaged(const ContractionSpace &space,
                                                  Value tensor, StringRef axes,
                                                  char own, char rows) {
  SmallVector<Operation *> ops = pagingOps(tensor);
  if (ops.empty() || !llvm::all_of(ops, [&](Operation *op) {
        return llvm::is_contained(group.ops, op);
      }))
    return find(space, tensor, axes, {own});
  auto collapse = cast<tensor::CollapseShapeOp>(ops.front());
  auto gather = cast<GatherOp>(ops.back());
  auto transpose = dyn_cast<TransposeOp>(ops[1]);
  auto gatheredDim = [&](int64_t dim) -> int64_t {
    return transpose ? transpose.getPermutation()[dim] : dim;
  };
  Value table = gather.getTable(), ids = gather.getIds();
  auto isInside = [&](Value value) {
    return llvm::is_contained(group.ops, value.getDefiningOp());
  };
  if (isInside(table) || isInside(ids))
    return refuse(ReasonKind::pagesComputed);
  if (cast<RankedTensorType>(ids.getType()).getRank() == 0)
    return refuse(ReasonKind::pagesOne);
  if (!fitsTensorMap(edge, dims, table, facts))
    return refuse(ReasonKind::pagesUnaligned);
  GatheredDims gathered(gather);
  MmaPages pages;
  pages.ids = ids;
  pages.axis = rows;
  pages.rows = 0;
  pages.idAxes.assign(gathered.ids - 1, 0);
  pages.count = dims.extent(table, gathered.first);
  pages.perSequence = dims.extent(ids, gathered.ids - 1);
  SmallVector<std::pair<unsigned, char>> found = {
      {static_cast<unsigned>(gathered.first), MmaPages::kAxis}};
  for (auto [axis, joined] :
       llvm::zip_equal(axes, collapse.getReassociationIndices())) {
    int64_t dim = gatheredDim(joined.front());
    if (axis == rows) {
      if (joined.size() != 2 || dim != gathered.page())
        return refuse(ReasonKind::pagesApart);
      if (gathered.isId(gatheredDim(joined.back())))
        return refuse(ReasonKind::pagesApart);
      int64_t of = gathered.ofTable(gatheredDim(joined.back()));
      pages.rows = dims.extent(table, of).size;
      found.push_back({static_cast<unsigned>(of), axis});
    } else if (joined.size() != 1 || dim == gathered.page()) {
      return refuse(ReasonKind::pagesJoined);
    } else if (gathered.isId(dim)) {
      bool isOne = dims.extent(ids, dim - gathered.first).size == 1;
      pages.idAxes[dim - gathered.first] = isOne ? 0 : axis;
    } else {
      bool isOne = dims.extent(gather.getResult(), dim).size == 1;
      if (!isOne || axis == own || axis == space.summed.front())
        found.push_back({static_cast<unsigned>(gathered.ofTable(dim)), axis});
    }
  }
  if (!arePages(pages.rows))
    return refuse(ReasonKind::pagesRows);
  llvm::sort(found);
  MmaOperand operand;
  operand.tensor = table;
  for (auto [dim, axis] : found) {
    operand.dims.push_back({dim});
    operand.axes.push_back(axis);
  }
  if (operand.axes.back() == rows || operand.axes.back() == MmaPages::kAxis ||
      (operand.axes.back() != own &&
       operand.axes.back() != space.summed.front()))
    return refuse(ReasonKind::pagesFeatures);
  orderDims(operand, own, space.summed.front());
  if (operand.dims.size() > mostMapDims)
    return refuse(ReasonKind::mmaTooManyDims);
  operand.pages = std::move(pages);
  return operand;
}
