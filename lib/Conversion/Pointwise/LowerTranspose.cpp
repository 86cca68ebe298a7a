//===- LowerTranspose.cpp - Tiles turned in shared memory -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block owns a square of two of the results' dimensions: `across`, along
// which the crossed values are contiguous, and the last. A tile in shared
// memory has one row for each place of the last dimension, and along it those
// of `across`. With vectors of two elements and a tile of 4 x 4, place (across
// a, last l) is written by threads that run along the rows,
//
//   row l:   a0 a1 | a2 a3        in row 2 and 3:   a2 a3 | a0 a1
//
// and read along a column. The number of a vector in its row is xored with l /
// vector: the lanes of a warp that read one column then take different vectors
// of their rows, and with them different banks.
//
//===----------------------------------------------------------------------===//

#include "LowerTranspose.h"
#include "KernelFrame.h"
#include "Points/OpEmitters.h"

#include "fuse/Analysis/TransposeSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// The widest access to shared memory.
static constexpr int64_t widestBytes = 16;
/// Vectors that a thread reads before it stores the first.
static constexpr int64_t vectorsInFlight = 4;

namespace {
class TransposeLowering {
public:
  TransposeLowering(KernelFrame &frame, TransposeScheduleAttr schedule,
                    const TransposeSpace &space)
      : frame(frame), emitter(frame.emitter), builder(frame.builder),
        space(space), threads(schedule.getThreads()), tile(schedule.getTile()),
        vector(schedule.getVector()) {}

  FailureOr<Grid> run();

private:
  /// A place in the tile.
  struct Place {
    Index across, last;
  };

  LogicalResult verify();
  Grid grid() const;
  void placeBlock();
  void addTiles();
  SmallVector<Index, 4> indices(const Place &place);
  Point follow(ArrayRef<OpOperand *> path, const Place &place,
               Value *inside = nullptr);
  Point source(const CrossedValue &crossed, const Place &place) {
    return follow(crossed.paths.front(), place);
  }
  Value isNeeded(const CrossedValue &crossed, const Place &place);
  Point operandOf(ConcatOp concat, unsigned number, Point point, Value *inside);
  Value exists(const Place &place);
  Index slot(const Place &place);
  void forEachUnits(llvm::function_ref<void(ArrayRef<Index>)> body);
  Value readVector(const CrossedValue &crossed, const Point &first);
  Value readStored(unsigned number, const Place &place);
  void storeTile(unsigned number, const Index &slot, Value stored);
  void readTiles();
  void writeResults();
  void writeVector(const Place &place);
  Value readTile(unsigned number, const Index &slot, int64_t row);

  Extent acrossExtent() const { return space.segment.extents[space.across]; }
  Extent lastExtent() const { return space.segment.extents.back(); }
  int64_t blocksPerRow() const { return tile / vector; }
  Type elementOf(unsigned number) const {
    return getElementTypeOrSelf(space.values[number].value.getType());
  }
  Index quotient(const Index &index, int64_t by) {
    return emitter.div(index, Index::constant(by));
  }
  Index remainder(const Index &index, int64_t by) {
    return emitter.rem(index, Index::constant(by));
  }
  Index times(const Index &index, int64_t by) {
    return emitter.mul(index, Index::constant(by));
  }

  KernelFrame &frame;
  PointEmitter &emitter;
  OpBuilder &builder;
  const TransposeSpace &space;
  int64_t threads, tile, vector;
  /// The indices of the block's first place.
  SmallVector<Index, 4> origin;
  SmallVector<Value> tiles;
};
} // namespace

LogicalResult TransposeLowering::verify() {
  for (const Extent &extent : {acrossExtent(), lastExtent()}) {
    if (!emitter.divides(vector, extent))
      return frame.kernel.emitError()
             << "expected a schedule whose vector divides the two dimensions "
                "of its tiles, but got vector = "
             << vector << " for a dimension of "
             << (extent.isStatic() ? std::to_string(extent.size)
                                   : "unknown size")
             << "; use vector = 1";
  }
  int64_t bytes = 0;
  for (const CrossedValue &crossed : space.values) {
    if (crossed.seam % vector != 0)
      return frame.kernel.emitError()
             << "expected a schedule whose vector divides where operands of a "
                "concatenation start and end, but got vector = "
             << vector << " for " << crossed.seam << "; use vector = 1";
    bytes += tile * tile *
             getElementBytes(getElementTypeOrSelf(crossed.value.getType()));
  }
  if (bytes <= mostStaticShared)
    return success();
  return frame.kernel.emitError()
         << "expected tiles of at most " << mostStaticShared
         << " bytes of shared memory, but got " << bytes
         << "; use a smaller tile";
}

Grid TransposeLowering::grid() const {
  GridTerm term;
  term.factors.push_back({{lastExtent()}, tile});
  term.factors.push_back({{acrossExtent()}, tile});
  term.factors.push_back({space.batch(), 1});
  return {term};
}

void TransposeLowering::placeBlock() {
  Index block = frame.blockId();
  auto tilesOf = [&](const Extent &extent) {
    return quotient(
        emitter.add(emitter.size(extent), Index::constant(tile - 1)), tile);
  };
  Index lastTiles = tilesOf(lastExtent()),
        acrossTiles = tilesOf(acrossExtent());
  Index last = emitter.rem(block, lastTiles);
  Index rest = emitter.div(block, lastTiles);
  Index across = emitter.rem(rest, acrossTiles);
  auto batch =
      emitter.delinearize(emitter.div(rest, acrossTiles), space.batch());
  auto *next = batch.begin();
  for (int64_t axis = 0, rank = space.segment.extents.size(); axis < rank;
       ++axis) {
    if (axis == space.across)
      origin.push_back(times(across, tile));
    else if (axis + 1 == rank)
      origin.push_back(times(last, tile));
    else
      origin.push_back(*next++);
  }
}

void TransposeLowering::addTiles() {
  auto shared = gpu::AddressSpaceAttr::get(builder.getContext(),
                                           gpu::AddressSpace::Workgroup);
  for (unsigned number = 0; number < space.values.size(); ++number)
    tiles.push_back(frame.function.addWorkgroupAttribution(
        MemRefType::get({tile * tile},
                        PointEmitter::storageType(elementOf(number)),
                        AffineMap(), shared),
        frame.loc()));
}

/// The results' indices at a place.
SmallVector<Index, 4> TransposeLowering::indices(const Place &place) {
  SmallVector<Index, 4> result = origin;
  result[space.across] = emitter.add(origin[space.across], place.across);
  result.back() = emitter.add(origin.back(), place.last);
  return result;
}

/// Where the value at the end of a path has the element that the results need
/// at a place. `inside`, where given, becomes whether it has one: an operand of
/// a concatenation has but a part of the places.
Point TransposeLowering::follow(ArrayRef<OpOperand *> path, const Place &place,
                                Value *inside) {
  Point point;
  point.dims = indices(place);
  for (OpOperand *operand : path) {
    Operation *op = operand->getOwner();
    if (isa<YieldOp>(op))
      continue;
    if (auto concat = dyn_cast<ConcatOp>(op)) {
      point = operandOf(concat, operand->getOperandNumber(), point, inside);
      continue;
    }
    point = op->hasTrait<mlir::fuse::OpTrait::Pointwise>()
                ? emitter.operandPoint(operand->get(), op->getResult(0), point)
                : movedPoint(emitter, op, point);
  }
  return point;
}

/// Whether the results need a crossed value at a place; null if they do at all.
Value TransposeLowering::isNeeded(const CrossedValue &crossed,
                                  const Place &place) {
  Value needed;
  for (ArrayRef<OpOperand *> path : crossed.paths) {
    Value inside;
    follow(path, place, &inside);
    if (!inside)
      return inside;
    needed =
        needed
            ? Value(arith::OrIOp::create(builder, frame.loc(), needed, inside))
            : inside;
  }
  return needed;
}

/// The point of an operand of a concatenation.
Point TransposeLowering::operandOf(ConcatOp concat, unsigned number,
                                   Point point, Value *inside) {
  Index &place = point.dims[concat.getDim()];
  Index start = Index::constant(0);
  auto sizeOf = [&](Value input) {
    return emitter.size(frame.dims.extent(input, concat.getDim()));
  };
  for (Value input : concat.getInputs().take_front(number))
    start = emitter.add(start, sizeOf(input));
  if (inside) {
    Index end = emitter.add(start, sizeOf(concat.getInputs()[number]));
    Value isBehind;
    if (number > 0)
      isBehind = emitter.less(emitter.add(start, Index::constant(-1)), place);
    *inside =
        frame.both(*inside, frame.both(isBehind, emitter.less(place, end)));
  }
  place = emitter.sub(place, start);
  return point;
}

/// Whether the results have the place; null if they have all of the tile.
Value TransposeLowering::exists(const Place &place) {
  auto isInside = [&](const Extent &extent, const Index &index) {
    bool whole = extent.isStatic() && extent.size % tile == 0;
    return whole ? Value() : emitter.less(index, emitter.size(extent));
  };
  SmallVector<Index, 4> at = indices(place);
  Value across = isInside(acrossExtent(), at[space.across]);
  return frame.both(across, isInside(lastExtent(), at.back()));
}

/// Where the tiles have a place.
Index TransposeLowering::slot(const Place &place) {
  Value block = emitter.materialize(quotient(place.across, vector));
  Value turn = emitter.materialize(quotient(place.last, vector));
  Index turned{arith::XOrIOp::create(builder, frame.loc(), block, turn)};
  Index inRow = times(turned, vector);
  Index row = times(place.last, tile);
  return emitter.add(emitter.add(row, inRow), remainder(place.across, vector));
}

/// Gives `body` the numbers of this thread's vectors, several at a time.
void TransposeLowering::forEachUnits(
    llvm::function_ref<void(ArrayRef<Index>)> body) {
  int64_t count = tile * blocksPerRow() / threads;
  int64_t step = std::min(count, vectorsInFlight);
  Index thread = frame.threadId(threads);
  auto units = [&](const Index &first) {
    SmallVector<Index> numbers;
    for (int64_t i = 0; i < step; ++i)
      numbers.push_back(emitter.add(first, Index::constant(i * threads)));
    body(numbers);
  };
  if (step == count)
    return units(thread);
  auto loop =
      scf::ForOp::create(builder, frame.loc(), emitter.materialize(thread),
                         emitter.materialize(Index::constant(count * threads)),
                         emitter.materialize(Index::constant(step * threads)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  units({loop.getInductionVar()});
}

/// The vector of a crossed value that starts at a point.
Value TransposeLowering::readVector(const CrossedValue &crossed,
                                    const Point &first) {
  Point point = first;
  if (crossed.along + 1 == static_cast<int64_t>(point.dims.size())) {
    point.lanes = vector;
    point.skew = llvm::mod(crossed.offset, vector);
    return emitter.emitLanes(crossed.value, point);
  }
  return emitter.gatherLanes(crossed.value.getLoc(), vector, [&](int64_t lane) {
    point.dims[crossed.along] =
        emitter.add(first.dims[crossed.along], Index::constant(lane));
    return emitter.emit(crossed.value, point);
  });
}

/// The vector that a tile holds from a place on, in the storage type.
Value TransposeLowering::readStored(unsigned number, const Place &place) {
  const CrossedValue &crossed = space.values[number];
  Location loc = crossed.value.getLoc();
  Type element = elementOf(number);
  Value inside = frame.both(exists(place), isNeeded(crossed, place));
  Point point = source(crossed, place);
  auto load = [&] {
    return emitter.toStorage(loc, element, readVector(crossed, point));
  };
  if (!inside)
    return load();
  Type type = PointEmitter::lanesOf(PointEmitter::storageType(element), vector);
  return emitter.choose(loc, inside, type, load, [&]() -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  });
}

void TransposeLowering::storeTile(unsigned number, const Index &slot,
                                  Value stored) {
  Value index = emitter.materialize(slot);
  if (vector == 1) {
    memref::StoreOp::create(builder, frame.loc(), stored, tiles[number], index);
    return;
  }
  int64_t bytes = getElementBytes(elementOf(number)) * vector;
  vector::StoreOp::create(builder, frame.loc(), stored, tiles[number], index,
                          /*nontemporal=*/false,
                          llvm::MaybeAlign(std::min(widestBytes, bytes)));
}

/// All vectors are read before one is stored.
void TransposeLowering::readTiles() {
  forEachUnits([&](ArrayRef<Index> units) {
    SmallVector<Place> places;
    SmallVector<Value> stored;
    for (const Index &unit : units) {
      places.push_back({times(remainder(unit, blocksPerRow()), vector),
                        quotient(unit, blocksPerRow())});
      for (unsigned number = 0; number < tiles.size(); ++number)
        stored.push_back(readStored(number, places.back()));
    }
    const Value *next = stored.begin();
    for (const Place &place : places)
      for (unsigned number = 0; number < tiles.size(); ++number)
        storeTile(number, slot(place), *next++);
  });
}

Value TransposeLowering::readTile(unsigned number, const Index &slot,
                                  int64_t row) {
  Index at = emitter.add(slot, Index::constant(row * tile));
  Value stored = memref::LoadOp::create(builder, frame.loc(), tiles[number],
                                        emitter.materialize(at));
  return emitter.fromStorage(frame.loc(), elementOf(number), stored);
}

void TransposeLowering::writeVector(const Place &place) {
  Index first = slot(place);
  for (auto [number, crossed] : llvm::enumerate(space.values))
    emitter.stage({crossed.value, source(crossed, place).dims, crossed.dim,
                   vector, [this, number = number, first](int64_t row) {
                     return readTile(number, first, row);
                   }});
  Point point;
  point.dims = indices(place);
  point.lanes = vector;
  frame.storeResults(point);
}

void TransposeLowering::writeResults() {
  forEachUnits([&](ArrayRef<Index> units) {
    for (const Index &unit : units) {
      Place place{quotient(unit, blocksPerRow()),
                  times(remainder(unit, blocksPerRow()), vector)};
      frame.ifTrue(exists(place), [&] {
        PointEmitter::Scope scope(emitter);
        writeVector(place);
      });
    }
  });
}

FailureOr<Grid> TransposeLowering::run() {
  if (failed(verify()))
    return failure();
  placeBlock();
  addTiles();
  readTiles();
  gpu::BarrierOp::create(builder, frame.loc());
  writeResults();
  return grid();
}

FailureOr<Grid> mlir::fuse::lowerTranspose(KernelFrame &frame,
                                           TransposeScheduleAttr schedule) {
  std::optional<TransposeSpace> space =
      transposeSpaceOf(frame.kernel, frame.dims);
  if (!space)
    return frame.kernel.emitError()
           << "expected a pointwise kernel with results of one shape that "
              "reads a value across for #fuse.transpose, but got another; use "
              "#fuse.pointwise";
  return TransposeLowering(frame, schedule, *space).run();
}
