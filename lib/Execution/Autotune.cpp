//===- Autotune.cpp - Schedules by measurement ----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Execution/Autotune.h"
#include "ScratchTensors.h"
#include "fuse/Runtime/CudaDriver.h"
#include "fuse/Schedule/TuningFile.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ThreadPool.h"
#include <cstdlib>

using namespace llvm;
using namespace fuse::runtime;
using mlir::fuse::TuningEntry;
using mlir::fuse::TuningFile;

namespace fuse::jit {

/// Of the second launch of a kernel whose columns are shared by blocks.
static constexpr StringLiteral combineSuffix = "_combine";
/// What a schedule has to win before it replaces the unmeasured choice.
static constexpr double worthwhile = 0.99;

namespace {
/// The k-th variant.
struct Variant {
  std::unique_ptr<CompiledProgram> program;
  /// For each kernel of the program its schedule, and the sum of its launches
  /// in each run.
  std::vector<std::string> schedules;
  std::vector<bool> spills;
  std::vector<std::vector<double>> seconds;
};

class Autotuner {
public:
  Autotuner(StringRef text, StringRef fileName, const CompileOptions &options,
            const Facts &facts, const AutotuneOptions &tuning)
      : text(text), fileName(fileName), options(options), facts(facts),
        tuning(tuning) {}

  Error compileAll();
  Error measureAll(Stopwatch stopwatch);
  std::vector<TunedKernel> results() const;
  Error write(ArrayRef<TunedKernel> kernels) const;

private:
  Expected<std::unique_ptr<CompiledProgram>> compileOne(unsigned number) const;
  Error describe(Variant &variant);
  Error measure(Variant &variant, Stopwatch stopwatch, bool counts);
  size_t kernelOf(StringRef launch, size_t from) const;
  void report(StringRef stage, unsigned done, unsigned all) const {
    if (tuning.progress)
      tuning.progress(stage, done, all);
  }

  StringRef text, fileName;
  const CompileOptions &options;
  const Facts &facts;
  const AutotuneOptions &tuning;
  /// Those that compile, and differ; the first is the unmeasured choice.
  std::vector<Variant> variants;
  std::vector<TuningKey> kernels;
  /// The bytes that each kernel moves.
  std::vector<int64_t> bytes;
};
} // namespace

Expected<std::unique_ptr<CompiledProgram>>
Autotuner::compileOne(unsigned number) const {
  CompileOptions variant = options;
  variant.candidate = number;
  variant.tuned = false;
  // The stages of all variants would have the same files.
  variant.dumpDirectory.clear();
  Expected<std::unique_ptr<CompiledProgram>> program =
      compile(text, fileName, variant);
  if (program)
    if (Error error = (*program)->code(facts).takeError())
      return std::move(error);
  return program;
}

/// The kernel, from the number `from` on, that the launch belongs to: a kernel
/// in parts has a second launch.
size_t Autotuner::kernelOf(StringRef launch, size_t from) const {
  for (size_t i = from; i < kernels.size(); ++i)
    if (StringRef rest = launch; rest.consume_front(kernels[i].kernel) &&
                                 (rest.empty() || rest == combineSuffix))
      return i;
  return kernels.size();
}

Error Autotuner::describe(Variant &variant) {
  Expected<const Code &> code = variant.program->code(facts);
  if (!code)
    return code.takeError();
  variant.schedules.resize(kernels.size());
  variant.spills.resize(kernels.size());
  variant.seconds.resize(kernels.size());
  size_t number = 0;
  for (const KernelInfo &launch : code->kernels) {
    number = kernelOf(launch.name, number);
    if (number == kernels.size())
      break;
    variant.schedules[number] = launch.schedule;
    for (const auto &resources : code->assembled.kernels)
      if (resources.name == launch.symbol && resources.spillStoreBytes > 0)
        variant.spills[number] = true;
  }
  return Error::success();
}

/// Compiles in parallel. Variant 0 must compile; others may be refused.
Error Autotuner::compileAll() {
  std::vector<Expected<std::unique_ptr<CompiledProgram>>> compiled;
  for (unsigned i = 0; i < tuning.candidates; ++i)
    compiled.push_back(nullptr);
  std::mutex mutex;
  unsigned done = 0;
  DefaultThreadPool pool;
  for (unsigned i = 0; i < tuning.candidates; ++i)
    pool.async([&, i] {
      Expected<std::unique_ptr<CompiledProgram>> made = compileOne(i);
      std::lock_guard<std::mutex> lock(mutex);
      cantFail(std::move(compiled[i]));
      compiled[i] = std::move(made);
      report("compile", ++done, tuning.candidates);
    });
  pool.wait();
  Error error = Error::success();
  for (auto [number, made] : enumerate(compiled)) {
    if (made)
      variants.push_back({std::move(*made), {}, {}, {}});
    else if (number == 0)
      error = made.takeError();
    else
      consumeError(made.takeError());
  }
  if (error)
    return error;
  Expected<std::vector<TuningKey>> keys =
      variants.front().program->tuningKeys(facts);
  if (!keys)
    return keys.takeError();
  kernels = std::move(*keys);
  bytes.resize(kernels.size());
  for (Variant &variant : variants)
    if (Error failed = describe(variant))
      return failed;
  // Where all kernels have fewer candidates the choice comes again.
  erase_if(variants, [&](const Variant &variant) {
    return &variant != &variants.front() &&
           variant.schedules == variants.front().schedules;
  });
  return Error::success();
}

Error Autotuner::measure(Variant &variant, Stopwatch stopwatch, bool counts) {
  Expected<SmallVector<KernelTiming>> timings = stopwatch(*variant.program);
  if (!timings)
    return timings.takeError();
  if (!counts)
    return Error::success();
  std::vector<double> seconds(kernels.size());
  std::vector<int64_t> moved(kernels.size());
  size_t number = 0;
  for (const KernelTiming &timing : *timings) {
    size_t found = kernelOf(timing.name, number);
    // Copies belong to no kernel.
    if (found == kernels.size())
      continue;
    number = found;
    seconds[number] += timing.seconds;
    moved[number] += timing.bytesRead + timing.bytesWritten;
  }
  for (size_t i = 0; i < kernels.size(); ++i) {
    variant.seconds[i].push_back(seconds[i]);
    bytes[i] = std::max(bytes[i], moved[i]);
  }
  return Error::success();
}

/// In turns, so that a clock that changes hits all alike.
Error Autotuner::measureAll(Stopwatch stopwatch) {
  for (Variant &variant : variants)
    if (Error error = measure(variant, stopwatch, /*counts=*/false))
      return error;
  for (unsigned round = 0; round < tuning.rounds; ++round) {
    for (Variant &variant : variants)
      if (Error error = measure(variant, stopwatch, /*counts=*/true))
        return error;
    report("measure", round + 1, tuning.rounds);
  }
  return Error::success();
}

static double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  llvm::sort(values);
  return values[values.size() / 2];
}

std::vector<TunedKernel> Autotuner::results() const {
  std::vector<TunedKernel> tuned;
  for (size_t i = 0; i < kernels.size(); ++i) {
    TunedKernel kernel{kernels[i].kernel, kernels[i].key, {}, 0};
    for (const Variant &variant : variants) {
      bool isKnown = any_of(kernel.trials, [&](const Trial &trial) {
        return trial.schedule == variant.schedules[i];
      });
      if (!isKnown)
        kernel.trials.push_back({variant.schedules[i], variant.spills[i],
                                 median(variant.seconds[i])});
    }
    double limit = kernel.trials.front().seconds * worthwhile;
    for (auto [number, trial] : enumerate(kernel.trials))
      if (!trial.spills && trial.seconds < limit) {
        kernel.best = number;
        limit = trial.seconds;
      }
    tuned.push_back(std::move(kernel));
  }
  return tuned;
}

Error Autotuner::write(ArrayRef<TunedKernel> tuned) const {
  std::string path = tuningPath(options);
  if (path.empty())
    return createStringError("expected a folder for the tuning file, but got "
                             "none; name the file in the option tuning or "
                             "in FUSE_TUNING");
  std::string chip = variants.front().program->chip().str();
  std::vector<TuningEntry> entries;
  for (auto [kernel, moved] : zip_equal(tuned, bytes))
    if (kernel.trials.size() > 1 && moved > 0)
      entries.push_back({chip, kernel.key, Log2_64(moved),
                         kernel.trials[kernel.best].schedule,
                         kernel.trials[kernel.best].seconds});
  return TuningFile::merge(path, entries);
}

Expected<std::vector<TunedKernel>> autotune(StringRef text, StringRef fileName,
                                            const CompileOptions &options,
                                            const Facts &facts,
                                            Stopwatch stopwatch,
                                            const AutotuneOptions &tuning) {
  // A damaged file is no news to have after minutes.
  if (std::string path = tuningPath(options); !path.empty())
    if (Error error = TuningFile::read(path).takeError())
      return std::move(error);
  Autotuner tuner(text, fileName, options, facts, tuning);
  if (Error error = tuner.compileAll())
    return std::move(error);
  if (Error error = tuner.measureAll(stopwatch))
    return std::move(error);
  std::vector<TunedKernel> tuned = tuner.results();
  if (Error error = tuner.write(tuned))
    return std::move(error);
  return tuned;
}

/// On a GPU, with the caches cold.
static Expected<SmallVector<KernelTiming>>
runCold(CompiledProgram &program, const ScratchTensors &tensors) {
  Expected<CudaDevice &> device = CudaDevice::get(program.device().id);
  if (!device)
    return device.takeError();
  if (Error error = device->flushL2({}))
    return std::move(error);
  return program.runTimed(tensors.inputs(), tensors.outputs());
}

static Error needsGPU(Error reason) {
  std::string why = reason ? "but got: " + toString(std::move(reason))
                           : "but the target is not cuda";
  return createStringError(
      "expected a GPU to tune on, " + why +
      "; tune on a machine with one, copy the tuning file, and name it in "
      "the option tuning or in FUSE_TUNING");
}

Expected<std::vector<TunedKernel>> autotune(StringRef text, StringRef fileName,
                                            const CompileOptions &options,
                                            ArrayRef<Shape> inputShapes,
                                            const AutotuneOptions &tuning) {
  if (options.target != Target::CUDA && options.target != Target::Auto)
    return needsGPU(Error::success());
  CompileOptions onGPU = options;
  onGPU.target = Target::CUDA;
  if (Expected<CudaDevice &> device = CudaDevice::get(options.device); !device)
    return needsGPU(device.takeError());
  Expected<std::unique_ptr<CompiledProgram>> program =
      compile(text, fileName, onGPU);
  if (!program)
    return program.takeError();
  Expected<ScratchTensors> tensors =
      ScratchTensors::create(**program, inputShapes);
  if (!tensors)
    return tensors.takeError();
  Expected<CompiledProgram &> fixed =
      (*program)->specialized(tensors->inputs());
  if (!fixed)
    return fixed.takeError();
  Expected<Facts> facts = fixed->factsOf(tensors->inputs(), tensors->outputs());
  if (!facts)
    return facts.takeError();
  auto stopwatch = [&](CompiledProgram &variant) {
    return runCold(variant, *tensors);
  };
  return autotune(text, fileName, fixed->options(), *facts, stopwatch, tuning);
}

json::Array reportTuning(ArrayRef<TunedKernel> kernels) {
  json::Array result;
  for (const TunedKernel &kernel : kernels) {
    json::Array trials;
    for (const Trial &trial : kernel.trials)
      trials.push_back(json::Object{{"schedule", trial.schedule},
                                    {"us", trial.seconds * 1e6},
                                    {"spills", trial.spills}});
    result.push_back(json::Object{{"kernel", kernel.name},
                                  {"key", kernel.key},
                                  {"best", kernel.best},
                                  {"trials", std::move(trials)}});
  }
  return result;
}

} // namespace fuse::jit
