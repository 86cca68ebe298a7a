//===- Checks.cpp - One program in several ways, all compared -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "../fuse/Inputs.h"
#include "Arrays.h"
#include "CompileOnly.h"
#include "DeviceArrays.h"
#include "Forms.h"
#include "fuse/Execution/JIT.h"
#include "fuse/Reference/Evaluate.h"
#include "fuse/Reference/Verify.h"
#include "fuse/Target/GPUTarget.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace llvm;
using fuse::driver::Array;
using mlir::func::FuncOp;
namespace reference = mlir::fuse::reference;

namespace fuse::crosscheck {

/// Most kernels have fewer; a number past the last means the choice.
static constexpr unsigned mostCandidates = 20;

/// The distance between the random seeds of two cases; with another, the tests
/// of former finds would draw other schedules.
static constexpr unsigned numSeeds = 9;

using Arrays = std::vector<Array>;
using Values = SmallVector<reference::Value>;

namespace {
/// One case on its way through the checks.
class Checker {
public:
  Checker(const Case &program, unsigned schedules)
      : program(program), random(program.seed), schedules(schedules) {}

  Error prepare();
  Error prepareRuns();
  Error run(Check check);

  Summary summary;

private:
  jit::CompileOptions options(FuncOp function, bool strict = false);
  StringRef gpuChip() const;
  jit::CompileOptions emulated();
  jit::CompileOptions onDevice();
  Error prepareInputs();
  Expected<Values> evaluate(FuncOp function);
  Expected<Arrays> runText(StringRef text, const jit::CompileOptions &options,
                           Placing placing = Placing::Aligned);
  Error compare(ArrayRef<reference::Value> values, ArrayRef<Array> outputs);
  Error compareText(StringRef text, const jit::CompileOptions &options,
                    Placing placing = Placing::Aligned);

  Error compareRuns(jit::CompiledProgram &compiled);
  Error checkFused();
  Error checkUnaligned(jit::CompiledProgram &compiled);
  Error checkCompiled();
  Error checkGPU();
  Error checkStrided(ArrayRef<jit::CompileOptions> targets);
  Error checkUnfused();
  Error checkStrict();
  Error checkSchedules(StringRef chip, const jit::CompileOptions &options);
  Error checkCandidates(const jit::CompileOptions &options);
  Error checkTwins();
  Error checkTwin(FuncOp twin);

  const Case &program;
  std::mt19937_64 random;
  unsigned schedules;
  std::unique_ptr<Forms> forms;
  FuncOp entry;
  /// For the CPU.
  std::unique_ptr<jit::CompiledProgram> fused;
  Arrays inputs;
  Values expected;
};
} // namespace

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// What the checks share
//===----------------------------------------------------------------------===//

jit::CompileOptions Checker::options(FuncOp function, bool strict) {
  jit::CompileOptions result;
  result.entry = function.getName().str();
  result.target = jit::Target::CPU;
  result.strict = strict;
  result.cache = false;
  result.tuned = false;
  // Of half the programs, the code for any length is what runs.
  if (program.seed % 2 == 0)
    result.lengths = 0;
  return result;
}

/// The GPU whose kernels are emulated: of half the programs, one with wgmma.
StringRef Checker::gpuChip() const {
  SmallVector<StringRef> chips[2];
  for (const mlir::fuse::GPUTarget &gpu : mlir::fuse::getGPUTargets())
    chips[gpu.hasWgmma].push_back(gpu.chip);
  ArrayRef<StringRef> those = chips[program.seed / 2 % 2];
  return those[program.seed / 4 % those.size()];
}

jit::CompileOptions Checker::emulated() {
  jit::CompileOptions result = options(entry);
  result.target = jit::Target::Emulator;
  result.chip = gpuChip().str();
  result.emulatorSeed = random();
  return result;
}

jit::CompileOptions Checker::onDevice() {
  jit::CompileOptions result = options(entry);
  result.target = jit::Target::CUDA;
  return result;
}

/// Runs on the device that the program was compiled for.
static Expected<Arrays> runAnywhere(jit::CompiledProgram &program,
                                    ArrayRef<Array> inputs, Placing placing,
                                    ArrayRef<runtime::Shape> strides = {}) {
  return program.device().kind == runtime::Device::Kind::CUDA
             ? runOnDevice(program, inputs, placing, strides)
             : runGuarded(program, inputs, placing, strides);
}

Error Checker::prepareInputs() {
  auto compiled = jit::compile(program.text, program.path, options(entry));
  if (!compiled)
    return compiled.takeError();
  fused = std::move(*compiled);
  auto made = driver::prepareInputs(fused->spec(), {}, program.dims,
                                    program.seed, fused->stddev());
  if (!made)
    return made.takeError();
  inputs = std::move(*made);
  for (Array &input : inputs)
    fillEdges(input, program.fill, random());
  return Error::success();
}

Expected<Values> Checker::evaluate(FuncOp function) {
  Values values;
  for (const Array &input : inputs)
    values.push_back(toValue(input));
  return reference::evaluate(function, values);
}

Error Checker::prepare() {
  auto made = Forms::create(program.text, program.path);
  if (!made)
    return made.takeError();
  forms = std::move(*made);
  if (forms->functions().empty())
    return makeError("expected a public function, but got none");
  entry = forms->functions().front();
  return Error::success();
}

Error Checker::prepareRuns() {
  if (Error error = prepareInputs())
    return error;
  auto values = evaluate(entry);
  if (!values)
    return values.takeError();
  expected = std::move(*values);
  return Error::success();
}

Expected<Arrays> Checker::runText(StringRef text,
                                  const jit::CompileOptions &options,
                                  Placing placing) {
  auto compiled = jit::compile(text, program.path, options);
  if (!compiled)
    return compiled.takeError();
  return runAnywhere(**compiled, inputs, placing);
}

Error Checker::compare(ArrayRef<reference::Value> values,
                       ArrayRef<Array> outputs) {
  ++summary.runs;
  for (auto [index, value] : enumerate(values)) {
    const void *actual = outputs[index].buffer->data();
    reference::Report report = reference::compare(value, actual);
    summary.boundRatio = std::max(summary.boundRatio, report.maxBoundRatio);
    if (!report.ok())
      return makeError(formatv("result {0}: {1} of {2} elements: {3}", index,
                               report.mismatches, report.elements,
                               report.firstMismatch));
  }
  return Error::success();
}

Error Checker::compareText(StringRef text, const jit::CompileOptions &options,
                           Placing placing) {
  auto outputs = runText(text, options, placing);
  if (!outputs)
    return outputs.takeError();
  return compare(expected, *outputs);
}

static Error compareBits(ArrayRef<Array> some, ArrayRef<Array> others,
                         StringRef what) {
  for (auto [index, pair] : enumerate(zip(some, others))) {
    const auto &[a, b] = pair;
    const auto *x = static_cast<const char *>(a.buffer->data());
    const auto *y = static_cast<const char *>(b.buffer->data());
    if (a.byteSize() == 0 || std::memcmp(x, y, a.byteSize()) == 0)
      continue;
    size_t byte = std::mismatch(x, x + a.byteSize(), y).first - x;
    return makeError(formatv("expected the same bits from {0}, but got others "
                             "at byte {1} of result {2}",
                             what, byte, index));
  }
  return Error::success();
}

/// The same elements bit for bit; any NaN is any other's equal, since LLVM
/// leaves open whose sign and payload the NaN of an operation has. `like` has
/// the types.
static Error compareElements(ArrayRef<reference::Value> like,
                             ArrayRef<Array> some, ArrayRef<Array> others,
                             StringRef what) {
  for (auto [index, value] : enumerate(like)) {
    const auto *x = static_cast<const char *>(some[index].buffer->data());
    const auto *y = static_cast<const char *>(others[index].buffer->data());
    auto a = reference::fromBuffer(value.dtype, value.shape, x);
    auto b = reference::fromBuffer(value.dtype, value.shape, y);
    int64_t bytes = reference::getBytes(value.dtype);
    for (int64_t i : seq<int64_t>(value.size())) {
      bool areNaN = reference::isFloat(value.dtype) && std::isnan(a.data[i]) &&
                    std::isnan(b.data[i]);
      if (!areNaN && std::memcmp(x + i * bytes, y + i * bytes, bytes) != 0)
        return makeError(formatv("expected the same bits from {0}, but got "
                                 "others in element {1} of result {2}",
                                 what, i, index));
    }
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The checks
//===----------------------------------------------------------------------===//

/// Twice, since results must not change from run to run.
Error Checker::compareRuns(jit::CompiledProgram &compiled) {
  auto outputs = runAnywhere(compiled, inputs, Placing::Aligned);
  if (!outputs)
    return outputs.takeError();
  if (Error error = compare(expected, *outputs))
    return error;
  auto again = runAnywhere(compiled, inputs, Placing::Aligned);
  if (!again)
    return again.takeError();
  return compareBits(*outputs, *again, "a second run");
}

Error Checker::checkFused() {
  auto isUnbounded = [](const reference::Value &value) {
    return value.size() > 0 && !value.error.empty() &&
           all_of(value.error, [](double error) { return std::isinf(error); });
  };
  summary.unbounded = all_of(expected, isUnbounded);
  return compareRuns(*fused);
}

Error Checker::checkUnaligned(jit::CompiledProgram &compiled) {
  for (Placing placing : {Placing::Unaligned, Placing::Mixed}) {
    auto outputs = runAnywhere(compiled, inputs, placing);
    if (!outputs)
      return outputs.takeError();
    if (Error error = compare(expected, *outputs))
      return error;
  }
  return Error::success();
}

Error Checker::checkCompiled() {
  jit::CompileOptions target = onDevice();
  target.chip = gpuChip().str();
  return compileAsCalled(program, target);
}

Error Checker::checkGPU() {
  auto compiled = jit::compile(program.text, program.path, onDevice());
  if (!compiled)
    return compiled.takeError();
  if (Error error = compareRuns(**compiled))
    return error;
  if (Error error = checkUnaligned(**compiled))
    return error;
  return program.wants(Check::Strided) ? checkStrided(onDevice())
                                       : Error::success();
}

Error Checker::checkStrided(ArrayRef<jit::CompileOptions> targets) {
  SmallVector<runtime::Shape> strides;
  for (const Array &input : inputs)
    strides.push_back(randomStrides(input.shape, random));
  for (auto [index, value] : enumerate(expected)) {
    // Where a result may take an input's buffer, it does so half of the time.
    std::optional<unsigned> input = fused->inPlace()[index];
    strides.push_back(input && random() % 2 == 0
                          ? strides[*input]
                          : randomStrides(value.shape, random));
  }
  for (const jit::CompileOptions &target : targets) {
    auto compiled = jit::compile(program.text, program.path, target);
    if (!compiled)
      return compiled.takeError();
    auto outputs = runAnywhere(**compiled, inputs, Placing::Aligned, strides);
    if (!outputs)
      return outputs.takeError();
    if (Error error = compare(expected, *outputs))
      return error;
  }
  return Error::success();
}

Error Checker::checkUnfused() {
  auto text = forms->unfused();
  return text ? compareText(*text, options(entry)) : text.takeError();
}

Error Checker::checkStrict() {
  jit::CompileOptions strict = options(entry, /*strict=*/true);
  auto outputs = runText(program.text, strict);
  if (!outputs)
    return outputs.takeError();
  if (Error error = compare(expected, *outputs))
    return error;
  Expected<bool> isPointwise = forms->isPointwise(entry);
  if (!isPointwise)
    return isPointwise.takeError();
  if (!*isPointwise)
    return Error::success();
  auto text = forms->unfused();
  if (!text)
    return text.takeError();
  auto unfused = runText(*text, strict);
  if (!unfused)
    return unfused.takeError();
  return compareElements(expected, *outputs, *unfused, "the unfused program");
}

/// A vector that divides the dimensions of one call may not those of another.
static Error compileForAnyLength(jit::CompiledProgram &program) {
  if (program.spec().symbols.empty())
    return Error::success();
  runtime::Facts facts = runtime::Facts::usual();
  facts.divisible = false;
  return program.code(facts).takeError();
}

Error Checker::checkSchedules(StringRef chip,
                              const jit::CompileOptions &options) {
  auto text = forms->scheduled(chip);
  if (!text)
    return text.takeError();
  for (unsigned i = 0; i < schedules; ++i) {
    auto changed = perturbSchedules(*text, random, /*oneThread=*/chip == "cpu");
    if (!changed)
      return Error::success();
    auto compiled = jit::compile(*changed, program.path, options);
    Error refusal =
        compiled ? compileForAnyLength(**compiled) : compiled.takeError();
    if (refusal) {
      consumeError(std::move(refusal));
      ++summary.refused;
      continue;
    }
    auto outputs = runAnywhere(**compiled, inputs, Placing::Aligned);
    Error error = outputs ? compare(expected, *outputs) : outputs.takeError();
    if (error)
      return joinErrors(std::move(error), makeError("with " + *changed));
  }
  return Error::success();
}

/// The schedules that tuning would try, none of which may be refused.
Error Checker::checkCandidates(const jit::CompileOptions &options) {
  for (unsigned i = 0; i < schedules; ++i) {
    jit::CompileOptions other = options;
    other.candidate = 1 + random() % mostCandidates;
    if (Error error = compareText(program.text, other))
      return joinErrors(
          std::move(error),
          makeError(formatv("with candidate {0}", other.candidate)));
  }
  return Error::success();
}

/// Results of one program that have to be within the bounds of both.
static Values widen(ArrayRef<reference::Value> some,
                    ArrayRef<reference::Value> others) {
  Values result(some);
  for (auto [value, other] : zip(result, others)) {
    if (value.error.empty())
      value.error.resize(value.size());
    for (int64_t i = 0; i < value.size(); ++i)
      value.error[i] += other.getError(i);
  }
  return result;
}

Error Checker::checkTwin(FuncOp twin) {
  auto values = evaluate(twin);
  if (!values)
    return values.takeError();
  auto outputs = runText(program.text, options(twin));
  if (!outputs)
    return outputs.takeError();
  if (Error error = compare(*values, *outputs))
    return error;
  if (Error error = compare(widen(expected, *values), *outputs))
    return joinErrors(makeError("against the first function: "),
                      std::move(error));
  return Error::success();
}

Error Checker::checkTwins() {
  for (FuncOp twin : drop_begin(forms->functions()))
    if (Error error = checkTwin(twin))
      return joinErrors(makeError("@" + twin.getName() + ": "),
                        std::move(error));
  return Error::success();
}

Error Checker::run(Check check) {
  // Alone, a check does what it does among others.
  random.seed(program.seed * numSeeds + static_cast<int>(check));
  switch (check) {
  case Check::Fused:
    return checkFused();
  case Check::Unaligned:
    return checkUnaligned(*fused);
  case Check::Strided:
    return checkStrided({options(entry), emulated()});
  case Check::Unfused:
    return checkUnfused();
  case Check::Strict:
    return checkStrict();
  case Check::Schedules:
    return checkSchedules("cpu", options(entry));
  case Check::Twins:
    return checkTwins();
  case Check::Emulated:
    return compareText(program.text, emulated(),
                       program.seed / 8 % 4 == 0 ? Placing::Mixed
                                                 : Placing::Aligned);
  case Check::EmulatedSchedules:
    if (Error error = checkCandidates(emulated()))
      return error;
    return checkSchedules(gpuChip(), emulated());
  case Check::Compiled:
    return checkCompiled();
  case Check::GPU:
    return checkGPU();
  case Check::GPUSchedules:
    if (Error error = checkCandidates(onDevice()))
      return error;
    return checkSchedules(gpuChip(), onDevice());
  }
  llvm_unreachable("every check is handled");
}

Expected<Summary> crosscheck(const Case &program, ArrayRef<Check> which,
                             unsigned schedules,
                             function_ref<void(Check)> started) {
  Checker checker(program, schedules);
  Error error = checker.prepare();
  // A program that is only compiled needs no inputs.
  if (!error && which != ArrayRef(Check::Compiled))
    error = checker.prepareRuns();
  if (error)
    return joinErrors(makeError("prepare: "), std::move(error));
  for (Check check : which) {
    if (!program.wants(check))
      continue;
    started(check);
    if (Error error = checker.run(check))
      return joinErrors(makeError(name(check) + ": "), std::move(error));
  }
  return checker.summary;
}

} // namespace fuse::crosscheck
