//===- LegalColumns.cpp - Every schedule that columns may have ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/LegalColumns.h"

#include "fuse/Analysis/OpCost.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t blockThreads[] = {128, 256, 512, 1024};
/// Vectors of columns beside each other; where a column's places are
/// neighbours, columns beside each other.
static constexpr int64_t widestRow = 128, narrowestRow = 8;
/// Blocks for each multiprocessor, where several share a column.
static constexpr int64_t blocksOfMultiprocessor[] = {1, 2, 3, 4, 6, 8};
/// 32-bit registers of a thread for what it has loaded or holds.
static constexpr int64_t mostLoadedRegisters = 64, otherRegisters = 24;
/// Copies into shared memory are of so many bytes at least, and a bit of a word
/// says what leaves the L2 first.
static constexpr int64_t wordBytes = 4;
static constexpr int64_t warp = 32;

namespace {
/// A vector, and how many rows are walked as one for it.
struct VectorChoice {
  int64_t vector, fold;
};

class BasicColumns {
public:
  BasicColumns(MLIRContext *context, const ColumnFacts &facts,
               const ScheduleTarget &target)
      : context(context), facts(facts), target(target) {}

  SmallVector<ColumnsScheduleAttr> all();

private:
  SmallVector<VectorChoice> vectors() const;
  SmallVector<int64_t> rows(const VectorChoice &choice, int64_t threads) const;
  void addBlock(const VectorChoice &choice, int64_t threads, int64_t row);
  void addShared(const VectorChoice &choice, int64_t threads, int64_t row);
  bool hasRoom(int64_t vector, int64_t threads, int64_t splits,
               int64_t blocks) const;
  /// Blocks beside each other; of an unknown number of columns for a usual one.
  int64_t blocksAcross(const VectorChoice &choice, int64_t row) const {
    int64_t width = row * (facts.alongPlaces ? 1 : choice.vector);
    return std::max<int64_t>(
        1, llvm::divideCeil(usualColumns() * choice.fold, width));
  }
  int64_t usualColumns() const {
    return facts.columns ? facts.columns : kAssumedSize;
  }
  void add(const VectorChoice &choice, int64_t threads, int64_t splits,
           HoldAttrInterface hold, ShareAttrInterface share = {}) {
    found.push_back(ColumnsScheduleAttr::get(context, threads, choice.vector,
                                             splits, hold, share, choice.fold));
  }

  MLIRContext *context;
  const ColumnFacts &facts;
  const ScheduleTarget &target;
  SmallVector<ColumnsScheduleAttr> found;
};
} // namespace

/// Vectors that divide, whole or half; and the widest, which leaves edges, is
/// cut out of others or goes on in the next row.
SmallVector<VectorChoice> BasicColumns::vectors() const {
  SmallVector<VectorChoice> choices = {{facts.dividing, 1}};
  if (facts.dividing > 2 && !facts.isJoined)
    choices.push_back({facts.dividing / 2, 1});
  if (facts.dividing == facts.widest)
    return choices;
  if (facts.mayLeaveEdges || facts.mayCut)
    choices.push_back({facts.widest, 1});
  if (facts.fold > 1)
    choices.push_back({facts.widest, facts.fold});
  return choices;
}

/// Powers of two up to all columns.
SmallVector<int64_t> BasicColumns::rows(const VectorChoice &choice,
                                        int64_t threads) const {
  if (facts.alongPlaces)
    return {1};
  SmallVector<int64_t> found;
  int64_t vectors =
      facts.columns
          ? llvm::divideCeil(facts.columns * choice.fold, choice.vector)
          : widestRow;
  int64_t most = llvm::PowerOf2Ceil(std::max<int64_t>(1, vectors));
  for (int64_t row = std::min(narrowestRow, most);
       row <= std::min({widestRow, most, threads}); row *= 2)
    found.push_back(row);
  return found;
}

bool BasicColumns::hasRoom(int64_t vector, int64_t threads, int64_t splits,
                           int64_t blocks) const {
  int64_t lanes = facts.alongPlaces ? 1 : vector;
  return exchangedStates(threads, splits, blocks) * lanes * facts.stateBytes +
             arrivalBytes <=
         target.gpu->defaultSharedBytesPerBlock;
}

void BasicColumns::addBlock(const VectorChoice &choice, int64_t threads,
                            int64_t row) {
  int64_t splits = threads / row;
  int64_t lanes = facts.alongPlaces ? choice.vector : 1;
  if (!hasRoom(choice.vector, threads, splits, 1) ||
      (facts.places && splits > 1 && splits * lanes > facts.places))
    return;
  bool isHeld =
      facts.places && !facts.once &&
      llvm::divideCeil(facts.places, splits * lanes) * choice.vector <=
          mostHeldElements;
  if (isHeld && choice.vector <= facts.dividing)
    add(choice, threads, splits, RegistersHoldAttr::get(context));
  add(choice, threads, splits, LoopHoldAttr::get(context));
  if (facts.once)
    addShared(choice, threads, row);
}

/// By the parts of a second launch, or by the blocks of a cluster.
void BasicColumns::addShared(const VectorChoice &choice, int64_t threads,
                             int64_t row) {
  int64_t splits = threads / row, before = 1;
  int64_t lanes = facts.alongPlaces ? choice.vector : 1;
  int64_t across = blocksAcross(choice, row);
  LoopHoldAttr hold = LoopHoldAttr::get(context);
  for (int64_t each : blocksOfMultiprocessor) {
    int64_t parts = each * target.gpu->multiprocessors / across;
    if (facts.places)
      parts = std::min<int64_t>(parts,
                                llvm::divideCeil(facts.places, splits * lanes));
    // A thread that has one place leaves what it has read.
    bool areOne = facts.places && 2 * parts * splits * lanes > facts.places;
    if (parts <= before || areOne)
      continue;
    before = parts;
    add(choice, threads, splits, hold, partsOf(context, parts));
  }
  bool mayCluster = !facts.alongPlaces && !facts.isJoined && facts.columns &&
                    choice.fold == 1 && choice.vector <= facts.dividing &&
                    threads % warp == 0;
  for (int64_t blocks = 2; mayCluster && blocks <= target.gpu->maxClusterSize;
       blocks *= 2)
    if (hasRoom(choice.vector, threads, splits, blocks) &&
        !(facts.places && blocks * splits > facts.places))
      add(choice, threads, splits, hold, clusterOf(context, blocks));
}

SmallVector<ColumnsScheduleAttr> BasicColumns::all() {
  for (const VectorChoice &choice : vectors())
    for (int64_t threads : blockThreads) {
      if (threads > target.maxThreads)
        continue;
      SmallVector<int64_t> all = rows(choice, threads);
      for (int64_t row : all)
        addBlock(choice, threads, row);
      // A thread a column, where there are as many.
      if (!llvm::is_contained(all, threads) && usualColumns() >= threads)
        addBlock(choice, threads, threads);
    }
  // Fewer columns than that, of fewer places than threads are left for each.
  if (found.empty())
    for (const VectorChoice &choice : vectors())
      addBlock(choice, blockThreads[0], blockThreads[0]);
  return found;
}

SmallVector<ColumnsScheduleAttr>
mlir::fuse::basicColumns(MLIRContext *context, const ColumnFacts &facts,
                         const ScheduleTarget &target) {
  return BasicColumns(context, facts, target).all();
}

SmallVector<ColumnsScheduleAttr>
mlir::fuse::refinedColumns(ColumnsScheduleAttr schedule,
                           const ColumnFacts &facts,
                           const ScheduleTarget &target) {
  if (!isa<LoopHoldAttr>(schedule.getHold()))
    return {schedule};
  MLIRContext *context = schedule.getContext();
  SmallVector<ColumnsScheduleAttr> found;
  int64_t vector = schedule.getVector(), threads = schedule.getThreads();
  int64_t lanes = facts.alongPlaces ? vector : 1;
  bool mayCopy = !facts.isJoined && !facts.alongPlaces && facts.inputs > 0 &&
                 vector <= facts.dividing &&
                 vector * facts.thinnestBytes >= wordBytes;
  bool mayEvict = facts.once && !facts.isJoined &&
                  vector * facts.thinnestBytes >= wordBytes;
  auto add = [&](int64_t unroll, int64_t stages, bool evictFirst) {
    found.push_back(ColumnsScheduleAttr::get(
        context, threads, vector, schedule.getSplits(),
        LoopHoldAttr::get(context, unroll, stages), schedule.getShare(),
        schedule.getFold(), evictFirst));
  };
  for (int64_t unroll : {1, 2, 4, 8}) {
    double loaded = double(unroll) * vector * facts.inputBytes / wordBytes;
    double states =
        double(facts.alongPlaces ? 1 : vector) * facts.stateBytes / wordBytes;
    bool isPast =
        facts.places && unroll > 1 &&
        schedule.parts() * schedule.getSplits() * unroll * lanes > facts.places;
    bool isFull = loaded > mostLoadedRegisters ||
                  (loaded + states + otherRegisters) * threads >
                      target.gpu->registersPerSM;
    // One step at a time has to do where nothing fits.
    if (unroll > 1 && (isPast || isFull))
      continue;
    add(unroll, 1, /*evictFirst=*/false);
    if (mayEvict)
      add(unroll, 1, /*evictFirst=*/true);
    for (int64_t stages : {3, 4})
      if (mayCopy && threads * vector * facts.inputBytes * unroll * stages <=
                         target.sharedBytes)
        add(unroll, stages, /*evictFirst=*/false);
  }
  return found;
}
