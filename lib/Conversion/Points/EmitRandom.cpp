//===- EmitRandom.cpp - Random numbers at a point -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Philox4x32-10 of Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3
// (SC 2011). One block of the generator gives four numbers: those of four
// neighbouring elements. A vector that starts at a multiple of four takes whole
// blocks; elsewhere each lane computes its block and takes one word.
//
//===----------------------------------------------------------------------===//

#include "OpEmitters.h"
#include "PointEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t wordsPerBlock = 4;
static constexpr unsigned philoxRounds = 10;
static constexpr uint32_t multipliers[] = {0xD2511F53, 0xCD9E8D57};
/// What is added to the key from round to round.
static constexpr uint32_t weyl[] = {0x9E3779B9, 0xBB67AE85};

namespace {
using Words = std::array<Value, wordsPerBlock>;

class RandomBuilder {
public:
  RandomBuilder(PointEmitter &emitter, RandomOp op, const Point &point)
      : emitter(emitter), builder(emitter.getBuilder()), op(op), point(point),
        loc(op.getLoc()) {}

  Value build();

private:
  Index position();
  bool startsBlock();
  Words block(const Index &number);
  Value uniform(Value word);
  Value wordOf(const Words &words, const Index &position);

  Value word(uint32_t number) {
    return arith::ConstantOp::create(
        builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(number)));
  }
  /// The lower and the upper half of an i64.
  std::pair<Value, Value> split(Value wide) {
    Type i32 = builder.getI32Type();
    Value high = arith::ShRUIOp::create(
        builder, loc, wide, arith::ConstantIntOp::create(builder, loc, 32, 64));
    return {arith::TruncIOp::create(builder, loc, i32, wide),
            arith::TruncIOp::create(builder, loc, i32, high)};
  }
  Value exclusiveOr(Value a, Value b, Value c) {
    return arith::XOrIOp::create(builder, loc,
                                 arith::XOrIOp::create(builder, loc, a, b), c);
  }

  PointEmitter &emitter;
  OpBuilder &builder;
  RandomOp op;
  const Point &point;
  Location loc;
};
} // namespace

/// The row-major position of the point's first lane in the op's result.
Index RandomBuilder::position() {
  SmallVector<Extent> extents = emitter.getDims().extents(op.getResult());
  if (point.linear && ArrayRef(point.shape) == ArrayRef(extents))
    return *point.linear;
  Index linear = Index::constant(0);
  for (auto [extent, index] : llvm::zip_equal(extents, point.dims))
    linear = emitter.add(emitter.mul(linear, emitter.size(extent)), index);
  return linear;
}

bool RandomBuilder::startsBlock() {
  if (point.lanes % wordsPerBlock != 0)
    return false;
  SmallVector<Extent> extents = emitter.getDims().extents(op.getResult());
  if (point.flat && point.linear && ArrayRef(point.shape) == ArrayRef(extents))
    return true;
  bool oneRow = llvm::all_of(ArrayRef(extents).drop_back(),
                             [](const Extent &e) { return e.size == 1; });
  bool rowsStart =
      extents.back().isStatic() && extents.back().size % wordsPerBlock == 0;
  return !point.ragged && point.skew % wordsPerBlock == 0 &&
         (oneRow || rowsStart);
}

/// The four words of a block.
Words RandomBuilder::block(const Index &number) {
  Value counter = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                             emitter.materialize(number));
  uint64_t stream = op.getStream();
  auto [low, high] = split(counter);
  Words words = {low, high, word(stream), word(stream >> 32)};
  auto [key0, key1] = split(emitter.emit(op.getSeed(), Point()));
  for (unsigned round = 0; round < philoxRounds; ++round) {
    if (round > 0) {
      key0 = arith::AddIOp::create(builder, loc, key0, word(weyl[0]));
      key1 = arith::AddIOp::create(builder, loc, key1, word(weyl[1]));
    }
    auto first = arith::MulUIExtendedOp::create(builder, loc, words[0],
                                                word(multipliers[0]));
    auto second = arith::MulUIExtendedOp::create(builder, loc, words[2],
                                                 word(multipliers[1]));
    words = {exclusiveOr(second.getHigh(), words[1], key0), second.getLow(),
             exclusiveOr(first.getHigh(), words[3], key1), first.getLow()};
  }
  return words;
}

/// The upper 24 bits as a fraction: exact in f32.
Value RandomBuilder::uniform(Value word) {
  Value upper = arith::ShRUIOp::create(builder, loc, word, this->word(8));
  Value number =
      arith::SIToFPOp::create(builder, loc, builder.getF32Type(), upper);
  Value unit = emitter.constant(loc, builder.getF32Type(), 0x1p-24);
  return arith::MulFOp::create(builder, loc, number, unit);
}

/// Word `position` mod 4; a position before the first, where the result has no
/// elements, is never computed.
Value RandomBuilder::wordOf(const Words &words, const Index &position) {
  Index rest = emitter.rem(position, Index::constant(wordsPerBlock));
  if (!rest.base)
    return words[rest.offset & (wordsPerBlock - 1)];
  Value taken = words.back();
  for (int64_t i = wordsPerBlock - 2; i >= 0; --i)
    taken = arith::SelectOp::create(builder, loc,
                                    emitter.less(rest, Index::constant(i + 1)),
                                    words[i], taken);
  return taken;
}

Value RandomBuilder::build() {
  Index first = position(), size = Index::constant(wordsPerBlock);
  if (!startsBlock())
    return emitter.gatherLanes(loc, point.lanes, [&](int64_t lane) {
      Index at = emitter.add(first, Index::constant(lane));
      return uniform(wordOf(block(emitter.div(at, size)), at));
    });
  Index start = emitter.div(first, size);
  Words words;
  return emitter.gatherLanes(loc, point.lanes, [&](int64_t lane) {
    int64_t in = lane % wordsPerBlock;
    if (in == 0)
      words = block(emitter.add(start, Index::constant(lane / wordsPerBlock)));
    return uniform(words[in]);
  });
}

Value mlir::fuse::emitRandom(PointEmitter &emitter, RandomOp op,
                             const Point &point) {
  return RandomBuilder(emitter, op, point).build();
}
