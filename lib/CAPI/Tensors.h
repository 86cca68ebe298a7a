//===- Tensors.h - From DLTensor to the runtime's views ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_CAPI_TENSORS_H
#define FUSE_LIB_CAPI_TENSORS_H

#include "fuse-c/DLPack.h"
#include "fuse/Runtime/Tensor.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace fuse::capi {

using Views = llvm::SmallVector<runtime::TensorView, 4>;

/// The views of `count` tensors. Errors call tensor i `label(i)`. Whether the
/// program takes so many is left to the runtime's check.
llvm::Expected<Views> toViews(const DLTensor *const *tensors, int32_t count,
                              llvm::function_ref<std::string(int32_t)> label);

DLDataType toDLDataType(runtime::DType dtype);

DLDevice toDLDevice(const runtime::Device &device);

} // namespace fuse::capi

#endif // FUSE_LIB_CAPI_TENSORS_H
