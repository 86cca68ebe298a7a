//===- RowFacts.cpp - What a schedule of rows depends on ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/RowFacts.h"

#include "fuse/Analysis/MovedInputs.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/RowWork.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Counts a segment's edge and its ops.
class FactFinder {
public:
  FactFinder(KernelOp kernel, const ReductionSegment &segment,
             const DimClasses &dims, const ScheduleTarget &target)
      : kernel(kernel), segment(segment), space(segment.space), dims(dims),
        target(target) {}

  RowFacts find() {
    findShape();
    findInputs();
    findResults();
    findOps();
    return facts;
  }

private:
  void findShape();
  void findInputs();
  void findResults();
  void findOps();
  bool isOfRow(Value value) const {
    if (!isa<RankedTensorType>(value.getType()))
      return false;
    SmallVector<Extent> extents = dims.extents(value);
    return !extents.empty() && !space.isReducedShape(extents) &&
           !space.isSharedByRows(extents);
  }

  KernelOp kernel;
  const ReductionSegment &segment;
  const ReductionSpace &space;
  const DimClasses &dims;
  const ScheduleTarget &target;
  RowFacts facts;
};
} // namespace

static int64_t wholeBytes(Value value) {
  return static_cast<int64_t>(std::ceil(elementBytes(value)));
}

void FactFinder::findShape() {
  facts.length = staticProduct(space.columns()).value_or(0);
  facts.rows = staticProduct(space.rows()).value_or(0);
  facts.widest = widestVector(kernel, dims, space.domain, target);
  const Extent &inner = space.columns().back();
  facts.inner = inner.isStatic() ? inner.size : 0;
  facts.mayLeaveEdges = space.columns().size() == 1;
  facts.narrowestBytes =
      llvm::divideCeil(narrowestBits(kernel, dims, space.domain), 8);
  facts.once = isReadOnce(segment, dims);
}

void FactFinder::findInputs() {
  SmallVector<Value> streamed = movedRowsOf(segment.ops, space.domain, dims);
  facts.moved = static_cast<int64_t>(streamed.size());
  llvm::append_range(streamed, streamedInputs(kernel, dims, segment));
  for (Value input : streamed) {
    int64_t bytes = wholeBytes(input);
    ++facts.inputs;
    facts.inputBytes += bytes;
    facts.widestBytes = std::max(facts.widestBytes, bytes);
    facts.thinnestBytes = std::min(facts.thinnestBytes, bytes);
  }
  for (BlockArgument input : kernel.getBody().getArguments()) {
    if (!segment.reads(input) || !isa<RankedTensorType>(input.getType()))
      continue;
    facts.hasFloat8 |= isa<Float8E4M3FNType, Float8E5M2Type>(
        getElementTypeOrSelf(input.getType()));
    SmallVector<Extent> extents = dims.extents(input);
    if (extents.empty() || staticProduct(extents) == 1)
      continue;
    if (space.isSharedByRows(extents)) {
      ++facts.weights;
      facts.weightBytes += elementBytes(input);
    } else if (space.isReducedShape(extents)) {
      ++facts.numbers;
      facts.rowBytes += elementBytes(input);
    }
  }
}

void FactFinder::findResults() {
  llvm::DenseSet<Value> reduced = valuesFromReductions(segment.ops);
  for (Value stored : segment.stored) {
    if (space.isReducedShape(dims.extents(stored))) {
      facts.rowBytes += elementBytes(stored);
      continue;
    }
    ++facts.outputs;
    facts.outputBytes += elementBytes(stored);
    facts.earlyOutputs += !reduced.contains(stored);
  }
}

void FactFinder::findOps() {
  for (Operation *op : segment.ops) {
    facts.hasExp |= isa<ExpOp, TanhOp, ErfOp, LogOp>(op);
    facts.hasDeviations |= isa<WelfordOp>(op);
    bool isReduction =
        !space.levels.empty() && llvm::any_of(space.levels, [&](auto &level) {
          return llvm::is_contained(level, op);
        });
    if (!isReduction &&
        (op->getNumResults() == 0 || !isOfRow(op->getResult(0))))
      continue;
    facts.divides |= isa<DivOp>(op);
    facts.instructions += instructionsOf(op);
    facts.specials += isSpecialFunction(op);
  }
  RowWork work = rowWorkOf(segment, dims);
  facts.levels = work.levels;
  facts.repeated = work.repeated;
  facts.repeatsSpecial = work.repeatsSpecial;
  facts.exchanges = space.levels.size();
  for (ArrayRef<Operation *> level : space.levels)
    for (Operation *op : level)
      facts.components += numStateComponents(op);
  facts.isAcross = !segment.across.empty();
  for (const ReductionSpace &across : segment.across.spaces)
    if (AcrossRows::keepsColumns(across, space))
      for (Operation *op : across.levels.front())
        facts.columnSums += numStateComponents(op);
}

RowFacts mlir::fuse::rowFactsOf(KernelOp kernel,
                                const ReductionSegment &segment,
                                const DimClasses &dims,
                                const ScheduleTarget &target) {
  return FactFinder(kernel, segment, dims, target).find();
}

std::string RowFacts::key() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  // A row that is several dimensions is no other one than its elements, but
  // for the vectors that fit in the last.
  os << (inner == length);
  // What is done with a product's sums, once a row, matters to none.
  if (isProduct()) {
    os << " product";
    for (int64_t number :
         {widest, inputs, inputBytes, thinnestBytes, narrowestBytes})
      os << ' ' << number;
    if (hasFloat8)
      os << " float8";
    return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16);
  }
  for (int64_t number : {widest,           int64_t(mayLeaveEdges),
                         inputs,           inputBytes,
                         widestBytes,      thinnestBytes,
                         narrowestBytes,   outputs,
                         earlyOutputs,     weights,
                         numbers,          int64_t(once),
                         int64_t(hasExp),  int64_t(hasDeviations),
                         int64_t(divides), int64_t(repeatsSpecial),
                         levels,           exchanges,
                         components,       int64_t(isAcross),
                         columnSums})
    os << ' ' << number;
  for (double number :
       {outputBytes, rowBytes, weightBytes, instructions, specials, repeated})
    os << ' ' << llvm::formatv("{0:F2}", number);
  return llvm::utohexstr(llvm::xxh3_64bits(text), /*LowerCase=*/true, 16);
}
