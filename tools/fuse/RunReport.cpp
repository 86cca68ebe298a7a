//===- RunReport.cpp - What a run took, and whether it was right ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunReport.h"
#include "Terminal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace fuse::runtime;
using mlir::fuse::reference::Finding;
using mlir::fuse::reference::Findings;
using mlir::fuse::reference::Report;

namespace fuse::driver {

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

static StepTime stepOf(StringRef name, StringRef ops, bool isKernel,
                       const KernelTiming &timing) {
  return {name.str(),
          ops.str(),
          timing.bytesRead + timing.bytesWritten,
          timing.bytesAtMost,
          timing.seconds,
          isKernel};
}

std::vector<StepTime> stepsOf(const jit::CompiledProgram &program,
                              ArrayRef<KernelTiming> timings) {
  std::vector<StepTime> steps;
  // A kernel that copies a view: the program has no such step for other calls.
  auto addCopy = [&] {
    steps.push_back(stepOf(timings.front().name, "copy", /*isKernel=*/true,
                           timings.front()));
    timings = timings.drop_front();
  };
  for (const StepSpec &step : program.spec().steps) {
    const auto *kernel = std::get_if<KernelSpec>(&step);
    StringRef name = kernel ? StringRef(kernel->name) : StringRef("copy");
    auto isOfStep = [&](const KernelTiming &timing) {
      return timing.name == name;
    };
    if (any_of(timings, isOfStep))
      while (!isOfStep(timings.front()))
        addCopy();
    // A step without work has no timing.
    KernelTiming timing;
    if (!timings.empty() && isOfStep(timings.front())) {
      timing = timings.front();
      timings = timings.drop_front();
    }
    steps.push_back(stepOf(name, kernel ? StringRef(kernel->ops) : "",
                           kernel != nullptr, timing));
  }
  while (!timings.empty())
    addCopy();
  return steps;
}

static double gigabytesPerSecond(const StepTime &step) {
  return step.seconds > 0 ? step.bytes * 1e-9 / step.seconds : 0;
}

static StepTime totalOf(ArrayRef<StepTime> steps) {
  StepTime total;
  for (const StepTime &step : steps) {
    total.bytes += step.bytes;
    total.atMost |= step.atMost;
    total.seconds += step.seconds;
  }
  return total;
}

/// "   0.812 ms     41.3 GB/s", with "at most" if the bytes are a bound.
static void printTime(const StepTime &step) {
  outs() << format("%10.4f MB %10.4f ms %8.1f GB/s", step.bytes * 1e-6,
                   step.seconds * 1e3, gigabytesPerSecond(step))
         << (step.atMost ? " at most" : "");
}

void printSteps(ArrayRef<StepTime> steps, StringRef chip) {
  for (const StepTime &step : steps) {
    outs() << left_justify(step.name, 24) << " ";
    printTime(step);
    outs() << (step.ops.empty() ? "" : "  ") << step.ops << "\n";
  }
  auto kernels = count_if(steps, [](const StepTime &s) { return s.isKernel; });
  std::string total = formatv("total: {0} kernel{1} on {2}", kernels,
                              kernels == 1 ? "" : "s", chip);
  outs() << left_justify(total, 24) << " ";
  printTime(totalOf(steps));
  outs() << "\n";
}

static json::Object toJSON(const StepTime &step) {
  return json::Object{{"us", step.seconds * 1e6},
                      {"bytes", step.bytes},
                      {"bytes_at_most", step.atMost},
                      {"gb_per_s", gigabytesPerSecond(step)}};
}

json::Object stepsToJSON(ArrayRef<StepTime> steps) {
  json::Array array;
  for (const StepTime &step : steps) {
    json::Object object = toJSON(step);
    object["name"] = step.name;
    object["ops"] = step.ops;
    object["kernel"] = step.isKernel;
    array.push_back(std::move(object));
  }
  return json::Object{{"steps", std::move(array)},
                      {"total", toJSON(totalOf(steps))}};
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static bool isOutOfRange(const Finding &finding) {
  return finding.kind == Finding::Kind::outOfRange;
}

/// "ok" says that the results are those of the formulas, which "overflowed"
/// does not, though they are what the description promises.
static StringRef verdict(const Report &report, bool overflowed) {
  return !report.ok() ? "WRONG" : overflowed ? "overflowed" : "ok";
}

/// What is worth saying of how the oracle came to its bounds.
static std::vector<std::string> remarksOf(const Verification &verification) {
  bool isUncertain = any_of(verification.reports, [](const Report &report) {
    return report.unbounded > 0;
  });
  std::vector<std::string> remarks;
  for (const Finding &finding : verification.findings)
    if (isOutOfRange(finding) || isUncertain)
      remarks.push_back(finding.str());
  return remarks;
}

void printVerification(const Verification &verification,
                       const ProgramSpec &spec, ArrayRef<Array> outputs) {
  bool overflowed = any_of(verification.findings, isOutOfRange);
  for (auto [index, report] : enumerate(verification.reports)) {
    const Array &array = outputs[index];
    outs() << formatv("verify {0}: {1} {2}, max error {3:E3}, {4:F3} of the "
                      "bound: ",
                      spec.outputs[index].name, name(array.dtype),
                      str(array.shape), report.maxAbsError,
                      report.maxBoundRatio);
    printColored(outs(), verdict(report, overflowed),
                 !report.ok() ? raw_ostream::RED
                 : overflowed ? raw_ostream::YELLOW
                              : raw_ostream::GREEN);
    outs() << "\n";
    if (report.unbounded > 0)
      outs() << formatv("  {0} of {1} elements could be anything\n",
                        report.unbounded, report.elements);
  }
  for (const std::string &remark : remarksOf(verification))
    outs() << "  " << remark << "\n";
}

json::Object verificationToJSON(const Verification &verification,
                                const ProgramSpec &spec,
                                ArrayRef<Array> outputs) {
  bool overflowed = any_of(verification.findings, isOutOfRange);
  json::Array results;
  for (auto [index, report] : enumerate(verification.reports))
    results.push_back(
        json::Object{{"name", spec.outputs[index].name},
                     {"dtype", name(outputs[index].dtype)},
                     {"shape", json::Array(outputs[index].shape)},
                     {"verdict", verdict(report, overflowed).lower()},
                     {"max_error", report.maxAbsError},
                     {"of_bound", report.maxBoundRatio},
                     {"mismatches", int64_t(report.mismatches)},
                     {"unbounded", int64_t(report.unbounded)}});
  return json::Object{{"outputs", std::move(results)},
                      {"remarks", json::Array(remarksOf(verification))}};
}

/// A check that every answer passes is none; which op is to blame is said.
static Error noBoundError(const OutputSpec &output, const Findings &findings) {
  auto lost = find_if_not(findings, isOutOfRange);
  std::string cause =
      lost == findings.end() ? "an op loses all bounds" : lost->str();
  return createStringError(
      inconvertibleErrorCode(),
      formatv("expected a bound for output '{0}', but every element could be "
              "anything: {1}; choose inputs for which that op is well "
              "conditioned (--input, or fuse.stddev on the arguments)",
              output.name, cause));
}

Error checkVerification(const Verification &verification,
                        const ProgramSpec &spec) {
  Error failure = Error::success();
  for (auto [index, report] : enumerate(verification.reports)) {
    const OutputSpec &output = spec.outputs[index];
    if (report.elements > 0 && report.unbounded == report.elements)
      failure = joinErrors(std::move(failure),
                           noBoundError(output, verification.findings));
    if (!report.ok())
      failure = joinErrors(
          std::move(failure),
          createStringError(
              inconvertibleErrorCode(),
              formatv("output '{0}': {1} of {2} elements differ from the "
                      "oracle: {3}; report this program",
                      output.name, report.mismatches, report.elements,
                      report.firstMismatch)));
  }
  return failure;
}

} // namespace fuse::driver
