//===- KeyRanges.cpp - The keys that a tile of queries sees ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeyRanges.h"

using namespace mlir;
using namespace mlir::fuse;

Value KeyRangeEmitter::number(int64_t value) {
  return arith::ConstantIntOp::create(b.builder, b.loc(), value, 64);
}

Value KeyRangeEmitter::min(Value x, Value y) {
  return fold<arith::MinSIOp>(x, y);
}

Value KeyRangeEmitter::max(Value x, Value y) {
  return fold<arith::MaxSIOp>(x, y);
}

Value KeyRangeEmitter::less(Value x, Value y) {
  return b.builder.createOrFold<arith::CmpIOp>(b.loc(),
                                               arith::CmpIPredicate::slt, x, y);
}

Value KeyRangeEmitter::times(Value x, int64_t factor) {
  return fold<arith::MulIOp>(x, number(factor));
}

KeyRange KeyRangeEmitter::nothing() { return {keys, number(0)}; }

KeyRanges KeyRangeEmitter::everything() {
  KeyRange all{number(0), keys};
  return {all, all};
}

KeyRanges KeyRangeEmitter::both(const KeyRanges &x, const KeyRanges &y) {
  auto meet = [&](const KeyRange &p, const KeyRange &q) {
    return KeyRange{max(p.first, q.first), min(p.last, q.last)};
  };
  return {meet(x.some, y.some), meet(x.all, y.all)};
}

/// Of what all rows see the longer range, or both together where they overlap.
KeyRanges KeyRangeEmitter::either(const KeyRanges &x, const KeyRanges &y) {
  auto hull = [&](const KeyRange &p, const KeyRange &q) {
    return KeyRange{min(p.first, q.first), max(p.last, q.last)};
  };
  auto choose = [&](Value condition, const KeyRange &p, const KeyRange &q) {
    return KeyRange{select(condition, p.first, q.first),
                    select(condition, p.last, q.last)};
  };
  auto isEmpty = [&](const KeyRange &p) {
    return fold<arith::XOrIOp>(
        less(p.first, p.last),
        arith::ConstantIntOp::create(b.builder, b.loc(), 1, 1));
  };
  auto length = [&](const KeyRange &p) {
    return fold<arith::SubIOp>(p.last, p.first);
  };
  KeyRange some = choose(isEmpty(x.some), y.some,
                         choose(isEmpty(y.some), x.some, hull(x.some, y.some)));
  KeyRange longer = choose(less(length(x.all), length(y.all)), y.all, x.all);
  Value overlap = fold<arith::AndIOp>(less(x.all.first, y.all.last),
                                      less(y.all.first, x.all.last));
  return {some, choose(overlap, hull(x.all, y.all), longer)};
}

Value KeyRangeEmitter::emitAt(Value value, const Index &row) {
  Point at;
  SmallVector<Extent> extents = b.frame.dims.extents(value);
  size_t missing = point.size() - extents.size();
  for (auto [number, extent] : llvm::enumerate(extents))
    at.dims.push_back(extent.size == 1 ? Index::constant(0)
                      : number + missing == rows.axis
                          ? row
                          : point[number + missing]);
  return b.frame.emitter.emit(value, at);
}

/// Of a term that each row has one of, the least and the largest.
std::pair<Value, Value>
KeyRangeEmitter::extremesOf(const AffinePlace::Term &term) {
  auto [least, largest] =
      rows.extremes([&](const Index &row) { return emitAt(term.value, row); });
  auto scaled = [&](Value value) {
    return times(arith::ExtSIOp::create(b.builder, b.loc(),
                                        b.builder.getI64Type(), value),
                 term.factor);
  };
  if (term.factor < 0)
    std::swap(least, largest);
  return {scaled(least), scaled(largest)};
}

Value KeyRangeEmitter::evaluate(const AffinePlace::Term &term) {
  PointEmitter &emitter = b.frame.emitter;
  Type wide = b.builder.getI64Type();
  auto ofIndex = [&](const Index &index) {
    return b.builder.createOrFold<arith::IndexCastOp>(
        b.loc(), wide, emitter.materialize(index));
  };
  if (term.size)
    return times(ofIndex(emitter.size(*term.size)), term.factor);
  if (term.axis)
    return times(ofIndex(point[*term.axis]), term.factor);
  Value value = emitAt(term.value, Index::constant(0));
  if (value.getType() != wide)
    value = arith::ExtSIOp::create(b.builder, b.loc(), wide, value);
  return times(value, term.factor);
}

/// Whether it differs between the rows of the tile, beside their places along
/// m.
bool KeyRangeEmitter::varies(const AffinePlace::Term &term) {
  if (!rows.varying || term.size)
    return false;
  if (term.axis)
    return *term.axis == *rows.varying;
  SmallVector<Extent> extents = b.frame.dims.extents(term.value);
  size_t missing = point.size() - extents.size();
  return *rows.varying >= missing && extents[*rows.varying - missing].size != 1;
}

/// With rest = queries * row + constant + terms, key + rest <= 0 bounds keys
/// from above, and -key + rest <= 0 from below. Some rows see what the least
/// rest allows, all rows what the largest does.
KeyRanges KeyRangeEmitter::notPositive(const AffinePlace &place) {
  if (llvm::any_of(place.terms, [&](auto &term) { return varies(term); }))
    return {everything().some, nothing()};
  Value least = number(place.constant), largest = least;
  auto add = [&](Value toLeast, Value toLargest) {
    least = fold<arith::AddIOp>(least, toLeast);
    largest = fold<arith::AddIOp>(largest, toLargest);
  };
  for (const AffinePlace::Term &term : place.terms) {
    if (term.ofRows) {
      auto [low, high] = extremesOf(term);
      add(low, high);
    } else {
      Value same = evaluate(term);
      add(same, same);
    }
  }
  bool grows = place.queries > 0;
  add(times(grows ? rows.first : rows.last, place.queries),
      times(grows ? rows.last : rows.first, place.queries));
  auto range = [&](Value rest) -> KeyRange {
    Value zero = number(0), one = number(1);
    if (place.keys == 0) {
      Value holds = less(rest, one);
      return {zero, select(holds, keys, zero)};
    }
    if (place.keys > 0) {
      return {zero, min(fold<arith::SubIOp>(one, rest), keys)};
    }
    return {max(rest, zero), keys};
  };
  return {range(least), range(largest)};
}

KeyRanges KeyRangeEmitter::emit(const ScoreCondition &condition) {
  switch (condition.kind) {
  case ScoreCondition::Unknown:
    return {everything().some, nothing()};
  case ScoreCondition::Always:
    return everything();
  case ScoreCondition::Never:
    return {nothing(), nothing()};
  case ScoreCondition::NotPositive:
    return notPositive(condition.place);
  case ScoreCondition::Both:
    return both(emit(condition.parts[0]), emit(condition.parts[1]));
  case ScoreCondition::Either:
    return either(emit(condition.parts[0]), emit(condition.parts[1]));
  }
  llvm_unreachable("every kind is handled");
}
