//===- SizeExpr.h - Integer expressions over dynamic dims -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program knows about its sizes before it sees them: for a tensor of
// shape [T, 4096] processed 4 rows a block, the grid is
//
//   SizeExpr T = SizeExpr::symbol(0);
//   SizeExpr grid = ceilDiv(T, 4);        // postfix: T 4 ceildiv
//   grid.evaluate({10});                  // 3
//
// The builders fold constants, so an expression of constants is a constant.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_RUNTIME_SIZEEXPR_H
#define FUSE_RUNTIME_SIZEEXPR_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace fuse::runtime {

/// A postfix expression over i64 symbols. Every operation is checked:
/// overflow and a divisor below 1 are errors, never wrapped or trapped.
class SizeExpr {
public:
  enum class Op : uint8_t {
    Const,
    Symbol,
    Add,
    Sub,
    Mul,
    CeilDiv,
    FloorDiv,
    Mod,
    Min,
    Max
  };

  /// `value` is the constant, or the symbol's index; unused by operators.
  struct Node {
    Op op;
    int64_t value;
  };

  /// A constant; implicit, so that shapes can mix constants and symbols.
  SizeExpr(int64_t value = 0) { nodes.push_back({Op::Const, value}); }

  static SizeExpr symbol(unsigned index);

  /// `op` must be one of the operators.
  static SizeExpr binary(Op op, const SizeExpr &lhs, const SizeExpr &rhs);

  /// Checks that `postfix` is one well-formed expression.
  static llvm::Expected<SizeExpr> fromPostfix(llvm::ArrayRef<Node> postfix);

  llvm::ArrayRef<Node> postfix() const { return nodes; }

  bool isConstant() const { return isLeaf(Op::Const); }
  bool isSymbol() const { return isLeaf(Op::Symbol); }
  int64_t constantValue() const;
  unsigned symbolIndex() const;

  /// 1 + the largest symbol index that occurs; 0 if none does.
  unsigned numSymbols() const;

  /// The value when symbol i is `symbols[i]`.
  llvm::Expected<int64_t> evaluate(llvm::ArrayRef<int64_t> symbols) const;

  /// Infix text with the given symbol names: "ceildiv(T, 4) * 2".
  std::string str(llvm::ArrayRef<std::string> names) const;

private:
  bool isLeaf(Op op) const { return nodes.size() == 1 && nodes[0].op == op; }

  llvm::SmallVector<Node, 3> nodes;
};

inline SizeExpr operator+(const SizeExpr &lhs, const SizeExpr &rhs) {
  return SizeExpr::binary(SizeExpr::Op::Add, lhs, rhs);
}
inline SizeExpr operator-(const SizeExpr &lhs, const SizeExpr &rhs) {
  return SizeExpr::binary(SizeExpr::Op::Sub, lhs, rhs);
}
inline SizeExpr operator*(const SizeExpr &lhs, const SizeExpr &rhs) {
  return SizeExpr::binary(SizeExpr::Op::Mul, lhs, rhs);
}
inline SizeExpr ceilDiv(const SizeExpr &lhs, const SizeExpr &rhs) {
  return SizeExpr::binary(SizeExpr::Op::CeilDiv, lhs, rhs);
}
inline SizeExpr floorDiv(const SizeExpr &lhs, const SizeExpr &rhs) {
  return SizeExpr::binary(SizeExpr::Op::FloorDiv, lhs, rhs);
}
inline SizeExpr mod(const SizeExpr &lhs, const SizeExpr &rhs) {
  return SizeExpr::binary(SizeExpr::Op::Mod, lhs, rhs);
}
inline SizeExpr min(const SizeExpr &lhs, const SizeExpr &rhs) {
  return SizeExpr::binary(SizeExpr::Op::Min, lhs, rhs);
}
inline SizeExpr max(const SizeExpr &lhs, const SizeExpr &rhs) {
  return SizeExpr::binary(SizeExpr::Op::Max, lhs, rhs);
}

} // namespace fuse::runtime

#endif // FUSE_RUNTIME_SIZEEXPR_H
