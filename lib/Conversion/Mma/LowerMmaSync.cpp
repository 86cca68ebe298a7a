//===- LowerMmaSync.cpp - Contractions by the warps' own products ---------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every chip has mma.sync, ldmatrix and cp.async. All threads of a block copy
// and multiply; of a tile's rows each warp of a consumer has 16 of every 64,
// and so its sums are where those of a warpgroup would be, and what follows is
// computed by the same epilogues.
//
//   for each tile
//     copy the first stages - 1 steps, a group each
//     for each step of k
//       for each instruction's places
//         last of them:   await the next step's group, and all threads
//         load the fragments of the next places from shared memory
//         but the last:   copy a share of the step that is stages - 1 ahead
//         multiply these places' fragments
//     await all copies and threads
//     compute and write the results, where the slots were
//
// A slot is written when all have passed the barrier behind its last read.
// Steps past the end copy zeros. Fragments are loaded a step ahead of their
// products, also from one slot to the next. Products of 8-bit floats are summed
// by themselves for a step, and then added to the others in f32.
//
// Operands that are computed are so one step ahead of their products, beside
// those of the step before, from a step that has come before that
// (ComputedSteps.h). Where the operands are swapped, warps compute the rows of
// a tile in registers instead (ComputedFragments.h), in the step itself:
//
//   for each step of k
//     copy the step that is stages - 1 ahead
//     for two instructions at a time
//       read elements and columns, compute the rows, multiply
//     await the next step's group, and all threads
//
// Where blocks share a tile, each takes some of the steps and leaves its sums
// in memory; see SplitSums.h.
//
//===----------------------------------------------------------------------===//

#include "LowerMmaSync.h"
#include "ComputedFragments.h"
#include "ComputedSteps.h"
#include "GatheredEpilogue.h"
#include "MmaSync.h"
#include "SlotCopies.h"
#include "SplitSums.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <deque>

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpThreads = 32;

namespace {
class MmaSyncLowering {
public:
  MmaSyncLowering(KernelFrame &frame, MmaScheduleAttr schedule,
                  const MmaSpace &space, TensorFacts facts);

  Grid run();

private:
  /// Words of the operands' fragments for an instruction.
  struct Fragments {
    /// By 16 rows, and by 8 columns of all runs.
    SmallVector<Value> rows, columns;
  };

  /// Whether sums of tensor cores are added to others after each step.
  bool promotes() const { return schedule.getOperandBits() == 8; }
  void placeThread();
  void findSteps();
  void addReaders();
  Fragments loadFragments(Value at, Value computedAt, int64_t step);
  void multiply(const Fragments &fragments, MutableArrayRef<Value> sums);
  SmallVector<Value> multiplyTile(SlotCopies &copies, ComputedSteps &computed);
  SmallVector<Value> multiplyStep(SlotCopies &copies, ComputedSteps &computed,
                                  Value step, ValueRange current);
  SmallVector<Value> multiplyComputedTile(SlotCopies &copies,
                                          ComputedSteps &computed,
                                          ComputedFragments &fragments);
  SmallVector<Value> multiplyComputedStep(SlotCopies &copies,
                                          ComputedSteps &computed,
                                          ComputedFragments &fragments,
                                          Value step, ValueRange current);
  Value columnsStart(const ColumnRun &run);
  void startCopies(SlotCopies &copies);
  void finishCopies();
  void computeFirst(ComputedSteps &computed);
  Value nextSlot(Value at);
  Value otherBuffer(Value at);
  void awaitStep();
  void meet() { NVVM::BarrierOp::create(builder, frame.loc()); }
  TileSums sumsOf(ArrayRef<Value> sums, const MmaSegment &segment,
                  int64_t contraction);
  void startEpilogues();
  void runTile(const TilePlace &tile, unsigned segment);
  void writeTile(const TilePlace &tile, unsigned segment, ArrayRef<Value> sums);

  /// Whether operands are computed a step ahead, into buffers.
  bool hasBuffers() const { return schedule.computedBytes() > 0; }
  int64_t stepsOfSlot() const {
    return schedule.getTileK() / slot.rows.placesPerStep();
  }
  int64_t parts() const { return schedule.partsPerConsumer(); }
  /// Fragments of 8 columns that a warp has, and its sums.
  int64_t blocks() const {
    return schedule.columnsPerConsumer() / MmaSync::kColumns;
  }
  int64_t sums() const { return parts() * blocks() * MmaSync::kSums; }
  int64_t ringBytes() const {
    return schedule.getStages() * schedule.slotBytes();
  }

  KernelFrame &frame;
  OpBuilder &builder;
  MmaScheduleAttr schedule;
  const MmaSpace &space;
  MmaBuilder b;
  TileOrder order;
  TileSlot slot;
  MmaSync product;
  /// Of the rows, and of each run of the slot.
  SmallVector<FragmentReader, 2> readers;
  /// Of each segment, one of them.
  std::deque<MmaEpilogue> epilogues;
  std::deque<GatheredEpilogue> gathered;
  std::optional<SumsExchange> exchange;
  ConsumerThread self;
  /// The number of this block's part of the summed axis, its steps, and the
  /// first place behind these.
  Value part, firstStep, lastStep, endPlace;
  Value memory, thread, zero;
};
} // namespace

/// Those of all columns are the same.
static Type leftElement(const MmaSpace &space, MmaScheduleAttr schedule) {
  const MmaSegment &segment = space.segments.front();
  return getElementTypeOrSelf(
      leftOperand(space, schedule, segment, 0).value().getType());
}

static Type rightElement(const MmaSpace &space, MmaScheduleAttr schedule) {
  const MmaSegment &segment = space.segments.front();
  return getElementTypeOrSelf(
      rightOperand(space, schedule, segment, 0).value().getType());
}

MmaSyncLowering::MmaSyncLowering(KernelFrame &frame, MmaScheduleAttr schedule,
                                 const MmaSpace &space, TensorFacts facts)
    : frame(frame), builder(frame.builder), schedule(schedule), space(space),
      b(frame), order(b, space, schedule), slot(space, schedule),
      product(b, leftElement(space, schedule), rightElement(space, schedule)),
      zero(frame.emitter.constant(frame.loc(), schedule.sumType(), 0)) {
  for (const MmaSegment &segment : space.segments)
    if (schedule.gathersSums())
      gathered.emplace_back(b, space, segment, schedule);
    else
      epilogues.emplace_back(b, space, segment, schedule, facts);
}

void MmaSyncLowering::placeThread() {
  constexpr int64_t group = MmaScheduleAttr::kGroup;
  thread = b.thread();
  // The same in a warp, as far as anyone can tell.
  Value consumer = order.fixHere(b.div(thread, group));
  self = {consumer, b.rem(thread, group), b.rem(thread, warpThreads)};
}

/// Parts take neighbouring steps of the summed axis, as many or one more.
void MmaSyncLowering::findSteps() {
  Value places =
      b.wordOf(frame.emitter.product(space.extents(space.k, frame.dims)));
  Value steps = b.ceilDiv(places, schedule.getTileK());
  part = b.word(0);
  firstStep = part;
  lastStep = steps;
  endPlace = places;
  if (!schedule.leavesParts())
    return;
  Value parts = b.wordOf(frame.partStates->parts);
  part = b.rem(b.wordOf(frame.blockId()), parts);
  firstStep = b.div(b.mul(steps, part), parts);
  lastStep = b.div(b.mul(steps, b.add(part, 1)), parts);
  // What the next part has is not copied ahead.
  endPlace = b.min(places, b.mul(lastStep, schedule.getTileK()));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A warp has 16 rows of each 64, and a consumer its share of each run.
void MmaSyncLowering::addReaders() {
  Value warp = order.fixHere(b.div(self.thread, warpThreads));
  Value ownRow = b.mul(warp, MmaSync::kRows);
  using Side = FragmentReader::Side;
  if (slot.rows.isAlongK)
    readers.emplace_back(b, slot.rows, Side::rows, self.lane,
                         b.mul(ownRow, SlotOperand::rowBytes), Value());
  else if (slot.rows.isWide())
    readers.emplace_back(b, slot.rows, Side::rows, self.lane,
                         b.mul(warp, slot.rows.offsetOf(MmaSync::kRows)),
                         Value());
  else
    readers.emplace_back(b, slot.rows, Side::rows, self.lane, b.word(0),
                         b.div(ownRow, MmaSync::kColumns));
  for (const ColumnRun &run : slot.runs)
    readers.emplace_back(b, run.operand, Side::columns, self.lane,
                         columnsStart(run), Value());
}

/// Of this consumer, from the start of the slot or of the buffer.
Value MmaSyncLowering::columnsStart(const ColumnRun &run) {
  Value start =
      b.word(run.operand.computedBits ? run.computedOffset : run.offset);
  if (!schedule.sharesColumns())
    return start;
  return b.add(start,
               b.mul(self.consumer, run.operand.offsetOf(run.consumerColumns)));
}

MmaSyncLowering::Fragments
MmaSyncLowering::loadFragments(Value slotAt, Value computedAt, int64_t step) {
  Fragments fragments;
  auto startOf = [&](const SlotOperand &operand) {
    return operand.computedBits ? computedAt : slotAt;
  };
  for (int64_t part = 0; part < parts(); ++part)
    llvm::append_range(fragments.rows,
                       readers.front().rows(memory, startOf(slot.rows),
                                            part * MmaScheduleAttr::kRows,
                                            step));
  for (auto [run, reader] :
       llvm::zip_equal(slot.runs, llvm::drop_begin(readers)))
    for (int64_t first = 0; first < run.consumerColumns;
         first += 2 * MmaSync::kColumns) {
      int64_t count =
          std::min(run.consumerColumns - first, 2 * MmaSync::kColumns);
      llvm::append_range(
          fragments.columns,
          reader.columns(memory, startOf(run.operand), first, count, step));
    }
  return fragments;
}

/// Sums lie by parts of the rows, and in these by blocks of columns. Products
/// that follow each other have different sums.
void MmaSyncLowering::multiply(const Fragments &fragments,
                               MutableArrayRef<Value> sums) {
  for (int64_t block = 0; block < blocks(); ++block)
    for (int64_t part = 0; part < parts(); ++part)
      product.multiply(
          sums.slice((part * blocks() + block) * MmaSync::kSums,
                     MmaSync::kSums),
          ArrayRef(fragments.rows)
              .slice(part * MmaSync::kRowWords, MmaSync::kRowWords),
          ArrayRef(fragments.columns)
              .slice(block * MmaSync::kColumnWords, MmaSync::kColumnWords));
}

Value MmaSyncLowering::nextSlot(Value at) {
  Value next = b.add(at, schedule.slotBytes());
  return b.select(b.equal(next, ringBytes()), b.word(0), next);
}

/// Of the two that are behind the slots.
Value MmaSyncLowering::otherBuffer(Value at) {
  return b.sub(b.word(2 * ringBytes() + schedule.computedBytes()), at);
}

/// What all threads have copied is there, and what all have read is free. What
/// is computed from copies needs them a step earlier.
void MmaSyncLowering::awaitStep() {
  int64_t underWay = schedule.getStages() - 2;
  if (hasBuffers())
    --underWay;
  NVVM::CpAsyncWaitGroupOp::create(builder, frame.loc(), underWay);
  meet();
}

/// Before the loop, which computes those of the steps behind it. Without steps
/// fragments are loaded, too.
void MmaSyncLowering::computeFirst(ComputedSteps &computed) {
  if (!hasBuffers())
    return;
  Value buffer = b.word(ringBytes());
  frame.ifElse(
      b.isLess(firstStep, lastStep),
      [&] { computed.compute(firstStep, b.word(0), buffer); },
      [&] { computed.clear(buffer); });
  meet();
}

/// `current` are the sums, the first fragments of this step, where it lies,
/// where the step `stages - 1` ahead will, and where its computed operands are.
/// Returns those of the next step.
SmallVector<Value> MmaSyncLowering::multiplyStep(SlotCopies &copies,
                                                 ComputedSteps &computed,
                                                 Value step,
                                                 ValueRange current) {
  ValueRange before = current.take_front(sums());
  SmallVector<Value> next = promotes() ? SmallVector<Value>(sums(), zero)
                                       : SmallVector<Value>(before);
  current = current.drop_front(sums());
  int64_t rowWords = parts() * MmaSync::kRowWords;
  int64_t columnWords = blocks() * MmaSync::kColumnWords;
  Fragments here;
  llvm::append_range(here.rows, current.take_front(rowWords));
  llvm::append_range(here.columns,
                     current.drop_front(rowWords).take_front(columnWords));
  Value at = current[rowWords + columnWords];
  Value ahead = current[rowWords + columnWords + 1];
  Value nextAt = nextSlot(at), buffer, nextBuffer;
  if (hasBuffers()) {
    buffer = current.back();
    nextBuffer = otherBuffer(buffer);
  }
  Value later = b.add(step, schedule.getStages() - 1);
  int64_t last = stepsOfSlot() - 1;
  for (int64_t places = 0; places <= last; ++places) {
    if (places == last) {
      NVVM::CpAsyncCommitGroupOp::create(builder, frame.loc());
      awaitStep();
    }
    Fragments following = places == last
                              ? loadFragments(nextAt, nextBuffer, 0)
                              : loadFragments(at, buffer, places + 1);
    if (places < last) {
      copies.copy(later, ahead, /*part=*/places, /*parts=*/last);
      computed.compute(b.add(step, 1), nextAt, nextBuffer, /*part=*/places,
                       /*parts=*/last);
    }
    multiply(here, next);
    here = std::move(following);
  }
  if (promotes())
    for (auto [sum, other] : llvm::zip_equal(next, before))
      sum = arith::AddFOp::create(builder, frame.loc(), other, sum);
  llvm::append_range(next, here.rows);
  llvm::append_range(next, here.columns);
  next.append({nextAt, nextSlot(ahead)});
  if (nextBuffer)
    next.push_back(nextBuffer);
  return next;
}

SmallVector<Value> MmaSyncLowering::multiplyTile(SlotCopies &copies,
                                                 ComputedSteps &computed) {
  startCopies(copies);
  computeFirst(computed);
  Value buffer = b.word(ringBytes());
  SmallVector<Value> start(sums(), zero);
  Fragments first = loadFragments(b.word(0), buffer, 0);
  llvm::append_range(start, first.rows);
  llvm::append_range(start, first.columns);
  start.append({b.word(0), b.word(ringBytes() - schedule.slotBytes())});
  if (hasBuffers())
    start.push_back(buffer);
  scf::ForOp loop =
      b.loop(firstStep, lastStep, b.word(1), start,
             [&](Value step, ValueRange current) {
               return multiplyStep(copies, computed, step, current);
             });
  finishCopies();
  return SmallVector<Value>(loop.getResults().take_front(sums()));
}

/// `current` are the sums, where this step lies, where the step `stages - 1`
/// ahead will, and where its computed columns are.
SmallVector<Value> MmaSyncLowering::multiplyComputedStep(
    SlotCopies &copies, ComputedSteps &computed, ComputedFragments &fragments,
    Value step, ValueRange current) {
  SmallVector<Value> next(current.take_front(sums()));
  Value at = current[sums()], ahead = current[sums() + 1];
  Value nextAt = nextSlot(at), buffer, nextBuffer;
  copies.copy(b.add(step, schedule.getStages() - 1), ahead);
  NVVM::CpAsyncCommitGroupOp::create(builder, frame.loc());
  if (hasBuffers()) {
    buffer = current.back();
    nextBuffer = otherBuffer(buffer);
    computed.compute(b.add(step, 1), nextAt, nextBuffer);
  }
  constexpr int64_t together = ComputedFragments::kTogether;
  for (int64_t first = 0; first < stepsOfSlot(); first += together) {
    Fragments here[together];
    for (const ColumnRun &run : slot.runs) {
      Value start =
          b.add(run.operand.computedBits ? buffer : at, columnsStart(run));
      auto columns = fragments.columns(run.operand, start, /*from=*/0,
                                       run.consumerColumns, first);
      for (int64_t i = 0; i < together; ++i)
        llvm::append_range(here[i].columns, columns[i]);
    }
    auto rows = fragments.rows(step, at, first);
    for (int64_t i = 0; i < together; ++i) {
      here[i].rows = rows[i];
      multiply(here[i], next);
    }
  }
  awaitStep();
  next.append({nextAt, nextSlot(ahead)});
  if (nextBuffer)
    next.push_back(nextBuffer);
  return next;
}

SmallVector<Value> MmaSyncLowering::multiplyComputedTile(
    SlotCopies &copies, ComputedSteps &computed, ComputedFragments &fragments) {
  startCopies(copies);
  computeFirst(computed);
  SmallVector<Value> start(sums(), zero);
  start.append({b.word(0), b.word(ringBytes() - schedule.slotBytes())});
  if (hasBuffers())
    start.push_back(b.word(ringBytes()));
  scf::ForOp loop = b.loop(firstStep, lastStep, b.word(1), start,
                           [&](Value step, ValueRange current) {
                             return multiplyComputedStep(
                                 copies, computed, fragments, step, current);
                           });
  finishCopies();
  return SmallVector<Value>(loop.getResults().take_front(sums()));
}

/// Of the first steps, a group each.
void MmaSyncLowering::startCopies(SlotCopies &copies) {
  for (int64_t step = 0; step + 1 < schedule.getStages(); ++step) {
    copies.copy(b.add(firstStep, step), b.word(step * schedule.slotBytes()));
    NVVM::CpAsyncCommitGroupOp::create(builder, frame.loc());
  }
  awaitStep();
}

/// Nobody copies to or reads from the slots any more.
void MmaSyncLowering::finishCopies() {
  NVVM::CpAsyncWaitGroupOp::create(builder, frame.loc(), 0);
  meet();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Those of one contraction: neighbours among the columns of its run.
TileSums MmaSyncLowering::sumsOf(ArrayRef<Value> sums,
                                 const MmaSegment &segment,
                                 int64_t contraction) {
  int64_t column = slot.columnInRun(segment, contraction);
  for (const ColumnRun &run :
       ArrayRef(slot.runs).take_front(slot.runOf(contraction)))
    column += run.consumerColumns;
  constexpr int64_t columnsOfSum = MmaSync::kColumns / MmaSync::kSums;
  int64_t first = column / columnsOfSum;
  int64_t count = segment.columnsPerConsumer(schedule) / columnsOfSum;
  TileSums found;
  for (int64_t part = 0; part < parts(); ++part)
    found.emplace_back(
        sums.slice(part * blocks() * MmaSync::kSums + first, count));
  return found;
}

void MmaSyncLowering::startEpilogues() {
  if (exchange)
    exchange->initialize(thread);
  for (GatheredEpilogue &epilogue : gathered)
    epilogue.initialize(self, part, *exchange);
  BufferUse use;
  for (const MmaEpilogue &epilogue : epilogues)
    epilogue.addTo(use);
  for (MmaEpilogue &epilogue : epilogues)
    epilogue.initialize(self, memory, use);
}

void MmaSyncLowering::writeTile(const TilePlace &tile, unsigned number,
                                ArrayRef<Value> sums) {
  const MmaSegment &segment = space.segments[number];
  SmallVector<TileSums> its;
  for (int64_t i = 0; i < segment.sharersOfColumns(schedule); ++i)
    its.push_back(sumsOf(sums, segment, i));
  if (gathered.empty())
    epilogues[number].write(tile, its);
  else
    gathered[number].write(tile, its, TileTurn());
}

void MmaSyncLowering::runTile(const TilePlace &tile, unsigned number) {
  SlotCopies copies(b, space, schedule, slot, memory, thread, endPlace);
  copies.start(tile, number);
  ComputedSteps computed(b, space, schedule, slot, memory, thread);
  computed.start(tile, number);
  if (!ComputedFragments::compute(schedule))
    return writeTile(tile, number, multiplyTile(copies, computed));
  Value warp = order.fixHere(b.div(self.thread, warpThreads));
  ComputedFragments fragments(b, space, schedule, slot, memory, warp,
                              self.lane);
  fragments.start(tile, number);
  writeTile(tile, number, multiplyComputedTile(copies, computed, fragments));
}

Grid MmaSyncLowering::run() {
  frame.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          builder.getI32IntegerAttr(1));
  frame.sharedBytes = schedule.sharedBytes();
  memory = b.sharedMemory();
  placeThread();
  order.initialize();
  findSteps();
  if (!ComputedFragments::compute(schedule))
    addReaders();
  if (!gathered.empty())
    exchange.emplace(b, schedule, memory, memory);
  startEpilogues();
  Value first = b.wordOf(frame.blockId());
  Value stride = b.wordOf(
      {gpu::GridDimOp::create(builder, frame.loc(), gpu::Dimension::x)});
  // The blocks of a tile follow each other, and are as many for each.
  if (schedule.leavesParts()) {
    Value parts = b.wordOf(frame.partStates->parts);
    first = b.div(first, parts);
    stride = b.div(stride, parts);
  }
  b.loop(first, order.count(), stride, {},
         [&](Value number, ValueRange) -> SmallVector<Value> {
           TilePlace tile = order.place(number);
           order.inSegment(tile,
                           [&](unsigned segment) { runTile(tile, segment); });
           // The next tile's copies go where results were.
           meet();
           return {};
         });
  return Grid{order.grid()};
}

Grid mlir::fuse::lowerMmaSync(KernelFrame &frame, MmaScheduleAttr schedule,
                              const MmaSpace &space, TensorFacts facts) {
  return MmaSyncLowering(frame, schedule, space, facts).run();
}
