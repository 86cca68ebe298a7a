//===- TileSpace.cpp - Contractions that ordinary cores tile --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/TileSpace.h"

#include "fuse/Analysis/ReductionSpace.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether the operand has different elements along the axis.
static bool varies(const TileOperand &operand, char axis,
                   const DimClasses &dims) {
  size_t at = operand.axes.find(axis);
  return at != StringRef::npos && dims.extent(operand.tensor, at).size != 1;
}

bool TileOperand::endsIn(char axis, const DimClasses &dims) const {
  return !axes.empty() && axes.back() == axis && varies(*this, axis, dims);
}

SmallVector<Extent>
TileContraction::summedExtents(const DimClasses &dims) const {
  SmallVector<Extent> extents;
  for (char axis : summed) {
    Extent extent{1};
    for (const TileOperand &operand : {rows, columns})
      if (varies(operand, axis, dims))
        extent = dims.extent(operand.tensor, operand.axes.find(axis));
    extents.push_back(extent);
  }
  return extents;
}

static SmallVector<Extent> extentsAt(ArrayRef<unsigned> numbers, Value value,
                                     const DimClasses &dims) {
  return llvm::map_to_vector(
      numbers, [&](unsigned number) { return dims.extent(value, number); });
}

SmallVector<Extent> TileSpace::rowExtents(const DimClasses &dims) const {
  return extentsAt(rows, shape(), dims);
}

SmallVector<Extent> TileSpace::outerExtents(const DimClasses &dims) const {
  return extentsAt(outer, shape(), dims);
}

Extent TileSpace::columnExtent(const DimClasses &dims) const {
  return dims.extent(shape(), column);
}

/// The operands by what they have of the result, or null if both have its last
/// axis.
static std::optional<TileContraction> orient(ContractOp op,
                                             const DimClasses &dims) {
  TileContraction contraction;
  contraction.op = op;
  contraction.rows = {op.getLhs(), op.getLhsAxes()};
  contraction.columns = {op.getRhs(), op.getRhsAxes()};
  char last = op.getResultAxes().back();
  if (!varies(contraction.columns, last, dims) &&
      contraction.rows.axes.contains(last))
    std::swap(contraction.rows, contraction.columns);
  if (varies(contraction.rows, last, dims))
    return std::nullopt;
  for (char axis : op.getContractedAxes())
    contraction.summed.push_back(axis);
  return contraction;
}

FailureOr<TileSpace> mlir::fuse::tileSpaceOf(ArrayRef<ContractOp> contractions,
                                             const DimClasses &dims,
                                             Reason &reason) {
  TileSpace space;
  for (ContractOp op : contractions) {
    if (op.getResultAxes().empty()) {
      reason = ReasonKind::tileOneResult;
      return failure();
    }
    if (!dims.sameShape(op.getResult(),
                        ContractOp(contractions.front()).getResult())) {
      reason = ReasonKind::contractionShapes;
      return failure();
    }
    if (op.getLhs().getType().getElementTypeBitWidth() == 8) {
      reason = ReasonKind::tileFloat8;
      return failure();
    }
    std::optional<TileContraction> contraction = orient(op, dims);
    if (!contraction) {
      reason = ReasonKind::tileBothLast;
      return failure();
    }
    space.contractions.push_back(std::move(*contraction));
  }
  space.column = space.shape().getType().getRank() - 1;
  for (unsigned number = 0; number < space.column; ++number) {
    bool isRow =
        llvm::none_of(space.contractions, [&](TileContraction &contraction) {
          return varies(contraction.columns,
                        contraction.op.getResultAxes()[number], dims);
        });
    (isRow ? space.rows : space.outer).push_back(number);
  }
  return space;
}

FailureOr<TileSpace> mlir::fuse::tileSpaceOf(KernelOp kernel,
                                             const DimClasses &dims,
                                             Reason &reason) {
  auto contractions = llvm::to_vector(kernel.getBody().getOps<ContractOp>());
  if (contractions.empty()) {
    reason = ReasonKind::noContraction;
    return failure();
  }
  for (Operation &op : kernel.getBody().front())
    if (isReduction(&op)) {
      reason = ReasonKind::tileReduces;
      return failure();
    }
  for (Value value : kernel.getYield().getValues())
    if (value.getDefiningOp<ScatterOp>() ||
        !dims.sameShape(value, contractions.front().getResult())) {
      reason = ReasonKind::resultNotContractionShape;
      return failure();
    }
  // A tile has sums before anything can be computed from them.
  llvm::DenseSet<Value> following;
  for (Operation &op : kernel.getBody().front()) {
    bool follows = readsAny(&op, following);
    if (follows && isa<ContractOp>(op)) {
      reason = ReasonKind::chainedContractions;
      return failure();
    }
    if (follows || isa<ContractOp>(op))
      following.insert(op.result_begin(), op.result_end());
  }
  return tileSpaceOf(contractions, dims, reason);
}

/// Products up to which plain additions of blocks of 256 keep what
/// docs/numerics.md promises of sums.
static constexpr int64_t mostPlainlyAdded = 32768;

SharedTileLayout::SharedTileLayout(TiledScheduleAttr schedule,
                                   const TileSpace &space,
                                   const DimClasses &dims)
    : schedule(schedule), contractions(space.contractions.size()),
      isLong(false) {
  Type element = space.shape().getType().getElementType();
  elementBytes = std::max<int64_t>(32, element.getIntOrFloatBitWidth()) / 8;
  for (const TileContraction &contraction : space.contractions) {
    auto summed = staticProduct(contraction.summedExtents(dims));
    isLong |= !summed || *summed > mostPlainlyAdded;
  }
}

int64_t SharedTileLayout::rowGroup() const {
  int64_t group = 4;
  while (schedule.getRows() % group != 0)
    group /= 2;
  return group;
}

int64_t SharedTileLayout::bytes() const {
  int64_t sums = contractions * totalElements() * (isLong ? 2 : 1);
  return schedule.groups() * elementBytes *
         (rowElements() + columnElements() + sums);
}
