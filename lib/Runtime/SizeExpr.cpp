//===- SizeExpr.cpp - Integer expressions over dynamic dims ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/SizeExpr.h"
#include "FormatError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;
using namespace fuse::runtime;

using Op = SizeExpr::Op;

static bool isOperator(Op op) { return op != Op::Const && op != Op::Symbol; }

static StringRef spelling(Op op) {
  switch (op) {
  case Op::Const:
  case Op::Symbol:
    break;
  case Op::Add:
    return "+";
  case Op::Sub:
    return "-";
  case Op::Mul:
    return "*";
  case Op::CeilDiv:
    return "ceildiv";
  case Op::FloorDiv:
    return "floordiv";
  case Op::Mod:
    return "mod";
  case Op::Min:
    return "min";
  case Op::Max:
    return "max";
  }
  llvm_unreachable("a leaf has no spelling");
}

/// Stores `lhs op rhs` in `result`; false if it has no value.
static bool apply(Op op, int64_t lhs, int64_t rhs, int64_t &result) {
  switch (op) {
  case Op::Const:
  case Op::Symbol:
    break;
  case Op::Add:
    return !AddOverflow(lhs, rhs, result);
  case Op::Sub:
    return !SubOverflow(lhs, rhs, result);
  case Op::Mul:
    return !MulOverflow(lhs, rhs, result);
  case Op::CeilDiv:
    result = rhs > 0 ? divideCeilSigned(lhs, rhs) : 0;
    return rhs > 0;
  case Op::FloorDiv:
    result = rhs > 0 ? divideFloorSigned(lhs, rhs) : 0;
    return rhs > 0;
  case Op::Mod:
    result = rhs > 0 ? llvm::mod(lhs, rhs) : 0;
    return rhs > 0;
  case Op::Min:
    result = std::min(lhs, rhs);
    return true;
  case Op::Max:
    result = std::max(lhs, rhs);
    return true;
  }
  llvm_unreachable("a leaf is not applied");
}

SizeExpr SizeExpr::symbol(unsigned index) {
  SizeExpr expr;
  expr.nodes[0] = {Op::Symbol, index};
  return expr;
}

SizeExpr SizeExpr::binary(Op op, const SizeExpr &lhs, const SizeExpr &rhs) {
  assert(isOperator(op) && "expected an operator");
  int64_t folded;
  if (lhs.isConstant() && rhs.isConstant() &&
      apply(op, lhs.constantValue(), rhs.constantValue(), folded))
    return folded;
  SizeExpr expr = lhs;
  expr.nodes.append(rhs.nodes);
  expr.nodes.push_back({op, 0});
  return expr;
}

Expected<SizeExpr> SizeExpr::fromPostfix(ArrayRef<Node> postfix) {
  size_t depth = 0;
  for (const Node &node : postfix) {
    if (node.op == Op::Symbol &&
        (node.value < 0 || node.value > UINT32_MAX - 1))
      return formatError("expected a symbol index of 32 bits, but got "
                         "{0}; number the symbols from 0",
                         node.value);
    size_t operands = isOperator(node.op) ? 2 : 0;
    if (depth < operands)
      return formatError("expected two operands before '{0}', but got "
                         "{1}; push both first",
                         spelling(node.op), depth);
    depth += 1 - operands;
  }
  if (depth != 1)
    return formatError("expected a postfix expression of one value, but "
                       "got {0}; join them with operators",
                       depth);
  SizeExpr expr;
  expr.nodes.assign(postfix.begin(), postfix.end());
  return expr;
}

int64_t SizeExpr::constantValue() const {
  assert(isConstant() && "expected a constant");
  return nodes[0].value;
}

unsigned SizeExpr::symbolIndex() const {
  assert(isSymbol() && "expected a symbol");
  return static_cast<unsigned>(nodes[0].value);
}

unsigned SizeExpr::numSymbols() const {
  unsigned count = 0;
  for (const Node &node : nodes)
    if (node.op == Op::Symbol)
      count = std::max(count, static_cast<unsigned>(node.value) + 1);
  return count;
}

Expected<int64_t> SizeExpr::evaluate(ArrayRef<int64_t> symbols) const {
  assert(numSymbols() <= symbols.size() && "expected a value for each symbol");
  SmallVector<int64_t, 8> stack;
  for (const Node &node : nodes) {
    if (node.op == Op::Const) {
      stack.push_back(node.value);
      continue;
    }
    if (node.op == Op::Symbol) {
      stack.push_back(symbols[node.value]);
      continue;
    }
    int64_t rhs = stack.pop_back_val();
    int64_t lhs = stack.back();
    if (!apply(node.op, lhs, rhs, stack.back()))
      return formatError("expected '{0} {1} {2}' to fit in 64 bits, but "
                         "it does not; pass smaller tensors",
                         lhs, spelling(node.op), rhs);
  }
  return stack.back();
}

std::string SizeExpr::str(ArrayRef<std::string> names) const {
  SmallVector<std::string> stack;
  for (const Node &node : nodes) {
    if (node.op == Op::Const) {
      stack.push_back(std::to_string(node.value));
      continue;
    }
    if (node.op == Op::Symbol) {
      stack.push_back(names[node.value]);
      continue;
    }
    std::string rhs = stack.pop_back_val();
    bool infix = node.op == Op::Add || node.op == Op::Sub || node.op == Op::Mul;
    stack.back() =
        infix ? formatv("({0} {1} {2})", stack.back(), spelling(node.op), rhs)
                    .str()
              : formatv("{0}({1}, {2})", spelling(node.op), stack.back(), rhs)
                    .str();
  }
  return stack.back();
}
