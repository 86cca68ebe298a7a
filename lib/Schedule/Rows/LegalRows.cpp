//===- LegalRows.cpp - Every schedule that rows may have ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/LegalRows.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Threads that may share a row. Below a warp they are a power of two, which
/// shuffles need; above it whole warps, in steps of a quarter or less.
static constexpr int64_t rowThreads[] = {1,   2,   4,   8,   16,  32,  64,
                                         96,  128, 160, 192, 224, 256, 320,
                                         384, 448, 512, 640, 768, 896, 1024};
static constexpr int64_t warp = 32;
/// Threads of blocks that have several rows.
static constexpr int64_t sharedBlocks[] = {32, 64, 128, 256, 512};
/// 32-bit registers of a thread for what it holds, of 255.
static constexpr int64_t mostHeldRegisters = 160;
/// Vectors of a thread, each of which is code of its own.
static constexpr int64_t mostVectors = 32;
/// Elements of a thread that copies them into shared memory.
static constexpr int64_t mostCopied = 128;
/// Rows shorter than this stay in the registers of one block.
static constexpr int64_t shortestElsewhere = 1024;
/// Rows of up to so many elements may be several for each thread.
static constexpr int64_t longestOfSeveral = 640;
/// Aligned rows from so many elements on are read in full-width accesses.
static constexpr int64_t shortestFullWidth = 64;
/// For what the blocks of a cluster wait at, and the row's alignment.
static constexpr int64_t exchangeOverhead = 256, componentBytes = 8;

namespace {
/// Where a row stays and who shares it.
struct Share {
  int64_t vector, group, blocks;
};

class BasicRows {
public:
  BasicRows(MLIRContext *context, const RowFacts &facts,
            const ScheduleTarget &target)
      : context(context), facts(facts), target(target),
        mostBlocks(facts.isAcross || !target.gpu ||
                           facts.length < shortestElsewhere
                       ? 1
                       : target.gpu->maxClusterSize) {}

  SmallVector<RowsScheduleAttr> all();

private:
  bool suits(const Share &share) const;
  int64_t vectorsOf(const Share &share) const {
    return llvm::divideCeil(facts.length,
                            share.vector * share.group * share.blocks);
  }
  void add(int64_t threads, int64_t vector, int64_t rows,
           HoldAttrInterface hold, int64_t blocks);
  void addHeld(const Share &share);
  void addElsewhere(const Share &share);
  void addLoop(const Share &share);

  MLIRContext *context;
  const RowFacts &facts;
  const ScheduleTarget &target;
  int64_t mostBlocks;
  SmallVector<RowsScheduleAttr> found;
};
} // namespace

/// Registers that an element of a row takes.
static double wordsOf(const RowFacts &facts) {
  return std::max(1.0, facts.widestBytes / 4.0);
}

/// Whether shared memory has room for so many vectors of each thread, of all
/// inputs, beside what threads exchange.
static bool hasRoom(const RowFacts &facts, const ScheduleTarget &target,
                    int64_t threads, int64_t vector, int64_t vectors,
                    int64_t blocks) {
  int64_t exchanged = exchangeOverhead + blocks * (threads / warp) *
                                             facts.components * componentBytes;
  return vectors * threads * vector * facts.inputBytes + exchanged <=
         target.sharedBytes;
}

/// Copies into shared memory are of 4 bytes at least.
static bool mayCopy(const RowFacts &facts, int64_t vector) {
  return facts.inputs > facts.moved && vector * facts.thinnestBytes >= 4;
}

bool BasicRows::suits(const Share &share) const {
  // The first threads take what is before and behind whole vectors, an element
  // each.
  bool isWhole = facts.inner != 0 && facts.inner % share.vector == 0;
  bool mayHaveEdges = facts.mayLeaveEdges && !facts.columnSums &&
                      share.group * share.blocks >= 2 * share.vector;
  return isWhole || mayHaveEdges;
}

void BasicRows::add(int64_t threads, int64_t vector, int64_t rows,
                    HoldAttrInterface hold, int64_t blocks) {
  if (threads <= target.maxThreads)
    found.push_back(RowsScheduleAttr::get(context, threads, vector, rows, hold,
                                          clusterOf(context, blocks)));
}

/// One row a block, or several of threads that together are a usual block.
void BasicRows::addHeld(const Share &share) {
  int64_t each = vectorsOf(share);
  double held = each * share.vector * wordsOf(facts);
  // No more threads than there are vectors, but for edges.
  bool isIdle =
      share.group * share.blocks >
      std::max<int64_t>(2 * share.vector, llvm::PowerOf2Ceil(llvm::divideCeil(
                                              facts.length, share.vector)));
  double sums = each * share.vector * facts.columnSums;
  if (held * std::max<int64_t>(1, facts.inputs) * 0.75 + sums >
          mostHeldRegisters ||
      each > mostVectors || isIdle)
    return;
  auto registers = RegistersHoldAttr::get(context);
  if (share.group >= warp)
    add(share.group, share.vector, 1, registers, share.blocks);
  if (share.blocks > 1 || share.group > 256)
    return;
  for (int64_t threads : sharedBlocks) {
    if (threads <= share.group || threads % share.group != 0)
      continue;
    int64_t rows = threads / share.group;
    add(threads, share.vector, rows, registers, 1);
    if (share.group > warp || facts.length > longestOfSeveral || facts.isAcross)
      continue;
    for (int64_t several : {2, 4})
      if (held * several <= mostHeldRegisters / 2 &&
          rows * several <= target.maxThreads)
        add(threads, share.vector, rows * several,
            RegistersHoldAttr::get(context, /*preload=*/false, several), 1);
  }
}

/// In the caches, or in shared memory.
void BasicRows::addElsewhere(const Share &share) {
  int64_t each = vectorsOf(share);
  if (share.group < 2 * warp || facts.length < shortestElsewhere ||
      each > mostVectors ||
      each * share.vector * facts.columnSums > mostHeldRegisters ||
      facts.length < share.group * share.blocks * share.vector)
    return;
  if (!facts.columnSums && each * share.vector <= mostCopied)
    add(share.group, share.vector, 1, CacheHoldAttr::get(context),
        share.blocks);
  bool isPart = facts.length % (share.group * share.vector) != 0;
  if (each * share.vector <= mostCopied && mayCopy(facts, share.vector) &&
      !(facts.columnSums && isPart) &&
      hasRoom(facts, target, share.group, share.vector, each, share.blocks))
    add(share.group, share.vector, 1, SharedHoldAttr::get(context),
        share.blocks);
}

void BasicRows::addLoop(const Share &share) {
  if (share.group < 2 * warp || facts.columnSums ||
      facts.length < 2 * share.group * share.blocks * share.vector)
    return;
  add(share.group, share.vector, 1, LoopHoldAttr::get(context), share.blocks);
}

SmallVector<RowsScheduleAttr> BasicRows::all() {
  // An access of 32 bits for each lane at least, but of short rows.
  for (int64_t vector = facts.widest; vector >= 1; vector /= 2)
    for (int64_t group : rowThreads)
      for (int64_t blocks = 1; blocks <= mostBlocks; blocks *= 2) {
        Share share{vector, group, blocks};
        // Where full-width vectors divide a row, others are for short ones.
        bool isNarrow = vector < facts.widest &&
                        facts.inner % facts.widest == 0 &&
                        facts.length >= shortestFullWidth;
        // A quarter of the width is for what no half of it divides.
        isNarrow |= 4 * vector < facts.widest &&
                    facts.length > shortestElsewhere &&
                    facts.inner % (2 * vector) == 0;
        // Loads of a matrix are as wide as can be, and those of bytes, of which
        // no sweep has any.
        isNarrow |= (facts.isProduct() || facts.widest > 8) &&
                    vector < facts.widest &&
                    suits({facts.widest, group, blocks});
        if (isNarrow || !suits(share) || (blocks > 1 && group < 2 * warp))
          continue;
        addHeld(share);
        addElsewhere(share);
        addLoop(share);
      }
  return found;
}

SmallVector<RowsScheduleAttr>
mlir::fuse::productRows(MLIRContext *context, const RowFacts &facts,
                        const ScheduleTarget &target) {
  constexpr int64_t fewestVectors = 4, mostVectors = 8;
  constexpr int64_t fewestThreads = 128, residentThreads = 512;
  SmallVector<RowsScheduleAttr> found;
  if (!facts.isProduct() || facts.isAcross || facts.length == 0 ||
      facts.inner % facts.widest != 0)
    return found;
  for (int64_t each = 1; each <= mostVectors / 2; ++each) {
    int64_t vectors = llvm::divideCeil(facts.length, facts.widest * each);
    int64_t group = llvm::alignTo(vectors, warp);
    // A quarter of the threads may be without a vector.
    if (4 * vectors < 3 * group || group > target.maxThreads)
      continue;
    int64_t groups = std::max<int64_t>(1, fewestThreads / group);
    int64_t threads = groups * group;
    for (int64_t rows : {2, 4, 8})
      if (each * rows >= fewestVectors && each * rows <= mostVectors)
        found.push_back(RowsScheduleAttr::get(
            context, threads, facts.widest, groups * rows,
            RegistersHoldAttr::get(context, /*preload=*/false, rows),
            /*share=*/{}, /*persistent=*/0,
            std::max<int64_t>(1, residentThreads / threads)));
  }
  return found;
}

SmallVector<RowsScheduleAttr>
mlir::fuse::basicRows(MLIRContext *context, const RowFacts &facts,
                      const ScheduleTarget &target) {
  if (facts.length == 0)
    return {};
  return BasicRows(context, facts, target).all();
}

namespace {
/// What a schedule may vary without moving the row.
class RefinedRows {
public:
  RefinedRows(RowsScheduleAttr base, const RowFacts &facts,
              const ScheduleTarget &target)
      : base(base), facts(facts), target(target),
        each(llvm::divideCeil(facts.length,
                              base.threadsPerRow() * base.getVector())) {}

  SmallVector<RowsScheduleAttr> all();

private:
  RowsScheduleAttr with(HoldAttrInterface hold) const {
    return base.withHold(hold).withLeastBlocks(0);
  }
  SmallVector<RowsScheduleAttr> walks() const;
  SmallVector<RowsScheduleAttr> sharedWalks() const;
  SmallVector<RowsScheduleAttr> loops() const;
  SmallVector<RowsScheduleAttr> staying(RowsScheduleAttr schedule) const;
  void addBounds(RowsScheduleAttr schedule);

  RowsScheduleAttr base;
  const RowFacts &facts;
  const ScheduleTarget &target;
  /// Vectors of a thread.
  int64_t each;
  SmallVector<RowsScheduleAttr> found;
};
} // namespace

SmallVector<RowsScheduleAttr> RefinedRows::sharedWalks() const {
  SmallVector<RowsScheduleAttr> walks;
  SmallVector<int64_t, 2> held = {0};
  // Three eighths of a part leave room for another block.
  constexpr int64_t fewestDivided = 8;
  if (each >= fewestDivided && !facts.columnSums)
    held.push_back(each * 3 / 8);
  for (int64_t unroll : {2, 4})
    for (int64_t copyGroups : {1, 4})
      for (bool preload : {false, true})
        for (int64_t inRegisters : held)
          if (unroll <= std::max<int64_t>(2, each))
            walks.push_back(with(SharedHoldAttr::get(
                base.getContext(), unroll, inRegisters, preload, copyGroups)));
  return walks;
}

SmallVector<RowsScheduleAttr> RefinedRows::loops() const {
  SmallVector<RowsScheduleAttr> walks;
  for (int64_t unroll : {1, 2, 4, 8}) {
    if (unroll > each || unroll * base.getVector() > mostCopied / 2)
      continue;
    walks.push_back(with(LoopHoldAttr::get(base.getContext(), unroll)));
    for (int64_t stages : {3, 4})
      if (mayCopy(facts, base.getVector()) && each >= 2 * unroll &&
          hasRoom(facts, target, base.getThreads(), base.getVector(),
                  unroll * stages, base.blocksPerRow()))
        walks.push_back(
            with(LoopHoldAttr::get(base.getContext(), unroll, stages)));
  }
  return walks;
}

SmallVector<RowsScheduleAttr> RefinedRows::walks() const {
  using Walks = SmallVector<RowsScheduleAttr>;
  return llvm::TypeSwitch<Attribute, Walks>(base.getHold())
      .Case([&](RegistersHoldAttr hold) {
        Walks walks;
        for (bool preload : {false, true})
          walks.push_back(with(RegistersHoldAttr::get(
              base.getContext(), preload, hold.getRowsPerThread())));
        return walks;
      })
      .Case([&](CacheHoldAttr hold) { return Walks{with(hold)}; })
      .Case([&](SharedHoldAttr) { return sharedWalks(); })
      .Case([&](LoopHoldAttr) { return loops(); });
}

/// Blocks that stay, where something is reduced over all rows: as many as
/// registers and shared memory may have room for.
SmallVector<RowsScheduleAttr>
RefinedRows::staying(RowsScheduleAttr schedule) const {
  SmallVector<RowsScheduleAttr> found;
  auto shared = dyn_cast<SharedHoldAttr>(schedule.getHold());
  for (int64_t threads : {256, 512, 768, 1024, 1536, 2048}) {
    int64_t blocks = threads / schedule.getThreads();
    if (blocks == 0 || blocks > target.gpu->maxBlocksPerSM)
      continue;
    auto stay = schedule.withPersistent(blocks * target.gpu->multiprocessors);
    if (llvm::is_contained(found, stay))
      continue;
    found.push_back(stay);
    for (int64_t stages : {2, 3})
      if (shared && shared.getPreload() &&
          hasRoom(facts, target, schedule.getThreads(), schedule.getVector(),
                  blocks * stages * each, 1))
        found.push_back(stay.withHold(shared.withStages(stages)));
  }
  return found;
}

/// Bounds on registers that leave each thread what it holds.
void RefinedRows::addBounds(RowsScheduleAttr schedule) {
  // ptxas takes few registers, and starts few loads ahead, unless it is told
  // how many blocks there is to be room for.
  constexpr int64_t threadsOfProducts = 512;
  HoldAttrInterface hold = schedule.getHold();
  if (facts.isProduct() && isa<RegistersHoldAttr, CacheHoldAttr>(hold) &&
      schedule.getVector() > 4 && schedule.getThreads() <= threadsOfProducts) {
    found.push_back(
        schedule.withLeastBlocks(threadsOfProducts / schedule.getThreads()));
    return;
  }
  found.push_back(schedule);
  double held = 0;
  if (isa<RegistersHoldAttr>(hold))
    held =
        each * schedule.getVector() * schedule.rowsPerThread() * wordsOf(facts);
  else if (auto shared = dyn_cast<SharedHoldAttr>(hold))
    held = shared.getInRegisters() * schedule.getVector();
  constexpr double otherRegisters = 20;
  int64_t before = 0;
  for (int64_t threads : {512, 768, 1024, 1536, 2048}) {
    int64_t blocks = threads / schedule.getThreads();
    bool fits = (held + otherRegisters) * blocks * schedule.getThreads() <=
                target.gpu->registersPerSM;
    if (blocks == 0 || blocks == before || !fits ||
        blocks > target.gpu->maxBlocksPerSM)
      continue;
    before = blocks;
    found.push_back(schedule.withLeastBlocks(blocks));
  }
}

SmallVector<RowsScheduleAttr> RefinedRows::all() {
  for (RowsScheduleAttr walk : walks())
    if (!facts.isAcross)
      addBounds(walk);
    else
      for (RowsScheduleAttr stay : staying(walk))
        addBounds(stay);
  return found;
}

SmallVector<RowsScheduleAttr>
mlir::fuse::refinedRows(RowsScheduleAttr schedule, const RowFacts &facts,
                        const ScheduleTarget &target) {
  return RefinedRows(schedule, facts, target).all();
}

SmallVector<RowsScheduleAttr>
mlir::fuse::legalRows(MLIRContext *context, const RowFacts &facts,
                      const ScheduleTarget &target) {
  SmallVector<RowsScheduleAttr> all;
  for (RowsScheduleAttr basic : basicRows(context, facts, target))
    llvm::append_range(all, refinedRows(basic, facts, target));
  return all;
}
