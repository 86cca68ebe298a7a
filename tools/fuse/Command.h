//===- Command.h - A subcommand of the driver -------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_COMMAND_H
#define FUSE_TOOLS_FUSE_COMMAND_H

#include "fuse/Compiler/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace fuse::driver {

/// The words that an option may have, by its name.
using OptionValues = llvm::StringMap<llvm::SmallVector<std::string>>;

/// Adds those of an option with a list of them.
template <typename T>
void addValuesOf(llvm::cl::opt<T> &option, OptionValues &values) {
  auto &parser = option.getParser();
  for (unsigned i = 0; i < parser.getNumOptions(); ++i)
    values[option.ArgStr].push_back(parser.getOption(i).str());
}

/// A subcommand with its options, which live as long as it does.
class Command {
public:
  Command(llvm::StringRef name, llvm::StringRef description)
      : category(name), sub(name, description) {}
  virtual ~Command() = default;

  bool isChosen() { return bool(sub); }
  void hideOtherOptions() { llvm::cl::HideUnrelatedOptions(category, sub); }

  virtual llvm::Error execute() = 0;

  /// What a shell proposes behind options; "action" is what stands alone.
  virtual void addValues(OptionValues &values) {}
  llvm::cl::SubCommand &subcommand() { return sub; }

protected:
  llvm::cl::OptionCategory category;
  llvm::cl::SubCommand sub;
};

std::unique_ptr<Command> makeRunCommand();
std::unique_ptr<Command> makeInspectCommand();
std::unique_ptr<Command> makeBenchCommand();
std::unique_ptr<Command> makeDoctorCommand();
std::unique_ptr<Command> makeCompileCommand();
std::unique_ptr<Command> makeCacheCommand();
/// A script for a shell that knows `commands`, which must outlive it.
std::unique_ptr<Command>
makeCompletionCommand(const std::vector<std::unique_ptr<Command>> &commands);

/// Takes whole numbers from 1 on.
class CountParser : public llvm::cl::parser<unsigned> {
public:
  using parser::parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef name,
             llvm::StringRef text, unsigned &value) {
    bool isWhole = !text.empty() && llvm::all_of(text, llvm::isDigit);
    if (!isWhole || text.ltrim('0').empty())
      return option.error("'" + text + "' is no whole number from 1 on");
    return parser::parse(option, name, text, value);
  }
};

/// The options of each subcommand that compiles a program.
struct ProgramOptions {
  ProgramOptions(llvm::cl::SubCommand &sub, llvm::cl::OptionCategory &category,
                 jit::Target defaultTarget);

  jit::CompileOptions compileOptions() const;
  /// Fails if the tuning file is named and not there.
  llvm::Error checkTuningFile() const;
  void addValues(OptionValues &values) { addValuesOf(target, values); }

  llvm::cl::opt<std::string> file;
  llvm::cl::opt<std::string> entry;
  llvm::cl::opt<jit::Target> target;
  llvm::cl::opt<std::string> chip;
  llvm::cl::opt<uint64_t> emulatorSeed;
  llvm::cl::opt<bool> strict;
  llvm::cl::opt<bool> noLaunchOverlap;
  llvm::cl::opt<bool> noCache;
  llvm::cl::opt<std::string> dumpStages;
  llvm::cl::opt<std::string> tuningFile;
  llvm::cl::opt<unsigned> candidate;
  llvm::cl::list<std::string> sizes;
  llvm::cl::opt<unsigned> lengths;
};

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_COMMAND_H
