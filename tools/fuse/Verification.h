//===- Verification.h - A run against the oracle ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_VERIFICATION_H
#define FUSE_TOOLS_FUSE_VERIFICATION_H

#include "Array.h"
#include "fuse/Reference/Findings.h"
#include "fuse/Reference/Verify.h"

namespace fuse::driver {

struct Verification {
  /// One for each output.
  std::vector<mlir::fuse::reference::Report> reports;
  mlir::fuse::reference::Findings findings;
};

/// Evaluates the program in `text` with the oracle on `inputs`, and compares
/// its results with `outputs`.
llvm::Expected<Verification>
verify(llvm::StringRef text, llvm::StringRef fileName, llvm::StringRef entry,
       llvm::ArrayRef<Array> inputs, llvm::ArrayRef<Array> outputs);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_VERIFICATION_H
