//===- PlanTables.h - A plan as tables in C ---------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_BUNDLE_PLANTABLES_H
#define FUSE_LIB_BUNDLE_PLANTABLES_H

#include "fuse/Runtime/Facts.h"
#include "fuse/Runtime/ProgramSpec.h"
#include "llvm/Support/raw_ostream.h"

namespace fuse::bundle {

/// Code for one chip and some facts.
struct VariantCode {
  std::string chip;
  runtime::Facts facts;
  runtime::ProgramSpec spec;
  /// Of the code, in the bundle's folder; empty for the CPU.
  std::string file;
};

/// Writes C text that defines `NAME_bundle`, a FuseBundle.
void writeTables(llvm::raw_ostream &os, llvm::StringRef name,
                 llvm::ArrayRef<VariantCode> variants);

/// "x: f32[rows, 4096]", for comments.
std::string describeTensor(const runtime::TensorSpec &tensor,
                           llvm::ArrayRef<std::string> symbols);

} // namespace fuse::bundle

#endif // FUSE_LIB_BUNDLE_PLANTABLES_H
