//===- DimPolynomial.h - Sums of products of dimensions ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of elements and of bytes, in the classes of dynamic dimensions (see
// DimClasses.h), so that they can be added and compared before sizes are known.
// With the class t for the ? of
//
//   %a: tensor<?x64xf32>, %b = fuse.slice %a offsets = [2, 0] ... :
//   tensor<?x64xf32>
//
// %a has 64 t elements; %b has 64 u in a class u of its own, which is 64 t -
// 128 when it is expanded by the rule u = t - 2.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_ANALYSIS_DIMPOLYNOMIAL_H
#define FUSE_ANALYSIS_DIMPOLYNOMIAL_H

#include "fuse/Analysis/DimClasses.h"
#include <map>

namespace mlir::fuse {

class DimPolynomial {
public:
  /// Classes to multiply, sorted.
  using Monomial = SmallVector<int, 3>;
  /// The coefficient of each product; none is 0.
  using Terms = std::map<Monomial, int64_t>;

  /// 0.
  DimPolynomial() = default;
  explicit DimPolynomial(int64_t constant);
  /// The product of the extents.
  static DimPolynomial product(ArrayRef<Extent> extents);

  const Terms &terms() const { return sum; }

  DimPolynomial &operator+=(const DimPolynomial &other);
  DimPolynomial &operator-=(const DimPolynomial &other);
  DimPolynomial operator*(const DimPolynomial &other) const;
  bool operator==(const DimPolynomial &other) const { return sum == other.sum; }

  /// Whether no coefficient is negative: then it is at least 0 for all sizes.
  bool isNeverNegative() const;

  /// The same number with each class that follows from others without a rest
  /// written in these.
  DimPolynomial expanded(const DimClasses &dims) const;

private:
  void add(const Monomial &classes, int64_t factor);

  Terms sum;
};

/// The rule by which a class follows from others that do not follow from it, or
/// are older.
std::optional<SizeRule> definingRule(int cls, const DimClasses &dims);

/// What the size of the rule is, times the rule's divisor.
DimPolynomial dividendOf(const SizeRule &rule);

/// Whether `lhs` is at most `rhs` for all sizes, as far as is known.
bool isAtMost(const DimPolynomial &lhs, const DimPolynomial &rhs,
              const DimClasses &dims);

} // namespace mlir::fuse

#endif // FUSE_ANALYSIS_DIMPOLYNOMIAL_H
