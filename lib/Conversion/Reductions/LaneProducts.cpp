//===- LaneProducts.cpp - Products of a row by tensor cores ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneProducts.h"

#include "LaneSpread.h"
#include "Math/MathEmitter.h"
#include "Mma/MmaSync.h"
#include "ThreadReduce.h"

#include "fuse/Conversion/MathExpansion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::fuse;

/// Lanes of a row of an operand, and the words that an instruction takes of a
/// lane's places.
static constexpr int64_t quad = 4, stepWords = 2;

namespace {
/// Two vectors of 16-bit floats, as many words each, and what all of their
/// products are multiplied with, f32s.
struct LaneProduct {
  SmallVector<Value, 2> vectors;
  SmallVector<Value, 2> factors;
  /// The lanes of the second vector that those of the first are multiplied
  /// with, if these are not in order.
  SmallVector<int64_t> order = {};
};

/// Takes a term apart.
class TermReader {
public:
  explicit TermReader(OpBuilder &builder) : builder(builder) {}

  std::optional<LaneProduct> read(Value terms) {
    if (!readFactor(terms) || found.vectors.size() != 2)
      return std::nullopt;
    auto type = cast<VectorType>(found.vectors[0].getType());
    bool isWhole = type == found.vectors[1].getType() &&
                   type.getDimSize(0) % (2 * stepWords) == 0;
    return isWhole ? std::optional(found) : std::nullopt;
  }

private:
  /// Whether it is one number for all of a quad's places.
  static bool isFactor(Value value) {
    Value scalar = sharedByLanes(value);
    return scalar != value && isSameInQuad(scalar);
  }
  bool readFactor(Value value);
  void readNarrow(Value narrow);

  OpBuilder &builder;
  LaneProduct found;
};
} // namespace

/// What the program rounds to bf16 may be so, or may be multiplied in another
/// order.
bool TermReader::readFactor(Value value) {
  if (auto widened = value.getDefiningOp<arith::ExtFOp>()) {
    auto type = dyn_cast<VectorType>(widened.getIn().getType());
    if (!type || type.getElementTypeBitWidth() != 16)
      return false;
    readNarrow(widened.getIn());
    return true;
  }
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<VectorType>(value.getType());
  if (!op || !type)
    return false;
  bool isRounded = op->hasAttr(kBF16ResultAttr);
  auto product = dyn_cast<arith::MulFOp>(op);
  if (product && !isRounded)
    return readFactor(product.getLhs()) && readFactor(product.getRhs());
  if (!isRounded)
    return false;
  for (bool isFlipped : {false, true}) {
    if (!product || !isFactor(product->getOperand(isFlipped)))
      continue;
    found.factors.push_back(sharedByLanes(product->getOperand(isFlipped)));
    return readFactor(product->getOperand(!isFlipped));
  }
  found.vectors.push_back(arith::TruncFOp::create(
      builder, op->getLoc(),
      type.cloneWith(std::nullopt, builder.getBF16Type()), value));
  return true;
}

/// What is multiplied with all lanes of bf16 comes to their sums, unrounded.
void TermReader::readNarrow(Value narrow) {
  auto product = narrow.getDefiningOp<arith::MulFOp>();
  if (product && getElementTypeOrSelf(narrow.getType()).isBF16())
    for (bool isFlipped : {false, true}) {
      Value factor = product->getOperand(isFlipped);
      if (!isFactor(factor))
        continue;
      found.factors.push_back(arith::ExtFOp::create(builder, product.getLoc(),
                                                    builder.getF32Type(),
                                                    sharedByLanes(factor)));
      return readNarrow(product->getOperand(!isFlipped));
    }
  found.vectors.push_back(narrow);
}

/// A vector with all lanes of `value` that takes no instructions to order them,
/// and where it has each of these; `value` and nothing where there is none.
static std::pair<Value, SmallVector<int64_t>> unordered(OpBuilder &builder,
                                                        Value value) {
  Operation *op = value.getDefiningOp();
  auto shuffle = dyn_cast_or_null<vector::ShuffleOp>(op);
  if (shuffle && shuffle.getV1() == shuffle.getV2() &&
      shuffle.getV1().getType() == value.getType())
    return {shuffle.getV1(), SmallVector<int64_t>(shuffle.getMask())};
  if (!isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
    return {value, {}};
  for (unsigned number : {0, 1}) {
    Value other = op->getOperand(1 - number);
    if (sharedByLanes(other) == other)
      continue;
    auto [inner, places] = unordered(builder, op->getOperand(number));
    if (places.empty())
      continue;
    Operation *moved = builder.clone(*op);
    moved->setOperand(number, inner);
    return {moved->getResult(0), places};
  }
  return {value, {}};
}

/// Leaves the lanes of the first factor as they lie.
static void takeOrder(OpBuilder &builder, LaneProduct &product) {
  auto [inner, places] = unordered(builder, product.vectors[0]);
  product.vectors[0] = inner;
  product.order.resize(places.size());
  for (auto [lane, place] : llvm::enumerate(places))
    product.order[place] = lane;
}

namespace {
/// Multiplies what a warp has of a row or two.
class QuadSums {
public:
  explicit QuadSums(KernelFrame &frame)
      : b(frame), builder(frame.builder), loc(frame.loc()) {}

  /// Of both rows the sum of a quad's products in one of its lanes, 0 in
  /// others. The second factors are the same; where `guard` does not hold all
  /// are 0.
  SmallVector<Value, 2> sums(ArrayRef<LaneProduct> rows, Value guard);

private:
  SmallVector<Value> wordsOf(Value vector, Value guard);

  MmaBuilder b;
  OpBuilder &builder;
  Location loc;
};
} // namespace

SmallVector<Value> QuadSums::wordsOf(Value vector, Value guard) {
  int64_t count = cast<VectorType>(vector.getType()).getDimSize(0) / 2;
  auto type = VectorType::get({count}, builder.getI32Type());
  Value all = vector::BitCastOp::create(builder, loc, type, vector);
  SmallVector<Value> words;
  for (int64_t i = 0; i < count; ++i) {
    Value word = vector::ExtractOp::create(builder, loc, all, i);
    words.push_back(guard ? b.select(guard, word, b.word(0)) : word);
  }
  return words;
}

/// A lane of quad q has the sums of row q and columns 2 (lane mod 4) and the
/// next one, then those of row q + 8.
SmallVector<Value, 2> QuadSums::sums(ArrayRef<LaneProduct> rows, Value guard) {
  Type element = getElementTypeOrSelf(rows.front().vectors.front().getType());
  MmaSync product(b, element, element);
  Value shared = rows.front().vectors[1];
  if (!rows.front().order.empty())
    shared = vector::ShuffleOp::create(builder, loc, shared, shared,
                                       rows.front().order);
  SmallVector<Value> columns = wordsOf(shared, guard);
  SmallVector<SmallVector<Value>> words;
  for (const LaneProduct &row : rows)
    words.push_back(wordsOf(row.vectors[0], guard));
  Value zero = b.frame.emitter.constant(loc, builder.getF32Type(), 0);
  SmallVector<Value> sums(MmaSync::kSums, zero);
  for (size_t at = 0; at < columns.size(); at += stepWords)
    product.multiply(
        sums, {words[0][at], words[1][at], words[0][at + 1], words[1][at + 1]},
        {columns[at], columns[at + 1]});
  Value lane = b.rem(b.thread(), warpSize);
  Value own = b.div(lane, quad);
  Value has = b.equal(b.rem(lane, quad), b.div(own, 2));
  Value isOdd = b.equal(b.rem(own, 2), 1);
  SmallVector<Value, 2> found;
  for (size_t row = 0; row < rows.size(); ++row)
    found.push_back(
        b.select(has, b.select(isOdd, sums[2 * row + 1], sums[2 * row]), zero));
  return found;
}

/// Makes what both rows have their second factor; whether there is such.
static bool haveSharedFactor(MutableArrayRef<LaneProduct> rows) {
  for (Value shared : rows[0].vectors)
    if (llvm::is_contained(rows[1].vectors, shared)) {
      for (LaneProduct &row : rows)
        if (row.vectors[0] == shared)
          std::swap(row.vectors[0], row.vectors[1]);
      return true;
    }
  return false;
}

/// What the products are of, if tensor cores may add them up.
static std::optional<LaneProduct> readTerms(KernelFrame &frame,
                                            const RowTerms &row, Value terms) {
  auto reduce = dyn_cast<ReduceOp>(row.reducer->getOp());
  if (!reduce || !row.reducer->addsUp() || row.point.lanes == 1 ||
      frame.emitter.getOptions().strict)
    return std::nullopt;
  return TermReader(frame.builder).read(terms);
}

static void takeSums(KernelFrame &frame, ArrayRef<RowTerms> rows,
                     ArrayRef<LaneProduct> products) {
  SmallVector<Value, 2> sums =
      QuadSums(frame).sums(products, rows.front().point.guard);
  for (auto [row, product, sum] : llvm::zip_equal(rows, products, sums)) {
    for (Value factor : product.factors)
      sum = arith::MulFOp::create(frame.builder, frame.loc(), sum, factor,
                                  arith::FastMathFlags::contract);
    *row.state = row.reducer->accumulate(
        *row.state, ReducedElements{sum, Value(), /*lanes=*/1});
  }
}

void mlir::fuse::takeByMma(KernelFrame &frame, ArrayRef<RowTerms> rows) {
  SmallVector<Value, 2> terms;
  SmallVector<LaneProduct, 2> products;
  for (const RowTerms &row : rows) {
    terms.push_back(frame.emitter.emit(row.reducer->getInput(), row.point));
    if (auto product = readTerms(frame, row, terms.back()))
      products.push_back(*product);
  }
  if (products.size() == 2 && haveSharedFactor(products)) {
    for (LaneProduct &product : products)
      takeOrder(frame.builder, product);
    if (products[0].order == products[1].order)
      return takeSums(frame, rows, products);
  }
  for (auto [row, value] : llvm::zip_equal(rows, terms))
    *row.state = row.reducer->accumulate(
        *row.state, ReducedElements{value, row.point.guard, row.point.lanes});
}
