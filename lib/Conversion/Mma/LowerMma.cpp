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
//                                     compute and write the results
//
//===----------------------------------------------------------------------===//

#include "../TensorMaps.h"
#include "MmaEpilogue.h"
#include "TileRing.h"
#include "Wgmma.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

/// Registers of a thread, which are 504 together: what 384 threads get of the
/// 65536 of a multiprocessor.
static constexpr uint32_t producerRegisters = 40, consumerRegisters = 232;
static constexpr unsigned sharedSpace = 3;
/// Where swizzled rows start, and where dynamic shared memory does: what an
/// external symbol of it asks for above that is not kept.
static constexpr int64_t swizzleAlignment = 1024, sharedAlignment = 16;

namespace {
class MmaLowering {
public:
  MmaLowering(KernelFrame &frame, MmaScheduleAttr schedule, MmaSpace space,
              TensorFacts facts)
      : frame(frame), builder(frame.builder), schedule(schedule),
        space(std::move(space)), b(frame), order(b, this->space, schedule),
        rows{schedule.getTileM(), schedule.getTileK(),
             this->space.rows.isAlongK(this->space.k)},
        columns{schedule.getTileN(), schedule.getTileK(),
                this->space.columns.isAlongK(this->space.k)},
        wgmma(b, schedule.columnsPerConsumer(),
              this->space.op.getType().getElementType(), rows, columns),
        epilogue(b, this->space, schedule, facts) {
    rowsMap = addMap(this->space.rows, rows);
    columnsMap = addMap(this->space.columns, columns);
  }

  LogicalResult verify();
  FailureOr<Grid> run();

private:
  Value addMap(const MmaOperand &operand, const SlotOperand &slot);
  Value sharedMemory();
  void produce(TileRing &ring);
  void copyStep(TileRing &ring, const RingPlace &place, const TilePlace &tile,
                Value step);
  void copyOperand(const MmaOperand &operand, const SlotOperand &slot,
                   Value map, Value at, Value barrier, const TilePlace &tile,
                   Value first, Value step);
  void consume(TileRing &ring);
  SmallVector<Value> multiplyTile(TileRing &ring, const ConsumerThread &self,
                                  RingPlace &place);
  SmallVector<Value> multiplyStep(TileRing &ring, const ConsumerThread &self,
                                  const RingPlace &place, ValueRange sums,
                                  Value step);
  /// `body` for each tile of this block; it gets and returns a place of the
  /// ring.
  void
  forEachTile(int64_t parity,
              llvm::function_ref<RingPlace(const TilePlace &, RingPlace)> body);
  scf::ForOp
  loop(Value from, Value to, Value step, ValueRange values,
       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body);

  KernelFrame &frame;
  OpBuilder &builder;
  MmaScheduleAttr schedule;
  MmaSpace space;
  MmaBuilder b;
  TileOrder order;
  SlotOperand rows, columns;
  Wgmma wgmma;
  MmaEpilogue epilogue;
  Value rowsMap, columnsMap, memory, thread, steps;
};
} // namespace

/// A block of 64 columns of the matrix is a box.
LogicalResult MmaLowering::verify() {
  constexpr int64_t block = MmaScheduleAttr::kRowElements;
  if (columns.isAlongK || schedule.columnsPerConsumer() % block == 0)
    return success();
  return frame.kernel.emitError()
         << "expected consumers with multiples of " << block
         << " columns where neighbours in memory follow axis '" << space.n
         << "', but got " << schedule.columnsPerConsumer()
         << "; choose another tile_n";
}

Value MmaLowering::addMap(const MmaOperand &operand, const SlotOperand &slot) {
  TensorMapUse use;
  use.isResult = false;
  use.number = operand.tensor.getArgNumber();
  use.dims.assign(operand.dims.begin(), operand.dims.end());
  use.box.assign(operand.dims.size(), 1);
  use.box[0] = SlotOperand::rowElements;
  use.box[1] = slot.blockRows();
  return addTensorMap(frame, std::move(use));
}

/// Named after the kernel, since the modules of a program are merged.
Value MmaLowering::sharedMemory() {
  std::string name = ("__dynamic_" + frame.function.getName()).str();
  auto module = frame.function->getParentOfType<gpu::GPUModuleOp>();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(builder, frame.loc(),
                           LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External, name,
                           Attribute(), sharedAlignment, sharedSpace);
  }
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext(), sharedSpace);
  Value start = LLVM::AddressOfOp::create(builder, frame.loc(), pointer, name);
  Value address = LLVM::PtrToIntOp::create(builder, frame.loc(),
                                           builder.getI32Type(), start);
  Value padding =
      b.bitAnd(b.sub(b.word(0), address), b.word(swizzleAlignment - 1));
  return b.behind(start, padding);
}

scf::ForOp MmaLowering::loop(
    Value from, Value to, Value step, ValueRange values,
    llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(builder, frame.loc(), from, to, step, values);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(frame.emitter);
  SmallVector<Value> next =
      body(loop.getInductionVar(), loop.getRegionIterArgs());
  // Without values there is a terminator already.
  if (!values.empty())
    scf::YieldOp::create(builder, frame.loc(), next);
  return loop;
}

void MmaLowering::forEachTile(
    int64_t parity,
    llvm::function_ref<RingPlace(const TilePlace &, RingPlace)> body) {
  Value first = b.wordOf(frame.blockId());
  Value stride = b.wordOf(
      {gpu::GridDimOp::create(builder, frame.loc(), gpu::Dimension::x)});
  loop(first, order.count(), stride, {b.word(0), b.word(parity)},
       [&](Value tile, ValueRange values) -> SmallVector<Value> {
         RingPlace next =
             body(order.place(tile), RingPlace{values[0], values[1]});
         return {next.slot, next.parity};
       });
}

//===----------------------------------------------------------------------===//
// Producer
//===----------------------------------------------------------------------===//

/// Copies count whole boxes, also where these reach past the tensor's end.
void MmaLowering::copyOperand(const MmaOperand &operand,
                              const SlotOperand &slot, Value map, Value at,
                              Value barrier, const TilePlace &tile, Value first,
                              Value step) {
  auto cluster = LLVM::LLVMPointerType::get(
      builder.getContext(),
      static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster));
  Value place = b.mul(step, schedule.getTileK());
  for (int64_t block = 0; block < slot.blocks(); ++block) {
    int64_t further = block * SlotOperand::rowElements;
    SmallVector<Value> coordinates;
    for (char axis : operand.axes)
      coordinates.push_back(axis == space.k
                                ? b.add(place, slot.isAlongK ? further : 0)
                            : axis == space.m || axis == space.n
                                ? b.add(first, slot.isAlongK ? 0 : further)
                                : tile.outer.lookup(axis));
    Value to = LLVM::AddrSpaceCastOp::create(
        builder, frame.loc(), cluster,
        b.behind(memory, b.add(at, block * slot.blockBytes())));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        builder, frame.loc(), to, map, coordinates, barrier,
        /*im2colOffsets=*/ValueRange(), /*multicastMask=*/Value(),
        /*l2CacheHint=*/Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
        NVVM::CTAGroupKindAttr(), /*predicate=*/Value());
  }
}

void MmaLowering::copyStep(TileRing &ring, const RingPlace &place,
                           const TilePlace &tile, Value step) {
  ring.awaitEmpty(place);
  Value barrier = ring.expect(place, schedule.slotBytes());
  Value at = ring.offset(place.slot);
  copyOperand(space.rows, rows, rowsMap, at, barrier, tile, tile.row, step);
  copyOperand(space.columns, columns, columnsMap, b.add(at, rows.bytes()),
              barrier, tile, tile.column, step);
}

void MmaLowering::produce(TileRing &ring) {
  forEachTile(/*parity=*/1, [&](const TilePlace &tile, RingPlace place) {
    scf::ForOp all =
        loop(b.word(0), steps, b.word(1), {place.slot, place.parity},
             [&](Value step, ValueRange values) -> SmallVector<Value> {
               RingPlace current{values[0], values[1]};
               copyStep(ring, current, tile, step);
               RingPlace next = ring.next(current);
               return {next.slot, next.parity};
             });
    return RingPlace{all.getResult(0), all.getResult(1)};
  });
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

/// A fence comes right before the products: ptxas runs them one by one where a
/// branch lies between. The slot before is free once its products are done.
SmallVector<Value> MmaLowering::multiplyStep(TileRing &ring,
                                             const ConsumerThread &self,
                                             const RingPlace &place,
                                             ValueRange sums, Value step) {
  ring.awaitFull(place);
  Value at = ring.offset(place.slot);
  int64_t parts = schedule.partsPerConsumer();
  SmallVector<Value> left;
  for (int64_t part = 0; part < parts; ++part) {
    Value offset = b.word(rows.offsetOf(part * MmaScheduleAttr::kRows));
    if (!schedule.sharesColumns())
      offset =
          b.add(offset, b.mul(self.consumer,
                              rows.offsetOf(parts * MmaScheduleAttr::kRows)));
    left.push_back(wgmma.leftDescriptor(b.behind(memory, b.add(at, offset))));
  }
  Value offset = b.word(rows.bytes());
  if (schedule.sharesColumns())
    offset =
        b.add(offset, b.mul(self.consumer,
                            columns.offsetOf(schedule.columnsPerConsumer())));
  Value right = wgmma.rightDescriptor(b.behind(memory, b.add(at, offset)));
  Value isLater = b.differs(step, b.word(0));
  Value keeps = arith::ExtUIOp::create(builder, frame.loc(),
                                       builder.getI32Type(), isLater);
  Value always = b.word(1);
  SmallVector<Value> next(sums);
  wgmma.fence();
  constexpr int64_t placesPerStep = 16;
  for (int64_t i = 0; i < schedule.getTileK() / placesPerStep; ++i)
    for (int64_t part = 0; part < parts; ++part)
      next[part] =
          wgmma.multiply(next[part], left[part], right, i, i ? always : keeps);
  wgmma.commit();
  wgmma.awaitAllButOne();
  Value mayRelease = frame.both(isLater, b.equal(self.thread, 0));
  frame.ifTrue(mayRelease, [&] { ring.release(ring.previousSlot(place)); });
  return next;
}

/// This thread's sums of the tile, by parts of 64 rows; `place` moves on.
SmallVector<Value> MmaLowering::multiplyTile(TileRing &ring,
                                             const ConsumerThread &self,
                                             RingPlace &place) {
  int64_t parts = schedule.partsPerConsumer();
  // Without a step the sums are zero; with one the first ignores them.
  std::optional<int64_t> k = staticProduct(space.extents(space.k, frame.dims));
  Value start = k && *k > 0 ? wgmma.undefined() : wgmma.zeros();
  SmallVector<Value> values(parts, start);
  values.append({place.slot, place.parity});
  scf::ForOp all = loop(
      b.word(0), steps, b.word(1), values, [&](Value step, ValueRange current) {
        RingPlace here{current[parts], current[parts + 1]};
        SmallVector<Value> next =
            multiplyStep(ring, self, here, current.take_front(parts), step);
        RingPlace after = ring.next(here);
        next.append({after.slot, after.parity});
        return next;
      });
  SmallVector<Value> sums;
  for (int64_t part = 0; part < parts; ++part)
    sums.push_back(wgmma.awaitAll(all.getResult(part)));
  place = {all.getResult(parts), all.getResult(parts + 1)};
  Value mayRelease =
      frame.both(b.differs(steps, b.word(0)), b.equal(self.thread, 0));
  frame.ifTrue(mayRelease, [&] { ring.release(ring.previousSlot(place)); });
  return sums;
}

void MmaLowering::consume(TileRing &ring) {
  constexpr int64_t group = MmaScheduleAttr::kGroup, warp = 32;
  ConsumerThread self{b.sub(b.div(thread, group), b.word(1)),
                      b.rem(thread, group), b.rem(thread, warp)};
  epilogue.initialize(
      self, b.behind(memory, schedule.getStages() * schedule.slotBytes()));
  forEachTile(/*parity=*/0, [&](const TilePlace &found, RingPlace place) {
    TilePlace tile = order.fixHere(found);
    SmallVector<SmallVector<Value>> sums;
    for (Value part : multiplyTile(ring, self, place)) {
      sums.emplace_back();
      for (int64_t i = 0; i < wgmma.sumsPerThread(); ++i)
        sums.back().push_back(wgmma.extract(part, i));
    }
    epilogue.write(order.fixHere(tile), sums);
    return place;
  });
  epilogue.finish();
}

FailureOr<Grid> MmaLowering::run() {
  if (failed(verify()))
    return failure();
  frame.function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                          builder.getI32IntegerAttr(1));
  frame.sharedBytes = schedule.sharedBytes();
  memory = sharedMemory();
  thread = b.thread();
  order.initialize();
  steps = b.ceilDiv(
      b.wordOf(frame.emitter.product(space.extents(space.k, frame.dims))),
      schedule.getTileK());
  TileRing ring(b, schedule, memory,
                schedule.getStages() * schedule.slotBytes() +
                    schedule.resultBytes());
  Value isFirst = b.equal(thread, 0);
  frame.ifTrue(isFirst, [&] { ring.initialize(); });
  NVVM::BarrierOp::create(builder, frame.loc());
  Value isProducer = b.equal(b.div(thread, MmaScheduleAttr::kGroup), 0);
  frame.ifElse(
      isProducer,
      [&] {
        NVVM::SetMaxRegisterOp::create(builder, frame.loc(), producerRegisters,
                                       NVVM::SetMaxRegisterAction::decrease);
        frame.ifTrue(isFirst, [&] { produce(ring); });
      },
      [&] {
        NVVM::SetMaxRegisterOp::create(builder, frame.loc(), consumerRegisters,
                                       NVVM::SetMaxRegisterAction::increase);
        consume(ring);
      });
  // One thread of the producer's first warp comes late.
  NVVM::SyncWarpOp::create(builder, frame.loc(), b.word(-1));
  return Grid{order.grid()};
}

FailureOr<Grid> mlir::fuse::lowerMma(KernelFrame &frame,
                                     MmaScheduleAttr schedule) {
  const EmitOptions &options = frame.emitter.getOptions();
  if (!options.wgmma)
    return frame.kernel.emitError()
           << "expected a chip with wgmma for #fuse.mma, such as sm_90a, but "
              "got another; use #fuse.contraction";
  TensorFacts facts{options.aligned, options.divisible};
  std::string reason;
  FailureOr<MmaSpace> space =
      mmaSpaceOf(frame.kernel, frame.dims, facts, reason);
  if (failed(space))
    return frame.kernel.emitError()
           << "expected a contraction that tensor cores run for #fuse.mma, but "
           << reason << "; use #fuse.contraction";
  return MmaLowering(frame, schedule, *space, facts).run();
}
