//===- ScratchTensors.h - Tensors to measure on -----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_EXECUTION_SCRATCHTENSORS_H
#define FUSE_LIB_EXECUTION_SCRATCHTENSORS_H

#include "fuse/Execution/JIT.h"

namespace fuse::jit {

/// A program's inputs and outputs on its GPU. Floats are from [-1, 1), whole
/// numbers from [0, 64), which are indices into most tables. Numbers repeat:
/// how long a kernel takes does not depend on them, as long as they are not all
/// zero, which saves power.
class ScratchTensors {
public:
  static llvm::Expected<ScratchTensors>
  create(const CompiledProgram &program,
         llvm::ArrayRef<runtime::Shape> inputShapes);

  llvm::ArrayRef<runtime::TensorView> inputs() const { return inputViews; }
  llvm::ArrayRef<runtime::TensorView> outputs() const { return outputViews; }

private:
  llvm::Expected<runtime::TensorView> place(runtime::DType dtype,
                                            const runtime::Shape &shape,
                                            runtime::Device device);
  /// On the host, from where it is passed by value.
  llvm::Expected<runtime::TensorView> placeScalar(runtime::DType dtype);

  std::vector<std::unique_ptr<runtime::Buffer>> buffers;
  llvm::SmallVector<runtime::TensorView> inputViews, outputViews;
};

} // namespace fuse::jit

#endif // FUSE_LIB_EXECUTION_SCRATCHTENSORS_H
