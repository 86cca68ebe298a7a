//===- ScheduleMma.cpp - The schedule of tensor cores ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifiers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of a copy's box, see cuTensorMapEncodeTiled.
static constexpr int64_t kMaxBox = 256;
/// Where fragments of operands are in registers, too.
static constexpr int64_t kMaxSumsBesideFragments = 128;
/// Of two registers each.
static constexpr int64_t kMaxWideSums = 64;
static constexpr int64_t wideBits = 64;
/// Where those of tensor cores are added to others, and where fragments are
/// beside both.
static constexpr int64_t kMaxPromotedSums = 96;
static constexpr int64_t kMaxPromotedSumsBesideFragments = 64;
/// Shared memory of a block on the chips with wgmma.
static constexpr int64_t kWgmmaSharedBytes = 227 * 1024;
/// The sums of two consumers leave registers for no third.
static constexpr int64_t kMaxConsumers = 2;
/// Slots of a ring; each has two barriers.
static constexpr int64_t kMaxSlots = 16;
static constexpr int64_t kBarrierBytes = 8;
/// Barriers with which the blocks of a cluster exchange their sums.
static constexpr int64_t kClusterBarriers = 2;
/// What every chip with clusters takes.
static constexpr int64_t kPortableCluster = 8;
/// Where swizzled rows may start, see the matrix descriptor of wgmma.
static constexpr int64_t kSwizzleBytes = 1024;

int64_t MmaScheduleAttr::getThreads() const {
  int64_t producers = isMmaSync() ? 0 : 1;
  return (producers + getConsumers()) * kGroup;
}

/// Neighbours along a row that a thread has of the sums.
int64_t MmaScheduleAttr::getVector() const { return 2; }

namespace {
/// What a step of the summed axis takes in shared memory: elements as memory
/// has them, and operands that are computed from these, but for a tile's rows
/// where operands are swapped.
struct StepBytes {
  StepBytes(int64_t tileM, int64_t tileN, int64_t tileK, int64_t operandBits,
            int64_t leftBits, int64_t rightBits, bool swap) {
    auto of = [&](int64_t count, int64_t bits) {
      return count * tileK * bits / 8;
    };
    slot = of(tileM, leftBits ? leftBits : operandBits) +
           of(tileN, rightBits ? rightBits : operandBits);
    computed = (leftBits && !swap ? of(tileM, operandBits) : 0) +
               (rightBits ? of(tileN, operandBits) : 0);
  }
  explicit StepBytes(MmaScheduleAttr schedule)
      : StepBytes(schedule.getTileM(), schedule.getTileN(), schedule.getTileK(),
                  schedule.getOperandBits(), schedule.leftBits(),
                  schedule.rightBits(), schedule.getSwap()) {}

  int64_t of(int64_t stages) const {
    return stages * slot + MmaScheduleAttr::kComputedSteps * computed;
  }

  int64_t slot = 0, computed = 0;
};
} // namespace

static int64_t resultBytesOf(MmaStore store, int64_t consumers) {
  return store == MmaStore::direct ? 0
                                   : consumers * MmaScheduleAttr::kBuffers *
                                         MmaScheduleAttr::kBufferBytes;
}

/// So that the threads of a warp, which write pairs of 8 rows, or single sums
/// of 8 columns where the operands are swapped, meet in no bank.
static int64_t sumsPitchOf(int64_t tileM, int64_t tileN, bool swap) {
  return swap ? tileM + 4 : tileN + 8;
}

static int64_t sumsBytesOf(int64_t tileM, int64_t tileN, int64_t splitK,
                           bool swap, int64_t sumBytes) {
  bool gathers = swap || splitK > 1;
  return gathers ? (swap ? tileN : tileM) * sumsPitchOf(tileM, tileN, swap) *
                       sumBytes
                 : 0;
}

/// Two barriers a slot, those of the cluster, and what aligning the first slot
/// takes.
static int64_t sharedBytesOf(MmaIsa isa, int64_t stages, StepBytes step,
                             int64_t results, int64_t sums, int64_t splitK) {
  if (isa == MmaIsa::mma_sync)
    return std::max({step.of(stages), results, sums}) + kSwizzleBytes;
  int64_t barriers = 2 * stages + (splitK > 1 ? kClusterBarriers : 0);
  return step.of(stages) + barriers * kBarrierBytes + results + sums +
         kSwizzleBytes;
}

Type MmaScheduleAttr::sumType() const {
  if (sumBytes() == 8)
    return Float64Type::get(getContext());
  return Float32Type::get(getContext());
}

int64_t MmaScheduleAttr::slotBytes() const { return StepBytes(*this).slot; }

int64_t MmaScheduleAttr::computedBytes() const {
  return StepBytes(*this).computed;
}

int64_t MmaScheduleAttr::resultBytes() const {
  return resultBytesOf(getStore(), getConsumers());
}

int64_t MmaScheduleAttr::sumsPitch() const {
  return sumsPitchOf(getTileM(), getTileN(), getSwap());
}

int64_t MmaScheduleAttr::sumsBytes() const {
  return sumsBytesOf(getTileM(), getTileN(), getSplitK(), getSwap(),
                     sumBytes());
}

int64_t MmaScheduleAttr::sharedBytes() const {
  return sharedBytesOf(getIsa(), getStages(), StepBytes(*this), resultBytes(),
                       sumsBytes(), getSplitK());
}

MmaScheduleAttr MmaScheduleAttr::getIfLegal(
    MLIRContext *context, MmaIsa isa, int64_t tileM, int64_t tileN,
    int64_t tileK, int64_t stages, int64_t consumers, int64_t raster,
    MmaStore store, int64_t persistent, int64_t splitK, bool swap,
    int64_t operandBits, int64_t clusterM, int64_t clusterN, int64_t rowBits,
    int64_t columnBits) {
  return getChecked([&] { return droppedError(context); }, context, isa, tileM,
                    tileN, tileK, stages, consumers, raster, store, persistent,
                    splitK, swap, operandBits, clusterM, clusterN, rowBits,
                    columnBits);
}

static LogicalResult verifyTile(EmitError emitError, MmaIsa isa, int64_t tileM,
                                int64_t tileN, int64_t tileK, int64_t consumers,
                                int64_t operandBits) {
  constexpr int64_t rows = MmaScheduleAttr::kRows;
  bool isSync = isa == MmaIsa::mma_sync;
  bool sharesColumns = consumers > 1 && (isSync || tileM == rows);
  if (isSync && tileM % rows != 0)
    return emitError() << "expected tile_m to be a multiple of " << rows
                       << ", 16 rows of each of 4 warps, but got " << tileM
                       << "; choose " << llvm::alignTo(tileM, rows);
  if (tileM < rows || tileM > kMaxBox ||
      (!sharesColumns && tileM % (rows * consumers) != 0))
    return emitError()
           << "expected tile_m of 64 or a multiple of " << rows * consumers
           << " (64 rows of an instruction for each consumer) up to " << kMaxBox
           << ", but got " << tileM << "; choose " << rows * consumers;
  int64_t sharers = sharesColumns ? consumers : 1;
  if (tileN < 8 * sharers || tileN > kMaxBox || tileN % (8 * sharers) != 0)
    return emitError() << "expected tile_n to be a multiple of " << 8 * sharers
                       << " up to " << kMaxBox
                       << ", of which m64nNk16 exists, but got " << tileN
                       << "; choose 128";
  int64_t row = MmaScheduleAttr::kRowBytes * 8 / operandBits;
  // The error of sums of tensor cores is stated for so many places.
  int64_t most = operandBits == 8 ? row : kMaxBox;
  if (tileK >= row && tileK <= most && tileK % row == 0)
    return success();
  return emitError() << "expected tile_k to be a multiple of " << row
                     << " (128 bytes) up to " << most << ", but got " << tileK
                     << "; choose " << row;
}

/// Blocks that share tiles or operands.
static LogicalResult verifySharers(EmitError emitError, int64_t persistent,
                                   int64_t splitK, int64_t clusterM,
                                   int64_t clusterN) {
  auto sizes = {std::pair("split_k", splitK), std::pair("cluster_m", clusterM),
                std::pair("cluster_n", clusterN)};
  for (auto [name, size] : sizes)
    if (failed(verifyRange(emitError, name, size, kPortableCluster)))
      return failure();
  if (llvm::count_if(sizes, [](auto named) { return named.second > 1; }) > 1)
    return emitError() << "expected one of split_k, cluster_m and cluster_n "
                          "above 1, but got "
                       << splitK << ", " << clusterM << " and " << clusterN
                       << "; use 1 for the others";
  if (!llvm::isPowerOf2_64(clusterM) || !llvm::isPowerOf2_64(clusterN))
    return emitError()
           << "expected cluster_m and cluster_n to be 1, 2, 4 or 8, "
              "but got "
           << clusterM << " and " << clusterN << "; choose 2";
  int64_t blocks = splitK * clusterM * clusterN;
  if (persistent % blocks == 0)
    return success();
  return emitError() << "expected persistent blocks to be whole clusters of "
                     << blocks << " blocks, but got " << persistent
                     << "; use persistent = "
                     << std::max(blocks, persistent / blocks * blocks);
}

/// What only one of the instructions' kernels does.
static LogicalResult verifyIsa(EmitError emitError, MmaIsa isa, MmaStore store,
                               int64_t operandBits, int64_t clusterM,
                               int64_t clusterN) {
  auto refuse = [&](const Twine &what, const Twine &got, const Twine &remedy) {
    return emitError() << "expected " << what
                       << " for isa = " << stringifyMmaIsa(isa) << ", but got "
                       << got << "; use " << remedy;
  };
  if (isa == MmaIsa::wgmma && store == MmaStore::rows)
    return refuse("store = direct or tma", "store = rows", "store = tma");
  if (isa == MmaIsa::wgmma && operandBits == wideBits)
    return refuse("operand_bits of 8, 16 or 32", "operand_bits = 64",
                  "isa = mma_sync");
  if (isa == MmaIsa::wgmma)
    return success();
  if (store == MmaStore::tma)
    return refuse("store = direct or rows", "store = tma", "store = rows");
  if (clusterM * clusterN != 1)
    return refuse("no cluster",
                  "one of " + Twine(clusterM * clusterN) + " blocks",
                  "cluster_m and cluster_n of 1");
  return success();
}

/// Sums that go through shared memory.
static LogicalResult verifyGathered(EmitError emitError, MmaStore store,
                                    int64_t splitK, bool swap) {
  if (store != MmaStore::direct && (swap || splitK > 1))
    return emitError() << "expected store = direct where the sums are read "
                          "from shared memory, but got store = "
                       << stringifyMmaStore(store) << " with "
                       << (swap ? "swap = true" : "split_k > 1")
                       << "; use store = direct";
  return success();
}

/// Elements that operands are computed from.
static LogicalResult verifyComputed(EmitError emitError, MmaIsa isa,
                                    int64_t stages, int64_t operandBits,
                                    int64_t rowBits, int64_t columnBits) {
  constexpr int64_t fewestStages = 3;
  for (auto [name, bits] :
       {std::pair("row_bits", rowBits), {"column_bits", columnBits}})
    if (bits != 0 && bits != 4 && bits != 8 && bits != 16 && bits != 32)
      return emitError() << "expected " << name
                         << " of 0, 4, 8, 16 or 32, but got " << bits
                         << "; use 0 for an operand that is not computed";
  if (rowBits == 0 && columnBits == 0)
    return success();
  if (isa != MmaIsa::mma_sync || operandBits != 16)
    return emitError() << "expected isa = mma_sync and operand_bits = 16 where "
                          "operands are computed, but got isa = "
                       << stringifyMmaIsa(isa)
                       << " and operand_bits = " << operandBits
                       << "; leave row_bits and column_bits out";
  if (stages < fewestStages)
    return emitError() << "expected at least " << fewestStages
                       << " stages where operands are computed a step ahead, "
                          "but got "
                       << stages << "; use stages = " << fewestStages;
  return success();
}

static int64_t mostSumsOf(MmaIsa isa, int64_t operandBits) {
  bool hasFragments = isa == MmaIsa::mma_sync;
  if (operandBits == wideBits)
    return kMaxWideSums;
  if (operandBits == 8)
    return hasFragments ? kMaxPromotedSumsBesideFragments : kMaxPromotedSums;
  return hasFragments ? kMaxSumsBesideFragments : kMaxSums;
}

LogicalResult
MmaScheduleAttr::verify(EmitError emitError, MmaIsa isa, int64_t tileM,
                        int64_t tileN, int64_t tileK, int64_t stages,
                        int64_t consumers, int64_t raster, MmaStore store,
                        int64_t persistent, int64_t splitK, bool swap,
                        int64_t operandBits, int64_t clusterM, int64_t clusterN,
                        int64_t rowBits, int64_t columnBits) {
  if (operandBits != 8 && operandBits != 16 && operandBits != 32 &&
      operandBits != wideBits)
    return emitError() << "expected operand_bits of 8, 16, 32 or 64, but got "
                       << operandBits << "; use 16";
  if (failed(verifyRange(emitError, "consumers", consumers, kMaxConsumers)) ||
      failed(
          verifySharers(emitError, persistent, splitK, clusterM, clusterN)) ||
      failed(
          verifyIsa(emitError, isa, store, operandBits, clusterM, clusterN)) ||
      failed(verifyTile(emitError, isa, tileM, tileN, tileK, consumers,
                        operandBits)) ||
      failed(verifyRange(emitError, "raster", raster, kMaxFactor)) ||
      failed(
          verifyRange(emitError, "persistent", persistent, kMaxPersistent)) ||
      failed(verifyGathered(emitError, store, splitK, swap)) ||
      failed(verifyComputed(emitError, isa, stages, operandBits, rowBits,
                            columnBits)))
    return failure();
  if (stages < 2 || stages > kMaxSlots)
    return emitError() << "expected stages from 2 to " << kMaxSlots
                       << ", one to multiply and one to fill, but got "
                       << stages << "; choose 4";
  int64_t sums = tileM * tileN / (MmaScheduleAttr::kGroup * consumers);
  int64_t most = mostSumsOf(isa, operandBits);
  if (sums > most)
    return emitError() << "expected at most " << most
                       << " sums a thread, but got " << sums
                       << " for a tile of " << tileM << " x " << tileN
                       << " with " << consumers
                       << (consumers == 1 ? " consumer" : " consumers")
                       << "; use a smaller tile or more consumers";
  StepBytes step(tileM, tileN, tileK, operandBits, swap ? columnBits : rowBits,
                 swap ? rowBits : columnBits, swap);
  int64_t results = resultBytesOf(store, consumers);
  int64_t gathered = sumsBytesOf(tileM, tileN, splitK, swap,
                                 MmaScheduleAttr::sumBytesOf(operandBits));
  auto bytesWith = [&](int64_t slots) {
    return sharedBytesOf(isa, slots, step, results, gathered, splitK);
  };
  if (bytesWith(stages) <= kWgmmaSharedBytes)
    return success();
  int64_t fitting = stages;
  while (fitting > 1 && bytesWith(fitting) > kWgmmaSharedBytes)
    --fitting;
  InFlightDiagnostic error =
      emitError() << "expected at most " << kWgmmaSharedBytes
                  << " bytes of shared memory, but got " << bytesWith(stages)
                  << " for " << stages << " stages of " << step.slot
                  << " bytes and " << results + gathered << " of results; ";
  if (fitting < 2)
    return error << "use a smaller tile";
  return error << "use stages = " << fitting;
}
