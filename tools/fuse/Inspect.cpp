//===- Inspect.cpp - fuse inspect -----------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "HtmlReport.h"
#include "KernelReport.h"
#include "RemarkPrinter.h"
#include "Session.h"
#include "fuse/Compiler/Report.h"
#include "fuse/Compiler/Source.h"
#include "fuse/Execution/JIT.h"
#include "fuse/Runtime/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using mlir::fuse::PTXAccess;

namespace fuse::driver {

namespace {
enum class Emit {
  Kernels,
  Candidates,
  Schedule,
  Gpu,
  LLVM,
  PTX,
  Cubin,
  Object,
  Stats
};

class InspectCommand : public Command {
public:
  InspectCommand() : Command("inspect", "Show what a program becomes") {}

  Error execute() override;
  void addValues(OptionValues &values) override {
    program.addValues(values);
    addValuesOf(what, values);
  }

private:
  jit::CompileOptions compileOptions() const;
  Error emit(jit::Compilation &compilation, StringRef text);
  Error emitCandidates(jit::Compilation &compilation);
  Error emitStage(jit::Compilation &compilation, jit::Stage stage);
  Error emitCode(const jit::Code &code, StringRef text);
  Error emitBinary(const jit::Code &code);
  Error writeHtml(jit::Compilation &compilation, const jit::Code &code,
                  ArrayRef<KernelReport> kernels, StringRef text);
  Expected<std::map<std::string, double>> measuredTimes() const;
  bool expects() const { return bits > 0 || mma; }

  ProgramOptions program{sub, category, jit::Target::CUDA};
  cl::opt<Emit> what{
      "emit",
      cl::sub(sub),
      cl::cat(category),
      cl::init(Emit::Kernels),
      cl::desc("What to show"),
      cl::values(
          clEnumValN(Emit::Kernels, "kernels", "What was fused, and why not"),
          clEnumValN(Emit::Candidates, "candidates",
                     "The schedules that each kernel could have"),
          clEnumValN(Emit::Schedule, "schedule", "The scheduled kernels' IR"),
          clEnumValN(Emit::Gpu, "gpu", "The IR of gpu functions and launches"),
          clEnumValN(Emit::LLVM, "llvm", "The LLVM IR"),
          clEnumValN(Emit::PTX, "ptx", "The PTX"),
          clEnumValN(Emit::Cubin, "cubin", "The assembled code of a GPU"),
          clEnumValN(Emit::Object, "obj", "The object file of the CPU"),
          clEnumValN(Emit::Stats, "stats", "Statistics read from the PTX"))};
  cl::opt<bool> asJSON{"json", cl::sub(sub), cl::cat(category),
                       cl::desc("Kernels, candidates or statistics as JSON")};
  cl::opt<std::string> html{"html", cl::sub(sub), cl::cat(category),
                            cl::value_desc("FILE"),
                            cl::desc("Write all of it as one page")};
  cl::opt<std::string> times{
      "times", cl::sub(sub), cl::cat(category), cl::value_desc("FILE.json"),
      cl::desc("Times for the page, from 'fuse run --json'")};
  cl::opt<unsigned> bits{
      "expect-bits", cl::sub(sub), cl::cat(category), cl::value_desc("N"),
      cl::desc("Fail if a streamed operand is accessed with fewer bits")};
  cl::opt<bool> mma{
      "expect-mma", cl::sub(sub), cl::cat(category),
      cl::desc("Fail if a contraction does not run on tensor cores")};
};
} // namespace

jit::CompileOptions InspectCommand::compileOptions() const {
  jit::CompileOptions options = program.compileOptions();
  // The emulator runs what CUDA would.
  if (options.target == jit::Target::Auto ||
      options.target == jit::Target::Emulator)
    options.target = jit::Target::CUDA;
  if (options.chip.empty())
    options.chip = "sm_90";
  // Remarks and what is expected name lines; PTX is shown as a run compiles it.
  options.lineInfo =
      expects() || what == Emit::Kernels || asJSON || !html.empty();
  return options;
}

static void printOperands(const jit::KernelInfo &kernel,
                          ArrayRef<std::string> symbols) {
  for (const jit::KernelOperand &operand : kernel.operands)
    outs() << formatv("  {0} {1}: {2} of {3} elements{4}\n",
                      operand.isResult ? "writes" : "reads ", operand.name,
                      runtime::name(operand.dtype),
                      operand.elements.str(symbols),
                      operand.isStreamed   ? ", streamed"
                      : operand.isGathered ? ", gathered from"
                                           : "");
}

static void printKernels(const jit::Code &code) {
  const auto &symbols = code.plan.spec.symbols;
  for (const jit::KernelInfo &kernel : code.kernels) {
    outs() << formatv("kernel {0}: {1}\n", kernel.name, join(kernel.ops, ", "));
    outs() << formatv("  schedule {0}\n", kernel.schedule);
    printOperands(kernel, symbols);
    outs() << formatv("  {0}{1} bytes read, {2} written\n",
                      kernel.bytesAtMost ? "at most " : "",
                      kernel.bytesRead.str(symbols),
                      kernel.bytesWritten.str(symbols));
  }
  for (const jit::MissedFusion &missed : code.missed)
    outs() << formatv("not fused: {0} into {1}: {2}\n", missed.producer,
                      missed.consumer, missed.reason);
}

/// The last line of a listing.
static void printCount(const jit::Code &code) {
  outs() << formatv("{0} kernel{1}\n", code.kernels.size(),
                    code.kernels.size() == 1 ? "" : "s");
}

static void printAccesses(const mlir::fuse::PTXKernel &kernel,
                          PTXAccess::Kind kind) {
  outs() << (kind == PTXAccess::Kind::Load ? "  loads " : "  stores");
  for (const auto &[type, count] : countAccesses(kernel, kind))
    outs() << formatv(" {0} x {1}", count, type);
  if (std::optional<unsigned> narrowest = kernel.minBits(kind))
    outs() << formatv(", at least {0} bits", *narrowest);
  outs() << "\n";
}

/// Tables: operands that are read again and again may be narrower.
static void printTables(const KernelReport &kernel) {
  for (auto [index, operand] : enumerate(kernel.info->operands)) {
    if (operand.isStreamed)
      continue;
    auto kind =
        operand.isResult ? PTXAccess::Kind::Store : PTXAccess::Kind::Load;
    if (std::optional<unsigned> narrowest = kernel.ptx->minBits(kind, index))
      outs() << formatv("  table {0}: at least {1} bits\n", operand.name,
                        *narrowest);
  }
}

/// What multiplies and what copies for it; the schedule says how far ahead.
static void printTensorCores(const KernelReport &kernel) {
  for (const auto &[instruction, count] : kernel.ptx->matrixInstructions())
    outs() << formatv("  tensor cores {0} x {1}\n", count, instruction);
  unsigned loads = kernel.ptx->tensorLoads(),
           stores = kernel.ptx->tensorStores();
  if (loads + stores == 0)
    return;
  outs() << formatv("  tensor maps {0} loads, {1} stores\n", loads, stores);
  outs() << formatv("  schedule {0}\n", kernel.info->schedule);
}

static void printStats(ArrayRef<KernelReport> kernels) {
  for (const KernelReport &kernel : kernels) {
    outs() << formatv("kernel {0}\n", kernel.info->name);
    if (!kernel.ptx) {
      outs() << "  no PTX on this target\n";
      continue;
    }
    printAccesses(*kernel.ptx, PTXAccess::Kind::Load);
    printAccesses(*kernel.ptx, PTXAccess::Kind::Store);
    printTables(kernel);
    printTensorCores(kernel);
    outs() << formatv("  shared {0} bytes\n", kernel.ptx->sharedBytes);
    if (const auto &resources = kernel.resources)
      outs() << formatv("  registers {0}, stack {1} bytes, spills {2} bytes\n",
                        resources->registers, resources->stackBytes,
                        resources->spillStoreBytes + resources->spillLoadBytes);
    else
      outs() << "  registers unknown without ptxas or nvJitLink\n";
  }
}

/// A line a schedule: what the model predicts, what the time consists of most,
/// and blocks that a multiprocessor holds.
static void printCandidates(const jit::KernelCandidates &kernel) {
  outs() << formatv("kernel {0}\n", kernel.kernel);
  for (const jit::ScheduleCandidate &candidate : kernel.schedules) {
    if (const auto &estimate = candidate.estimate)
      outs() << formatv("  {0,8:F1} us, mostly {1,-12} {2,2} blocks",
                        estimate->seconds * 1e6, name(estimate->limit),
                        estimate->residentBlocks);
    outs() << formatv("  {0}\n", candidate.schedule);
  }
}

Error InspectCommand::emitCandidates(jit::Compilation &compilation) {
  auto kernels = compilation.candidates(runtime::Facts::usual());
  if (!kernels)
    return kernels.takeError();
  if (asJSON)
    outs() << formatv("{0:2}\n",
                      json::Value(json::Object{
                          {"kernels", jit::reportCandidates(*kernels)}}));
  else
    for_each(*kernels, printCandidates);
  return Error::success();
}

Error InspectCommand::emitStage(jit::Compilation &compilation,
                                jit::Stage stage) {
  auto text = compilation.print(stage, runtime::Facts::usual());
  if (!text)
    return text.takeError();
  outs() << *text;
  return Error::success();
}

/// The kernels as jit::reportKernels has them, what was not fused, and remarks.
static Error printJSON(const jit::Code &code) {
  Expected<json::Array> kernels = jit::reportKernels(code);
  if (!kernels)
    return kernels.takeError();
  json::Array missed;
  for (const jit::MissedFusion &fusion : code.missed)
    missed.push_back(json::Object{{"producer", fusion.producer},
                                  {"consumer", fusion.consumer},
                                  {"reason", fusion.reason}});
  json::Value report =
      json::Object{{"kernels", std::move(*kernels)},
                   {"missed", std::move(missed)},
                   {"remarks", jit::reportRemarks(code.remarks)}};
  outs() << formatv("{0:2}\n", report);
  return Error::success();
}

Error InspectCommand::emitCode(const jit::Code &code, StringRef text) {
  Expected<std::vector<KernelReport>> reports = makeReports(code);
  if (!reports)
    return reports.takeError();
  if (asJSON) {
    if (Error error = printJSON(code))
      return error;
  } else if (what == Emit::Kernels) {
    printKernels(code);
    printRemarks(code.remarks, program.file, text, outs());
    printCount(code);
  } else if (what == Emit::Stats) {
    printStats(*reports);
  } else {
    outs() << code.ptx;
  }
  if (bits > 0)
    if (Error error = expectBits(*reports, code.remarks, bits, program.file))
      return error;
  return mma ? expectMma(*reports, code.remarks, program.file)
             : Error::success();
}

Error InspectCommand::emit(jit::Compilation &compilation, StringRef text) {
  bool isStage =
      what == Emit::Schedule || what == Emit::Gpu || what == Emit::LLVM;
  bool isCandidates = what == Emit::Candidates;
  bool isBinary = what == Emit::Cubin || what == Emit::Object;
  if (!html.empty() && (what.getNumOccurrences() > 0 || asJSON || expects()))
    return createStringError("expected --html alone, but got another form of "
                             "output beside it; leave out --emit, --json and "
                             "--expect-...");
  if (!times.empty() && html.empty())
    return createStringError("expected --times with --html, but got it alone; "
                             "add --html FILE");
  if (isBinary && (asJSON || expects()))
    return createStringError("expected --emit=cubin and --emit=obj alone, but "
                             "got --json or --expect-... beside it; use "
                             "--emit=stats");
  StringRef expectation = mma && bits == 0 ? "--expect-mma" : "--expect-bits";
  if (isCandidates && expects())
    return createStringError(
        inconvertibleErrorCode(),
        formatv("expected {0} with kernels, ptx or stats, but got "
                "--emit=candidates; use --emit=stats",
                expectation));
  if (isStage && (asJSON || expects()))
    return createStringError(
        inconvertibleErrorCode(),
        formatv("expected --json and {0} with kernels or stats, but got "
                "another --emit; use --emit=stats",
                expectation));
  if (what == Emit::PTX && asJSON)
    return createStringError("expected --json with kernels, candidates or "
                             "stats, but got --emit=ptx; use --emit=stats");
  if (isCandidates)
    return emitCandidates(compilation);
  if (what == Emit::Schedule)
    return emitStage(compilation, jit::Stage::Schedule);
  if (what == Emit::Gpu)
    return emitStage(compilation, jit::Stage::Gpu);
  if (what == Emit::LLVM)
    return emitStage(compilation, jit::Stage::LLVM);
  bool isOfGPU = what == Emit::PTX || what == Emit::Cubin;
  if (isOfGPU && compilation.options().target == jit::Target::CPU)
    return createStringError(
        inconvertibleErrorCode(),
        formatv("expected a GPU for --emit={0}, but the target is the CPU; use "
                "--target cuda",
                what == Emit::PTX ? "ptx" : "cubin"));
  auto code = compilation.generate(runtime::Facts::usual());
  if (!code)
    return code.takeError();
  if (what == Emit::Cubin || what == Emit::Object)
    return emitBinary(*code);
  if (html.empty())
    return emitCode(*code, text);
  Expected<std::vector<KernelReport>> reports = makeReports(*code);
  if (!reports)
    return reports.takeError();
  return writeHtml(compilation, *code, *reports, text);
}

/// To a file or a pipe, since a terminal can show neither.
Error InspectCommand::emitBinary(const jit::Code &code) {
  bool isCubin = what == Emit::Cubin;
  ArrayRef<char> bytes = isCubin ? ArrayRef<char>(code.assembled.cubin)
                                 : ArrayRef<char>(code.object);
  if (bytes.empty())
    return createStringError(
        isCubin ? "expected ptxas or nvJitLink for --emit=cubin, but found "
                  "neither; see 'fuse doctor', or use --emit=ptx"
                : "expected the CPU for --emit=obj, but the target is a GPU; "
                  "use --target cpu");
  if (sys::Process::StandardOutIsDisplayed())
    return createStringError(
        Twine("expected a file or a pipe for --emit=") +
        (isCubin ? "cubin" : "obj") +
        ", but got a terminal; redirect the output, as in > kernels.bin");
  outs().write(bytes.data(), bytes.size());
  return Error::success();
}

/// Seconds of the steps in a report of 'fuse run --json', by name.
Expected<std::map<std::string, double>> InspectCommand::measuredTimes() const {
  std::map<std::string, double> seconds;
  if (times.empty())
    return seconds;
  auto file = MemoryBuffer::getFile(times);
  if (!file)
    return createStringError("expected to read '" + times +
                             "', but got: " + file.getError().message() +
                             "; make it with 'fuse run --json'");
  Expected<json::Value> value = json::parse((*file)->getBuffer());
  const json::Object *object = value ? value->getAsObject() : nullptr;
  const json::Object *time = object ? object->getObject("time") : nullptr;
  const json::Array *steps = time ? time->getArray("steps") : nullptr;
  if (!value)
    consumeError(value.takeError());
  if (!steps)
    return createStringError("expected the times of 'fuse run --json' in '" +
                             times +
                             "', but got something else; run it on a "
                             "GPU, and redirect its output");
  for (const json::Value &step : *steps)
    if (const json::Object *each = step.getAsObject())
      if (auto name = each->getString("name"))
        seconds[name->str()] = each->getNumber("us").value_or(0) * 1e-6;
  return seconds;
}

Error InspectCommand::writeHtml(jit::Compilation &compilation,
                                const jit::Code &code,
                                ArrayRef<KernelReport> kernels,
                                StringRef text) {
  auto candidates = compilation.candidates(runtime::Facts::usual());
  if (!candidates)
    return candidates.takeError();
  auto measured = measuredTimes();
  if (!measured)
    return measured.takeError();
  const jit::CompileOptions &options = compilation.options();
  std::string chip = options.target == jit::Target::CPU ? "cpu" : options.chip;
  std::string page =
      htmlReport({code, kernels, *candidates, std::move(*measured), text,
                  program.file, chip});
  if (html == "-") {
    outs() << page;
    return Error::success();
  }
  if (Error error =
          runtime::writeFile(html, [&](raw_ostream &os) { os << page; }))
    return createStringError("expected to write '" + html +
                             "', but got: " + toString(std::move(error)) +
                             "; name another file");
  outs() << formatv("{0}: {1} bytes\n", html, page.size());
  return Error::success();
}

Error InspectCommand::execute() {
  if (Error error = program.checkTuningFile())
    return error;
  auto source = jit::readSource(program.file);
  if (!source)
    return source.takeError();
  auto compilation = jit::Compilation::create((*source)->getBuffer(),
                                              program.file, compileOptions());
  if (!compilation)
    return compilation.takeError();
  if (Error error = checkCandidate(**compilation, runtime::Facts::usual()))
    return error;
  return emit(**compilation, (*source)->getBuffer());
}

std::unique_ptr<Command> makeInspectCommand() {
  return std::make_unique<InspectCommand>();
}

} // namespace fuse::driver
