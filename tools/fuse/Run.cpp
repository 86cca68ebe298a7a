//===- Run.cpp - fuse run -------------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Inputs.h"
#include "RemarkPrinter.h"
#include "Session.h"
#include "StridedImage.h"
#include "Tuning.h"
#include "Verification.h"
#include "fuse/Explain/Passes.h"
#include "fuse/JIT/Source.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace fuse::runtime;
using mlir::fuse::reference::Report;

namespace reference = mlir::fuse::reference;

namespace fuse::driver {

namespace {
class RunCommand : public Command {
public:
  RunCommand() : Command("run", "Compile and run a program") {}

  Error execute() override;

private:
  Error execute(StringRef text);
  Expected<std::unique_ptr<jit::CompiledProgram>>
  compileTuned(StringRef text, ArrayRef<Array> arrays);
  Expected<StringMap<std::string>> outputFiles(const ProgramSpec &spec);
  Error verifyOutputs(StringRef text, const ProgramSpec &spec,
                      const Session &session);

  ProgramOptions program{sub, category, jit::Target::Auto};
  TuningOptions tuning{sub, category};
  cl::list<std::string> inputs{
      "input", cl::sub(sub), cl::cat(category),
      cl::value_desc("NAME=FILE.npy|FILE.safetensors:KEY"),
      cl::desc("An input from a file; without it the input is random")};
  cl::list<std::string> outputs{"output", cl::sub(sub), cl::cat(category),
                                cl::value_desc("NAME=FILE.npy"),
                                cl::desc("Write an output to a file")};
  cl::list<std::string> dims{"dim", cl::sub(sub), cl::cat(category),
                             cl::value_desc("NAME=SIZE"),
                             cl::desc("The size of a dynamic dim")};
  cl::list<std::string> strides{
      "strides", cl::sub(sub), cl::cat(category),
      cl::value_desc("NAME=S0,S1,..."),
      cl::desc("Pass an input as a view with these strides, in elements")};
  cl::opt<uint64_t> seed{"seed", cl::sub(sub), cl::cat(category), cl::init(0),
                         cl::desc("Seed of random inputs")};
  cl::opt<unsigned> repeat{"repeat",
                           cl::sub(sub),
                           cl::cat(category),
                           cl::init(3),
                           cl::value_desc("N"),
                           cl::desc("Timed runs; the median counts")};
  cl::opt<bool> verification{
      "verify", cl::sub(sub), cl::cat(category),
      cl::desc("Compare the outputs with the f64 oracle")};
};
} // namespace

static double gigabytesPerSecond(int64_t bytes, double seconds) {
  return seconds > 0 ? bytes * 1e-9 / seconds : 0;
}

/// "   0.812 ms     41.3 GB/s", with "at most" if the bytes are a bound.
static void printTime(int64_t bytes, bool atMost, double seconds) {
  outs() << format("%10.4f MB %10.4f ms %8.1f GB/s", bytes * 1e-6,
                   seconds * 1e3, gigabytesPerSecond(bytes, seconds))
         << (atMost ? " at most" : "");
}

namespace {
/// Prints a line a step and adds them up.
struct TimingTable {
  int64_t bytes = 0;
  bool atMost = false;
  double seconds = 0;
  unsigned kernels = 0;

  void print(StringRef name, StringRef ops, const KernelTiming &timing) {
    int64_t moved = timing.bytesRead + timing.bytesWritten;
    bytes += moved;
    atMost |= timing.bytesAtMost;
    seconds += timing.seconds;
    outs() << left_justify(name, 24) << " ";
    printTime(moved, timing.bytesAtMost, timing.seconds);
    outs() << (ops.empty() ? "" : "  ") << ops << "\n";
  }
};
} // namespace

/// Takes the first timing off, which is that of a kernel that copies a view:
/// the program has no such step for other calls.
static void printCopy(ArrayRef<KernelTiming> &timings, TimingTable &table) {
  ++table.kernels;
  table.print(timings.front().name, "copy", timings.front());
  timings = timings.drop_front();
}

/// One line a step, and a summary. A step without work has no timing.
static void printTimings(const jit::CompiledProgram &program,
                         ArrayRef<KernelTiming> timings) {
  TimingTable table;
  for (const StepSpec &step : program.spec().steps) {
    const auto *kernel = std::get_if<KernelSpec>(&step);
    StringRef name = kernel ? StringRef(kernel->name) : StringRef("copy");
    auto isOfStep = [&](const KernelTiming &timing) {
      return timing.name == name;
    };
    if (any_of(timings, isOfStep))
      while (!isOfStep(timings.front()))
        printCopy(timings, table);
    KernelTiming timing;
    if (!timings.empty() && isOfStep(timings.front())) {
      timing = timings.front();
      timings = timings.drop_front();
    }
    table.kernels += kernel != nullptr;
    table.print(name, kernel ? StringRef(kernel->ops) : "", timing);
  }
  while (!timings.empty())
    printCopy(timings, table);
  std::string total = formatv("total: {0} kernel{1} on {2}", table.kernels,
                              table.kernels == 1 ? "" : "s", program.chip());
  outs() << left_justify(total, 24) << " ";
  printTime(table.bytes, table.atMost, table.seconds);
  outs() << "\n";
}

static bool isOutOfRange(const reference::Finding &finding) {
  return finding.kind == reference::Finding::Kind::outOfRange;
}

/// "ok" says that the results are those of the formulas, which "overflowed"
/// does not, though they are what the description promises.
static StringRef verdict(const Report &report, bool overflowed) {
  return !report.ok() ? "WRONG" : overflowed ? "overflowed" : "ok";
}

/// Which views the run has copied, and why.
static void printCopies(const jit::CompiledProgram &program, StringRef fileName,
                        StringRef text) {
  std::vector<jit::Remark> copies;
  copy_if(program.remarks(), std::back_inserter(copies),
          [](const jit::Remark &remark) {
            return remark.category == mlir::fuse::kCopyCategory;
          });
  printRemarks(copies, fileName, text, outs());
}

static void printReport(const OutputSpec &output, const Array &array,
                        const Report &report, bool overflowed) {
  outs() << formatv("verify {0}: {1} {2}, max error {3:E3}, {4:F3} of the "
                    "bound: {5}\n",
                    output.name, name(array.dtype), str(array.shape),
                    report.maxAbsError, report.maxBoundRatio,
                    verdict(report, overflowed));
  if (report.unbounded > 0)
    outs() << formatv("  {0} of {1} elements could be anything\n",
                      report.unbounded, report.elements);
}

/// A check that every answer passes is none; which op is to blame is said.
static Error noBoundError(const OutputSpec &output,
                          const reference::Findings &findings) {
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

Error RunCommand::verifyOutputs(StringRef text, const ProgramSpec &spec,
                                const Session &session) {
  auto verification = verify(text, program.file, program.entry,
                             session.inputs(), session.outputs());
  if (!verification)
    return verification.takeError();
  const reference::Findings &findings = verification->findings;
  bool overflowed = any_of(findings, isOutOfRange);
  Error failure = Error::success();
  bool isUncertain = false;
  for (auto [index, report] : enumerate(verification->reports)) {
    const OutputSpec &output = spec.outputs[index];
    printReport(output, session.outputs()[index], report, overflowed);
    isUncertain |= report.unbounded > 0;
    if (report.elements > 0 && report.unbounded == report.elements)
      failure = joinErrors(std::move(failure), noBoundError(output, findings));
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
  for (const reference::Finding &finding : findings)
    if (isOutOfRange(finding) || isUncertain)
      outs() << "  " << finding.str() << "\n";
  return failure;
}

Expected<StringMap<std::string>>
RunCommand::outputFiles(const ProgramSpec &spec) {
  std::vector<std::string> names;
  for (const OutputSpec &output : spec.outputs)
    names.push_back(output.name);
  return parseAssignments(outputs, "output", names);
}

Error RunCommand::execute() {
  if (repeat == 0)
    return createStringError(inconvertibleErrorCode(),
                             "expected --repeat to be 1 or more, but got 0; "
                             "leave it out for 3 runs");
  auto source = jit::readSource(program.file);
  if (!source)
    return source.takeError();
  return execute((*source)->getBuffer());
}

Expected<std::unique_ptr<jit::CompiledProgram>>
RunCommand::compileTuned(StringRef text, ArrayRef<Array> arrays) {
  std::vector<Shape> shapes;
  for (const Array &array : arrays)
    shapes.push_back(array.shape);
  auto tuned =
      tune(text, program.file, program.compileOptions(), shapes, tuning);
  if (!tuned)
    return tuned.takeError();
  printTuning(outs(), *tuned);
  return jit::compile(text, program.file, program.compileOptions());
}

Error RunCommand::execute(StringRef text) {
  auto compiled = jit::compile(text, program.file, program.compileOptions());
  if (!compiled)
    return compiled.takeError();
  const ProgramSpec &spec = (*compiled)->spec();
  std::unique_ptr<jit::CompiledProgram> untuned;
  auto files = outputFiles(spec);
  if (!files)
    return files.takeError();
  auto arrays = prepareInputs(spec, inputs, dims, seed, (*compiled)->stddev());
  if (!arrays)
    return arrays.takeError();
  if (tuning.autotune) {
    auto tuned = compileTuned(text, *arrays);
    if (!tuned)
      return tuned.takeError();
    // What `spec` says of arguments holds for both.
    std::swap(*compiled, *tuned);
    untuned = std::move(*tuned);
  }
  auto views = parseStrides(spec, strides);
  if (!views)
    return views.takeError();
  auto session = Session::create(**compiled, std::move(*arrays), *views);
  if (!session)
    return session.takeError();
  if (Error error = session->run())
    return error;
  if (program.target == jit::Target::Emulator) {
    outs() << formatv("emulated on {0}: no rule was broken\n",
                      (*compiled)->chip());
  } else {
    auto timings = session->measure(repeat);
    if (!timings)
      return timings.takeError();
    printTimings(**compiled, *timings);
  }
  printCopies(**compiled, program.file, text);
  for (auto [index, output] : enumerate(spec.outputs)) {
    auto it = files->find(output.name);
    if (it != files->end())
      if (Error error = writeNpy(it->second, session->outputs()[index]))
        return error;
  }
  return verification ? verifyOutputs(text, spec, *session) : Error::success();
}

std::unique_ptr<Command> makeRunCommand() {
  return std::make_unique<RunCommand>();
}

} // namespace fuse::driver
