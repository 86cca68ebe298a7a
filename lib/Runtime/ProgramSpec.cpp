//===- ProgramSpec.cpp - Verifying a plan ---------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/ProgramSpec.h"
#include "FormatError.h"
#include "fuse/Runtime/TensorMap.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace fuse::runtime;

namespace {
/// Checks one plan; stops at the first error.
class Verifier {
public:
  explicit Verifier(const ProgramSpec &spec)
      : spec(spec), bound(spec.symbols.size()) {}

  Error run();

private:
  Error checkInput(const TensorSpec &input);
  Error checkOutput(const OutputSpec &output) const;
  Error checkTemp(const TempSpec &temp) const;
  Error checkStep(const StepSpec &step, unsigned index) const;
  Error checkKernel(const KernelSpec &kernel, unsigned index) const;
  Error checkArg(const KernelArg &arg, StringRef kernel, unsigned step) const;
  Error checkMap(const TensorMapSpec &map, StringRef kernel) const;
  Error checkAlignment(const TensorSpec &tensor) const;
  Error checkExpr(const SizeExpr &expr, StringRef owner) const;
  Error checkRef(BufferRef ref, unsigned step) const;
  Error checkStride(const StrideSpec &stride) const;

  const ProgramSpec &spec;
  /// The symbols that some input's dim binds.
  BitVector bound;
};
} // namespace

Error Verifier::checkExpr(const SizeExpr &expr, StringRef owner) const {
  if (expr.numSymbols() <= spec.numSymbols())
    return Error::success();
  return formatError("expected '{0}' to use symbols below {1}, but got symbol "
                     "{2}; name it in the plan's symbols",
                     owner, spec.numSymbols(), expr.numSymbols() - 1);
}

Error Verifier::checkStride(const StrideSpec &stride) const {
  size_t count = stride.isOutput ? spec.outputs.size() : spec.inputs.size();
  auto rank = [&]() -> size_t {
    return stride.isOutput ? spec.outputs[stride.tensor].shape.size()
                           : spec.inputs[stride.tensor].shape.size();
  };
  if (stride.tensor < count && stride.dim < rank())
    return Error::success();
  return formatError("expected a stride of one of {0} {1}s' dims, but got "
                     "{1} {2}, dim {3}; drop it from the plan",
                     count, stride.isOutput ? "output" : "input", stride.tensor,
                     stride.dim);
}

Error Verifier::checkAlignment(const TensorSpec &tensor) const {
  if (tensor.requiredAlignment > 0 && isPowerOf2_64(tensor.requiredAlignment))
    return Error::success();
  return formatError("expected the alignment of '{0}' to be a power of two, "
                     "but got {1}; use 1 where there is no requirement",
                     tensor.name, tensor.requiredAlignment);
}

Error Verifier::checkInput(const TensorSpec &input) {
  for (const SizeExpr &dim : input.shape) {
    if (Error error = checkExpr(dim, input.name))
      return error;
    if (dim.isSymbol() && dim.symbolIndex() < bound.size())
      bound.set(dim.symbolIndex());
  }
  return checkAlignment(input);
}

Error Verifier::checkOutput(const OutputSpec &output) const {
  for (const SizeExpr &dim : output.shape)
    if (Error error = checkExpr(dim, output.name))
      return error;
  for (unsigned input : output.mayAlias)
    if (input >= spec.inputs.size())
      return formatError("expected '{0}' to alias an input below {1}, but got "
                         "{2}; drop it from mayAlias",
                         output.name, spec.inputs.size(), input);
  return checkAlignment(output);
}

Error Verifier::checkTemp(const TempSpec &temp) const {
  if (temp.firstStep > temp.lastStep || temp.lastStep >= spec.steps.size())
    return formatError("expected temp '{0}' to live within steps 0 to {1}, but "
                       "got {2} to {3}; name the steps that use it",
                       temp.name, int64_t(spec.steps.size()) - 1,
                       temp.firstStep, temp.lastStep);
  return checkExpr(temp.numElements, temp.name);
}

Error Verifier::checkRef(BufferRef ref, unsigned step) const {
  const size_t counts[] = {spec.inputs.size(), spec.outputs.size(),
                           spec.temps.size(),  spec.constants.size(),
                           spec.numCounters,   spec.inputs.size()};
  const char *const kinds[] = {"input",    "output",  "temp",
                               "constant", "counter", "scalar"};
  unsigned kind = static_cast<unsigned>(ref.kind);
  if (ref.index >= counts[kind])
    return formatError("expected step {0} to use {1} number below {2}, but got "
                       "{3}; add it to the plan",
                       step, kinds[kind], counts[kind], ref.index);
  if (ref.kind == BufferRef::Kind::Scalar && !spec.inputs[ref.index].isScalar)
    return formatError("expected step {0} to get a scalar by value, but got "
                       "'{1}', which is none; pass its address",
                       step, spec.inputs[ref.index].name);
  if (ref.kind != BufferRef::Kind::Temp)
    return Error::success();
  const TempSpec &temp = spec.temps[ref.index];
  if (temp.firstStep <= step && step <= temp.lastStep)
    return Error::success();
  return formatError("expected temp '{0}' to be used in steps {1} to {2}, but "
                     "got step {3}; extend its life",
                     temp.name, temp.firstStep, temp.lastStep, step);
}

Error Verifier::checkMap(const TensorMapSpec &map, StringRef kernel) const {
  size_t rank = map.sizes.size();
  if (rank == 0 || rank > TensorMapShape::maxRank || map.box.size() != rank ||
      map.strides.size() + 1 != rank)
    return formatError("expected the tensor maps of kernel '{0}' to have 1 to "
                       "{1} sizes, as many of a box and one stride less, but "
                       "got {2}, {3} and {4}; correct the plan",
                       kernel, TensorMapShape::maxRank, rank, map.box.size(),
                       map.strides.size());
  for (ArrayRef<SizeExpr> exprs : {ArrayRef(map.sizes), ArrayRef(map.strides)})
    for (const SizeExpr &expr : exprs)
      if (Error error = checkExpr(expr, kernel))
        return error;
  return Error::success();
}

Error Verifier::checkArg(const KernelArg &arg, StringRef kernel,
                         unsigned step) const {
  if (const auto *ref = std::get_if<BufferRef>(&arg))
    return checkRef(*ref, step);
  if (const auto *expr = std::get_if<SizeExpr>(&arg))
    return checkExpr(*expr, kernel);
  const auto &map = std::get<TensorMapSpec>(arg);
  if (Error error = checkRef(map.buffer, step))
    return error;
  return checkMap(map, kernel);
}

Error Verifier::checkKernel(const KernelSpec &kernel, unsigned index) const {
  if (kernel.threads == 0 || kernel.cluster == 0)
    return formatError("expected kernel '{0}' to have at least 1 thread a "
                       "block and 1 block a cluster, but got {1} and {2}; set "
                       "both",
                       kernel.name, kernel.threads, kernel.cluster);
  for (const SizeExpr *expr :
       {&kernel.grid, &kernel.bytesRead, &kernel.bytesWritten})
    if (Error error = checkExpr(*expr, kernel.name))
      return error;
  for (const KernelArg &arg : kernel.args)
    if (Error error = checkArg(arg, kernel.name, index))
      return error;
  return Error::success();
}

Error Verifier::checkStep(const StepSpec &step, unsigned index) const {
  if (const auto *kernel = std::get_if<KernelSpec>(&step))
    return checkKernel(*kernel, index);
  const auto &copy = std::get<CopySpec>(step);
  if (Error error = checkRef(copy.from, index))
    return error;
  if (Error error = checkRef(copy.to, index))
    return error;
  if (copy.to.kind == BufferRef::Kind::Input ||
      copy.to.kind == BufferRef::Kind::Constant)
    return formatError("expected step {0} to copy to an output or a temp, but "
                       "got an input or a constant; swap from and to",
                       index);
  for (BufferRef buffer : {copy.from, copy.to})
    if (buffer.kind == BufferRef::Kind::Output &&
        spec.outputs[buffer.index].layout != Layout::Dense)
      return formatError("expected step {0} to copy bytes of dense buffers, "
                         "but got '{1}' with strides; let a kernel write it",
                         index, spec.outputs[buffer.index].name);
  return checkExpr(copy.bytes, "copy");
}

Error Verifier::run() {
  for (const TensorSpec &input : spec.inputs)
    if (Error error = checkInput(input))
      return error;
  if (!bound.all())
    return formatError("expected a dim of an input to be the symbol '{0}', but "
                       "got none; bind it or drop it",
                       spec.symbols[bound.find_first_unset()]);
  for (const OutputSpec &output : spec.outputs)
    if (Error error = checkOutput(output))
      return error;
  for (const StrideSpec &stride : spec.strides)
    if (Error error = checkStride(stride))
      return error;
  for (unsigned length : spec.lengths)
    if (length >= spec.symbols.size())
      return formatError("expected a length of one of {0} symbols, but got "
                         "symbol {1}; drop it from the plan",
                         spec.symbols.size(), length);
  for (const SizeRanges &ranges : spec.ranges)
    if (ranges.symbols.empty() || !is_sorted(ranges.bounds) ||
        any_of(ranges.symbols,
               [&](unsigned symbol) { return symbol >= spec.symbols.size(); }))
      return formatError("expected ranges of some of {0} symbols, with "
                         "ascending bounds, but got others; drop them from "
                         "the plan",
                         spec.symbols.size());
  for (const CheckSpec &check : spec.checks)
    for (const SizeExpr *expr : {&check.lhs, &check.rhs})
      if (Error error = checkExpr(*expr, check.message))
        return error;
  for (const TempSpec &temp : spec.temps)
    if (Error error = checkTemp(temp))
      return error;
  for (const auto &[index, step] : enumerate(spec.steps))
    if (Error error = checkStep(step, index))
      return error;
  return Error::success();
}

Error ProgramSpec::verify() const { return Verifier(*this).run(); }
