//===- CodeName.h - What a kernel is called in its code ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CONVERSION_CODENAME_H
#define FUSE_LIB_CONVERSION_CODENAME_H

#include "llvm/ADT/StringExtras.h"
#include <string>

namespace mlir::fuse {

/// The name as PTX takes it: letters, digits and underscores, the first a
/// letter or followed by others ("Identifiers" in NVIDIA's PTX ISA). A
/// program's functions may have any.
inline std::string codeName(llvm::StringRef name) {
  std::string text = name.str();
  for (char &each : text)
    if (!llvm::isAlnum(each) && each != '_')
      each = '_';
  bool isValid = text.size() > 1 ? !llvm::isDigit(text[0])
                                 : text.size() == 1 && llvm::isAlpha(text[0]);
  return isValid ? text : "kernel_" + text;
}

} // namespace mlir::fuse

#endif // FUSE_LIB_CONVERSION_CODENAME_H
