//===- ScatteredStates.cpp - Many states of a warp at once ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScatteredStates.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

/// Of two states a butterfly takes as few instructions.
static constexpr size_t fewestStates = 4;

bool mlir::fuse::canScatter(ArrayRef<Reducer> reducers,
                            ArrayRef<ReductionState> states,
                            const ThreadGroup &group) {
  if (group.width <= warpSize || group.blocks > 1 ||
      states.size() < fewestStates ||
      static_cast<int64_t>(states.size()) > warpSize ||
      !llvm::isPowerOf2_64(states.size()))
    return false;
  auto first = dyn_cast<ReduceOp>(reducers.front().getOp());
  return first && llvm::all_of(llvm::zip_equal(reducers, states), [&](auto it) {
           auto [reducer, state] = it;
           auto reduce = dyn_cast<ReduceOp>(reducer.getOp());
           Type type = state.front().getType();
           return reduce &&
                  ReduceOp(reduce).getKind() == ReduceOp(first).getKind() &&
                  type == states.front().front().getType() &&
                  type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 32;
         });
}

/// The state of which this lane has what all lanes had.
static Value scatter(KernelFrame &frame, Reducer &reducer,
                     SmallVector<Value> values, const Index &lane) {
  PointEmitter &emitter = frame.emitter;
  OpBuilder &builder = frame.builder;
  Location loc = reducer.getOp()->getLoc();
  for (int64_t distance = warpSize / 2; distance > 0; distance /= 2) {
    size_t half = values.size() / 2;
    Index upper = emitter.rem(emitter.div(lane, Index::constant(distance)),
                              Index::constant(2));
    Value isUpper =
        half > 0 ? emitter.less(Index::constant(0), upper) : Value();
    auto choose = [&](Value a, Value b) -> Value {
      return arith::SelectOp::create(builder, loc, isUpper, a, b);
    };
    for (size_t i = 0; i < std::max<size_t>(half, 1); ++i) {
      Value kept = half ? choose(values[half + i], values[i]) : values[i];
      Value given = half ? choose(values[i], values[half + i]) : values[i];
      values[i] = reducer.combineComponent(
          0, kept, shuffleXor(builder, loc, given, distance));
    }
    values.truncate(std::max<size_t>(half, 1));
  }
  return values.front();
}

SmallVector<ReductionState> mlir::fuse::combineScattered(
    KernelFrame &frame, MutableArrayRef<Reducer> reducers,
    ArrayRef<ReductionState> states, const ThreadGroup &group) {
  PointEmitter &emitter = frame.emitter;
  int64_t count = states.size(), warps = group.width / warpSize;
  Index lane = emitter.rem(group.lane, Index::constant(warpSize));
  auto values = llvm::map_to_vector(
      states, [](const ReductionState &state) { return state.front(); });
  Type type = values.front().getType();
  Value own = scatter(frame, reducers.front(), std::move(values), lane);

  // Those of a state lie beside each other.
  Value slots = addSlots(frame, type, group.groups * count * warps);
  Index first = emitter.mul(group.group, Index::constant(count));
  auto slotOf = [&](const Index &state, const Index &warp) {
    return emitter.add(
        emitter.mul(emitter.add(first, state), Index::constant(warps)), warp);
  };
  Index lanesOfState = Index::constant(warpSize / count);
  Index warp = emitter.div(group.lane, Index::constant(warpSize));
  frame.ifTrue(
      emitter.less(emitter.rem(lane, lanesOfState), Index::constant(1)), [&] {
        storeSlot(frame, slots, slotOf(emitter.div(lane, lanesOfState), warp),
                  own);
      });
  gpu::BarrierOp::create(frame.builder, frame.loc());
  SmallVector<ReductionState> combined;
  for (auto [state, reducer] : llvm::enumerate(reducers)) {
    SmallVector<ReductionState> parts;
    for (int64_t i = 0; i < warps; ++i)
      parts.push_back(ReductionState{
          loadSlot(frame, slots,
                   slotOf(Index::constant(state), Index::constant(i)), type)});
    combined.push_back(reducer.combineAll(parts));
  }
  return combined;
}
