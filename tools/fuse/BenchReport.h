//===- BenchReport.h - What fuse bench found --------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_BENCHREPORT_H
#define FUSE_TOOLS_FUSE_BENCHREPORT_H

#include "BenchRun.h"
#include "llvm/Support/raw_ostream.h"

namespace fuse::driver {

/// The heads of the columns.
void printBenchHeader(llvm::raw_ostream &os);

/// A line for the case, and one for each of its kernels.
void printBenchResult(llvm::raw_ostream &os, const BenchCase &benchCase,
                      const BenchResult &result);

/// {"name": "softmax rows=8192", "family": "softmax", "dtype": "",
///  "dims": {"rows": 8192}, "device": "NVIDIA H200", "chip": "sm_90",
///  "bytes": 268435456, "time": {"us": 70.1, "q1_us": 69.8, "q3_us": 70.5,
///  "runs": 40}, "copy": {..}, "gb_per_s": 3829.3, "percent_of_copy": 98.7,
///  "graph": {..}, "graph_copy": {..},
///  "check": {"status": "right", "detail": "at rows=2048", "max_error": 1e-8,
///            "of_bound": 0.05},
///  "kernels": [{"name": "softmax", "ops": "..", "schedule": "#fuse.rows<..>",
///               "bytes_read": .., "bytes_written": .., "grid": 8192,
///               "time": {..}}]}
/// "graph" and "graph_copy" stand only where they were measured.
llvm::json::Object benchJSON(const BenchCase &benchCase,
                             const BenchResult &result);

/// {"name": .., "family": .., "dtype": .., "dims": {..}, "failed": "..."}
llvm::json::Object benchFailureJSON(const BenchCase &benchCase,
                                    llvm::StringRef reason);

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_BENCHREPORT_H
