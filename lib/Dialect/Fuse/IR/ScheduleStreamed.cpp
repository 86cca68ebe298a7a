//===- ScheduleStreamed.cpp - The schedule of streamed rows ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScheduleVerifiers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// What a thread may hold of sums, scores and weights, beside the statistics
/// and addresses.
static constexpr int64_t kMostHeld = 176, kMostHeldOfThree = 128;
/// Columns of an instruction of the only consumer: ptxas gives its code the 128
/// registers that two blocks leave a thread, and 256 columns take more.
static constexpr int64_t kMostColumnsAlone = 192;
/// Of an instruction, and of a copy's box.
static constexpr int64_t kMostColumns = 256;
static constexpr int64_t kMostDepth = 1024;
/// Beside the weights of two, which products read while the next ones are
/// computed, registers have no room for a third's.
static constexpr int64_t kMostConsumers = 2, kMostInTurn = 3;
static constexpr int64_t kMostStages = 8;
/// Shared memory of a block on the chips with the most.
static constexpr int64_t kMostSharedBytes = 227 * 1024;
static constexpr int64_t kBarrierBytes = 8;
/// Where swizzled rows may start.
static constexpr int64_t kSwizzleBytes = 1024;

int64_t StreamedScheduleAttr::getThreads() const {
  int64_t producers = getIsa() == MmaIsa::mma_sync ? 0 : 1;
  return (producers + getConsumers()) * MmaScheduleAttr::kGroup;
}

/// Neighbours along a row that a thread has of the sums.
int64_t StreamedScheduleAttr::getVector() const { return 2; }

int64_t StreamedScheduleAttr::queryBytes() const {
  return getTileM() * getDepth() * MmaScheduleAttr::kElementBytes;
}

int64_t StreamedScheduleAttr::keyBytes() const {
  return getTileK() * getDepth() * MmaScheduleAttr::kElementBytes;
}

int64_t StreamedScheduleAttr::valueBytes() const {
  return getValuesInKeys()
             ? 0
             : getTileK() * getTileN() * MmaScheduleAttr::kElementBytes;
}

/// Two barriers for each slot of both rings and for the queries, and what
/// aligning the first row takes. Results of mma_sync lie where slots were.
static int64_t sharedBytesOf(MmaIsa isa, int64_t tileM, int64_t tileN,
                             int64_t tileK, int64_t depth, int64_t stages,
                             int64_t consumers, MmaStore store,
                             bool valuesInKeys) {
  int64_t ofKey = depth + (valuesInKeys ? 0 : tileN);
  int64_t elements = tileM * depth + stages * tileK * ofKey;
  int64_t operands = elements * MmaScheduleAttr::kElementBytes;
  int64_t results = store == MmaStore::direct
                        ? 0
                        : consumers * MmaScheduleAttr::kBuffers *
                              MmaScheduleAttr::kBufferBytes;
  if (isa == MmaIsa::mma_sync)
    return std::max(operands, results) + kSwizzleBytes;
  return operands + results + 2 * (2 * stages + 1) * kBarrierBytes +
         kSwizzleBytes;
}

int64_t StreamedScheduleAttr::sharedBytes() const {
  return sharedBytesOf(getIsa(), getTileM(), getTileN(), getTileK(), getDepth(),
                       getStages(), getConsumers(), getStore(),
                       getValuesInKeys());
}

StreamedScheduleAttr StreamedScheduleAttr::getIfLegal(
    MLIRContext *context, MmaIsa isa, int64_t tileM, int64_t tileN,
    int64_t tileK, int64_t depth, int64_t stages, int64_t consumers,
    MmaStore store, int64_t heads, int64_t split, bool valuesInKeys,
    bool inTurn, int64_t polynomials, int64_t persistent) {
  return getChecked([&] { return droppedError(context); }, context, isa, tileM,
                    tileN, tileK, depth, stages, consumers, store, heads, split,
                    valuesInKeys, inTurn, polynomials, persistent);
}

static LogicalResult verifyColumns(EmitError emitError, StringRef name,
                                   int64_t value, int64_t unit,
                                   int64_t most = kMostColumns) {
  if (value >= unit && value <= most && value % unit == 0)
    return success();
  return emitError() << "expected " << name << " to be a multiple of " << unit
                     << " (" << unit * MmaScheduleAttr::kElementBytes
                     << " bytes) up to " << most << ", but got " << value
                     << "; choose " << 2 * unit;
}

/// What only one of the instructions' kernels does.
static LogicalResult verifyIsa(EmitError emitError, MmaIsa isa, MmaStore store,
                               int64_t stages, bool valuesInKeys) {
  bool isSync = isa == MmaIsa::mma_sync;
  MmaStore other = isSync ? MmaStore::tma : MmaStore::rows;
  if (store == other)
    return emitError() << "expected store = direct or "
                       << (isSync ? "rows" : "tma")
                       << " for isa = " << stringifyMmaIsa(isa)
                       << ", but got store = " << stringifyMmaStore(store)
                       << "; use store = direct";
  int64_t fewest = isSync && !valuesInKeys ? 1 : 2;
  if (stages < fewest || stages > kMostStages)
    return emitError() << "expected stages from " << fewest << " to "
                       << kMostStages
                       << (fewest == 1 ? ""
                                       : ", one to multiply and one to fill")
                       << ", but got " << stages << "; choose 2";
  return success();
}

/// Who has which rows.
static LogicalResult verifyConsumers(EmitError emitError, MmaIsa isa,
                                     int64_t tileM, int64_t consumers,
                                     bool takesTurns) {
  bool mayBeThree = isa == MmaIsa::wgmma && takesTurns;
  int64_t most = mayBeThree ? kMostInTurn : kMostConsumers;
  if (consumers < 1 || consumers > most)
    return emitError() << "expected consumers from 1 to " << most
                       << ", but got " << consumers << "; choose 2";
  constexpr int64_t rows = MmaScheduleAttr::kRows;
  if (tileM == rows * consumers || tileM == rows)
    return success();
  return emitError() << "expected tile_m = " << rows * consumers
                     << " (64 rows of an instruction for each consumer) or "
                     << rows << ", but got " << tileM
                     << "; change one of the two";
}

/// What a thread holds of a tile.
static LogicalResult verifyRegisters(EmitError emitError, MmaIsa isa,
                                     int64_t consumers, int64_t columns,
                                     int64_t tileK) {
  int64_t widest = std::max(columns, tileK);
  if (isa == MmaIsa::wgmma && consumers == 1 && widest > kMostColumnsAlone)
    return emitError() << "expected tile_n and tile_k of at most "
                       << kMostColumnsAlone << " with one consumer, but got "
                       << widest << "; use consumers = 2";
  int64_t held = (columns + tileK) / 2 + tileK / 4;
  int64_t most = consumers > kMostConsumers ? kMostHeldOfThree : kMostHeld;
  if (held > most)
    return emitError() << "expected at most " << most
                       << " registers of sums, scores and weights, but got "
                       << held << "; use a smaller tile_k";
  return success();
}

LogicalResult StreamedScheduleAttr::verify(
    EmitError emitError, MmaIsa isa, int64_t tileM, int64_t tileN,
    int64_t tileK, int64_t depth, int64_t stages, int64_t consumers,
    MmaStore store, int64_t heads, int64_t split, bool valuesInKeys,
    bool inTurn, int64_t polynomials, int64_t persistent) {
  if (failed(verifyIsa(emitError, isa, store, stages, valuesInKeys)) ||
      failed(verifyConsumers(emitError, isa, tileM, consumers,
                             inTurn || valuesInKeys)))
    return failure();
  if (heads < 1 || heads > tileM || !llvm::isPowerOf2_64(heads))
    return emitError() << "expected heads to be a power of two up to tile_m = "
                       << tileM << ", but got " << heads << "; choose 1";
  if (split < 1)
    return emitError() << "expected a split of at least 1, but got " << split
                       << "; choose 1";
  if (polynomials < 0 || polynomials > kExponentials)
    return emitError() << "expected polynomials from 0 to " << kExponentials
                       << ", but got " << polynomials << "; choose 0";
  bool mayPersist = store == MmaStore::tma && heads == 1 && split == 1;
  if (persistent < 0 || (persistent > 0 && !mayPersist))
    return emitError() << "expected persistent = 0, or at least 1 with store = "
                          "tma, heads = 1 and split = 1, but got "
                       << persistent << "; choose 0";
  constexpr int64_t row = MmaScheduleAttr::kRowElements;
  int64_t groups = tileM == MmaScheduleAttr::kRows ? consumers : 1;
  bool isFine = isa == MmaIsa::mma_sync || groups > 1;
  if (failed(verifyColumns(emitError, "tile_n", tileN, row * groups,
                           kMostColumns * groups)) ||
      failed(
          verifyColumns(emitError, "tile_k", tileK, isFine ? row / 2 : row)) ||
      failed(verifyColumns(emitError, "depth", depth, row, kMostDepth)) ||
      failed(verifyRegisters(emitError, isa, consumers, tileN / groups, tileK)))
    return failure();
  int64_t bytes = sharedBytesOf(isa, tileM, tileN, tileK, depth, stages,
                                consumers, store, valuesInKeys);
  if (bytes <= kMostSharedBytes)
    return success();
  return emitError() << "expected at most " << kMostSharedBytes
                     << " bytes of shared memory, but got " << bytes
                     << "; use fewer stages or a smaller tile_k";
}
