//===- Schedules.cpp - Why a schedule is what it is -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Schedules.h"
#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Analysis/ScoreMasks.h"
#include "fuse/Analysis/TurnedBox.h"
#include "fuse/Schedule/MmaModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;
using namespace mlir::fuse;
using llvm::formatv;

static std::string plural(int64_t count, StringRef what) {
  return formatv("{0} {1}{2}", count, what, count == 1 ? "" : "s");
}

/// "rows of 128 and 256 elements"; the lengths as far as they are static.
static std::string describeRows(ArrayRef<std::optional<int64_t>> lengths) {
  llvm::SmallSetVector<int64_t, 4> known;
  for (std::optional<int64_t> length : lengths)
    if (length)
      known.insert(*length);
  if (known.empty())
    return "rows";
  if (known.size() == 1)
    return "rows of " + plural(known.front(), "element");
  std::string last = std::to_string(known.pop_back_val());
  auto texts =
      llvm::map_range(known, [](int64_t n) { return std::to_string(n); });
  return formatv("rows of {0} and {1} elements", llvm::join(texts, ", "), last);
}

/// `isOnce`: nothing needs a row again.
static std::string explainHold(RowsScheduleAttr schedule, StringRef row,
                               bool isDynamic, bool isOnce) {
  std::string group =
      plural(schedule.threadsPerRow() / schedule.blocksPerRow(), "thread");
  if (schedule.sharesGrid())
    return formatv("it reduces all elements, which up to {0} of {1} share; "
                   "these meet at a barrier of the grid and read their part "
                   "again",
                   plural(schedule.blocksPerRow(), "block"), group);
  if (schedule.blocksPerRow() > 1)
    group +=
        formatv(" in each of {0} blocks (a cluster)", schedule.blocksPerRow());
  if (isOnce && isa<CacheHoldAttr, LoopHoldAttr>(schedule.getHold()))
    return formatv("it reduces {0}, which {1} read once and do not keep", row,
                   group);
  if (isa<RegistersHoldAttr>(schedule.getHold()))
    return formatv("it reduces {0}, which fit in the registers of {1}, so that "
                   "memory is read once",
                   row, group);
  if (isa<CacheHoldAttr>(schedule.getHold()))
    return formatv("it reduces {0}, which {1} read again from the caches, so "
                   "that memory is read once and registers are left for more "
                   "threads",
                   row, group);
  if (isa<SharedHoldAttr>(schedule.getHold()))
    return formatv("it reduces {0}, which fit in the shared memory and the "
                   "registers of a block of {1}, so that memory is read once",
                   row, group);
  return formatv("it reduces {0} {1}, so that {2} read them again for each "
                 "reduction that depends on another",
                 row,
                 isDynamic ? "of a length that only the call knows"
                           : "that are too long for registers",
                 group);
}

/// What is on its way while a step of a loop, or a row, is reduced.
static std::string explainStages(int64_t stages, StringRef of = "step") {
  if (stages == 1)
    return "";
  return formatv("; copies of the next {0} run ahead, into shared memory",
                 plural(stages - 1, of));
}

/// Calls of the first lengths have a program of which this is not a kernel.
static std::string explainLengths(KernelOp kernel) {
  auto names =
      kernel->getParentOfType<func::FuncOp>()->getAttrOfType<ArrayAttr>(
          kLengthsAttr);
  if (!names)
    return "";
  return formatv("; the first lengths that calls have get other code, which "
                 "is shown where the size of '{0}' is given",
                 cast<StringAttr>(names[0]).getValue());
}

static std::string explainRows(KernelOp kernel, RowsScheduleAttr schedule) {
  DimClasses dims(kernel->getParentOfType<func::FuncOp>());
  Reason reason;
  auto segments = reductionSegmentsOf(kernel, dims, reason);
  SmallVector<std::optional<int64_t>> lengths;
  if (succeeded(segments))
    for (const ReductionSegment &segment : *segments)
      lengths.push_back(staticProduct(segment.space.columns()));
  bool isDynamic = llvm::is_contained(lengths, std::nullopt);
  bool isOnce = succeeded(segments) &&
                llvm::all_of(*segments, [&](const ReductionSegment &segment) {
                  return isReadOnce(segment, dims);
                });
  std::string text =
      explainHold(schedule, describeRows(lengths), isDynamic, isOnce);
  bool isShared = isa<SharedHoldAttr>(schedule.getHold());
  text +=
      explainStages(schedule.getHold().getStages(), isShared ? "row" : "step");
  if (isDynamic)
    text += explainLengths(kernel);
  if (schedule.getPersistent() > 0)
    text += formatv("; up to {0} persistent blocks each take one row after the "
                    "other",
                    schedule.getPersistent());
  if (succeeded(segments) && !segments->front().across.empty())
    text += ", adds up what all rows are reduced to, and meets the others";
  if (schedule.rowsPerThread() > 1)
    text += formatv("; each thread has {0} rows, of which it loads all before "
                    "it reduces one, and reads once what they share",
                    schedule.rowsPerThread());
  if (schedule.getLeastBlocks() > 0)
    text += formatv("; ptxas is asked for registers that leave room for {0} on "
                    "a multiprocessor",
                    plural(schedule.getLeastBlocks(), "block"));
  if (lengths.size() > 1)
    text += formatv("; {0} independent sets of rows share the launch, in "
                    "blocks of their own",
                    lengths.size());
  return text;
}

static std::string explainColumns(KernelOp kernel,
                                  ColumnsScheduleAttr schedule) {
  bool overLast = false;
  for (Operation &op : kernel.getBody().front())
    if (isReduction(&op)) {
      auto input = cast<RankedTensorType>(op.getOperand(0).getType());
      overLast |= llvm::is_contained(reducedDims(&op), input.getRank() - 1);
    }

  std::string sharing = plural(schedule.getSplits(), "thread");
  if (schedule.parts() > 1)
    sharing += formatv(" in each of up to {0} blocks", schedule.parts());
  if (schedule.clusterSize() > 1)
    sharing +=
        formatv(" in each of {0} blocks (a cluster)", schedule.clusterSize());
  if (overLast)
    return formatv(
        "the last dimension that it reduces is contiguous; {0} share a "
        "result's elements, and neighbours read neighbouring ones{1}",
        sharing, explainStages(schedule.getHold().getStages()));
  std::string folded;
  if (schedule.getFold() > 1)
    folded = formatv("; {0} rows are walked as one, so that vectors of {1} lie "
                     "where memory is aligned",
                     schedule.getFold(), schedule.getVector());
  return formatv(
      "it reduces other dimensions than the last; {0} share a "
      "column's elements, and neighbours read neighbouring columns{1}"
      "{2}",
      sharing, explainStages(schedule.getHold().getStages()), folded);
}

Reason mlir::fuse::whyOrdinaryCores(KernelOp kernel, const DimClasses &dims,
                                    std::optional<TensorFacts> facts) {
  Reason reason;
  if (!facts || !isa<TiledScheduleAttr, ContractionScheduleAttr>(
                    kernel.getScheduleAttr()))
    return {};
  FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, *facts, reason);
  if (failed(space))
    return reason;
  bool isUsual = space->operandBits() == 16 || space->operandBits() == 32;
  return isUsual ? Reason() : whyNotMultiplied(space->operandBits());
}

static std::string explainOrdinaryCores(KernelOp kernel, const DimClasses &dims,
                                        std::optional<TensorFacts> facts) {
  Reason reason = whyOrdinaryCores(kernel, dims, facts);
  return reason ? "; tensor cores cannot run it: " + reason.sentence() : "";
}

static std::string explainTiled(TiledScheduleAttr schedule, KernelOp kernel,
                                const DimClasses &dims,
                                std::optional<TensorFacts> facts) {
  bool isShared = schedule.getThreads() > 1;
  std::string shared;
  if (int64_t groups = schedule.groups(); groups > 1)
    shared = formatv("; {0} groups of threads take these in turn, and their "
                     "sums are added in order",
                     groups);
  return formatv(
      "it contracts; a block brings {0} elements along the summed axis at a "
      "time "
      "into {1} for a tile of {2} x {3}, and a thread keeps {4} x {5} sums in "
      "registers{6}{7}",
      schedule.getTileK(), isShared ? "shared memory" : "panels in its cache",
      schedule.getTileM(), schedule.getTileN(), schedule.getRows(),
      schedule.getColumns(), shared,
      schedule.getMmaK() ? "; tensor cores multiply f64 by mma.sync"
                         : explainOrdinaryCores(kernel, dims, facts));
}

static std::string explainContraction(ContractionScheduleAttr schedule,
                                      KernelOp kernel, const DimClasses &dims,
                                      std::optional<TensorFacts> facts) {
  bool alongK = schedule.getAlong() == LaneAxis::k;
  std::string others = explainOrdinaryCores(kernel, dims, facts);
  return formatv("it contracts; vectors lie along the {0}, which is contiguous "
                 "in memory, and a thread keeps {1} x {2} sums in registers{3}",
                 alongK ? "summed axis" : "result's last axis",
                 schedule.getTileM(), schedule.getTileN(), others);
}

/// Two predicted times that an op of the kernel has noted, as text; empty if
/// none has.
static std::string timesNoted(KernelOp kernel, StringRef attribute,
                              const char *text) {
  for (Operation &op : kernel.getBody().front())
    if (auto times = op.getAttrOfType<ArrayAttr>(attribute);
        times && times.size() == 2) {
      auto microseconds = [&](unsigned number) {
        return cast<FloatAttr>(times[number]).getValueAsDouble();
      };
      return formatv(text, microseconds(0), microseconds(1));
    }
  return {};
}

/// The inputs that come with the tiles of a kernel.
static size_t countTileInputs(MmaScheduleAttr schedule, KernelOp kernel,
                              const DimClasses &dims, TensorFacts facts) {
  Reason reason;
  FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, facts, reason);
  llvm::SmallPtrSet<Value, 4> inputs;
  if (succeeded(space))
    for (const MmaSegment &segment : space->segments)
      inputs.insert_range(
          mmaTileInputs(kernel, dims, *space, segment, schedule, facts));
  return inputs.size();
}

/// "; m of up to 16 has another schedule: #fuse.mma<...>, up to 64: ...".
static std::string explainSizes(KernelOp kernel) {
  auto sized = kernel->getAttrOfType<DictionaryAttr>(kSizedSchedulesAttr);
  auto function = kernel->getParentOfType<func::FuncOp>();
  auto ranges = function->getAttrOfType<DictionaryAttr>(kSizeRangesAttr);
  std::string text;
  if (!sized || !ranges)
    return text;
  for (NamedAttribute entry : sized) {
    auto bounds = ranges.getAs<DenseI64ArrayAttr>(entry.getName());
    auto schedules = cast<ArrayAttr>(entry.getValue());
    if (!bounds || bounds.size() != int64_t(schedules.size()))
      continue;
    text += ("; by " + entry.getName().strref() + " at the call: ").str();
    for (auto [bound, schedule] : llvm::zip(bounds.asArrayRef(), schedules))
      text += formatv("up to {0} {1}, ", bound, schedule).str();
    text += "and else this one";
  }
  return text;
}

/// Which of the results lie in the contraction's order, so that a copy by
/// tensor map writes them.
static StringRef explainStores(KernelOp kernel, const DimClasses &dims) {
  Reason reason;
  FailureOr<MmaSpace> space =
      mmaSpaceOf(kernel, dims, {/*aligned=*/true, /*divisible=*/true}, reason);
  if (failed(space))
    return "";
  bool copies = false, stores = false;
  for (const MmaSegment &segment : space->segments)
    for (unsigned number : segment.results)
      (isInOrder(kernel.getYield().getValues()[number], segment.flow)
           ? copies
           : stores) = true;
  if (!stores)
    return "";
  return copies ? ", from where some are copied by tensor map, and of others, "
                  "which lie elsewhere, threads write 16 bytes of a row each"
                : ", from where threads write 16 bytes of a row each, since "
                  "they lie elsewhere than the contraction's would";
}

/// Who multiplies the tiles of a block.
static std::string explainConsumers(bool isMmaSync, int64_t consumers) {
  constexpr int64_t warpsOfGroup = 4;
  return isMmaSync
             ? plural(warpsOfGroup * consumers, "warp") + ", each by mma.sync,"
             : plural(consumers, "warpgroup");
}

/// What operands are computed from, and where.
static std::string explainComputed(MmaScheduleAttr schedule) {
  SmallVector<std::string, 2> buffered, inRegisters;
  for (auto [name, bits, isLeft] :
       {std::tuple("rows", schedule.getRowBits(), !schedule.getSwap()),
        {"columns", schedule.getColumnBits(), schedule.getSwap()}})
    if (bits)
      (isLeft && schedule.getSwap() ? inRegisters : buffered)
          .push_back(formatv("{0} from elements of {1} bits", name, bits));
  std::string text;
  if (!buffered.empty())
    text += "; operands are computed in shared memory a step ahead, the " +
            llvm::join(buffered, ", the ");
  if (!inRegisters.empty())
    text += "; warps compute in registers the " + inRegisters.front();
  return text;
}

static std::string explainMma(MmaScheduleAttr schedule, KernelOp kernel,
                              const DimClasses &dims,
                              std::optional<TensorFacts> facts) {
  std::string gathered;
  if (schedule.leavesParts())
    gathered = formatv(", whose parts up to {0} blocks sum and a second launch "
                       "adds in order",
                       schedule.getSplitK());
  else if (schedule.getSplitK() > 1)
    gathered = formatv(", whose parts {0} blocks sum and then add in order",
                       schedule.getSplitK());
  else if (schedule.clusterSize() > 1)
    gathered = formatv(", of which {0} blocks copy the {1} that they share for "
                       "each other",
                       schedule.clusterSize(),
                       schedule.clusterRows() > 1 ? "columns" : "rows");
  bool isBuffered = schedule.getStore() != MmaStore::direct;
  std::string sharers =
      explainConsumers(schedule.isMmaSync(), schedule.getConsumers());
  std::string text = formatv(
      "it contracts {8}-bit floats{9} on tensor cores; {0} share tiles of "
      "{1} x {2}{3}{4}, whose operands are copied up to {5} steps ahead, and "
      "results are written {6}{7}",
      sharers, schedule.resultRows(), schedule.resultColumns(),
      schedule.getSwap() ? " with the operands swapped" : "", gathered,
      schedule.getStages() - 1,
      schedule.leavesParts() ? "by that launch"
      : isBuffered           ? "through shared memory"
                             : "from registers",
      schedule.getStore() == MmaStore::tma ? explainStores(kernel, dims) : "",
      schedule.getOperandBits(),
      schedule.getOperandBits() == 32 ? " as TF32" : "");
  if (size_t count =
          facts ? countTileInputs(schedule, kernel, dims, *facts) : 0)
    text += formatv("; {0} as large as the result {1} copied with the tiles",
                    plural(count, "input"), count == 1 ? "is" : "are");
  text += explainComputed(schedule);
  text += explainSizes(kernel);
  text += timesNoted(kernel, kInTilesAttr,
                     "; tiles leave parts of what is reduced, which takes "
                     "{0:F1} us by the model where a kernel of its own takes "
                     "{1:F1} us");
  text += timesNoted(kernel, kRowScaleAttr,
                     "; by the model the norm before it takes {0:F1} us as a "
                     "scale of its rows and {1:F1} us as a kernel of its own, "
                     "and is the faster of these");
  return text;
}

/// What a streamed kernel has between its contractions.
static StringRef explainBetween(const FailureOr<StreamedSpace> &space) {
  return succeeded(space) && space->isPlain()
             ? "what is computed from each score alone"
             : "a softmax of rows";
}

/// Which of a streamed kernel's tiles are masked.
static StringRef explainMasks(const FailureOr<StreamedSpace> &space,
                              const DimClasses &dims) {
  SmallVector<ScoreMask> masks;
  if (succeeded(space))
    masks = scoreMasksOf(*space, dims);
  if (hidesTiles(masks))
    return "; tiles that the mask hides whole are not read, and only tiles "
           "that it cuts are masked";
  return masks.empty() ? "" : "; only tiles that the mask cuts are masked";
}

static std::string explainStreamedPanels(StreamedPanelsScheduleAttr schedule,
                                         KernelOp kernel,
                                         const DimClasses &dims) {
  Reason reason;
  FailureOr<StreamedSpace> space = panelStreamedSpaceOf(kernel, dims, reason);
  return formatv("{0} stands between two contractions: a block has {1} rows of "
                 "the first, and packs {2} rows of the others at a time into "
                 "panels; the scores of these stay in its cache{3}",
                 explainBetween(space), schedule.getTileM(),
                 schedule.getTileK(), explainMasks(space, dims));
}

static std::string explainStreamed(StreamedScheduleAttr schedule,
                                   KernelOp kernel, const DimClasses &dims) {
  Reason reason;
  FailureOr<StreamedSpace> space = streamedSpaceOf(
      kernel, dims, {/*aligned=*/true, /*divisible=*/true}, reason);
  bool isSync = schedule.getIsa() == MmaIsa::mma_sync;
  bool isOne = schedule.getConsumers() == 1 && !isSync;
  std::string text = formatv(
      "{6} stands between two contractions of 16-bit floats: {0} {1} {2} rows "
      "of the first, and {3} {4} rows of the others at a time, whose scores "
      "stay in registers{5}",
      explainConsumers(isSync, schedule.getConsumers()),
      isOne ? "has" : "share", schedule.getTileM(), isOne ? "takes" : "take",
      schedule.getTileK(), explainMasks(space, dims), explainBetween(space));
  if (schedule.columnGroups() > 1)
    text += formatv("; the rows are wide, so that each has the sums of {0} "
                    "columns",
                    schedule.columnsPerConsumer());
  if (schedule.getValuesInKeys())
    text += "; the third operand is read where the second lies";
  if (schedule.getHeads() > 1)
    text +=
        formatv("; the rows are {0} of each of {1} heads that share a head "
                "of the others",
                plural(schedule.queriesPerTile(), "row"), schedule.getHeads());
  if (schedule.getSplit() > 1)
    text += formatv("; blocks share the rows of the others so that there are "
                    "about {0} of them",
                    schedule.getSplit());
  if (schedule.leavesParts())
    text += "; a second launch combines what blocks leave";
  if (succeeded(space) && space->isPaged())
    text += "; pages are read by their numbers";
  if (succeeded(space) && space->computes())
    text += "; operands are computed as they are read";
  return text + explainSizes(kernel);
}

/// How a thread comes by both elements of rotary pairs.
static StringRef explainPairs(int64_t vector, KernelOp kernel,
                              const DimClasses &dims, bool isForGPU) {
  if (kernel.getBody().getOps<RotaryOp>().empty())
    return "";
  for (const Segment &segment : segmentsOf(kernel, dims))
    if (segment.rotation && vector > 1 &&
        !segment.rotation->keepsVectors(vector)) {
      if (segment.rotation->pairsTogether(vector) > 0)
        return "; one thread has all pairs of a head";
      if (isForGPU)
        return "; it reads the vectors of their partners, too";
    }
  return " and leaves a thread whole pairs";
}

/// What a thread does once for neighbours.
static std::string explainRepeated(PointwiseScheduleAttr schedule,
                                   KernelOp kernel, const DimClasses &dims) {
  for (const Segment &segment : segmentsOf(kernel, dims)) {
    int64_t places = segment.repeatedTogether(schedule.getHeads());
    if (places == 1)
      continue;
    const Extent &row = segment.extents.back();
    if (row.isStatic() && row.size % schedule.getVector() == 0)
      return formatv("; a thread takes {0} places of dimension {1}, and "
                     "loads and computes once what repeats along it",
                     places, segment.repeatedAxis);
  }
  return "";
}

static std::string explainPointwise(PointwiseScheduleAttr schedule,
                                    KernelOp kernel, const DimClasses &dims,
                                    std::optional<TensorFacts> facts) {
  std::string text =
      "it neither reduces nor contracts, so that a thread takes ";
  bool isForGPU = schedule.getThreads() > 1;
  for (const Segment &segment : segmentsOf(kernel, dims)) {
    std::optional<TurnedBox> box;
    if (isForGPU)
      box = turnedBoxOf(kernel, segment, dims, schedule.getVector(),
                        facts && facts->divisible);
    if (box)
      return text + formatv("boxes of {0} elements of what it reads across: "
                            "whole vectors of both sides, which it turns in "
                            "registers",
                            llvm::interleaved(box->sizes, " x "))
                        .str();
  }
  return text +
         formatv("{0} at a time, the widest vector that divides the rows{1}",
                 plural(schedule.getVector(), "element"),
                 explainPairs(schedule.getVector(), kernel, dims, isForGPU))
             .str() +
         explainRepeated(schedule, kernel, dims);
}

static std::string explainOrdered(OrderedScheduleAttr schedule) {
  std::string elements =
      plural(schedule.getVector() * schedule.getUnroll(), "element");
  if (schedule.getSplits() > 1)
    return formatv("it walks columns in order: {0} threads share one, each "
                   "with {1} at a time",
                   schedule.getSplits(), elements);
  return formatv("it walks elements in their order: each of a block's {0} "
                 "threads takes {1} at a time, and they exchange what these "
                 "come to",
                 schedule.getThreads(), elements);
}

std::string mlir::fuse::explainSchedule(KernelOp kernel, const DimClasses &dims,
                                        std::optional<TensorFacts> facts) {
  return llvm::TypeSwitch<Attribute, std::string>(kernel.getScheduleAttr())
      .Case([&](RowsScheduleAttr schedule) {
        return explainRows(kernel, schedule);
      })
      .Case([&](ColumnsScheduleAttr schedule) {
        return explainColumns(kernel, schedule);
      })
      .Case([&](ContractionScheduleAttr schedule) {
        return explainContraction(schedule, kernel, dims, facts);
      })
      .Case([&](TiledScheduleAttr schedule) {
        return explainTiled(schedule, kernel, dims, facts);
      })
      .Case([&](MmaScheduleAttr schedule) {
        return explainMma(schedule, kernel, dims, facts);
      })
      .Case([&](StreamedScheduleAttr schedule) {
        return explainStreamed(schedule, kernel, dims);
      })
      .Case([&](StreamedPanelsScheduleAttr schedule) {
        return explainStreamedPanels(schedule, kernel, dims);
      })
      .Case([&](PointwiseScheduleAttr schedule) {
        return explainPointwise(schedule, kernel, dims, facts);
      })
      .Case(
          [](OrderedScheduleAttr schedule) { return explainOrdered(schedule); })
      .Default([](Attribute) {
        return std::string("its scheduler is the first that applies");
      });
}
