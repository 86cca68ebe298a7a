//===- CombineInReaders.cpp - Parts of rows summed where they are read ----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of a contraction leave parts of the rows' reductions, and a launch
// combines them. Where all that reads the result are contractions, the parts
// are results themselves, and each reader combines those of its rows:
//
//   sum over n  ->  sum over the columns of a tile  [m, parts]
//                   sum over parts                  in the readers
//
// That costs them some loads and additions a row of a tile, and saves the
// launch; the model of time compares both.
//
//===----------------------------------------------------------------------===//

#include "KernelOfGroup.h"

#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/ReductionSpace.h"
#include "fuse/Analysis/RowParts.h"
#include "fuse/Fusion/Passes.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/MmaModel.h"
#include "fuse/Schedule/SizeRanges.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

namespace mlir::fuse {
#define GEN_PASS_DEF_COMBINEINREADERS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A result of one element a row: its number, and what computes it from
/// reductions, in program order and without these.
struct LateResult {
  unsigned number;
  SmallVector<Operation *> ops;
};

/// A kernel whose tiles leave parts of so many columns.
struct Leaving {
  KernelOp kernel;
  int64_t columns;
  SmallVector<ReduceOp> reductions;
  SmallVector<LateResult> late;
  SmallVector<KernelOp> readers;
};

/// What takes the place of such a kernel and of its readers.
struct Rewritten {
  KernelOp kernel;
  SmallVector<KernelOp> readers;
};
} // namespace

/// What computes the value from reductions and constants; nothing if it needs
/// anything else.
static std::optional<SmallVector<Operation *>> opsBehindReductions(Value late) {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> work = {late};
  while (!work.empty()) {
    Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || isa<ContractOp>(op))
      return std::nullopt;
    if (!isReduction(op) && ops.insert(op))
      llvm::append_range(work, op->getOperands());
  }
  SmallVector<Operation *> found = ops.takeVector();
  llvm::sort(found,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return found;
}

/// Contractions that read the result, none of them twice; fails if something
/// else does.
static LogicalResult addReaders(Value result,
                                SmallVectorImpl<KernelOp> &readers) {
  for (Operation *user : result.getUsers()) {
    auto kernel = dyn_cast<KernelOp>(user);
    if (!kernel || kernel.getScheduleAttr() ||
        kernel.getBody().getOps<ContractOp>().empty() ||
        llvm::count(kernel.getInputs(), result) != 1)
      return failure();
    if (!llvm::is_contained(readers, kernel))
      readers.push_back(kernel);
  }
  return success();
}

namespace {
struct CombineInReadersPass
    : public mlir::fuse::impl::CombineInReadersBase<CombineInReadersPass> {
  using Base::Base;

  void runOnOperation() override {
    // An unknown chip is an error where schedules are assigned.
    llvm::Expected<ScheduleTarget> found =
        ScheduleTarget::of(chip, divisible, strict);
    if (!found)
      return llvm::consumeError(found.takeError());
    target = &*found;
    target->aligned = aligned;
    if (!target->gpu)
      return;
    // A reader may be left by another time.
    while (runOnce())
      ;
  }

private:
  bool runOnce();
  std::optional<Leaving> find(KernelOp kernel, const DimClasses &dims);
  std::optional<int64_t> columnsOfParts(KernelOp kernel, const MmaSpace &space,
                                        const DimClasses &dims);
  double secondsOfAll(KernelOp kernel, ArrayRef<KernelOp> readers,
                      const DimClasses &dims);

  ScheduleTarget *target = nullptr;
  llvm::DenseSet<Operation *> settled;
};
} // namespace

/// Of the fastest tiles whose parts a reader takes.
std::optional<int64_t>
CombineInReadersPass::columnsOfParts(KernelOp kernel, const MmaSpace &space,
                                     const DimClasses &dims) {
  const MmaSegment &segment = space.segments.front();
  Extent all = space.columns(segment, dims);
  if (!all.isStatic())
    return std::nullopt;
  for (MmaScheduleAttr schedule : mmaSchedulesOf(kernel, dims, *target)) {
    int64_t columns = segment.reducedColumns(schedule);
    if (all.size % columns == 0 && all.size / columns <= mostRowParts)
      return columns;
  }
  return std::nullopt;
}

std::optional<Leaving> CombineInReadersPass::find(KernelOp kernel,
                                                  const DimClasses &dims) {
  Block &body = kernel.getBody().front();
  if (kernel.getScheduleAttr() || settled.contains(kernel) ||
      body.getOps<ContractOp>().empty() || body.getOps<ReduceOp>().empty())
    return std::nullopt;
  Reason reason;
  TensorFacts facts{target->aligned, target->divisible};
  FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, facts, reason);
  if (failed(space) || space->reductions.empty() ||
      reducedRunOf(space->reductions.front()))
    return std::nullopt;
  std::optional<int64_t> fewest = columnsOfParts(kernel, *space, dims);
  if (!fewest)
    return std::nullopt;
  Leaving found{kernel, *fewest, {}, {}, {}};
  for (Operation *op : space->reductions) {
    auto reduce = dyn_cast<ReduceOp>(op);
    if (!reduce)
      return std::nullopt;
    found.reductions.push_back(reduce);
  }
  KernelAsGroup group(kernel);
  llvm::DenseSet<Value> reduced = valuesFromReductions(group.ops);
  for (auto [number, value] : llvm::enumerate(group.results)) {
    if (!reduced.contains(value))
      continue;
    std::optional<SmallVector<Operation *>> ops = opsBehindReductions(value);
    if (!ops || failed(addReaders(kernel.getResult(number), found.readers)))
      return std::nullopt;
    found.late.push_back({static_cast<unsigned>(number), std::move(*ops)});
  }
  if (found.readers.empty())
    return std::nullopt;
  return found;
}

/// The reduction of each run of so many columns: [.., n] to [.., parts].
static Value reduceRuns(OpBuilder &builder, ReduceOp reduce, int64_t columns) {
  Location loc = reduce.getLoc();
  Value input = reduce.getInput();
  auto type = cast<RankedTensorType>(input.getType());
  int64_t last = type.getRank() - 1, parts = type.getDimSize(last) / columns;
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = parts;
  Type partsType = RankedTensorType::get(shape, type.getElementType());
  shape.push_back(columns);
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < last; ++dim) {
    groups.push_back({dim});
    sizes.push_back(
        type.isDynamicDim(dim)
            ? OpFoldResult(
                  tensor::DimOp::create(builder, loc, input, dim).getResult())
            : builder.getIndexAttr(type.getDimSize(dim)));
  }
  groups.push_back({last, last + 1});
  sizes.push_back(builder.getIndexAttr(parts));
  sizes.push_back(builder.getIndexAttr(columns));
  Value runs = tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), input,
      groups, sizes);
  auto found = ReduceOp::create(builder, loc, partsType, reduce.getKind(), runs,
                                ArrayRef<int64_t>{last + 1}, /*keep=*/false);
  found->setDiscardableAttrs(llvm::to_vector(reduce->getDiscardableAttrs()));
  return found;
}

/// The kernel with parts of its reductions behind its other results.
static KernelOp withParts(OpBuilder &builder, Leaving &leaving) {
  IRMapping mapping;
  auto scratch = cast<KernelOp>(builder.clone(*leaving.kernel, mapping));
  Block &body = scratch.getBody().front();
  OpBuilder inner(body.getTerminator());
  SmallVector<Value> results;
  auto isLate = [&](unsigned number) {
    return llvm::any_of(leaving.late, [&](const LateResult &late) {
      return late.number == number;
    });
  };
  for (auto [number, value] : llvm::enumerate(scratch.getYield().getValues()))
    if (!isLate(number))
      results.push_back(value);
  SmallVector<Value> parts;
  for (ReduceOp reduce : leaving.reductions)
    parts.push_back(reduceRuns(
        inner, mapping.lookup(reduce.getResult()).getDefiningOp<ReduceOp>(),
        leaving.columns));
  llvm::append_range(results, parts);
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> work = results;
  while (!work.empty())
    // The copy finds its sizes itself.
    if (Operation *op = work.pop_back_val().getDefiningOp();
        op && !isa<tensor::DimOp>(op) && needed.insert(op).second)
      llvm::append_range(work, op->getOperands());
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    if (needed.contains(&op))
      ops.push_back(&op);
  KernelOp kernel =
      cloneAsKernel(builder, leaving.kernel.getKernelName(), ops,
                    SmallVector<Value>(body.getArguments()), results);
  kernel.getInputsMutable().assign(
      SmallVector<Value>(leaving.kernel.getInputs()));
  scratch.erase();
  return kernel;
}

/// A copy of a reader that computes late results from parts, which are the last
/// results of `leaving`.
static KernelOp withCombination(OpBuilder &builder, Leaving &before,
                                KernelOp leaving, KernelOp reader) {
  auto copy = cast<KernelOp>(builder.clone(*reader));
  Block &body = copy.getBody().front();
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  IRMapping mapping;
  unsigned first = leaving.getNumResults() - before.reductions.size();
  SmallVector<Value> inputs(copy.getInputs());
  auto combine = [&](Value result) {
    auto reduce = result.getDefiningOp<ReduceOp>();
    if (!reduce || mapping.contains(result))
      return;
    unsigned number =
        llvm::find(before.reductions, reduce) - before.reductions.begin();
    Value parts = leaving.getResult(first + number);
    inputs.push_back(parts);
    IRMapping ofParts;
    ofParts.map(reduce.getInput(),
                body.addArgument(parts.getType(), reduce.getLoc()));
    Operation *combined = inner.clone(*reduce, ofParts);
    combined->removeDiscardableAttr(kInTilesAttr);
    mapping.map(result, combined->getResult(0));
  };
  for (const LateResult &late : before.late) {
    auto *at = llvm::find(inputs, before.kernel.getResult(late.number));
    if (at == inputs.end())
      continue;
    unsigned number = at - inputs.begin();
    for (Operation *op : late.ops) {
      llvm::for_each(op->getOperands(), combine);
      if (!mapping.contains(op->getResult(0)))
        inner.clone(*op, mapping);
    }
    Value value = before.kernel.getYield().getValues()[late.number];
    combine(value);
    body.getArgument(number).replaceAllUsesWith(mapping.lookup(value));
    body.eraseArgument(number);
    inputs.erase(inputs.begin() + number);
  }
  copy.getInputsMutable().assign(inputs);
  return copy;
}

/// Rows whose number only the call knows are as many as are assumed of one
/// dimension, also where they are the product of several: for millions of them
/// the launch would be cheaper.
static SmallVector<AssumedSize>
assumedRows(KernelOp kernel, const DimClasses &dims, TensorFacts facts) {
  Reason reason;
  FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, facts, reason);
  if (failed(space))
    return {};
  DynamicSize rows = dynamicSizeOf(space->extents(space->m, dims), dims);
  if (rows.classes.size() < 2)
    return {};
  return {{rows.classes, kAssumedSize}};
}

/// Of kernels that tensor cores run; infinite if one is none.
double CombineInReadersPass::secondsOfAll(KernelOp kernel,
                                          ArrayRef<KernelOp> readers,
                                          const DimClasses &dims) {
  ScheduleTarget target = *this->target;
  target.assumed =
      assumedRows(kernel, dims, {target.aligned, target.divisible});
  double seconds = 0;
  SmallVector<KernelOp> all(readers);
  all.push_back(kernel);
  for (KernelOp one : all) {
    auto schedule = dyn_cast_or_null<MmaScheduleAttr>(
        ScheduleAttrInterface(proposeMma(one, dims, target)));
    if (!schedule)
      return std::numeric_limits<double>::infinity();
    seconds += estimateTime(one, dims, schedule, target).seconds;
  }
  return seconds;
}

/// Rewrites kernels that have nothing to do with each other; whether there were
/// any.
bool CombineInReadersPass::runOnce() {
  DimClasses dims(getOperation());
  llvm::DenseSet<Operation *> taken;
  SmallVector<Leaving> leaving;
  for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
    std::optional<Leaving> found = find(kernel, dims);
    if (!found)
      continue;
    bool isFree = !taken.contains(kernel) &&
                  llvm::none_of(found->readers, [&](KernelOp reader) {
                    return taken.contains(reader);
                  });
    if (!isFree)
      continue;
    taken.insert(kernel);
    taken.insert(found->readers.begin(), found->readers.end());
    leaving.push_back(std::move(*found));
  }
  if (leaving.empty())
    return false;
  SmallVector<double> before;
  SmallVector<Rewritten> rewritten;
  for (Leaving &one : leaving) {
    before.push_back(secondsOfAll(one.kernel, one.readers, dims));
    OpBuilder builder(one.kernel);
    Rewritten after{withParts(builder, one), {}};
    for (KernelOp reader : one.readers) {
      builder.setInsertionPoint(reader);
      after.readers.push_back(
          withCombination(builder, one, after.kernel, reader));
    }
    rewritten.push_back(std::move(after));
  }
  DimClasses dimsAfter(getOperation());
  for (auto [one, after, seconds] : llvm::zip(leaving, rewritten, before)) {
    if (secondsOfAll(after.kernel, after.readers, dimsAfter) >= seconds) {
      for (KernelOp reader : after.readers)
        reader.erase();
      after.kernel.erase();
      settled.insert(one.kernel);
      continue;
    }
    for (auto [old, reader] : llvm::zip(one.readers, after.readers)) {
      old->replaceAllUsesWith(reader->getResults());
      old.erase();
    }
    unsigned next = 0;
    for (OpResult result : one.kernel->getOpResults())
      if (llvm::none_of(one.late, [&](const LateResult &late) {
            return late.number == result.getResultNumber();
          }))
        result.replaceAllUsesWith(after.kernel.getResult(next++));
    one.kernel.erase();
  }
  return true;
}
