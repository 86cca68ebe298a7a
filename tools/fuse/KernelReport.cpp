//===- KernelReport.cpp - What the PTX of a kernel shows ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelReport.h"
#include "fuse/Compiler/Report.h"
#include "fuse/Explain/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using mlir::fuse::KernelResources;
using mlir::fuse::PTXAccess;
using mlir::fuse::PTXKernel;

namespace fuse::driver {

template <typename T>
static std::optional<T> findByName(ArrayRef<T> list, StringRef name) {
  const auto *it =
      find_if(list, [&](const T &item) { return item.name == name; });
  return it == list.end() ? std::nullopt : std::optional<T>(*it);
}

Expected<std::vector<KernelReport>> makeReports(const jit::Code &code) {
  mlir::fuse::PTXModule module;
  if (!code.ptx.empty()) {
    Expected<mlir::fuse::PTXModule> parsed = mlir::fuse::parsePTX(code.ptx);
    if (!parsed)
      return parsed.takeError();
    module = std::move(*parsed);
  }
  std::vector<KernelReport> reports;
  for (const jit::KernelInfo &info : code.kernels)
    reports.push_back(
        {&info, findByName<PTXKernel>(module.kernels, info.symbol),
         findByName<KernelResources>(code.assembled.kernels, info.symbol)});
  return std::move(reports);
}

std::map<std::string, unsigned> countAccesses(const PTXKernel &kernel,
                                              PTXAccess::Kind kind) {
  std::map<std::string, unsigned> counts;
  for (const PTXAccess &access : kernel.accesses)
    if (access.kind == kind)
      ++counts[access.type];
  return counts;
}

/// The first remark of a category on a kernel whose other facts are these; null
/// if there is none.
static const jit::Remark *
remarkOn(StringRef kernel, StringRef category, ArrayRef<jit::Remark> remarks,
         ArrayRef<std::pair<std::string, std::string>> facts = {}) {
  const auto *found = find_if(remarks, [&](const jit::Remark &remark) {
    auto has = [&](const std::pair<std::string, std::string> &fact) {
      return is_contained(remark.facts, fact);
    };
    return remark.category == category && has({"Kernel", kernel.str()}) &&
           all_of(facts, has);
  });
  return found == remarks.end() ? nullptr : found;
}

static Error narrowAccess(const KernelReport &kernel, const PTXAccess &access,
                          ArrayRef<jit::Remark> remarks, unsigned bits,
                          StringRef fileName) {
  const auto *operand = jit::accessedOperand(*kernel.info, access);
  std::string place = access.file.empty() ? fileName.str() : access.file;
  if (access.line > 0)
    place += formatv(":{0}:{1}", access.line, access.column);
  const jit::Remark *remark =
      remarkOn(kernel.info->name, mlir::fuse::kAccessCategory, remarks,
               {{"Operand", operand ? operand->name : ""},
                {"Bits", std::to_string(access.bits)}});
  return createStringError(
      inconvertibleErrorCode(),
      formatv("{0}: expected {1}-bit accesses of streamed operands, but kernel "
              "'{2}' {3} {4} with {5} bits ({6}, line {7} of its PTX); {8}",
              place, bits, kernel.info->name,
              access.kind == PTXAccess::Kind::Load ? "loads" : "stores",
              operand ? operand->inWords() : "an operand", access.bits,
              access.type, access.ptxLine,
              remark ? StringRef(remark->suggestion) : "see --emit=schedule"));
}

static Error noPTX(StringRef option) {
  return createStringError(
      inconvertibleErrorCode(),
      formatv("expected PTX to look at, but the target is the CPU; use "
              "--target cuda with {0}",
              option));
}

Error expectBits(ArrayRef<KernelReport> kernels, ArrayRef<jit::Remark> remarks,
                 unsigned bits, StringRef fileName) {
  for (const KernelReport &kernel : kernels) {
    if (!kernel.ptx)
      return noPTX("--expect-bits");
    for (const PTXAccess &access : kernel.ptx->accesses)
      if (access.bits < bits && jit::mayBeStreamed(*kernel.info, access))
        return narrowAccess(kernel, access, remarks, bits, fileName);
  }
  return Error::success();
}

static Error noTensorCores(StringRef kernel, ArrayRef<jit::Remark> remarks,
                           StringRef fileName) {
  std::string place = fileName.str(), why;
  if (const jit::Remark *remark =
          remarkOn(kernel, mlir::fuse::kKernelCategory, remarks)) {
    if (remark->line > 0)
      place += formatv(":{0}:{1}", remark->line, remark->column);
    why = formatv(" ({0})", remark->reason);
  }
  return createStringError(
      inconvertibleErrorCode(),
      formatv("{0}: expected tensor-core instructions in every kernel that "
              "contracts, but kernel '{1}' has none{2}; use operands of f16 or "
              "bf16, from sm_89 on also of 8-bit floats, that lie in memory "
              "with rows of multiples of 16 bytes",
              place, kernel, why));
}

Error expectMma(ArrayRef<KernelReport> kernels, ArrayRef<jit::Remark> remarks,
                StringRef fileName) {
  bool anyContracts = false;
  for (const KernelReport &kernel : kernels) {
    if (!is_contained(kernel.info->ops, "contract"))
      continue;
    anyContracts = true;
    if (!kernel.ptx)
      return noPTX("--expect-mma");
    if (kernel.ptx->matrixInstructions().empty())
      return noTensorCores(kernel.info->name, remarks, fileName);
  }
  if (anyContracts)
    return Error::success();
  return createStringError(
      inconvertibleErrorCode(),
      formatv("{0}: expected a kernel that contracts, but got none; use "
              "--expect-mma with programs that have a fuse.matmul, "
              "fuse.contract or fuse.attention",
              fileName));
}

} // namespace fuse::driver
