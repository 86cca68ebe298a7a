//===- EmitMovement.cpp - Moved elements at a point -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value of a moved tensor at a point is the value of an operand at another
// point, or a constant. With p four lanes wide:
//
//   emit(slice(x, offsets = [0, 64]), [row, col]) -> emit(x, [row, col + 64])
//
// The lanes stay together where neighbours in the result are neighbours in the
// operand, and all of them come from one operand: the choice of a concat's
// operand, or of padding, is then one branch for the whole vector. Otherwise
// each lane is a point of its own. What a branch does not take is not read. A
// padding of what is in memory needs no branch: an element that exists is read,
// and not used.
//
//===----------------------------------------------------------------------===//

#include "OpEmitters.h"
#include "PackedBytes.h"
#include "PaddedPlaces.h"
#include "PointEmitter.h"
#include "ShiftedLanes.h"

#include "fuse/Analysis/KernelEdge.h"
#include "fuse/Analysis/MovedInputs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// An index into a table, and whether the table has it.
struct TableIndex {
  Index index;
  Value inside;
};
} // namespace

/// The id for a point whose dimensions from `axis` on are those of `ids`, then
/// the table's after `axis`.
static TableIndex emitTableIndex(PointEmitter &emitter, Value ids,
                                 const Extent &size, int64_t axis,
                                 const Point &point) {
  OpBuilder &builder = emitter.getBuilder();
  Location loc = ids.getLoc();
  Point at;
  at.dims.assign(point.dims.begin() + axis,
                 point.dims.begin() + axis +
                     cast<RankedTensorType>(ids.getType()).getRank());
  at.guard = point.guard;
  Value id = emitter.emit(ids, at);
  // Compared in 64 bits, also where an index has fewer.
  Type i64 = builder.getI64Type();
  if (id.getType() != i64)
    id = arith::ExtSIOp::create(builder, loc, i64, id);
  Value count = arith::IndexCastOp::create(
      builder, loc, i64, emitter.materialize(emitter.size(size)));
  Value inside =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, id, count);
  return {
      {arith::IndexCastOp::create(builder, loc, builder.getIndexType(), id)},
      inside};
}

/// The dimensions in the table, of rank `rank`, of such a point.
static SmallVector<Index, 4> tableDims(const Index &index, int64_t axis,
                                       int64_t rank, const Point &point) {
  SmallVector<Index, 4> dims(ArrayRef(point.dims).take_front(axis));
  dims.push_back(index);
  dims.append(point.dims.end() - (rank - axis - 1), point.dims.end());
  return dims;
}

namespace {
class MovementBuilder {
public:
  MovementBuilder(PointEmitter &emitter, Operation *op, const Point &point)
      : emitter(emitter), builder(emitter.getBuilder()), op(op), point(point),
        loc(op->getLoc()), lanes(point.lanes),
        element(getElementTypeOrSelf(op->getResult(0).getType())) {}

  /// Where the elements of the one operand are from which the lanes come; none
  /// where they lie apart.
  std::optional<Point> source(TransposeOp transpose);
  std::optional<Point> source(SliceOp slice);
  std::optional<Point> source(tensor::ExpandShapeOp expand);
  std::optional<Point> source(tensor::CollapseShapeOp collapse);

  template <typename OpTy> Value build(OpTy moved) {
    if (std::optional<Point> from = source(moved))
      return emitter.emit(moved->getOperand(0), *from);
    return laneByLane();
  }
  Value build(SliceOp slice);
  Value build(PadOp pad);
  Value build(ReverseOp reverse);
  Value build(ConcatOp concat);
  Value build(GatherOp gather);
  Value build(TakeAlongOp take);
  Value build(UnpackOp unpack);

private:
  /// The same lanes elsewhere.
  Point elsewhere() const {
    Point moved;
    moved.lanes = lanes;
    moved.skew = point.skew;
    moved.guard = point.guard;
    return moved;
  }
  /// For a reshape: elsewhere, at the same row-major position.
  Point reshaped(Value source) const;
  Value laneByLane() {
    return emitter.gatherLanes(loc, lanes, [&](int64_t lane) {
      return emitter.emit(op->getResult(0), emitter.lanePoint(point, lane));
    });
  }
  /// Whether vectors of the point start at multiples of their width.
  bool isAligned() const { return point.skew % lanes == 0; }
  bool isLast(int64_t axis) const {
    return axis + 1 == static_cast<int64_t>(point.dims.size());
  }
  Extent extent(Value tensor, int64_t axis) {
    return emitter.getDims().extent(tensor, axis);
  }
  Index negated(const Index &index) {
    return emitter.mul(index, Index::constant(-1));
  }
  Value isInside(Value index, Value size) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, index,
                                 size);
  }
  Value choose(Value condition, llvm::function_ref<Value()> yes,
               llvm::function_ref<Value()> no) {
    Type type =
        PointEmitter::lanesOf(PointEmitter::computeType(element), lanes);
    return emitter.choose(loc, condition, type, yes, no);
  }
  Value filled(TypedAttr value) {
    return emitter.splat(loc, emitter.elementConstant(loc, value), lanes);
  }

  /// What stands for an element that a table does not have.
  TypedAttr nothing() {
    if (auto type = dyn_cast<FloatType>(element))
      return builder.getFloatAttr(type,
                                  APFloat::getNaN(type.getFloatSemantics()));
    return builder.getIntegerAttr(element, 0);
  }

  Value fromRun(Value table, Value ids, int64_t axis);
  Value fromStrides(SliceOp slice);
  bool concatKeepsLanes(ConcatOp concat);
  Value concatFrom(ConcatOp concat, unsigned number, const Index &start);

  PointEmitter &emitter;
  OpBuilder &builder;
  Operation *op;
  const Point &point;
  Location loc;
  int64_t lanes;
  Type element;
};
} // namespace

//===----------------------------------------------------------------------===//
// One operand
//===----------------------------------------------------------------------===//

std::optional<Point> MovementBuilder::source(TransposeOp transpose) {
  ArrayRef<int64_t> permutation = transpose.getPermutation();
  if (lanes > 1 && !isLast(permutation.back()))
    return std::nullopt;
  Point source = elsewhere();
  source.dims.resize(point.dims.size());
  for (auto [axis, index] : llvm::zip_equal(permutation, point.dims))
    source.dims[axis] = index;
  return source;
}

std::optional<Point> MovementBuilder::source(SliceOp slice) {
  if (lanes > 1 && slice.getSteps().back() != 1)
    return std::nullopt;
  Point source = elsewhere();
  for (auto [index, offset, step] :
       llvm::zip_equal(point.dims, slice.getOffsets(), slice.getSteps()))
    source.dims.push_back(emitter.add(emitter.mul(index, Index::constant(step)),
                                      Index::constant(offset)));
  if (lanes > 1)
    source.skew += slice.getOffsets().back();
  return source;
}

/// The lanes out of all neighbours, which are read together, as by the slices
/// that take the others. Null where these are too many, or not all there, or
/// would have to be computed.
Value MovementBuilder::fromStrides(SliceOp slice) {
  constexpr int64_t mostNeighbours = 4;
  Value input = slice.getInput();
  int64_t rank = slice.getType().getRank(), step = slice.getSteps().back();
  int64_t offset = slice.getOffsets().back(), skip = offset % step;
  Extent from = extent(input, rank - 1), to = extent(slice, rank - 1);
  // Of an unknown number the last may lie past the end.
  bool areThere = from.isStatic() && to.isStatic() &&
                  offset - skip + to.size * step <= from.size;
  if (step > mostNeighbours || !llvm::isPowerOf2_64(step) || !areThere ||
      !isNearMemory(input))
    return {};
  Point source = elsewhere();
  for (auto [index, start, stride] :
       llvm::zip_equal(point.dims, slice.getOffsets(), slice.getSteps()))
    source.dims.push_back(emitter.add(
        emitter.mul(index, Index::constant(stride)), Index::constant(start)));
  source.dims.back() = emitter.add(source.dims.back(), Index::constant(-skip));
  source.lanes = lanes * step;
  source.skew = point.skew * step + offset - skip;
  Value all = emitter.emitLanes(input, source);
  SmallVector<int64_t> taken;
  for (int64_t lane = 0; lane < lanes; ++lane)
    taken.push_back(skip + lane * step);
  return vector::ShuffleOp::create(builder, loc, all, all, taken);
}

Value MovementBuilder::build(SliceOp slice) {
  if (Value shifted = emitShiftedLanes(emitter, slice, point))
    return shifted;
  if (std::optional<Point> from = source(slice))
    return emitter.emit(slice.getInput(), *from);
  Value strided = fromStrides(slice);
  return strided ? strided : laneByLane();
}

Value MovementBuilder::build(ReverseOp reverse) {
  bool reversesLanes =
      lanes > 1 &&
      llvm::any_of(reverse.getDims(), [&](auto d) { return isLast(d); });
  Extent inner = point.dims.empty()
                     ? Extent{1}
                     : extent(reverse.getInput(), point.dims.size() - 1);
  if (reversesLanes && !inner.isStatic())
    return laneByLane();
  Point source = elsewhere();
  source.dims = point.dims;
  for (int64_t axis : reverse.getDims()) {
    Index size = emitter.size(extent(reverse.getInput(), axis));
    int64_t width = isLast(axis) ? lanes : 1;
    source.dims[axis] = emitter.add(emitter.add(size, Index::constant(-width)),
                                    negated(point.dims[axis]));
  }
  if (!reversesLanes)
    return emitter.emit(reverse.getInput(), source);
  source.skew = llvm::mod(inner.size - point.skew, lanes);
  Value forwards = emitter.emit(reverse.getInput(), source);
  if (!isa<VectorType>(forwards.getType()))
    return forwards;
  auto order = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(lanes)));
  return vector::ShuffleOp::create(builder, loc, forwards, forwards, order);
}

Value MovementBuilder::build(PadOp pad) {
  if (lanes > 1) {
    int64_t low = pad.getLow().back(), high = pad.getHigh().back();
    Extent inner = extent(pad.getInput(), pad.getType().getRank() - 1);
    bool whole = inner.isStatic() && inner.size % lanes == 0 &&
                 low % lanes == 0 && isAligned();
    if ((low || high) && !whole) {
      Value shifted = emitShiftedLanes(emitter, pad, point);
      return shifted ? shifted : laneByLane();
    }
  }
  Point source = elsewhere();
  for (auto [index, low] : llvm::zip_equal(point.dims, pad.getLow()))
    source.dims.push_back(emitter.add(index, Index::constant(-low)));
  PaddedPlaces places(emitter, pad, source);
  // Nothing can be computed at a place that is known not to exist.
  if (places.areKnownOutside())
    return filled(pad.getValue());
  Value condition = places.areInside();
  if (!condition)
    return emitter.emit(pad.getInput(), source);
  // Loads that wait for no branch run side by side.
  if (places.canReadInstead()) {
    Value read = emitter.emitLanes(pad.getInput(), places.readable());
    return arith::SelectOp::create(builder, loc, condition, read,
                                   filled(pad.getValue()));
  }
  return choose(
      condition, [&] { return emitter.emitLanes(pad.getInput(), source); },
      [&] { return filled(pad.getValue()); });
}

//===----------------------------------------------------------------------===//
// Several operands
//===----------------------------------------------------------------------===//

/// Whether no vector has lanes of two operands.
bool MovementBuilder::concatKeepsLanes(ConcatOp concat) {
  if (!isLast(concat.getDim()))
    return true;
  for (Value input : concat.getInputs().drop_back()) {
    Extent inner = extent(input, concat.getDim());
    if (!inner.isStatic() || inner.size % lanes != 0)
      return false;
  }
  return isAligned();
}

/// The value, known to be of operand `number` or a later one; `start` is where
/// that operand begins.
Value MovementBuilder::concatFrom(ConcatOp concat, unsigned number,
                                  const Index &start) {
  Value input = concat.getInputs()[number];
  int64_t axis = concat.getDim();
  auto here = [&] {
    Point source = elsewhere();
    source.dims = point.dims;
    source.dims[axis] = emitter.add(point.dims[axis], negated(start));
    return emitter.emitLanes(input, source);
  };
  if (number + 1 == concat.getInputs().size())
    return here();
  Index place = point.dims[axis];
  Index end = emitter.add(start, emitter.size(extent(input, axis)));
  auto later = [&] { return concatFrom(concat, number + 1, end); };
  // Nothing can be computed of an operand that is known not to have the place.
  if (auto range = emitter.range(place); range && !end.base) {
    if (range->second <= end.offset)
      return here();
    if (range->first >= end.offset)
      return later();
  }
  return choose(emitter.less(place, end), here, later);
}

Value MovementBuilder::build(ConcatOp concat) {
  if (lanes > 1 && !concatKeepsLanes(concat)) {
    Value shifted = emitShiftedLanes(emitter, concat, point);
    return shifted ? shifted : laneByLane();
  }
  return concatFrom(concat, 0, Index::constant(0));
}

/// The lanes from the first one's id on, where the table has all of them; at
/// its ends one by one.
Value MovementBuilder::fromRun(Value table, Value ids, int64_t axis) {
  int64_t rank = cast<RankedTensorType>(table.getType()).getRank();
  Extent size = extent(table, rank - 1);
  TableIndex first = emitTableIndex(emitter, ids, size, axis, point);
  Index last = emitter.add(first.index, Index::constant(lanes - 1));
  Value end = emitter.materialize(emitter.size(size));
  Value inside = arith::AndIOp::create(
      builder, loc, first.inside, isInside(emitter.materialize(last), end));
  return choose(
      inside,
      [&] {
        Point source = elsewhere();
        source.ragged = true;
        source.dims = point.dims;
        source.dims.resize(rank - 1);
        source.dims.push_back(first.index);
        return emitter.emitLanes(table, source);
      },
      [&] { return laneByLane(); });
}

Value MovementBuilder::build(GatherOp gather) {
  int64_t axis = gather.getDim();
  Value table = gather.getTable();
  int64_t rank = cast<RankedTensorType>(table.getType()).getRank();
  if (lanes > 1 && axis + 1 == rank)
    return isRunOfIds(gather.getIds(), emitter.getDims())
               ? fromRun(table, gather.getIds(), axis)
               : laneByLane();
  TableIndex found = emitTableIndex(emitter, gather.getIds(),
                                    extent(table, axis), axis, point);
  return choose(
      found.inside,
      [&] {
        Point source = elsewhere();
        source.dims = tableDims(found.index, axis, rank, point);
        return emitter.emitLanes(table, source);
      },
      [&] { return filled(nothing()); });
}

/// Each lane has an id of its own.
Value MovementBuilder::build(TakeAlongOp take) {
  auto axis = static_cast<int64_t>(take.getDim());
  Value table = take.getTable();
  if (lanes > 1)
    return isLast(axis) && isRunOfIds(take.getIds(), emitter.getDims())
               ? fromRun(table, take.getIds(), /*axis=*/0)
               : laneByLane();
  TableIndex found =
      emitTableIndex(emitter, take.getIds(), extent(table, axis), 0, point);
  return choose(
      found.inside,
      [&] {
        Point source = elsewhere();
        source.dims = point.dims;
        source.dims[axis] = found.index;
        return emitter.emit(table, source);
      },
      [&] { return filled(nothing()); });
}

/// Lanes stay together where their bytes are whole.
Value MovementBuilder::build(UnpackOp unpack) {
  constexpr int64_t perByte = 2, halfBits = 4;
  if (lanes > 1 && (lanes % perByte != 0 || point.skew % perByte != 0))
    return laneByLane();
  Point source = elsewhere();
  source.lanes = std::max<int64_t>(lanes / perByte, 1);
  source.skew = point.skew / perByte;
  source.dims = point.dims;
  Index place = point.dims.back();
  // What is known to be even is known to be half as far.
  int64_t whole = lanes > 1 && place.offset % perByte == 0 ? place.offset : 0;
  source.dims.back() =
      emitter.add(emitter.half(emitter.add(place, Index::constant(-whole))),
                  Index::constant(whole / perByte));
  Value bytes = emitter.emitLanes(unpack.getInput(), source);
  bool onGPU = emitter.getOptions().sharedBytes > 0;
  if (lanes > 1 && (!onGPU || areWords(bytes)))
    return buildUnpacked(builder, loc, bytes, unpack.getIsUnsigned(), onGPU);
  return emitter.gatherLanes(loc, lanes, [&](int64_t lane) {
    Value byte = bytes;
    if (source.lanes > 1)
      byte = vector::ExtractOp::create(builder, loc, bytes, lane / perByte);
    Index half = emitter.rem(emitter.add(place, Index::constant(lane)),
                             Index::constant(perByte));
    Value shift = arith::IndexCastOp::create(
        builder, loc, builder.getI8Type(),
        emitter.materialize(emitter.mul(half, Index::constant(halfBits))));
    return buildHalf(builder, loc, byte, shift, unpack.getIsUnsigned());
  });
}

//===----------------------------------------------------------------------===//
// Reshapes
//===----------------------------------------------------------------------===//

Point MovementBuilder::reshaped(Value source) const {
  Point moved = elsewhere();
  if (point.linear &&
      ArrayRef(point.shape) ==
          ArrayRef(emitter.getDims().extents(op->getResult(0)))) {
    moved.linear = point.linear;
    moved.shape = emitter.getDims().extents(source);
    moved.flat = point.flat;
  }
  return moved;
}

std::optional<Point> MovementBuilder::source(tensor::ExpandShapeOp expand) {
  SmallVector<Extent> extents = emitter.getDims().extents(expand.getResult());
  Point source = reshaped(expand.getSrc());
  for (ArrayRef<int64_t> group : expand.getReassociationIndices()) {
    // Vectors that start rows which they do not divide start anywhere.
    ArrayRef<int64_t> outer = group.drop_back();
    bool oneRow = llvm::all_of(
        outer, [&](int64_t axis) { return extents[axis].size == 1; });
    const Extent &inner = extents[group.back()];
    bool divides = inner.isStatic() && inner.size % lanes == 0;
    if (isLast(group.back()) && !oneRow && !divides && lanes > 1)
      return std::nullopt;
    source.dims.push_back(emitter.numberIn(group, extents, point.dims));
  }
  return source;
}

std::optional<Point> MovementBuilder::source(tensor::CollapseShapeOp collapse) {
  SmallVector<Extent> extents = emitter.getDims().extents(collapse.getSrc());
  Point source = reshaped(collapse.getSrc());
  source.dims.resize(extents.size());
  for (auto [axis, group] :
       llvm::enumerate(collapse.getReassociationIndices())) {
    SmallVector<Extent> inner;
    for (int64_t dim : group)
      inner.push_back(extents[dim]);
    bool oneRow = llvm::all_of(ArrayRef(inner).drop_back(),
                               [](const Extent &e) { return e.size == 1; });
    bool divides = inner.back().isStatic() && inner.back().size % lanes == 0;
    if (isLast(axis) && lanes > 1 && !oneRow && !(divides && isAligned()))
      return std::nullopt;
    auto indices = emitter.delinearize(point.dims[axis], inner);
    for (auto [dim, index] : llvm::zip_equal(group, indices))
      source.dims[dim] = index;
  }
  return source;
}

Value mlir::fuse::emitMovement(PointEmitter &emitter, Operation *op,
                               const Point &point) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<TransposeOp, SliceOp, PadOp, ReverseOp, ConcatOp, GatherOp,
            TakeAlongOp, UnpackOp>([&](auto moved) {
        return MovementBuilder(emitter, op, point).build(moved);
      });
}

Point mlir::fuse::movedPoint(PointEmitter &emitter, Operation *op,
                             const Point &point) {
  assert(point.lanes == 1 && "the lanes may lie apart");
  return llvm::TypeSwitch<Operation *, Point>(op)
      .Case<TransposeOp, SliceOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp>([&](auto moved) {
        return *MovementBuilder(emitter, op, point).source(moved);
      });
}

Value mlir::fuse::emitReshape(PointEmitter &emitter, Operation *op,
                              const Point &point) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto reshape) {
        return MovementBuilder(emitter, op, point).build(reshape);
      });
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

ScatterTarget mlir::fuse::emitScatterTarget(PointEmitter &emitter, ScatterOp op,
                                            const Point &point) {
  int64_t axis = op.getDim(), rank = op.getType().getRank();
  assert((point.lanes == 1 || axis + 1 != rank) && "lanes lie apart");
  TableIndex found =
      emitTableIndex(emitter, op.getIds(),
                     emitter.getDims().extent(op.getInto(), axis), axis, point);
  ScatterTarget target;
  target.point.dims = tableDims(found.index, axis, rank, point);
  target.point.lanes = point.lanes;
  target.point.skew = point.skew;
  target.point.ragged = point.ragged;
  target.exists = found.inside;
  return target;
}

LogicalResult mlir::fuse::verifyScatters(KernelOp kernel) {
  for (ScatterOp scatter : kernel.getBody().getOps<ScatterOp>()) {
    auto refuse = [&](const Twine &expected, const Twine &got) {
      return scatter.emitError()
             << "expected " << expected << ", but got " << got
             << "; put the scatter into a kernel of its own";
    };
    if (!isa_and_nonnull<PointwiseScheduleAttr, RowsScheduleAttr,
                         MmaScheduleAttr, StreamedScheduleAttr>(
            kernel.getScheduleAttr()))
      return refuse("a schedule of points, rows or tiles of tensor cores for a "
                    "kernel with fuse.scatter",
                    "another");
    if (!scatter->hasOneUse() || !isa<YieldOp>(*scatter->user_begin()))
      return refuse("the result of fuse.scatter to leave the kernel at once",
                    "an op of the kernel that reads it");
    auto into = dyn_cast<BlockArgument>(scatter.getInto());
    if (!into)
      return refuse("fuse.scatter to write into an input of the kernel",
                    "a value that the kernel computes");
    Value memory = behindReshapes(kernel.getInputs()[into.getArgNumber()]);
    auto isMemory = [&](Value input) {
      return behindReshapes(input) == memory;
    };
    if (!into.hasOneUse() || llvm::count_if(kernel.getInputs(), isMemory) != 1)
      return refuse("fuse.scatter to be the only one that uses what it writes "
                    "into",
                    "another use in the kernel");
  }
  return success();
}
