//===- LowerPanels.cpp - Tiles of contractions on a CPU -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in Goto and van de Geijn, "Anatomy of High-Performance Matrix
// Multiplication" (2008), with the operands' parts in it exchanged. For
// tile_k elements along the summed axis at a time
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

#include "Panels.h"
#include "Reductions/CompensatedSum.h"
#include "TilePlaces.h"
#include "Tiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class PanelLowering {
public:
  PanelLowering(KernelFrame &frame, TiledScheduleAttr schedule,
                const TileSpace &space)
      : frame(frame), emitter(frame.emitter), builder(frame.builder),
        schedule(schedule), space(space), places(frame, space, schedule),
        lanes(schedule.getVector()), depth(schedule.getTileK()),
        type(PointEmitter::computeType(
            space.shape().getType().getElementType())),
        packed(frame, type, lanes, schedule.getColumns(), depth) {}

  Grid run();

private:
  void allocate();
  void clearSums();
  void accumulate(const TileContraction &contraction, unsigned number);
  PanelRows copyRows(const TileContraction &contraction, const Index &k,
                     const Index &depthHere);
  void packPanels(const TileContraction &contraction, const Index &k,
                  const Index &depthHere);
  void multiply(const PanelRows &scalars, const Index &depthHere,
                unsigned number);
  void multiplyPiece(const PanelRows &scalars, const Index &row, int64_t rows,
                     const Index &panel, const Index &depthHere,
                     unsigned number);
  void addToTile(const Index &at, Value sum, unsigned number);
  Value totalAt(const Index &at, int64_t width, unsigned number);
  void finish();
  void finishAt(const Index &row, const Index &column, int64_t width);

  void loop(const Index &from, const Index &to, int64_t step,
            llvm::function_ref<void(const Index &)> body) {
    packed.loop(from, to, step, body);
  }
  void inVectors(const Index &count, int64_t width,
                 llvm::function_ref<void(const Index &, int64_t)> body) {
    packed.inVectors(count, width, body);
  }
  /// With what is computed past the edge.
  int64_t paddedRows() const { return schedule.getTileM() + Panels::edgeRows; }
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
  Panels packed;
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

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void PanelLowering::allocate() {
  NearMemory memory;
  sums.resize(space.contractions.size());
  rests.resize(space.contractions.size());
  memory.add(copied, depth * paddedRows());
  memory.add(panels, packed.elements(schedule.getTileN()));
  memory.add(rowsToTurn, packed.turnedElements());
  for (unsigned number = 0; number < sums.size(); ++number) {
    memory.add(sums[number], sumCount());
    if (isDeep())
      memory.add(rests[number], sumCount());
  }
  memory.allocate(frame, type);
}

void PanelLowering::clearSums() {
  if (!isDeep())
    return;
  loop(Index::constant(0), Index::constant(sumCount()), lanes,
       [&](const Index &at) {
         for (unsigned number = 0; number < sums.size(); ++number) {
           sums[number].store(at, packed.zero(lanes), lanes);
           rests[number].store(at, packed.zero(lanes), lanes);
         }
       });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

PanelRows PanelLowering::copyRows(const TileContraction &contraction,
                                  const Index &k, const Index &depthHere) {
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

void PanelLowering::packPanels(const TileContraction &contraction,
                               const Index &k, const Index &depthHere) {
  auto elements = [&](bool alongSummed) {
    return [&, alongSummed](const Index &column, const Index &place,
                            int64_t width) {
      return places.emitOperand(contraction, /*ofRows=*/false,
                                emitter.add(places.firstColumn(), column),
                                emitter.add(k, place), width, alongSummed);
    };
  };
  if (lanes > 1 && places.alongSummed(contraction, /*ofRows=*/false, lanes) &&
      depth % lanes == 0)
    return packed.packAlongSummed(panels, rowsToTurn, columnCount, depthHere,
                                  elements(/*alongSummed=*/true));
  int64_t width =
      places.alongOwn(contraction, /*ofRows=*/false, lanes) ? lanes : 1;
  packed.packAlongOwn(panels, columnCount, depthHere, width,
                      elements(/*alongSummed=*/false));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void PanelLowering::addToTile(const Index &at, Value sum, unsigned number) {
  if (!isDeep())
    return sums[number].store(at, sum, lanes);
  CompensatedSum before = {sums[number].load(at, lanes, lanes),
                           rests[number].load(at, lanes, lanes)};
  CompensatedSum after = addTerm(builder, frame.loc(), before, sum);
  sums[number].store(at, after.sum, lanes);
  rests[number].store(at, after.rest, lanes);
}

void PanelLowering::multiplyPiece(const PanelRows &scalars, const Index &row,
                                  int64_t rows, const Index &column,
                                  const Index &depthHere, unsigned number) {
  int64_t columns = schedule.getColumns();
  SmallVector<Value> piece = packed.multiply(scalars.from(emitter, row),
                                             panels.from(packed.offset(column)),
                                             columns, rows, depthHere);
  for (int64_t i = 0; i < rows; ++i) {
    Index line = emitter.add(emitter.mul(emitter.add(row, Index::constant(i)),
                                         Index::constant(schedule.getTileN())),
                             column);
    for (int64_t j = 0; j < columns / lanes; ++j)
      addToTile(emitter.add(line, Index::constant(j * lanes)),
                piece[i * (columns / lanes) + j], number);
  }
}

void PanelLowering::multiply(const PanelRows &copied, const Index &depthHere,
                             unsigned number) {
  packed.inPieces(
      rowCount, schedule.getRows(), [&](const Index &row, int64_t rows) {
        loop(Index::constant(0), columnCount, schedule.getColumns(),
             [&](const Index &column) {
               multiplyPiece(copied, row, rows, column, depthHere, number);
             });
      });
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
