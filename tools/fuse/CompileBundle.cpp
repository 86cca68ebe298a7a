//===- CompileBundle.cpp - fuse compile -----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Session.h"
#include "fuse/Bundle/Bundle.h"
#include "fuse/Compiler/Source.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace fuse::driver {

namespace {
class CompileCommand : public Command {
public:
  CompileCommand()
      : Command("compile", "Write code and plan of a program to a folder, from "
                           "which it runs without a compiler") {}

  Error execute() override;
  void addValues(OptionValues &values) override { program.addValues(values); }

private:
  Expected<std::vector<std::string>> chips() const;
  Error checkCandidate(StringRef text, const std::string &chip);

  ProgramOptions program{sub, category, jit::Target::CUDA};
  cl::opt<std::string> directory{
      "o",          cl::sub(sub),          cl::cat(category),
      cl::Required, cl::value_desc("DIR"), cl::desc("The folder")};
};
} // namespace

Expected<std::vector<std::string>> CompileCommand::chips() const {
  if (program.target == jit::Target::CPU)
    return std::vector<std::string>{"cpu"};
  SmallVector<StringRef> names;
  StringRef(program.chip)
      .split(names, ',', /*MaxSplit=*/-1,
             /*KeepEmpty=*/false);
  if (program.target != jit::Target::CUDA || names.empty())
    return createStringError(
        "expected the chips to compile for, but got none; pass --chip "
        "sm_80,sm_90a or others, or --target cpu");
  return std::vector<std::string>(names.begin(), names.end());
}

/// Fails if no kernel for the chip has as many schedules as --candidate says.
Error CompileCommand::checkCandidate(StringRef text, const std::string &chip) {
  jit::CompileOptions options = program.compileOptions();
  if (options.candidate == 0)
    return Error::success();
  if (options.target == jit::Target::CUDA)
    options.chip = chip;
  auto compilation = jit::Compilation::create(text, program.file, options);
  if (!compilation)
    return compilation.takeError();
  // As a bundle's kernels for a CPU are compiled, and those for a GPU first.
  return driver::checkCandidate(**compilation,
                                options.target == jit::Target::CPU
                                    ? runtime::Facts()
                                    : runtime::Facts::usual());
}

Error CompileCommand::execute() {
  if (Error error = program.checkTuningFile())
    return error;
  Expected<std::vector<std::string>> chips = this->chips();
  if (!chips)
    return chips.takeError();
  auto source = jit::readSource(program.file);
  if (!source)
    return source.takeError();
  for (const std::string &chip : *chips)
    if (Error error = checkCandidate((*source)->getBuffer(), chip))
      return error;
  Expected<bundle::Written> written =
      bundle::write((*source)->getBuffer(), program.file, *chips,
                    program.compileOptions(), directory);
  if (!written)
    return written.takeError();
  for (const std::string &file : written->files)
    outs() << formatv("{0}/{1}\n", directory, file);
  return Error::success();
}

std::unique_ptr<Command> makeCompileCommand() {
  return std::make_unique<CompileCommand>();
}

} // namespace fuse::driver
