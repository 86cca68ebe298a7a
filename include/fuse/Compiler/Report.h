//===- Report.h - What a program became, as JSON ----------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a softmax of rows of 4096 in f32 on sm_90:
//
//   [{"name": "softmax", "ops": ["reduce_max", ...], "schedule":
//   "#fuse.rows<..>",
//     "bytes_read": "rows * 16384", "bytes_written": "rows * 16384",
//     "operands": [{"name": "x", "dtype": "f32", "elements": "rows * 4096",
//                   "result": false, "streamed": true}, ...],
//     "ptx": {"version": "8.0", "target": "sm_90", "loads": {"v4.b32": 8},
//             "stores": {"v4.b32": 8}, "min_access_bits": 128,
//             "shared_bytes": 64},
//     "ptxas": {"assembler": "ptxas (..)", "registers": 40, "spill_bytes": 0,
//               "stack_bytes": 0, "shared_bytes": 64}}]
//
// Sizes are in bytes: a number where it is known, else an expression over the
// program's symbols. "ptx" and "ptxas" stand only where there is PTX and where
// something has assembled it. A kernel on tensor cores also has in "ptx"
// "tensor_cores": {"wgmma m64n256k16 f32.bf16.bf16": 8}, "tensor_loads": 2 and
// "tensor_stores": 1, the instructions that multiply and that copy by tensor
// maps; how many stages these run ahead is in its schedule.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_REPORT_H
#define FUSE_COMPILER_REPORT_H

#include "fuse/Codegen/PTXInspect.h"
#include "fuse/Compiler/Compilation.h"
#include "llvm/Support/JSON.h"

namespace fuse::jit {

/// [{"kind": "missed", "category": "fuse-edge", "file": "a.mlir", "line": 4,
///   "column": 8, "message": "..", "reason": "..", "suggestion": "..",
///   "facts": {"Producer": "..", ...}}]
llvm::json::Array reportRemarks(llvm::ArrayRef<Remark> remarks);

/// All kernels of `code`, in the order of their launches. Fails if the PTX
/// cannot be parsed.
llvm::Expected<llvm::json::Array> reportKernels(const Code &code);

/// [{"name": "softmax", "candidates": [
///     {"schedule": "#fuse.rows<..>", "us": 31.2, "limit": "memory",
///      "blocks_per_multiprocessor": 8, "block": {"blocks": 4096, ..}}]}]
///
/// The first is the choice. `block` is what the model of time knows of one
/// block, as in BlockWork. On a CPU there are schedules alone.
llvm::json::Array reportCandidates(llvm::ArrayRef<KernelCandidates> kernels);

/// Name, symbols, inputs, outputs and kernels:
/// {"name": "softmax", "symbols": ["rows"],
///  "inputs": [{"name": "x", "dtype": "f32", "shape": ["rows", 4096],
///              "alignment": 4}],
///  "outputs": [{..., "may_alias": ["x"], "in_place": "x"}],
///  "kernels": [...], "remarks": [...]}
/// "in_place" stands only where the program's text asks for it.
llvm::Expected<llvm::json::Object> reportProgram(const Code &code);

} // namespace fuse::jit

#endif // FUSE_COMPILER_REPORT_H
