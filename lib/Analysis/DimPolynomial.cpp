//===- DimPolynomial.cpp - Sums of products of dimensions -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimPolynomial.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <iterator>

using namespace mlir;
using namespace mlir::fuse;

/// Coefficients stop at the largest numbers: no tensor has more bytes.
static int64_t saturatingAdd(int64_t a, int64_t b) {
  int64_t result;
  if (!llvm::AddOverflow(a, b, result))
    return result;
  return a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t saturatingMultiply(int64_t a, int64_t b) {
  int64_t result;
  if (!llvm::MulOverflow(a, b, result))
    return result;
  return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

DimPolynomial::DimPolynomial(int64_t constant) { add({}, constant); }

DimPolynomial DimPolynomial::product(ArrayRef<Extent> extents) {
  int64_t factor = 1;
  Monomial classes;
  for (const Extent &extent : extents) {
    if (extent.isStatic())
      factor = saturatingMultiply(factor, extent.size);
    else
      classes.push_back(extent.cls);
  }
  llvm::sort(classes);
  DimPolynomial result;
  result.add(classes, factor);
  return result;
}

void DimPolynomial::add(const Monomial &classes, int64_t factor) {
  int64_t &total = sum[classes];
  total = saturatingAdd(total, factor);
  if (total == 0)
    sum.erase(classes);
}

DimPolynomial &DimPolynomial::operator+=(const DimPolynomial &other) {
  for (const auto &[classes, factor] : other.sum)
    add(classes, factor);
  return *this;
}

DimPolynomial &DimPolynomial::operator-=(const DimPolynomial &other) {
  for (const auto &[classes, factor] : other.sum)
    add(classes, saturatingMultiply(factor, -1));
  return *this;
}

DimPolynomial DimPolynomial::operator*(const DimPolynomial &other) const {
  DimPolynomial result;
  for (const auto &[classes, factor] : sum)
    for (const auto &[otherClasses, otherFactor] : other.sum) {
      Monomial both;
      std::merge(classes.begin(), classes.end(), otherClasses.begin(),
                 otherClasses.end(), std::back_inserter(both));
      result.add(both, saturatingMultiply(factor, otherFactor));
    }
  return result;
}

bool DimPolynomial::isNeverNegative() const {
  return llvm::all_of(sum, [](const auto &term) { return term.second >= 0; });
}

/// Classes beyond which a search is given up.
static constexpr unsigned mostSearched = 64;

/// Whether the size of `from` follows from that of `cls`, if by several rules.
static bool followsFrom(int from, int cls, const DimClasses &dims) {
  llvm::SmallSetVector<int, 8> seen;
  seen.insert(from);
  for (unsigned next = 0; next < seen.size(); ++next)
    for (const SizeRule &rule : dims.rules(seen[next]))
      for (const Extent &term : rule.terms) {
        if (term.cls == cls || seen.size() > mostSearched)
          return true;
        if (!term.isStatic())
          seen.insert(term.cls);
      }
  return false;
}

std::optional<SizeRule> mlir::fuse::definingRule(int cls,
                                                 const DimClasses &dims) {
  for (const SizeRule &rule : dims.rules(cls))
    // Of classes that follow from each other the oldest has no rule.
    if (llvm::all_of(rule.terms, [&](const Extent &term) {
          return term.isStatic() || term.cls < cls ||
                 !followsFrom(term.cls, cls, dims);
        }))
      return rule;
  return std::nullopt;
}

DimPolynomial mlir::fuse::dividendOf(const SizeRule &rule) {
  DimPolynomial result(rule.kind == SizeRule::Product ? 1 : 0);
  for (const Extent &term : rule.terms) {
    DimPolynomial size = DimPolynomial::product(term);
    if (rule.kind == SizeRule::Product)
      result = result * size;
    else
      result += size;
  }
  result += DimPolynomial(rule.constant);
  return result;
}

DimPolynomial DimPolynomial::expanded(const DimClasses &dims) const {
  DimPolynomial result;
  for (const auto &[classes, factor] : sum) {
    DimPolynomial term(factor);
    for (int cls : classes) {
      DimPolynomial size = product(Extent{ShapedType::kDynamic, cls});
      std::optional<SizeRule> rule = definingRule(cls, dims);
      // A product over a number is exact, since it comes from a reshape.
      bool isExact =
          rule && (rule->divisor == 1 || rule->kind == SizeRule::Product);
      if (!isExact) {
        term = term * size;
        continue;
      }
      DimPolynomial whole = dividendOf(*rule).expanded(dims);
      auto divides = [&](const auto &each) {
        return each.second % rule->divisor == 0;
      };
      bool isInTerm = llvm::all_of(term.sum, divides);
      if (!isInTerm && !llvm::all_of(whole.sum, divides)) {
        term = term * size;
        continue;
      }
      DimPolynomial &divided = isInTerm ? term : whole;
      for (auto &each : divided.sum)
        each.second /= rule->divisor;
      term = term * whole;
    }
    result += term;
  }
  return result;
}

bool mlir::fuse::isAtMost(const DimPolynomial &lhs, const DimPolynomial &rhs,
                          const DimClasses &dims) {
  if (lhs == rhs)
    return true;
  DimPolynomial difference = rhs.expanded(dims);
  difference -= lhs.expanded(dims);
  return difference.isNeverNegative();
}
