//===- CommandLine.cpp - The driver's options from its arguments ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's parser writes what is wrong to the standard error, in sentences of its
// own and several for one mistake. Of what it takes a stream for, it tells less
// than half there. So the standard error is a file while it parses, and the
// first mistake becomes an error like all others.
//
//===----------------------------------------------------------------------===//

#include "CommandLine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace {
/// What is written to the standard error while it lives.
class CapturedErrors {
public:
  CapturedErrors() : file(std::tmpfile()), standard(dup(STDERR_FILENO)) {
    if (file && standard >= 0)
      dup2(fileno(file), STDERR_FILENO);
  }
  ~CapturedErrors() {
    restore();
    if (file)
      std::fclose(file);
  }
  CapturedErrors(const CapturedErrors &) = delete;
  CapturedErrors &operator=(const CapturedErrors &) = delete;

  /// Ends the capture.
  std::string take() {
    restore();
    std::string text;
    if (!file)
      return text;
    std::rewind(file);
    char buffer[4096];
    while (size_t size = std::fread(buffer, 1, sizeof(buffer), file))
      text.append(buffer, size);
    return text;
  }

private:
  void restore() {
    if (standard < 0)
      return;
    dup2(standard, STDERR_FILENO);
    close(standard);
    standard = -1;
  }

  std::FILE *file;
  int standard;
};
} // namespace

/// What `text` has between single quotes first.
static StringRef quoted(StringRef text) {
  return text.split('\'').second.split('\'').first;
}

static std::string subcommandNames() {
  SmallVector<StringRef> names;
  for (cl::SubCommand *sub : cl::getRegisteredSubcommands())
    if (!sub->getName().empty())
      names.push_back(sub->getName());
  llvm::sort(names);
  return join(names, ", ");
}

/// What the sentences suggest instead of an argument.
static std::string suggestion(StringRef said) {
  auto [before, after] = said.split("Did you mean '");
  return after.empty()
             ? ""
             : ("did you mean '" + quoted("'" + after.str()) + "'? ").str();
}

/// The bits of the numbers that a parser of LLVM takes, by what it says.
static unsigned bitsOf(StringRef said) {
  StringRef type = said.split("invalid for ").second.split(' ').first;
  bool isUnsigned = type.consume_front("u");
  return (type.starts_with("int") ? 32 : 64) - !isUnsigned;
}

/// The error for what is said of the option `name` after "option: ".
static Error optionError(StringRef name, StringRef said, StringRef help) {
  auto expected = [&](const Twine &what, const Twine &got,
                      const Twine &remedy) {
    return createStringError("expected " + what + ", but got " + got + "; " +
                             remedy);
  };
  std::string see = ("see " + help).str();
  std::string value = ("'" + quoted(said) + "'").str();
  if (said.contains("requires a value"))
    return expected("a value for " + name, "none", see);
  if (said.contains("must be specified"))
    return expected(name, "none", see);
  if (said.contains("may only occur") || said.contains("must occur"))
    return expected(name + " at most once", "several", "remove all but one");
  if (said.contains("does not allow a value") ||
      said.contains("for boolean argument"))
    return expected("no value for " + name, value, "remove it");
  if (said.contains("Cannot find option named"))
    return expected(name + " to be one of its values", value,
                    help + " lists them");
  if (said.contains("floating point"))
    return expected(name + " to be a number", value, see);
  if (said.contains("no whole number from 1 on"))
    return expected(name + " to be a whole number of 1 or more", value, see);
  bool isWhole = !quoted(said).empty() && all_of(quoted(said), isDigit);
  if (said.contains("value invalid for") && isWhole)
    return expected(name + " to be below 2^" + Twine(bitsOf(said)), value, see);
  if (said.contains("value invalid for u"))
    return expected(name + " to be a whole number of 0 or more", value, see);
  if (said.contains("value invalid for"))
    return expected(name + " to be a whole number", value, see);
  return createStringError(name + ": " + said + "; " + see);
}

/// What stands alone in a call: "a file", or as its help says.
static std::string positionalOf(const cl::SubCommand *sub) {
  StringRef help = sub && !sub->PositionalOpts.empty()
                       ? sub->PositionalOpts.front()->HelpStr
                       : "FILE";
  return help.starts_with("FILE") ? "a file" : help.str();
}

static cl::SubCommand *chosenCommand() {
  for (cl::SubCommand *sub : cl::getRegisteredSubcommands())
    if (*sub && !sub->getName().empty())
      return sub;
  return nullptr;
}

/// The option of a value that is given, but empty.
static std::optional<StringRef> findEmptyValue(ArrayRef<char *> arguments) {
  StringRef before;
  for (StringRef argument : arguments) {
    if (argument.empty() && before.starts_with("-"))
      return before;
    if (argument.starts_with("-") && argument.find('=') + 1 == argument.size())
      return argument.drop_back();
    before = argument;
  }
  return std::nullopt;
}

/// The error for what LLVM's parser says, a sentence a line, of a call of
/// `command`, such as "fuse run".
static Error commandLineError(StringRef said, StringRef command) {
  std::string help = ("'" + command + " --help'").str();
  StringRef first = said.split('\n').first;
  auto [program, sentence] = first.split(": ");
  if (sentence.consume_front("for the ")) {
    auto [name, rest] = sentence.split(" option: ");
    return optionError(name, rest, help);
  }
  std::string see = suggestion(said) + "see " + help;
  if (sentence.starts_with("Unknown subcommand"))
    return createStringError("expected one of the subcommands " +
                             subcommandNames() + ", but got '" +
                             quoted(sentence) + "'; " + see);
  if (sentence.starts_with("Unknown command line argument"))
    return createStringError("expected an option of '" + command +
                             "', but got '" + quoted(sentence) + "'; " + see);
  if (sentence.starts_with("Not enough positional"))
    return createStringError("expected " + positionalOf(chosenCommand()) +
                             ", but got none; see " + help);
  if (sentence.starts_with("Too many positional")) {
    std::string one = positionalOf(chosenCommand());
    return createStringError("expected " +
                             (one == "a file" ? "one file" : one) +
                             ", but got several; see " + help);
  }
  // Nothing where no file could be made: it was said already.
  return createStringError("cannot read the command line" +
                           (sentence.empty() ? "" : ": " + sentence) +
                           "; see " + help);
}

Error fuse::driver::parseCommandLine(int argc, char **argv) {
  static CapturedErrors *parsing = nullptr;
  CapturedErrors captured;
  parsing = &captured;
  // --help ends the process in the parser.
  std::atexit([] {
    if (parsing)
      parsing->take();
  });
  // A stream, also one that nobody reads, has it return instead of exit.
  bool isRight = cl::ParseCommandLineOptions(
      argc, argv, "Fuse: tensor programs as few kernels\n", &errs());
  std::string said = captured.take();
  parsing = nullptr;
  std::string command = "fuse";
  if (cl::SubCommand *sub = chosenCommand())
    command += " " + sub->getName().str();
  if (!isRight)
    return commandLineError(said, command);
  errs() << said;
  if (auto option = findEmptyValue(ArrayRef(argv, argc)))
    return createStringError("expected a value for " + *option +
                             ", but got an empty one; see '" + command +
                             " --help'");
  return Error::success();
}
