//===- LowerPanels.cpp - Tiles of contractions on a CPU -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication" (2008), with the operands' parts in it exchanged. For
// tile_k places of the summed axis at a time
//
//   pack columns   panels [tile_k][columns], of `columns` columns each; they
//                  stay in the second-level cache
//   copy rows      [rows][tile_k], or [tile_k][rows] where rows are neighbours
//                  in memory; a piece of them stays in the first-level cache
//   multiply       for each piece of rows, for each panel: `rows` x `columns`
//                  sums in registers take a vector of the panel and one element
//                  of each row at every place
//   add            to the sums of the tile, with compensation
//
// and then what follows the contractions, row by row. Edges of a tile are
// padded: what is computed there is never read. Packing asks the emitter for
// the operands' elements, so that it converts them and computes what the kernel
// does before the contraction.
//
//===----------------------------------------------------------------------===//

#include "../CompensatedSum.h"
#include "NearBuffer.h"
#include "TilePlaces.h"
#include "Tiles.h"
#include "Transpose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

/// Between panels, so that their rows do not meet in one set of a cache.
static constexpr int64_t panelPadding = 16;
/// The rows of the pieces that a tile's edge is cut into.
static constexpr int64_t edgeRows = 4;

namespace {
class PanelLowering {
public:
  PanelLowering(KernelFrame &frame, TiledScheduleAttr schedule,
                const TileSpace &space)
      : frame(frame), emitter(frame.emitter), builder(frame.builder),
        schedule(schedule), space(space), places(frame, space, schedule),
        lanes(schedule.getVector()), depth(schedule.getTileK()) {}

  Grid run();

private:
  /// How the rows of a step lie.
  struct Copied {
    NearBuffer buffer;
    int64_t perRow, perPlace;
  };

  void allocate();
  void clearSums();
  void accumulate(const TileContraction &contraction, unsigned number);
  Copied copyRows(const TileContraction &contraction, const Index &k,
                  const Index &depthHere);
  void packPanels(const TileContraction &contraction, const Index &k,
                  const Index &depthHere);
  void packAlongOwn(const TileContraction &contraction, const Index &k,
                    const Index &depthHere, int64_t width);
  void packAlongSummed(const TileContraction &contraction, const Index &k,
                       const Index &depthHere);
  void multiply(const Copied &scalars, const Index &depthHere, unsigned number);
  void multiplyPiece(const Copied &scalars, const Index &row, int64_t rows,
                     const Index &panel, const Index &depthHere,
                     unsigned number);
  SmallVector<Value> sumsOfPiece(const NearBuffer &scalars,
                                 const Copied &layout, const NearBuffer &panel,
                                 int64_t rows, const Index &depthHere);
  void addToTile(const Index &at, Value sum, unsigned number);
  Value totalAt(const Index &at, int64_t width, unsigned number);
  void finish();
  void finishAt(const Index &row, const Index &column, int64_t width);

  /// for (i = from; i < to; i += step) body(i)
  void loop(const Index &from, const Index &to, int64_t step,
            llvm::function_ref<void(const Index &)> body);
  /// Vectors of `width` from 0 to `count`, then what is left one by one.
  void inVectors(const Index &count, int64_t width,
                 llvm::function_ref<void(const Index &, int64_t)> body);
  Value zero(int64_t width) {
    return emitter.splat(frame.loc(), emitter.constant(frame.loc(), type, 0),
                         width);
  }
  int64_t panelStride() const {
    return depth * schedule.getColumns() + panelPadding;
  }
  Index panelOffset(const Index &column) {
    Index columns = Index::constant(schedule.getColumns());
    return emitter.add(emitter.mul(emitter.div(column, columns),
                                   Index::constant(panelStride())),
                       emitter.rem(column, columns));
  }
  /// With what is computed past the edge.
  int64_t paddedRows() const { return schedule.getTileM() + edgeRows; }
  int64_t sumCount() const { return paddedRows() * schedule.getTileN(); }
  bool isDeep() const { return !staticDepth || *staticDepth > depth; }

  KernelFrame &frame;
  PointEmitter &emitter;
  OpBuilder &builder;
  TiledScheduleAttr schedule;
  const TileSpace &space;
  TilePlaces places;
  int64_t lanes, depth;
  Type type;
  /// Of the tile, as far as they exist.
  Index rowCount, columnCount;
  /// The largest number of products in a sum, if it is known.
  std::optional<int64_t> staticDepth;
  NearBuffer panels, copied, rowsToTurn;
  /// The sums of the tile [rows][columns], one for each contraction, and
  /// what they are off by where there are several steps.
  SmallVector<NearBuffer, 2> sums, rests;
};
} // namespace

void PanelLowering::loop(const Index &from, const Index &to, int64_t step,
                         llvm::function_ref<void(const Index &)> body) {
  if (!from.base && !to.base && from.offset >= to.offset)
    return;
  auto loop = scf::ForOp::create(
      builder, frame.loc(), emitter.materialize(from), emitter.materialize(to),
      emitter.materialize(Index::constant(step)));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  body({loop.getInductionVar()});
}

void PanelLowering::inVectors(
    const Index &count, int64_t width,
    llvm::function_ref<void(const Index &, int64_t)> body) {
  Index vector = Index::constant(width);
  Index whole = emitter.mul(emitter.div(count, vector), vector);
  loop(Index::constant(0), whole, width,
       [&](const Index &i) { body(i, width); });
  if (width > 1)
    loop(whole, count, 1, [&](const Index &i) { body(i, 1); });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// One piece of memory, which the host's code gets from its thread; see
/// GPUToCPU.cpp.
void PanelLowering::allocate() {
  constexpr int64_t line = 64;
  int64_t elementBytes = type.getIntOrFloatBitWidth() / 8;
  int64_t bytes = 0;
  SmallVector<std::pair<NearBuffer *, int64_t>> parts;
  auto add = [&](NearBuffer &buffer, int64_t elements) {
    parts.push_back({&buffer, bytes / elementBytes});
    bytes = llvm::alignTo(bytes + elements * elementBytes, line);
  };
  sums.resize(space.contractions.size());
  rests.resize(space.contractions.size());
  add(copied, depth * paddedRows());
  add(panels, schedule.getTileN() / schedule.getColumns() * panelStride());
  add(rowsToTurn, lanes * depth);
  for (unsigned number = 0; number < sums.size(); ++number) {
    add(sums[number], sumCount());
    if (isDeep())
      add(rests[number], sumCount());
  }

  std::string name = ("__scratch_" + frame.function.getName()).str();
  auto module = frame.function->getParentOfType<gpu::GPUModuleOp>();
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(builder, frame.loc(),
                           LLVM::LLVMArrayType::get(builder.getI8Type(), bytes),
                           /*isConstant=*/false, LLVM::Linkage::External, name,
                           Attribute(), /*alignment=*/line);
  }
  NearBuffer all(emitter,
                 LLVM::AddressOfOp::create(builder, frame.loc(), pointer, name),
                 type);
  for (auto [buffer, offset] : parts)
    *buffer = all.from(Index::constant(offset));
}

void PanelLowering::clearSums() {
  if (!isDeep())
    return;
  loop(Index::constant(0), Index::constant(sumCount()), lanes,
       [&](const Index &at) {
         for (unsigned number = 0; number < sums.size(); ++number) {
           sums[number].store(at, zero(lanes), lanes);
           rests[number].store(at, zero(lanes), lanes);
         }
       });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

PanelLowering::Copied
PanelLowering::copyRows(const TileContraction &contraction, const Index &k,
                        const Index &depthHere) {
  auto emit = [&](const Index &row, const Index &place, int64_t width,
                  bool alongSummed) {
    return places.emitOperand(contraction, /*ofRows=*/true,
                              emitter.add(places.firstRow(), row),
                              emitter.add(k, place), width, alongSummed);
  };
  if (places.alongOwn(contraction, /*ofRows=*/true, lanes)) {
    int64_t pitch = paddedRows();
    loop(Index::constant(0), depthHere, 1, [&](const Index &place) {
      Index line = emitter.mul(place, Index::constant(pitch));
      inVectors(rowCount, lanes, [&](const Index &row, int64_t width) {
        copied.store(emitter.add(line, row), emit(row, place, width, false), 1);
      });
    });
    return {copied, 1, pitch};
  }
  int64_t widest =
      places.alongSummed(contraction, /*ofRows=*/true, lanes) ? lanes : 1;
  loop(Index::constant(0), rowCount, 1, [&](const Index &row) {
    Index line = emitter.mul(row, Index::constant(depth));
    inVectors(depthHere, widest, [&](const Index &place, int64_t width) {
      copied.store(emitter.add(line, place), emit(row, place, width, true), 1);
    });
  });
  return {copied, depth, 1};
}

void PanelLowering::packAlongOwn(const TileContraction &contraction,
                                 const Index &k, const Index &depthHere,
                                 int64_t width) {
  loop(Index::constant(0), depthHere, 1, [&](const Index &place) {
    Index line = emitter.mul(place, Index::constant(schedule.getColumns()));
    inVectors(columnCount, width, [&](const Index &column, int64_t width) {
      Value value = places.emitOperand(
          contraction, /*ofRows=*/false,
          emitter.add(places.firstColumn(), column), emitter.add(k, place),
          width, /*lanesAreSummed=*/false);
      panels.store(emitter.add(panelOffset(column), line), value, width);
    });
  });
}

/// Rows of memory become columns of panels: as many as a vector has lanes are
/// read at a time, and turned in registers.
void PanelLowering::packAlongSummed(const TileContraction &contraction,
                                    const Index &k, const Index &depthHere) {
  Index step = Index::constant(lanes);
  auto turn = [&](const Index &column, const Index &count) {
    loop(Index::constant(0), count, 1, [&](const Index &i) {
      Index line = emitter.mul(i, Index::constant(depth));
      inVectors(depthHere, lanes, [&](const Index &place, int64_t width) {
        Value value = places.emitOperand(
            contraction, /*ofRows=*/false,
            emitter.add(places.firstColumn(), emitter.add(column, i)),
            emitter.add(k, place), width, /*lanesAreSummed=*/true);
        rowsToTurn.store(emitter.add(line, place), value, width);
      });
    });
    NearBuffer panel = panels.from(panelOffset(column));
    loop(Index::constant(0), depthHere, lanes, [&](const Index &place) {
      SmallVector<Value> lines;
      for (int64_t row = 0; row < lanes; ++row)
        lines.push_back(rowsToTurn.load(
            emitter.add(place, Index::constant(row * depth)), lanes, lanes));
      Index line = emitter.mul(place, Index::constant(schedule.getColumns()));
      for (auto [number, column] :
           llvm::enumerate(transposeSquare(builder, frame.loc(), lines)))
        panel.store(
            emitter.add(line, Index::constant(number * schedule.getColumns())),
            column, lanes);
    });
  };
  loop(Index::constant(0), columnCount, lanes, [&](const Index &column) {
    turn(column, emitter.min(emitter.sub(columnCount, column), step));
  });
}

void PanelLowering::packPanels(const TileContraction &contraction,
                               const Index &k, const Index &depthHere) {
  if (lanes > 1 && places.alongSummed(contraction, /*ofRows=*/false, lanes) &&
      depth % lanes == 0)
    return packAlongSummed(contraction, k, depthHere);
  int64_t width =
      places.alongOwn(contraction, /*ofRows=*/false, lanes) ? lanes : 1;
  packAlongOwn(contraction, k, depthHere, width);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

SmallVector<Value> PanelLowering::sumsOfPiece(const NearBuffer &scalars,
                                              const Copied &layout,
                                              const NearBuffer &panel,
                                              int64_t rows,
                                              const Index &depthHere) {
  Location loc = frame.loc();
  int64_t columns = schedule.getColumns();
  SmallVector<Value> zeros(rows * (columns / lanes), zero(lanes));
  auto loop =
      scf::ForOp::create(builder, loc, emitter.materialize(Index::constant(0)),
                         emitter.materialize(depthHere),
                         emitter.materialize(Index::constant(1)), zeros);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  auto flags = arith::FastMathFlagsAttr::get(
      builder.getContext(), emitter.getOptions().strict
                                ? arith::FastMathFlags::none
                                : arith::FastMathFlags::contract);
  Index place = {loop.getInductionVar()};
  Index line = emitter.mul(place, Index::constant(columns));
  Index at = emitter.mul(place, Index::constant(layout.perPlace));
  SmallVector<Value> vectors, results;
  for (int64_t column = 0; column < columns; column += lanes)
    vectors.push_back(
        panel.load(emitter.add(line, Index::constant(column)), lanes, lanes));
  for (int64_t row = 0; row < rows; ++row) {
    Value scalar = scalars.load(
        emitter.add(at, Index::constant(row * layout.perRow)), 1, 1);
    Value repeated = emitter.splat(loc, scalar, lanes);
    for (Value vector : vectors) {
      Value sum = loop.getRegionIterArgs()[results.size()];
      Value product =
          arith::MulFOp::create(builder, loc, repeated, vector, flags);
      results.push_back(
          arith::AddFOp::create(builder, loc, sum, product, flags));
    }
  }
  scf::YieldOp::create(builder, loc, results);
  return SmallVector<Value>(loop.getResults());
}

void PanelLowering::addToTile(const Index &at, Value sum, unsigned number) {
  if (!isDeep())
    return sums[number].store(at, sum, lanes);
  CompensatedSum before = {sums[number].load(at, lanes, lanes),
                           rests[number].load(at, lanes, lanes)};
  CompensatedSum after = addTerm(builder, frame.loc(), before, sum);
  sums[number].store(at, after.sum, lanes);
  rests[number].store(at, after.rest, lanes);
}

void PanelLowering::multiplyPiece(const Copied &scalars, const Index &row,
                                  int64_t rows, const Index &column,
                                  const Index &depthHere, unsigned number) {
  NearBuffer own =
      scalars.buffer.from(emitter.mul(row, Index::constant(scalars.perRow)));
  SmallVector<Value> piece = sumsOfPiece(
      own, scalars, panels.from(panelOffset(column)), rows, depthHere);
  int64_t columns = schedule.getColumns();
  for (int64_t i = 0; i < rows; ++i) {
    Index line = emitter.add(emitter.mul(emitter.add(row, Index::constant(i)),
                                         Index::constant(schedule.getTileN())),
                             column);
    for (int64_t j = 0; j < columns / lanes; ++j)
      addToTile(emitter.add(line, Index::constant(j * lanes)),
                piece[i * (columns / lanes) + j], number);
  }
}

void PanelLowering::multiply(const Copied &copied, const Index &depthHere,
                             unsigned number) {
  auto multiplyRows = [&](const Index &from, const Index &to, int64_t rows) {
    loop(from, to, rows, [&](const Index &row) {
      loop(Index::constant(0), columnCount, schedule.getColumns(),
           [&](const Index &column) {
             multiplyPiece(copied, row, rows, column, depthHere, number);
           });
    });
  };
  int64_t rows = schedule.getRows();
  Index piece = Index::constant(rows);
  Index whole = emitter.mul(emitter.div(rowCount, piece), piece);
  multiplyRows(Index::constant(0), whole, rows);
  multiplyRows(whole, rowCount, std::min(rows, edgeRows));
}

void PanelLowering::accumulate(const TileContraction &contraction,
                               unsigned number) {
  Index count = places.summedCount(contraction);
  auto step = [&](const Index &k, const Index &depthHere) {
    packPanels(contraction, k, depthHere);
    multiply(copyRows(contraction, k, depthHere), depthHere, number);
  };
  if (!isDeep())
    return step(Index::constant(0), count);
  loop(Index::constant(0), count, depth, [&](const Index &k) {
    step(k, emitter.min(emitter.sub(count, k), Index::constant(depth)));
  });
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value PanelLowering::totalAt(const Index &at, int64_t width, unsigned number) {
  Value sum = sums[number].load(at, width, 1);
  if (!isDeep())
    return sum;
  return totalOf(builder, frame.loc(), {sum, rests[number].load(at, width, 1)});
}

void PanelLowering::finishAt(const Index &row, const Index &column,
                             int64_t width) {
  Point point =
      places.resultPoint(emitter.add(places.firstRow(), row),
                         emitter.add(places.firstColumn(), column), width);
  Index line = emitter.mul(row, Index::constant(schedule.getTileN()));
  for (auto [number, contraction] : llvm::enumerate(space.contractions))
    emitter.define(ContractOp(contraction.op).getResult(), point,
                   totalAt(emitter.add(line, column), width, number));
  frame.storeResults(point);
}

void PanelLowering::finish() {
  loop(Index::constant(0), rowCount, 1, [&](const Index &row) {
    inVectors(columnCount, lanes, [&](const Index &column, int64_t width) {
      finishAt(row, column, width);
    });
  });
}

Grid PanelLowering::run() {
  type = PointEmitter::computeType(space.shape().getType().getElementType());
  places.findTile();
  rowCount = places.rowCount();
  columnCount = places.columnCount();
  staticDepth = 0;
  for (const TileContraction &contraction : space.contractions) {
    auto own = staticProduct(contraction.summedExtents(frame.dims));
    staticDepth = staticDepth && own
                      ? std::optional(std::max(*staticDepth, *own))
                      : std::nullopt;
  }
  allocate();
  clearSums();
  for (auto [number, contraction] : llvm::enumerate(space.contractions))
    accumulate(contraction, number);
  finish();
  return {places.grid()};
}

Grid mlir::fuse::lowerPanels(KernelFrame &frame, TiledScheduleAttr schedule,
                             const TileSpace &space) {
  return PanelLowering(frame, schedule, space).run();
}
