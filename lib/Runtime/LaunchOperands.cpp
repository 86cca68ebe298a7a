//===- LaunchOperands.cpp - The buffers of one launch ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchOperands.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace fuse::runtime;

/// The bytes from the first element to the end of the last, gaps included. The
/// call's tensors have been checked.
static int64_t spanOf(const TensorView &view) {
  return cantFail(view.span()) * sizeInBytes(view.dtype);
}

static void addSteps(LaunchOperand &operand, const TensorView &view) {
  operand.elementBytes = sizeInBytes(view.dtype);
  if (!view.isContiguous())
    for (auto [size, stride] : zip_equal(view.shape, view.strides))
      operand.steps.push_back({size, stride * operand.elementBytes});
}

Expected<SmallVector<LaunchOperand>> fuse::runtime::describeOperands(
    const ProgramSpec &spec, const KernelSpec &kernel,
    ArrayRef<TensorView> inputs, ArrayRef<TensorView> outputs,
    ArrayRef<int64_t> symbols) {
  SmallVector<LaunchOperand> operands;
  for (const KernelArg &arg : kernel.args) {
    const auto *ref = std::get_if<BufferRef>(&arg);
    if (!ref || ref->kind == BufferRef::Kind::Scalar)
      continue;
    LaunchOperand operand;
    operand.isResult = operands.size() >= kernel.numInputs;
    unsigned result = operands.size() - kernel.numInputs;
    operand.isPartial =
        operand.isResult && is_contained(kernel.partialResults, result);
    operand.isScratch =
        operand.isResult && is_contained(kernel.scratchResults, result);
    switch (ref->kind) {
    case BufferRef::Kind::Input:
      operand.name = spec.inputs[ref->index].name;
      operand.bytes = spanOf(inputs[ref->index]);
      break;
    case BufferRef::Kind::Output:
      operand.name = spec.outputs[ref->index].name;
      operand.bytes = spanOf(outputs[ref->index]);
      addSteps(operand, outputs[ref->index]);
      break;
    case BufferRef::Kind::Temp: {
      const TempSpec &temp = spec.temps[ref->index];
      Expected<int64_t> count = temp.numElements.evaluate(symbols);
      if (!count)
        return count.takeError();
      operand.name = temp.name;
      operand.bytes = *count * sizeInBytes(temp.dtype);
      break;
    }
    case BufferRef::Kind::Constant:
      operand.name = spec.constants[ref->index].name;
      operand.bytes = spec.constants[ref->index].bytes.size();
      break;
    case BufferRef::Kind::Counter:
      operand.name = "the counter of blocks";
      operand.bytes = sizeof(int32_t);
      operand.isResult = false;
      operand.isCounter = true;
      break;
    case BufferRef::Kind::Scalar:
      llvm_unreachable("a scalar has no address");
    }
    operands.push_back(operand);
  }
  return operands;
}
