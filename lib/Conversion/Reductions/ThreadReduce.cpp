//===- ThreadReduce.cpp - Combining states across threads -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadReduce.h"

#include "BlockBranches.h"
#include "ClusterExchange.h"
#include "ScatteredStates.h"
#include "StateLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

/// What `exchange` makes of the value's words. Shuffles move 32 bits: booleans
/// are widened, 64-bit values go as two halves.
static Value exchangeWords(OpBuilder &builder, Location loc, Value value,
                           llvm::function_ref<Value(Value)> exchange) {
  Type type = value.getType();
  if (type.isInteger(1)) {
    Value word =
        arith::ExtUIOp::create(builder, loc, builder.getI32Type(), value);
    return arith::TruncIOp::create(builder, loc, type, exchange(word));
  }
  if (type.getIntOrFloatBitWidth() == 32)
    return exchange(value);
  auto pair = VectorType::get({2}, builder.getI32Type());
  auto single = VectorType::get({1}, type);
  Value words = vector::BitCastOp::create(
      builder, loc, pair,
      vector::BroadcastOp::create(builder, loc, single, value));
  SmallVector<Value> halves;
  for (int64_t i = 0; i < 2; ++i)
    halves.push_back(
        exchange(vector::ExtractOp::create(builder, loc, words, i)));
  Value joined = vector::FromElementsOp::create(builder, loc, pair, halves);
  Value back = vector::BitCastOp::create(builder, loc, single, joined);
  return vector::ExtractOp::create(builder, loc, back, int64_t{0});
}

Value mlir::fuse::shuffleXor(OpBuilder &builder, Location loc, Value value,
                             int64_t distance) {
  return exchangeWords(builder, loc, value, [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, distance, warpSize,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  });
}

Value mlir::fuse::shuffleFrom(OpBuilder &builder, Location loc, Value value,
                              Value lane) {
  Value width = arith::ConstantIntOp::create(builder, loc, warpSize, 32);
  return exchangeWords(builder, loc, value, [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, lane, width,
                                  gpu::ShuffleMode::IDX)
        .getShuffleResult();
  });
}

/// Distances of a butterfly over the lanes of a warp, `width` at most.
static void forEachDistance(int64_t width,
                            llvm::function_ref<void(int64_t)> body) {
  for (int64_t distance = std::min(width, warpSize) / 2; distance > 0;
       distance /= 2)
    body(distance);
}

/// One component of the lanes of a warp, each `width` of them.
static Value reduceComponent(OpBuilder &builder, Reducer &reducer,
                             unsigned component, Value value, int64_t width) {
  Location loc = reducer.getOp()->getLoc();
  forEachDistance(width, [&](int64_t distance) {
    value = reducer.combineComponent(component, value,
                                     shuffleXor(builder, loc, value, distance));
  });
  return value;
}

/// The same of whole states; what is known is not exchanged.
static ReductionState reduceStates(OpBuilder &builder, Reducer &reducer,
                                   ReductionState state, int64_t width) {
  Location loc = reducer.getOp()->getLoc();
  forEachDistance(width, [&](int64_t distance) {
    auto other = llvm::map_to_vector<2>(state, [&](Value value) {
      bool isKnown = matchPattern(value, m_Constant());
      return isKnown ? value : shuffleXor(builder, loc, value, distance);
    });
    state = reducer.combine(state, other);
  });
  return state;
}

static ReductionState reduceWarp(OpBuilder &builder, Reducer &reducer,
                                 ReductionState state, int64_t width) {
  if (reducer.isWelford())
    return reduceStates(builder, reducer, std::move(state), width);
  Value first = reduceComponent(builder, reducer, 0, state[0], width);
  if (!reducer.isOnline())
    return {first};
  Value sum = reducer.rescale(state, first);
  return {first, reduceComponent(builder, reducer, 1, sum, width)};
}

/// Booleans take a word.
static Type slotType(OpBuilder &builder, Type type) {
  return type.isInteger(1) ? Type(builder.getI32Type()) : type;
}

/// Whether no block of threads that comes to one place comes to the other.
static bool areOfOtherBlocks(Block *place, Block *here) {
  for (Operation *op = here->getParentOp(); op; op = op->getParentOp())
    if (auto branch = dyn_cast<scf::IfOp>(op);
        branch && branch->hasAttr(kOfBlocksAttr) &&
        branch->isAncestor(place->getParentOp()))
      return branch.getThenRegion().isAncestor(place->getParent()) !=
             branch.getThenRegion().isAncestor(here->getParent());
  return false;
}

/// What was asked for counts, used yet or not: a kernel may ask for the buffers
/// of all of its reductions before it uses the first.
Value mlir::fuse::addSlots(KernelFrame &frame, Type type, int64_t count) {
  OpBuilder &builder = frame.builder;
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  auto needed =
      MemRefType::get({count}, slotType(builder, type), AffineMap(), space);
  Block *here = builder.getInsertionBlock();
  auto isFree = [&](Value buffer) {
    auto has = cast<MemRefType>(buffer.getType());
    return has.getElementType() == needed.getElementType() &&
           has.getNumElements() >= count &&
           llvm::all_of(frame.slots, [&](const auto &slot) {
             return slot.first != buffer || areOfOtherBlocks(slot.second, here);
           });
  };
  const auto *free = llvm::find_if(
      frame.slots, [&](const auto &slot) { return isFree(slot.first); });
  Value buffer =
      free != frame.slots.end()
          ? free->first
          : Value(frame.function.addWorkgroupAttribution(needed, frame.loc()));
  frame.slots.emplace_back(buffer, here);
  return buffer;
}

static Value toSlot(OpBuilder &builder, Value value) {
  Type type = slotType(builder, value.getType());
  if (type == value.getType())
    return value;
  return arith::ExtUIOp::create(builder, value.getLoc(), type, value);
}

static Value fromSlot(OpBuilder &builder, Value value, Type type) {
  if (type == value.getType())
    return value;
  return arith::TruncIOp::create(builder, value.getLoc(), type, value);
}

void mlir::fuse::storeSlot(KernelFrame &frame, Value slots, const Index &slot,
                           Value value) {
  memref::StoreOp::create(frame.builder, frame.loc(),
                          toSlot(frame.builder, value), slots,
                          ValueRange{frame.emitter.materialize(slot)});
}

Value mlir::fuse::loadSlot(KernelFrame &frame, Value slots, const Index &slot,
                           Type type) {
  Value value =
      memref::LoadOp::create(frame.builder, frame.loc(), slots,
                             ValueRange{frame.emitter.materialize(slot)});
  return fromSlot(frame.builder, value, type);
}

namespace {
/// The slots of the warps of a group, of one component of a state. A cluster's
/// are there in each of its blocks.
class WarpSlots {
public:
  WarpSlots(KernelFrame &frame, const ThreadGroup &group, Value value)
      : frame(frame), group(group), type(value.getType()) {
    if (matchPattern(value, m_Constant())) {
      known = value;
      return;
    }
    int64_t count = group.groups * group.width / warpSize;
    memory = group.blocks > 1
                 ? addClusterSlots(frame, slotType(frame.builder, type), count)
                 : addSlots(frame, type, count);
  }

  /// In block `rank` of the cluster, or the only one.
  void store(const Index &slot, Value value, const Index &rank) {
    if (known)
      return;
    if (group.blocks > 1)
      storeInBlock(frame, memory, slot, toSlot(frame.builder, value), rank,
                   group.arrival);
    else
      storeSlot(frame, memory, slot, value);
  }

  /// What all warps write to a block.
  int64_t bytes() const {
    Type stored = slotType(frame.builder, type);
    return known ? 0
                 : group.width / warpSize * stored.getIntOrFloatBitWidth() / 8;
  }

  Value load(const Index &slot) {
    if (known)
      return known;
    if (group.blocks == 1)
      return loadSlot(frame, memory, slot, type);
    Value value =
        loadFromOwn(frame, memory, slot, slotType(frame.builder, type));
    return fromSlot(frame.builder, value, type);
  }

private:
  KernelFrame &frame;
  const ThreadGroup &group;
  Type type;
  Value memory;
  /// What all warps have, which takes no slots.
  Value known;
};
/// One for each component of each state.
using StateSlots = std::vector<std::vector<WarpSlots>>;
} // namespace

/// From so many warps on each lane takes the states of some: all states in
/// every thread would rescale as many online sums, or load as many plain ones.
static constexpr int64_t fewestWarpsInLanes = 8;
static constexpr int64_t mostPlainWarps = 32;

/// The states of all warps of a row, of which `read` gives one by its number.
static ReductionState
combineWarps(KernelFrame &frame, Reducer &reducer, int64_t warps,
             const ThreadGroup &group,
             llvm::function_ref<ReductionState(const Index &)> read) {
  bool inLanes =
      llvm::isPowerOf2_64(warps) &&
      (reducer.isOnline() || reducer.isWelford() ? warps >= fewestWarpsInLanes
                                                 : warps > mostPlainWarps);
  int64_t lanes = inLanes ? std::min(warps, warpSize) : 1;
  Index first = inLanes ? frame.emitter.rem(group.lane, Index::constant(lanes))
                        : Index::constant(0);
  SmallVector<ReductionState> parts;
  for (int64_t i = 0; i < warps; i += lanes)
    parts.push_back(read(frame.emitter.add(first, Index::constant(i))));
  ReductionState combined =
      parts.size() > 1 ? reducer.combineAll(parts) : parts.front();
  if (!inLanes)
    return combined;
  return reduceWarp(frame.builder, reducer, combined, lanes);
}

/// What an exchange brings to each block.
static int64_t arrivingBytes(const StateSlots &slots) {
  int64_t bytes = 0;
  for (const std::vector<WarpSlots> &ofState : slots)
    for (const WarpSlots &ofComponent : ofState)
      bytes += ofComponent.bytes();
  return bytes;
}

/// Writes what each warp has found to the slots of its group, in every block
/// that the group has threads in, and waits for those of all warps.
static void exchangeStates(KernelFrame &frame, ArrayRef<ReductionState> states,
                           StateSlots &slots, const Index &firstSlot,
                           const ThreadGroup &group) {
  PointEmitter &emitter = frame.emitter;
  Index warp = emitter.div(group.lane, Index::constant(warpSize));
  Index slot = emitter.add(firstSlot, warp);
  Index inWarp = emitter.rem(group.lane, Index::constant(warpSize));
  if (group.arrival)
    frame.ifTrue(emitter.less(group.thread, Index::constant(1)), [&] {
      expectBytes(frame, group.arrival, arrivingBytes(slots));
    });
  // Each lane writes to the block of its number.
  frame.ifTrue(emitter.less(inWarp, Index::constant(group.blocks)), [&] {
    for (auto [state, ofState] : llvm::zip(states, slots))
      for (auto [value, ofComponent] : llvm::zip(state, ofState))
        ofComponent.store(slot, value, /*rank=*/inWarp);
  });
  if (group.arrival)
    awaitBytes(frame, group.arrival);
  else if (group.blocks > 1)
    meetInCluster(frame);
  else
    gpu::BarrierOp::create(frame.builder, frame.loc());
}

SmallVector<ReductionState> mlir::fuse::combineThreads(
    KernelFrame &frame, MutableArrayRef<Reducer> reducers,
    SmallVector<ReductionState> states, const ThreadGroup &group) {
  PointEmitter &emitter = frame.emitter;
  if (canScatter(reducers, states, group))
    return combineScattered(frame, reducers, states, group);
  for (auto [reducer, state] : llvm::zip(reducers, states))
    state = reduceWarp(frame.builder, reducer, state, group.width);
  if (group.width <= warpSize)
    return states;

  int64_t warps = group.width / warpSize;
  StateSlots slots;
  for (ReductionState &state : states) {
    slots.emplace_back();
    for (Value value : state)
      slots.back().emplace_back(frame, group, value);
  }
  Index firstSlot = emitter.mul(group.group, Index::constant(warps));
  exchangeStates(frame, states, slots, firstSlot, group);
  // Every slot is written once and only read after the barrier, so that no
  // second barrier is needed.
  for (auto [reducer, state, ofState] : llvm::zip(reducers, states, slots)) {
    auto read = [&, &ofState = ofState](const Index &number) {
      ReductionState part;
      for (WarpSlots &ofComponent : ofState)
        part.push_back(ofComponent.load(emitter.add(firstSlot, number)));
      return part;
    };
    state = combineWarps(frame, reducer, warps, group, read);
  }
  return states;
}

namespace {
/// The states of all slices in shared memory, of the block or the first one of
/// a cluster.
class SharedSlices {
public:
  /// Writes the states of all threads.
  SharedSlices(KernelFrame &frame, MutableArrayRef<Reducer> reducers,
               ArrayRef<ReductionState> states, const SliceGroup &group);

  /// What all threads write.
  int64_t bytes();

  /// The combination of the slices for this thread's vector.
  SmallVector<ReductionState> combine();
  /// The same for one lane of a vector: `number` is vector + lane x vectors.
  SmallVector<ReductionState> combineLane(const Index &number);

private:
  Index slotOf(const Index &slice, int64_t lane);
  Value addSlotsFor(Value value);
  void store(Value memory, const Index &slot, Value value);
  Value load(Value memory, const Index &slot, Type type);
  ReductionState read(const Index &slice, unsigned reduction);
  ReductionState readLane(const Index &slice, const Index &number,
                          unsigned reduction);
  SmallVector<ReductionState> combineAll(
      llvm::function_ref<ReductionState(const Index &, unsigned)> readSlice);

  KernelFrame &frame;
  MutableArrayRef<Reducer> reducers;
  SmallVector<ReductionState> states;
  SliceGroup group;
  /// One buffer for each component of each state.
  SmallVector<SmallVector<Value, 2>> buffers;
};
} // namespace

/// Lanes lie apart and vectors beside each other, so that the threads of a warp
/// write to different banks.
Index SharedSlices::slotOf(const Index &slice, int64_t lane) {
  PointEmitter &emitter = frame.emitter;
  Index place = emitter.add(emitter.mul(slice, Index::constant(group.vectors)),
                            group.vector);
  return emitter.add(place,
                     Index::constant(lane * group.vectors * group.slices));
}

SharedSlices::SharedSlices(KernelFrame &frame,
                           MutableArrayRef<Reducer> reducers,
                           ArrayRef<ReductionState> states,
                           const SliceGroup &group)
    : frame(frame), reducers(reducers), states(states), group(group) {
  OpBuilder &builder = frame.builder;
  for (const ReductionState &state : states) {
    buffers.emplace_back();
    for (Value value : state) {
      int64_t lanes = lanesIn(value);
      Value memory = addSlotsFor(value);
      buffers.back().push_back(memory);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value element = lanes == 1 ? value
                                   : Value(vector::ExtractOp::create(
                                         builder, frame.loc(), value, lane));
        store(memory, slotOf(group.slice, lane), element);
      }
    }
  }
}

Value SharedSlices::addSlotsFor(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  int64_t count = group.vectors * group.slices * lanesIn(value);
  return group.arrival
             ? addClusterSlots(frame, slotType(frame.builder, type), count)
             : addSlots(frame, type, count);
}

void SharedSlices::store(Value memory, const Index &slot, Value value) {
  if (group.arrival)
    storeInBlock(frame, memory, slot, toSlot(frame.builder, value),
                 /*rank=*/Index::constant(0), group.arrival);
  else
    storeSlot(frame, memory, slot, value);
}

Value SharedSlices::load(Value memory, const Index &slot, Type type) {
  if (!group.arrival)
    return loadSlot(frame, memory, slot, type);
  Value value = loadFromOwn(frame, memory, slot, slotType(frame.builder, type));
  return fromSlot(frame.builder, value, type);
}

int64_t SharedSlices::bytes() {
  int64_t bytes = 0;
  for (const ReductionState &state : states)
    for (Value value : state)
      bytes += lanesIn(value) * group.vectors * group.slices *
               slotType(frame.builder, getElementTypeOrSelf(value.getType()))
                   .getIntOrFloatBitWidth() /
               8;
  return bytes;
}

ReductionState SharedSlices::read(const Index &slice, unsigned reduction) {
  ReductionState part;
  for (auto [value, memory] :
       llvm::zip(states[reduction], buffers[reduction])) {
    Type element = getElementTypeOrSelf(value.getType());
    part.push_back(frame.emitter.gatherLanes(
        frame.loc(), lanesIn(value), [&, memory = memory](int64_t lane) {
          return load(memory, slotOf(slice, lane), element);
        }));
  }
  return part;
}

/// Of a component that all lanes have the same of, there is one lane.
ReductionState SharedSlices::readLane(const Index &slice, const Index &number,
                                      unsigned reduction) {
  PointEmitter &emitter = frame.emitter;
  Index vectors = Index::constant(group.vectors);
  Index vector = emitter.rem(number, vectors);
  Index lane = emitter.div(number, vectors);
  ReductionState part;
  for (auto [value, memory] :
       llvm::zip(states[reduction], buffers[reduction])) {
    Index before = lanesIn(value) == 1
                       ? Index::constant(0)
                       : emitter.mul(lane, Index::constant(group.slices));
    Index slot =
        emitter.add(emitter.mul(emitter.add(before, slice), vectors), vector);
    part.push_back(load(memory, slot, getElementTypeOrSelf(value.getType())));
  }
  return part;
}

SmallVector<ReductionState> SharedSlices::combine() {
  return combineAll([&](const Index &slice, unsigned reduction) {
    return read(slice, reduction);
  });
}

SmallVector<ReductionState> SharedSlices::combineLane(const Index &number) {
  return combineAll([&](const Index &slice, unsigned reduction) {
    return readLane(slice, number, reduction);
  });
}

SmallVector<ReductionState> SharedSlices::combineAll(
    llvm::function_ref<ReductionState(const Index &, unsigned)> readSlice) {
  Index one = Index::constant(1);
  SmallVector<ReductionState> combined;
  for (auto [number, reducer] : llvm::enumerate(reducers)) {
    auto takeSlice = [&, number = number, &reducer = reducer](
                         const Index &slice, ReductionStates sum) {
      sum[0] = reducer.combine(sum[0], readSlice(slice, number));
      return sum;
    };
    combined.append(accumulateOver(frame.emitter, frame.loc(), reducer,
                                   {one, Index::constant(group.slices), one},
                                   {readSlice(Index::constant(0), number)},
                                   takeSlice));
  }
  return combined;
}

/// Whether the slices of the only vector can exchange their states by shuffles.
static bool isOneRow(ArrayRef<ReductionState> states, const SliceGroup &group) {
  bool wholeWarps =
      group.slices % warpSize == 0 ||
      (group.slices < warpSize && llvm::isPowerOf2_64(group.slices));
  return group.vectors == 1 && wholeWarps &&
         llvm::all_of(states, [](const ReductionState &state) {
           return !isa<VectorType>(state.back().getType());
         });
}

SmallVector<ReductionState>
mlir::fuse::combineSlices(KernelFrame &frame, MutableArrayRef<Reducer> reducers,
                          SmallVector<ReductionState> states,
                          const SliceGroup &group) {
  if (isOneRow(states, group))
    return combineThreads(frame, reducers, std::move(states),
                          {group.slices, 1, group.slice, Index::constant(0)});
  SharedSlices slices(frame, reducers, states, group);
  gpu::BarrierOp::create(frame.builder, frame.loc());
  return slices.combine();
}

void mlir::fuse::combineSlices(
    KernelFrame &frame, MutableArrayRef<Reducer> reducers,
    SmallVector<ReductionState> states, const SliceGroup &group, Value wanted,
    llvm::function_ref<void(const SmallVector<ReductionState> &)> then) {
  if (group.slices == 1 || isOneRow(states, group)) {
    if (group.slices > 1)
      states = combineSlices(frame, reducers, std::move(states), group);
    frame.ifTrue(wanted, [&] { then(states); });
    return;
  }
  SharedSlices slices(frame, reducers, states, group);
  gpu::BarrierOp::create(frame.builder, frame.loc());
  frame.ifTrue(wanted, [&] { then(slices.combine()); });
}

void mlir::fuse::combineLanes(
    KernelFrame &frame, MutableArrayRef<Reducer> reducers,
    ArrayRef<ReductionState> states, const SliceGroup &group,
    const Index &thread, int64_t lanes,
    llvm::function_ref<void(const SmallVector<ReductionState> &)> then) {
  SharedSlices slices(frame, reducers, states, group);
  gpu::BarrierOp::create(frame.builder, frame.loc());
  Index count = Index::constant(group.vectors * lanes);
  frame.ifTrue(frame.emitter.less(thread, count),
               [&] { then(slices.combineLane(thread)); });
}

void mlir::fuse::combineInCluster(
    KernelFrame &frame, MutableArrayRef<Reducer> reducers,
    ArrayRef<ReductionState> states, const SliceGroup &group, Value wanted,
    llvm::function_ref<void(const SmallVector<ReductionState> &)> then) {
  PointEmitter &emitter = frame.emitter;
  SharedSlices slices(frame, reducers, states, group);
  frame.ifTrue(emitter.less(group.slice, Index::constant(1)), [&] {
    frame.ifTrue(emitter.less(group.vector, Index::constant(1)),
                 [&] { expectBytes(frame, group.arrival, slices.bytes()); });
    awaitBytes(frame, group.arrival);
    frame.ifTrue(wanted, [&] { then(slices.combine()); });
  });
}
