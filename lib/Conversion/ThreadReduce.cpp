//===- ThreadReduce.cpp - Combining states across threads -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ThreadReduce.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpSize = 32;

/// The value of the lane whose number differs in `distance`. Shuffles move 32
/// bits: booleans are widened, 64-bit values go as two halves.
static Value shuffleXor(OpBuilder &builder, Location loc, Value value,
                        int64_t distance) {
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, distance, warpSize,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
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

static ReductionState reduceWarp(OpBuilder &builder, Reducer &reducer,
                                 ReductionState state, int64_t width) {
  Location loc = reducer.getOp()->getLoc();
  for (int64_t distance = std::min(width, warpSize) / 2; distance > 0;
       distance /= 2) {
    ReductionState other;
    for (Value value : state)
      other.push_back(shuffleXor(builder, loc, value, distance));
    state = reducer.combine(state, other);
  }
  return state;
}

/// Shared memory for one component of a state, one slot a warp. Booleans take a
/// word.
static Value addSlots(KernelFrame &frame, Type type, int64_t count) {
  OpBuilder &builder = frame.builder;
  Type stored = type.isInteger(1) ? Type(builder.getI32Type()) : type;
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  return frame.function.addWorkgroupAttribution(
      MemRefType::get({count}, stored, AffineMap(), space), frame.loc());
}

static void storeSlot(KernelFrame &frame, Value slots, Value slot,
                      Value value) {
  if (value.getType().isInteger(1))
    value = arith::ExtUIOp::create(frame.builder, frame.loc(),
                                   frame.builder.getI32Type(), value);
  memref::StoreOp::create(frame.builder, frame.loc(), value, slots,
                          ValueRange{slot});
}

static Value loadSlot(KernelFrame &frame, Value slots, Value slot, Type type) {
  Value value = memref::LoadOp::create(frame.builder, frame.loc(), slots,
                                       ValueRange{slot});
  if (type.isInteger(1))
    value = arith::TruncIOp::create(frame.builder, frame.loc(), type, value);
  return value;
}

SmallVector<ReductionState> mlir::fuse::combineThreads(
    KernelFrame &frame, MutableArrayRef<Reducer> reducers,
    SmallVector<ReductionState> states, const ThreadGroup &group) {
  OpBuilder &builder = frame.builder;
  PointEmitter &emitter = frame.emitter;
  for (auto [reducer, state] : llvm::zip(reducers, states))
    state = reduceWarp(builder, reducer, state, group.width);
  if (group.width <= warpSize)
    return states;

  int64_t warps = group.width / warpSize;
  SmallVector<SmallVector<Value, 2>> slots;
  for (ReductionState &state : states) {
    slots.emplace_back();
    for (Value value : state)
      slots.back().push_back(
          addSlots(frame, value.getType(), group.groups * warps));
  }
  Index firstSlot = emitter.mul(group.group, Index::constant(warps));
  Index warp = emitter.div(group.lane, Index::constant(warpSize));
  Index inWarp = emitter.rem(group.lane, Index::constant(warpSize));
  frame.ifTrue(emitter.less(inWarp, Index::constant(1)), [&] {
    Value slot = emitter.materialize(emitter.add(firstSlot, warp));
    for (auto [state, buffers] : llvm::zip(states, slots))
      for (auto [value, buffer] : llvm::zip(state, buffers))
        storeSlot(frame, buffer, slot, value);
  });
  gpu::BarrierOp::create(builder, frame.loc());
  // Every slot is written once and only read after the barrier, so that no
  // second barrier is needed.
  for (auto [reducer, state, buffers] : llvm::zip(reducers, states, slots)) {
    for (int64_t i = 0; i < warps; ++i) {
      Value slot =
          emitter.materialize(emitter.add(firstSlot, Index::constant(i)));
      ReductionState part;
      for (auto [value, buffer] : llvm::zip(state, buffers))
        part.push_back(loadSlot(frame, buffer, slot, value.getType()));
      state = i == 0 ? part : reducer.combine(state, part);
    }
  }
  return states;
}

SmallVector<ReductionState>
mlir::fuse::combineSlices(KernelFrame &frame, MutableArrayRef<Reducer> reducers,
                          SmallVector<ReductionState> states,
                          const SliceGroup &group) {
  OpBuilder &builder = frame.builder;
  PointEmitter &emitter = frame.emitter;
  Location loc = frame.loc();
  auto lanesOf = [](Value value) -> int64_t {
    auto type = dyn_cast<VectorType>(value.getType());
    return type ? type.getDimSize(0) : 1;
  };
  auto slotOf = [&](const Index &slice, int64_t lanes) {
    Index place = emitter.add(
        emitter.mul(slice, Index::constant(group.vectors)), group.vector);
    return emitter.mul(place, Index::constant(lanes));
  };
  SmallVector<SmallVector<Value, 2>> slots;
  for (ReductionState &state : states) {
    slots.emplace_back();
    for (Value value : state) {
      int64_t lanes = lanesOf(value);
      Value memory = addSlots(frame, getElementTypeOrSelf(value.getType()),
                              group.vectors * group.slices * lanes);
      slots.back().push_back(memory);
      Index slot = slotOf(group.slice, lanes);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        Value element =
            lanes == 1
                ? value
                : Value(vector::ExtractOp::create(builder, loc, value, lane));
        storeSlot(frame, memory,
                  emitter.materialize(emitter.add(slot, Index::constant(lane))),
                  element);
      }
    }
  }
  gpu::BarrierOp::create(builder, loc);

  auto read = [&](const Index &slice, const ReductionState &like,
                  ArrayRef<Value> memories) {
    ReductionState part;
    for (auto [number, value] : llvm::enumerate(like)) {
      int64_t lanes = lanesOf(value);
      Type element = getElementTypeOrSelf(value.getType());
      Value memory = memories[number];
      Index slot = slotOf(slice, lanes);
      part.push_back(emitter.gatherLanes(loc, lanes, [&](int64_t lane) {
        return loadSlot(
            frame, memory,
            emitter.materialize(emitter.add(slot, Index::constant(lane))),
            element);
      }));
    }
    return part;
  };
  for (auto [reducer, state, memories] : llvm::zip(reducers, states, slots)) {
    ReductionState first = read(Index::constant(0), state, memories);
    auto loop = scf::ForOp::create(
        builder, loc, emitter.materialize(Index::constant(1)),
        emitter.materialize(Index::constant(group.slices)),
        emitter.materialize(Index::constant(1)), first);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      PointEmitter::Scope scope(emitter);
      ReductionState sum(loop.getRegionIterArgs());
      ReductionState part = read({loop.getInductionVar()}, state, memories);
      scf::YieldOp::create(builder, loc, reducer.combine(sum, part));
    }
    state = ReductionState(loop.getResults());
  }
  return states;
}
