//===- Panels.cpp - Packed operands of a CPU's contractions ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Panels.h"

#include "Transpose.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

void Panels::loop(const Index &from, const Index &to, int64_t step,
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

void Panels::inVectors(const Index &count, int64_t width,
                       llvm::function_ref<void(const Index &, int64_t)> body) {
  Index vector = Index::constant(width);
  Index whole = emitter.mul(emitter.div(count, vector), vector);
  loop(Index::constant(0), whole, width,
       [&](const Index &i) { body(i, width); });
  if (width > 1)
    loop(whole, count, 1, [&](const Index &i) { body(i, 1); });
}

void Panels::inPieces(const Index &count, int64_t rows,
                      llvm::function_ref<void(const Index &, int64_t)> body) {
  Index piece = Index::constant(rows);
  Index whole = emitter.mul(emitter.div(count, piece), piece);
  loop(Index::constant(0), whole, rows,
       [&](const Index &row) { body(row, rows); });
  int64_t rest = std::min(rows, edgeRows);
  loop(whole, count, rest, [&](const Index &row) { body(row, rest); });
}

Index Panels::offset(const Index &column) {
  Index width = Index::constant(columns);
  return emitter.add(
      emitter.mul(emitter.div(column, width), Index::constant(stride())),
      emitter.rem(column, width));
}

void Panels::packAlongOwn(const NearBuffer &panels, const Index &count,
                          const Index &places, int64_t width,
                          Elements elements) {
  loop(Index::constant(0), places, 1, [&](const Index &place) {
    Index line = emitter.mul(place, Index::constant(columns));
    inVectors(count, width, [&](const Index &column, int64_t width) {
      panels.store(emitter.add(offset(column), line),
                   elements(column, place, width), width);
    });
  });
}

void Panels::packAlongSummed(const NearBuffer &panels, const NearBuffer &turned,
                             const Index &count, const Index &places,
                             Elements elements) {
  Index step = Index::constant(lanes);
  auto turn = [&](const Index &column, const Index &count) {
    loop(Index::constant(0), count, 1, [&](const Index &i) {
      Index line = emitter.mul(i, Index::constant(depth));
      inVectors(places, lanes, [&](const Index &place, int64_t width) {
        turned.store(emitter.add(line, place),
                     elements(emitter.add(column, i), place, width), width);
      });
    });
    NearBuffer panel = panels.from(offset(column));
    loop(Index::constant(0), places, lanes, [&](const Index &place) {
      SmallVector<Value> lines;
      for (int64_t row = 0; row < lanes; ++row)
        lines.push_back(turned.load(
            emitter.add(place, Index::constant(row * depth)), lanes, lanes));
      Index line = emitter.mul(place, Index::constant(columns));
      for (auto [number, column] :
           llvm::enumerate(transposeSquare(builder, frame.loc(), lines)))
        panel.store(emitter.add(line, Index::constant(number * columns)),
                    column, lanes);
    });
  };
  loop(Index::constant(0), count, lanes, [&](const Index &column) {
    turn(column, emitter.min(emitter.sub(count, column), step));
  });
}

SmallVector<Value> Panels::multiply(const PanelRows &scalars,
                                    const NearBuffer &panel, int64_t pitch,
                                    int64_t rows, const Index &places) {
  Location loc = frame.loc();
  SmallVector<Value> zeros(rows * (columns / lanes), zero(lanes));
  auto loop =
      scf::ForOp::create(builder, loc, emitter.materialize(Index::constant(0)),
                         emitter.materialize(places),
                         emitter.materialize(Index::constant(1)), zeros);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  PointEmitter::Scope scope(emitter);
  auto flags = arith::FastMathFlagsAttr::get(
      builder.getContext(), emitter.getOptions().strict
                                ? arith::FastMathFlags::none
                                : arith::FastMathFlags::contract);
  Index place = {loop.getInductionVar()};
  Index line = emitter.mul(place, Index::constant(pitch));
  Index at = emitter.mul(place, Index::constant(scalars.perPlace));
  SmallVector<Value> vectors, results;
  for (int64_t column = 0; column < columns; column += lanes)
    vectors.push_back(
        panel.load(emitter.add(line, Index::constant(column)), lanes, lanes));
  for (int64_t row = 0; row < rows; ++row) {
    Value scalar = scalars.buffer.load(
        emitter.add(at, Index::constant(row * scalars.perRow)), 1, 1);
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
