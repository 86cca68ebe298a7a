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
// barrier of the block, or by a bar.warp.sync of all lanes of their warp.
// A shuffle orders nothing, as PTX says.
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

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fuse::runtime {

/// When a thread did something. Phases count the barriers of all blocks of a
/// launch, from 1; phase 0 is never.
struct Moment {
  uint32_t phase = 0;
  /// Counts the syncs of the thread's warp.
  uint32_t warpPhase = 0;
  /// Number within its block.
  uint16_t thread = 0;

  explicit operator bool() const { return phase != 0; }
};

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
  /// A table in the code. Read only.
  Constant,
  /// Memory of a block.
  Shared,
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
  /// Adds a buffer. Its address in the kernel is `misalignment` past a multiple
  /// of 256. Returns its number.
  unsigned add(SegmentKind kind, std::string name, char *host, int64_t bytes,
               unsigned misalignment);

  const Segment &segment(unsigned number) const { return segments[number]; }

  /// The buffer whose range `address` lies in; null if there is none.
  const Segment *segmentAt(uint64_t address) const;

  /// Forgets what was written to shared memory. `phase` is the block's first.
  void startBlock(uint32_t phase);

  /// The place on the host, or nothing, with a complaint in `complaint()`.
  void *translate(const Access &access, const Moment &now);

  static bool isEmulated(uint64_t address) { return address >> 62 == 1; }

  /// "expected X, but got Y; remedy" for the last access that was refused.
  const std::string &complaint() const { return message; }

  /// What must be so after the last block: every byte of each result that held
  /// nothing is written. The first violation.
  std::optional<std::string> checkWritten() const;

private:
  /// Who touched a byte last.
  struct ByteState {
    Moment writer;
    Moment reader;
    /// Beside `reader`, other threads of its warp have read at its time.
    bool isReadInWarp = false;
    /// Threads of several warps have read since the last barrier.
    bool isReadInBlock = false;
    /// Blocks before this one have read.
    bool isReadBefore = false;
    bool isAtomic = false;
  };

  const Segment *find(const Access &access);
  void *refuse(std::string text);
  bool isInside(const Access &access, const Segment &segment);
  enum class Loaded : uint8_t { Content, Lost, Refused };
  Loaded load(const Segment &segment, int64_t offset, ByteState &state,
              const Moment &now);
  bool store(const Segment &segment, int64_t offset, ByteState &state,
             const Moment &now, bool isAtomic);
  void noteRead(ByteState &state, const Moment &now);
  bool isOrdered(const Moment &before, const Moment &now) const;
  bool areReadsOrdered(const ByteState &state, const Moment &now) const;
  std::string describeOther(const Moment &other) const;
  std::string describeReaders(const ByteState &state) const;

  std::vector<Segment> segments;
  /// One for each segment, without elements for what is read only.
  std::vector<std::vector<ByteState>> shadows;
  uint32_t firstPhase = 1;
  std::string message;
  /// What a load sees that came too late.
  std::vector<char> lost;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_EMULATORMEMORY_H
