//===- EmulatorBulkCopies.h - Copies of boxes of tensors --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk.tensor, both ways. A copy is checked when it is issued, by what
// its thread knows then, and every byte that it will touch is marked as its
// engine's until the thread that needs it has waited. When the bytes move is up
// to the launch's timing: at once, as late as the waits allow, or at random in
// between. So a wait that is missing shows as an error in every order, and what
// no rule covers shows in the results of some.
//
// A load counts its bytes at an mbarrier. Stores of a thread are in groups, for
// which only this thread can wait: with .read, until their source may be
// overwritten.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORBULKCOPIES_H
#define FUSE_LIB_RUNTIME_EMULATORBULKCOPIES_H

#include "EmulatorMbarrier.h"
#include "EmulatorMemory.h"
#include "EmulatorTensorMap.h"
#include <deque>
#include <optional>

namespace fuse::runtime {

/// Those of the blocks that run together. What takes a site is called on the
/// fiber of a thread, and does not return if a rule is broken.
class BulkCopies {
public:
  BulkCopies(EmulatorGrid &grid, Mbarriers &barriers)
      : grid(grid), barriers(barriers) {}

  void reset();

  struct Box {
    /// The kernel's argument.
    const void *map = nullptr;
    llvm::ArrayRef<int32_t> origin;
    /// In shared memory.
    uint64_t shared = 0;
  };

  /// With `ranks`, a bit for each block of the cluster, the same bytes go to
  /// the same place in each of these blocks and count at its mbarrier; without,
  /// to the place that `box` names.
  void load(const Box &box, uint64_t mbarrier, std::optional<uint16_t> ranks,
            const EmulatorSite *site);

  void store(const Box &box, const EmulatorSite *site);
  /// Makes a group of the thread's stores since the last one.
  void commit();
  /// Waits until all but the `pending` youngest groups of the thread are
  /// stored, or their sources read.
  void wait(unsigned pending, bool isRead, const EmulatorSite *site);

  /// The swizzle that the bytes of the last load around `address` came with.
  std::optional<TensorSwizzle> swizzleAt(uint64_t address) const;

  /// Moves the bytes of one load. Whether there was one.
  bool advance();
  /// Complains if the running thread ends before its sources are read.
  void checkThreadEnd();

private:
  /// A run of bytes of a box.
  struct Piece {
    char *global = nullptr;
    /// In the box, without swizzle.
    int64_t offset = 0;
    int64_t bytes = 0;
  };
  /// A box in the memory of one block.
  struct Copy {
    const EmulatorTensorMap *map = nullptr;
    uint64_t shared = 0;
    char *sharedHost = nullptr;
    std::vector<Piece> pieces;
    unsigned thread = 0;
    const EmulatorSite *site = nullptr;
  };
  struct Load : Copy {
    Mbarriers::Ticket ticket;
  };
  struct Store : Copy {
    uint32_t group = 0;
  };
  /// The stores of a thread.
  struct Groups {
    /// Engines whose step n is group n.
    unsigned reader = 0;
    unsigned writer = 0;
    /// Groups that are committed, and whose sources are known to be read.
    uint32_t committed = 0;
    uint32_t read = 0;
    std::deque<Store> stores;
    /// Whether there are stores in no group yet, and the last store.
    bool isOpen = false;
    const EmulatorSite *site = nullptr;
  };

  const EmulatorTensorMap &mapOf(const void *argument,
                                 const EmulatorSite *site);
  void noteLoaded(const Load &load);
  void markShared(Copy &copy, AccessKind kind, unsigned engine, uint32_t step);
  void markGlobal(const Box &box, Copy &copy, AccessKind kind, unsigned engine,
                  uint32_t step);
  void checkChunks(const Copy &copy);
  static void carryOut(const Load &load);
  static void carryOut(const Store &store);
  void land(size_t number);

  EmulatorGrid &grid;
  Mbarriers &barriers;
  /// That have not landed.
  std::vector<Load> loads;
  std::map<unsigned, Groups> groups;
  /// Where the last loads went: by start, the end and the swizzle.
  std::map<uint64_t, std::pair<uint64_t, TensorSwizzle>> loaded;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORBULKCOPIES_H
