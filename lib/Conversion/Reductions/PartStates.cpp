//===- PartStates.cpp - Reductions that several blocks share --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartStates.h"
#include "fuse/Analysis/ReductionSegments.h"

#include "fuse/Analysis/ColumnSegments.h"
#include "fuse/Analysis/MmaSpace.h"
#include "fuse/Analysis/RowParts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// The widest access.
static constexpr int64_t widestBytes = 16;

//===----------------------------------------------------------------------===//
// What is left between the launches
//===----------------------------------------------------------------------===//

SmallVector<unsigned>
mlir::fuse::inputsOf(KernelOp kernel, ArrayRef<unsigned> results,
                     llvm::function_ref<bool(Operation *)> isLeft) {
  SmallVector<Value> values;
  for (unsigned result : results)
    values.push_back(kernel.getYield().getValues()[result]);
  return inputsOf(kernel, values, isLeft);
}

SmallVector<unsigned>
mlir::fuse::inputsOf(KernelOp kernel, ArrayRef<Value> values,
                     llvm::function_ref<bool(Operation *)> isLeft) {
  llvm::SetVector<Value> needed(values.begin(), values.end());
  for (size_t next = 0; next < needed.size(); ++next)
    if (Operation *op = needed[next].getDefiningOp(); op && !isLeft(op))
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
    types.append(numStateComponents(op),
                 PointEmitter::computeType(
                     getElementTypeOrSelf(op->getOperand(0).getType())));
  return types;
}

/// Whether there may be places that no part has.
static bool leavesRest(const ReductionSpace &space, int64_t fold) {
  std::optional<int64_t> places = staticProduct(space.reducedExtents());
  return fold > 1 && (!places || *places % fold != 0);
}

int64_t mlir::fuse::foldOf(ScheduleAttrInterface schedule) {
  auto columns = dyn_cast<ColumnsScheduleAttr>(schedule);
  return columns ? columns.getFold() : 1;
}

std::optional<int64_t> mlir::fuse::mostPartsOf(ScheduleAttrInterface schedule) {
  auto columns = dyn_cast<ColumnsScheduleAttr>(schedule);
  return columns ? std::optional(columns.parts() * columns.getFold())
                 : std::nullopt;
}

/// Whether launches leave states of the kernel's reductions.
static bool leavesParts(KernelOp kernel, const DimClasses &dims) {
  // Runs of columns are results, and what combines them has no tiles.
  auto isOfBody = [](Operation &op) {
    return isReduction(&op) && !combinesRowParts(&op) && !reducedRunOf(&op);
  };
  return llvm::TypeSwitch<Attribute, bool>(kernel.getScheduleAttr())
      .Case([](ColumnsScheduleAttr columns) { return columns.leavesParts(); })
      .Case([&](MmaScheduleAttr) {
        KernelAsGroup group(kernel);
        return llvm::any_of(kernel.getBody().front(), isOfBody) &&
               blockSumsOf(group.ops, group.results, dims).empty();
      })
      .Default(false);
}

/// How far a part reaches.
static PartLayout startOfLayout(KernelOp kernel,
                                ArrayRef<ReductionSegment> segments) {
  ScheduleAttrInterface schedule = kernel.getScheduleAttr();
  PartLayout layout{};
  layout.fold = foldOf(schedule);
  layout.haveBlocks = isa<ColumnsScheduleAttr>(schedule);
  for (const ReductionSegment &segment : segments) {
    layout.places.push_back(segment.space.reducedExtents());
    layout.results.push_back(segment.space.keptExtents());
  }
  if (auto mma = dyn_cast<MmaScheduleAttr>(schedule)) {
    auto contractions = kernel.getBody().getOps<ContractOp>();
    layout.most = INT64_MAX;
    layout.step = columnsReducedBy(mma) /
                  std::distance(contractions.begin(), contractions.end());
    return layout;
  }
  auto columns = cast<ColumnsScheduleAttr>(schedule);
  const ReductionSpace &space = segments.front().space;
  bool alongPlaces = space.isReduced(space.domain.size() - 1);
  layout.most = columns.parts();
  layout.step = columns.getSplits() * columns.getHold().getUnroll() *
                (alongPlaces ? columns.getVector() : 1);
  return layout;
}

FailureOr<std::optional<PartLayout>>
mlir::fuse::partLayoutOf(KernelOp kernel, const DimClasses &dims) {
  if (!leavesParts(kernel, dims))
    return std::optional<PartLayout>();
  Reason reason;
  auto segments = columnSegmentsOf(kernel, dims, reason);
  if (failed(segments))
    return kernel.emitError()
           << "expected one space of reductions for parts, "
              "but "
           << reason.sentence() << "; leave share and fold out";
  bool isSeveral = segments->size() > 1 &&
                   isa<ColumnsScheduleAttr>(kernel.getScheduleAttr());
  if (!isSeveral && !isOneWalk(kernel, segments->front().space, dims))
    return kernel.emitError()
           << "expected parts where one walk is enough, but got reductions "
              "that need others, an op that reads them at other indices, or a "
              "result of the reduced shape that needs one; "
              "leave share and fold out";
  PartLayout layout = startOfLayout(kernel, *segments);
  bool hasRest = leavesRest(segments->front().space, layout.fold);
  for (const auto &[index, segment] : llvm::enumerate(*segments)) {
    for (auto [number, value] :
         llvm::zip_equal(segment.results, segment.stored)) {
      bool isLate = segment.space.isReducedShape(dims.extents(value));
      SmallVectorImpl<unsigned> &numbers = isLate ? layout.late : layout.early;
      // A concatenation is there for each of its operands.
      if (numbers.empty() || numbers.back() != number)
        numbers.push_back(number);
    }
    for (Type type : stateTypes(segment.space.levels.front()))
      layout.components.push_back({type, 1, static_cast<unsigned>(index)});
  }
  llvm::sort(layout.late);
  layout.lateInputs = inputsOf(kernel, layout.late, [&](Operation *op) {
    return isReduction(op) && !hasRest;
  });
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

/// Of the state of so many lanes: the results of a vector are a multiple of it.
static int64_t alignmentOf(KernelFrame &frame, Type element, int64_t lanes) {
  int64_t bytes = bytesOf(element);
  return frame.emitter.getOptions().aligned
             ? std::min(widestBytes, lanes * bytes)
             : bytes;
}

void mlir::fuse::leaveStates(KernelFrame &frame,
                             ArrayRef<ReductionState> states, const Index &part,
                             const Index &result, const Index &results,
                             unsigned first) {
  const Value *pointer = frame.partStates->pointers.begin() + first;
  for (const ReductionState &state : states)
    for (Value component : state) {
      // A number of elements is the same for all lanes.
      int64_t lanes = lanesIn(state.back());
      Value value = frame.emitter.splat(frame.loc(), component, lanes);
      Type element = getElementTypeOrSelf(value.getType());
      Value stored = frame.emitter.toStorage(frame.loc(), element, value);
      Value at = addressOf(frame, *pointer++, element, part, result, results);
      LLVM::StoreOp::create(frame.builder, frame.loc(), stored, at,
                            alignmentOf(frame, element, lanes));
    }
}

Value mlir::fuse::loadComponent(KernelFrame &frame, unsigned pointer,
                                Type element, const Index &part,
                                const Index &result, const Index &results,
                                int64_t lanes) {
  Value at = addressOf(frame, frame.partStates->pointers[pointer], element,
                       part, result, results);
  Type stored =
      PointEmitter::lanesOf(PointEmitter::storageType(element), lanes);
  Value value = LLVM::LoadOp::create(frame.builder, frame.loc(), stored, at,
                                     alignmentOf(frame, element, lanes));
  return frame.emitter.fromStorage(frame.loc(), element, value);
}

ReductionState mlir::fuse::loadState(KernelFrame &frame, Reducer &reducer,
                                     unsigned first, const Index &part,
                                     const Index &result, const Index &results,
                                     int64_t lanes) {
  Operation *op = reducer.getOp();
  Type element = PointEmitter::computeType(
      getElementTypeOrSelf(op->getOperand(0).getType()));
  ReductionState state;
  for (unsigned component = 0; component < numStateComponents(op); ++component)
    state.push_back(loadComponent(frame, first + component, element, part,
                                  result, results,
                                  reducer.isShared(component) ? 1 : lanes));
  return state;
}
