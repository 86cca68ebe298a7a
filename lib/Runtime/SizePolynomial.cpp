//===- SizePolynomial.cpp - Sizes compared as polynomials -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/SizePolynomial.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace llvm;
using fuse::runtime::SizeExpr;

namespace fuse::jit {

SizeExpr numElements(ArrayRef<SizeExpr> shape) {
  SizeExpr symbolic = 1, constant = 1;
  for (const SizeExpr &dim : shape) {
    SizeExpr &product = dim.isConstant() ? constant : symbolic;
    bool isFirst = product.isConstant() && product.constantValue() == 1;
    product = isFirst ? dim : product * dim;
  }
  if (symbolic.isConstant())
    return constant;
  bool hasFactor = !constant.isConstant() || constant.constantValue() != 1;
  return hasFactor ? symbolic * constant : symbolic;
}

namespace {
/// Symbols to multiply, sorted.
using Monomial = std::vector<std::string>;

/// By degree, then alphabetically: an order that multiplication keeps, so that
/// the last term of a product is the product of the last terms.
struct MonomialOrder {
  bool operator()(const Monomial &a, const Monomial &b) const {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  }
};

/// The coefficients of the monomials, none of them 0.
using Polynomial = std::map<Monomial, int64_t, MonomialOrder>;

/// None where a coefficient overflows, or there are too many terms.
using MaybePolynomial = std::optional<Polynomial>;
} // namespace

/// A product of many sums is not worth its time.
static constexpr size_t mostTerms = 256;

static Polynomial constantTerm(int64_t value) {
  return value == 0 ? Polynomial() : Polynomial{{Monomial(), value}};
}

static Polynomial symbolTerm(std::string name) {
  return {{Monomial{std::move(name)}, 1}};
}

/// sum + factor * monomial * rhs.
static MaybePolynomial addMultiple(Polynomial sum, int64_t factor,
                                   const Monomial &monomial,
                                   const Polynomial &rhs) {
  for (const auto &[symbols, coefficient] : rhs) {
    Monomial product;
    std::merge(monomial.begin(), monomial.end(), symbols.begin(), symbols.end(),
               std::back_inserter(product));
    int64_t added;
    int64_t &total = sum[product];
    if (MulOverflow(factor, coefficient, added) ||
        AddOverflow(total, added, total))
      return std::nullopt;
    if (total == 0)
      sum.erase(product);
  }
  return sum.size() <= mostTerms ? MaybePolynomial(std::move(sum))
                                 : std::nullopt;
}

static MaybePolynomial multiply(const Polynomial &lhs, const Polynomial &rhs) {
  MaybePolynomial product = Polynomial();
  for (const auto &[monomial, coefficient] : lhs)
    if (product)
      product = addMultiple(std::move(*product), coefficient, monomial, rhs);
  return product;
}

/// lhs / rhs if it is exact whatever the symbols are, by long division.
static MaybePolynomial divideExactly(Polynomial lhs, const Polynomial &rhs) {
  if (rhs.empty())
    return std::nullopt;
  const auto &[divisor, divisorFactor] = *rhs.rbegin();
  Polynomial quotient;
  while (!lhs.empty()) {
    const auto &[dividend, dividendFactor] = *lhs.rbegin();
    bool isExact = divisorFactor > 0 && dividendFactor % divisorFactor == 0 &&
                   std::includes(dividend.begin(), dividend.end(),
                                 divisor.begin(), divisor.end());
    if (!isExact || quotient.size() == mostTerms)
      return std::nullopt;
    int64_t factor = dividendFactor / divisorFactor, negated;
    if (SubOverflow<int64_t>(0, factor, negated))
      return std::nullopt;
    Monomial monomial;
    std::set_difference(dividend.begin(), dividend.end(), divisor.begin(),
                        divisor.end(), std::back_inserter(monomial));
    MaybePolynomial rest = addMultiple(std::move(lhs), negated, monomial, rhs);
    if (!rest)
      return std::nullopt;
    lhs = std::move(*rest);
    quotient[monomial] = factor;
  }
  return quotient;
}

static std::string str(const Polynomial &polynomial) {
  std::string text;
  for (const auto &[monomial, coefficient] : polynomial)
    text += formatv("({0} {1})", coefficient, join(monomial, " "));
  return text;
}

/// `lhs op rhs`, if it is a polynomial.
static MaybePolynomial combine(SizeExpr::Op op, const Polynomial &lhs,
                               const Polynomial &rhs) {
  switch (op) {
  case SizeExpr::Op::Add:
    return addMultiple(lhs, 1, Monomial(), rhs);
  case SizeExpr::Op::Sub:
    return addMultiple(lhs, -1, Monomial(), rhs);
  case SizeExpr::Op::Mul:
    return multiply(lhs, rhs);
  case SizeExpr::Op::FloorDiv:
  case SizeExpr::Op::CeilDiv:
    return divideExactly(lhs, rhs);
  default:
    return std::nullopt;
  }
}

namespace {
/// Turns expressions that are compared into polynomials.
class Converter {
public:
  /// Runs the postfix program on polynomials.
  Polynomial convert(const SizeExpr &expr);

private:
  /// A symbol for what is no polynomial, the same for the same operands.
  Polynomial nameOf(SizeExpr::Op op, const Polynomial &lhs,
                    const Polynomial &rhs) {
    std::string text = formatv("{0} {1} {2}", int(op), str(lhs), str(rhs));
    unsigned number = names.try_emplace(text, names.size()).first->second;
    return symbolTerm(formatv("x{0}", number));
  }

  StringMap<unsigned> names;
};
} // namespace

Polynomial Converter::convert(const SizeExpr &expr) {
  using Op = SizeExpr::Op;
  SmallVector<Polynomial> stack;
  for (const SizeExpr::Node &node : expr.postfix()) {
    if (node.op == Op::Const) {
      stack.push_back(constantTerm(node.value));
      continue;
    }
    if (node.op == Op::Symbol) {
      stack.push_back(symbolTerm(formatv("s{0}", node.value)));
      continue;
    }
    Polynomial rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
    MaybePolynomial result = combine(node.op, lhs, rhs);
    stack.push_back(result ? std::move(*result) : nameOf(node.op, lhs, rhs));
  }
  return stack.back();
}

bool isSameSize(const SizeExpr &lhs, const SizeExpr &rhs) {
  Converter converter;
  return converter.convert(lhs) == converter.convert(rhs);
}

bool isDivisor(const SizeExpr &lhs, const SizeExpr &rhs) {
  Converter converter;
  return divideExactly(converter.convert(rhs), converter.convert(lhs))
      .has_value();
}

} // namespace fuse::jit
