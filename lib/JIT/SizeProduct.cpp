//===- SizeProduct.cpp - Sizes compared as products -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeProduct.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <optional>
#include <set>
#include <string>

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
/// A size as a constant times factors that are not products, as sorted text.
struct Product {
  int64_t constant = 1;
  std::multiset<std::string> factors;

  static Product factor(std::string text) { return {1, {std::move(text)}}; }

  bool operator==(const Product &other) const {
    return constant == other.constant && factors == other.factors;
  }
};
} // namespace

static std::optional<Product> multiply(Product lhs, const Product &rhs) {
  if (MulOverflow(lhs.constant, rhs.constant, lhs.constant))
    return std::nullopt;
  lhs.factors.insert(rhs.factors.begin(), rhs.factors.end());
  return lhs;
}

/// lhs / rhs if it is exact whatever the factors are.
static std::optional<Product> divideExactly(Product lhs, const Product &rhs) {
  if (rhs.constant <= 0 || lhs.constant % rhs.constant != 0)
    return std::nullopt;
  lhs.constant /= rhs.constant;
  for (const std::string &factor : rhs.factors) {
    auto it = lhs.factors.find(factor);
    if (it == lhs.factors.end())
      return std::nullopt;
    lhs.factors.erase(it);
  }
  return lhs;
}

static std::string str(const Product &product) {
  return formatv("({0} {1})", product.constant,
                 make_range(product.factors.begin(), product.factors.end()));
}

/// Runs the postfix program on products.
static Product toProduct(const SizeExpr &expr) {
  using Op = SizeExpr::Op;
  SmallVector<Product> stack;
  for (const SizeExpr::Node &node : expr.postfix()) {
    if (node.op == Op::Const) {
      stack.push_back({node.value, {}});
      continue;
    }
    if (node.op == Op::Symbol) {
      stack.push_back(Product::factor(formatv("s{0}", node.value)));
      continue;
    }
    Product rhs = stack.pop_back_val(), lhs = stack.pop_back_val();
    std::optional<Product> result;
    if (node.op == Op::Mul)
      result = multiply(lhs, rhs);
    else if (node.op == Op::FloorDiv || node.op == Op::CeilDiv)
      result = divideExactly(lhs, rhs);
    if (!result)
      result = Product::factor(
          formatv("{0}{1}{2}", int(node.op), str(lhs), str(rhs)));
    stack.push_back(std::move(*result));
  }
  return stack.back();
}

bool isSameProduct(const SizeExpr &lhs, const SizeExpr &rhs) {
  return toProduct(lhs) == toProduct(rhs);
}

bool isDivisor(const SizeExpr &lhs, const SizeExpr &rhs) {
  return divideExactly(toProduct(rhs), toProduct(lhs)).has_value();
}

} // namespace fuse::jit
