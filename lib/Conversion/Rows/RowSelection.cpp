//===- RowSelection.cpp - The largest elements of the rows of a block
//------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowSelection.h"

#include "Reductions/StateLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// Bits of a place in the row.
static constexpr int64_t idBits = 32;
static constexpr int64_t wordBits = 64;

RowSelection::RowSelection(KernelFrame &frame, TopKOp op,
                           const RowWalkers &walkers, int64_t rows)
    : frame(frame), emitter(frame.emitter), builder(frame.builder), op(op),
      loc(op.getLoc()), element(PointEmitter::computeType(
                            getElementTypeOrSelf(op.getInput().getType()))),
      bits(builder.getIntegerType(element.getIntOrFloatBitWidth())),
      keyType(builder.getIntegerType(isWide() ? 2 * wordBits : wordBits)),
      walkers(walkers), k(static_cast<int64_t>(op.getK())) {
  list = addWords(k * rows);
  if (walkers.warps() > 1)
    ofWarps = addWords(walkers.warps());
}

//===----------------------------------------------------------------------===//
// Keys in memory
//===----------------------------------------------------------------------===//

RowSelection::Words RowSelection::addWords(int64_t count) {
  Words words;
  for (int64_t i = 0; i < (isWide() ? 2 : 1); ++i)
    words.push_back(addSlots(frame, builder.getI64Type(), count));
  return words;
}

Value RowSelection::load(const Words &words, const Index &place) {
  Type word = builder.getI64Type();
  Value low = loadSlot(frame, words[0], place, word);
  if (!isWide())
    return low;
  Value high = loadSlot(frame, words[1], place, word);
  Value shifted = arith::ShLIOp::create(
      builder, loc, arith::ExtUIOp::create(builder, loc, keyType, high),
      integer(keyType, wordBits));
  return arith::OrIOp::create(
      builder, loc, shifted,
      arith::ExtUIOp::create(builder, loc, keyType, low));
}

/// The words of a key, the lower one first.
static SmallVector<Value, 2> wordsOf(OpBuilder &builder, Location loc,
                                     Value key) {
  Type word = builder.getI64Type();
  if (key.getType() == word)
    return {key};
  Value low = arith::TruncIOp::create(builder, loc, word, key);
  Value amount = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(key.getType(), wordBits));
  Value high = arith::ShRUIOp::create(builder, loc, key, amount);
  return {low, arith::TruncIOp::create(builder, loc, word, high)};
}

void RowSelection::store(const Words &words, const Index &place, Value key) {
  for (auto [memory, word] : llvm::zip(words, wordsOf(builder, loc, key)))
    storeSlot(frame, memory, place, word);
}

Value RowSelection::shuffle(Value key, int64_t distance) {
  SmallVector<Value, 2> words;
  for (Value word : wordsOf(builder, loc, key))
    words.push_back(shuffleXor(builder, loc, word, distance));
  if (!isWide())
    return words[0];
  Value high = arith::ShLIOp::create(
      builder, loc, arith::ExtUIOp::create(builder, loc, keyType, words[1]),
      integer(keyType, wordBits));
  return arith::OrIOp::create(
      builder, loc, high,
      arith::ExtUIOp::create(builder, loc, keyType, words[0]));
}

void RowSelection::barrier() {
  if (walkers.threads > 1)
    gpu::BarrierOp::create(builder, loc);
}

//===----------------------------------------------------------------------===//
// Keys and what they stand for
//===----------------------------------------------------------------------===//

Value RowSelection::integer(Type type, uint64_t value, int64_t lanes) {
  APInt number(type.getIntOrFloatBitWidth(), value, /*isSigned=*/false,
               /*implicitTrunc=*/true);
  Value constant = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(type, number));
  return emitter.splat(loc, constant, lanes);
}

/// The elements as unsigned integers of the wanted order. The bits of a float
/// are a sign and a magnitude: those of negative numbers are inverted, and the
/// others get a sign. Adding 0 leaves one zero of two.
Value RowSelection::ordered(Value elements) {
  int64_t lanes = lanesIn(elements);
  unsigned width = bits.getIntOrFloatBitWidth();
  uint64_t top = uint64_t(1) << (width - 1);
  Value sign = integer(bits, top, lanes), ones = integer(bits, ~0ull, lanes);
  Value result;
  if (isa<FloatType>(element)) {
    Value zero = emitter.splat(loc, emitter.constant(loc, element, 0), lanes);
    Value canonical = arith::AddFOp::create(builder, loc, elements, zero);
    Value raw = arith::BitcastOp::create(
        builder, loc, PointEmitter::lanesOf(bits, lanes), canonical);
    Value isNegative =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, raw,
                              integer(bits, top - 1, lanes));
    Value flipped =
        arith::SelectOp::create(builder, loc, isNegative, ones, sign);
    Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                        elements, elements);
    result = arith::SelectOp::create(
        builder, loc, isNaN, ones,
        arith::XOrIOp::create(builder, loc, raw, flipped));
  } else {
    result = arith::XOrIOp::create(builder, loc, elements, sign);
  }
  return op.getSmallest()
             ? Value(arith::XOrIOp::create(builder, loc, result, ones))
             : result;
}

/// The element of a key.
Value RowSelection::valueOf(Value key) {
  unsigned width = bits.getIntOrFloatBitWidth();
  uint64_t top = uint64_t(1) << (width - 1);
  Value number = arith::TruncIOp::create(
      builder, loc, bits,
      arith::ShRUIOp::create(builder, loc, key, integer(keyType, idBits)));
  if (op.getSmallest())
    number = arith::XOrIOp::create(builder, loc, number, integer(bits, ~0ull));
  if (!isa<FloatType>(element))
    return arith::XOrIOp::create(builder, loc, number, integer(bits, top));
  Value isPositive = arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ugt, number, integer(bits, top - 1));
  Value flipped = arith::SelectOp::create(
      builder, loc, isPositive, integer(bits, top), integer(bits, ~0ull));
  Value raw = arith::XOrIOp::create(builder, loc, number, flipped);
  return arith::BitcastOp::create(builder, loc, element, raw);
}

/// The place of a key's element.
Value RowSelection::idOf(Value key) {
  Type i32 = builder.getI32Type();
  Value low = arith::TruncIOp::create(builder, loc, i32, key);
  Value id = arith::XOrIOp::create(builder, loc, low, integer(i32, ~0ull));
  Type wanted = getElementTypeOrSelf(op.getIds().getType());
  return wanted == i32
             ? id
             : Value(arith::ExtUIOp::create(builder, loc, wanted, id));
}

/// The keys of the elements at a point; 0, which is less than all, where there
/// are none.
Value RowSelection::keysAt(const Point &point) {
  int64_t lanes = point.lanes;
  Type keys = PointEmitter::lanesOf(keyType, lanes);
  Value number = ordered(emitter.emitLanes(op.getInput(), point));
  Value high = arith::ShLIOp::create(
      builder, loc,
      number.getType() == keys
          ? number
          : Value(arith::ExtUIOp::create(builder, loc, keys, number)),
      integer(keyType, idBits, lanes));
  Type i32 = builder.getI32Type();
  Value first = arith::IndexCastOp::create(
      builder, loc, i32, emitter.materialize(point.dims.back()));
  Value places = emitter.splat(loc, first, lanes);
  if (lanes > 1) {
    auto steps =
        llvm::to_vector(llvm::seq<int32_t>(static_cast<int32_t>(lanes)));
    auto type = cast<VectorType>(places.getType());
    places = arith::AddIOp::create(
        builder, loc, places,
        arith::ConstantOp::create(
            builder, loc,
            DenseIntElementsAttr::get(type, ArrayRef<int32_t>(steps))));
  }
  places =
      arith::XOrIOp::create(builder, loc, places, integer(i32, ~0ull, lanes));
  Value key = arith::OrIOp::create(
      builder, loc, high, arith::ExtUIOp::create(builder, loc, keys, places));
  if (!point.guard)
    return key;
  return arith::SelectOp::create(builder, loc, point.guard, key,
                                 integer(keyType, 0, lanes));
}

//===----------------------------------------------------------------------===//
// The largest keys
//===----------------------------------------------------------------------===//

Value RowSelection::larger(Value a, Value b) {
  return arith::MaxUIOp::create(builder, loc, a, b);
}

/// The largest of the thread's keys above `least` and, unless that is null,
/// `below` another; 0 for none.
Value RowSelection::best(ArrayRef<Value> keys, Value least, Value below) {
  Value found;
  for (Value key : keys) {
    int64_t lanes = lanesIn(key);
    Value wanted =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ugt, key,
                              emitter.splat(loc, least, lanes));
    if (below)
      wanted = arith::AndIOp::create(
          builder, loc, wanted,
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, key,
                                emitter.splat(loc, below, lanes)));
    Value candidate = arith::SelectOp::create(builder, loc, wanted, key,
                                              integer(keyType, 0, lanes));
    found = found ? larger(found, candidate) : candidate;
  }
  int64_t lanes = lanesIn(found);
  if (lanes == 1)
    return found;
  SmallVector<Value> parts;
  for (int64_t lane = 0; lane < lanes; ++lane)
    parts.push_back(vector::ExtractOp::create(builder, loc, found, lane));
  for (; parts.size() > 1; parts.truncate(parts.size() / 2))
    for (size_t i = 0, half = parts.size() / 2; i < half; ++i)
      parts[i] = larger(parts[i], parts[i + half]);
  return parts.front();
}

/// The largest of all threads, in each.
Value RowSelection::bestOfBlock(Value own) {
  if (walkers.threads == 1)
    return own;
  auto ofWarp = [&](Value key) {
    for (int64_t distance = warpSize / 2; distance > 0; distance /= 2)
      key = larger(key, shuffle(key, distance));
    return key;
  };
  Value key = ofWarp(own);
  if (ofWarps.empty())
    return key;
  Index inWarp = emitter.rem(walkers.thread, Index::constant(warpSize));
  Index warp = emitter.div(walkers.thread, Index::constant(warpSize));
  frame.ifTrue(emitter.less(inWarp, Index::constant(1)),
               [&] { store(ofWarps, warp, key); });
  barrier();
  Index last = Index::constant(walkers.warps() - 1);
  return ofWarp(load(ofWarps, emitter.min(inWarp, last)));
}

/// One key after the other moves up by one from where the new one belongs.
void RowSelection::insertInTurn(Value key) {
  auto body = [&](const Index &place, ReductionStates moved) {
    Value here = loadKey(place), coming = moved[0][0];
    storeKey(place, larger(here, coming));
    moved[0] = {arith::MinUIOp::create(builder, loc, here, coming)};
    return moved;
  };
  loopOverStates(frame, Index::constant(0), Index::constant(k), 1,
                 ReductionStates{{key}}, body);
}

/// Each thread finds what comes to its places.
void RowSelection::insertTogether(Value key) {
  SmallVector<std::pair<Index, Value>> found;
  for (int64_t first = 0; first < k; first += walkers.threads) {
    Index place = emitter.add(walkers.thread, Index::constant(first));
    Index here = emitter.min(place, Index::constant(k - 1));
    Index before = emitter.select(emitter.less(here, Index::constant(1)), here,
                                  emitter.add(here, Index::constant(-1)));
    Value isFirst = emitter.less(here, Index::constant(1));
    Value own = loadKey(here), other = loadKey(before);
    // The key itself, or what it pushes on.
    Value comes = arith::SelectOp::create(
        builder, loc, isFirst, key,
        arith::MinUIOp::create(builder, loc, other, key));
    found.emplace_back(place, larger(own, comes));
  }
  barrier();
  for (auto &[place, value] : found)
    frame.ifTrue(emitter.less(place, Index::constant(k)),
                 [&, place = place, value = value] { storeKey(place, value); });
  barrier();
}

/// Puts a key among the k largest, and returns the last of these.
Value RowSelection::insert(Value key) {
  walkers.threads == 1 ? insertInTurn(key) : insertTogether(key);
  return loadKey(Index::constant(k - 1));
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

ReductionState RowSelection::start() {
  Value none = integer(keyType, 0);
  loopOverStates(frame, walkers.thread, Index::constant(k), walkers.threads, {},
                 [&](const Index &place, ReductionStates states) {
                   storeKey(place, none);
                   return states;
                 });
  barrier();
  return {none};
}

ReductionState RowSelection::take(ArrayRef<Point> points,
                                  const ReductionState &least) {
  auto keys = llvm::map_to_vector(
      points, [&](const Point &point) { return keysAt(point); });
  Value own = best(keys, least[0], /*below=*/{});
  auto loop = scf::WhileOp::create(
      builder, loc, TypeRange{keyType, keyType, keyType},
      ValueRange{own, least[0]}, [](OpBuilder &, Location, ValueRange) {},
      [](OpBuilder &, Location, ValueRange) {});
  {
    builder.setInsertionPointToStart(loop.getBeforeBody());
    PointEmitter::Scope scope(emitter);
    Value mine = loop.getBeforeArguments()[0];
    Value last = loop.getBeforeArguments()[1];
    Value key = bestOfBlock(mine);
    Value isBetter = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ugt, key, last);
    scf::ConditionOp::create(builder, loc, isBetter,
                             ValueRange{key, mine, last});
  }
  {
    builder.setInsertionPointToStart(loop.getAfterBody());
    PointEmitter::Scope scope(emitter);
    Value key = loop.getAfterArguments()[0];
    Value mine = loop.getAfterArguments()[1];
    Value last = insert(key);
    Value isMine = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                         key, mine);
    Value next = emitter.choose(
        loc, isMine, keyType, [&] { return best(keys, last, key); },
        [&] { return mine; });
    scf::YieldOp::create(builder, loc, ValueRange{next, last});
  }
  // The next tile uses the same places for what warps have found.
  builder.setInsertionPointAfter(loop);
  barrier();
  return {loop.getResult(2)};
}

void RowSelection::finish(const RowNumbering &numberOf) {
  auto read = [this](Value result, const RowNumbering &numberOf,
                     Value (RowSelection::*part)(Value)) {
    emitter.readThrough(
        result, [this, result, numberOf, part](const Point &at) {
          return (this->*part)(load(list, numberOf(result, at)));
        });
  };
  read(op.getValues(), numberOf, &RowSelection::valueOf);
  read(op.getIds(), numberOf, &RowSelection::idOf);
}
