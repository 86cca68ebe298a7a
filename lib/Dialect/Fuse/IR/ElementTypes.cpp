//===- ElementTypes.cpp - Which type two operands should have -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

/// Whether `wide` has all values of `narrow`.
static bool contains(FloatType wide, FloatType narrow) {
  const llvm::fltSemantics &to = wide.getFloatSemantics();
  const llvm::fltSemantics &from = narrow.getFloatSemantics();
  return llvm::APFloat::semanticsMaxExponent(to) >=
             llvm::APFloat::semanticsMaxExponent(from) &&
         llvm::APFloat::semanticsPrecision(to) >=
             llvm::APFloat::semanticsPrecision(from);
}

Type fuse::detail::commonElementType(Type lhs, Type rhs) {
  auto lhsFloat = dyn_cast<FloatType>(lhs), rhsFloat = dyn_cast<FloatType>(rhs);
  if (lhsFloat && rhsFloat) {
    if (contains(lhsFloat, rhsFloat))
      return lhs;
    return contains(rhsFloat, lhsFloat) ? rhs
                                        : Float32Type::get(lhs.getContext());
  }
  if (!lhsFloat && !rhsFloat)
    return lhs.getIntOrFloatBitWidth() < rhs.getIntOrFloatBitWidth() ? rhs
                                                                     : lhs;
  FloatType number = lhsFloat ? lhsFloat : rhsFloat;
  Type integer = lhsFloat ? rhs : lhs;
  // i1 is 0 or 1 in all of them.
  if (integer.isInteger(1) || number.getWidth() > 32)
    return number;
  return Float32Type::get(lhs.getContext());
}

std::string fuse::detail::castRemedy(Type lhs, StringRef lhsName, Type rhs,
                                     StringRef rhsName) {
  Type common = commonElementType(lhs, rhs);
  std::string to = debugString(common);
  if (lhs != common && rhs != common)
    return llvm::formatv("fuse.cast both to {0}", to);
  return llvm::formatv("fuse.cast {0} to {1}",
                       lhs != common ? lhsName : rhsName, to);
}
