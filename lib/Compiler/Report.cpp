//===- Report.cpp - What a program became, as JSON ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/Report.h"
#include "fuse/Codegen/PTXInspect.h"

using namespace llvm;
using namespace fuse::runtime;
using mlir::fuse::BlockWork;
using mlir::fuse::KernelResources;
using mlir::fuse::PTXAccess;
using mlir::fuse::PTXKernel;
using mlir::fuse::PTXModule;

namespace fuse::jit {

static json::Value toJSON(const SizeExpr &size, const ProgramSpec &spec) {
  if (size.isConstant())
    return size.constantValue();
  return size.str(spec.symbols);
}

static json::Object toJSON(const Remark &remark) {
  json::Object facts;
  for (const auto &[key, value] : remark.facts)
    facts[key] = value;
  json::Object object{{"kind", name(remark.kind)},
                      {"category", remark.category},
                      {"message", remark.message},
                      {"facts", std::move(facts)}};
  if (remark.line > 0) {
    object["file"] = remark.file;
    object["line"] = remark.line;
    object["column"] = remark.column;
  }
  if (!remark.reason.empty())
    object["reason"] = remark.reason;
  if (!remark.suggestion.empty())
    object["suggestion"] = remark.suggestion;
  return object;
}

json::Array reportRemarks(ArrayRef<Remark> remarks) {
  json::Array array;
  for (const Remark &remark : remarks)
    array.push_back(toJSON(remark));
  return array;
}

static json::Object countAccesses(const PTXKernel &kernel,
                                  PTXAccess::Kind kind) {
  json::Object counts;
  for (const PTXAccess &access : kernel.accesses)
    if (access.kind == kind) {
      json::Value &count = counts.try_emplace(access.type, 0).first->second;
      count = *count.getAsInteger() + 1;
    }
  return counts;
}

static json::Object toJSON(const PTXKernel &kernel, const PTXModule &module) {
  json::Object object{{"version", module.version},
                      {"target", module.target},
                      {"loads", countAccesses(kernel, PTXAccess::Kind::Load)},
                      {"stores", countAccesses(kernel, PTXAccess::Kind::Store)},
                      {"shared_bytes", kernel.sharedBytes}};
  std::optional<unsigned> narrowest;
  for (const PTXAccess &access : kernel.accesses)
    narrowest = std::min(narrowest.value_or(access.bits), access.bits);
  if (narrowest)
    object["min_access_bits"] = *narrowest;
  json::Object matrices;
  for (const auto &[instruction, count] : kernel.matrixInstructions())
    matrices[instruction] = count;
  if (!matrices.empty())
    object["tensor_cores"] = std::move(matrices);
  if (unsigned loads = kernel.tensorLoads())
    object["tensor_loads"] = loads;
  if (unsigned stores = kernel.tensorStores())
    object["tensor_stores"] = stores;
  return object;
}

static json::Object toJSON(const KernelResources &resources,
                           StringRef assembler) {
  return json::Object{
      {"assembler", assembler},
      {"registers", resources.registers},
      {"spill_bytes", resources.spillStoreBytes + resources.spillLoadBytes},
      {"stack_bytes", resources.stackBytes},
      {"shared_bytes", resources.sharedBytes}};
}

static json::Object toJSON(const BlockWork &work) {
  return json::Object{{"blocks", work.blocks},
                      {"threads", work.threads},
                      {"registers", work.registers},
                      {"shared_bytes", work.sharedBytes},
                      {"memory_bytes", work.memoryBytes},
                      {"cached_bytes", work.cachedBytes},
                      {"instructions", work.instructions},
                      {"special_functions", work.specials},
                      {"memory_waits", work.memoryWaits},
                      {"cached_waits", work.cachedWaits},
                      {"reductions", work.reductions}};
}

static json::Object toJSON(const ScheduleCandidate &candidate) {
  json::Object object{{"schedule", candidate.schedule}};
  if (!candidate.estimate)
    return object;
  object["us"] = candidate.estimate->seconds * 1e6;
  object["limit"] = name(candidate.estimate->limit);
  object["blocks_per_multiprocessor"] = candidate.estimate->residentBlocks;
  object["block"] = toJSON(*candidate.work);
  return object;
}

json::Array reportCandidates(ArrayRef<KernelCandidates> kernels) {
  json::Array array;
  for (const KernelCandidates &kernel : kernels) {
    json::Array candidates;
    for (const ScheduleCandidate &candidate : kernel.schedules)
      candidates.push_back(toJSON(candidate));
    array.push_back(json::Object{{"name", kernel.kernel},
                                 {"candidates", std::move(candidates)}});
  }
  return array;
}

static json::Object toJSON(const KernelInfo &kernel, const ProgramSpec &spec) {
  json::Array operands;
  for (const KernelOperand &operand : kernel.operands)
    operands.push_back(
        json::Object{{"name", operand.name},
                     {"dtype", name(operand.dtype)},
                     {"elements", toJSON(operand.elements, spec)},
                     {"result", operand.isResult},
                     {"streamed", operand.isStreamed},
                     {"gathered", operand.isGathered}});
  json::Object object{{"name", kernel.name},
                      {"symbol", kernel.symbol},
                      {"ops", json::Array(kernel.ops)},
                      {"schedule", kernel.schedule},
                      {"bytes_read", toJSON(kernel.bytesRead, spec)},
                      {"bytes_written", toJSON(kernel.bytesWritten, spec)},
                      {"bytes_at_most", kernel.bytesAtMost},
                      {"operands", std::move(operands)}};
  return object;
}

/// The entry called `name`; null if there is none.
template <typename T>
static const T *find(const std::vector<T> &all, StringRef name) {
  auto found = find_if(all, [&](const T &each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

Expected<json::Array> reportKernels(const Code &code) {
  PTXModule ptx;
  if (!code.ptx.empty()) {
    Expected<PTXModule> parsed = mlir::fuse::parsePTX(code.ptx);
    if (!parsed)
      return parsed.takeError();
    ptx = std::move(*parsed);
  }
  json::Array kernels;
  for (const KernelInfo &info : code.kernels) {
    json::Object kernel = toJSON(info, code.plan.spec);
    if (const auto *text = find(ptx.kernels, info.symbol))
      kernel["ptx"] = toJSON(*text, ptx);
    if (const auto *resources = find(code.assembled.kernels, info.symbol))
      kernel["ptxas"] = toJSON(*resources, code.assembled.assemblerName);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

static json::Object toJSON(const TensorSpec &tensor, const ProgramSpec &spec) {
  json::Array shape;
  for (const SizeExpr &dim : tensor.shape)
    shape.push_back(toJSON(dim, spec));
  return json::Object{{"name", tensor.name},
                      {"dtype", name(tensor.dtype)},
                      {"shape", std::move(shape)},
                      {"alignment", tensor.requiredAlignment},
                      {"scalar", tensor.isScalar}};
}

static json::Array outputsToJSON(const Plan &plan) {
  const ProgramSpec &spec = plan.spec;
  json::Array outputs;
  for (auto [output, inPlace] : zip_equal(spec.outputs, plan.inPlace)) {
    json::Object object = toJSON(output, spec);
    json::Array mayAlias;
    for (unsigned input : output.mayAlias)
      mayAlias.push_back(spec.inputs[input].name);
    object["may_alias"] = std::move(mayAlias);
    if (inPlace)
      object["in_place"] = spec.inputs[*inPlace].name;
    outputs.push_back(std::move(object));
  }
  return outputs;
}

Expected<json::Object> reportProgram(const Code &code) {
  Expected<json::Array> kernels = reportKernels(code);
  if (!kernels)
    return kernels.takeError();
  const ProgramSpec &spec = code.plan.spec;
  json::Array inputs;
  for (const TensorSpec &input : spec.inputs)
    inputs.push_back(toJSON(input, spec));
  return json::Object{{"name", spec.name},
                      {"symbols", json::Array(spec.symbols)},
                      {"inputs", std::move(inputs)},
                      {"outputs", outputsToJSON(code.plan)},
                      {"kernels", std::move(*kernels)},
                      {"remarks", reportRemarks(code.remarks)}};
}

} // namespace fuse::jit
