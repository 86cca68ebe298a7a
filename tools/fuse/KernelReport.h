//===- KernelReport.h - What the PTX of a kernel shows ----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_KERNELREPORT_H
#define FUSE_TOOLS_FUSE_KERNELREPORT_H

#include "fuse/Codegen/PTXInspect.h"
#include "fuse/Compiler/Compilation.h"
#include <map>

namespace fuse::driver {

/// A kernel with what was read from its PTX and from the assembler's log.
struct KernelReport {
  const jit::KernelInfo *info = nullptr;
  /// None for the CPU.
  std::optional<mlir::fuse::PTXKernel> ptx;
  /// None without an assembler.
  std::optional<mlir::fuse::KernelResources> resources;
};

/// The kernels of a program, which must outlive the reports.
llvm::Expected<std::vector<KernelReport>> makeReports(const jit::Code &code);

/// Counts by type, such as {"v4.b32": 2}.
std::map<std::string, unsigned>
countAccesses(const mlir::fuse::PTXKernel &kernel,
              mlir::fuse::PTXAccess::Kind kind);

/// Fails if an access of a streamed operand is narrower than `bits`: with the
/// operand, the instruction, the line of `fileName` that it stems from, and
/// what the remarks advise.
llvm::Error expectBits(llvm::ArrayRef<KernelReport> kernels,
                       llvm::ArrayRef<jit::Remark> remarks, unsigned bits,
                       llvm::StringRef fileName);

/// Fails if a kernel that contracts has no instruction of tensor cores, or if
/// none contracts: with its place in `fileName`, and why as the remarks say.
llvm::Error expectMma(llvm::ArrayRef<KernelReport> kernels,
                      llvm::ArrayRef<jit::Remark> remarks,
                      llvm::StringRef fileName);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_KERNELREPORT_H
