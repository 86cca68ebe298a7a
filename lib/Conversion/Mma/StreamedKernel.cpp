//===- StreamedKernel.cpp - What kernels of streamed rows share -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamedKernel.h"

#include "StreamedParts.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t halves = StreamedScores::halves;

StreamedKernel::StreamedKernel(KernelFrame &frame,
                               StreamedScheduleAttr schedule,
                               StreamedSpace theSpace, TensorFacts facts)
    : frame(frame), builder(frame.builder), schedule(schedule),
      space(std::move(theSpace)), resultTile(schedule.resultTile()), b(frame),
      queries{schedule.getTileM(), schedule.getDepth(),
              space.queries.isAlongK(space.k), MmaScheduleAttr::kElementBytes},
      keys{schedule.getTileK(), schedule.getDepth(),
           space.keys.isAlongK(space.k), MmaScheduleAttr::kElementBytes},
      values{schedule.getTileN(), schedule.getTileK(),
             space.values().isAlongK(space.product.k),
             MmaScheduleAttr::kElementBytes},
      scores(b, space, schedule),
      rows(b, space, scores, schedule.getPolynomials()),
      places(b, space, schedule),
      keyPages(b, space.keys, schedule.getTileK(),
               [&](char axis) { return space.productAxis(axis); }),
      valuePages(b, space.values(), schedule.getTileK(),
                 [](char axis) { return axis; }),
      order(b, space.product, resultTile) {
  if (!schedule.leavesParts())
    epilogue.emplace(b, space.product, space.product.segments.front(),
                     resultTile, facts);
}

/// Divisions by numbers that are not known stay before the products. A number
/// may be one thread's, which exchanges nothing with others.
void StreamedKernel::placeTile(Value number) {
  tile = number ? places.placeOf(number) : order.fixHere(places.place());
  tiles = places.find(tile, scores.masks());
  if (!schedule.leavesParts())
    return;
  part = order.fixHere(places.part());
  tiles.first = order.fixHere(tiles.first);
  tiles.last = order.fixHere(tiles.last);
}

Value StreamedKernel::tileAt(Value step) {
  return b.sub(b.sub(b.add(tiles.last, tiles.first), step), b.word(1));
}

Value StreamedKernel::outerPlace(char scoreAxis) {
  return tile.outer.lookup(space.productAxis(scoreAxis));
}

Value StreamedKernel::ownValues() {
  Value at =
      b.word(space.firstOfKeys ? values.offsetOf(*space.firstOfKeys) : 0);
  if (Value group = columnGroup())
    at =
        b.add(at, b.mul(group, values.offsetOf(schedule.columnsPerConsumer())));
  return at;
}

/// For runs of equally many keys of a tile, whether a page of them is missing;
/// none without pages.
SmallVector<Value> StreamedKernel::missingKeys(Value number) {
  SmallVector<Value> missing;
  Value key = b.mul(number, schedule.getTileK());
  SmallVector<StreamedPages *, 2> both = {&keyPages};
  if (!schedule.getValuesInKeys())
    both.push_back(&valuePages);
  size_t runs = 0;
  for (StreamedPages *pages : both)
    if (pages->exist())
      runs = std::max<size_t>(runs, pages->copies());
  missing.resize(runs);
  for (StreamedPages *pages : both) {
    if (!pages->exist())
      continue;
    SmallVector<Value> numbers = pages->load(tile, key);
    for (auto [run, value] : llvm::enumerate(missing)) {
      Value is = b.equal(numbers[run * numbers.size() / runs], -1);
      value =
          value ? builder.createOrFold<arith::OrIOp>(b.loc(), value, is) : is;
    }
  }
  return missing;
}

/// In a tile that neither a mask nor the end of the keys cuts, and whose pages
/// all exist, nothing is masked.
SmallVector<Value> StreamedKernel::logitsOf(ArrayRef<Value> own, Value number,
                                            ArrayRef<Value> missing) {
  Value key = b.mul(number, schedule.getTileK());
  scores.startTile(key);
  Extent extent = space.keyExtent(frame.dims);
  bool hasEdges = !extent.isStatic() || extent.size % schedule.getTileK() != 0;
  if (!hasEdges && scores.masks().empty() && missing.empty())
    return scores.logits(own, /*isWhole=*/true, missing);
  auto signedLess = [&](Value x, Value y) {
    return builder.createOrFold<arith::CmpIOp>(b.loc(),
                                               arith::CmpIPredicate::sle, x, y);
  };
  Value isWhole =
      frame.both(signedLess(tiles.all.first, key),
                 signedLess(b.add(key, schedule.getTileK()), tiles.all.last));
  for (Value run : missing)
    isWhole = frame.both(
        isWhole, b.equal(arith::ExtUIOp::create(builder, b.loc(),
                                                builder.getI32Type(), run),
                         0));
  SmallVector<Type> types(own.size(), builder.getF32Type());
  auto branch = scf::IfOp::create(builder, b.loc(), types, isWhole,
                                  /*withElseRegion=*/true);
  for (bool whole : {true, false}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(whole ? branch.thenBlock()
                                           : branch.elseBlock());
    scf::YieldOp::create(builder, b.loc(), scores.logits(own, whole, missing));
  }
  return SmallVector<Value>(branch.getResults());
}

SmallVector<Value> StreamedKernel::turned(ArrayRef<Value> sums,
                                          ArrayRef<Value> factors) {
  SmallVector<Value> result;
  for (auto [i, sum] : llvm::enumerate(sums))
    result.push_back(
        arith::MulFOp::create(builder, b.loc(), sum, factors[i / 2 % halves]));
  return result;
}

/// The factors of rows, the results of rows, and those of the second
/// contraction; or what the second launch needs for these.
void StreamedKernel::finish(ArrayRef<Value> sums, RowState &state) {
  PointEmitter &emitter = frame.emitter;
  tile = order.fixHere(tile);
  scores.initialize(tile, rowThread());
  Value factors[halves];
  for (int64_t half = 0; half < halves; ++half)
    factors[half] = rows.lastTurn(state, half);
  if (schedule.leavesParts()) {
    StreamedLeaver(b, space, schedule, scores, rows)
        .leave(state, turned(sums, factors), part, self.lane, columnGroup());
    return;
  }
  // From the last to the first: rows at the edge share a point.
  for (int64_t half = halves - 1; half >= 0; --half) {
    Point point = scores.rowPoint(half);
    PointEmitter::Scope scope(emitter);
    Value total = rows.total(state, half);
    Value factor = rows.finish(state.max[half], total, point);
    factors[half] =
        arith::MulFOp::create(builder, b.loc(), factors[half], factor);
    // Without keys there is nothing to divide.
    if (tiles.exist)
      factors[half] = b.select(tiles.exist, factors[half], rows.number(1));
    if (space.rowResults.empty())
      continue;
    // One of the four lanes of a row that is inside, of one consumer.
    Value writes =
        frame.both(b.equal(b.rem(self.lane, 4), 0), scores.isInside(half));
    if (Value group = columnGroup())
      writes = frame.both(writes, b.equal(group, 0));
    for (unsigned result : space.rowResults) {
      Value value = frame.kernel.getYield().getValues()[result];
      Value computed = emitter.emit(value, point);
      frame.ifTrue(writes, [&] { emitter.store(result, point, computed); });
    }
  }
  writeResults(turned(sums, factors));
}
