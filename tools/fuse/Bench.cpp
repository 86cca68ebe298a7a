//===- Bench.cpp - fuse bench ---------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "BenchProfile.h"
#include "BenchReport.h"
#include "Command.h"
#include "DimOptions.h"
#include "Tuning.h"
#include "fuse/Compiler/Report.h"
#include "fuse/Execution/JIT.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace fuse::driver {

namespace {
/// "[3/12] softmax rows=8192" on a terminal, gone when it goes out of scope.
class Progress {
public:
  explicit Progress(const Twine &text)
      : isShown(sys::Process::StandardErrIsDisplayed()) {
    if (isShown)
      errs() << "\r\x1b[K" << text << "\r";
  }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  ~Progress() { clear(); }

  /// Makes room for a result.
  void clear() {
    if (isShown)
      errs() << "\r\x1b[K";
    isShown = false;
  }

private:
  bool isShown;
};

class BenchCommand : public Command {
public:
  BenchCommand()
      : Command("bench", "Measure programs over sizes, beside a copy of as "
                         "many bytes") {}

  Error execute() override;
  void addValues(OptionValues &values) override { program.addValues(values); }

private:
  Expected<std::vector<BenchCase>> readCases();
  BenchOptions benchOptions() const;
  Error checkOptions() const;
  Error runCase(const BenchCase &benchCase, const BenchOptions &options,
                Progress &progress);
  Expected<json::Array> autotune(const BenchCase &benchCase,
                                 const BenchOptions &options);
  Error runShown(StringRef number, const BenchCase &benchCase,
                 const BenchOptions &options);
  Error writeJSON();

  ProgramOptions program{sub, category, jit::Target::Auto};
  TuningOptions tuning{sub, category};
  cl::list<std::string> moreFiles{cl::Positional, cl::sub(sub),
                                  cl::cat(category), cl::ZeroOrMore,
                                  cl::desc("[FILE.mlir...|GRID.json...]")};
  cl::list<std::string> dims{
      "dim", cl::sub(sub), cl::cat(category),
      cl::value_desc("NAME=SIZE,SIZE,..."),
      cl::desc("Sizes of a dynamic dim; several give every combination")};
  cl::opt<std::string> jsonPath{
      "json", cl::sub(sub), cl::cat(category), cl::value_desc("FILE"),
      cl::desc("Also write JSON, after each case; - for standard output")};
  cl::opt<double> seconds{
      "seconds", cl::sub(sub), cl::cat(category), cl::init(0.5),
      cl::desc("The most time for the runs of a case; they end earlier when "
               "the median is known to half a percent")};
  cl::opt<int64_t> checkElements{
      "check-elements",
      cl::sub(sub),
      cl::cat(category),
      cl::init(int64_t(1) << 24),
      cl::value_desc("N"),
      cl::desc("Compare with the oracle at sizes of up to N elements; 0 for "
               "not at all")};
  cl::opt<bool> profile{
      "profile", cl::sub(sub), cl::cat(category),
      cl::desc("Also run each case under Nsight Compute (ncu)")};
  cl::opt<uint64_t> seed{"seed", cl::sub(sub), cl::cat(category), cl::init(0),
                         cl::desc("Seed of random inputs")};

  json::Array results;
};

} // namespace

Error BenchCommand::checkOptions() const {
  auto refuse = [](const Twine &message) {
    return createStringError(inconvertibleErrorCode(), message);
  };
  if (program.target == jit::Target::Emulator)
    return refuse("expected --target auto, cpu or cuda, but got emu; the "
                  "emulator's time says nothing, use 'fuse run'");
  if (seconds < 0)
    return refuse(formatv("expected --seconds of 0 or more, but got {0}; leave "
                          "it out for 0.5",
                          seconds.getValue()));
  if (checkElements < 0)
    return refuse(formatv("expected --check-elements of 0 or more, but got "
                          "{0}; 0 compares nothing",
                          checkElements.getValue()));
  return Error::success();
}

Expected<std::vector<BenchCase>> BenchCommand::readCases() {
  std::vector<std::string> files = {program.file};
  append_range(files, moreFiles);
  std::vector<BenchCase> cases;
  for (StringRef file : files) {
    bool isGrid = file.ends_with(".json");
    if (isGrid && (!dims.empty() || !program.entry.empty()))
      return fileError(file, "expected a grid without --dim and --entry, but "
                             "got them; give sizes and entries in the grid");
    auto found =
        isGrid ? readBenchGrid(file) : readBenchFile(file, program.entry, dims);
    if (!found)
      return found.takeError();
    append_range(cases, std::move(*found));
  }
  return std::move(cases);
}

BenchOptions BenchCommand::benchOptions() const {
  BenchOptions options;
  options.compile = program.compileOptions();
  options.seed = seed;
  options.seconds = seconds;
  options.checkElements = checkElements;
  return options;
}

Expected<json::Array> BenchCommand::autotune(const BenchCase &benchCase,
                                             const BenchOptions &options) {
  jit::CompileOptions compile = options.compile;
  compile.entry = benchCase.entry;
  auto compiled = jit::compile(benchCase.text, benchCase.fileName, compile);
  if (!compiled)
    return compiled.takeError();
  auto sizes = unifyDims(**compiled, benchCase.dims);
  if (!sizes)
    return sizes.takeError();
  auto shapes = inputShapes((*compiled)->spec(), *sizes);
  if (!shapes)
    return shapes.takeError();
  auto tuned =
      tune(benchCase.text, benchCase.fileName, compile, *shapes, tuning);
  if (!tuned)
    return tuned.takeError();
  return jit::reportTuning(*tuned);
}

Error BenchCommand::runCase(const BenchCase &benchCase,
                            const BenchOptions &options, Progress &progress) {
  json::Array tuned;
  if (tuning.autotune) {
    auto found = autotune(benchCase, options);
    if (!found)
      return found.takeError();
    tuned = std::move(*found);
  }
  auto result = runBench(benchCase, options);
  if (!result)
    return result.takeError();
  json::Object object = benchJSON(benchCase, *result);
  if (tuning.autotune)
    object["tuning"] = std::move(tuned);
  std::vector<KernelProfile> profiles;
  if (profile) {
    auto found = profileBench(benchCase, options, *result);
    if (!found)
      return found.takeError();
    profiles = std::move(*found);
    object["profile"] = profileJSON(profiles);
  }
  if (jsonPath != "-") {
    progress.clear();
    printBenchResult(outs(), benchCase, *result);
    printProfile(outs(), *result, profiles);
    outs().flush();
  }
  results.push_back(std::move(object));
  if (result->check.status != CheckResult::Status::Wrong)
    return Error::success();
  return createStringError(
      inconvertibleErrorCode(),
      formatv("expected the oracle's results, but got {0}; report this program",
              result->check.detail));
}

/// A case that fails is a result: what comes after it still runs.
Error BenchCommand::runShown(StringRef number, const BenchCase &benchCase,
                             const BenchOptions &options) {
  Progress progress(number + " " + benchCase.name);
  size_t before = results.size();
  Error error = runCase(benchCase, options, progress);
  if (!error)
    return Error::success();
  std::string reason = toString(std::move(error));
  if (results.size() == before)
    results.push_back(benchFailureJSON(benchCase, reason));
  return createStringError(inconvertibleErrorCode(),
                           benchCase.name + ": " + reason);
}

/// Everything so far, so that a run that is cut short leaves what it has.
Error BenchCommand::writeJSON() {
  if (jsonPath.empty())
    return Error::success();
  return writeToOutput(jsonPath, [&](raw_ostream &os) {
    os << formatv("{0:2}\n", json::Value(json::Array(results)));
    return Error::success();
  });
}

Error BenchCommand::execute() {
  if (!tuning.autotune)
    if (Error error = program.checkTuningFile())
      return error;
  if (Error error = checkOptions())
    return error;
  auto cases = readCases();
  if (!cases)
    return cases.takeError();
  BenchOptions options = benchOptions();
  if (jsonPath != "-")
    printBenchHeader(outs());
  Error failures = Error::success();
  for (auto [index, benchCase] : enumerate(*cases)) {
    std::string number = formatv("[{0}/{1}]", index + 1, cases->size());
    if (Error error = runShown(number, benchCase, options))
      failures = joinErrors(std::move(failures), std::move(error));
    bool isLast = index + 1 == cases->size();
    if (jsonPath != "-" || isLast)
      if (Error error = writeJSON())
        return joinErrors(std::move(failures), std::move(error));
  }
  return failures;
}

std::unique_ptr<Command> makeBenchCommand() {
  return std::make_unique<BenchCommand>();
}

} // namespace fuse::driver
