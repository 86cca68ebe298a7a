//===- LowerMma.cpp - Contractions on tensor cores ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block stays and takes tile after tile. Its first warpgroup gives most of
// its registers to the others, and one thread of it keeps the ring of slots
// full; it runs ahead into the next tile while the consumers write the last
// one.
//
//   producer                        consumer
//   for each tile                   for each tile
//     for each step of k              for each step of k
//       await an empty slot             await a full slot
//       copy rows and columns           start its products
//                                       await those before, release their slot
//                                     await the products, release the slot
//     copy what the results need      compute and write the results
//
// What no launch before writes, as weights are, the producer copies into the
// slots of the first steps before it waits for these launches.
//
// Several contractions have the rows in common. Those whose results meet are
// columns of one tile, which come from several tensors; others have tiles of
// their own, and only the producer and what computes the results tell them
// apart. Where blocks share tiles, each takes some of the steps; see
// SumsExchange.h.
//
//===----------------------------------------------------------------------===//

#include "LowerMma.h"
#include "BlockSums.h"
#include "GatheredEpilogue.h"
#include "LowerMmaSync.h"
#include "Reductions/ClusterExchange.h"
#include "TileCopies.h"
#include "VerifyMma.h"
#include "Wgmma.h"
#include "fuse/Analysis/RoomForNext.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <deque>

using namespace mlir;
using namespace mlir::fuse;

/// Registers of a thread, which are 504 together: what 384 threads get of the
/// 65536 of a multiprocessor.
static constexpr uint32_t producerRegisters = 40, consumerRegisters = 232;

namespace {
class MmaLowering {
public:
  MmaLowering(KernelFrame &frame, MmaScheduleAttr schedule, MmaSpace space,
              TensorFacts facts);

  FailureOr<Grid> run();

private:
  bool isShared() const { return schedule.getSplitK() > 1; }
  bool isClustered() const { return schedule.clusterSize() > 1; }
  /// Whether sums of tensor cores are added to others after each step.
  bool promotes() const { return schedule.getOperandBits() == 8; }
  void findSteps();
  void meetAll();
  RingPlace behindInputs(TileRing &ring, RingPlace place,
                         const TilePlace &tile);
  void produce(TileRing &ring);
  void consume(TileRing &ring);
  SmallVector<Value> multiplyTile(TileRing &ring, const ConsumerThread &self,
                                  const TilePlace &tile, RingPlace &place);
  SmallVector<Value> multiplyStep(TileRing &ring, const ConsumerThread &self,
                                  const RingPlace &place, ValueRange sums,
                                  Value step);
  SmallVector<Value> addStep(TileRing &ring, const ConsumerThread &self,
                             const RingPlace &place, ValueRange sums,
                             Value step, SmallVector<Value> &scales);
  SmallVector<Value> startProducts(const ConsumerThread &self, Value at,
                                   ValueRange sums, Value keeps);
  Value leftOf(const ConsumerThread &self, Value at, int64_t part);
  Value rightOf(const ConsumerThread &self, Value at, unsigned run);
  TileSums sumsOf(ArrayRef<Value> sums, const MmaSegment &segment,
                  int64_t contraction);
  SmallVector<Value> loadScales(const Index &block);
  SmallVector<Value> addScaled(const Index &block, ArrayRef<Value> sums,
                               ArrayRef<Value> added);
  void startEpilogues(const ConsumerThread &self);
  void writeTile(const TilePlace &tile, ArrayRef<Value> sums,
                 const TileTurn &turn, TileRing &ring, const RingPlace &place);
  void finishCopies();
  /// `body` for each tile of this block; it gets and returns a place of the
  /// ring.
  void forEachTile(int64_t parity,
                   llvm::function_ref<RingPlace(const TilePlace &, RingPlace,
                                                const TileTurn &)>
                       body);

  KernelFrame &frame;
  OpBuilder &builder;
  MmaScheduleAttr schedule;
  MmaSpace space;
  MmaBuilder b;
  TileOrder order;
  TileSlot slot;
  std::optional<TileCopies> copies;
  /// Of each run of the slot.
  SmallVector<Wgmma, 1> products;
  /// Of each segment, one of them.
  std::deque<MmaEpilogue> epilogues;
  std::deque<GatheredEpilogue> gathered;
  std::optional<SumsExchange> exchange;
  /// Of each contraction, where the summed axis comes in blocks.
  SmallVector<BlockSums, 1> blockSums;
  Value memory, thread;
  /// The number of this block among those that share a tile, and its steps.
  Value rank, firstStep, lastStep;
};
} // namespace

MmaLowering::MmaLowering(KernelFrame &frame, MmaScheduleAttr schedule,
                         MmaSpace theSpace, TensorFacts facts)
    : frame(frame), builder(frame.builder), schedule(schedule),
      space(std::move(theSpace)), b(frame), order(b, space, schedule),
      slot(space, schedule) {
  auto elementOf = [](const MmaOperand &operand) {
    return getElementTypeOrSelf(operand.tensor.getType());
  };
  // Those of all columns are the same.
  const MmaSegment &first = space.segments.front();
  Type left = elementOf(leftOperand(space, schedule, first, 0)),
       right = elementOf(rightOperand(space, schedule, first, 0));
  for (const ColumnRun &run : slot.runs)
    products.emplace_back(b, run.consumerColumns, left, right, slot.rows,
                          run.operand);
  for (const MmaSegment &segment : space.segments)
    if (schedule.gathersSums())
      gathered.emplace_back(b, space, segment, schedule);
    else
      epilogues.emplace_back(b, space, segment, schedule, facts);
  for (size_t number = 0; number < space.blocks.size(); ++number)
    blockSums.emplace_back(b, space, schedule, number);
  copies.emplace(b, space, schedule, slot, order);
}

void MmaLowering::forEachTile(
    int64_t parity, llvm::function_ref<RingPlace(const TilePlace &, RingPlace,
                                                 const TileTurn &)>
                        body) {
  // The blocks of a cluster count as one.
  int64_t sharers = schedule.clusterSize();
  Value first = b.div(b.wordOf(frame.blockId()), sharers);
  Value stride = b.div(b.wordOf({gpu::GridDimOp::create(builder, frame.loc(),
                                                        gpu::Dimension::x)}),
                       sharers);
  SmallVector<Value> start = {b.word(0), b.word(parity)};
  if (isShared())
    start.push_back(b.word(0));
  b.loop(first, order.count(), stride, start,
         [&](Value tile, ValueRange values) -> SmallVector<Value> {
           TileTurn turn;
           turn.isFirst = b.equal(tile, first);
           if (isShared()) {
             turn.before = values[2];
             turn.isFollowed = b.isLess(b.add(tile, stride), order.count());
           }
           RingPlace next =
               body(order.place(tile), RingPlace{values[0], values[1]}, turn);
           SmallVector<Value> after = {next.slot, next.parity};
           if (isShared())
             after.push_back(b.add(values[2], 1));
           return after;
         });
}

/// Behind the stages of what the tile's results need, from `place` on.
RingPlace MmaLowering::behindInputs(TileRing &ring, RingPlace place,
                                    const TilePlace &tile) {
  int64_t most = 0;
  Value count;
  for (auto [number, epilogue] : llvm::enumerate(epilogues)) {
    Value its = b.word(epilogue.inputs().stages());
    most = std::max(most, epilogue.inputs().stages());
    count = count ? b.select(b.equal(tile.segment, number), its, count) : its;
  }
  for (int64_t stage = 0; stage < most; ++stage) {
    RingPlace next = ring.next(place);
    Value isThere = builder.createOrFold<arith::CmpIOp>(
        frame.loc(), arith::CmpIPredicate::ult, b.word(stage), count);
    place = {b.select(isThere, next.slot, place.slot),
             b.select(isThere, next.parity, place.parity)};
  }
  return place;
}

//===----------------------------------------------------------------------===//
// Producer
//===----------------------------------------------------------------------===//

void MmaLowering::produce(TileRing &ring) {
  forEachTile(/*parity=*/1, [&](const TilePlace &tile, RingPlace place,
                                const TileTurn &turn) {
    Value copied =
        b.select(turn.isFirst, copies->behindAhead(firstStep), b.word(0));
    scf::ForOp all =
        b.loop(firstStep, lastStep, b.word(1), {place.slot, place.parity},
               [&](Value step, ValueRange values) -> SmallVector<Value> {
                 RingPlace current{values[0], values[1]};
                 copies->copyStep(ring, current, tile, step, copied);
                 RingPlace next = ring.next(current);
                 return {next.slot, next.parity};
               });
    RingPlace behind{all.getResult(0), all.getResult(1)};
    if (llvm::any_of(epilogues, [](MmaEpilogue &epilogue) {
          return epilogue.inputs().stages() > 0;
        }))
      order.inSegment(tile, [&](unsigned segment) {
        epilogues[segment].inputs().copy(ring, behind, tile);
      });
    return behindInputs(ring, behind, tile);
  });
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

Value MmaLowering::leftOf(const ConsumerThread &self, Value at, int64_t part) {
  const SlotOperand &rows = slot.rows;
  Value offset = b.word(rows.offsetOf(part * MmaScheduleAttr::kRows));
  int64_t own = schedule.partsPerConsumer() * MmaScheduleAttr::kRows;
  if (!schedule.sharesColumns())
    offset = b.add(offset, b.mul(self.consumer, rows.offsetOf(own)));
  return products.front().leftDescriptor(b.behind(memory, b.add(at, offset)));
}

Value MmaLowering::rightOf(const ConsumerThread &self, Value at,
                           unsigned number) {
  const ColumnRun &run = slot.runs[number];
  Value offset = b.word(run.offset);
  if (schedule.sharesColumns())
    offset = b.add(offset, b.mul(self.consumer,
                                 run.operand.offsetOf(run.consumerColumns)));
  return products[number].rightDescriptor(b.behind(memory, b.add(at, offset)));
}

/// Starts the products of the slot at an offset, in a group. A fence comes
/// right before them: ptxas runs them one by one where a branch lies between.
/// Where `keeps` is 0 the sums so far count for nothing.
SmallVector<Value> MmaLowering::startProducts(const ConsumerThread &self,
                                              Value at, ValueRange sums,
                                              Value keeps) {
  SmallVector<Value> left, right;
  for (int64_t part = 0; part < schedule.partsPerConsumer(); ++part)
    left.push_back(leftOf(self, at, part));
  for (size_t run = 0; run < products.size(); ++run)
    right.push_back(rightOf(self, at, run));
  Value always = b.word(1);
  SmallVector<Value> next(sums);
  products.front().fence();
  int64_t count = schedule.getTileK() / slot.rows.placesPerStep();
  for (int64_t i = 0; i < count; ++i)
    for (auto [number, sum] : llvm::enumerate(next)) {
      size_t part = number / products.size(), run = number % products.size();
      sum = products[run].multiply(sum, left[part], right[run], i,
                                   i ? always : keeps);
    }
  products.front().commit();
  return next;
}

/// Adds the sums of a slot, which tensor cores have with few bits, to those in
/// f32. Meanwhile they multiply for the other consumer. `scales` are what the
/// step before has loaded for this one, if anything, and then the next one's.
SmallVector<Value> MmaLowering::addStep(TileRing &ring,
                                        const ConsumerThread &self,
                                        const RingPlace &place, ValueRange sums,
                                        Value step,
                                        SmallVector<Value> &scales) {
  // All that is at a block's points has this index.
  Index block = b.indexOf(step);
  if (scales.empty())
    loadScales(block);
  else
    for (BlockSums &its : blockSums)
      its.define(block, scales);
  ring.awaitFull(place);
  SmallVector<Value> none;
  for (size_t i = 0; i < sums.size(); ++i)
    none.push_back(products[i % products.size()].undefined());
  SmallVector<Value> added =
      startProducts(self, ring.offset(place.slot), none, b.word(0));
  if (!scales.empty())
    scales = loadScales(
        b.indexOf(b.min(b.add(step, 1), b.sub(lastStep, b.word(1)))));
  for (auto [number, sum] : llvm::enumerate(added))
    sum = products[number % products.size()].awaitAll(sum);
  ring.release(place.slot, self.thread);
  if (!blockSums.empty())
    return addScaled(block, llvm::to_vector(sums), added);
  for (auto [number, sum] : llvm::enumerate(added))
    sum = products[number % products.size()].add(sums[number], sum);
  return added;
}

/// The contractions' sums follow each other in one run.
SmallVector<Value> MmaLowering::addScaled(const Index &block,
                                          ArrayRef<Value> sums,
                                          ArrayRef<Value> added) {
  const MmaSegment &only = space.segments.front();
  SmallVector<SmallVector<Value>> parts(schedule.partsPerConsumer());
  for (auto [number, its] : llvm::enumerate(blockSums)) {
    TileSums totals =
        its.add(block, sumsOf(sums, only, number), sumsOf(added, only, number));
    for (auto [part, values] : llvm::zip_equal(parts, totals))
      llvm::append_range(part, values);
  }
  return llvm::map_to_vector(parts, [&](const SmallVector<Value> &part) {
    return products.front().collect(part);
  });
}

/// What all contractions load for a block, once where they share it.
SmallVector<Value> MmaLowering::loadScales(const Index &block) {
  llvm::SetVector<Value> scales;
  for (BlockSums &its : blockSums)
    its.load(block, scales);
  return SmallVector<Value>(scales.getArrayRef());
}

/// The slot before is free once its products are done.
SmallVector<Value> MmaLowering::multiplyStep(TileRing &ring,
                                             const ConsumerThread &self,
                                             const RingPlace &place,
                                             ValueRange sums, Value step) {
  ring.awaitFull(place);
  Value isLater = b.differs(step, firstStep);
  Value keeps = arith::ExtUIOp::create(builder, frame.loc(),
                                       builder.getI32Type(), isLater);
  SmallVector<Value> next =
      startProducts(self, ring.offset(place.slot), sums, keeps);
  products.front().awaitAllButOne();
  ring.release(ring.previousSlot(place), self.thread, isLater);
  return next;
}

/// This thread's sums of the tile, by parts of 64 rows, of each by runs;
/// `place` moves on.
SmallVector<Value> MmaLowering::multiplyTile(TileRing &ring,
                                             const ConsumerThread &self,
                                             const TilePlace &tile,
                                             RingPlace &place) {
  for (BlockSums &its : blockSums)
    its.startTile(tile, self,
                  &its == blockSums.begin() ? nullptr : blockSums.begin());
  // Without a step the sums are zero; with one the first ignores them.
  std::optional<int64_t> k = staticProduct(space.extents(space.k, frame.dims));
  bool hasSteps = k && *k > (schedule.getSplitK() - 1) * schedule.getTileK();
  SmallVector<Value> values;
  for (int64_t part = 0; part < schedule.partsPerConsumer(); ++part)
    for (Wgmma &product : products)
      values.push_back(hasSteps && !promotes() ? product.undefined()
                                               : product.zeros());
  size_t count = values.size();
  values.append({place.slot, place.parity});
  if (!blockSums.empty() && hasSteps) {
    SmallVector<Value> scales = loadScales(b.indexOf(firstStep));
    if (blockSums.front().mayLoadAhead(scales))
      llvm::append_range(values, scales);
  }
  scf::ForOp all =
      b.loop(firstStep, lastStep, b.word(1), values,
             [&](Value step, ValueRange current) {
               RingPlace here{current[count], current[count + 1]};
               ValueRange sums = current.take_front(count);
               SmallVector<Value> scales(current.drop_front(count + 2));
               SmallVector<Value> next =
                   promotes() ? addStep(ring, self, here, sums, step, scales)
                              : multiplyStep(ring, self, here, sums, step);
               RingPlace after = ring.next(here);
               next.append({after.slot, after.parity});
               llvm::append_range(next, scales);
               return next;
             });
  place = {all.getResult(count), all.getResult(count + 1)};
  SmallVector<Value> sums(all.getResults().take_front(count));
  if (promotes())
    return sums;
  for (size_t i = 0; i < count; ++i)
    sums[i] = products[i % products.size()].awaitAll(sums[i]);
  ring.release(ring.previousSlot(place), self.thread,
               b.differs(firstStep, lastStep));
  return sums;
}

/// Those of one contraction: neighbours in the sums of its run.
TileSums MmaLowering::sumsOf(ArrayRef<Value> sums, const MmaSegment &segment,
                             int64_t contraction) {
  unsigned run = slot.runOf(contraction);
  constexpr int64_t columnsOfSum = 2;
  int64_t first = slot.columnInRun(segment, contraction) / columnsOfSum;
  int64_t count = segment.columnsPerConsumer(schedule) / columnsOfSum;
  TileSums found;
  for (int64_t part = 0; part < schedule.partsPerConsumer(); ++part) {
    found.emplace_back();
    for (int64_t i = first; i < first + count; ++i)
      found.back().push_back(
          products[run].extract(sums[part * products.size() + run], i));
  }
  return found;
}

void MmaLowering::startEpilogues(const ConsumerThread &self) {
  if (exchange)
    exchange->initialize(
        b.add(b.mul(self.consumer, MmaScheduleAttr::kGroup), self.thread));
  for (GatheredEpilogue &epilogue : gathered)
    epilogue.initialize(self, rank, *exchange);
  Value buffers = b.behind(memory, schedule.getStages() * schedule.slotBytes());
  BufferUse use;
  for (const MmaEpilogue &epilogue : epilogues)
    epilogue.addTo(use);
  for (MmaEpilogue &epilogue : epilogues)
    epilogue.initialize(self, buffers, use);
}

/// What the tile reads comes from `place` of the ring on.
void MmaLowering::writeTile(const TilePlace &tile, ArrayRef<Value> sums,
                            const TileTurn &turn, TileRing &ring,
                            const RingPlace &place) {
  order.inSegment(tile, [&](unsigned number) {
    const MmaSegment &segment = space.segments[number];
    SmallVector<TileSums> its;
    for (int64_t i = 0; i < segment.sharersOfColumns(schedule); ++i)
      its.push_back(sumsOf(sums, segment, i));
    if (gathered.empty())
      epilogues[number].write(tile, its, &ring, place);
    else
      gathered[number].write(tile, its, turn);
  });
}

void MmaLowering::finishCopies() {
  // It waits for the copies of all.
  if (!epilogues.empty())
    epilogues.front().finish();
}

void MmaLowering::consume(TileRing &ring) {
  constexpr int64_t group = MmaScheduleAttr::kGroup, warp = 32;
  ConsumerThread self{b.sub(b.div(thread, group), b.word(1)),
                      b.rem(thread, group), b.rem(thread, warp)};
  startEpilogues(self);
  forEachTile(/*parity=*/0, [&](const TilePlace &found, RingPlace place,
                                const TileTurn &turn) {
    TilePlace tile = order.fixHere(found);
    SmallVector<Value> sums = multiplyTile(ring, self, tile, place);
    TilePlace fixed = order.fixHere(tile);
    writeTile(fixed, sums, turn, ring, place);
    return behindInputs(ring, place, fixed);
  });
  finishCopies();
}

//===----------------------------------------------------------------------===//
// All of it
//===----------------------------------------------------------------------===//

/// Blocks that share a tile take neighbouring steps of the summed axis, as many
/// or one more.
void MmaLowering::findSteps() {
  Value steps = b.ceilDiv(
      b.wordOf(frame.emitter.product(space.extents(space.k, frame.dims))),
      schedule.getTileK());
  int64_t sharers = schedule.getSplitK();
  rank = isShared() ? order.rank() : b.word(0);
  firstStep = b.div(b.mul(steps, rank), sharers);
  lastStep = b.div(b.mul(steps, b.add(rank, 1)), sharers);
}

/// All threads of the block, or of the cluster: nobody writes to a block that
/// has not started, or has ended.
void MmaLowering::meetAll() {
  if (isClustered())
    meetInCluster(frame);
  else
    NVVM::BarrierOp::create(builder, frame.loc());
}

FailureOr<Grid> MmaLowering::run() {
  bool leavesRoom =
      leavesRoomForNext(schedule, frame.emitter.getOptions().sharedBytes);
  auto setRegisters = [&](uint32_t count, NVVM::SetMaxRegisterAction action) {
    if (!leavesRoom)
      NVVM::SetMaxRegisterOp::create(builder, frame.loc(), count, action);
  };
  frame.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          builder.getI32IntegerAttr(leavesRoom ? 2 : 1));
  frame.sharedBytes = schedule.sharedBytes();
  memory = b.sharedMemory();
  thread = b.thread();
  order.initialize();
  findSteps();
  int64_t sums = schedule.getStages() * schedule.slotBytes();
  int64_t barriers = sums + schedule.resultBytes() + schedule.sumsBytes();
  TileRing ring(b, schedule, memory, barriers);
  if (!gathered.empty())
    exchange.emplace(b, schedule, b.behind(memory, sums),
                     b.behind(memory, barriers + ring.barriersBytes()));
  Value isFirst = b.equal(thread, 0);
  frame.ifTrue(isFirst, [&] {
    if (exchange)
      exchange->initializeBarriers();
    ring.initialize();
  });
  meetAll();
  if (copies->hasEarly()) {
    frame.ifTrue(isFirst,
                 [&] { copies->copyAhead(ring, firstStep, lastStep); });
    NVVM::GriddepcontrolOp::create(builder, frame.loc(),
                                   NVVM::GridDepActionKind::wait);
  }
  Value isProducer = b.equal(b.div(thread, MmaScheduleAttr::kGroup), 0);
  frame.ifElse(
      isProducer,
      [&] {
        setRegisters(producerRegisters, NVVM::SetMaxRegisterAction::decrease);
        frame.ifTrue(isFirst, [&] { produce(ring); });
      },
      [&] {
        setRegisters(consumerRegisters, NVVM::SetMaxRegisterAction::increase);
        consume(ring);
      });
  // One thread of the producer's first warp comes late.
  NVVM::SyncWarpOp::create(builder, frame.loc(), b.word(-1));
  if (isClustered())
    meetAll();
  return Grid{order.grid()};
}

FailureOr<Grid> mlir::fuse::lowerMma(KernelFrame &frame,
                                     MmaScheduleAttr schedule) {
  const EmitOptions &options = frame.emitter.getOptions();
  FailureOr<MmaSpace> space =
      verifiedMmaSpace(frame.kernel, frame.dims, schedule, options);
  if (failed(space))
    return failure();
  TensorFacts facts{options.aligned, options.divisible};
  if (schedule.isMmaSync())
    return lowerMmaSync(frame, schedule, *space, facts);
  return MmaLowering(frame, schedule, *space, facts).run();
}
