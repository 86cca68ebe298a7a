//===- EstimateWork.cpp - What a block does under a schedule --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers are a fit to what ptxas gave kernels of six families: of the rows
// that were measured half are right to 6, four of five to 12.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/ColumnSegments.h"
#include "fuse/Analysis/ContractionSpace.h"
#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Analysis/TileSpace.h"
#include "fuse/Analysis/TransposeSpace.h"
#include "fuse/Schedule/Candidates.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr double bytesPerRegister = 4;
/// Memory is read in pieces of this size.
static constexpr double sectorBytes = 64;

static double ceilDiv(double a, double b) { return std::ceil(a / b); }

namespace {
/// What ops of a kernel do, whatever its schedule, on a space of `points`.
class KernelWork {
public:
  KernelWork(KernelOp kernel, const DimClasses &dims, const GPUTarget &gpu,
             double points);
  KernelWork(KernelOp kernel, const ReductionSegment &segment,
             const DimClasses &dims, const GPUTarget &gpu);

  BlockWork pointwise(PointwiseScheduleAttr schedule) const;
  BlockWork rows(RowsScheduleAttr schedule, const ReductionSpace &space) const;
  BlockWork columns(ColumnsScheduleAttr schedule,
                    const ReductionSpace &space) const;
  BlockWork transpose(TransposeScheduleAttr schedule) const;
  BlockWork contraction(ContractionScheduleAttr schedule, ContractOp op) const;
  BlockWork tiled(TiledScheduleAttr schedule, const TileSpace &space) const;
  BlockWork mma(MmaScheduleAttr schedule, const MmaProduct &product) const;

private:
  void count(Operation *op);
  void countEdge(Value value, bool isResult);
  double walksOf(const ReductionSpace &space) const;
  void reread(BlockWork &work, double walks) const;
  void addReductions(BlockWork &work, double levels, int64_t group) const;
  int64_t registersFor(double elements) const;
  void addPoints(BlockWork &work, double count) const;
  double rowRegistersOf(RowsScheduleAttr schedule, double share) const;
  double sectorWaste(double elements) const;

  const DimClasses &dims;
  const GPUTarget &gpu;
  const decltype(GPUTarget::work) &numbers = gpu.work;
  /// Of rows; null for other kernels.
  const ReductionSpace *space = nullptr;
  double points;
  /// Of all tensors that cross the kernel's edge; of its inputs that have an
  /// element for each point; of one point of the others.
  double bytes = 0, streamedBytes = 0, tableBytes = 0;
  unsigned streamedInputs = 0;
  /// Inputs with an element for each column, such as weights.
  unsigned tables = 0;
  /// Registers of one element.
  double words = 1;
  /// For each point.
  double instructions = 0, specials = 0;
  bool hasExp = false, yieldsPoints = false;
};
} // namespace

/// Whether the input is only what scatters write into.
static bool isOnlyScatteredInto(BlockArgument input) {
  return !input.use_empty() &&
         llvm::all_of(input.getUses(), [](OpOperand &use) {
           return isa<ScatterOp>(use.getOwner()) && use.getOperandNumber() == 0;
         });
}

KernelWork::KernelWork(KernelOp kernel, const DimClasses &dims,
                       const GPUTarget &gpu, double points)
    : dims(dims), gpu(gpu), points(points) {
  for (BlockArgument input : kernel.getBody().getArguments())
    if (!isOnlyScatteredInto(input))
      countEdge(input, /*isResult=*/false);
  for (Value value : kernel.getYield().getValues())
    countEdge(storedValue(value), /*isResult=*/true);
  for (Operation &op : kernel.getBody().front().without_terminator())
    count(&op);
}

KernelWork::KernelWork(KernelOp kernel, const ReductionSegment &segment,
                       const DimClasses &dims, const GPUTarget &gpu)
    : dims(dims), gpu(gpu), space(&segment.space),
      points(estimatedElements(segment.space.domain, dims)) {
  for (Value input : kernel.getBody().getArguments())
    if (segment.reads(input))
      countEdge(input, /*isResult=*/false);
  for (Value stored : segment.stored)
    countEdge(stored, /*isResult=*/true);
  for (Operation *op : segment.ops)
    count(op);
}

void KernelWork::countEdge(Value value, bool isResult) {
  // What is gathered has at most the elements of the results.
  if (auto input = dyn_cast<BlockArgument>(value);
      input && !isResult && isOnlyGathered(input)) {
    for (OpOperand &use : input.getUses())
      if (!needsOnlySizes(use))
        bytes += estimatedBytes(use.getOwner()->getResult(0), dims);
    return;
  }
  double elements = estimatedElements(value, dims);
  bytes += estimatedBytes(value, dims);
  // A byte may be two numbers of four bits.
  bool isPacked = llvm::any_of(value.getUsers(), llvm::IsaPred<UnpackOp>);
  bool isStreamed = (isPacked ? 2 : 1) * elements >= points;
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
                   (space ? space->isSharedByRows(dims.extents(value))
                          : dims.extents(value).back().size != 1);
    tableBytes += isTable ? elementBytes(value) : 0;
    tables += isTable;
    instructions += isTable && elementBytes(value) < 4 ? 1 : 0;
  }
}

void KernelWork::count(Operation *op) {
  bool isForEach = isReduction(op);
  for (Value result : op->getResults())
    isForEach |= estimatedElements(result, dims) >= points;
  hasExp |= isa<ExpOp, SoftmaxStatsOp>(op);
  if (!isForEach || isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return;
  bool isSpecial = isSpecialFunction(op);
  instructions += isSpecial ? numbers.specialInstructions : instructionsOf(op);
  if (isa<WelfordOp>(op))
    instructions += numbers.welfordInstructions;
  specials += isSpecial;
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
void KernelWork::reread(BlockWork &work, double walks) const {
  double again = (walks - 1) * streamedBytes / work.blocks;
  double resident = std::min<double>(work.blocks, residentBlocks(gpu, work) *
                                                      gpu.multiprocessors);
  if (resident * streamedBytes / work.blocks <=
      numbers.usableCache * gpu.l2Bytes) {
    work.cachedBytes += again;
    work.cachedWaits += (walks - 1) * work.memoryWaits;
    return;
  }
  work.memoryBytes += again;
  work.memoryWaits *= walks;
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
void KernelWork::addReductions(BlockWork &work, double levels,
                               int64_t group) const {
  double warps = ceilDiv(group, gpu.warpSize);
  work.reductions =
      levels * (warps > 1 ? 1 + numbers.warpReduction * warps : 1);
  work.instructions += numbers.shuffleInstructions * levels;
}

int64_t KernelWork::registersFor(double elements) const {
  double beyond = std::max(0.0, elements - numbers.denseElements);
  return numbers.baseRegisters + std::min(elements, numbers.denseElements) +
         numbers.registersAfter * beyond;
}

/// Steps that one wait is for.
template <typename Schedule> static double stagesAhead(Schedule schedule) {
  return std::max<int64_t>(1, schedule.getHold().getStages() - 1);
}

/// Shared memory of a block whose copies run ahead, of so many bytes a vector.
template <typename Schedule>
static double stagedBytes(Schedule schedule, double vectorBytes) {
  HoldAttrInterface hold = schedule.getHold();
  return hold.getStages() == 1 ? 0
                               : schedule.getThreads() * hold.getUnroll() *
                                     hold.getStages() * vectorBytes;
}

/// Of a thread that has `share` elements of a row.
double KernelWork::rowRegistersOf(RowsScheduleAttr schedule,
                                  double share) const {
  double weights = schedule.getHold().getPreload() ? tables : 0;
  return llvm::TypeSwitch<Attribute, double>(schedule.getHold())
      .Case([&](RegistersHoldAttr) {
        // What one walk is enough for is held as it was loaded.
        if (space && walksOf(*space) <= 1)
          return numbers.rowRegisters + numbers.loadedWordRegisters * share *
                                            streamedBytes / points /
                                            bytesPerRegister;
        return numbers.rowRegisters +
               share * (numbers.heldElementRegisters * words +
                        numbers.heldWeightRegisters * weights);
      })
      .Case([&](CacheHoldAttr) {
        // Exponentials stay.
        if (hasExp)
          return numbers.rowRegisters +
                 share * numbers.heldElementRegisters * words;
        return numbers.rowRegisters + numbers.loadedWordRegisters * share *
                                          streamedBytes / points /
                                          bytesPerRegister;
      })
      .Case([&](SharedHoldAttr hold) {
        double inRegisters = hold.getInRegisters() * schedule.getVector();
        return numbers.rowRegisters +
               numbers.heldElementRegisters * inRegisters +
               numbers.copiedElementRegisters *
                   std::min(share, numbers.mostCopiedElements) +
               numbers.copiedWeightRegisters * weights;
      })
      .Case([&](LoopHoldAttr hold) {
        return numbers.baseRegisters + numbers.stepRegisters +
               schedule.getVector() * hold.getUnroll() * streamedInputs;
      });
}

BlockWork KernelWork::rows(RowsScheduleAttr schedule,
                           const ReductionSpace &space) const {
  BlockWork work;
  int64_t perBlock = schedule.getRowsPerBlock();
  int64_t group = schedule.threadsPerRow();
  double blocks = schedule.blocksPerRow();
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
  if (tables > 0 && !schedule.getHold().getPreload())
    work.cachedWaits += numbers.lateWeightWait;
  work.instructions = numbers.threadInstructions;
  // A thread's rows exchange together.
  double held = share * schedule.rowsPerThread();
  addPoints(work, held);
  addReductions(work, space.levels.size(), group);
  if (blocks > 1)
    work.reductions *= schedule.sharesGrid() ? numbers.gridReduction
                                             : numbers.clusterReduction;

  // Only what is held has to have its registers; loads wait for theirs.
  double registers = rowRegistersOf(schedule, held);
  double most = std::min<double>(gpu.maxRegistersPerThread,
                                 gpu.registersPerSM / double(work.threads));
  work.registers = std::min(registers, most);
  work.registerError = numbers.registerError;
  llvm::TypeSwitch<Attribute>(schedule.getHold())
      .Case([&](RegistersHoldAttr) { work.registers = registers; })
      .Case([&](LoopHoldAttr hold) {
        double step = schedule.getVector() * hold.getUnroll();
        work.memoryWaits = ceilDiv(share, step * stagesAhead(schedule));
        work.sharedBytes = stagedBytes(schedule, streamedBytes / points *
                                                     schedule.getVector());
        work.instructions *= (walks + 1) / 2;
        reread(work, walks);
      })
      .Case([&](CacheHoldAttr) { reread(work, walks); })
      .Case([&](SharedHoldAttr hold) {
        double inRegisters = hold.getInRegisters() * schedule.getVector();
        double staged = std::max(0.0, share - inRegisters);
        work.sharedBytes = hold.getStages() * streamedBytes / points *
                           std::min(length, staged * group) / blocks;
      });
  return work;
}

BlockWork KernelWork::columns(ColumnsScheduleAttr schedule,
                              const ReductionSpace &space) const {
  BlockWork work;
  // Along a last dimension that is reduced the neighbours are places.
  bool isAcross = !space.isReduced(space.domain.size() - 1);
  double vector = schedule.getVector(), lanes = isAcross ? vector : 1;
  double width = schedule.getThreads() / schedule.getSplits() * lanes;
  double parts = schedule.parts() * schedule.clusterSize();
  double fold = schedule.getFold();
  double places =
      estimatedElements(space.reducedExtents(), dims) / parts / fold;
  double walked =
      std::max(1.0, ceilDiv(places, schedule.getSplits() * vector / lanes));
  work.threads = schedule.getThreads();
  work.blocks =
      ceilDiv(estimatedElements(space.keptExtents(), dims) * fold, width) *
      parts;
  work.memoryBytes = bytes / work.blocks;
  if (isAcross)
    work.memoryBytes *= sectorWaste(width);
  addPoints(work, walked * vector);
  addReductions(work, space.levels.size(), schedule.getThreads());
  if (schedule.clusterSize() > 1)
    work.reductions *= numbers.clusterReduction;
  if (isa<RegistersHoldAttr>(schedule.getHold())) {
    work.registers = registersFor(walked * vector);
    return work;
  }
  double unroll = schedule.getHold().getUnroll(), step = unroll * vector;
  work.registers =
      numbers.baseRegisters + numbers.stepRegisters + step * streamedInputs;
  work.memoryWaits = ceilDiv(walked, unroll * stagesAhead(schedule));
  work.sharedBytes = stagedBytes(schedule, streamedBytes / points * vector);
  reread(work, walksOf(space));
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
  work.cachedBytes = work.threads * loaded * elementBytes(op.getLhs()) /
                     numbers.sharingThreads;
  work.cachedWaits = steps / numbers.stepsAhead;
  work.instructions = summed * results + loaded;
  return work;
}

/// What a block needs: TiledModel.h has the time.
BlockWork KernelWork::tiled(TiledScheduleAttr schedule,
                            const TileSpace &space) const {
  BlockWork work;
  work.threads = schedule.getThreads();
  work.blocks = ceilDiv(estimatedElements(space.rowExtents(dims), dims),
                        schedule.getTileM()) *
                ceilDiv(estimatedElements({space.columnExtent(dims)}, dims),
                        schedule.getTileN()) *
                estimatedElements(space.outerExtents(dims), dims);
  work.registers = registersFor(schedule.getRows() * schedule.getColumns());
  work.sharedBytes = SharedTileLayout(schedule, space, dims).bytes();
  work.memoryBytes = bytes / work.blocks;
  return work;
}

/// A block stays, and takes its share of the tiles. Tensor cores count as the
/// instructions that would take as long.
BlockWork KernelWork::mma(MmaScheduleAttr schedule,
                          const MmaProduct &product) const {
  BlockWork work;
  double tiles = product.batches * ceilDiv(product.m, schedule.resultRows()) *
                 mmaColumnTiles(schedule, product);
  double tile = schedule.getTileM() * schedule.getTileN();
  work.threads = schedule.getThreads();
  work.blocks =
      std::min<double>(tiles * schedule.getSplitK(), schedule.getPersistent());
  double share = tiles / work.blocks;
  work.registers = mostRegisters(gpu, work.threads);
  work.sharedBytes = schedule.sharedBytes();
  work.memoryBytes = bytes / work.blocks;
  work.cachedBytes = share * product.k *
                     (schedule.getTileM() + schedule.getTileN()) *
                     schedule.operandBytes();
  double clocks = share * product.k * tile / mmaPerClock(schedule, gpu);
  work.instructions =
      clocks * GPUTarget::schedulers * gpu.warpSize / work.threads;
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
        KernelWork(kernel, segment, dims, gpu).rows(schedule, segment.space));
  return meanOf(works);
}

BlockWork mlir::fuse::estimateWork(KernelOp kernel, const DimClasses &dims,
                                   ScheduleAttrInterface schedule,
                                   const GPUTarget &gpu) {
  KnownSegments segments(kernel, dims);
  return estimateWork(kernel, dims, segments, schedule, gpu);
}

BlockWork mlir::fuse::estimateWork(KernelOp kernel, const DimClasses &dims,
                                   KnownSegments &known,
                                   ScheduleAttrInterface schedule,
                                   const GPUTarget &gpu) {
  Reason reason;
  if (auto rows = dyn_cast<RowsScheduleAttr>(schedule)) {
    const auto &segments = known.get(reason);
    if (succeeded(segments))
      return estimateRows(kernel, dims, *segments, rows, gpu);
  }
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  if (isa<ColumnsScheduleAttr>(schedule) && failed(space)) {
    auto segments = columnSegmentsOf(kernel, dims, reason);
    if (succeeded(segments))
      space = joinedColumns(*segments);
  }
  double points = 1;
  if (succeeded(space))
    points = estimatedElements(space->domain, dims);
  else
    for (Value value : kernel.getYield().getValues())
      points = std::max(points, estimatedElements(storedValue(value), dims));
  KernelWork work(kernel, dims, gpu, points);
  // A schedule from text may not fit the kernel; the lowering says so.
  bool isRows = isa<RowsScheduleAttr>(schedule);
  bool isColumns = isa<ColumnsScheduleAttr>(schedule);
  auto contractions = kernel.getBody().getOps<ContractOp>();
  if (isRows || isa<OrderedScheduleAttr, StreamedScheduleAttr>(schedule) ||
      (isColumns && failed(space)) ||
      (isa<ContractionScheduleAttr, TiledScheduleAttr, MmaScheduleAttr>(
           schedule) &&
       contractions.empty()))
    return work.pointwise(PointwiseScheduleAttr::get(
        kernel.getContext(), schedule.getThreads(), schedule.getVector(),
        /*unroll=*/1, /*heads=*/1));
  return llvm::TypeSwitch<Attribute, BlockWork>(schedule)
      .Case([&](PointwiseScheduleAttr attr) { return work.pointwise(attr); })
      .Case(
          [&](ColumnsScheduleAttr attr) { return work.columns(attr, *space); })
      .Case([&](TransposeScheduleAttr attr) { return work.transpose(attr); })
      .Case([&](ContractionScheduleAttr attr) {
        return work.contraction(attr, *contractions.begin());
      })
      .Case([&](TiledScheduleAttr attr) {
        FailureOr<TileSpace> tiles = tileSpaceOf(kernel, dims, reason);
        return succeeded(tiles) ? work.tiled(attr, *tiles)
                                : work.pointwise(PointwiseScheduleAttr::get(
                                      kernel.getContext(), attr.getThreads(),
                                      attr.getVector(), /*unroll=*/1,
                                      /*heads=*/1));
      })
      .Case([&](MmaScheduleAttr attr) {
        return work.mma(attr, mmaProductOf(kernel, dims));
      });
}
