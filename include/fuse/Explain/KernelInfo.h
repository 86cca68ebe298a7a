//===- KernelInfo.h - What to tell about kernels ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_EXPLAIN_KERNELINFO_H
#define FUSE_EXPLAIN_KERNELINFO_H

#include "fuse/Codegen/PTXInspect.h"
#include "fuse/Runtime/ProgramSpec.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fuse::jit {

/// One pointer argument of a kernel.
struct KernelOperand {
  /// Of the program's input or output, or of the temp or constant.
  std::string name;
  runtime::DType dtype = runtime::DType::F32;
  runtime::SizeExpr elements;
  bool isResult = false;
  /// Each element is used by one place of the kernel's iteration space, so
  /// that all its bytes stream through; a smaller operand is a table that is
  /// read again and again. Operands of a contraction are not streamed.
  bool isStreamed = false;
  /// The kernel only gathers from it, where others of its inputs say.
  bool isGathered = false;
  /// Elements along the last dimension are taken by ids, each for itself; or
  /// moved along it by other steps than 16 bytes.
  bool isTaken = false, isShifted = false;
  /// The size of its last dimension, where that is static.
  std::optional<int64_t> lastDim = std::nullopt;
  /// What it is, where it is no tensor of the program's: "the result of kernel
  /// 'f_0' at line 3".
  std::string origin = "";

  /// How a sentence names it.
  std::string inWords() const {
    return origin.empty() ? "'" + name + "'" : origin;
  }
};

struct KernelInfo {
  std::string name;
  /// Of the code, which equal kernels share.
  std::string symbol;
  std::vector<std::string> ops;
  /// "#fuse.pointwise<threads = 128, ...>".
  std::string schedule;
  /// Elements of a thread's vectors.
  int64_t vector = 1;
  /// In the order of the kernel's arguments.
  std::vector<KernelOperand> operands;
  runtime::SizeExpr bytesRead;
  runtime::SizeExpr bytesWritten;
  /// Whether one of the two is a bound.
  bool bytesAtMost = false;
};

/// Why a producer and a consumer are not one kernel.
struct MissedFusion {
  std::string producer;
  std::string consumer;
  std::string reason;
};

/// Describes the launches of a lowered `entry`, whose plan is `spec`.
std::vector<KernelInfo> describeKernels(mlir::func::FuncOp entry,
                                        const runtime::ProgramSpec &spec);

/// What the fusion pass left in the attribute `fuse.missed` of `entry`.
std::vector<MissedFusion> missedFusions(mlir::func::FuncOp entry);

/// The operand that `access` goes to; null if that is not known.
const KernelOperand *accessedOperand(const KernelInfo &kernel,
                                     const mlir::fuse::PTXAccess &access);

/// Whether `access` may be to a streamed operand. One that cannot be told
/// counts, unless the kernel streams nothing.
bool mayBeStreamed(const KernelInfo &kernel,
                   const mlir::fuse::PTXAccess &access);

} // namespace fuse::jit

#endif // FUSE_EXPLAIN_KERNELINFO_H
