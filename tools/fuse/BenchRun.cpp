//===- BenchRun.cpp - One case of fuse bench ------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that is compared is measured in the same rounds: a round times the
// program, the copy, and the program step by step, each once. What the machine
// does meanwhile falls on all of them alike.
//
//===----------------------------------------------------------------------===//

#include "BenchRun.h"
#include "BenchClock.h"
#include "DimOptions.h"
#include "Session.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::driver {

/// The median is known well enough where it is uncertain by less.
static constexpr double wantedUncertainty = 0.005;
/// Programs that take less seconds are measured in a graph, too: events cannot
/// see a kernel below 4 us, and add to what takes a little more.
static constexpr double shortSeconds = 20e-6;
/// Calls in a graph.
static constexpr unsigned graphLaunches = 64;
/// What the buffers of a graph's calls have together, at most: more than an L2
/// cache.
static constexpr int64_t rotationBytes = int64_t(256) << 20;

namespace {
class Bench {
public:
  Bench(const BenchCase &benchCase, const BenchOptions &options,
        jit::CompiledProgram &program, BenchClock &clock)
      : benchCase(benchCase), options(options), program(program), clock(clock) {
  }

  Error measure(BenchResult &result);

private:
  /// A list of samples for each of what is measured.
  struct Samples {
    SmallVector<double> program;
    SmallVector<double> copy;
    std::vector<SmallVector<double>> steps;
  };

  Expected<SmallVector<KernelTiming>> warmUp(Session &session);
  Error runRounds(Session &session, Samples &samples, bool bySteps);
  Error runRound(Session &session, Samples &samples, bool bySteps);
  bool isEnough(const Samples &samples,
                std::chrono::steady_clock::time_point start) const;
  Error measureInGraph(BenchResult &result);
  Expected<Quartiles> timeGraph(Work work);

  const BenchCase &benchCase;
  const BenchOptions &options;
  jit::CompiledProgram &program;
  BenchClock &clock;
};
} // namespace

/// Runs a few times, which also compiles what these arguments need. The steps
/// that do something.
Expected<SmallVector<KernelTiming>> Bench::warmUp(Session &session) {
  if (Error error = session.load())
    return std::move(error);
  for (int i = 0; i < 2; ++i)
    if (auto steps = session.timeSteps(); !steps)
      return steps.takeError();
  return session.timeSteps();
}

Error Bench::runRound(Session &session, Samples &samples, bool bySteps) {
  auto seconds =
      clock.time([&](Stream stream) { return session.enqueue(stream); });
  if (!seconds)
    return seconds.takeError();
  samples.program.push_back(*seconds);
  auto copied =
      clock.time([&](Stream stream) { return clock.copy(0, stream); });
  if (!copied)
    return copied.takeError();
  samples.copy.push_back(*copied);
  if (!bySteps)
    return Error::success();
  auto steps = session.timeSteps();
  if (!steps)
    return steps.takeError();
  samples.steps.resize(steps->size());
  for (auto [list, step] : zip_equal(samples.steps, *steps))
    list.push_back(step.seconds);
  return Error::success();
}

bool Bench::isEnough(const Samples &samples,
                     std::chrono::steady_clock::time_point start) const {
  unsigned runs = samples.program.size();
  if (runs < options.minRuns)
    return false;
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  if (elapsed.count() > options.seconds || runs >= options.maxRuns)
    return true;
  return Quartiles::of(samples.program).uncertainty() < wantedUncertainty &&
         Quartiles::of(samples.copy).uncertainty() < wantedUncertainty;
}

Error Bench::runRounds(Session &session, Samples &samples, bool bySteps) {
  auto start = std::chrono::steady_clock::now();
  while (!isEnough(samples, start))
    if (Error error = runRound(session, samples, bySteps))
      return error;
  return Error::success();
}

static std::vector<KernelResult> describeSteps(const jit::Code &code,
                                               ArrayRef<KernelTiming> steps) {
  std::vector<KernelResult> results;
  for (const KernelTiming &step : steps) {
    KernelResult &result = results.emplace_back();
    result.name = step.name;
    result.bytesRead = step.bytesRead;
    result.bytesWritten = step.bytesWritten;
    result.bytesAtMost = step.bytesAtMost;
    result.grid = step.grid;
    for (const jit::KernelInfo &kernel : code.kernels)
      if (kernel.name == step.name) {
        result.ops = join(kernel.ops, ", ");
        result.schedule = kernel.schedule;
      }
  }
  return results;
}

Error Bench::measure(BenchResult &result) {
  result.deviceName = clock.deviceName();
  result.chip = program.chip();
  auto session = Session::createRandom(program, benchCase.dims, options.seed);
  if (!session)
    return session.takeError();
  if (Error error = (*session)->checkCandidate())
    return error;
  auto steps = warmUp(**session);
  if (!steps)
    return steps.takeError();
  auto code = (*session)->code();
  if (!code)
    return code.takeError();
  result.kernels = describeSteps(*code, *steps);
  for (const KernelResult &kernel : result.kernels) {
    result.bytes += kernel.bytesRead + kernel.bytesWritten;
    result.bytesAtMost |= kernel.bytesAtMost;
  }
  if (Error error = clock.prepareCopies(result.bytes, 1))
    return error;
  Samples samples;
  bool bySteps = steps->size() > 1;
  if (Error error = runRounds(**session, samples, bySteps))
    return error;
  result.program = Quartiles::of(samples.program);
  result.copy = Quartiles::of(samples.copy);
  for (auto [index, kernel] : enumerate(result.kernels))
    kernel.time =
        bySteps ? Quartiles::of(samples.steps[index]) : result.program;
  session->reset();
  // Without bytes nothing is launched.
  if (clock.hasGraphs() && result.bytes > 0 &&
      result.program.median < shortSeconds)
    return measureInGraph(result);
  return Error::success();
}

/// Seconds of one of the many calls that `work` is.
Expected<Quartiles> Bench::timeGraph(Work work) {
  auto graph = clock.capture(work);
  if (!graph)
    return graph.takeError();
  SmallVector<double> samples;
  for (unsigned i = 0; i < options.minRuns + 2; ++i) {
    auto seconds = clock.time(*graph);
    if (!seconds)
      return seconds.takeError();
    // The first two warm up.
    if (i >= 2)
      samples.push_back(*seconds / graphLaunches);
  }
  return Quartiles::of(samples);
}

Error Bench::measureInGraph(BenchResult &result) {
  unsigned sets = std::clamp<int64_t>(
      rotationBytes / std::max<int64_t>(result.bytes, 1), 2, graphLaunches);
  std::vector<std::unique_ptr<Session>> sessions;
  for (unsigned i = 0; i < sets; ++i) {
    auto session = Session::createRandom(program, benchCase.dims, options.seed);
    if (!session)
      return session.takeError();
    if (Error error = (*session)->load())
      return error;
    sessions.push_back(std::move(*session));
  }
  if (Error error = clock.prepareCopies(result.bytes, sets))
    return error;
  auto program = timeGraph([&](Stream stream) -> Error {
    for (unsigned i = 0; i < graphLaunches; ++i)
      if (Error error = sessions[i % sets]->enqueue(stream))
        return error;
    return Error::success();
  });
  if (!program)
    return program.takeError();
  auto copies = timeGraph([&](Stream stream) -> Error {
    for (unsigned i = 0; i < graphLaunches; ++i)
      if (Error error = clock.copy(i, stream))
        return error;
    return Error::success();
  });
  if (!copies)
    return copies.takeError();
  result.programInGraph = *program;
  result.copyInGraph = *copies;
  return Error::success();
}

Expected<BenchResult> runBench(const BenchCase &benchCase,
                               const BenchOptions &options) {
  jit::CompileOptions compileOptions = options.compile;
  compileOptions.entry = benchCase.entry;
  auto program =
      jit::compile(benchCase.text, benchCase.fileName, compileOptions);
  if (!program)
    return program.takeError();
  auto dims = unifyDims(**program, benchCase.dims);
  if (!dims)
    return dims.takeError();
  BenchCase unified = benchCase;
  unified.dims = std::move(*dims);
  auto clock = BenchClock::create((*program)->device());
  if (!clock)
    return clock.takeError();
  Bench bench(unified, options, **program, **clock);
  BenchResult result;
  if (Error error = bench.measure(result))
    return std::move(error);
  auto check =
      checkBench(unified, **program, options.seed, options.checkElements);
  if (!check)
    return check.takeError();
  result.check = std::move(*check);
  return std::move(result);
}

} // namespace fuse::driver
