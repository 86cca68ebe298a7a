//===- EmulatorShims.cpp - Ids, accesses, barriers, shuffles --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatorShims.h"
#include "EmulatorGrid.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace llvm;
using namespace fuse::runtime;

static EmulatorGrid &grid() { return EmulatorGrid::current(); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

template <AccessKind kind>
static void *accessShim(uint64_t address, int64_t bytes, int64_t alignment,
                        const EmulatorSite *site) {
  return grid().access({address, bytes, alignment, kind}, site);
}

template <AtomicKind kind, bool isAcquire, bool isRelease>
static void *atomicShim(uint64_t address, int64_t bytes, int64_t alignment,
                        const EmulatorSite *site) {
  return grid().accessAtomic({address, bytes, alignment, AccessKind::Atomic},
                             kind, {isAcquire, isRelease}, site);
}

static uint64_t globalShim(const EmulatorGlobal *global) {
  return grid().global(*global);
}

/// A load with a hint for the caches, which have no effect here.
template <unsigned words>
static void hintedLoadShim(uint32_t *result, uint64_t address, uint64_t policy,
                           const EmulatorSite *site) {
  constexpr int64_t bytes = words * sizeof(uint32_t);
  std::memcpy(result,
              grid().access({address, bytes, bytes, AccessKind::Load}, site),
              bytes);
}

static uint32_t hintedWordShim(uint64_t address, uint64_t policy,
                               const EmulatorSite *site) {
  uint32_t result;
  hintedLoadShim<1>(&result, address, policy, site);
  return result;
}

static uint64_t policyShim() { return 0; }

template <unsigned bytes>
static void copyAsyncShim(uint64_t to, uint64_t from,
                          const EmulatorSite *site) {
  grid().copyAsync({to, from, bytes, bytes, site});
}

/// Zeros stand for what is not read.
template <unsigned bytes>
static void copyPartAsyncShim(uint64_t to, uint64_t from, uint32_t read,
                              const EmulatorSite *site) {
  if (read > bytes)
    grid().refuse(formatv("expected a copy to read at most the {0} bytes that "
                          "it writes, but got {1}; check its size",
                          bytes, read),
                  site);
  grid().copyAsync({to, from, bytes, read, site});
}

static void commitCopiesShim() { grid().commitCopies(); }
static void waitForCopiesShim(uint32_t pending) {
  grid().waitForCopies(pending);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static void waitForLaunchesShim() { grid().waitForLaunches(); }
/// Launches run one after the other here.
static void launchDependentsShim() {}

//===----------------------------------------------------------------------===//
// Ids and sizes
//===----------------------------------------------------------------------===//

template <int32_t value> static int32_t constantShim() { return value; }
static int32_t threadShim() { return grid().thread(); }
static int32_t laneShim() { return grid().lane(); }
static int32_t blockShim() { return grid().block(); }
static int32_t blockSizeShim() { return grid().getLaunch().threads; }
static int32_t gridSizeShim() { return grid().getLaunch().grid; }
static int32_t rankShim() { return grid().rank(); }
static int32_t clusterSizeShim() { return grid().getLaunch().cluster; }
static int32_t clusterShim() { return grid().block() / clusterSizeShim(); }
static int32_t clustersShim() { return gridSizeShim() / clusterSizeShim(); }

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static void barrierShim(int32_t number, const EmulatorSite *site) {
  grid().barrier(number, /*count=*/0, site);
}

/// Not aligned: threads may wait for each other at different places.
static void looseBarrierShim(int32_t number, const EmulatorSite *site) {
  grid().barrier(number, grid().getLaunch().threads, site);
}

static void countedBarrierShim(int32_t number, int32_t count,
                               const EmulatorSite *site) {
  grid().barrier(number, count, site);
}

static void warpSyncShim(uint32_t mask, const EmulatorSite *site) {
  char none;
  grid().warpOperation({"bar.warp.sync", mask, &none, site},
                       [](WarpLanes lanes) {
                         grid().orderWarp(lanes.bits());
                         return true;
                       });
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

static uint64_t mapShim(uint64_t address, int32_t rank,
                        const EmulatorSite *site) {
  return grid().mapToBlock(address, rank, site);
}

/// All threads of the warp must be there.
static void alignWarp(StringRef name, const EmulatorSite *site) {
  char none;
  grid().warpOperation({name, grid().warpMask(), &none, site},
                       [](WarpLanes) { return true; });
}

template <bool isRelease> static void arriveShim(const EmulatorSite *site) {
  grid().arriveAtCluster(isRelease, site);
}

template <bool isRelease>
static void alignedArriveShim(const EmulatorSite *site) {
  alignWarp("barrier.cluster.arrive.aligned", site);
  grid().arriveAtCluster(isRelease, site);
}

static void clusterWaitShim(const EmulatorSite *site) {
  grid().waitForCluster(site);
}

static void alignedClusterWaitShim(const EmulatorSite *site) {
  alignWarp("barrier.cluster.wait.aligned", site);
  grid().waitForCluster(site);
}

//===----------------------------------------------------------------------===//
// Transaction barriers
//===----------------------------------------------------------------------===//

static void initTransactionsShim(uint64_t address, uint32_t count,
                                 const EmulatorSite *site) {
  grid().initTransactions(address, count, site);
}

static void fenceTransactionsShim(const EmulatorSite *site) {
  grid().fenceTransactions(site);
}

static void expectBytesShim(uint64_t address, uint32_t bytes,
                            const EmulatorSite *site) {
  grid().expectBytes(address, bytes, site);
}

template <typename T>
static void storeAsyncShim(uint64_t to, T value, uint64_t arrival,
                           const EmulatorSite *site) {
  grid().storeAsync({to, value, sizeof(T), arrival, site});
}

static void waitForBytesShim(uint64_t address, const EmulatorSite *site) {
  grid().waitForBytes(address, site);
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

namespace {
enum class ShuffleMode { Up, Down, Butterfly, Index };

struct Shuffle {
  uint32_t value;
  uint32_t operand;
  uint32_t clamp;
  bool inSegment;
};
} // namespace

/// The lane that `lane` reads from, as in PTX's shfl.sync; whether it lies in
/// its segment goes to `inSegment`.
static unsigned sourceLane(ShuffleMode mode, unsigned lane, uint32_t operand,
                           uint32_t clamp, bool &inSegment) {
  unsigned segment = clamp >> 8 & 31, bound = clamp & 31, b = operand & 31;
  unsigned last = (lane & segment) | (bound & ~segment);
  unsigned first = lane & segment;
  int source = 0;
  switch (mode) {
  case ShuffleMode::Up:
    source = int(lane) - int(b);
    inSegment = source >= int(last);
    break;
  case ShuffleMode::Down:
    source = lane + b;
    inSegment = source <= int(last);
    break;
  case ShuffleMode::Butterfly:
    source = lane ^ b;
    inSegment = source <= int(last);
    break;
  case ShuffleMode::Index:
    source = first | (b & ~segment);
    inSegment = source <= int(last);
    break;
  }
  return inSegment ? source : lane;
}

static StringRef nameOf(ShuffleMode mode) {
  switch (mode) {
  case ShuffleMode::Up:
    return "shfl.sync.up";
  case ShuffleMode::Down:
    return "shfl.sync.down";
  case ShuffleMode::Butterfly:
    return "shfl.sync.bfly";
  case ShuffleMode::Index:
    return "shfl.sync.idx";
  }
  llvm_unreachable("covered switch");
}

/// What is wrong with a lane's source; empty if nothing is. With `isChecked`
/// the kernel asks whether the source was in the segment, so that it may be
/// outside. The ends of up and down are often unused.
static std::string complaintOf(ShuffleMode mode, bool isChecked,
                               const Shuffle &mine, unsigned source,
                               WarpLanes lanes) {
  if (mine.operand >= 32)
    return formatv("expected {0} with an operand below 32, but got {1}; check "
                   "the distance",
                   nameOf(mode), mine.operand);
  bool mayLeave =
      isChecked || mode == ShuffleMode::Up || mode == ShuffleMode::Down;
  if (!mine.inSegment && !mayLeave)
    return formatv("expected {0} to read from lanes up to {1}, but got operand "
                   "{2}, which leads beyond; check the width",
                   nameOf(mode), mine.clamp & 31, mine.operand);
  if (!lanes.contains(source))
    return formatv("expected {0} to read from a lane in its mask {1:x8}, but "
                   "got lane {2}; name it too, or choose another distance",
                   nameOf(mode), lanes.bits(), source);
  return "";
}

static bool exchange(ShuffleMode mode, bool isChecked, WarpLanes lanes,
                     const EmulatorSite *site) {
  std::array<uint32_t, 32> results;
  for (unsigned lane : lanes.members()) {
    auto &mine = lanes.payload<Shuffle>(lane);
    unsigned source =
        sourceLane(mode, lane, mine.operand, mine.clamp, mine.inSegment);
    std::string complaint = complaintOf(mode, isChecked, mine, source, lanes);
    if (!complaint.empty()) {
      grid().complainOfLane(lane, std::move(complaint), site);
      return false;
    }
    results[lane] = lanes.payload<Shuffle>(source).value;
  }
  for (unsigned lane : lanes.members())
    lanes.payload<Shuffle>(lane).value = results[lane];
  return true;
}

static Shuffle shuffle(ShuffleMode mode, bool isChecked, uint32_t mask,
                       uint32_t value, uint32_t operand, uint32_t clamp,
                       const EmulatorSite *site) {
  Shuffle payload{value, operand, clamp, false};
  grid().warpOperation(
      {nameOf(mode), mask, &payload, site},
      [&](WarpLanes lanes) { return exchange(mode, isChecked, lanes, site); });
  return payload;
}

template <ShuffleMode mode, typename T>
static T shuffleShim(uint32_t mask, T value, uint32_t operand, uint32_t clamp,
                     const EmulatorSite *site) {
  return bit_cast<T>(shuffle(mode, /*isChecked=*/false, mask,
                             bit_cast<uint32_t>(value), operand, clamp, site)
                         .value);
}

namespace {
/// { T, i1 } in memory.
template <typename T> struct Checked {
  T value;
  bool inSegment;
};
} // namespace

template <ShuffleMode mode, typename T>
static void checkedShuffleShim(Checked<T> *result, uint32_t mask, T value,
                               uint32_t operand, uint32_t clamp,
                               const EmulatorSite *site) {
  Shuffle done = shuffle(mode, /*isChecked=*/true, mask,
                         bit_cast<uint32_t>(value), operand, clamp, site);
  *result = {bit_cast<T>(done.value), done.inSegment};
}

//===----------------------------------------------------------------------===//
// Votes
//===----------------------------------------------------------------------===//

/// The lanes in the mask whose predicate is true.
static uint32_t ballot(StringRef name, uint32_t mask, bool predicate,
                       const EmulatorSite *site) {
  struct Vote {
    bool mine;
    uint32_t result;
  } vote{predicate, 0};
  grid().warpOperation({name, mask, &vote, site}, [](WarpLanes lanes) {
    uint32_t result = 0;
    for (unsigned lane : lanes.members())
      result |= uint32_t(lanes.payload<Vote>(lane).mine) << lane;
    for (unsigned lane : lanes.members())
      lanes.payload<Vote>(lane).result = result;
    return true;
  });
  return vote.result;
}

static uint32_t ballotShim(uint32_t mask, bool predicate,
                           const EmulatorSite *site) {
  return ballot("vote.ballot.sync", mask, predicate, site);
}

static bool anyShim(uint32_t mask, bool predicate, const EmulatorSite *site) {
  return ballot("vote.any.sync", mask, predicate, site) != 0;
}

static bool allShim(uint32_t mask, bool predicate, const EmulatorSite *site) {
  return ballot("vote.all.sync", mask, predicate, site) == mask;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

template <typename Function> static void *addressOf(Function *function) {
  return reinterpret_cast<void *>(function);
}

SmallVector<EmulatorShim> fuse::runtime::emulatorShims() {
  using Mode = ShuffleMode;
  SmallVector<EmulatorShim> shims = {
      {"fuse.load", addressOf(accessShim<AccessKind::Load>), true},
      {"fuse.store", addressOf(accessShim<AccessKind::Store>), true},

#define FUSE_ATOMIC(NAME, KIND, ACQUIRE, RELEASE)                              \
  {"fuse.atomic." NAME,                                                        \
   addressOf(atomicShim<AtomicKind::KIND, ACQUIRE, RELEASE>), true}
      FUSE_ATOMIC("load.relaxed", Load, false, false),
      FUSE_ATOMIC("load.acquire", Load, true, false),
      FUSE_ATOMIC("store.relaxed", Store, false, false),
      FUSE_ATOMIC("store.release", Store, false, true),
      FUSE_ATOMIC("update.relaxed", Update, false, false),
      FUSE_ATOMIC("update.acquire", Update, true, false),
      FUSE_ATOMIC("update.release", Update, false, true),
      FUSE_ATOMIC("update.acq_rel", Update, true, true),
      FUSE_ATOMIC("exchange.relaxed", Exchange, false, false),
      FUSE_ATOMIC("exchange.acquire", Exchange, true, false),
#undef FUSE_ATOMIC

      {"fuse.global", addressOf(globalShim), false},

#define FUSE_HINTED_LOAD(PRIORITY)                                             \
  {"createpolicy.fractional.L2::" PRIORITY ".b64 $0, 1.0;",                    \
   addressOf(policyShim), false},                                              \
      {"ld.global.L1::" PRIORITY ".L2::cache_hint.b32 $0, [$1], $2;",          \
       addressOf(hintedWordShim), true},                                       \
      {"ld.global.L1::" PRIORITY ".L2::cache_hint.v2.b32 {$0, $1}, [$2], $3;", \
       addressOf(hintedLoadShim<2>), true},                                    \
      {"ld.global.L1::" PRIORITY                                               \
       ".L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;",                   \
       addressOf(hintedLoadShim<4>), true}
      FUSE_HINTED_LOAD("evict_first"),
      FUSE_HINTED_LOAD("evict_last"),
#undef FUSE_HINTED_LOAD

      {"llvm.nvvm.cp.async.ca.shared.global.4", addressOf(copyAsyncShim<4>),
       true},
      {"llvm.nvvm.cp.async.ca.shared.global.8", addressOf(copyAsyncShim<8>),
       true},
      {"llvm.nvvm.cp.async.ca.shared.global.16", addressOf(copyAsyncShim<16>),
       true},
      {"llvm.nvvm.cp.async.cg.shared.global.16", addressOf(copyAsyncShim<16>),
       true},
      {"llvm.nvvm.cp.async.cg.shared.global.16.s",
       addressOf(copyPartAsyncShim<16>), true},
      {"llvm.nvvm.cp.async.commit.group", addressOf(commitCopiesShim), false},
      {"llvm.nvvm.cp.async.wait.group", addressOf(waitForCopiesShim), false},

      {"llvm.nvvm.griddepcontrol.wait", addressOf(waitForLaunchesShim), false},
      {"llvm.nvvm.griddepcontrol.launch.dependents",
       addressOf(launchDependentsShim), false},

      {"llvm.nvvm.read.ptx.sreg.tid.x", addressOf(threadShim), false},
      {"llvm.nvvm.read.ptx.sreg.tid.y", addressOf(constantShim<0>), false},
      {"llvm.nvvm.read.ptx.sreg.tid.z", addressOf(constantShim<0>), false},
      {"llvm.nvvm.read.ptx.sreg.laneid", addressOf(laneShim), false},
      {"llvm.nvvm.read.ptx.sreg.warpsize", addressOf(constantShim<32>), false},
      {"llvm.nvvm.read.ptx.sreg.ntid.x", addressOf(blockSizeShim), false},
      {"llvm.nvvm.read.ptx.sreg.ctaid.x", addressOf(blockShim), false},
      {"llvm.nvvm.read.ptx.sreg.ctaid.y", addressOf(constantShim<0>), false},
      {"llvm.nvvm.read.ptx.sreg.ctaid.z", addressOf(constantShim<0>), false},
      {"llvm.nvvm.read.ptx.sreg.nctaid.x", addressOf(gridSizeShim), false},

      {"llvm.nvvm.read.ptx.sreg.cluster.ctarank", addressOf(rankShim), false},
      {"llvm.nvvm.read.ptx.sreg.cluster.nctarank", addressOf(clusterSizeShim),
       false},
      {"llvm.nvvm.read.ptx.sreg.cluster.ctaid.x", addressOf(rankShim), false},
      {"llvm.nvvm.read.ptx.sreg.cluster.ctaid.y", addressOf(constantShim<0>),
       false},
      {"llvm.nvvm.read.ptx.sreg.cluster.ctaid.z", addressOf(constantShim<0>),
       false},
      {"llvm.nvvm.read.ptx.sreg.cluster.nctaid.x", addressOf(clusterSizeShim),
       false},
      {"llvm.nvvm.read.ptx.sreg.cluster.nctaid.y", addressOf(constantShim<1>),
       false},
      {"llvm.nvvm.read.ptx.sreg.cluster.nctaid.z", addressOf(constantShim<1>),
       false},
      {"llvm.nvvm.read.ptx.sreg.clusterid.x", addressOf(clusterShim), false},
      {"llvm.nvvm.read.ptx.sreg.nclusterid.x", addressOf(clustersShim), false},

      {"llvm.nvvm.mapa.shared.cluster", addressOf(mapShim), true},
      {"llvm.nvvm.mapa", addressOf(mapShim), true},
      {"llvm.nvvm.barrier.cluster.arrive", addressOf(arriveShim<true>), true},
      {"llvm.nvvm.barrier.cluster.arrive.aligned",
       addressOf(alignedArriveShim<true>), true},
      {"llvm.nvvm.barrier.cluster.arrive.relaxed", addressOf(arriveShim<false>),
       true},
      {"llvm.nvvm.barrier.cluster.arrive.relaxed.aligned",
       addressOf(alignedArriveShim<false>), true},
      {"llvm.nvvm.barrier.cluster.wait", addressOf(clusterWaitShim), true},
      {"llvm.nvvm.barrier.cluster.wait.aligned",
       addressOf(alignedClusterWaitShim), true},

      {"mbarrier.init.shared::cta.b64 [$0], $1;",
       addressOf(initTransactionsShim), true},
      {"fence.mbarrier_init.release.cluster;", addressOf(fenceTransactionsShim),
       true},
      {"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [$0], $1;",
       addressOf(expectBytesShim), true},
      {"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [$0], $1, "
       "[$2];",
       addressOf(storeAsyncShim<uint32_t>), true},
      {"st.async.shared::cluster.mbarrier::complete_tx::bytes.b64 [$0], $1, "
       "[$2];",
       addressOf(storeAsyncShim<uint64_t>), true},
      {"{\n.reg .pred complete;\nAGAIN:\n"
       "mbarrier.try_wait.parity.shared::cta.b64 complete, "
       "[$0], 0;\n@!complete bra AGAIN;\n}",
       addressOf(waitForBytesShim), true},

      {"llvm.nvvm.barrier.cta.sync.aligned.all", addressOf(barrierShim), true},
      {"llvm.nvvm.barrier.cta.sync.all", addressOf(looseBarrierShim), true},
      {"llvm.nvvm.barrier.cta.sync.aligned.count",
       addressOf(countedBarrierShim), true},
      {"llvm.nvvm.barrier.cta.sync.count", addressOf(countedBarrierShim), true},
      {"llvm.nvvm.bar.warp.sync", addressOf(warpSyncShim), true},

      {"llvm.nvvm.vote.ballot.sync", addressOf(ballotShim), true},
      {"llvm.nvvm.vote.any.sync", addressOf(anyShim), true},
      {"llvm.nvvm.vote.all.sync", addressOf(allShim), true},

#define FUSE_SHUFFLE(NAME, MODE)                                               \
  {"llvm.nvvm.shfl.sync." NAME ".i32",                                         \
   addressOf(shuffleShim<Mode::MODE, int32_t>), true},                         \
      {"llvm.nvvm.shfl.sync." NAME ".f32",                                     \
       addressOf(shuffleShim<Mode::MODE, float>), true},                       \
      {"llvm.nvvm.shfl.sync." NAME ".i32p",                                    \
       addressOf(checkedShuffleShim<Mode::MODE, int32_t>), true},              \
      {"llvm.nvvm.shfl.sync." NAME ".f32p",                                    \
       addressOf(checkedShuffleShim<Mode::MODE, float>), true}
      FUSE_SHUFFLE("up", Up),
      FUSE_SHUFFLE("down", Down),
      FUSE_SHUFFLE("bfly", Butterfly),
      FUSE_SHUFFLE("idx", Index),
#undef FUSE_SHUFFLE
  };
  addMathShims(shims);
  addTensorShims(shims);
  return shims;
}
