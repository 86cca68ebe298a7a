//===- ProposeStreamed.cpp - Schedules of a softmax between contractions --===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block has 128 or 64 rows of queries, and as many rows of keys and values at
// a time as leave registers and shared memory for two stages, or for two blocks
// of a multiprocessor. It takes them in turn, so that its time is that of a row
// of tiles: of each, the products of both contractions, or the exponentials
// where these take longer; the two run side by side. Where there are few
// blocks, or many keys for few queries, what counts is how fast keys and values
// come: from memory, and through the port of a multiprocessor. Query heads that
// share a head of keys are then rows of one tile, and blocks share the keys of
// a tile.
//
//===----------------------------------------------------------------------===//

#include "ProposeMmaSync.h"
#include "fuse/Analysis/ContractionSpace.h"
#include "fuse/Analysis/OpCost.h"
#include "fuse/Analysis/StreamedSpace.h"
#include "fuse/Schedule/Candidates.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t rowsOfConsumer = MmaScheduleAttr::kRows;
/// Rows of a warp that multiplies by itself.
static constexpr int64_t rowsOfWarp = 16;
/// Blocks of one consumer that registers leave room for.
static constexpr int64_t mostResident = 2;
/// The keys of a call of few queries, of one sequence, where both are unknown.
static constexpr int64_t decodedKeys = 8192;

/// Computed operands are written by threads, where those of wgmma come by
/// tensor map.
static bool mayUseWgmma(const StreamedSpace &space, const GPUTarget &gpu) {
  return gpu.hasWgmma && !space.computes();
}

static int64_t wholeRows(const Extent &extent) {
  return llvm::alignTo(extent.size, MmaScheduleAttr::kRowElements);
}

namespace {
/// How rows and keys are shared among blocks.
struct Sharing {
  int64_t consumers = 2, heads = 1, split = 1;
  /// Consumers that share the columns of the same rows.
  int64_t groups = 1;
  MmaIsa isa = MmaIsa::wgmma;

  bool isWgmma() const { return isa == MmaIsa::wgmma; }
  int64_t rows() const { return consumers / groups * rowsOfConsumer; }
  bool leavesParts() const { return heads > 1 || split > 1; }
};

class StreamedModel {
public:
  StreamedModel(const StreamedSpace &space, const DimClasses &dims,
                const GPUTarget &gpu, ArrayRef<AssumedSize> assumed);

  double secondsOf(const Sharing &sharing, int64_t tileK, int64_t stages) const;
  /// All that may be worth it, the one block for all keys first.
  SmallVector<Sharing> sharings() const;
  /// From fast to slow; the first in doubt stays the first.
  SmallVector<Sharing> ranked() const;
  double fastest() const { return usualSeconds(ranked().front()); }
  int64_t wholeColumns() const { return columns; }
  int64_t wholeDepth() const { return depth; }
  bool isWide() const { return areWideRows(depth, columns); }
  /// Whether ptxas has registers for the addresses of buffers beside the sums
  /// of a consumer of wide rows: not beside as many as an instruction can have.
  bool haveRoomForBuffers() const {
    constexpr int64_t mostOfInstruction = 256;
    return columns % mostOfInstruction != 0;
  }

private:
  double tilesOf(const Sharing &sharing) const {
    double ofHeads = std::ceil(groups / sharing.heads);
    return batches * ofHeads *
           std::ceil(rows / (sharing.rows() / sharing.heads));
  }
  double usualSeconds(const Sharing &sharing) const;
  double residentBlocks(const Sharing &sharing, int64_t tileK,
                        int64_t stages) const;
  double readRate(const Sharing &sharing, double blocks, double resident) const;
  double keySeconds(double blocks, double bytes, double resident,
                    double rate) const;
  double productClocks(const Sharing &sharing, double keys) const;
  double waitingClocks(const Sharing &sharing, double tiles,
                       int64_t stages) const;
  double combiningSeconds(double tiles, double parts) const;
  /// Whether the fitted numbers are of such a kernel: heads that fit, read from
  /// memory, on a chip that has both kinds of instructions.
  bool isMeasured() const { return usualIsa == MmaIsa::wgmma && !isWide(); }
  /// With which all keys are one block's where rows are many. Two blocks of one
  /// group of warps each compute softmaxes and products at different times;
  /// wgmma does so in one block.
  int64_t usualConsumers(MmaIsa isa) const {
    return isa == MmaIsa::wgmma || isWide() ? 2 : 1;
  }
  Sharing sharing(MmaIsa isa, int64_t consumers, int64_t heads = 1,
                  int64_t split = 1) const {
    return {consumers, heads, split, isWide() ? consumers : 1, isa};
  }
  void addUsual(MmaIsa isa, SmallVector<Sharing> &found) const;
  void addShared(MmaIsa isa, SmallVector<Sharing> &found) const;

  static constexpr int64_t tileOfModel = 64;

  const GPUTarget &gpu;
  /// Batches without the query heads that share a head of keys, and these.
  double batches = 1, groups, rows, keys, elementSize;
  /// Bytes of a key and its value, and what threads compute of these, and of a
  /// query, as instructions.
  double keyBytes = 0, keyWork = 0, queryWork = 0;
  int64_t depth, columns;
  /// wgmma, where the chip has it and operands are as in memory.
  MmaIsa usualIsa;
  bool areTilesKnown, areRowsKnown, hasFewRows, canShare, haveValueSlots;
};
} // namespace

StreamedModel::StreamedModel(const StreamedSpace &space, const DimClasses &dims,
                             const GPUTarget &gpu,
                             ArrayRef<AssumedSize> assumed)
    : gpu(gpu), groups(space.headCount(dims)),
      elementSize(elementBytes(ContractOp(space.scores).getLhs())),
      depth(wholeRows(space.depthExtent(dims))),
      columns(wholeRows(space.columnExtent(dims))),
      usualIsa(mayUseWgmma(space, gpu) ? MmaIsa::wgmma : MmaIsa::mma_sync),
      canShare(space.canLeaveParts()), haveValueSlots(!space.firstOfKeys) {
  // Consumers have whole rows of shared memory each.
  if (isWide())
    columns = llvm::alignTo(columns, 2 * MmaScheduleAttr::kRowElements);
  if (space.firstOfKeys)
    depth = std::max(depth, *space.firstOfKeys + columns);
  keyBytes = space.ofKeys.bytes * depth;
  keyWork = space.ofKeys.instructions * depth;
  queryWork = space.ofQueries.instructions * depth;
  if (!space.firstOfKeys) {
    keyBytes += space.ofValues.bytes * columns;
    keyWork += space.ofValues.instructions * columns;
  }
  SmallVector<AssumedSize> known(assumed);
  auto sizeOf = [&](const Extent &extent) {
    return estimatedSize(dynamicSizeOf({extent}, dims), known);
  };
  ContractionSpace scores =
      contractionSpaceOf(space.scores, RowAxis::innermost);
  Extent ofRows = space.rowExtent(dims);
  rows = sizeOf(ofRows);
  bool areAssumedFew = rows <= rowsOfConsumer &&
                       llvm::any_of(assumed, [&](const AssumedSize &one) {
                         return ArrayRef(one.classes) ==
                                ArrayRef(dynamicSizeOf({ofRows}, dims).classes);
                       });
  areRowsKnown = ofRows.isStatic() || areAssumedFew;
  areTilesKnown = ofRows.isStatic();
  auto assume = [&](const Extent &extent, int64_t size) {
    for (int cls : dynamicSizeOf({extent}, dims).classes)
      if (areAssumedFew)
        known.push_back({{cls}, size});
  };
  assume(space.keyExtent(dims), decodedKeys);
  for (char axis : scores.outer) {
    Extent extent = scores.extent(axis, dims);
    areTilesKnown &= extent.isStatic();
    assume(extent, /*size=*/1);
    if (axis != space.heads)
      batches *= sizeOf(extent);
  }
  keys = sizeOf(space.keyExtent(dims));
  hasFewRows = areRowsKnown && rows <= rowsOfConsumer;
}

/// `blocks` of so many bytes of keys and values each: as fast as memory gives
/// them, but those of the last wave, or of the only one, no faster than their
/// multiprocessors take them in.
double StreamedModel::keySeconds(double blocks, double bytes, double resident,
                                 double rate) const {
  double processors = gpu.multiprocessors, slots = processors * resident;
  double last = blocks - slots * std::floor(blocks / slots);
  double port = gpu.l2PortBytesPerClock * gpu.tensorClockHertz;
  double ofLast = std::max(last * bytes / rate,
                           std::ceil(last / processors) * bytes / port);
  return (blocks - last) * bytes / rate + ofLast;
}

/// Blocks that a multiprocessor has room for.
double StreamedModel::residentBlocks(const Sharing &sharing, int64_t tileK,
                                     int64_t stages) const {
  if (sharing.consumers > 1)
    return 1;
  if (!isMeasured())
    return mostResident;
  double perKey = depth + (haveValueSlots ? columns : 0);
  double elements = sharing.rows() * depth + stages * tileK * perKey;
  double bytes = elements * elementSize + gpu.reservedSharedBytesPerBlock;
  double fitting = std::floor(gpu.sharedBytesPerSM / bytes);
  return std::clamp<double>(fitting, 1, mostResident);
}

/// Of memory. A block that has a multiprocessor alone keeps fewer copies under
/// way than two.
double StreamedModel::readRate(const Sharing &sharing, double blocks,
                               double resident) const {
  if (!sharing.leavesParts() || !isMeasured())
    return gpu.memoryBytesPerSecond;
  double beside =
      std::min(resident, std::max(1.0, blocks / gpu.multiprocessors)) - 1;
  double both = sharing.isWgmma() ? gpu.streamed.wgmmaReadShare
                                  : gpu.streamed.syncReadShare;
  double alone = gpu.streamed.aloneReadShare;
  return gpu.memoryBytesPerSecond * (alone + (both - alone) * beside);
}

/// Of a block. What warps multiply by themselves each of them reads from shared
/// memory.
double StreamedModel::productClocks(const Sharing &sharing, double keys) const {
  // Consumers of the same rows have all of their scores.
  double products = sharing.rows() * keys * (sharing.groups * depth + columns);
  if (sharing.isWgmma() && !isMeasured())
    return products / gpu.mmaPerClock;
  if (sharing.isWgmma()) {
    bool isOne = sharing.consumers == 1;
    double share =
        isOne ? gpu.streamed.oneConsumerShare : gpu.streamed.wgmmaShare;
    return products / gpu.mmaPerClock / share;
  }
  double read = products / rowsOfWarp * elementSize;
  double lanes =
      gpu.operationsPerSecond() / gpu.multiprocessors / gpu.clockHertz;
  return std::max(products / gpu.mmaSyncPerClock,
                  read / gpu.sharedBytesPerClock) +
         (keys * keyWork + sharing.rows() * queryWork) / lanes;
}

/// Of a block with so many tiles of keys, where no other fills what it waits
/// for: keys and values arrive one after the other, while what came before is
/// multiplied. Where rows are many, one of two groups of warps multiplies
/// meanwhile.
double StreamedModel::waitingClocks(const Sharing &sharing, double tiles,
                                    int64_t stages) const {
  if (!sharing.isWgmma() || sharing.groups > 1)
    return tiles * gpu.mmaSync.arrivalClocks;
  double ahead = std::max<int64_t>(1, stages - 1);
  return sharing.leavesParts() ? tiles * gpu.streamed.wgmmaArrivalClocks / ahead
                               : 0;
}

/// Of what blocks leave for the second launch, and of that.
double StreamedModel::combiningSeconds(double tiles, double parts) const {
  double left = batches * groups * rows * columns * parts * sizeof(float);
  return gpu.launchSeconds + 2 * left / gpu.memoryBytesPerSecond +
         (isMeasured() ? tiles * parts * gpu.streamed.blockSeconds : 0);
}

double StreamedModel::secondsOf(const Sharing &sharing, int64_t tileK,
                                int64_t stages) const {
  double tiles = tilesOf(sharing), keyTiles = std::ceil(keys / tileK);
  double parts = std::floor(sharing.split / std::max(1.0, tiles));
  parts = std::max(1.0, std::min(parts, keyTiles));
  double blocks = tiles * parts;
  double ownKeys = parts > 1 ? std::ceil(keyTiles / parts) * tileK : keys;
  double products = productClocks(sharing, ownKeys);
  double exponentials =
      sharing.groups * sharing.rows() * ownKeys / GPUTarget::specialsPerClock;
  double clocks = softMaximum(gpu, {products, exponentials});
  double waves = std::max(1.0, blocks / gpu.multiprocessors);
  double hertz = waves > 1 ? gpu.sustainedClockHertz : gpu.tensorClockHertz;
  double rowBytes = elementSize * (depth + columns);
  double bytes = batches * (rowBytes * groups * rows + keyBytes * keys);
  double busy = waves * clocks / hertz;
  double resident = residentBlocks(sharing, tileK, stages);
  double rate = readRate(sharing, blocks, resident);
  // Tiles that run together share what they read.
  double sharers = tiles / batches, ofBlock = ownKeys * keyBytes;
  double memory = std::max(
      bytes / rate, keySeconds(blocks / sharers, ofBlock, resident, rate));
  double seconds = std::max(busy, memory);
  double turns = std::ceil(blocks / (gpu.multiprocessors * resident));
  double ownTiles = std::ceil(ownKeys / tileK);
  if (double waiting = waitingClocks(sharing, ownTiles, stages)) {
    double cache = blocks * ofBlock / gpu.l2BytesPerClock / hertz;
    SmallVector<double> terms = {busy, memory, turns * waiting / hertz, cache};
    // What threads compute of operands waits for copies, and products for it.
    bool overlaps = sharing.leavesParts() && isMeasured();
    seconds = overlaps ? *llvm::max_element(terms) : softMaximum(gpu, terms);
  }
  seconds += gpu.launchSeconds;
  return sharing.leavesParts() ? seconds + combiningSeconds(tiles, parts)
                               : seconds;
}

/// With the tile and the stages that suit it.
double StreamedModel::usualSeconds(const Sharing &sharing) const {
  constexpr int64_t usual = 2, more = 3;
  double seconds = secondsOf(sharing, tileOfModel, usual);
  if (sharing.isWgmma() && sharing.leavesParts())
    seconds = std::min(seconds, secondsOf(sharing, tileOfModel, more));
  return seconds;
}

/// A block for all keys of a tile.
void StreamedModel::addUsual(MmaIsa isa, SmallVector<Sharing> &found) const {
  found.push_back(sharing(isa, usualConsumers(isa)));
  if (isa == MmaIsa::mma_sync && !isWide())
    found.push_back(sharing(isa, 2));
}

void StreamedModel::addShared(MmaIsa isa, SmallVector<Sharing> &found) const {
  int64_t processors = gpu.multiprocessors;
  for (int64_t consumers : {1, 2}) {
    if (isWide() && consumers == 1)
      continue;
    int64_t most = sharing(isa, consumers).rows();
    auto together = std::min<int64_t>(most, llvm::PowerOf2Ceil(groups));
    // Of two that take the same time the first reads keys once.
    SmallVector<int64_t> someHeads = {1};
    if (together > 1)
      someHeads.insert(someHeads.begin(), together);
    for (int64_t heads : someHeads)
      for (int64_t waves : {0, 1, 2, 4}) {
        int64_t split = std::max<int64_t>(1, waves * processors);
        Sharing one = sharing(isa, consumers, heads, split);
        bool isKnown = areTilesKnown ? true : waves == 0 || waves == 2;
        bool isFound = !one.leavesParts() && consumers == usualConsumers(isa);
        if (isKnown && !isFound && (one.leavesParts() || consumers == 1))
          found.push_back(one);
      }
  }
}

/// Where the number of tiles is known only at the call, so is that of parts. An
/// unknown number of queries counts as many, unless a call has few. Many take
/// the instructions with the most products, few those that wait less.
SmallVector<Sharing> StreamedModel::sharings() const {
  SmallVector<Sharing> found;
  addUsual(usualIsa, found);
  if (!areRowsKnown)
    return found;
  if (canShare)
    addShared(usualIsa, found);
  if (usualIsa == MmaIsa::wgmma && !isWide()) {
    addUsual(MmaIsa::mma_sync, found);
    if (canShare)
      addShared(MmaIsa::mma_sync, found);
  }
  // Whatever the number of sequences is, they fill the chip.
  if (canShare && !areTilesKnown && hasFewRows)
    llvm::erase_if(found, [](const Sharing &one) { return one.split == 1; });
  return found;
}

SmallVector<Sharing> StreamedModel::ranked() const {
  SmallVector<Sharing> all = sharings();
  SmallVector<double> seconds = llvm::map_to_vector(
      all, [&](const Sharing &one) { return usualSeconds(one); });
  if (!all.front().leavesParts())
    seconds.front() *= gpu.choice.worthwhile;
  auto order = llvm::to_vector(llvm::seq<size_t>(all.size()));
  llvm::stable_sort(
      order, [&](size_t a, size_t b) { return seconds[a] < seconds[b]; });
  return llvm::map_to_vector(order, [&](size_t i) { return all[i]; });
}

namespace {
/// Enumerates the schedules of a kernel.
class StreamedSchedules {
public:
  StreamedSchedules(MLIRContext *context, const StreamedSpace &space,
                    const StreamedModel &model, const GPUTarget &gpu)
      : context(context), space(space), model(model), gpu(gpu) {}

  SmallVector<StreamedScheduleAttr> all();

private:
  bool fits(const MmaOperand &operand, int64_t keys) const;
  StreamedScheduleAttr with(const Sharing &sharing, int64_t keys,
                            int64_t stages, MmaStore store) const;
  void addWgmma(const Sharing &sharing);
  void addMmaSync(const Sharing &sharing);

  MLIRContext *context;
  const StreamedSpace &space;
  const StreamedModel &model;
  const GPUTarget &gpu;
  SmallVector<StreamedScheduleAttr> found;
};
} // namespace

/// Tiles are whole pages or parts of one, and rows of keys that follow each
/// other in memory whole rows of shared memory.
bool StreamedSchedules::fits(const MmaOperand &operand, int64_t keys) const {
  if (operand.pages)
    return operand.pages->rows % keys == 0 || keys % operand.pages->rows == 0;
  char walked = &operand == &space.keys ? space.n : space.product.k;
  return !operand.isAlongK(walked) || keys % MmaScheduleAttr::kRowElements == 0;
}

StreamedScheduleAttr StreamedSchedules::with(const Sharing &sharing,
                                             int64_t keys, int64_t stages,
                                             MmaStore store) const {
  if (!fits(space.keys, keys) || !fits(space.values(), keys) ||
      (sharing.leavesParts() && store != MmaStore::direct))
    return {};
  auto schedule = StreamedScheduleAttr::getIfLegal(
      context, sharing.isa, sharing.rows(), model.wholeColumns(), keys,
      model.wholeDepth(), stages, sharing.consumers, store, sharing.heads,
      sharing.split, space.firstOfKeys.has_value(), /*inTurn=*/model.isWide());
  return schedule && schedule.sharedBytes() <= gpu.maxSharedBytesPerBlock
             ? schedule
             : StreamedScheduleAttr();
}

void StreamedSchedules::addWgmma(const Sharing &sharing) {
  size_t first = found.size();
  // Small tiles leave room for two blocks.
  bool isSmall = sharing.consumers == 1;
  auto add = [&](MmaStore store, int64_t keys) {
    for (int64_t stages : {2, 3})
      if (auto schedule = with(sharing, keys, stages, store))
        found.push_back(schedule);
  };
  constexpr MmaStore stores[] = {MmaStore::tma, MmaStore::direct};
  // Of wide rows what results take of shared memory counts for more.
  if (model.isWide())
    for (int64_t keys : {64, 32})
      for (MmaStore store : stores) {
        if (store == MmaStore::direct || model.haveRoomForBuffers())
          add(store, keys);
      }
  else
    for (MmaStore store : stores)
      for (int64_t keys : {isSmall ? 64 : 128, isSmall ? 128 : 64})
        add(store, keys);
  if (!sharing.leavesParts() || model.isWide())
    return;
  auto seconds = [&](StreamedScheduleAttr one) {
    return model.secondsOf(sharing, one.getTileK(), one.getStages());
  };
  std::stable_sort(found.begin() + first, found.end(),
                   [&](StreamedScheduleAttr a, StreamedScheduleAttr b) {
                     return seconds(a) < seconds(b);
                   });
}

/// First those that leave shared memory for as many blocks as registers do.
void StreamedSchedules::addMmaSync(const Sharing &sharing) {
  int64_t resident = sharing.consumers == 1 ? mostResident : 1;
  SmallVector<StreamedScheduleAttr> others;
  for (MmaStore store : {MmaStore::rows, MmaStore::direct})
    for (int64_t keys : {64, 128, 32})
      for (int64_t stages : {2, 1, 3})
        if (auto schedule = with(sharing, keys, stages, store)) {
          int64_t bytes =
              schedule.sharedBytes() + gpu.reservedSharedBytesPerBlock;
          bool haveRoom = resident * bytes <= gpu.sharedBytesPerSM;
          (haveRoom ? found : others).push_back(schedule);
        }
  llvm::append_range(found, others);
}

SmallVector<StreamedScheduleAttr> StreamedSchedules::all() {
  for (const Sharing &sharing : model.ranked())
    if (sharing.isWgmma())
      addWgmma(sharing);
    else
      addMmaSync(sharing);
  return std::move(found);
}

SmallVector<StreamedScheduleAttr>
mlir::fuse::streamedSchedulesOf(KernelOp kernel, const DimClasses &dims,
                                const ScheduleTarget &target) {
  if (!target.gpu)
    return {};
  Reason reason;
  FailureOr<StreamedSpace> space =
      streamedSpaceOf(kernel, dims, {target.aligned, target.divisible}, reason);
  if (failed(space))
    return {};
  StreamedModel model(*space, dims, *target.gpu, target.assumed);
  return StreamedSchedules(kernel.getContext(), *space, model, *target.gpu)
      .all();
}

bool mlir::fuse::isStreamedOn(const StreamedSpace &space,
                              const DimClasses &dims, const GPUTarget &gpu) {
  StreamedModel model(space, dims, gpu, /*assumed=*/{});
  MLIRContext *context = ContractOp(space.scores).getContext();
  return !model.isWide() ||
         !StreamedSchedules(context, space, model, gpu).all().empty();
}

ScheduleAttrInterface
mlir::fuse::proposeStreamed(KernelOp kernel, const DimClasses &dims,
                            const ScheduleTarget &target) {
  SmallVector<StreamedScheduleAttr> schedules =
      streamedSchedulesOf(kernel, dims, target);
  return schedules.empty() ? StreamedScheduleAttr() : schedules.front();
}

double mlir::fuse::streamedSeconds(const StreamedSpace &space,
                                   const DimClasses &dims, const GPUTarget &gpu,
                                   ArrayRef<AssumedSize> assumed,
                                   StreamedScheduleAttr schedule) {
  StreamedModel model(space, dims, gpu, assumed);
  if (!schedule)
    return model.fastest();
  Sharing sharing{schedule.getConsumers(), schedule.getHeads(),
                  schedule.getSplit(), schedule.columnGroups(),
                  schedule.getIsa()};
  return model.secondsOf(sharing, schedule.getTileK(), schedule.getStages());
}
