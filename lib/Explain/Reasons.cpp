//===- Reasons.cpp - Why, and what to do about it -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reasons.h"
#include "fuse/Analysis/KernelSpace.h"
#include "fuse/Analysis/ScoreMasks.h"
#include "fuse/Schedule/MmaModel.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;
using llvm::formatv;

namespace {
struct Advice {
  /// A part of the reason that no other reason has.
  StringLiteral reason;
  StringLiteral suggestion;
};
} // namespace

static constexpr Advice advices[] = {
    {"another kernel lies between them",
     "compute what both need before the kernel between them, or after it"},
    {"by the model of time",
     "nothing: the tiles that would run both are slower than two kernels"},
    {"has no tensor cores", "compile for a chip with them, such as sm_90a, or "
                            "accept a kernel for each"},
    {"no tile of tensor cores holds",
     "use heads of 64, 128 or 256, or layout interleaved"},
    {"tensor cores read operands from memory",
     "nothing: computed in the kernel, an operand would keep the contraction "
     "off "
     "the tensor cores"},
    {"no thread has both elements of a rotary pair",
     "use layout interleaved, or rotate a multiple of 16 features"},
    {"a rotary pair lies in two",
     "use layout interleaved, or heads of at most 256"},
    {"no range of columns", "slice an operand of the contraction instead"},
    {"a slice starts or ends inside",
     "let slices start and end at multiples of 64 columns"},
    {"neighbouring columns of the contraction lie rows apart",
     "transpose an operand of the contraction, or keep the order of the last "
     "dimension"},
    {"compute it again for every place that needs it",
     "nothing: by the cost model two kernels are faster"},
    {"one kernel would have too few blocks",
     "nothing: by the cost model two kernels are faster"},
    {"what all rows are reduced to is moved",
     "move it outside of the program, or accept a kernel for each"},
    {"what is padded is no row",
     "pad before the reduction, or collapse the dimensions of the row"},
    {"what columns leave is stored where they are walked",
     "return the columns, and move them outside of the program"},
    {"it needs other tiles of the contraction",
     "apply the op that moves the elements to an operand of the contraction"},
    {"a scatter walks its updates", "nothing: the two walk different spaces"},
    {"what a scatter has written is not in registers",
     "compute from the updates before they are scattered"},
    {"what a scatter writes into must be in memory",
     "scatter into an argument of the program, or into a constant"},
    {"compute its operand again for every tile",
     "keep the two apart if the operand costs more to compute than to read; "
     "else apply the op to the contraction's result"},
    {"a reduction needs whole rows, which the tiles",
     "nothing, as long as a row does not fit in a tile"},
    {"a contraction needs whole rows of another",
     "use fuse.attention if this is one"},
    {"one kernel runs one contraction",
     "merge the weights of products that share their operand; on sm_90a those "
     "that share the left one are a kernel as they are"},
    {"tensor cores cannot run the contractions together",
     "let them have one left operand, and elements of 16 bits"},
    {"one kernel of several contractions would take longer",
     "nothing: by the cost model two kernels are faster"},
    {"no tile has columns for so many contractions",
     "nothing: a tile has 256 columns at most"},
    {"contractions of several shapes meet",
     "nothing: a thread has the sums of one shape"},
    {"its shape is not that of the contraction's result",
     "apply the op before the reshape or broadcast that changes the shape"},
    {"a result does not have the contraction's shape",
     "return only values of the contraction's shape, or reshape them outside"},
    {"it needs reductions of other rows",
     "reduce with 'keep' and broadcast along the dimensions that were reduced"},
    {"a rotary pair needs reductions of other columns",
     "apply the rotary op before the reduction"},
    {"its shape is not that of the rows that are reduced",
     "apply the op in the shape of the rows, before the reshape or broadcast"},
    {"a result has neither the shape of the rows",
     "return the rows or one element a row, and compute the rest from these"},
    {"the reductions run over different shapes",
     "reduce tensors of one shape, or accept a kernel for each"},
    {"the reductions run over different dimensions",
     "reduce over the same dimensions, or accept a kernel for each"},
    {"a launch takes rows of four shapes",
     "nothing: each shape adds code and shared memory to the kernel"},
    {"a kernel takes 64 reductions",
     "nothing: what one launch saves is little beside so many walks"},
    {"rows of a known and of an unknown length",
     "make both lengths static, or both dynamic, if that is what they are"},
    {"want vectors of different widths",
     "give both tensors one element type, and rows that are multiples of 16 "
     "bytes"},
    {"share each of a few long rows",
     "nothing: as many blocks as the machine holds are worth a launch"},
    {"only the blocks of a GPU meet",
     "nothing: compile for a GPU, or accept a kernel for each"},
    {"no room for the sums of all columns",
     "make the number of columns static, if their sums take at most 64 KiB"},
    {"several blocks hold each of these long rows",
     "nothing: two kernels read the rows once"},
    {"sums of columns stay with a thread",
     "pad the last dimension to a multiple of 16 bytes"},
    {"so few rows leave nothing to add up",
     "nothing: by the cost model two kernels are faster"},
    {"leave most threads idle in the short rows",
     "nothing: the two want blocks of different sizes"},
};

StringRef mlir::fuse::suggestionFor(StringRef reason) {
  for (const Advice &advice : advices)
    if (reason.contains(advice.reason))
      return advice.suggestion;
  return "compare the shapes and the order of the two ops; "
         "the stage kernels shows those that they are in";
}

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
      plural(schedule.threadsPerRow() / schedule.getBlocksPerRow(), "thread");
  if (schedule.getWholeGrid())
    return formatv("it reduces all elements, which up to {0} of {1} share; "
                   "these meet at a barrier of the grid and read their part "
                   "again",
                   plural(schedule.getBlocksPerRow(), "block"), group);
  if (schedule.getBlocksPerRow() > 1)
    group += formatv(" in each of {0} blocks (a cluster)",
                     schedule.getBlocksPerRow());
  bool isStreamed = schedule.getHold() == HoldKind::cache ||
                    schedule.getHold() == HoldKind::loop;
  if (isOnce && isStreamed)
    return formatv("it reduces {0}, which {1} read once and do not keep", row,
                   group);
  switch (schedule.getHold()) {
  case HoldKind::registers:
    return formatv("it reduces {0}, which fit in the registers of {1}, so that "
                   "memory is read once",
                   row, group);
  case HoldKind::cache:
    return formatv("it reduces {0}, which {1} read again from the caches, so "
                   "that memory is read once and registers are left for more "
                   "threads",
                   row, group);
  case HoldKind::shared:
    return formatv("it reduces {0}, which fit in the shared memory and the "
                   "registers of a block of {1}, so that memory is read once",
                   row, group);
  case HoldKind::loop:
    break;
  }
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
  std::string reason;
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
  bool isShared = schedule.getHold() == HoldKind::shared;
  text += explainStages(schedule.getStages(), isShared ? "row" : "step");
  if (isDynamic)
    text += explainLengths(kernel);
  if (schedule.getPersistent() > 0)
    text += formatv("; up to {0} blocks stay, and each takes one row after the "
                    "other",
                    schedule.getPersistent());
  if (succeeded(segments) && !segments->front().across.empty())
    text += ", adds up what all rows are reduced to, and meets the others";
  if (schedule.getRowsPerThread() > 1)
    text += formatv("; each thread has {0} rows, of which it loads all before "
                    "it reduces one, and reads once what they share",
                    schedule.getRowsPerThread());
  if (schedule.getLeastBlocks() > 0)
    text += formatv("; ptxas gives it the registers that leave room for {0} on "
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
  if (schedule.getParts() > 1)
    sharing += formatv(" in each of up to {0} blocks", schedule.getParts());
  if (schedule.getBlocksPerColumn() > 1)
    sharing += formatv(" in each of {0} blocks (a cluster)",
                       schedule.getBlocksPerColumn());
  if (overLast)
    return formatv(
        "the last dimension that it reduces is contiguous; {0} share a "
        "result's places, and neighbours read neighbouring ones{1}",
        sharing, explainStages(schedule.getStages()));
  std::string folded;
  if (schedule.getFold() > 1)
    folded = formatv("; {0} rows are walked as one, so that vectors of {1} lie "
                     "where memory is aligned",
                     schedule.getFold(), schedule.getVector());
  return formatv("it reduces other dimensions than the last; {0} share a "
                 "column's places, and neighbours read neighbouring columns{1}"
                 "{2}",
                 sharing, explainStages(schedule.getStages()), folded);
}

/// Why a contraction is not on tensor cores, where the chip has them.
static std::string explainOrdinaryCores(KernelOp kernel, const DimClasses &dims,
                                        std::optional<TensorFacts> facts) {
  std::string reason;
  if (!facts)
    return "";
  FailureOr<MmaSpace> space = mmaSpaceOf(kernel, dims, *facts, reason);
  if (failed(space))
    return "; tensor cores cannot run it: " + reason;
  if (space->operandBits() == 8)
    return "; tensor cores multiply 8-bit floats by wgmma only, which the chip "
           "lacks";
  return "";
}

static std::string explainTiled(TiledScheduleAttr schedule, KernelOp kernel,
                                const DimClasses &dims,
                                std::optional<TensorFacts> facts) {
  return formatv(
      "it contracts; a block brings {0} places of the summed axis at a time "
      "into {1} for a tile of {2} x {3}, and a thread keeps {4} x {5} sums in "
      "registers{6}",
      schedule.getTileK(),
      schedule.getThreads() == 1 ? "panels in its cache" : "shared memory",
      schedule.getTileM(), schedule.getTileN(), schedule.getRows(),
      schedule.getColumns(), explainOrdinaryCores(kernel, dims, facts));
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
  std::string reason;
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
  std::string reason;
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

static std::string explainMma(MmaScheduleAttr schedule, KernelOp kernel,
                              const DimClasses &dims,
                              std::optional<TensorFacts> facts) {
  std::string gathered;
  if (schedule.getSplitK() > 1)
    gathered = formatv(", whose parts {0} blocks sum and then add in order",
                       schedule.getSplitK());
  else if (schedule.clusterSize() > 1)
    gathered = formatv(", of which {0} blocks copy the {1} that they share for "
                       "each other",
                       schedule.clusterSize(),
                       schedule.clusterRows() > 1 ? "columns" : "rows");
  bool isBuffered = schedule.getStore() != MmaStore::direct;
  constexpr int64_t warpsOfGroup = 4;
  std::string sharers =
      schedule.isMmaSync()
          ? plural(warpsOfGroup * schedule.getConsumers(), "warp") +
                ", each by mma.sync,"
          : plural(schedule.getConsumers(), "warpgroup");
  std::string text = formatv(
      "it contracts {8}-bit floats on tensor cores; {0} share tiles of "
      "{1} x {2}{3}{4}, whose operands are copied up to {5} steps ahead, and "
      "results are written {6}{7}",
      sharers, schedule.resultRows(), schedule.resultColumns(),
      schedule.getSwap() ? " with the operands swapped" : "", gathered,
      schedule.getStages() - 1,
      isBuffered ? "through shared memory" : "from registers",
      schedule.getStore() == MmaStore::tma ? explainStores(kernel, dims) : "",
      schedule.getOperandBits());
  if (size_t count =
          facts ? countTileInputs(schedule, kernel, dims, *facts) : 0)
    text += formatv("; {0} as large as the result {1} copied with the tiles",
                    plural(count, "input"), count == 1 ? "is" : "are");
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

static std::string explainStreamed(StreamedScheduleAttr schedule,
                                   KernelOp kernel, const DimClasses &dims) {
  std::string reason;
  FailureOr<StreamedSpace> space = streamedSpaceOf(
      kernel, dims, {/*aligned=*/true, /*divisible=*/true}, reason);
  SmallVector<ScoreMask> masks;
  if (succeeded(space))
    masks = scoreMasksOf(*space, dims);
  StringRef masked;
  if (hidesTiles(masks))
    masked = "; tiles that the mask hides whole are not read, and only tiles "
             "that it cuts are masked";
  else if (!masks.empty())
    masked = "; only tiles that the mask cuts are masked";
  return formatv(
      "a softmax of rows stands between two contractions of 16-bit floats: {0} "
      "share {1} rows of the first, and take {2} rows of the others at a time, "
      "whose scores stay in registers{3}",
      plural(schedule.getConsumers(), "warpgroup"), schedule.getTileM(),
      schedule.getTileK(), masked);
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
      .Case([](PointwiseScheduleAttr schedule) {
        return formatv("it neither reduces nor contracts, so that a thread "
                       "takes {0} at a time, the widest vector that divides "
                       "the rows",
                       plural(schedule.getVector(), "element"))
            .str();
      })
      .Default([](Attribute) {
        return std::string("its scheduler is the first that applies");
      });
}
