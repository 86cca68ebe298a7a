//===- GPUTarget.h - What an NVIDIA GPU can do ------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data about the GPUs that Fuse compiles for. The architecture limits
// come from the table "Technical Specifications per Compute Capability" of the
// CUDA C++ Programming Guide. The board numbers (multiprocessors, bandwidth,
// L2) are those of one common board of each architecture; they feed the cost
// model only and never affect whether a kernel is correct. A runtime that knows
// the real board may overwrite them.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TARGET_GPUTARGET_H
#define FUSE_TARGET_GPUTARGET_H

#include "fuse/Target/ModelNumbers.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace mlir::fuse {

/// With what models have from measurements: `target.time.edgeSeconds`.
struct GPUTarget : ModelNumbers {
  /// The name that LLVM and ptxas use, such as "sm_90a".
  llvm::StringRef chip;
  /// The board that the board numbers below describe.
  llvm::StringRef board;
  /// Whether the choice of schedules was compared with times on the board.
  bool isMeasured;
  /// PTX ISA version times ten, as in LLVM's feature "+ptx80". The oldest that
  /// LLVM accepts for the chip and that has what kernels use, at least 8.0: an
  /// older PTX is accepted by more drivers.
  unsigned ptxVersion;

  // Threads.
  unsigned warpSize;
  unsigned maxThreadsPerBlock;
  unsigned maxThreadsPerSM;
  unsigned maxBlocksPerSM;
  /// Largest cluster in blocks; 1 where there are no clusters. Of those above
  /// the portable size fewer may run at a time.
  unsigned maxClusterSize;
  unsigned portableClusterSize;

  // Registers (32 bits each) and shared memory (bytes).
  unsigned registersPerSM;
  unsigned maxRegistersPerThread;
  /// With the opt-in attribute of the driver API.
  unsigned maxSharedBytesPerBlock;
  /// Static shared memory that needs no opt-in.
  unsigned defaultSharedBytesPerBlock;
  unsigned sharedBytesPerSM;
  /// Shared memory that the system takes from each resident block.
  unsigned reservedSharedBytesPerBlock;

  // Memory instructions.
  /// The widest access that every chip of the family handles at full speed.
  unsigned widestLoadBits;
  bool hasAsyncCopy;
  /// Bulk asynchronous copies and tensor maps.
  bool hasTMA;
  /// Conversions of 8-bit floats, and their products by mma.sync.
  bool hasFloat8;
  /// Kernels that are launched while the one before still runs.
  bool hasLaunchOverlap;
  /// Warpgroup matrix multiplication; only on the "a" variant of sm_90.
  bool hasWgmma;
  /// Tensor memory and tcgen05; only on the "a" variants of sm_100.
  bool hasTcgen05;

  // Of a multiprocessor and clock.
  /// Instructions of 32-bit floats, counted by lane.
  unsigned float32PerClock;
  /// Products of 16-bit floats, summed in f32, on tensor cores: by the chip's
  /// own instructions, and by mma.sync, which every chip has. On an H100 that
  /// reaches 62 percent of wgmma ("Dissecting the NVIDIA Hopper Architecture
  /// through Microbenchmarking", 2024).
  unsigned mmaPerClock, mmaSyncPerClock;
  /// The same of 8-bit floats by mma.sync: twice as many, but where ptxas
  /// multiplies them as f16 (sm_90, sm_100).
  unsigned mmaSyncFloat8PerClock;
  /// Products of 64-bit floats on tensor cores; 0 where these are no faster
  /// than the ordinary cores.
  unsigned mmaSyncFloat64PerClock;
  /// The summed places of one such instruction.
  unsigned float64Places;
  unsigned sharedBytesPerClock;
  /// Read from the L2 by one multiprocessor, if few others read.
  unsigned l2PortBytesPerClock;

  // The board. Where each number is from is said in lib/Target/Boards.
  unsigned multiprocessors;
  double memoryBytesPerSecond;
  uint64_t l2Bytes;
  /// Read from the L2 by all multiprocessors together.
  unsigned l2BytesPerClock;
  /// Boost clock of the multiprocessors.
  double clockHertz;
  /// Of a multiprocessor whose tensor cores are busy beside idle ones, and what
  /// the board's power leaves on average while all are busy; the boost clock
  /// where that is not known.
  double tensorClockHertz, sustainedClockHertz;
  /// Multiprocessors of which every group has as many at least: the blocks of a
  /// cluster run in one group.
  unsigned clusterGroup;
  /// From the end of one kernel to the start of the next on a stream.
  double launchSeconds;

  /// Whether kernels multiply operands of so many bits on tensor cores.
  bool multiplies(unsigned operandBits) const {
    return (operandBits != 8 || hasFloat8) &&
           (operandBits != 64 || mmaSyncFloat64PerClock > 0);
  }

  /// Lets products be rounded before they are added, which tensor cores do not
  /// do to those of f64.
  void roundProducts() { mmaSyncFloat64PerClock = float64Places = 0; }

  /// Registers are given out by the warp, so many at a time.
  static constexpr int64_t registerUnit = 256;
  /// Of a multiprocessor: its schedulers, and special functions a clock.
  static constexpr double schedulers = 4, specialsPerClock = 16;

  /// Blocks of `threads` with `registers` each that a multiprocessor has room
  /// for, as far as threads, registers and blocks go; 0 if not even one fits.
  int64_t blocksWith(int64_t threads, int64_t registers) const;

  /// Clusters of so many blocks, each of which fills a multiprocessor, that run
  /// at the same time; 0 where the chip has none of that size. Pairs always
  /// find neighbours.
  int64_t clustersAtOnce(int64_t blocks) const;

  /// Instructions of 32-bit floats, of all lanes.
  double operationsPerSecond() const {
    return float32PerClock * multiprocessors * clockHertz;
  }
};

/// Returns the target for `chip`. The error of an unknown chip lists the known
/// ones.
/// What `chip` names: a chip, such as "sm_90a", on its default board; a board,
/// such as "rtx-4090"; or the path of a board's file, which ends in ".json".
/// Numbers of the board may follow, as in "sm_89+multiprocessors=76"; see
/// lib/Target/Boards. Fails where there is no such chip, board or number, or
/// the file is wrong.
llvm::Expected<GPUTarget> lookupGPUTarget(llvm::StringRef chip);

/// All numbers of the target's board and of its models, in a fixed order.
/// Targets of one chip that have the same are the same.
std::vector<double> boardNumbers(const GPUTarget &target);

/// All chips, each on its default board.
llvm::ArrayRef<GPUTarget> getGPUTargets();

/// What a driver says of a device; 0 where it says nothing.
struct DeviceNumbers {
  llvm::StringRef name;
  unsigned multiprocessors = 0;
  uint64_t l2Bytes = 0;
  double memoryBytesPerSecond = 0, clockHertz = 0;
};

/// What to ask lookupGPUTarget() for a device with this chip: the chip itself
/// on its default board, another board that is known by the device's name, or
/// the chip with the numbers that the driver gives.
std::string chipOfDevice(llvm::StringRef chip, const DeviceNumbers &device);

} // namespace mlir::fuse

#endif // FUSE_TARGET_GPUTARGET_H
