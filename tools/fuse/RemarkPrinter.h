//===- RemarkPrinter.h - Remarks beside the user's source -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_REMARKPRINTER_H
#define FUSE_TOOLS_FUSE_REMARKPRINTER_H

#include "fuse/Explain/Remark.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace fuse::driver {

/// Prints each remark with the line of `text` that it is about:
///
///   norm.mlir:4:8: remark: kernel 'norm' runs add, mul, reduce
///     %y = fuse.rms_norm %h, %w eps = 1.0e-5 : ...
///          ^
///     = moves 16384*T + 8192 bytes
///     = help: ...
///
/// `fileName` is what remarks call the file that holds `text`; those about
/// other files have no source line.
void printRemarks(llvm::ArrayRef<jit::Remark> remarks, llvm::StringRef fileName,
                  llvm::StringRef text, llvm::raw_ostream &os);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_REMARKPRINTER_H
