//===- TypeRemedies.cpp - What to do about a type -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Explain/TypeRemedies.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using llvm::formatv;

namespace fuse::jit {

bool isElementType(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         isa<Float8E4M3FNType, Float8E5M2Type>(type) ||
         type.isUnsignedInteger(8) || type.isSignlessInteger(1) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(16) ||
         type.isSignlessInteger(32) || type.isSignlessInteger(64);
}

/// Of an element type that no program has: nothing in a program converts it.
static std::string foreignElementRemedy(Type element) {
  std::string name = debugString(element);
  auto integer = dyn_cast<IntegerType>(element);
  if (integer && integer.isSigned() && integer.getWidth() >= 8)
    return formatv("write i{0}, which is computed as signed",
                   integer.getWidth());
  constexpr unsigned packedBits = 4;
  if (integer && integer.getWidth() == packedBits)
    return "pass two in a byte, the first in the low half, and fuse.unpack "
           "them";
  if (integer && !integer.isSigned())
    return formatv("there is no {0} in a program: pass it as i{1}, converted "
                   "outside",
                   name,
                   integer.getWidth() + integer.isUnsigned() <= 32 ? 32 : 64);
  if (isa<ComplexType>(element))
    return "there are no complex numbers: pass real and imaginary parts as "
           "tensors of their own";
  if (isa<IndexType>(element))
    return "write i64";
  return formatv("there is no {0} in a program: convert it outside, to {1}",
                 name, elementTypeNames);
}

std::string typeRemedy(Type got, StringRef expected) {
  if (isa<UnrankedTensorType>(got))
    return "give the tensor a rank";
  if (isa<IndexType>(got))
    return "make it a tensor<i64>, as lengths and offsets are";
  auto tensor = dyn_cast<RankedTensorType>(got);
  if (!tensor && isElementType(got))
    return formatv("make it a tensor<{0}>, as fuse.constant dense<...> is",
                   debugString(got));
  if (!tensor)
    return "programs compute with tensors; write it as one";
  if (!isElementType(tensor.getElementType()))
    return foreignElementRemedy(tensor.getElementType());
  if (expected.contains("rank 0"))
    return "give a tensor of rank 0, with one element";
  if (expected.contains("f32"))
    return "fuse.cast it to f32";
  if (expected.contains("i32"))
    return "fuse.cast it to i32";
  return expected.contains("i8") ? "fuse.cast it to i8"
                                 : "fuse.compare gives i1";
}

std::string typeNameRemedy(StringRef word) {
  std::string name = word.lower();
  StringRef meant =
      llvm::StringSwitch<StringRef>(name)
          .Cases({"float", "float32", "fp32", "single"}, "f32")
          .Cases({"half", "float16", "fp16"}, "f16")
          .Cases({"bfloat16", "bfloat", "b16"}, "bf16")
          .Cases({"double", "float64", "fp64"}, "f64")
          .Cases({"f8", "fp8", "float8", "f8e4m3", "e4m3", "f8e4m3fn"},
                 "f8E4M3FN")
          .Cases({"e5m2", "f8e5m2"}, "f8E5M2")
          .Cases({"int8", "s8"}, "i8")
          .Cases({"uint8", "u8", "byte"}, "ui8")
          .Cases({"int16", "short", "s16"}, "i16")
          .Cases({"int", "int32", "s32"}, "i32")
          .Cases({"long", "int64", "s64"}, "i64")
          .Cases({"bool", "boolean", "pred"}, "i1")
          .Default("");
  if (!meant.empty())
    return formatv("did you mean {0}?", meant);
  return formatv("an element type is {0}; a size that is not known is '?', "
                 "which fuse.dims can name",
                 elementTypeNames);
}

/// The element type of the first tensor type in `text`.
static FloatType firstElementType(StringRef text, MLIRContext &context) {
  size_t begin = text.find("tensor<"), end = text.find('>', begin);
  if (end == StringRef::npos)
    return {};
  // What does not parse has been reported, or will be.
  ScopedDiagnosticHandler silent(&context,
                                 [](Diagnostic &) { return success(); });
  auto type = dyn_cast_or_null<RankedTensorType>(
      parseType(text.slice(begin, end + 1), &context));
  return type ? dyn_cast<FloatType>(type.getElementType()) : FloatType();
}

std::string specialValueRemedy(StringRef text, MLIRContext &context) {
  text.consume_front("-");
  bool isNaN = text.starts_with_insensitive("nan");
  if (!isNaN && !text.starts_with_insensitive("inf"))
    return "";
  FloatType type = firstElementType(text, context);
  if (!type)
    type = Float32Type::get(&context);
  auto bits = [&](const llvm::APFloat &number) {
    return "0x" + llvm::utohexstr(number.bitcastToAPInt().getZExtValue());
  };
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  std::string name = debugString(Type(type));
  if (isNaN)
    return formatv("write its bits: dense<{0}> is NaN in {1}",
                   bits(llvm::APFloat::getNaN(semantics)), name);
  if (!llvm::APFloat::semanticsHasInf(semantics))
    return formatv("{0} has no infinity; write its largest number", name);
  return formatv("write its bits: dense<{0}> is inf in {2}, dense<{1}> is -inf",
                 bits(llvm::APFloat::getInf(semantics)),
                 bits(llvm::APFloat::getInf(semantics, /*Negative=*/true)),
                 name);
}

} // namespace fuse::jit
