//===- ShiftedLoad.cpp - Vectors that start anywhere in a table -----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vectors of a row with edges start where the row is aligned in memory. A
// tensor that all rows share is not aligned there, and no wide access may start
// between two multiples of its width. The aligned vectors around the lanes hold
// them, too, some words and bits further on:
//
//   aligned    | w0 w1 w2 w3 | w4 w5 w6 w7 |
//   lanes              | l0 l1 l2 l3 |            5 halves past: w2:w3 >> 16
//   ...
//
// By how many words is found bit by bit, with a select a word: by two words or
// not, then by one or not. Funnel shifts do the rest, of less than a word. Most
// of what decides is the same for a whole row.
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t wordBytes = 4, widestBytes = 16;

namespace {
/// The accesses that cover some lanes, wherever these start.
struct Cover {
  Cover(Type storage, int64_t lanes)
      : lanes(lanes), elementBytes(storage.getIntOrFloatBitWidth() / 8),
        bytes(lanes * elementBytes), width(std::min(widestBytes, bytes)) {}

  /// Loads of single elements are as many as there are lanes.
  bool isGain() const {
    return llvm::isPowerOf2_64(width) && width >= wordBytes &&
           bytes % width == 0 && accesses() < lanes;
  }
  int64_t accesses() const { return bytes / width + 1; }
  int64_t elementsOfAccess() const { return width / elementBytes; }
  int64_t wordsOfAccess() const { return width / wordBytes; }
  int64_t words() const { return bytes / wordBytes; }
  /// Whether the lanes may start within a word.
  bool splitsWords() const { return elementBytes < wordBytes; }

  int64_t lanes, elementBytes, bytes, width;
};
} // namespace

/// The words of `cover` from element `past` of `words` on.
static SmallVector<Value> shiftWords(OpBuilder &builder, Location loc,
                                     const Cover &cover,
                                     SmallVector<Value> words, Value past) {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, /*width=*/32);
  };
  for (int64_t step = cover.wordsOfAccess() / 2; step > 0; step /= 2) {
    int64_t elements = step * wordBytes / cover.elementBytes;
    if (elements == 0)
      break;
    Value bit = arith::AndIOp::create(builder, loc, past, number(elements));
    Value isFurther = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ne, bit, number(0));
    int64_t needed = cover.words() + step - 1 + cover.splitsWords();
    for (int64_t i = 0; i < needed; ++i)
      words[i] = arith::SelectOp::create(builder, loc, isFurther,
                                         words[i + step], words[i]);
  }
  if (cover.splitsWords()) {
    // Funnel shifts ignore whole words.
    Value bits = arith::MulIOp::create(builder, loc, past,
                                       number(cover.elementBytes * 8));
    for (int64_t i = 0; i < cover.words(); ++i)
      words[i] =
          LLVM::FshrOp::create(builder, loc, words[i + 1], words[i], bits);
  }
  words.truncate(cover.words());
  return words;
}

Value PointEmitter::loadShifted(BlockArgument argument, const Point &point,
                                const InputLayout *layout) {
  Location loc = argument.getLoc();
  Type storage = storageType(getElementTypeOrSelf(argument.getType()));
  Cover cover(storage, point.lanes);
  bool startsAligned =
      options.aligned && (!layout || layout->kind == StrideKind::aligned_rows);
  if (!point.ragged || !startsAligned || !cover.isGain() ||
      alignment(argument, point, layout) >= cover.width)
    return {};
  // Points whole accesses apart share the rest of the arithmetic.
  int64_t perAccess = cover.elementsOfAccess();
  Index position = linearIndex(argument, point, layout);
  Index apart =
      Index::constant(position.offset - llvm::mod(position.offset, perAccess));
  position = sub(position, apart);
  Index past = rem(position, Index::constant(perAccess));
  Type loaded = lanesOf(storage, point.lanes);

  auto shifted = [&]() -> Value {
    Index from = mul(div(position, Index::constant(perAccess)),
                     Index::constant(perAccess));
    from = add(from, apart);
    Type type = VectorType::get({cover.wordsOfAccess()}, builder.getI32Type());
    SmallVector<Value> words;
    for (int64_t access = 0; access < cover.accesses(); ++access) {
      Value at =
          elementAddress(loc, abi.inputs[argument.getArgNumber()], argument,
                         add(from, Index::constant(access * perAccess)));
      Value part = LLVM::LoadOp::create(builder, loc, type, at, cover.width);
      for (int64_t word = 0; word < cover.wordsOfAccess(); ++word)
        words.push_back(vector::ExtractOp::create(builder, loc, part, word));
    }
    Value elements = arith::IndexCastOp::create(
        builder, loc, builder.getI32Type(), materialize(past));
    words = shiftWords(builder, loc, cover, std::move(words), elements);
    auto joined = VectorType::get({cover.words()}, builder.getI32Type());
    return vector::BitCastOp::create(
        builder, loc, loaded,
        vector::FromElementsOp::create(builder, loc, joined, words));
  };
  // Between the rows of a view may be no memory.
  if (point.behind == Behind::inRow ||
      (point.behind == Behind::inTensor && !layout))
    return shifted();
  // The last access may lie past the end of the row, and of the tensor.
  Index last = add(sub(point.dims.back(), past),
                   Index::constant(cover.accesses() * perAccess - 1));
  Extent inner = dims.extents(argument).back();
  return choose(loc, less(last, size(inner)), loaded, shifted,
                [&] { return loadLanes(argument, point, layout); });
}
