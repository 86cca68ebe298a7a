//===- EmulatorMemory.h - What an emulated kernel may touch -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel sees addresses that the host has no memory at. Each buffer, that is
// each argument, each shared array and each table of constants, lies in the
// middle of a range of 16 TiB of its own:
//
//   63  62 61          44 43                            0
//   0   1  | segment     | 2^43 + misalignment + offset |
//
// so that an index that is wrong, however far, never hits another buffer. Every
// access asks translate() for the place on the host, and is checked on the way.
//
// A writable byte remembers who wrote it and who read it last, as Moments. Two
// accesses of different threads, one of them a write, must be ordered: by a
// barrier of the block, by a bar.warp.sync of all lanes of their warp, or by a
// barrier of the cluster that all its threads arrive at with release.
// A shuffle orders nothing, as PTX says.
//
// What st.async writes comes before the accesses of a thread that has itself
// waited at the transaction barrier of the write, and before no others.
//
// The blocks of a cooperative launch run together like those of a cluster, and
// their accesses to global memory may be ordered: EmulatorOrder.h. There,
// blocks that read or write what another wrote or read without order are
// refused in every order of threads, in place too. Who of a block has read
// global memory is not known then, only which blocks have.
//
// Where clocks run (EmulatorClocks.h), what they order is ordered, too, and
// shared memory knows each thread that has read a byte. An engine's accesses
// are marked as its own, and are checked by what the thread that issues them
// knows; what threads wrote must also lie behind a proxy fence.
//
// The blocks of a cluster have shared arrays of their own, which are buffers
// with neighbouring numbers: mapa moves an address from one to another.
//
// Results in place are an exception. Threads without a row of their own work on
// another's, in step with it, and drop what they get; so a load may race with
// the store of another thread as long as nobody uses what it sees. Where the
// store came first, the load sees bytes of ones, which are a NaN in every float
// format: a use of it shows in the results.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_EMULATORMEMORY_H
#define FUSE_LIB_RUNTIME_EMULATORMEMORY_H

#include "EmulatorOrder.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fuse::runtime {

enum class AccessKind : uint8_t { Load, Store, Atomic };

struct Access {
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t alignment = 1;
  AccessKind kind = AccessKind::Load;
};

enum class SegmentKind : uint8_t {
  /// Read only, and filled before the launch.
  Input,
  /// Written only once, every byte.
  Result,
  /// A result that holds an input at first. What is copied from there need not
  /// be written.
  InPlace,
  /// A result that holds its content before the launch, which writes a part,
  /// and
  /// where the program says so (equal ids of a scatter) a byte more than once.
  Partial,
  /// A result that only the launch itself reads. Written by one thread only, as
  /// far as at all.
  Scratch,
  /// A table in the code. Read only.
  Constant,
  /// Memory of a block.
  Shared,
  /// Global memory that keeps its content, and takes only atomic accesses.
  Counter,
};

/// One buffer.
struct Segment {
  SegmentKind kind = SegmentKind::Input;
  /// For messages: "input 'x'".
  std::string name;
  char *host = nullptr;
  int64_t bytes = 0;
  /// Of the first byte, as the kernel sees it.
  uint64_t base = 0;
  /// Of shared memory: the number of its block among those that run together.
  unsigned rank = 0;

  /// Whether launches other than this one may see it.
  bool isGlobal() const {
    return kind != SegmentKind::Shared && kind != SegmentKind::Constant;
  }
  bool isWritable() const {
    return kind != SegmentKind::Input && kind != SegmentKind::Constant;
  }
};

/// The buffers of one launch.
class EmulatorMemory {
public:
  /// For `together` blocks of `blockThreads` threads that run at a time.
  /// `order` is what they know of each other in a cooperative launch, and else
  /// null.
  EmulatorMemory(unsigned together, unsigned blockThreads,
                 const EmulatorClocks &clocks, const GridOrder *order = nullptr)
      : together(together), blockThreads(blockThreads), clocks(clocks),
        order(order) {}

  /// Adds a buffer. Its address in the kernel is `misalignment` past a multiple
  /// of 256. Returns its number.
  unsigned add(SegmentKind kind, std::string name, char *host, int64_t bytes,
               unsigned misalignment, unsigned rank = 0);

  /// Lets nobody write between the elements of a result that is a view: `steps`
  /// has the size and the stride, in bytes, of each dimension.
  void markGaps(unsigned number, int64_t elementBytes,
                llvm::ArrayRef<std::pair<int64_t, int64_t>> steps);

  const Segment &segment(unsigned number) const { return segments[number]; }

  /// The buffer whose range `address` lies in; null if there is none.
  const Segment *segmentAt(uint64_t address) const;

  /// The buffer of the launch that holds this byte of the host; null if none.
  const Segment *segmentOfHost(const char *host) const;

  /// Who wrote a byte last, by number as in Moment; nothing if nobody has.
  std::optional<unsigned> writerOf(uint64_t address) const;

  /// The address of the same byte in the shared memory of another block of the
  /// cluster; `address` lies in shared memory.
  uint64_t inBlock(uint64_t address, unsigned rank) const;

  /// Forgets what was written to shared memory. `phase` is the first of the
  /// cluster that starts at block `block`.
  void startCluster(uint32_t phase, int64_t block);

  /// The place on the host, or nothing, with a complaint in `complaint()`.
  void *translate(const Access &access, const Present &now);

  /// Whether a store is right now, with a complaint if not. Stores nothing.
  bool mayStore(const Access &access, const Present &now);

  /// Whether the last write of the byte comes before now, with a complaint if
  /// not. Reads nothing.
  bool checkWriteOrdered(uint64_t address, const Present &now);

  static bool isEmulated(uint64_t address) { return address >> 62 == 1; }

  /// "expected X, but got Y; remedy" for the last access that was refused.
  const std::string &complaint() const { return message; }

  /// What must be so after the last block: every byte of each result that held
  /// nothing is written. The first violation.
  std::optional<std::string> checkWritten() const;

private:
  /// Who has read a byte, where nothing orders the reads.
  enum class Readers : uint8_t { OneThread, OneWarp, OneBlock, Cluster };

  /// Who touched a byte last.
  struct ByteState {
    Moment writer;
    /// The last of `readers`, with the most arrivals of them.
    Moment reader;
    Readers readers = Readers::OneThread;
    /// Clusters before this one have read.
    bool isReadBefore : 1;
    bool isAtomic : 1;
    /// Lies between the elements of a view.
    bool isGap : 1;
    /// The transaction barrier that says when the byte is there; 0 for none.
    uint16_t completion = 0;
    /// Instead of readers: of global memory in a cooperative launch a number of
    /// ReaderSets, of shared memory where clocks run one of StepSets.
    uint32_t readerSet = 0;

    ByteState() : isReadBefore(false), isAtomic(false), isGap(false) {}
  };

  const Segment *find(const Access &access);
  void *refuse(std::string text);
  bool isInside(const Access &access, const Segment &segment);
  enum class Loaded : uint8_t { Content, Lost, Refused };
  Loaded load(const Segment &segment, int64_t offset, ByteState &state,
              const Present &now);
  bool store(const Segment &segment, int64_t offset, ByteState &state,
             const Present &now, bool isAtomic);
  bool isOneMore(const ByteState &state, const Moment &now) const;
  void noteRead(ByteState &state, const Present &now);
  bool areInOneBlock(const Moment &one, const Moment &other) const;
  bool isOrdered(const Moment &before, const Present &now) const;
  bool isWriteOrdered(const ByteState &state, const Present &now) const;
  bool areReadsOrdered(const ByteState &state, const Present &now) const;
  bool isOfOtherBlock(const Moment &other, const Moment &now) const;
  bool tracksBlocks(const Segment &segment) const;
  bool tracksSteps(const Segment &segment, const Present &now) const;
  bool isEngine(const Moment &moment) const;
  bool checkFence(const Segment &segment, int64_t offset,
                  const ByteState &state, const Present &now, AccessKind kind);
  bool checkReaderSteps(const Segment &segment, int64_t offset,
                        const ByteState &state, const Present &now);
  bool checkReaderBlocks(const Segment &segment, int64_t offset,
                         const ByteState &state, const Present &now);
  std::string describeOther(const Moment &other) const;
  std::string describeReaders(const ByteState &state) const;
  std::string barrierAfter(const Moment &other, const Moment &now) const;
  std::string barrierAfterWrite(const ByteState &state,
                                const Moment &now) const;

  unsigned together;
  unsigned blockThreads;
  const EmulatorClocks &clocks;
  const GridOrder *order;
  ReaderSets readerSets;
  StepSets stepSets;
  std::vector<Segment> segments;
  /// One for each segment, without elements for what is read only.
  std::vector<std::vector<ByteState>> shadows;
  uint32_t firstPhase = 1;
  int64_t firstBlock = 0;
  std::string message;
  /// What a load sees that came too late.
  std::vector<char> lost;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORMEMORY_H
