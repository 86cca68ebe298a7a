//===- SizeNames.h - Sizes given to several names of one dim ----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where ops make two dims one, as in
//
//   func.func @f(%x: tensor<?xf32> {fuse.dims = ["n"]},
//                %y: tensor<?xf32> {fuse.dims = ["m"]}) -> tensor<?xf32> {
//     %z = fuse.add %x, %y : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>
//
// the compiler knows it as "n" alone. Its user may give both, or "m".
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_SIZENAMES_H
#define FUSE_COMPILER_SIZENAMES_H

#include "fuse/Runtime/ProgramSpec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace fuse::jit {

/// For each name in `fuse.dims` what the compiler calls that dim: a name, or
/// the size that it must have, in digits.
using SizeNames = llvm::StringMap<std::string>;

/// Of a program that is parsed, by what its ops say.
SizeNames sizeNames(mlir::func::FuncOp entry);

/// Of a program that is parsed, as it was compiled.
SizeNames sizeNames(mlir::func::FuncOp entry, const runtime::ProgramSpec &spec);

/// NAME=SIZE for each dim, with the compiler's names. Names that are unknown
/// stay; a name that comes twice is an error, and sizes of one dim that differ.
/// `option` is what gave them.
llvm::Expected<std::vector<std::string>>
unifySizes(llvm::ArrayRef<std::string> sizes, const SizeNames &names,
           llvm::StringRef option);

} // namespace fuse::jit

#endif // FUSE_COMPILER_SIZENAMES_H
