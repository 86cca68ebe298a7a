//===- EmulatorGrid.h - One emulated launch ---------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters run one after the other, in an order drawn from the seed; most are
// of one block. The blocks of a cooperative launch all run together. Threads
// are fibers: each runs until it needs others, at a barrier or at an operation
// of its warp. The last to arrive lets all go on. When no thread can go on and
// some have not ended, they are stuck, and the reason is told.
//
// What works on memory on its own, such as bulk copies, are engines
// (EmulatorClocks.h). They have members of their own, and use what EmulatorGrid
// offers them.
//
// A thread that may wait in a loop of atomic accesses gives its turn away
// before each of them. When threads only repeat such accesses, and nobody gets
// on, they are stuck too.
//
// An operation of a warp is a payload of each lane and a function over the
// payloads of the lanes that take part; the last lane to arrive calls it:
//
//   struct Vote { bool mine; bool result; } vote{predicate};
//   grid.warpOperation({"vote.all", mask, &vote, site}, [](WarpLanes lanes) {
//     bool all = true;
//     for (unsigned lane : lanes.members())
//       all &= lanes.payload<Vote>(lane).mine;
//     for (unsigned lane : lanes.members())
//       lanes.payload<Vote>(lane).result = all;
//     return true;
//   });
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORGRID_H
#define FUSE_LIB_RUNTIME_EMULATORGRID_H

#include "EmulatorBulkCopies.h"
#include "EmulatorClocks.h"
#include "EmulatorFiber.h"
#include "EmulatorMbarrier.h"
#include "EmulatorMemory.h"
#include "EmulatorOrder.h"
#include "EmulatorWarpgroups.h"
#include "fuse/Runtime/EmulatorModule.h"
#include "llvm/ADT/DenseSet.h"
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>

namespace fuse::runtime {

/// Which lanes of a warp take part in an operation, and what each brought.
class WarpLanes {
public:
  WarpLanes(uint32_t mask, llvm::ArrayRef<void *> payloads)
      : mask(mask), payloads(payloads) {}

  bool contains(unsigned lane) const { return lane < 32 && (mask >> lane & 1); }
  uint32_t bits() const { return mask; }
  llvm::SmallVector<unsigned, 32> members() const {
    llvm::SmallVector<unsigned, 32> lanes;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (contains(lane))
        lanes.push_back(lane);
    return lanes;
  }
  template <typename T> T &payload(unsigned lane) const {
    return *static_cast<T *>(payloads[lane]);
  }

private:
  uint32_t mask;
  /// By lane; null for those that do not take part.
  llvm::ArrayRef<void *> payloads;
};

/// What one lane brings to an operation of its warp.
struct WarpOperation {
  llvm::StringRef name;
  uint32_t mask = 0;
  void *payload = nullptr;
  const EmulatorSite *site = nullptr;
};

/// What an atomic access does. An exchange may fail.
enum class AtomicKind : uint8_t { Load, Store, Update, Exchange };

/// What an atomic access orders between blocks.
struct AtomicOrder {
  bool isAcquire = false;
  bool isRelease = false;
};

class EmulatorGrid {
public:
  /// The blocks of a launch that run together.
  static int64_t blocksTogether(const Launch &launch) {
    return launch.cooperative ? launch.grid : launch.cluster;
  }

  /// `stacks` holds one for each thread that runs together with others. The
  /// threads of a block are whole warps if it runs together with others.
  EmulatorGrid(const Launch &launch, EmulatorKernel kernel,
               const FiberStacks &stacks, uint64_t seed);

  /// Says which results the launch before has, which may still run on a GPU.
  void follow(llvm::ArrayRef<const void *> results) {
    before.emplace(results.begin(), results.end());
  }

  llvm::Error run();

  /// The launch whose thread is running on this thread of the host.
  static EmulatorGrid &current();

  // What follows is called on the fiber of a thread.

  unsigned thread() const { return inBlock(*running); }
  unsigned lane() const { return running->id % 32; }
  int64_t block() const { return blockOf(*running); }
  /// The number of the block in its cluster.
  unsigned rank() const { return block() % launch.cluster; }
  const Launch &getLaunch() const { return launch; }

  /// The place on the host of an access; does not return if it is wrong.
  void *access(const Access &access, const EmulatorSite *site);

  /// The same of an atomic access, which the caller makes at once. Other
  /// threads may run before.
  void *accessAtomic(const Access &access, AtomicKind kind, AtomicOrder order,
                     const EmulatorSite *site);

  /// The address of a global of the module for this thread.
  uint64_t global(const EmulatorGlobal &global);

  /// The address of the same byte in the shared memory of the cluster's block
  /// `rank`; `address` lies in the block's own shared memory.
  uint64_t mapToBlock(uint64_t address, unsigned rank,
                      const EmulatorSite *site);

  /// Waits until what precedes the launch has ended. It has; but a kernel that
  /// waits must do so before it touches a buffer, and in every thread.
  void waitForLaunches() { running->hasWaited = true; }

  /// Waits for `count` threads at barrier `number`; 0 means the whole block, at
  /// this very barrier.
  void barrier(unsigned number, unsigned count, const EmulatorSite *site);
  /// Counts as one of them, without waiting.
  void arriveAtBarrier(unsigned number, unsigned count,
                       const EmulatorSite *site);

  /// Arrives at the cluster's barrier, without waiting. With `isRelease` in all
  /// threads, it orders what precedes it.
  void arriveAtCluster(bool isRelease, const EmulatorSite *site);
  /// Waits until all threads of the cluster have arrived.
  void waitForCluster(const EmulatorSite *site);

  /// Makes the 8 bytes at `address` a transaction barrier, which completes
  /// once, when so many threads have arrived and all bytes that they expect
  /// have.
  void initTransactions(uint64_t address, uint32_t count,
                        const EmulatorSite *site);
  /// Lets others use the thread's transaction barriers after a cluster barrier.
  void fenceTransactions(const EmulatorSite *site);
  /// Arrives, and says that so many more bytes will.
  void expectBytes(uint64_t address, uint32_t bytes, const EmulatorSite *site);
  /// Waits until the transaction barrier is complete.
  void waitForBytes(uint64_t address, const EmulatorSite *site);

  /// A store that arrives when the transaction barrier completes, so that who
  /// does not wait sees what was there before.
  struct AsyncStore {
    uint64_t to = 0;
    uint64_t value = 0;
    int64_t bytes = 0;
    /// The address of the barrier.
    uint64_t arrival = 0;
    const EmulatorSite *site = nullptr;
  };
  void storeAsync(const AsyncStore &store);

  /// An asynchronous copy: nothing happens before the thread waits for it, so
  /// that who does not wait sees what was there before. But it must be right to
  /// write there at once, too. What is written but not read is zero.
  struct AsyncCopy {
    uint64_t to = 0;
    uint64_t from = 0;
    int64_t bytes = 0;
    int64_t read = 0;
    const EmulatorSite *site = nullptr;
  };
  void copyAsync(const AsyncCopy &copy);
  /// Makes a group of the thread's copies since the last one.
  void commitCopies();
  /// Carries out all groups of the thread but the `pending` youngest.
  void waitForCopies(unsigned pending);

  /// Waits for all lanes in the mask; see above. `combine` returns false after
  /// a complaint().
  using Combine = llvm::function_ref<bool(WarpLanes)>;
  void warpOperation(const WarpOperation &operation, Combine combine);

  /// Orders what these lanes of the warp did to memory.
  void orderWarp(uint32_t lanes);

  /// What orders by phases, copies boxes and multiplies.
  Mbarriers &getMbarriers() { return mbarriers; }
  BulkCopies &getBulkCopies() { return bulkCopies; }
  Warpgroups &getWarpgroups() { return warpgroups; }
  /// Puts what the thread did behind a proxy fence.
  void fenceProxies();

  /// The mask of all lanes that the running thread's warp has.
  uint32_t warpMask() const;

  /// Notes why the launch fails: "expected X, but got Y; remedy".
  void complain(std::string text, const EmulatorSite *site);
  /// The same of another lane of the running thread's warp.
  void complainOfLane(unsigned lane, std::string text,
                      const EmulatorSite *site);
  /// Ends the running thread, and with it the launch, after complain().
  [[noreturn]] void abandon();

  //===--------------------------------------------------------------------===//
  // For engines
  //===--------------------------------------------------------------------===//

  /// The thread's number among those that run together.
  unsigned id() const { return running->id; }
  EmulatorClocks &getClocks() { return clocks; }
  EmulatorMemory &getMemory() { return memory; }
  /// Whether clocks may run: not in a cooperative launch, nor with very many
  /// threads.
  bool mayRunClocks() const;
  void requireClocks(llvm::StringRef what, const EmulatorSite *site);

  /// An access of an engine in its step, for the running thread.
  void *accessBy(unsigned engine, uint32_t step, const Access &access,
                 const EmulatorSite *site);
  /// The same by what several threads know; null after a complaint.
  void *tryAccessBy(unsigned engine, uint32_t step, const Past &past,
                    const Access &access, const EmulatorSite *site);
  /// An access of another lane of the running thread's warp.
  void *accessOfLane(unsigned lane, const Access &access,
                     const EmulatorSite *site);
  /// Checks that the write of these bytes comes before now.
  void checkOrder(uint64_t address, int64_t bytes, const EmulatorSite *site);

  bool isOwnShared(uint64_t address) const {
    return isOwnShared(memory.segmentAt(address));
  }
  /// The same place in the memory of another block of the cluster.
  uint64_t addressInBlock(uint64_t address, unsigned rank,
                          const EmulatorSite *site);
  /// The emulated address of one that PTX uses in the block's shared memory; 0
  /// if there is none.
  uint64_t sharedAt(uint32_t address) const;
  /// "byte 8 of shared memory 'slots'".
  std::string describe(uint64_t address) const;

  struct Condition {
    llvm::StringRef name;
    std::function<bool()> holds;
    /// What is missing, if it can't be any more: "expected X, but got Y;
    /// remedy".
    std::function<std::string()> shortage;
  };
  void waitUntil(Condition condition, const EmulatorSite *site);

  /// Complains, and ends the running thread.
  [[noreturn]] void refuse(std::string text, const EmulatorSite *site);
  /// Complains of any thread that runs together with the running one.
  void complainOf(unsigned id, std::string text, const EmulatorSite *site) {
    complainOf(threads[id], std::move(text), site);
  }
  /// Ends the running thread if there has been a complaint.
  void stopIfRefused();
  void noteProgress() { isIdle = false; }

  /// Whether what is asynchronous happens as soon as it may.
  bool happensNow();
  /// Whether a wait that may fail for no reason does.
  bool mayGiveUp() { return draw(8) == 0; }
  /// Gives the turn away now and then, where the launch's timing is random.
  void mayYield(const EmulatorSite *site);
  /// A number below `count`, always the same in a launch.
  unsigned elect(unsigned count) const { return elector % count; }
  /// A number below `count`.
  size_t draw(size_t count) { return random() % count; }

  /// Registers of each thread at the kernel's start, at most.
  unsigned startRegisters() const;

private:
  /// When asynchronous operations happen.
  enum class Timing : uint8_t { Late, Early, Random };

  enum class State : uint8_t {
    Ready,
    AtBarrier,
    AtClusterBarrier,
    AtTransactions,
    InWarpOperation,
    /// Until its condition holds.
    Waiting,
    Ended
  };

  struct Thread {
    /// Number among those that run together.
    unsigned id = 0;
    /// The number of its block among those that run together.
    unsigned rank = 0;
    State state = State::Ready;
    /// For the launches before this one.
    bool hasWaited = false;
    Fiber fiber;
    /// What it waits at.
    const EmulatorSite *site = nullptr;
    unsigned barrier = 0;
    WarpOperation operation;
    Condition condition;
    /// Copies that are in no group yet, and the groups, oldest first.
    std::vector<AsyncCopy> copies;
    std::deque<std::vector<AsyncCopy>> copyGroups;
    /// The atomic accesses that it gave its turn away for, each with what was
    /// there: place in the code, address and content.
    llvm::DenseSet<std::tuple<const EmulatorSite *, uint64_t, uint64_t>> seen;
    /// At barriers of the cluster.
    uint16_t arrivals = 0;
    uint16_t waits = 0;
    /// The last barrier with release among the waits, from 1; 0 for none.
    uint16_t clusterOrdered = 0;
    /// The address of the transaction barrier that it waits at, and the numbers
    /// of those that it has waited at.
    uint64_t arrival = 0;
    llvm::SmallBitVector completions;
  };

  /// How long a block of the cluster must live for the others.
  struct Lifetime {
    /// A cluster barrier, from 1, that the block must wait for; 0 for none.
    unsigned barrier = 0;
    /// What must not come after its end.
    const Thread *thread = nullptr;
    const EmulatorSite *site = nullptr;
  };

  /// A transaction barrier of the cluster.
  struct Transactions {
    /// In the cluster, from 1.
    uint16_t number = 0;
    /// The thread that made it, and the cluster barriers that this thread had
    /// arrived at when it fenced it.
    const Thread *owner = nullptr;
    std::optional<uint16_t> fenced;
    uint32_t count = 0;
    uint32_t arrived = 0;
    int64_t bytesExpected = 0;
    int64_t bytesArrived = 0;
    bool isComplete = false;
    bool isAwaited = false;
    /// What arrives with the completion: place on the host, value, bytes.
    std::vector<std::tuple<void *, uint64_t, int64_t>> stores;
    /// The last that added to it.
    const Thread *thread = nullptr;
    const EmulatorSite *site = nullptr;
  };

  unsigned inBlock(const Thread &thread) const {
    return thread.id - thread.rank * launch.threads;
  }
  int64_t blockOf(const Thread &thread) const {
    return firstBlock + thread.rank;
  }
  llvm::MutableArrayRef<Thread> threadsOfBlock(unsigned rank) {
    return llvm::MutableArrayRef(threads).slice(rank * launch.threads,
                                                launch.threads);
  }
  void addOperands();
  uint64_t drawStep(uint64_t count);
  void runCluster();
  void startThreads();
  void schedule();
  bool runRound();
  bool wakeWaiting();
  void letOthersRun(const EmulatorSite *site);
  void noteSeen(const Access &access, const void *host,
                const EmulatorSite *site);
  void orderAtomic(uint64_t address, AtomicKind kind, AtomicOrder order);
  void refuseClusters(const EmulatorSite *site);
  static void runThread(void *data);
  void checkHasWaited(uint64_t address, AccessKind kind,
                      const EmulatorSite *site);
  bool mayBeEarly(const Segment &segment) const;
  void checkOtherBlock(uint64_t address, const EmulatorSite *site);
  void checkHasStarted(const Segment &segment, const EmulatorSite *site);
  void checkLifetimes();
  bool isOwnShared(const Segment *segment) const;
  uint64_t placeShared(int64_t bytes, int64_t alignment);
  void checkOwnShared(uint64_t address, llvm::StringRef what,
                      const EmulatorSite *site);
  llvm::StringRef missingBefore(const Transactions *transactions) const;
  Transactions &transactionsAt(uint64_t address, llvm::StringRef what,
                               const EmulatorSite *site);
  void checkSameBlock(const AsyncStore &store);
  void refuseMore(uint64_t address, const Transactions &transactions);
  void complete(uint64_t address, Transactions &transactions);
  std::string shortage(uint64_t address, const Transactions &transactions);
  void checkTransactions();
  void checkEngines();
  void releaseBarrier(unsigned number);
  bool isSameBarrier(unsigned number);
  bool checkMask(const WarpOperation &operation);
  static bool isSameOperation(const Thread &thread,
                              const WarpOperation &operation);
  bool isComplete(const WarpOperation &operation);
  void explainStuck();
  bool explainStuckWaiting();
  bool waitsForWaiting(const Thread &thread) const;
  void explainStuckWarp(const Thread &waiting);
  void explainStuckBarrier(const Thread &waiting);
  void explainStuckCluster(const Thread &waiting);
  bool explainStuckTransactions();
  void explainSpinning();
  const Thread *findOther(const Thread &spinning) const;
  std::string describe(const Thread &thread) const;
  void complainOf(const Thread &thread, std::string text,
                  const EmulatorSite *site);
  Present presentOf(const Thread &thread) const;
  Present now() const { return presentOf(*running); }
  void *tryAccess(const Access &access, const Present &present,
                  const EmulatorSite *site);

  const Launch &launch;
  EmulatorKernel kernel;
  const FiberStacks &stacks;
  std::mt19937_64 random;
  /// Blocks that run together.
  unsigned together;
  /// Of a cooperative launch.
  std::optional<GridOrder> order;
  Timing timing;
  unsigned elector;
  EmulatorClocks clocks;
  EmulatorMemory memory;
  Mbarriers mbarriers;
  BulkCopies bulkCopies;
  Warpgroups warpgroups;
  /// The kernel's arguments, with emulated addresses.
  std::vector<uint64_t> values;
  std::vector<void *> params;
  /// The segment of each global that has been asked for; of shared memory, that
  /// of the first of the blocks that run together, before those of the others.
  std::vector<std::pair<const EmulatorGlobal *, unsigned>> globals;
  std::vector<std::unique_ptr<char[]>> sharedArrays;
  /// Bytes of a block's shared memory that are taken.
  int64_t sharedEnd = 0;

  std::vector<Thread> threads;
  /// In which order threads get their turns.
  std::vector<unsigned> turns;
  std::vector<uint32_t> warpPhases;
  /// Of those that run together.
  int64_t firstBlock = 0;
  /// The last phase of any block, and that of each that runs.
  uint32_t lastPhase = 0;
  llvm::SmallVector<uint32_t, 1> phases;
  /// The threads that have arrived at the cluster's next barrier, and whether
  /// all of them with release.
  unsigned clusterArrivals = 0;
  bool isClusterRelease = true;
  /// The same for clocks: what arrived, and what did for the last barrier.
  Past clusterArriving;
  Past clusterReleased;
  /// Threads that have arrived at a barrier of some threads and went on.
  struct Arrivals {
    unsigned count = 0;
    Past past;
  };
  /// By block and number.
  std::map<std::pair<unsigned, unsigned>, Arrivals> barrierArrivals;
  /// Barriers that the whole cluster has arrived at, and the last of them with
  /// release, from 1.
  uint16_t clusterBarriers = 0;
  uint16_t lastClusterRelease = 0;
  llvm::SmallVector<Lifetime, 1> lifetimes;
  /// The transaction barriers of the cluster, by address.
  std::map<uint64_t, Transactions> transactions;
  Thread *running = nullptr;
  /// Whether this turn of the running thread has only repeated a wait.
  bool isIdle = false;
  std::string failure;
  /// Results of the launch before; nothing where there was none.
  std::optional<std::vector<const void *>> before;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORGRID_H
