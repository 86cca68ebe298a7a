//===- BenchCheck.cpp - Whether what is measured is right -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchCheck.h"
#include "Inputs.h"
#include "RowSample.h"
#include "Session.h"
#include "Verification.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::driver {

/// Rows of a large run that are compared, at most.
static constexpr int64_t maxSampleRows = 64;

namespace {
class Checker {
public:
  Checker(const BenchCase &benchCase, jit::CompiledProgram &program,
          uint64_t seed, int64_t maxElements)
      : benchCase(benchCase), program(program), seed(seed),
        maxElements(maxElements) {}

  Expected<CheckResult> check();

private:
  Expected<int64_t> countElements(ArrayRef<std::string> dims);
  bool isLength(StringRef dim) const;
  Expected<bool> shrink(std::vector<std::string> &dims);
  Expected<std::unique_ptr<Session>> run(ArrayRef<std::string> dims);
  Error compare(ArrayRef<Array> inputs, ArrayRef<Array> outputs,
                CheckResult &result);
  bool rowsStandAlone(const Session &session);
  Error compareRows(CheckResult &result);

  const BenchCase &benchCase;
  jit::CompiledProgram &program;
  uint64_t seed;
  int64_t maxElements;
};
} // namespace

/// The elements of all inputs and outputs at these sizes.
Expected<int64_t> Checker::countElements(ArrayRef<std::string> dims) {
  const ProgramSpec &spec = program.spec();
  auto symbols = parseSizes(spec, dims);
  if (!symbols)
    return symbols.takeError();
  uint64_t total = 0;
  auto add = [&](const TensorSpec &tensor) -> Error {
    auto shape = evaluateShape(spec, tensor, *symbols);
    if (!shape)
      return shape.takeError();
    auto count = numElements(*shape);
    if (!count)
      return count.takeError();
    total = SaturatingAdd<uint64_t>(total, *count);
    return Error::success();
  };
  for (const TensorSpec &input : spec.inputs)
    if (Error error = add(input))
      return std::move(error);
  for (const TensorSpec &output : spec.outputs)
    if (Error error = add(output))
      return std::move(error);
  return std::min<uint64_t>(total, INT64_MAX);
}

static int64_t sizeOf(StringRef dim) {
  int64_t size = 0;
  dim.split('=').second.getAsInteger(10, size);
  return size;
}

/// Whether the program has other code for another size.
bool Checker::isLength(StringRef dim) const {
  const runtime::ProgramSpec &spec = program.spec();
  return any_of(spec.lengths, [&](unsigned symbol) {
    return spec.symbols[symbol] == dim.split('=').first;
  });
}

/// Halves the largest of `dims` until the oracle can take them, the lengths of
/// rows last: the code is to be that which is measured. False if they are too
/// large at 1.
Expected<bool> Checker::shrink(std::vector<std::string> &dims) {
  auto rank = [&](StringRef dim) {
    bool mayStay = isLength(dim) || sizeOf(dim) <= 1;
    return std::pair(!mayStay, sizeOf(dim));
  };
  while (true) {
    Expected<int64_t> elements = countElements(dims);
    if (!elements)
      return elements.takeError();
    if (*elements <= maxElements)
      return true;
    auto largest = max_element(dims, [&](StringRef lhs, StringRef rhs) {
      return rank(lhs) < rank(rhs);
    });
    if (largest == dims.end() || sizeOf(*largest) <= 1)
      return false;
    *largest = formatv("{0}={1}", StringRef(*largest).split('=').first,
                       sizeOf(*largest) / 2);
  }
}

Expected<std::unique_ptr<Session>> Checker::run(ArrayRef<std::string> dims) {
  auto session = Session::createRandom(program, dims, seed);
  if (!session)
    return session.takeError();
  if (Error error = (*session)->run())
    return std::move(error);
  return std::move(*session);
}

/// Adds what the oracle says to `result`.
Error Checker::compare(ArrayRef<Array> inputs, ArrayRef<Array> outputs,
                       CheckResult &result) {
  auto verification = verify(benchCase.text, benchCase.fileName,
                             benchCase.entry, inputs, outputs);
  if (!verification)
    return verification.takeError();
  result.status = CheckResult::Status::Right;
  for (auto [report, output] :
       zip(verification->reports, program.spec().outputs)) {
    result.maxError = std::max(result.maxError, report.maxAbsError);
    result.maxBoundRatio = std::max(result.maxBoundRatio, report.maxBoundRatio);
    if (report.ok())
      continue;
    result.status = CheckResult::Status::Wrong;
    result.detail =
        formatv("{0} of {1} elements of '{2}': {3}", report.mismatches,
                report.elements, output.name, report.firstMismatch);
  }
  return Error::success();
}

/// Whether some rows alone give what they gave among all. The last one by
/// itself shows most: a sum, a largest value and a position would be others.
bool Checker::rowsStandAlone(const Session &session) {
  ArrayRef<Array> outputs = session.outputs();
  for (int64_t count : {1, 3}) {
    auto few = sampleRows(program.spec(), session.inputs(), outputs, count);
    if (!few) {
      consumeError(few.takeError());
      return false;
    }
    if (!*few || outputs[0].shape[0] <= count)
      return false;
    CheckResult alone;
    // A program that needs more rows fails.
    if (errorToBool(compare((*few)->inputs, (*few)->outputs, alone)) ||
        alone.status != CheckResult::Status::Right)
      return false;
  }
  return true;
}

/// Compares some rows of the whole case.
Error Checker::compareRows(CheckResult &result) {
  Expected<int64_t> elements = countElements(benchCase.dims);
  if (!elements)
    return elements.takeError();
  auto whole = run(benchCase.dims);
  if (!whole)
    return whole.takeError();
  // As many as the oracle may get.
  int64_t all = (*whole)->outputs()[0].shape[0];
  int64_t rows = std::clamp<int64_t>(all / divideCeil(*elements, maxElements),
                                     1, maxSampleRows);
  auto sample =
      sampleRows(program.spec(), (*whole)->inputs(), (*whole)->outputs(), rows);
  if (!sample)
    return sample.takeError();
  assert(*sample && "the smaller run had rows");
  std::string smallerSizes = result.detail;
  if (Error error = compare((*sample)->inputs, (*sample)->outputs, result))
    return error;
  if (result.status == CheckResult::Status::Right)
    result.detail = formatv("{0}, and {1} rows", smallerSizes, rows);
  return Error::success();
}

Expected<CheckResult> Checker::check() {
  CheckResult result;
  if (maxElements == 0) {
    result.detail = "not asked for";
    return result;
  }
  std::vector<std::string> dims = benchCase.dims;
  Expected<bool> fits = shrink(dims);
  if (!fits)
    return fits.takeError();
  if (!*fits) {
    result.detail = "too large for the oracle";
    return result;
  }
  auto session = run(dims);
  if (!session)
    return session.takeError();
  if (Error error =
          compare((*session)->inputs(), (*session)->outputs(), result))
    return std::move(error);
  if (dims == benchCase.dims || result.status == CheckResult::Status::Wrong)
    return result;
  result.detail = "at " + join(dims, " ");
  bool standAlone = rowsStandAlone(**session);
  session->reset();
  if (standAlone)
    if (Error error = compareRows(result))
      return std::move(error);
  return result;
}

Expected<CheckResult> checkBench(const BenchCase &benchCase,
                                 jit::CompiledProgram &program, uint64_t seed,
                                 int64_t maxElements) {
  return Checker(benchCase, program, seed, maxElements).check();
}

} // namespace fuse::driver
