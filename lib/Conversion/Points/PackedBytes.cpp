//===- PackedBytes.cpp - Integers of 8 and 4 bits -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackedBytes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t wordBytes = 4;
/// In each byte: its low half, the sign of that, and the byte's own sign.
static constexpr int64_t lowHalf = 0x0F, halfSign = 0x08, byteSign = 0x80;
static constexpr int64_t halfBits = 4, byteBits = 8, allOfByte = 0xFF;

static int64_t lanesIn(Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  return type ? type.getDimSize(0) : 1;
}

bool mlir::fuse::areWords(Value bytes) {
  return lanesIn(bytes) % wordBytes == 0;
}

namespace {
/// Computes with integers of one type, in each of whose bytes the same is done.
class ByteMath {
public:
  ByteMath(OpBuilder &builder, Location loc, Type type)
      : builder(builder), loc(loc), type(type) {}

  Value bitAnd(Value a, int64_t byte) {
    return arith::AndIOp::create(builder, loc, a, inEach(byte));
  }
  Value bitXor(Value a, int64_t byte) {
    return arith::XOrIOp::create(builder, loc, a, inEach(byte));
  }
  Value shiftRight(Value a, int64_t bits) {
    return arith::ShRUIOp::create(builder, loc, a, constant(bits));
  }
  /// What is in the low halves, which are all that is there. That of a negative
  /// one is its two's complement x + 16: with its sign inverted it is x + 8,
  /// and the subtraction borrows nothing from the byte's inverted sign.
  Value signExtended(Value halves) {
    Value biased = bitXor(halves, byteSign | halfSign);
    Value moved = arith::SubIOp::create(builder, loc, biased, inEach(halfSign));
    return bitXor(moved, byteSign);
  }

private:
  Value constant(const APInt &number) {
    TypedAttr scalar =
        builder.getIntegerAttr(getElementTypeOrSelf(type), number);
    if (auto vector = dyn_cast<VectorType>(type))
      scalar = DenseElementsAttr::get(vector, Attribute(scalar));
    return arith::ConstantOp::create(builder, loc, scalar);
  }
  unsigned bits() const {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  }
  Value constant(int64_t number) { return constant(APInt(bits(), number)); }
  Value inEach(int64_t byte) {
    return constant(APInt::getSplat(bits(), APInt(8, byte)));
  }

  OpBuilder &builder;
  Location loc;
  Type type;
};
} // namespace

/// The bytes of `a` and `b`, eight in all, that the digits of `selector` count,
/// the last digit for the lowest byte.
static Value permute(OpBuilder &builder, Location loc, Value a, Value b,
                     int64_t selector) {
  Value digits = arith::ConstantIntOp::create(builder, loc, selector, 32);
  return LLVM::CallIntrinsicOp::create(builder, loc, builder.getI32Type(),
                                       builder.getStringAttr("llvm.nvvm.prmt"),
                                       ValueRange{a, b, digits})
      .getResult(0);
}

static VectorType wordsOf(OpBuilder &builder, int64_t bytes) {
  return VectorType::get({bytes / wordBytes}, builder.getI32Type());
}

/// On what buildUnpacked() gives: whether its halves have no sign.
static constexpr llvm::StringLiteral unpackedAttr = "fuse.unpacked_unsigned";

/// The bytes whose halves `bytes` are, or null.
static Value packedHalves(Value bytes) {
  Operation *op = bytes.getDefiningOp();
  if (!op || !op->hasAttr(unpackedAttr))
    return {};
  // Back through what is done to the low halves.
  Value from = op->getOperand(0);
  do
    from = from.getDefiningOp()->getOperand(0);
  while (!from.getDefiningOp<vector::BitCastOp>());
  return from.getDefiningOp()->getOperand(0);
}

static bool areUnsigned(Value halves) {
  return cast<BoolAttr>(halves.getDefiningOp()->getAttr(unpackedAttr))
      .getValue();
}

/// What the f32 of these bits are more than `bias`.
static Value lessInF32(OpBuilder &builder, Location loc, ArrayRef<Value> bits,
                       ArrayRef<float> biases) {
  int64_t lanes = bits.size();
  Value all = vector::FromElementsOp::create(
      builder, loc, VectorType::get({lanes}, builder.getI32Type()), bits);
  auto floats = VectorType::get({lanes}, builder.getF32Type());
  Value biased = arith::BitcastOp::create(builder, loc, floats, all);
  Value bias = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(floats, biases));
  return arith::SubFOp::create(builder, loc, biased, bias);
}

/// Each half of `packed` where it lies in a float of 2^e, whose digit there
/// counts one. Those above the digits are shifted to where others were.
static Value fromHalves(OpBuilder &builder, Location loc, Value packed,
                        bool isUnsigned) {
  constexpr int64_t digits = 23, exponentBias = 127, inPlace = 4;
  int64_t bytes = lanesIn(packed);
  auto constant = [&](int64_t word) {
    return arith::ConstantIntOp::create(builder, loc, word, 32);
  };
  Value all =
      vector::BitCastOp::create(builder, loc, wordsOf(builder, bytes), packed);
  SmallVector<Value> numbers;
  SmallVector<float> biases;
  int64_t sign = isUnsigned ? 0 : halfSign;
  for (int64_t half = 0; half < 2 * bytes; ++half) {
    int64_t inWord = half % (2 * wordBytes), place = inWord % inPlace;
    Value word =
        vector::ExtractOp::create(builder, loc, all, half / (2 * wordBytes));
    if (inWord >= inPlace)
      word = arith::ShRUIOp::create(builder, loc, word,
                                    constant(inPlace * halfBits));
    int64_t shift = place * halfBits, exponent = digits - shift;
    Value kept =
        arith::AndIOp::create(builder, loc, word, constant(lowHalf << shift));
    numbers.push_back(arith::XOrIOp::create(
        builder, loc, kept,
        constant((exponentBias + exponent) << digits | sign << shift)));
    biases.push_back(static_cast<float>((int64_t(1) << exponent) + sign));
  }
  return lessInF32(builder, loc, numbers, biases);
}

Value mlir::fuse::buildFromWords(OpBuilder &builder, Location loc,
                                 Value bytes) {
  if (Value packed = packedHalves(bytes))
    return fromHalves(builder, loc, packed, areUnsigned(bytes));
  int64_t lanes = lanesIn(bytes);
  VectorType type = wordsOf(builder, lanes);
  Value words = vector::BitCastOp::create(builder, loc, type, bytes);
  words = ByteMath(builder, loc, type).bitXor(words, byteSign);
  constexpr int64_t leading = 0x4B000000, upperBytes = 0x7650;
  constexpr float bias = 8388608 + 128;
  Value upper = arith::ConstantIntOp::create(builder, loc, leading, 32);
  SmallVector<Value> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value word =
        vector::ExtractOp::create(builder, loc, words, lane / wordBytes);
    numbers.push_back(
        permute(builder, loc, word, upper, upperBytes + lane % wordBytes));
  }
  return lessInF32(builder, loc, numbers, SmallVector<float>(lanes, bias));
}

//===----------------------------------------------------------------------===//
// Pairs of 16-bit floats
//===----------------------------------------------------------------------===//

namespace {
/// Words with two 16-bit floats each, with as many added to each of them.
class PairMath {
public:
  PairMath(OpBuilder &builder, Location loc, Type element)
      : builder(builder), loc(loc), element(element) {}

  /// A float whose last digit counts one, and so do the next ones.
  int64_t start() const { return element.isBF16() ? 0x4300 : 0x6400; }
  double startValue() const { return element.isBF16() ? 128 : 1024; }

  Value constant(int64_t word) {
    return arith::ConstantIntOp::create(builder, loc, word, 32);
  }
  Value both(int64_t half) { return constant(half << 16 | half); }
  Value bitAnd(Value a, int64_t half) {
    return arith::AndIOp::create(builder, loc, a, both(half));
  }
  Value bitOr(Value a, int64_t half) {
    return arith::OrIOp::create(builder, loc, a, both(half));
  }
  Value bitXor(Value a, int64_t half) {
    return arith::XOrIOp::create(builder, loc, a, both(half));
  }
  /// The floats of all words.
  Value floats(ArrayRef<Value> words) {
    int64_t count = words.size();
    Value all = vector::FromElementsOp::create(
        builder, loc, VectorType::get({count}, builder.getI32Type()), words);
    return vector::BitCastOp::create(
        builder, loc, VectorType::get({2 * count}, element), all);
  }
  Value less(Value biased, double bias) {
    auto type = cast<VectorType>(biased.getType());
    Value biases = arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type,
                               Attribute(builder.getFloatAttr(element, bias))));
    return arith::SubFOp::create(builder, loc, biased, biases);
  }

  OpBuilder &builder;
  Location loc;
  Type element;
};
} // namespace

/// The lanes of vectors of `length` lanes each, in which lane i lies at place
/// `places[i]`, in order.
static Value inOrder(OpBuilder &builder, Location loc, Value lanes,
                     ArrayRef<int64_t> places) {
  int64_t length = places.size();
  SmallVector<int64_t> all;
  for (int64_t lane = 0; lane < lanesIn(lanes); ++lane)
    all.push_back(lane / length * length + places[lane % length]);
  return vector::ShuffleOp::create(builder, loc, lanes, lanes, all);
}

/// Of a word the halves that lie in both of its 16 bits, where they lie.
static Value farHalves(OpBuilder &builder, Location loc, Value packed,
                       Type element, bool isUnsigned) {
  PairMath math(builder, loc, element);
  int64_t bytes = lanesIn(packed);
  Value all =
      vector::BitCastOp::create(builder, loc, wordsOf(builder, bytes), packed);
  int64_t start = math.start() | (isUnsigned ? 0 : halfSign);
  SmallVector<Value> pairs;
  for (int64_t at = 0; at < bytes / wordBytes; ++at) {
    Value word = vector::ExtractOp::create(builder, loc, all, at);
    for (int64_t half = 0; half < wordBytes; ++half) {
      Value moved = word;
      if (half > 0)
        moved = arith::ShRUIOp::create(builder, loc, word,
                                       math.constant(half * halfBits));
      pairs.push_back(math.bitXor(math.bitAnd(moved, lowHalf), start));
    }
  }
  Value floats = math.less(math.floats(pairs),
                           math.startValue() + (isUnsigned ? 0 : halfSign));
  return inOrder(builder, loc, floats, {0, 2, 4, 6, 1, 3, 5, 7});
}

/// Each byte's low half and, shifted, its high half.
static Value pairsOfHalves(OpBuilder &builder, Location loc, Value packed,
                           Type element, bool isUnsigned) {
  PairMath math(builder, loc, element);
  int64_t bytes = lanesIn(packed);
  Value all =
      vector::BitCastOp::create(builder, loc, wordsOf(builder, bytes), packed);
  SmallVector<Value> pairs;
  for (int64_t at = 0; at < bytes / wordBytes; ++at) {
    Value word = vector::ExtractOp::create(builder, loc, all, at);
    Value shifted =
        arith::ShRUIOp::create(builder, loc, word, math.constant(halfBits));
    for (int64_t byte = 0; byte < wordBytes; ++byte) {
      int64_t selector =
          byte | byte << 4 | (wordBytes + byte) << 8 | byte << 12;
      Value pair = permute(builder, loc, word, shifted, selector);
      int64_t start = math.start() | (isUnsigned ? 0 : halfSign);
      pairs.push_back(math.bitXor(math.bitAnd(pair, lowHalf), start));
    }
  }
  return math.less(math.floats(pairs),
                   math.startValue() + (isUnsigned ? 0 : halfSign));
}

Value mlir::fuse::buildPairsFromWords(OpBuilder &builder, Location loc,
                                      Value bytes, Type element,
                                      bool inAnyOrder) {
  if (Value packed = packedHalves(bytes))
    return (inAnyOrder ? farHalves : pairsOfHalves)(
        builder, loc, packed, element, areUnsigned(bytes));
  PairMath math(builder, loc, element);
  bool haveSigns = element.isBF16();
  VectorType type = wordsOf(builder, lanesIn(bytes));
  Value words = vector::BitCastOp::create(builder, loc, type, bytes);
  if (!haveSigns)
    words = ByteMath(builder, loc, type).bitXor(words, byteSign);
  constexpr int64_t firstPair = 0x4140, lastPair = 0x4342, leading = 0x64646464;
  Value upper = math.constant(haveSigns ? 0 : leading);
  SmallVector<Value> numbers, biases;
  auto pairOf = [&](Value word, bool isFirst) {
    if (!inAnyOrder)
      return permute(builder, loc, word, upper, isFirst ? firstPair : lastPair);
    // Bytes that are two apart, where they lie.
    Value pair = word;
    if (!isFirst)
      pair =
          arith::ShRUIOp::create(builder, loc, word, math.constant(byteBits));
    return haveSigns ? pair
                     : math.bitOr(math.bitAnd(pair, allOfByte), math.start());
  };
  for (int64_t at = 0; at < type.getDimSize(0); ++at) {
    Value word = vector::ExtractOp::create(builder, loc, words, at);
    for (bool isFirst : {true, false}) {
      Value pair = pairOf(word, isFirst);
      if (haveSigns) {
        biases.push_back(math.bitOr(math.bitAnd(pair, byteSign), math.start()));
        pair = math.bitOr(math.bitAnd(pair, byteSign - 1), math.start());
      }
      numbers.push_back(pair);
    }
  }
  Value floats = math.floats(numbers);
  if (haveSigns)
    floats = arith::SubFOp::create(builder, loc, floats, math.floats(biases));
  else
    floats = math.less(floats, math.startValue() + byteSign);
  return inAnyOrder ? inOrder(builder, loc, floats, {0, 2, 1, 3}) : floats;
}

Value mlir::fuse::buildUnpacked(OpBuilder &builder, Location loc, Value bytes,
                                bool isUnsigned, bool onGPU) {
  int64_t count = lanesIn(bytes);
  auto result = VectorType::get({2 * count}, builder.getI8Type());
  auto halvesOf = [&](Value values) {
    ByteMath math(builder, loc, values.getType());
    Value low = math.bitAnd(values, lowHalf);
    Value high = math.bitAnd(math.shiftRight(values, halfBits), lowHalf);
    if (isUnsigned)
      return std::pair(low, high);
    return std::pair(math.signExtended(low), math.signExtended(high));
  };
  if (!onGPU) {
    auto [low, high] = halvesOf(bytes);
    if (count == 1)
      return vector::FromElementsOp::create(builder, loc, result,
                                            ValueRange{low, high});
    return vector::InterleaveOp::create(builder, loc, low, high);
  }
  auto [low, high] = halvesOf(
      vector::BitCastOp::create(builder, loc, wordsOf(builder, count), bytes));
  constexpr int64_t firstPairs = 0x5140, lastPairs = 0x7362;
  SmallVector<Value> words;
  for (int64_t word = 0; word < count / wordBytes; ++word)
    for (int64_t pairs : {firstPairs, lastPairs})
      words.push_back(permute(
          builder, loc, vector::ExtractOp::create(builder, loc, low, word),
          vector::ExtractOp::create(builder, loc, high, word), pairs));
  Value all = vector::FromElementsOp::create(
      builder, loc, wordsOf(builder, 2 * count), words);
  auto unpacked = vector::BitCastOp::create(builder, loc, result, all);
  unpacked->setAttr(unpackedAttr, builder.getBoolAttr(isUnsigned));
  return unpacked;
}

Value mlir::fuse::buildHalf(OpBuilder &builder, Location loc, Value byte,
                            Value shift, bool isUnsigned) {
  ByteMath math(builder, loc, byte.getType());
  Value half =
      math.bitAnd(arith::ShRUIOp::create(builder, loc, byte, shift), lowHalf);
  return isUnsigned ? half : math.signExtended(half);
}
