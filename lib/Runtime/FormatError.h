//===- FormatError.h - An llvm::Error from a format string ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_FORMATERROR_H
#define FUSE_LIB_RUNTIME_FORMATERROR_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"

namespace fuse::runtime {

/// An error whose text is formatv(format, values...).
template <typename... Ts>
llvm::Error formatError(const char *format, Ts &&...values) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 llvm::formatv(format, values...).str());
}

/// The same of an error that is the driver's or the device's, and no argument's
/// (FUSE_ERROR_DEVICE in C).
template <typename... Ts>
llvm::Error formatDeviceError(const char *format, Ts &&...values) {
  return llvm::createStringError(std::make_error_code(std::errc::io_error),
                                 llvm::formatv(format, values...).str());
}

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_FORMATERROR_H
