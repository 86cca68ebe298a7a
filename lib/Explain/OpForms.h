//===- OpForms.h - How ops are written --------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the parser does not get on within an op, it says which character it
// expected. The remedy shows the op as it should be.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXPLAIN_OPFORMS_H
#define FUSE_LIB_EXPLAIN_OPFORMS_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fuse::jit {

/// An example of the op, such as "fuse.softmax %x dims = [1] : tensor<4x8xf32>"
/// for "fuse.softmax"; "" if programs do not write it.
std::string exampleOf(llvm::StringRef op, mlir::MLIRContext &context);

} // namespace fuse::jit

#endif // FUSE_LIB_EXPLAIN_OPFORMS_H
