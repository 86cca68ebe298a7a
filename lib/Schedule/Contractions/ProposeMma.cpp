//===- ProposeMma.cpp - Schedules of contractions on tensor cores ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tensor cores can run they run with the fastest of the legal tiles
// (MmaModel.h); the others are what tuning tries.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ContractionSpace.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/ReductionSpace.h"
#include "fuse/Analysis/RowParts.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/MmaModel.h"
#include "fuse/Schedule/MmaRankings.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

static double productOf(const ContractionSpace &space, ArrayRef<char> axes,
                        const DimClasses &dims, ArrayRef<AssumedSize> assumed) {
  double product = 1;
  for (char axis : axes)
    product *=
        estimatedSize(dynamicSizeOf({space.extent(axis, dims)}, dims), assumed);
  return product;
}

MmaProduct mlir::fuse::mmaProductOf(ContractOp contract,
                                    const DimClasses &dims) {
  ContractionSpace space = contractionSpaceOf(contract);
  MmaProduct product;
  product.m = space.m ? productOf(space, {*space.m}, dims, {}) : 1;
  product.n = productOf(space, {space.n}, dims, {});
  product.k = productOf(space, space.summed, dims, {});
  product.batches = productOf(space, space.outer, dims, {});
  product.resultBytes = elementBytes(contract.getResult());
  product.operandBits = contract.getLhs().getType().getElementTypeBitWidth();
  return product;
}

static void forEachOperand(const MmaSpace &space,
                           llvm::function_ref<void(const MmaOperand &)> body) {
  body(space.rows);
  for (const MmaSegment &segment : space.segments)
    for (const MmaContraction &contraction : segment.contractions)
      body(contraction.columns);
}

/// Of a place of a computed operand; sums and products of 16-bit floats come in
/// pairs.
static double computingInstructions(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return 0;
  bool isPaired =
      isa<AddOp, SubOp, MulOp>(op) && (element.isF16() || element.isBF16());
  return isPaired ? 0.5 : instructionsOf(op);
}

/// Of a place of a computed operand: what computes it, and what takes it from
/// a slot, rounds it and leaves it in a buffer.
static double computingInstructions(const MmaOperand &operand,
                                    const DimClasses &dims) {
  if (!operand.computed)
    return 0;
  constexpr double moves = 1;
  double elements = estimatedElements(operand.value(), dims), sum = moves;
  for (Operation *op : operand.computed->ops)
    sum += computingInstructions(op) *
           std::min(1.0, estimatedElements(op->getResult(0), dims) / elements);
  return sum;
}

static int64_t partsOfRow(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

/// What follows the contractions, for each of their places.
static void addEpilogue(MmaProduct &product, const MmaSpace &space,
                        KernelOp kernel, const DimClasses &dims) {
  Block &body = kernel.getBody().front();
  double places = product.batches * product.m * product.n;
  // Places of a row that a thread of a wide tile has.
  constexpr double rowColumns = 64;
  auto isWhole = [&](Value value) {
    return llvm::any_of(space.segments, [&](const MmaSegment &segment) {
      return dims.sameShape(value, segment.shape());
    });
  };
  auto isMoved = [&](Value value) {
    return llvm::any_of(space.segments, [&](const MmaSegment &segment) {
      const auto *known = segment.flow.values.find(value);
      return known != segment.flow.values.end() &&
             !known->second.moves.empty() &&
             known->second.moves.back() != value.getDefiningOp();
    });
  };
  auto share = [&](Value value) {
    return estimatedElements(value, dims) / places;
  };
  llvm::SmallPtrSet<Operation *, 16> computing;
  forEachOperand(space, [&](const MmaOperand &operand) {
    if (operand.computed)
      computing.insert_range(operand.computed->ops);
  });
  for (BlockArgument input : body.getArguments())
    if (isWhole(input) && llvm::any_of(input.getUsers(), [&](Operation *user) {
          return !isa<ContractOp>(user) && !computing.contains(user);
        }))
      product.readBytes += share(input) * elementBytes(input);
  for (Operation &op : body.without_terminator()) {
    Value value = isReduction(&op) ? op.getOperand(0) : op.getResult(0);
    if (!isa<RankedTensorType>(value.getType()))
      continue;
    auto isSum = [&](const BlockSum &blocks) { return blocks.isSum(&op); };
    if (llvm::any_of(space.blocks, isSum) || computing.contains(&op))
      continue;
    if (combinesRowParts(&op)) {
      // A thread combines them once for each of its rows.
      product.instructions += double(partsOfRow(value)) / rowColumns;
      continue;
    }
    if (isReduction(&op) && !reducedRunOf(&op))
      product.states += numStateComponents(&op);
    if (!isa<ContractOp>(op) && (isWhole(value) || isMoved(value)))
      product.instructions += share(value) * instructionsOf(&op);
  }
}

/// Lines of the L2 that 128 bytes of a row lie on, on average over its rows,
/// which follow each other in memory.
static double linesOf(const MmaOperand &operand) {
  auto type = cast<RankedTensorType>(operand.tensor.getType());
  int64_t bits = type.getElementTypeBitWidth();
  for (unsigned dim : operand.dims.front()) {
    if (type.isDynamicDim(dim))
      return 1;
    bits *= type.getDimSize(dim);
  }
  constexpr int64_t line = 128;
  return 2 - std::gcd(bits / 8, line) / double(line);
}

MmaProduct mlir::fuse::mmaProductOf(const MmaSpace &space,
                                    ArrayRef<Value> results,
                                    const DimClasses &dims,
                                    ArrayRef<AssumedSize> assumed) {
  auto sizeOf = [&](char axis) {
    return estimatedSize(dynamicSizeOf(space.extents(axis, dims), dims),
                         assumed);
  };
  MmaProduct product;
  product.operandBits = space.operandBits();
  product.rowLines = linesOf(space.rows);
  product.columnLines = linesOf(space.columnsOperand());
  product.rowInstructions = computingInstructions(space.rows, dims);
  product.columnInstructions =
      computingInstructions(space.columnsOperand(), dims);
  product.m = sizeOf(space.m);
  product.k = sizeOf(space.k);
  for (char axis : space.outer)
    product.batches *= sizeOf(axis);
  product.n = 0;
  double bytes = 0;
  for (const MmaSegment &segment : space.segments) {
    double columns = estimatedSize(
        dynamicSizeOf({space.columns(segment, dims)}, dims), assumed);
    product.segments.push_back({columns, segment.count()});
    product.n += columns * segment.count();
    for (unsigned result : segment.results)
      bytes += columns * elementBytes(results[result]);
    for (int64_t i = 1; i < segment.count() && !space.hasOneOrder(); ++i)
      product.runs += segment.contractions[i].columns.isAlongK(space.k) !=
                      segment.contractions[i - 1].columns.isAlongK(space.k);
  }
  product.resultBytes = bytes / product.n;
  return product;
}

/// Columns of a tile with which a thread meets few of the scales that columns
/// share: a row of a copy, which contractions that share a tile share, too.
static int64_t columnsOfScale(const BlockSum &blocks, int64_t contractions) {
  int64_t row = MmaScheduleAttr::kRowElements;
  int64_t own = row / static_cast<int64_t>(llvm::PowerOf2Ceil(contractions));
  return std::gcd(blocks.wholeColumns, own) * contractions;
}

MmaForm mlir::fuse::mmaFormOf(const MmaSpace &space) {
  MmaForm form;
  form.rowsAreAlongK = space.rows.isAlongK(space.k);
  form.reducesRows = !space.reductions.empty();
  form.mayBeSwapped = space.hasOneOrder() && space.blocks.size() <= 1;
  form.hasBlocks = !space.blocks.empty();
  form.rowBits = space.rows.computedBits();
  form.columnBits = space.columnsOperand().computedBits();
  for (const MmaSegment &segment : space.segments) {
    bool isMoved = segment.flow.needsTiles;
    form.mayGather &= segment.keepsNeighbours() && !segment.flow.isSliced() &&
                      !(isMoved && !space.blocks.empty());
    form.mayLeaveParts &= !isMoved;
    form.mayGather &= !form.reducesRows || segment.hasWholeVectors();
    form.contractions = std::lcm(form.contractions, segment.count());
    if (int64_t whole = segment.flow.wholeColumns; whole > 1) {
      int64_t sides = whole / segment.flow.pairColumns();
      bool isFirst = form.wholeColumns == 1;
      whole *= segment.count();
      form.pairSides = isFirst ? sides
                       : form.wholeColumns == whole
                           ? std::lcm(form.pairSides, sides)
                           : 0;
      form.wholeColumns = std::lcm(form.wholeColumns, whole);
    }
    for (const MmaContraction &contraction : segment.contractions) {
      form.columnsAreAlongK &= contraction.columns.isAlongK(space.k);
      if (const BlockSum *blocks = space.blocksOf(contraction.op))
        form.wholeColumns = std::lcm(form.wholeColumns,
                                     columnsOfScale(*blocks, segment.count()));
    }
  }
  return form;
}

MmaProduct mlir::fuse::mmaProductOf(KernelOp kernel, const DimClasses &dims,
                                    ArrayRef<AssumedSize> assumed) {
  Reason reason;
  SmallVector<Value> results(kernel.getYield().getValues());
  FailureOr<MmaSpace> space =
      mmaSpaceOf(kernel, dims, {/*aligned=*/true, /*divisible=*/true}, reason);
  if (succeeded(space)) {
    MmaProduct product = mmaProductOf(*space, results, dims, assumed);
    // Of one place, whatever is assumed of their number.
    MmaProduct any = mmaProductOf(*space, results, dims);
    addEpilogue(any, *space, kernel, dims);
    product.readBytes = any.readBytes;
    product.instructions = any.instructions;
    product.states = any.states;
    return product;
  }
  // A schedule from text may stand where tensor cores cannot run it.
  return mmaProductOf(*kernel.getBody().getOps<ContractOp>().begin(), dims);
}

SmallVector<MmaScheduleAttr>
mlir::fuse::mmaSchedulesOf(KernelOp kernel, const DimClasses &dims,
                           const ScheduleTarget &target) {
  if (!target.gpu)
    return {};
  TensorFacts facts{target.aligned, target.divisible};
  Reason reason;
  FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, facts, reason);
  if (failed(space))
    return {};
  MmaForm form = mmaFormOf(*space);
  form.mayCopyResults =
      llvm::any_of(kernel.getYield().getValues(), [&](Value value) {
        // Wider ones are written from registers.
        constexpr int64_t mostBytes = 4;
        return elementBytes(value) <= mostBytes &&
               fitsTensorMap(kernel, dims, storedValue(value), facts);
      });
  SmallVector<MmaScheduleAttr> schedules = MmaRankings::of(
      kernel.getContext(), mmaProductOf(kernel, dims, target.assumed), form,
      *target.gpu);
  // A tile has one run of each row, or a consumer has.
  if (!space->reductions.empty())
    if (std::optional<int64_t> run = reducedRunOf(space->reductions.front()))
      llvm::erase_if(schedules, [&](MmaScheduleAttr schedule) {
        return space->segments.front().reducedColumns(schedule) != *run;
      });
  return schedules;
}

double mlir::fuse::fastestMma(const MmaSpace &space, ArrayRef<Value> results,
                              const DimClasses &dims, const GPUTarget &gpu) {
  MmaProduct product = mmaProductOf(space, results, dims);
  MLIRContext *context = space.first().getContext();
  SmallVector<MmaScheduleAttr> ranked =
      MmaRankings::of(context, product, mmaFormOf(space), gpu);
  if (ranked.empty())
    return std::numeric_limits<double>::infinity();
  return estimateMma(ranked.front(), product, gpu).seconds;
}

double mlir::fuse::fastestMmaApart(const MmaSpace &space,
                                   const DimClasses &dims,
                                   const GPUTarget &gpu) {
  double seconds = 0;
  MmaSpace alone = space;
  for (const MmaSegment &segment : space.segments)
    for (const MmaContraction &contraction : segment.contractions) {
      alone.segments = {{{contraction}, {0}}};
      seconds += fastestMma(alone, {alone.segments.front().shape()}, dims, gpu);
    }
  return seconds;
}

ScheduleAttrInterface mlir::fuse::proposeMma(KernelOp kernel,
                                             const DimClasses &dims,
                                             const ScheduleTarget &target) {
  SmallVector<MmaScheduleAttr> schedules = mmaSchedulesOf(kernel, dims, target);
  return schedules.empty() ? MmaScheduleAttr() : schedules.front();
}
