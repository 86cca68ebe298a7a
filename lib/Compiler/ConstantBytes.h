//===- ConstantBytes.h - A constant as the device stores it -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_COMPILER_CONSTANTBYTES_H
#define FUSE_LIB_COMPILER_CONSTANTBYTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace fuse::jit {

/// The elements of `value` in row-major order, little endian; an i1 is a byte.
/// Fails unless they stand in the text as dense<...>.
llvm::Expected<std::vector<uint8_t>> constantBytes(mlir::ElementsAttr value,
                                                   mlir::Location location);

} // namespace fuse::jit

#endif // FUSE_LIB_COMPILER_CONSTANTBYTES_H
