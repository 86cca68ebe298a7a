//===- PartStates.cpp - Reductions that several blocks share --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartStates.h"
#include "StateLoop.h"
#include "ThreadReduce.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t warpSize = 32;
/// Results of a block of the second launch: a sector of memory.
static constexpr int64_t resultsPerBlock = 8;
/// Loads in flight of a thread of the second launch.
static constexpr int64_t unroll = 8;
/// The widest access.
static constexpr int64_t widestBytes = 16;

//===----------------------------------------------------------------------===//
// What is left between the launches
//===----------------------------------------------------------------------===//

/// The inputs from which the results are computed but by reductions.
static SmallVector<unsigned> inputsAfterReductions(KernelOp kernel,
                                                   ArrayRef<unsigned> results) {
  llvm::SetVector<Value> needed;
  for (unsigned result : results)
    needed.insert(kernel.getYield().getValues()[result]);
  for (size_t next = 0; next < needed.size(); ++next)
    if (Operation *op = needed[next].getDefiningOp();
        op && !isa<ReduceOp, SoftmaxStatsOp>(op))
      needed.insert(op->operand_begin(), op->operand_end());
  SmallVector<unsigned> inputs;
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (needed.contains(argument))
      inputs.push_back(argument.getArgNumber());
  return inputs;
}

SmallVector<Type> mlir::fuse::stateTypes(ArrayRef<Operation *> reductions) {
  SmallVector<Type> types;
  for (Operation *op : reductions)
    types.append(op->getNumResults(),
                 PointEmitter::computeType(
                     getElementTypeOrSelf(op->getOperand(0).getType())));
  return types;
}

FailureOr<std::optional<PartLayout>>
mlir::fuse::partLayoutOf(KernelOp kernel, const DimClasses &dims) {
  auto schedule = dyn_cast<ColumnsScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule || schedule.getParts() == 1)
    return std::optional<PartLayout>();
  std::string reason;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  if (failed(space))
    return kernel.emitError() << "expected one space of reductions for parts, "
                                 "but "
                              << reason << "; use parts = 1";
  if (!isOneWalk(kernel, *space, dims))
    return kernel.emitError()
           << "expected parts where one walk is enough, but got reductions "
              "that need others, an op that reads them at other places, or a "
              "result of the reduced shape that needs one; "
              "use parts = 1";
  bool alongPlaces = space->isReduced(space->domain.size() - 1);
  int64_t lanes = alongPlaces ? schedule.getVector() : 1;
  PartLayout layout{schedule.getParts(),
                    schedule.getSplits() * schedule.getUnroll() * lanes,
                    space->reducedExtents(),
                    space->keptExtents(),
                    {},
                    {},
                    {},
                    {}};
  for (auto [number, value] : llvm::enumerate(kernel.getYield().getValues()))
    (space->isReducedShape(dims.extents(value)) ? layout.late : layout.early)
        .push_back(number);
  layout.lateInputs = inputsAfterReductions(kernel, layout.late);
  layout.components = stateTypes(space->levels.front());
  return std::optional(std::move(layout));
}

/// The address of the state of `part` for `result` in one component's tensor.
static Value addressOf(KernelFrame &frame, Value pointer, Type element,
                       const Index &part, const Index &result,
                       const Index &results) {
  PointEmitter &emitter = frame.emitter;
  Index position = emitter.add(emitter.mul(part, results), result);
  Value wide = arith::IndexCastOp::create(frame.builder, frame.loc(),
                                          frame.builder.getI64Type(),
                                          emitter.materialize(position));
  return LLVM::GEPOp::create(frame.builder, frame.loc(), pointer.getType(),
                             PointEmitter::storageType(element), pointer,
                             ArrayRef<LLVM::GEPArg>{wide},
                             LLVM::GEPNoWrapFlags::inbounds);
}

static int64_t bytesOf(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

void mlir::fuse::leaveStates(KernelFrame &frame,
                             ArrayRef<ReductionState> states, const Index &part,
                             const Index &result, const Index &results,
                             unsigned first) {
  const Value *pointer = frame.partStates->pointers.begin() + first;
  for (const ReductionState &state : states)
    for (Value value : state) {
      Type element = getElementTypeOrSelf(value.getType());
      Value stored = frame.emitter.toStorage(frame.loc(), element, value);
      Value at = addressOf(frame, *pointer++, element, part, result, results);
      auto vector = dyn_cast<VectorType>(value.getType());
      int64_t bytes = bytesOf(element);
      // The results of a vector are a multiple of it.
      int64_t align = frame.emitter.getOptions().aligned && vector
                          ? std::min(widestBytes, vector.getDimSize(0) * bytes)
                          : bytes;
      LLVM::StoreOp::create(frame.builder, frame.loc(), stored, at, align);
    }
}

ReductionState mlir::fuse::loadState(KernelFrame &frame, Reducer &reducer,
                                     unsigned first, const Index &part,
                                     const Index &result,
                                     const Index &results) {
  Operation *op = reducer.getOp();
  Type element = PointEmitter::computeType(
      getElementTypeOrSelf(op->getOperand(0).getType()));
  ReductionState state;
  for (unsigned component = 0; component < op->getNumResults(); ++component) {
    Value pointer = frame.partStates->pointers[first + component];
    Value at = addressOf(frame, pointer, element, part, result, results);
    Value stored = LLVM::LoadOp::create(frame.builder, frame.loc(),
                                        PointEmitter::storageType(element), at,
                                        bytesOf(element));
    state.push_back(frame.emitter.fromStorage(frame.loc(), element, stored));
  }
  return state;
}

//===----------------------------------------------------------------------===//
// The second launch
//===----------------------------------------------------------------------===//

int64_t mlir::fuse::combiningThreads(KernelOp kernel) {
  // A CPU's blocks have one thread.
  bool isOneThread = kernel.getScheduleAttr().getThreads() == 1;
  return isOneThread ? 1 : resultsPerBlock * warpSize;
}

namespace {
/// Neighbouring threads take neighbouring results; the slices behind each other
/// take every slices-th part.
class CombinationLowering {
public:
  CombinationLowering(KernelFrame &frame, ReductionSpace space)
      : frame(frame), emitter(frame.emitter), space(std::move(space)),
        kept(this->space.keptExtents()), parts(frame.partStates->parts),
        threads(combiningThreads(frame.kernel)) {}

  Grid run();

private:
  void placeThread();
  ReductionState load(const Index &part, unsigned reduction);
  ReductionStates walk();
  void finish(ArrayRef<ReductionState> states);
  Point pointOf(Value value);

  KernelFrame &frame;
  PointEmitter &emitter;
  ReductionSpace space;
  SmallVector<Extent> kept;
  Index parts;
  int64_t threads;
  SmallVector<Reducer> reducers;
  SliceGroup group;
  /// This thread's result: its position and its indices.
  Index result, results;
  SmallVector<Index, 4> resultDims;
  Value exists;
};
} // namespace

void CombinationLowering::placeThread() {
  results = emitter.product(kept);
  group.vectors = std::min(threads, resultsPerBlock);
  if (!results.base && results.offset < group.vectors)
    group.vectors = llvm::bit_ceil(std::max<uint64_t>(1, results.offset));
  group.slices = threads / group.vectors;
  Index thread = frame.threadId(threads);
  group.vector = emitter.rem(thread, Index::constant(group.vectors));
  group.slice = emitter.div(thread, Index::constant(group.vectors));
  Index number =
      emitter.add(emitter.mul(frame.blockId(), Index::constant(group.vectors)),
                  group.vector);
  // Threads past the end take part in the exchange, and do not write.
  exists = emitter.less(number, results);
  result = emitter.min(number, emitter.add(results, Index::constant(-1)));
  resultDims = emitter.delinearize(result, kept);
}

ReductionState CombinationLowering::load(const Index &part,
                                         unsigned reduction) {
  unsigned first = 0;
  for (unsigned before = 0; before < reduction; ++before)
    first += reducers[before].getOp()->getNumResults();
  return loadState(frame, reducers[reduction], first, part, result, results);
}

ReductionStates CombinationLowering::walk() {
  ReductionStates states;
  for (Reducer &reducer : reducers)
    states.push_back(reducer.identity(1));
  auto take = [&](Index first, ReductionStates current, int64_t count) {
    for (auto [number, reducer] : llvm::enumerate(reducers)) {
      ReductionStates loaded;
      for (int64_t i = 0; i < count; ++i)
        loaded.push_back(load(
            emitter.add(first, Index::constant(i * group.slices)), number));
      for (const ReductionState &state : loaded)
        current[number] = reducer.combine(current[number], state);
    }
    return current;
  };
  int64_t perStep = unroll * group.slices;
  Index stepped = emitter.mul(emitter.div(parts, Index::constant(perStep)),
                              Index::constant(perStep));
  states = loopOverStates(frame, Index::constant(0), stepped, perStep, states,
                          [&](Index base, ReductionStates current) {
                            return take(emitter.add(base, group.slice),
                                        std::move(current), unroll);
                          });
  return loopOverStates(frame, emitter.add(stepped, group.slice), parts,
                        group.slices, states,
                        [&](Index part, ReductionStates current) {
                          return take(part, std::move(current), 1);
                        });
}

/// The point of a value that has one element for all places.
Point CombinationLowering::pointOf(Value value) {
  Point point;
  size_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (rank == kept.size()) {
    point.dims = resultDims;
  } else {
    const Index *next = resultDims.begin();
    for (size_t axis = 0; axis < space.domain.size(); ++axis)
      point.dims.push_back(space.isReduced(axis) ? Index::constant(0)
                                                 : *next++);
  }
  point.linear = result;
  point.shape = emitter.getDims().extents(value);
  return point;
}

void CombinationLowering::finish(ArrayRef<ReductionState> states) {
  Index count = emitter.product(space.reducedExtents());
  for (auto [reducer, state] : llvm::zip(reducers, states))
    for (auto [value, computed] :
         llvm::zip(reducer.getOp()->getResults(), reducer.finish(state, count)))
      emitter.define(value, pointOf(value), computed);
  SmallVector<std::pair<unsigned, Value>> computed;
  auto yielded = frame.kernel.getYield().getValues();
  for (auto [number, value] : llvm::enumerate(yielded))
    if (space.isReducedShape(emitter.getDims().extents(value)))
      computed.emplace_back(number, emitter.emit(value, pointOf(value)));
  for (auto [number, value] : computed)
    emitter.store(number, pointOf(yielded[number]), value);
}

Grid CombinationLowering::run() {
  placeThread();
  for (Operation *op : space.levels.front())
    reducers.emplace_back(emitter, op);
  ReductionStates states = walk();
  Grid grid{GridTerm{{{kept, group.vectors}}}};
  Value first = group.slices > 1 ? emitter.less(group.slice, Index::constant(1))
                                 : Value();
  combineSlices(frame, reducers, states, group, frame.both(exists, first),
                [&](const ReductionStates &combined) { finish(combined); });
  return grid;
}

FailureOr<Grid> mlir::fuse::lowerCombination(KernelFrame &frame) {
  std::string reason;
  FailureOr<ReductionSpace> space =
      reductionSpaceOf(frame.kernel, frame.dims, reason);
  if (failed(space))
    return failure();
  return CombinationLowering(frame, std::move(*space)).run();
}
