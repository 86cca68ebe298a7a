//===- Run.cpp - fuse run -------------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "DimOptions.h"
#include "Inputs.h"
#include "RemarkPrinter.h"
#include "RunReport.h"
#include "StridedImage.h"
#include "Terminal.h"
#include "Tuning.h"
#include "fuse/Compiler/Report.h"
#include "fuse/Compiler/Source.h"
#include "fuse/Explain/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace fuse::runtime;

namespace fuse::driver {

namespace {
class RunCommand : public Command {
public:
  RunCommand() : Command("run", "Compile and run a program") {}

  Error execute() override;
  void addValues(OptionValues &values) override { program.addValues(values); }

private:
  Error execute(StringRef text);
  Expected<std::unique_ptr<jit::CompiledProgram>>
  compileTuned(StringRef text, ArrayRef<Array> arrays);
  Expected<StringMap<std::string>> outputFiles(const ProgramSpec &spec);
  Error report(StringRef text, const jit::CompiledProgram &compiled,
               Session &session);

  ProgramOptions program{sub, category, jit::Target::Auto};
  TuningOptions tuning{sub, category};
  cl::list<std::string> inputs{
      "input", cl::sub(sub), cl::cat(category),
      cl::value_desc("NAME=FILE.npy|FILE.safetensors:KEY|NUMBER"),
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
      cl::desc("Pass an input or a result as a view with these strides, in "
               "elements")};
  cl::opt<uint64_t> seed{"seed", cl::sub(sub), cl::cat(category), cl::init(0),
                         cl::desc("Seed of random inputs")};
  cl::opt<unsigned, false, CountParser> repeat{
      "repeat",
      cl::sub(sub),
      cl::cat(category),
      cl::init(3),
      cl::value_desc("N"),
      cl::desc("Timed runs; the median counts")};
  cl::opt<bool> verification{
      "verify", cl::sub(sub), cl::cat(category),
      cl::desc("Compare the outputs with the f64 oracle")};
  cl::opt<bool> asJSON{"json", cl::sub(sub), cl::cat(category),
                       cl::desc("Times and verification as JSON")};
  ProgressLine progress;
};
} // namespace

/// The views that the run has copied, and why.
static std::vector<jit::Remark> copiesOf(const jit::CompiledProgram &program) {
  std::vector<jit::Remark> copies;
  copy_if(program.remarks(), std::back_inserter(copies),
          [](const jit::Remark &remark) {
            return remark.category == mlir::fuse::kCopyCategory;
          });
  return copies;
}

Expected<StringMap<std::string>>
RunCommand::outputFiles(const ProgramSpec &spec) {
  std::vector<std::string> names;
  for (const OutputSpec &output : spec.outputs)
    names.push_back(output.name);
  return parseAssignments(outputs, "output", names);
}

Error RunCommand::execute() {
  if (!tuning.autotune)
    if (Error error = program.checkTuningFile())
      return error;
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
  if (!asJSON)
    printTuning(outs(), *tuned);
  return jit::compile(text, program.file, program.compileOptions());
}

Error RunCommand::execute(StringRef text) {
  progress.show("compile");
  auto compiled = jit::compile(text, program.file, program.compileOptions());
  progress.clear();
  if (!compiled)
    return compiled.takeError();
  const ProgramSpec &spec = (*compiled)->spec();
  std::unique_ptr<jit::CompiledProgram> untuned;
  auto files = outputFiles(spec);
  if (!files)
    return files.takeError();
  auto sizes = unifyDims(**compiled, dims);
  if (!sizes)
    return sizes.takeError();
  auto arrays =
      prepareInputs(spec, inputs, *sizes, seed, (*compiled)->stddev());
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
  if (Error error = session->checkCandidate())
    return error;
  progress.show("run");
  Error failed = session->run();
  progress.clear();
  if (failed)
    return failed;
  for (auto [index, output] : enumerate(spec.outputs)) {
    auto it = files->find(output.name);
    if (it != files->end())
      if (Error error = writeNpy(it->second, session->outputs()[index]))
        return error;
  }
  return report(text, **compiled, *session);
}

/// Measures, verifies, and says both.
Error RunCommand::report(StringRef text, const jit::CompiledProgram &compiled,
                         Session &session) {
  bool isEmulated = program.target == jit::Target::Emulator;
  json::Object object{{"program", compiled.spec().name},
                      {"chip", compiled.chip()}};
  std::vector<jit::Remark> copies = copiesOf(compiled);
  if (!isEmulated) {
    progress.show("measure");
    auto timings = session.measure(repeat);
    progress.clear();
    if (!timings)
      return timings.takeError();
    std::vector<StepTime> steps = stepsOf(compiled, *timings);
    if (asJSON)
      object["time"] = stepsToJSON(steps);
    else
      printSteps(steps, compiled.chip());
  } else if (!asJSON) {
    outs() << formatv("emulated on {0}: no rule was broken\n", compiled.chip());
  }
  if (asJSON)
    object["copies"] = jit::reportRemarks(copies);
  else
    printRemarks(copies, program.file, text, outs());
  std::optional<Verification> verified;
  if (verification) {
    progress.show("verify");
    auto found = verify(text, program.file, program.entry, session.inputs(),
                        session.outputs());
    progress.clear();
    if (!found)
      return found.takeError();
    verified = std::move(*found);
    if (asJSON)
      object["verification"] =
          verificationToJSON(*verified, compiled.spec(), session.outputs());
    else
      printVerification(*verified, compiled.spec(), session.outputs());
  }
  if (asJSON)
    outs() << formatv("{0:2}\n", json::Value(std::move(object)));
  return verified ? checkVerification(*verified, compiled.spec())
                  : Error::success();
}

std::unique_ptr<Command> makeRunCommand() {
  return std::make_unique<RunCommand>();
}

} // namespace fuse::driver
