//===- CompileOnly.cpp - A program compiled, not run ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileOnly.h"
#include "../fuse/Inputs.h"
#include "Arrays.h"
#include "fuse/Compiler/Compilation.h"
#include "fuse/Runtime/Arguments.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <random>

using namespace llvm;
using fuse::driver::Array;
using fuse::runtime::Facts;
using fuse::runtime::TensorView;

namespace fuse::crosscheck {

namespace {
/// A compilation, and the tensors that a case calls the program with.
class Callee {
public:
  static Expected<std::unique_ptr<Callee>>
  create(const Case &program, const jit::CompileOptions &options);

  Error compile(const Facts &facts);
  Error compileForCall();
  Error compileForViews(uint64_t seed);
  /// The case's lengths, as NAME=SIZE; none if calls run this program.
  Expected<std::vector<std::string>> lengths() const;

private:
  std::unique_ptr<jit::Compilation> compilation;
  runtime::ProgramSpec spec;
  std::vector<Array> inputs;
  SmallVector<TensorView> views;
};
} // namespace

/// Says what the code was to be for.
static Expected<jit::Code> generate(jit::Compilation &compilation,
                                    const Facts &facts) {
  auto code = compilation.generate(facts);
  if (code)
    return code;
  const jit::CompileOptions &options = compilation.options();
  std::string what = formatv("for {0} ({1})", options.chip, facts.str());
  if (!options.sizes.empty())
    what += " and " + join(options.sizes, ", ");
  return createStringError(what + ": " + toString(code.takeError()));
}

Error Callee::compile(const Facts &facts) {
  return generate(*compilation, facts).takeError();
}

Expected<std::unique_ptr<Callee>>
Callee::create(const Case &program, const jit::CompileOptions &options) {
  auto result = std::make_unique<Callee>();
  auto made = jit::Compilation::create(program.text, program.path, options);
  if (!made)
    return made.takeError();
  result->compilation = std::move(*made);
  auto code = generate(*result->compilation, Facts::usual());
  if (!code)
    return code.takeError();
  result->spec = code->plan.spec;
  auto inputs = driver::prepareInputs(result->spec, {}, program.dims,
                                      program.seed, code->plan.stddev);
  if (!inputs)
    return inputs.takeError();
  result->inputs = std::move(*inputs);
  for (const Array &input : result->inputs)
    result->views.push_back(input.view());
  return result;
}

Error Callee::compileForCall() {
  auto facts = runtime::computeFacts(spec, views, {});
  if (!facts)
    return facts.takeError();
  return *facts == Facts::usual() ? Error::success() : compile(*facts);
}

/// With half of the inputs unaligned or strided.
Error Callee::compileForViews(uint64_t seed) {
  std::mt19937_64 random(seed);
  SmallVector<TensorView> moved(views);
  for (TensorView &view : moved) {
    unsigned choice = random() % 4;
    if (choice == 0)
      view.strides = randomStrides(view.shape, random);
    if (choice == 1)
      view.data = static_cast<char *>(view.data) + sizeInBytes(view.dtype);
  }
  auto facts = runtime::computeFacts(spec, moved, {});
  return facts ? compile(*facts) : facts.takeError();
}

Expected<std::vector<std::string>> Callee::lengths() const {
  auto symbols = runtime::bindSymbols(spec, views);
  if (!symbols)
    return symbols.takeError();
  std::vector<std::string> result;
  for (unsigned symbol : spec.lengths) {
    int64_t size = (*symbols)[symbol];
    // Of a length of 0 or 1 there is no program.
    if (size < 2)
      return std::vector<std::string>();
    result.push_back(formatv("{0}={1}", spec.symbols[symbol], size));
  }
  return result;
}

Error compileAsCalled(const Case &program, jit::CompileOptions options) {
  auto callee = Callee::create(program, options);
  if (!callee)
    return callee.takeError();
  if (Error error = (*callee)->compileForCall())
    return error;
  if (Error error = (*callee)->compile(Facts()))
    return error;
  if (Error error = (*callee)->compileForViews(program.seed))
    return error;
  auto lengths = (*callee)->lengths();
  if (!lengths)
    return lengths.takeError();
  if (lengths->empty())
    return Error::success();
  options.sizes = *lengths;
  Case others = program;
  erase_if(others.dims, [&](const std::string &dim) {
    return is_contained(options.sizes, dim);
  });
  auto fixed = Callee::create(others, options);
  return fixed ? (*fixed)->compileForCall() : fixed.takeError();
}

} // namespace fuse::crosscheck
