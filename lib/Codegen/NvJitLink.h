//===- NvJitLink.h - CUDA's linker, loaded when it is there -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CODEGEN_NVJITLINK_H
#define FUSE_LIB_CODEGEN_NVJITLINK_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>
#include <string>

namespace mlir::fuse {

/// The functions of libnvJitLink that Fuse calls. The declarations follow
/// nvJitLink.h of CUDA 12 and 13, which is not needed to build.
class NvJitLink {
public:
  /// The library of this process; null if it is not there.
  static const NvJitLink *load();

  /// Links `ptx` for `chip` to a cubin. Returns false and the error log if it
  /// cannot, true and the verbose log otherwise.
  bool link(llvm::StringRef ptx, llvm::StringRef chip, bool lineInfo,
            llvm::SmallVectorImpl<char> &cubin, std::string &log) const;

  llvm::StringRef getPath() const { return path; }

private:
  using Handle = void *;
  using Result = int;

  bool open(const std::string &candidate);

  std::string path;
  Result (*create)(Handle *, uint32_t, const char **) = nullptr;
  Result (*destroy)(Handle *) = nullptr;
  Result (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  Result (*complete)(Handle) = nullptr;
  Result (*getCubinSize)(Handle, size_t *) = nullptr;
  Result (*getCubin)(Handle, void *) = nullptr;
  Result (*getErrorLogSize)(Handle, size_t *) = nullptr;
  Result (*getErrorLog)(Handle, char *) = nullptr;
  Result (*getInfoLogSize)(Handle, size_t *) = nullptr;
  Result (*getInfoLog)(Handle, char *) = nullptr;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_CODEGEN_NVJITLINK_H
