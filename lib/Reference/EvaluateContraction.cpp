//===- EvaluateContraction.cpp - Sums of products -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operands are laid out anew as [batch, m, k] and [batch, n, k], so that
// each element of the result is a product of two vectors.
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"
#include "Operations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Parallel.h"

#include <algorithm>
#include <cmath>
#include <map>

using namespace mlir::fuse;
using namespace mlir::fuse::reference;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {

/// A contraction by named axes, as fuse.contract describes it.
struct Spec {
  std::string lhs, rhs, result;
};

/// An operand with its axes in the order that the loops take.
struct Packed {
  std::vector<double> values, errors;
  bool isExact = true;

  Bounded operator[](int64_t i) const { return {values[i], errors[i]}; }
};

using LetterSizes = std::map<char, int64_t>;

} // namespace

/// A size of 1 repeats along an axis that is longer elsewhere.
static llvm::Error collectSizes(mlir::Operation *op, StringRef axes,
                                const Value &operand, LetterSizes &sizes) {
  for (auto [letter, size] : llvm::zip_equal(axes, operand.shape)) {
    auto [entry, isNew] = sizes.try_emplace(letter, size);
    if (isNew || size == 1)
      continue;
    if (entry->second != 1)
      if (auto error = checkSize(op, "the sizes of axis " + llvm::Twine(letter),
                                 entry->second, size))
        return error;
    entry->second = size;
  }
  return llvm::Error::success();
}

static Sizes getSizes(StringRef axes, const LetterSizes &sizes) {
  Sizes list;
  for (char letter : axes)
    list.push_back(sizes.at(letter));
  return list;
}

/// The strides of a tensor along the axes `order`; 0 where it lacks the axis or
/// repeats.
static Sizes getAxisStrides(StringRef axes, ArrayRef<int64_t> shape,
                            StringRef order) {
  Sizes dense = getStrides(shape);
  Sizes strides;
  for (char letter : order) {
    size_t axis = axes.find(letter);
    bool moves = axis != StringRef::npos && shape[axis] != 1;
    strides.push_back(moves ? dense[axis] : 0);
  }
  return strides;
}

static Packed pack(const Value &operand, StringRef axes, StringRef order,
                   const LetterSizes &sizes, bool isTF32) {
  std::vector<int64_t> offsets = listOffsets(
      getSizes(order, sizes), getAxisStrides(axes, operand.shape, order));
  Packed packed;
  packed.values.resize(offsets.size());
  packed.errors.resize(offsets.size());
  Reader read(operand);
  for (size_t i = 0; i < offsets.size(); ++i) {
    Bounded x = read[offsets[i]];
    if (isTF32)
      x = mayCut(x);
    packed.values[i] = x.value;
    packed.errors[i] = x.error;
    packed.isExact &= x.isExact();
  }
  return packed;
}

namespace {

/// The loops of one contraction.
class Contraction {
public:
  /// `mayHide`: zeros of an operand may be the weights of what a mask hides.
  Contraction(const Spec &spec, const LetterSizes &sizes, bool isTF32,
              bool mayHide)
      : sizes(sizes), isTF32(isTF32), mayHide(mayHide) {
    auto has = [](StringRef axes, char letter) {
      return axes.contains(letter);
    };
    for (char letter : spec.result) {
      bool inLhs = has(spec.lhs, letter), inRhs = has(spec.rhs, letter);
      (inLhs && inRhs ? batch : inLhs ? rows : columns) += letter;
    }
    for (char letter : spec.lhs)
      if (!has(spec.result, letter))
        summed += letter;
  }

  Value run(const Spec &spec, const Value &lhs, const Value &rhs,
            DType dtype) const {
    Packed a = pack(lhs, spec.lhs, batch + rows + summed, sizes, isTF32);
    Packed b = pack(rhs, spec.rhs, batch + columns + summed, sizes, isTF32);
    int64_t m = count(rows), n = count(columns), k = count(summed);
    bool isExact = a.isExact && b.isExact;
    Value result = Value::zeros(dtype, getSizes(spec.result, sizes));
    std::string order = batch + rows + columns;
    std::vector<int64_t> places =
        listOffsets(getSizes(order, sizes),
                    getAxisStrides(spec.result, result.shape, order));
    bool isShort = isSaturating(lhs.dtype);
    DType wide = isNarrow(dtype) ? DType::F32 : dtype;
    Arithmetic accumulator(wide);
    llvm::parallelFor(0, count(batch) * m, [&](size_t row) {
      int64_t first = row / m * n;
      for (int64_t j = 0; j < n; ++j) {
        ProductSummer sum = isExact
                                ? addExact(a, row * k, b, (first + j) * k, k)
                                : add(a, row * k, b, (first + j) * k, k);
        Bounded total = sum.get(accumulator);
        if (isShort)
          total.error += shortError(a, row * k, b, (first + j) * k, k);
        if (mayHide && std::isnan(total.value) &&
            hidesSpecial(a, row * k, b, (first + j) * k, k))
          total.error = kInfinity;
        store(result, places[row * n + j], mayRound(wide, dtype, total));
      }
    });
    return result;
  }

private:
  int64_t count(StringRef axes) const {
    return countElements(getSizes(axes, sizes));
  }

  /// What sums of tensor cores lack, which add the products of 8-bit floats
  /// with few bits: of each instruction's terms, its 32 products and the sum
  /// before, what is behind 13 bits of the largest. Each 128 products the sum
  /// is added to one in f32, and starts again.
  static double shortError(const Packed &a, int64_t fromA, const Packed &b,
                           int64_t fromB, int64_t k) {
    constexpr int64_t terms = 32, perSum = 128;
    constexpr double unit = 0x1p-13;
    double error = 0;
    for (int64_t block = 0; block < k; block += perSum) {
      double before = 0;
      int64_t end = std::min(k, block + perSum);
      for (int64_t step = block; step < end; step += terms) {
        double largest = before, sum = 0;
        auto product = [&](int64_t i) {
          return std::fabs(a.values[fromA + i] * b.values[fromB + i]);
        };
        int64_t last = std::min<int64_t>(end, step + terms);
        for (int64_t i = step; i < last; ++i) {
          largest = std::max(largest, product(i));
          sum += product(i);
        }
        for (int64_t i = step; i < last; ++i)
          error += std::min(product(i), unit * largest);
        before += sum;
        // The sum before, and the sum behind.
        error += unit * (largest + before);
      }
    }
    return error;
  }

  /// Whether what may be a zero meets a NaN or an infinity, which count as not
  /// there if a mask hides them, and else make the sum NaN.
  static bool hidesSpecial(const Packed &a, int64_t fromA, const Packed &b,
                           int64_t fromB, int64_t k) {
    auto hides = [](Bounded weight, Bounded other) {
      return (weight.value == 0.0 || weight.isUnbounded()) &&
             !std::isfinite(other.value);
    };
    for (int64_t i = 0; i < k; ++i) {
      Bounded x = a[fromA + i], y = b[fromB + i];
      if (hides(x, y) || hides(y, x))
        return true;
    }
    return false;
  }

  /// The sum of `k` products from two places on.
  static ProductSummer add(const Packed &a, int64_t fromA, const Packed &b,
                           int64_t fromB, int64_t k) {
    ProductSummer sum;
    for (int64_t i = 0; i < k; ++i)
      sum.visit(a[fromA + i], b[fromB + i]);
    return sum;
  }

  static ProductSummer addExact(const Packed &a, int64_t fromA, const Packed &b,
                                int64_t fromB, int64_t k) {
    ProductSummer sum;
    for (int64_t i = 0; i < k; ++i)
      sum.visit(a.values[fromA + i], b.values[fromB + i]);
    return sum;
  }

  const LetterSizes &sizes;
  bool isTF32, mayHide;
  /// Axes of both operands and the result, of one operand, and summed over.
  std::string batch, rows, columns, summed;
};

} // namespace

/// Whether the value is computed from exponentials, as the weights of attention
/// are, without another contraction between.
static bool followsExponential(mlir::Value value) {
  llvm::SmallPtrSet<mlir::Operation *, 16> seen;
  llvm::SmallVector<mlir::Value> work = {value};
  while (!work.empty()) {
    mlir::Operation *op = work.pop_back_val().getDefiningOp();
    if (!op || mlir::isa<ContractOp, MatmulOp>(op) || !seen.insert(op).second)
      continue;
    if (mlir::isa<ExpOp, SoftmaxOp>(op))
      return true;
    llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// The result has elements of type `dtype`.
template <typename Op>
static llvm::Expected<Value> contract(Op op, const Spec &spec,
                                      Operands operands, DType dtype) {
  LetterSizes sizes;
  const Value &lhs = *operands[0], &rhs = *operands[1];
  if (auto error = collectSizes(op, spec.lhs, lhs, sizes))
    return std::move(error);
  if (auto error = collectSizes(op, spec.rhs, rhs, sizes))
    return std::move(error);
  bool mayHide = followsExponential(op->getOperand(0)) ||
                 followsExponential(op->getOperand(1));
  bool isTF32 = op.getPrecision() == ContractPrecision::tf32;
  return Contraction(spec, sizes, isTF32, mayHide).run(spec, lhs, rhs, dtype);
}

llvm::Expected<Value>
mlir::fuse::reference::evaluateContract(ContractOp op, Operands operands) {
  return contract(
      op,
      {op.getLhsAxes().str(), op.getRhsAxes().str(), op.getResultAxes().str()},
      operands, *getDType(op.getType().getElementType()));
}

llvm::Expected<Value> mlir::fuse::reference::evaluateMatmul(MatmulOp op,
                                                            Operands operands) {
  // Leading dimensions align at the last one; any byte can be a letter.
  auto leading = [](const Value &operand, size_t rank) {
    std::string axes;
    for (size_t axis = operand.shape.size(); axis > 2; --axis)
      axes += static_cast<char>('A' + rank - (axis - 2));
    return axes;
  };
  size_t rank = std::max(operands[0]->shape.size(), operands[1]->shape.size());
  std::string lhs = leading(*operands[0], rank);
  std::string rhs = leading(*operands[1], rank);
  std::string batch = lhs.size() > rhs.size() ? lhs : rhs;
  Spec spec = {lhs + (op.getTransposeLhs() ? "km" : "mk"),
               rhs + (op.getTransposeRhs() ? "nk" : "kn"), batch + "mn"};
  return contract(op, spec, operands, operands[0]->dtype);
}
