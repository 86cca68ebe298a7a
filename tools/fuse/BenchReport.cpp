//===- BenchReport.cpp - What fuse bench found ----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchReport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace fuse::driver {

/// 0 where nothing was measured.
static double ratio(double value, double by) { return by > 0 ? value / by : 0; }

static double gigabytesPerSecond(int64_t bytes, double seconds) {
  return ratio(bytes * 1e-9, seconds);
}

static double percentOfCopy(const BenchResult &result) {
  if (result.programInGraph)
    return 100 *
           ratio(result.copyInGraph->median, result.programInGraph->median);
  return 100 * ratio(result.copy.median, result.program.median);
}

static StringRef statusName(CheckResult::Status status) {
  switch (status) {
  case CheckResult::Status::Skipped:
    return "skipped";
  case CheckResult::Status::Right:
    return "right";
  case CheckResult::Status::Wrong:
    return "wrong";
  }
  llvm_unreachable("covered switch");
}

void printBenchHeader(raw_ostream &os) {
  os << left_justify("case", 40)
     << "        us (    q1 to     q3)     GB/s  % of copy  graph us  runs  "
        "check\n";
}

static void printCheck(raw_ostream &os, const CheckResult &check) {
  os << statusName(check.status);
  if (check.status == CheckResult::Status::Right)
    os << formatv(", {0:F3} of the bound", check.maxBoundRatio);
  if (!check.detail.empty())
    os << (check.status == CheckResult::Status::Wrong ? ": " : ", ")
       << check.detail;
}

static void printKernel(raw_ostream &os, const KernelResult &kernel) {
  int64_t bytes = kernel.bytesRead + kernel.bytesWritten;
  os << left_justify("  " + kernel.name, 40)
     << format("%10.2f %28.1f  %10.4f MB  ", kernel.time.median * 1e6,
               gigabytesPerSecond(bytes, kernel.time.median), bytes * 1e-6)
     << (kernel.bytesAtMost ? "at most  " : "") << kernel.schedule << "\n";
}

void printBenchResult(raw_ostream &os, const BenchCase &benchCase,
                      const BenchResult &result) {
  const Quartiles &time = result.program;
  os << left_justify(benchCase.name, 40)
     << format("%10.2f (%6.2f to %6.2f) ", time.median * 1e6, time.q1 * 1e6,
               time.q3 * 1e6)
     << format("%8.1f %10.1f ", gigabytesPerSecond(result.bytes, time.median),
               percentOfCopy(result));
  if (result.programInGraph)
    os << format("%9.2f ", result.programInGraph->median * 1e6);
  else
    os << "        - ";
  os << format("%5u  ", time.runs);
  printCheck(os, result.check);
  if (result.bytesAtMost)
    os << ", at most so many GB/s";
  os << "\n";
  for (const KernelResult &kernel : result.kernels)
    printKernel(os, kernel);
}

/// What a result and a failure begin with.
static json::Object describe(const BenchCase &benchCase) {
  json::Object dims;
  for (StringRef sized : benchCase.sizes) {
    auto [name, size] = sized.split('=');
    int64_t number = 0;
    size.getAsInteger(10, number);
    dims[name.str()] = number;
  }
  return json::Object{{"name", benchCase.name},
                      {"family", benchCase.family},
                      {"dtype", benchCase.dtype},
                      {"dims", std::move(dims)}};
}

static json::Object kernelJSON(const KernelResult &kernel) {
  return json::Object{{"name", kernel.name},
                      {"ops", kernel.ops},
                      {"schedule", kernel.schedule},
                      {"bytes_read", kernel.bytesRead},
                      {"bytes_written", kernel.bytesWritten},
                      {"bytes_at_most", kernel.bytesAtMost},
                      {"grid", kernel.grid},
                      {"time", kernel.time.json()}};
}

json::Object benchJSON(const BenchCase &benchCase, const BenchResult &result) {
  json::Object object = describe(benchCase);
  object["device"] = result.deviceName;
  object["chip"] = result.chip;
  object["bytes"] = result.bytes;
  object["bytes_at_most"] = result.bytesAtMost;
  object["time"] = result.program.json();
  object["copy"] = result.copy.json();
  object["gb_per_s"] = gigabytesPerSecond(result.bytes, result.program.median);
  object["percent_of_copy"] = percentOfCopy(result);
  if (result.programInGraph) {
    object["graph"] = result.programInGraph->json();
    object["graph_copy"] = result.copyInGraph->json();
  }
  object["check"] = json::Object{{"status", statusName(result.check.status)},
                                 {"detail", result.check.detail},
                                 {"max_error", result.check.maxError},
                                 {"of_bound", result.check.maxBoundRatio}};
  json::Array kernels;
  for (const KernelResult &kernel : result.kernels)
    kernels.push_back(kernelJSON(kernel));
  object["kernels"] = std::move(kernels);
  return object;
}

json::Object benchFailureJSON(const BenchCase &benchCase, StringRef reason) {
  json::Object object = describe(benchCase);
  object["failed"] = reason.str();
  return object;
}

} // namespace fuse::driver
