//===- Introspect.cpp - What a program takes, gives and launches ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "TensorTable.h"
#include "Tensors.h"
#include <cstring>

using namespace llvm;
using namespace fuse;
using namespace fuse::capi;

FuseTensorInfo TensorTable::describe(const runtime::TensorSpec &tensor,
                                     ArrayRef<std::string> symbols) {
  dims.push_back(std::make_unique<Dims>());
  Dims &own = *dims.back();
  for (const runtime::SizeExpr &size : tensor.shape) {
    bool isStatic = size.isConstant();
    own.sizes.push_back(isStatic ? size.constantValue() : -1);
    own.texts.push_back(isStatic ? "" : size.str(symbols));
  }
  for (auto [size, text] : zip_equal(own.sizes, own.texts))
    own.names.push_back(size < 0 ? text.c_str() : nullptr);
  FuseTensorInfo info{};
  info.size = sizeof(info);
  info.name = tensor.name.c_str();
  info.dtype = toDLDataType(tensor.dtype);
  info.ndim = own.sizes.size();
  info.shape = own.sizes.data();
  info.dims = own.names.data();
  info.is_scalar = tensor.isScalar;
  info.in_place = -1;
  return info;
}

TensorTable::TensorTable(const jit::CompiledProgram &program) {
  const runtime::ProgramSpec &spec = program.spec();
  for (const runtime::TensorSpec &input : spec.inputs)
    inputInfos.push_back(describe(input, spec.symbols));
  for (auto [output, inPlace] : zip_equal(spec.outputs, program.inPlace())) {
    FuseTensorInfo info = describe(output, spec.symbols);
    std::vector<int32_t> &mayAlias = dims.back()->mayAlias;
    mayAlias.assign(output.mayAlias.begin(), output.mayAlias.end());
    info.in_place = inPlace ? int32_t(*inPlace) : -1;
    info.may_alias = mayAlias.data();
    info.num_may_alias = mayAlias.size();
    outputInfos.push_back(info);
  }
}

/// Copies as many fields as the caller's header has.
template <typename Info>
static FuseStatus *give(const Info &from, Info *to, StringRef function) {
  size_t size = to->size;
  if (size < offsetof(Info, name) + sizeof(from.name))
    return fail("expected the field 'size' of what " + function +
                "() fills to be the size of the struct, but got " +
                Twine(size) + "; set it before the call");
  std::memcpy(static_cast<void *>(to), &from, std::min(size, sizeof(Info)));
  to->size = size;
  return nullptr;
}

static const TensorTable &tableOf(FuseProgram &program) {
  std::lock_guard<std::mutex> lock(program.mutex);
  if (!program.tensors)
    program.tensors = std::make_unique<TensorTable>(*program.compiled);
  return *program.tensors;
}

/// An error if there is no such thing.
static FuseStatus *checkIndex(int32_t index, size_t count, StringRef what,
                              const FuseProgram &program) {
  if (index >= 0 && size_t(index) < count)
    return nullptr;
  return fail("expected the number of one of the " + Twine(count) + " " + what +
              " of '" + program.compiled->spec().name + "', but got " +
              Twine(index) + "; count from 0");
}

int32_t fuseProgramNumInputs(const FuseProgram *program) {
  return program ? program->compiled->spec().inputs.size() : 0;
}

int32_t fuseProgramNumOutputs(const FuseProgram *program) {
  return program ? program->compiled->spec().outputs.size() : 0;
}

FuseStatus *fuseProgramInput(FuseProgram *program, int32_t index,
                             FuseTensorInfo *info) {
  if (FuseStatus *status = require({program, info}, "fuseProgramInput"))
    return status;
  ArrayRef<FuseTensorInfo> inputs = tableOf(*program).inputs();
  if (FuseStatus *status = checkIndex(index, inputs.size(), "inputs", *program))
    return status;
  return give(inputs[index], info, "fuseProgramInput");
}

FuseStatus *fuseProgramOutput(FuseProgram *program, int32_t index,
                              FuseTensorInfo *info) {
  if (FuseStatus *status = require({program, info}, "fuseProgramOutput"))
    return status;
  ArrayRef<FuseTensorInfo> outputs = tableOf(*program).outputs();
  if (FuseStatus *status =
          checkIndex(index, outputs.size(), "outputs", *program))
    return status;
  return give(outputs[index], info, "fuseProgramOutput");
}

/// The usual code, which a program has from the start.
static const jit::Code &codeOf(const FuseProgram &program) {
  return cantFail(program.compiled->code());
}

int32_t fuseProgramNumKernels(const FuseProgram *program) {
  return program ? codeOf(*program).kernels.size() : 0;
}

/// The launch of a kernel, of which there are as many as kernels.
static const runtime::KernelSpec &launchOf(const jit::Code &code,
                                           size_t index) {
  for (const runtime::StepSpec &step : code.plan.spec.steps)
    if (const auto *kernel = std::get_if<runtime::KernelSpec>(&step))
      if (index-- == 0)
        return *kernel;
  llvm_unreachable("each kernel is launched");
}

FuseStatus *fuseProgramKernel(FuseProgram *program, int32_t index,
                              FuseKernelInfo *info) {
  if (FuseStatus *status = require({program, info}, "fuseProgramKernel"))
    return status;
  const jit::Code &code = codeOf(*program);
  if (FuseStatus *status =
          checkIndex(index, code.kernels.size(), "kernels", *program))
    return status;
  const jit::KernelInfo &kernel = code.kernels[index];
  const runtime::KernelSpec &launch = launchOf(code, index);
  FuseKernelInfo found{};
  found.name = kernel.name.c_str();
  found.ops = launch.ops.c_str();
  found.schedule = kernel.schedule.c_str();
  found.threads = launch.threads;
  found.cluster = launch.cluster;
  found.registers = found.spill_bytes = found.shared_bytes = -1;
  for (const mlir::fuse::KernelResources &resources : code.assembled.kernels) {
    if (resources.name != kernel.symbol)
      continue;
    found.registers = resources.registers;
    found.spill_bytes = resources.spillStoreBytes + resources.spillLoadBytes;
    found.shared_bytes = resources.sharedBytes + launch.sharedBytes;
  }
  return give(found, info, "fuseProgramKernel");
}
