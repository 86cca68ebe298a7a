//===- Rows.cpp - Schedules of kernels that reduce rows -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a row stays between its passes depends on its length. In registers as
// long as two vectors a thread are enough; then in the caches, which take no
// registers, so that more threads have loads in flight; then in shared memory
// and, as far as it goes, in registers. A row that is longer still, or of
// unknown length, is read once a pass; so is one that has a single pass. Short
// rows share a block, several to a warp.
//
// The numbers are those that won on an H200 (docs/performance.md): rows of 4 to
// 64 KiB in the caches reach 97 to 102% of a copy's rate, 1 to 3% more than in
// registers.
//
// A row that leaves no room in a multiprocessor for another one is divided
// among the blocks of a cluster: while one block of a multiprocessor computes,
// the next one's loads are under way. So are long rows in calls that have less
// than a few for each multiprocessor.
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"

#include "fuse/Analysis/KernelSpace.h"
#include "fuse/Analysis/OpCost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpSize = 32;
static constexpr int64_t heldElements = 64;
static constexpr int64_t smallestBlock = 128;
/// Rows of up to so many vectors are held in registers, two a thread.
static constexpr int64_t registerVectors = 256;
/// Rows of up to so many full-width accesses, of so many bytes each, are held
/// in the caches.
static constexpr int64_t cacheAccesses = 4096;
static constexpr int64_t accessBytes = 16;
/// The same for narrow vectors, of rows that are not aligned.
static constexpr int64_t widestHeldGroup = 512;
static constexpr int64_t longestHeld = widestHeldGroup * heldElements;
static constexpr int64_t narrowElements = 32;
/// Vectors of a thread, and the fewest threads beside each other, where
/// instructions bind. Long rows of 16-bit elements that are read once have
/// more.
static constexpr int64_t onceVectors = 4;
static constexpr int64_t longOnceVectors = 8;
static constexpr int64_t longOnceRow = 64;
static constexpr int64_t fewestNeighbours = 4;
/// A row that is read once is no longer in registers than this.
static constexpr int64_t streamedElements = 8192;
static constexpr int64_t streamThreads = 256;
/// Rows of fewer full-width accesses than this are streamed by half of them if
/// their elements have 16 bits.
static constexpr int64_t streamAccesses = 8192;
static constexpr int64_t loopThreads = 512;
static constexpr int64_t loopUnroll = 4;
/// Of copies into shared memory: the first walk starts when a quarter is there.
static constexpr int64_t copyGroups = 4;
/// Elements and bytes that a thread holds, and its block's threads, in calls
/// that move few bytes.
static constexpr int64_t smallHeld = 16;
static constexpr int64_t smallHeldBytes = 32;
static constexpr int64_t smallThreads = 1024;
/// The same of a block that shares its row with others; rows in calls that move
/// at most so many bytes a multiprocessor are shared from this length on, by
/// more blocks from that.
static constexpr int64_t sharedHeld = 32;
static constexpr int64_t fewBytes = 32 << 10;
static constexpr int64_t sharedRowBytes = 32 << 10;
static constexpr int64_t widelySharedRowBytes = 128 << 10;
/// Blocks a multiprocessor of a launch whose blocks share the only row.
static constexpr int64_t gridBlocks = 2;
/// Rows a multiprocessor, in calls that move few bytes, up to which blocks
/// share a row.
static constexpr int64_t fewRows = 4;
/// Bytes of a component of a state.
static constexpr int64_t componentBytes = 8;
/// Vectors of a row that a CPU thread keeps in registers.
static constexpr int64_t cpuHeldVectors = 8;

namespace {
struct RowShape {
  /// Elements of a row; unknown if any column is dynamic.
  std::optional<int64_t> length;
  int64_t vector;
};
} // namespace

static RowShape shapeOf(KernelOp kernel, const ReductionSegment &segment,
                        const DimClasses &dims, const ScheduleTarget &target) {
  const ReductionSpace &space = segment.space;
  int64_t widest = widestVector(kernel, dims, space.domain, target);
  RowShape shape{staticProduct(space.columns()), 1};
  shape.vector = innermostVector(kernel, dims, space.domain, widest, target);
  auto leaves = [&] {
    if (!shape.length)
      return !target.divisible && space.columns().size() == 1;
    return leavesEdges(segment, llvm::to_vector(kernel.getYield().getValues()),
                       dims);
  };
  if (target.isGPU && 2 * shape.vector < widest && leaves())
    shape.vector = widest;
  if (!shape.length && space.columns().size() > 1)
    shape.vector = 1;
  return shape;
}

static RowsScheduleAttr proposeForCPU(KernelOp kernel,
                                      const ReductionSegment &segment,
                                      const DimClasses &dims,
                                      const ScheduleTarget &target) {
  const ReductionSpace &space = segment.space;
  RowShape shape = shapeOf(kernel, segment, dims, target);
  int64_t widest = widestVector(kernel, dims, space.domain, target);
  bool held = shape.length && *shape.length <= cpuHeldVectors * widest;
  // A loop over one dimension takes whole vectors first and then the rest, so
  // that the vector need not divide the row.
  int64_t vector = held || space.columns().size() > 1 ? shape.vector : widest;
  return RowsScheduleAttr::get(
      kernel.getContext(), /*threads=*/1, vector,
      /*rows_per_block=*/1, held ? HoldKind::registers : HoldKind::loop,
      loopUnroll, /*in_registers=*/0, /*preload=*/false, copyGroups);
}

/// Bytes of a vector of each input that a row kernel streams.
static int64_t streamedBytes(KernelOp kernel, const ReductionSegment &segment,
                             const DimClasses &dims, int64_t vector) {
  int64_t bits = 0;
  for (BlockArgument input : streamedInputs(kernel, dims, segment))
    bits += std::max<int64_t>(
        8, getElementTypeOrSelf(input.getType()).getIntOrFloatBitWidth());
  return bits * vector / 8;
}

/// Null where the row does not fit. Registers take the vectors that are no
/// multiple of what a step of the loop takes, too.
static RowsScheduleAttr proposeShared(KernelOp kernel,
                                      const ReductionSegment &segment,
                                      const DimClasses &dims,
                                      const RowShape &shape, int64_t threads,
                                      const ScheduleTarget &target) {
  int64_t bytes = streamedBytes(kernel, segment, dims, shape.vector);
  // Narrower copies than 4 bytes do not exist, and narrow ones do not pay.
  if (bytes == 0 || shape.vector == 1)
    return {};
  int64_t vectors = llvm::divideCeil(*shape.length, threads * shape.vector);
  int64_t inputs = std::max<int64_t>(1, bytes / 16);
  int64_t registers = 65536 / threads / 2;
  int64_t most = registers / shape.vector / inputs;
  int64_t whole = *shape.length / (threads * shape.vector);
  int64_t room = target.sharedBytes / (threads * bytes);
  int64_t wanted = vectors <= 8 ? 0 : vectors <= 16 || shape.vector < 8 ? 4 : 8;
  int64_t slots = std::min({whole, room, vectors - std::min(wanted, most)});
  slots = llvm::alignDown(slots, loopUnroll);
  if (slots == 0 || vectors - slots > most)
    return {};
  return RowsScheduleAttr::get(kernel.getContext(), threads, shape.vector,
                               /*rows_per_block=*/1, HoldKind::shared,
                               loopUnroll, vectors - slots, /*preload=*/false,
                               copyGroups);
}

/// What the choice among places for a row depends on besides its length.
struct RowWork {
  bool hasExp;
  /// Divides at every element, which costs more than what is moved.
  bool divides;
  /// The reductions need one pass and no exponentials, so that a second pass
  /// costs little.
  bool isLight;
  /// Inputs of the row's length.
  int64_t inputs;
  /// Bytes of a vector of the widest of them, 16 at least.
  int64_t vectorBytes;
  /// Full-width accesses to the row of the widest.
  int64_t accesses;
};

static RowWork workOf(KernelOp kernel, const ReductionSegment &segment,
                      const DimClasses &dims, int64_t vectors, int64_t vector) {
  bool hasExp =
      llvm::any_of(segment.ops, llvm::IsaPred<ExpOp, TanhOp, ErfOp, LogOp>);
  bool divides = llvm::any_of(segment.ops, [&](Operation *op) {
    return isa<DivOp>(op) &&
           !segment.space.isReducedShape(dims.extents(op->getResult(0)));
  });
  SmallVector<BlockArgument> inputs = streamedInputs(kernel, dims, segment);
  double widest = accessBytes;
  for (BlockArgument input : inputs)
    widest = std::max(widest, elementBytes(input) * vector);
  auto vectorBytes = static_cast<int64_t>(widest);
  return {hasExp,
          divides,
          !hasExp && segment.space.levels.size() == 1,
          static_cast<int64_t>(inputs.size()),
          vectorBytes,
          vectors * vectorBytes / accessBytes};
}

static RowShape partOf(const RowShape &shape, int64_t blocks) {
  return {llvm::divideCeil(*shape.length, blocks), shape.vector};
}

/// Shared memory in which the threads of so many warps exchange the states of a
/// segment.
static int64_t exchangedBytes(const ReductionSegment &segment, int64_t warps) {
  int64_t components = 0;
  for (ArrayRef<Operation *> level : segment.space.levels)
    for (Operation *op : level)
      components += op->getNumResults();
  return components * warps * componentBytes;
}

/// The fewest blocks of which a multiprocessor has room for two, each with its
/// part of the row in shared memory. In registers, where even the largest
/// cluster has blocks that fill one, and where a thread's vector takes several
/// copies, which shared memory's banks serve badly (2.4 times a copy's time for
/// f32 in eights). Null where rows do not fit so.
static RowsScheduleAttr
proposeSpread(KernelOp kernel, const ReductionSegment &segment,
              const DimClasses &dims, const RowShape &shape,
              const RowWork &work, const ScheduleTarget &target) {
  int64_t most = target.gpu->maxClusterSize;
  int64_t bytes = streamedBytes(kernel, segment, dims, /*vector=*/1);
  if (most == 1 || shape.vector == 1)
    return {};
  int64_t threads = work.hasExp ? 256 : 512;
  auto room = [&](int64_t blocks) {
    return target.sharedBytes -
           exchangedBytes(segment, blocks * threads / warpSize);
  };
  auto partBytes = [&](int64_t blocks) {
    return *partOf(shape, blocks).length * bytes;
  };
  int64_t blocks = 1;
  while (blocks < most && 2 * partBytes(blocks) > room(blocks))
    blocks *= 2;
  if (blocks == 1)
    threads = 512;
  HoldKind hold = HoldKind::shared;
  bool fillsOne = 2 * partBytes(blocks) > room(blocks);
  if (work.vectorBytes > accessBytes ||
      (fillsOne && (!work.hasExp || partBytes(blocks) > room(blocks)))) {
    int64_t part = *partOf(shape, blocks).length;
    threads = std::max<int64_t>(
        256, llvm::PowerOf2Ceil(llvm::divideCeil(part, sharedHeld)));
    hold = HoldKind::registers;
    if (threads > target.maxThreads)
      return {};
  }
  return RowsScheduleAttr::get(kernel.getContext(), threads, shape.vector,
                               /*rows_per_block=*/1, hold, loopUnroll,
                               /*in_registers=*/0, /*preload=*/false,
                               copyGroups)
      .withBlocksPerRow(blocks);
}

/// The fewest blocks whose multiprocessors hold the row together. Null where
/// no cluster of the chip does.
static RowsScheduleAttr proposeCluster(KernelOp kernel,
                                       const ReductionSegment &segment,
                                       const DimClasses &dims,
                                       const RowShape &shape, int64_t threads,
                                       const ScheduleTarget &target) {
  for (int64_t blocks = 2; blocks <= target.gpu->maxClusterSize; blocks *= 2) {
    ScheduleTarget room = target;
    room.sharedBytes -= exchangedBytes(segment, blocks * threads / warpSize);
    if (RowsScheduleAttr shared = proposeShared(
            kernel, segment, dims, partOf(shape, blocks), threads, room))
      return shared.withBlocksPerRow(blocks);
  }
  return {};
}

/// The smallest power of two that is no less than the number, or hardly.
static int64_t aboutPowerOf2(int64_t number) {
  int64_t below = llvm::PowerOf2Ceil(number) / 2;
  return below && number <= below + below / 8 ? below
                                              : llvm::PowerOf2Ceil(number);
}

/// Threads that read a row of so many vectors again from the caches, or 0 where
/// another place is better.
static int64_t cacheThreads(int64_t vectors, const RowWork &work,
                            const RowShape &shape) {
  if (work.accesses > 2 * cacheAccesses || shape.vector < 4)
    return 0;
  if (work.accesses > cacheAccesses)
    return work.isLight && work.inputs == 1 && !work.divides &&
                   *shape.length % shape.vector == 0
               ? 1024
               : 0;
  if (work.accesses > cacheAccesses / 2)
    return work.hasExp && shape.vector > 4 ? 0 : 512;
  int64_t each = vectors > cacheAccesses / 4 ? 8 : 4;
  bool isOneLongInput = work.inputs == 1 && shape.vector > 4 &&
                        vectors > cacheAccesses / 8 && each == 4;
  if (shape.vector <= 4 || (work.isLight && !work.divides && !isOneLongInput))
    each /= 2;
  return std::max<int64_t>(smallestBlock,
                           aboutPowerOf2(llvm::divideCeil(vectors, each)));
}

/// Whether one pass over a row is all there is: no result has the row's length,
/// and sums that need the maximum follow it online.
static bool readsOnce(KernelOp kernel, const ReductionSegment &segment,
                      const DimClasses &dims) {
  const ReductionSpace &space = segment.space;
  for (unsigned result : segment.results)
    if (!space.isReducedShape(
            dims.extents(kernel.getYield().getValues()[result])))
      return false;
  auto isOnline = [](Operation *op) {
    auto sum = dyn_cast<ReduceOp>(op);
    return sum && sum.getMaximumOfExponents();
  };
  return space.levels.size() == 1 ||
         (space.levels.size() == 2 &&
          llvm::all_of(space.levels.back(), isOnline));
}

/// What a call moves, if that is known.
static std::optional<double> movedBytes(KernelOp kernel) {
  double bytes = 0;
  bool isStatic = true;
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    isStatic &= !type || type.hasStaticShape();
    bytes += estimatedBytes(value);
  };
  llvm::for_each(kernel.getBody().getArguments(), add);
  llvm::for_each(kernel.getYield().getValues(), add);
  return isStatic ? std::optional(bytes) : std::nullopt;
}

/// Whether the kernel is for calls that move few bytes: by what it moves if
/// that is known, else as the target says.
static bool isSmall(KernelOp kernel, const ScheduleTarget &target) {
  std::optional<double> bytes = movedBytes(kernel);
  return bytes ? *bytes <= target.smallBytes() : target.small;
}

/// The most rows of the segment in a call that moves few bytes.
static double mostSmallRows(KernelOp kernel, const ReductionSegment &segment,
                            const DimClasses &dims, int64_t length,
                            const ScheduleTarget &target) {
  if (std::optional<int64_t> rows = staticProduct(segment.space.rows()))
    return *rows;
  double bytes = streamedBytes(kernel, segment, dims, /*vector=*/1);
  for (unsigned result : segment.results) {
    Value value = kernel.getYield().getValues()[result];
    if (!segment.space.isReducedShape(dims.extents(value)))
      bytes += elementBytes(value);
  }
  return target.smallBytes() / std::max(1.0, bytes * length);
}

/// Blocks for a row in calls that move few bytes: several for a long row, if
/// there are so few that multiprocessors would be idle. 0 where none suffice.
static int64_t smallCluster(KernelOp kernel, const ReductionSegment &segment,
                            const DimClasses &dims, int64_t length,
                            int64_t elementBytes,
                            const ScheduleTarget &target) {
  int64_t needed =
      llvm::PowerOf2Ceil(llvm::divideCeil(length, smallThreads * smallHeld));
  std::optional<double> moved = movedBytes(kernel);
  bool isTiny = moved && *moved <= fewBytes * target.gpu->multiprocessors;
  if (needed == 1 && !isTiny)
    return 1;
  bool areFew = mostSmallRows(kernel, segment, dims, length, target) <=
                fewRows * target.gpu->multiprocessors;
  if (!areFew)
    return needed == 1 ? 1 : 0;
  int64_t bytes = length * elementBytes;
  int64_t wanted = 1;
  if (bytes >= sharedRowBytes)
    wanted = bytes < widelySharedRowBytes ? 4 : 8;
  int64_t most = target.gpu->maxClusterSize;
  wanted = std::max(needed, std::min(wanted, most));
  return wanted <= most ? wanted : 0;
}

/// The fewest threads, each with few elements of a row, for calls that have few
/// blocks: all loads start at once, and nothing is loaded after the threads
/// have exchanged their results. Null where a row is too long for that, or so
/// short that a block takes several.
static RowsScheduleAttr proposeSmall(KernelOp kernel,
                                     const ReductionSegment &segment,
                                     const DimClasses &dims,
                                     const RowShape &shape, const RowWork &work,
                                     const ScheduleTarget &target) {
  int64_t elementBytes = llvm::divideCeil(work.vectorBytes, shape.vector);
  int64_t blocks =
      smallCluster(kernel, segment, dims, *shape.length, elementBytes, target);
  if (blocks == 0)
    return {};
  int64_t length = *partOf(shape, blocks).length;
  int64_t held = smallHeld;
  if (blocks > 1)
    held = sharedHeld;
  else if (!work.hasExp)
    held = std::min(held, smallHeldBytes / elementBytes);
  int64_t threads =
      std::clamp<int64_t>(llvm::PowerOf2Ceil(llvm::divideCeil(length, held)),
                          smallestBlock, smallThreads);
  if (length < threads * shape.vector)
    return {};
  return RowsScheduleAttr::get(kernel.getContext(), threads, shape.vector,
                               /*rows_per_block=*/1, HoldKind::registers,
                               loopUnroll, /*in_registers=*/0,
                               /*preload=*/true, copyGroups)
      .withBlocksPerRow(blocks);
}

/// Whether all blocks should share the only row: it is too long for those that
/// hold it, or may be, and is needed twice.
static bool wantsGrid(const ReductionSegment &segment, const RowShape &shape,
                      bool once, const ScheduleTarget &target) {
  int64_t held = smallThreads * smallHeld * target.gpu->maxClusterSize;
  return !once && staticProduct(segment.space.rows()) == 1 &&
         shape.length.value_or(INT64_MAX) > held;
}

/// Threads with so many vectors each, as long as neighbours read half a line
/// together.
static int64_t groupWith(int64_t vectors, int64_t each) {
  int64_t fewest =
      std::min<int64_t>(fewestNeighbours, llvm::PowerOf2Ceil(vectors));
  return std::clamp(aboutPowerOf2(llvm::divideCeil(vectors, each)), fewest,
                    registerVectors);
}

/// Threads of a row that registers hold: a warp, or more with two vectors each.
static int64_t heldGroup(int64_t vectors, const RowWork &work,
                         const RowShape &shape) {
  // Instructions bind, and what each thread does once for the row are some.
  if (work.divides && !work.hasExp && shape.vector > 4 &&
      work.vectorBytes == accessBytes)
    return groupWith(vectors, onceVectors);
  int64_t group = std::min<int64_t>(warpSize, llvm::PowerOf2Ceil(vectors));
  while (group < registerVectors && group * 2 < vectors)
    group *= 2;
  return group;
}

/// Of one that is read once. Nothing is written meanwhile, so that instructions
/// bind; what each thread does once for the row, such as shuffles, is shared by
/// several vectors.
static int64_t onceGroup(int64_t vectors, const RowShape &shape) {
  bool isLong = shape.vector > 4 && vectors >= longOnceRow;
  return groupWith(vectors, isLong ? longOnceVectors : onceVectors);
}

static RowsScheduleAttr proposeForGPU(KernelOp kernel,
                                      const ReductionSegment &segment,
                                      const DimClasses &dims,
                                      const ScheduleTarget &target) {
  RowShape shape = shapeOf(kernel, segment, dims, target);
  MLIRContext *context = kernel.getContext();
  bool once = readsOnce(kernel, segment, dims);
  auto propose = [&](int64_t threads, int64_t rows, HoldKind hold) {
    return RowsScheduleAttr::get(context, threads, shape.vector, rows, hold,
                                 loopUnroll, /*in_registers=*/0,
                                 /*preload=*/false, copyGroups);
  };
  int64_t stream = once ? streamThreads : loopThreads;
  if (wantsGrid(segment, shape, once, target))
    return propose(loopThreads, 1, HoldKind::loop)
        .withWholeGrid(gridBlocks * target.gpu->multiprocessors);
  if (!shape.length)
    return propose(stream, 1, HoldKind::loop);
  int64_t vectors =
      std::max<int64_t>(1, llvm::divideCeil(*shape.length, shape.vector));
  RowWork work = workOf(kernel, segment, dims, vectors, shape.vector);
  if (once && *shape.length > streamedElements) {
    bool isNarrow = shape.vector > 4 && work.accesses < streamAccesses;
    return propose(isNarrow ? stream / 2 : stream, 1, HoldKind::loop);
  }
  if (isSmall(kernel, target))
    if (RowsScheduleAttr small =
            proposeSmall(kernel, segment, dims, shape, work, target))
      return small;
  if (!once && vectors > registerVectors) {
    if (int64_t threads = cacheThreads(vectors, work, shape))
      return propose(threads, 1, HoldKind::cache);
    bool isLong = work.accesses > 2 * cacheAccesses;
    int64_t threads = isLong && work.isLight && work.inputs == 1 ? 1024 : 512;
    if (work.accesses >= cacheAccesses / 2)
      if (RowsScheduleAttr spread =
              proposeSpread(kernel, segment, dims, shape, work, target))
        return spread;
    if (work.accesses >= cacheAccesses / 2)
      if (RowsScheduleAttr shared =
              proposeShared(kernel, segment, dims, shape, threads, target))
        return shared;
    if (*shape.length > longestHeld)
      if (RowsScheduleAttr cluster =
              proposeCluster(kernel, segment, dims, shape, threads, target))
        return cluster;
  }
  if (*shape.length > longestHeld)
    return propose(shape.vector > 1 ? 1024 : stream, 1, HoldKind::loop);
  int64_t group =
      once ? onceGroup(vectors, shape) : heldGroup(vectors, work, shape);
  int64_t most = std::min(heldElements / shape.vector,
                          std::max<int64_t>(8, narrowElements / shape.vector));
  while (group * most + group * most / 8 < vectors)
    group *= 2;
  int64_t threads = std::max(group, smallestBlock);
  return propose(threads, threads / group, HoldKind::registers);
}

namespace {
/// What one shape of rows would get alone.
struct ShapeProposal {
  const ReductionSegment &segment;
  RowsScheduleAttr schedule;

  int64_t length() const {
    return staticProduct(segment.space.columns()).value_or(INT64_MAX);
  }
};
} // namespace

/// The schedule of the longest rows, with a vector that suits all. Where that
/// is another one, or the shared memory of others is not known to be enough,
/// rows are walked in loops, which suit all.
static RowsScheduleAttr scheduleForAll(ArrayRef<ShapeProposal> proposals) {
  RowsScheduleAttr longest = llvm::max_element(proposals, [](auto &a, auto &b) {
                               return a.length() < b.length();
                             })->schedule;
  int64_t vector = longest.getVector();
  int64_t group = longest.getThreads() / longest.getRowsPerBlock();
  bool leavesEdges = longest.getHold() == HoldKind::loop || group >= 2 * vector;
  for (const ShapeProposal &proposal : proposals) {
    vector = std::min(vector, proposal.schedule.getVector());
    ArrayRef<Extent> columns = proposal.segment.space.columns();
    if (columns.back().isStatic() && !(leavesEdges && columns.size() == 1))
      vector = dividingVector(vector, columns.back().size);
  }
  bool agree = llvm::all_of(proposals, [&](const ShapeProposal &proposal) {
    return proposal.schedule == longest;
  });
  // The blocks of the grid share one row, not one of each shape.
  bool sharesGrid = proposals.size() > 1 && longest.getWholeGrid();
  if (agree && !sharesGrid)
    return longest;
  if (!sharesGrid &&
      (vector == longest.getVector() && longest.getHold() != HoldKind::shared))
    return longest;
  return RowsScheduleAttr::get(longest.getContext(), longest.getThreads(),
                               vector, /*rows_per_block=*/1, HoldKind::loop,
                               loopUnroll, /*in_registers=*/0,
                               /*preload=*/false, copyGroups);
}

ScheduleAttrInterface mlir::fuse::proposeRows(KernelOp kernel,
                                              const DimClasses &dims,
                                              const ScheduleTarget &target) {
  if (!kernel.getBody().getOps<ContractOp>().empty())
    return {};
  std::string reason;
  FailureOr<std::vector<ReductionSegment>> segments =
      reductionSegmentsOf(kernel, dims, reason);
  if (failed(segments))
    return {};
  FailureOr<ReductionSpace> whole = reductionSpaceOf(kernel, dims, reason);
  if (target.isGPU && succeeded(whole) &&
      wantsParts(kernel, dims, *whole, target))
    return {};
  // Each shape exchanges through static shared memory of its own.
  ScheduleTarget room = target;
  room.sharedBytes -= (segments->size() - 1) * staticSharedBytes;
  SmallVector<ShapeProposal> proposals;
  for (const ReductionSegment &segment : *segments) {
    if (!segment.space.overLastDims())
      return {};
    proposals.push_back(
        {segment, target.isGPU ? proposeForGPU(kernel, segment, dims, room)
                               : proposeForCPU(kernel, segment, dims, room)});
  }
  return scheduleForAll(proposals);
}
