//===- TensorTable.h - A program's tensors as C takes them ------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CAPI_TENSORTABLE_H
#define FUSE_LIB_CAPI_TENSORTABLE_H

#include "fuse-c/Fuse.h"
#include "fuse/Execution/JIT.h"
#include <vector>

namespace fuse::capi {

/// What FuseTensorInfo points to, for all inputs and outputs of a program. The
/// program must live as long.
class TensorTable {
public:
  explicit TensorTable(const jit::CompiledProgram &program);

  llvm::ArrayRef<FuseTensorInfo> inputs() const { return inputInfos; }
  llvm::ArrayRef<FuseTensorInfo> outputs() const { return outputInfos; }

private:
  /// The dims of one tensor.
  struct Dims {
    std::vector<int64_t> sizes;
    std::vector<std::string> texts;
    std::vector<const char *> names;
    std::vector<int32_t> mayAlias;
  };

  FuseTensorInfo describe(const runtime::TensorSpec &tensor,
                          llvm::ArrayRef<std::string> symbols);

  std::vector<std::unique_ptr<Dims>> dims;
  std::vector<FuseTensorInfo> inputInfos, outputInfos;
};

} // namespace fuse::capi

#endif // FUSE_LIB_CAPI_TENSORTABLE_H
