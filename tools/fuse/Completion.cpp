//===- Completion.cpp - fuse completion -----------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A shell's script is made of the options that the driver itself reads, so that
// none can be missing. Without a value to propose the shell proposes files.
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace fuse::driver {

namespace {
struct OptionWords {
  std::string name, description;
  bool takesValue;
  SmallVector<std::string> values;
};

struct CommandWords {
  std::string name, description;
  std::vector<OptionWords> options;
  SmallVector<std::string> actions;
};

class CompletionCommand : public Command {
public:
  explicit CompletionCommand(
      const std::vector<std::unique_ptr<Command>> &commands)
      : Command("completion", "Print a script that completes 'fuse'"),
        commands(commands) {}

  Error execute() override;
  void addValues(OptionValues &values) override {
    values["action"] = {"bash", "zsh"};
  }

private:
  const std::vector<std::unique_ptr<Command>> &commands;
  cl::opt<std::string> shell{cl::Positional, cl::Required, cl::sub(sub),
                             cl::cat(category), cl::desc("bash or zsh")};
};
} // namespace

static CommandWords wordsOf(Command &command) {
  cl::SubCommand &sub = command.subcommand();
  CommandWords words{sub.getName().str(), sub.getDescription().str(), {}, {}};
  OptionValues values;
  command.addValues(values);
  words.actions = values.lookup("action");
  for (const auto &[name, option] : sub.OptionsMap) {
    if (option->getOptionHiddenFlag() != cl::NotHidden)
      continue;
    bool takesValue = option->getValueExpectedFlag() != cl::ValueDisallowed &&
                      option->getValueExpectedFlag() != cl::ValueOptional;
    words.options.push_back(
        {name.str(), option->HelpStr.str(), takesValue, values.lookup(name)});
  }
  llvm::sort(words.options, [](const OptionWords &a, const OptionWords &b) {
    return a.name < b.name;
  });
  return words;
}

/// "'list' 'clear'", for a list of words in a shell.
template <typename Range, typename Word>
static std::string wordList(const Range &range, Word word) {
  SmallVector<std::string> texts;
  for (const auto &each : range)
    texts.push_back(word(each));
  return join(texts, " ");
}

/// With one dash where the name is a letter.
static std::string dashed(const OptionWords &option) {
  return (option.name.size() == 1 ? "-" : "--") + option.name;
}

/// The value of a letter is the next word.
static bool takesEqualSign(const OptionWords &option) {
  return option.takesValue && option.name.size() > 1;
}

static std::string optionWord(const OptionWords &option) {
  return dashed(option) + (takesEqualSign(option) ? "=" : "");
}

static void printBash(ArrayRef<CommandWords> commands, raw_ostream &os) {
  os << R"(# bash completion of fuse, made by 'fuse completion bash'
_fuse() {
  local word=${COMP_WORDS[COMP_CWORD]} option= command= words= others= at
  COMPREPLY=()
  for ((at = 1; at < COMP_CWORD; ++at)); do
    case ${COMP_WORDS[at]} in
      -*) ;;
      *) command=${COMP_WORDS[at]}; break ;;
    esac
  done
  # "--emit=p" may be three words.
  if [[ $word == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} word=
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == -* ]]; then
    option=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  case $command in
)";
  os << "    '') words='--help --version "
     << wordList(commands, [](const CommandWords &c) { return c.name; })
     << "' ;;\n";
  for (const CommandWords &command : commands) {
    os << "    " << command.name << ")\n      case $option in\n";
    for (const OptionWords &option : command.options)
      if (!option.values.empty())
        os << "        " << dashed(option) << ") words='"
           << join(option.values, " ") << "' ;;\n";
      else if (option.takesValue)
        os << "        " << dashed(option) << ") return ;;\n";
    os << "        *) words='" << wordList(command.options, optionWord)
       << "' others='" << join(command.actions, " ") << "' ;;\n      esac ;;\n";
  }
  os << R"(  esac
  # Only a dash asks for options; files are proposed where nothing else is.
  [[ -z $command || $words != -* || $word == -* ]] || words=$others
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}
complete -o default -F _fuse fuse
)";
}

/// Text in single quotes, where brackets and colons mean nothing.
static std::string forZsh(StringRef text) {
  std::string escaped;
  for (char c : text) {
    if (StringRef("[]:\\").contains(c))
      escaped += '\\';
    if (c == '\'')
      escaped += "'\\'";
    escaped += c;
  }
  return escaped;
}

static void printZsh(ArrayRef<CommandWords> commands, raw_ostream &os) {
  os << "#compdef fuse\n# zsh completion of fuse, made by 'fuse completion "
        "zsh'\n_fuse() {\n  local -a commands=(\n";
  for (const CommandWords &command : commands)
    os << "    '" << command.name << ":" << forZsh(command.description)
       << "'\n";
  os << "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n"
        "    return\n  fi\n  case $words[2] in\n";
  for (const CommandWords &command : commands) {
    os << "    " << command.name << ")\n      _arguments \\\n";
    for (const OptionWords &option : command.options) {
      os << "        '*" << optionWord(option) << "["
         << forZsh(option.description) << "]";
      if (!option.values.empty())
        os << ":value:(" << join(option.values, " ") << ")";
      else if (option.takesValue)
        os << ":value:_files";
      os << "' \\\n";
    }
    if (command.actions.empty())
      os << "        '*:file:_files' ;;\n";
    else
      os << "        '*:action:(" << join(command.actions, " ") << ")' ;;\n";
  }
  os << "  esac\n}\n_fuse \"$@\"\n";
}

Error CompletionCommand::execute() {
  std::vector<CommandWords> words;
  for (const auto &command : commands)
    words.push_back(wordsOf(*command));
  if (shell == "bash")
    printBash(words, outs());
  else if (shell == "zsh")
    printZsh(words, outs());
  else
    return createStringError("expected bash or zsh, but got '" + shell +
                             "'; see 'fuse completion --help'");
  return Error::success();
}

std::unique_ptr<Command>
makeCompletionCommand(const std::vector<std::unique_ptr<Command>> &commands) {
  return std::make_unique<CompletionCommand>(commands);
}

} // namespace fuse::driver
