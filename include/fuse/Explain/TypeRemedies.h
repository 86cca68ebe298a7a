//===- TypeRemedies.h - What to do about a type -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXPLAIN_TYPEREMEDIES_H
#define FUSE_EXPLAIN_TYPEREMEDIES_H

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fuse::jit {

/// The element types of programs, for messages.
inline constexpr llvm::StringLiteral elementTypeNames =
    "f8E4M3FN, f8E5M2, f16, bf16, f32, f64, i1, i8, i16, i32, i64 or "
    "ui8";

/// Whether programs have tensors of it.
bool isElementType(mlir::Type type);

/// What to do about an operand or a result of an op that has the type `got`,
/// where `expected` lists element types that the op takes.
std::string typeRemedy(mlir::Type got, llvm::StringRef expected);

/// The type that is meant by a word that names none, such as "float32" or "T".
std::string typeNameRemedy(llvm::StringRef word);

/// How infinities and NaN are written in a constant. `text` starts at the word.
std::string specialValueRemedy(llvm::StringRef text,
                               mlir::MLIRContext &context);

} // namespace fuse::jit

#endif // FUSE_EXPLAIN_TYPEREMEDIES_H
