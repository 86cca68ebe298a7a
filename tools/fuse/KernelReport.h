//===- KernelReport.h - What the PTX of a kernel shows ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_KERNELREPORT_H
#define FUSE_TOOLS_FUSE_KERNELREPORT_H

#include "fuse/Codegen/PTXInspect.h"
#include "fuse/JIT/Compilation.h"
#include "llvm/Support/JSON.h"

namespace fuse::driver {

/// A kernel with what was read from its PTX and from the assembler's log.
struct KernelReport {
  const jit::KernelInfo *info = nullptr;
  /// None for the CPU.
  std::optional<mlir::fuse::PTXKernel> ptx;
  /// None without an assembler.
  std::optional<mlir::fuse::KernelResources> resources;
};

/// The kernels of a program.
struct ProgramReport {
  /// PTX ISA version; empty for the CPU.
  std::string ptxVersion;
  std::vector<KernelReport> kernels;
};

/// `code` must outlive the report.
llvm::Expected<ProgramReport> makeReport(const jit::Code &code);

/// Counts by type, such as {"v4.b32": 2}.
std::map<std::string, unsigned>
countAccesses(const mlir::fuse::PTXKernel &kernel,
              mlir::fuse::PTXAccess::Kind kind);

/// {"kernels": [{"name": .., "ops": [..], "schedule": .., "bytes_read": ..,
///   "bytes_written": .., "ptx": {"version": .., "loads": {..}, "stores": {..},
///   "min_access_bits": ..}, "ptxas": {"registers": .., "spill_bytes": ..,
///   "shared_bytes": ..}}]}. A byte count that depends on a dynamic dim is a
/// text over the names in `symbols`; what there is not, is null.
llvm::json::Value toJSON(const ProgramReport &report,
                         llvm::ArrayRef<std::string> symbols);

/// Fails if an access of a streamed operand is narrower than `bits`: with the
/// operand, the instruction, and the line of `fileName` that it stems from.
llvm::Error expectBits(const ProgramReport &report, unsigned bits,
                       llvm::StringRef fileName);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_KERNELREPORT_H
