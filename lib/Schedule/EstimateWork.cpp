//===- EstimateWork.cpp - What a block does under a schedule --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers are what ptxas gave RMSNorm and softmax of bf16 with 8 to 128
// elements a thread: 24, one for each element up to 32, and 1.6 for each after
// that, since the operands of the last pass are loaded ahead.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/KernelSpace.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/TransposeSpace.h"
#include "fuse/Schedule/Candidates.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr double baseRegisters = 24;
static constexpr double denseElements = 32;
static constexpr double registersAfter = 1.6;
/// What a thread needs for a step of a loop whose elements it drops.
static constexpr double stepRegisters = 8;
static constexpr double bytesPerRegister = 4;
/// Instructions of a butterfly of shuffles.
static constexpr double shuffleInstructions = 12;
/// A reduction within a warp needs no barrier; that of a cluster's blocks needs
/// one that takes longer, that of a grid's one through memory.
static constexpr double warpReduction = 0.3;
static constexpr double clusterReduction = 3;
static constexpr double gridReduction = 10;
/// The part of a cache that rows stay in until they are read again.
static constexpr double usableCache = 0.6;
/// A wait for the first cache, as a part of one for L2.
static constexpr double nearWait = 0.1;
/// Memory is read in pieces of this size.
static constexpr double sectorBytes = 64;

static int64_t registersFor(double elements) {
  double beyond = std::max(0.0, elements - denseElements);
  return baseRegisters + std::min(elements, denseElements) +
         registersAfter * beyond;
}

static double ceilDiv(double a, double b) { return std::ceil(a / b); }

namespace {
/// What ops of a kernel do, whatever its schedule, on a space of `points`.
class KernelWork {
public:
  KernelWork(KernelOp kernel, const DimClasses &dims, double points);
  KernelWork(KernelOp kernel, const ReductionSegment &segment,
             const DimClasses &dims);

  BlockWork pointwise(PointwiseScheduleAttr schedule) const;
  BlockWork rows(RowsScheduleAttr schedule, const ReductionSpace &space,
                 const GPUTarget &gpu) const;
  BlockWork columns(ColumnsScheduleAttr schedule, const ReductionSpace &space,
                    const GPUTarget &gpu) const;
  BlockWork transpose(TransposeScheduleAttr schedule) const;
  BlockWork contraction(ContractionScheduleAttr schedule, ContractOp op) const;

private:
  void count(Operation *op);
  void countEdge(Value value, bool isResult);
  double walksOf(const ReductionSpace &space) const;
  void reread(BlockWork &work, double walks, const GPUTarget &gpu) const;
  bool fitsNear(const BlockWork &work, const GPUTarget &gpu) const;
  void addPoints(BlockWork &work, double count) const;
  double sectorWaste(double elements) const;

  const DimClasses &dims;
  double points;
  /// Of all tensors that cross the kernel's edge; of its inputs that have an
  /// element for each point; of one point of the others.
  double bytes = 0, streamedBytes = 0, tableBytes = 0;
  unsigned streamedInputs = 0;
  /// Registers of one element.
  double words = 1;
  /// For each point.
  double instructions = 0, specials = 0;
  bool hasExp = false, yieldsPoints = false;
};
} // namespace

KernelWork::KernelWork(KernelOp kernel, const DimClasses &dims, double points)
    : dims(dims), points(points) {
  for (Value input : kernel.getBody().getArguments())
    countEdge(input, /*isResult=*/false);
  for (Value value : kernel.getYield().getValues())
    countEdge(value, /*isResult=*/true);
  for (Operation &op : kernel.getBody().front().without_terminator())
    count(&op);
}

KernelWork::KernelWork(KernelOp kernel, const ReductionSegment &segment,
                       const DimClasses &dims)
    : dims(dims), points(estimatedElements(segment.space.domain, dims)) {
  for (Value input : kernel.getBody().getArguments())
    if (segment.reads(input))
      countEdge(input, /*isResult=*/false);
  for (unsigned result : segment.results)
    countEdge(storedValue(kernel.getYield().getValues()[result]),
              /*isResult=*/true);
  for (Operation *op : segment.ops)
    count(op);
}

void KernelWork::countEdge(Value value, bool isResult) {
  double elements = estimatedElements(value, dims);
  bytes += estimatedBytes(value, dims);
  bool isStreamed = elements >= points;
  // Narrow elements are converted one by one.
  if (isStreamed && elementBytes(value) < 4)
    instructions += 1;
  if (isResult) {
    yieldsPoints |= isStreamed;
  } else if (isStreamed) {
    words = std::max(words, elementBytes(value) / bytesPerRegister);
    streamedBytes += estimatedBytes(value, dims);
    ++streamedInputs;
  } else {
    // Scalars, and one number a row, are read once.
    bool isTable = elements > 1 && !dims.extents(value).empty() &&
                   dims.extents(value).back().size != 1;
    tableBytes += isTable ? elementBytes(value) : 0;
    instructions += isTable && elementBytes(value) < 4 ? 1 : 0;
  }
}

void KernelWork::count(Operation *op) {
  bool isForEach = isReduction(op);
  for (Value result : op->getResults())
    isForEach |= estimatedElements(result, dims) >= points;
  hasExp |= isa<ExpOp, SoftmaxStatsOp>(op);
  if (!isForEach)
    return;
  instructions += instructionsOf(op);
  specials += isSpecialFunction(op);
}

void KernelWork::addPoints(BlockWork &work, double count) const {
  work.instructions += instructions * count;
  work.specials += specials * count;
}

/// Bytes moved for each byte used where only so many elements lie beside each
/// other.
double KernelWork::sectorWaste(double elements) const {
  double run = elements * streamedBytes / points / std::max(1u, streamedInputs);
  return run > 0 ? std::max(1.0, sectorBytes / run) : 1;
}

/// Passes over the reduced places: one for each reduction that waits for
/// another, and one for results that need the last. A maximum and the sum of
/// exponentials take one.
double KernelWork::walksOf(const ReductionSpace &space) const {
  double levels = space.levels.size();
  if (levels > 1 && hasExp)
    --levels;
  return levels + yieldsPoints;
}

/// The passes after the first read what the first has read, from L2 if what all
/// blocks hold fits there.
void KernelWork::reread(BlockWork &work, double walks,
                        const GPUTarget &gpu) const {
  double again = (walks - 1) * streamedBytes / work.blocks;
  double resident = std::min<double>(work.blocks, residentBlocks(gpu, work) *
                                                      gpu.multiprocessors);
  if (resident * streamedBytes / work.blocks <= usableCache * gpu.l2Bytes) {
    work.cachedBytes += again;
    work.cachedWaits += (walks - 1) * work.memoryWaits;
    return;
  }
  work.memoryBytes += again;
  work.memoryWaits *= walks;
}

/// Whether what the resident blocks read stays in the first cache.
bool KernelWork::fitsNear(const BlockWork &work, const GPUTarget &gpu) const {
  double row = streamedBytes / work.blocks;
  return residentBlocks(gpu, work) * row <= usableCache * gpu.sharedBytesPerSM;
}

BlockWork KernelWork::pointwise(PointwiseScheduleAttr schedule) const {
  BlockWork work;
  double share =
      schedule.getVector() * schedule.getUnroll() * schedule.getHeads();
  work.threads = schedule.getThreads();
  work.blocks = ceilDiv(points, work.threads * share);
  work.registers = registersFor(share * std::max(1u, streamedInputs));
  work.memoryBytes = bytes / work.blocks;
  work.cachedBytes = tableBytes * work.threads * share;
  addPoints(work, share);
  return work;
}

/// What all threads of a group do once for a reduction.
static void addReductions(BlockWork &work, double levels, int64_t group,
                          const GPUTarget &gpu) {
  work.reductions =
      levels * (group > static_cast<int64_t>(gpu.warpSize) ? 1 : warpReduction);
  work.instructions += shuffleInstructions * levels;
}

/// Steps that one wait is for.
template <typename Schedule> static double stagesAhead(Schedule schedule) {
  return std::max<int64_t>(1, schedule.getStages() - 1);
}

/// Shared memory of a block whose copies run ahead, of so many bytes a vector.
template <typename Schedule>
static double stagedBytes(Schedule schedule, double vectorBytes) {
  return schedule.getStages() == 1
             ? 0
             : schedule.getThreads() * schedule.getUnroll() *
                   schedule.getStages() * vectorBytes;
}

BlockWork KernelWork::rows(RowsScheduleAttr schedule,
                           const ReductionSpace &space,
                           const GPUTarget &gpu) const {
  BlockWork work;
  int64_t perBlock = schedule.getRowsPerBlock();
  int64_t group = schedule.threadsPerRow();
  double blocks = schedule.getBlocksPerRow();
  double length = estimatedElements(space.columns(), dims);
  double share =
      ceilDiv(length, group * schedule.getVector()) * schedule.getVector();
  double walks = walksOf(space);
  work.threads = schedule.getThreads();
  work.blocks =
      ceilDiv(estimatedElements(space.rows(), dims), perBlock) * blocks;
  // A row that few threads walk makes them read at places far apart.
  work.memoryBytes =
      bytes / work.blocks *
      sectorWaste(std::min<double>(length, group * schedule.getVector()));
  work.cachedBytes = tableBytes * length * perBlock / blocks;
  addPoints(work, share);
  addReductions(work, space.levels.size(), group, gpu);
  if (blocks > 1)
    work.reductions *=
        schedule.getWholeGrid() ? gridReduction : clusterReduction;

  double step = schedule.getVector() * schedule.getUnroll();
  double stepped = baseRegisters + stepRegisters + step * streamedInputs;
  switch (schedule.getHold()) {
  case HoldKind::registers:
    work.registers = registersFor(share * words);
    return work;
  case HoldKind::loop:
    work.registers = stepped;
    work.memoryWaits = ceilDiv(share, step * stagesAhead(schedule));
    work.sharedBytes =
        stagedBytes(schedule, streamedBytes / points * schedule.getVector());
    work.instructions *= (walks + 1) / 2;
    reread(work, walks, gpu);
    return work;
  case HoldKind::cache:
    work.registers = stepped;
    if (fitsNear(work, gpu))
      work.cachedWaits += nearWait * (walks - 1);
    else
      reread(work, walks, gpu);
    return work;
  case HoldKind::shared: {
    double inRegisters = schedule.getInRegisters() * schedule.getVector();
    double staged = std::max(0.0, share - inRegisters);
    work.registers = registersFor(inRegisters + schedule.getVector());
    work.sharedBytes =
        streamedBytes / points * std::min(length, staged * group) / blocks;
    return work;
  }
  }
  llvm_unreachable("every way to hold a row is handled");
}

BlockWork KernelWork::columns(ColumnsScheduleAttr schedule,
                              const ReductionSpace &space,
                              const GPUTarget &gpu) const {
  BlockWork work;
  double vectors = schedule.getThreads() / schedule.getSplits();
  double width = vectors * schedule.getVector();
  double parts = schedule.getParts() * schedule.getBlocksPerColumn();
  double fold = schedule.getFold();
  double places =
      estimatedElements(space.reducedExtents(), dims) / parts / fold;
  double walked = std::max(1.0, ceilDiv(places, schedule.getSplits()));
  work.threads = schedule.getThreads();
  work.blocks =
      ceilDiv(estimatedElements(space.keptExtents(), dims) * fold, width) *
      parts;
  // Along a last dimension that is reduced the neighbours are places.
  bool isAcross = !space.isReduced(space.domain.size() - 1);
  work.memoryBytes = bytes / work.blocks;
  if (isAcross)
    work.memoryBytes *= sectorWaste(width);
  addPoints(work, walked * schedule.getVector());
  addReductions(work, space.levels.size(), schedule.getThreads(), gpu);
  if (schedule.getBlocksPerColumn() > 1)
    work.reductions *= clusterReduction;
  double step = schedule.getUnroll() * schedule.getVector();
  if (schedule.getHold() == HoldKind::registers) {
    work.registers = registersFor(walked * schedule.getVector());
    return work;
  }
  work.registers = baseRegisters + stepRegisters + step * streamedInputs;
  work.memoryWaits =
      ceilDiv(walked, schedule.getUnroll() * stagesAhead(schedule));
  work.sharedBytes =
      stagedBytes(schedule, streamedBytes / points * schedule.getVector());
  reread(work, walksOf(space), gpu);
  return work;
}

BlockWork KernelWork::transpose(TransposeScheduleAttr schedule) const {
  BlockWork work;
  double tile = schedule.getTile() * schedule.getTile();
  work.threads = schedule.getThreads();
  work.blocks = ceilDiv(points, tile);
  work.memoryBytes = bytes / work.blocks;
  work.sharedBytes = tile * streamedBytes / points;
  work.registers = registersFor(tile / work.threads);
  work.reductions = 1;
  addPoints(work, tile / work.threads);
  return work;
}

/// A step along the summed axis loads the operands of a tile, from L2 but for
/// the first time, and multiplies them.
BlockWork KernelWork::contraction(ContractionScheduleAttr schedule,
                                  ContractOp op) const {
  BlockWork work;
  ContractionSpace space = contractionSpaceOf(op);
  SmallVector<Extent> summedExtents;
  for (char axis : space.summed)
    summedExtents.push_back(space.extent(axis, dims));
  double summed = estimatedElements(summedExtents, dims);
  bool alongN = schedule.getAlong() == LaneAxis::n;
  double vector = schedule.getVector();
  double tileN = schedule.getTileN() * (alongN ? vector : 1);
  double results = schedule.getTileM() * tileN;
  double steps = alongN ? summed : ceilDiv(summed, vector);
  double loaded = summed * (schedule.getTileM() + tileN);
  work.threads = schedule.getThreads();
  work.blocks =
      ceilDiv(estimatedElements(op.getResult(), dims), work.threads * results);
  work.registers = registersFor(results * (alongN ? 1 : vector));
  work.memoryBytes = bytes / work.blocks;
  // The threads of a warp share one of the operands.
  work.cachedBytes = work.threads * loaded * elementBytes(op.getLhs()) / 8;
  work.cachedWaits = steps / 4;
  work.instructions = summed * results + loaded;
  return work;
}

/// The mean block of a launch in which each shape of rows has its own; room is
/// needed for the largest.
static BlockWork meanOf(ArrayRef<BlockWork> works) {
  BlockWork mean = works.front();
  for (const BlockWork &other : works.drop_front()) {
    double all = mean.blocks + other.blocks, part = other.blocks / all;
    auto mix = [&](double BlockWork::*field) {
      mean.*field += part * (other.*field - mean.*field);
    };
    for (double BlockWork::*field :
         {&BlockWork::memoryBytes, &BlockWork::cachedBytes,
          &BlockWork::instructions, &BlockWork::specials,
          &BlockWork::memoryWaits, &BlockWork::cachedWaits,
          &BlockWork::reductions})
      mix(field);
    mean.blocks = all;
    mean.registers = std::max(mean.registers, other.registers);
    mean.sharedBytes = std::max(mean.sharedBytes, other.sharedBytes);
  }
  return mean;
}

static BlockWork estimateRows(KernelOp kernel, const DimClasses &dims,
                              ArrayRef<ReductionSegment> segments,
                              RowsScheduleAttr schedule, const GPUTarget &gpu) {
  SmallVector<BlockWork> works;
  for (const ReductionSegment &segment : segments)
    works.push_back(
        KernelWork(kernel, segment, dims).rows(schedule, segment.space, gpu));
  return meanOf(works);
}

BlockWork mlir::fuse::estimateWork(KernelOp kernel, const DimClasses &dims,
                                   ScheduleAttrInterface schedule,
                                   const GPUTarget &gpu) {
  std::string reason;
  if (auto rows = dyn_cast<RowsScheduleAttr>(schedule)) {
    auto segments = reductionSegmentsOf(kernel, dims, reason);
    if (succeeded(segments))
      return estimateRows(kernel, dims, *segments, rows, gpu);
  }
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  double points = 1;
  if (succeeded(space))
    points = estimatedElements(space->domain, dims);
  else
    for (Value value : kernel.getYield().getValues())
      points = std::max(points, estimatedElements(value, dims));
  KernelWork work(kernel, dims, points);
  // A schedule from text may not fit the kernel; the lowering says so.
  bool isRows = isa<RowsScheduleAttr>(schedule);
  bool isColumns = isa<ColumnsScheduleAttr>(schedule);
  auto contractions = kernel.getBody().getOps<ContractOp>();
  if (isRows || (isColumns && failed(space)) ||
      (isa<ContractionScheduleAttr>(schedule) && contractions.empty()))
    return work.pointwise(PointwiseScheduleAttr::get(
        kernel.getContext(), schedule.getThreads(), schedule.getVector(),
        /*unroll=*/1, /*heads=*/1));
  return llvm::TypeSwitch<Attribute, BlockWork>(schedule)
      .Case([&](PointwiseScheduleAttr attr) { return work.pointwise(attr); })
      .Case([&](ColumnsScheduleAttr attr) {
        return work.columns(attr, *space, gpu);
      })
      .Case([&](TransposeScheduleAttr attr) { return work.transpose(attr); })
      .Case([&](ContractionScheduleAttr attr) {
        return work.contraction(attr, *contractions.begin());
      });
}
