//===- Driver.cpp - The driver and its subcommands ------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Command.h"
#include "CommandLine.h"
#include "CrashHandler.h"
#include "Terminal.h"
#include "Version.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>

using namespace llvm;

static int report(Error error) {
  outs().flush();
  WithColor::error() << toString(std::move(error)) << "\n";
  return 1;
}

/// The exit code after all is printed. LLVM's streams end the process on an
/// error that nobody has taken.
static int finish(int status) {
  outs().flush();
  if (outs().has_error()) {
    std::string reason = outs().error().message();
    outs().clear_error();
    status = report(createStringError(
        "cannot write to standard output: " + reason + "; send it elsewhere"));
  }
  if (errs().has_error()) {
    errs().clear_error();
    status = 1;
  }
  return status;
}

/// --help and --version leave from inside of LLVM's parser.
static void finishAtExit() {
  if (int status = finish(0))
    std::_Exit(status);
}

static int
runChosen(ArrayRef<std::unique_ptr<fuse::driver::Command>> commands) {
  for (const auto &command : commands) {
    if (!command->isChosen())
      continue;
    if (Error error = command->execute())
      return report(std::move(error));
    return 0;
  }
  return report(createStringError("expected a subcommand, but got none; try "
                                  "'fuse run FILE.mlir' or 'fuse --help'"));
}

int fuse::driver::runDriver(int argc, char **argv) {
  installCrashHandler(argc, argv);
  InitLLVM init(argc, argv);
  // A file that may not grow is an error of writing it.
  std::signal(SIGXFSZ, SIG_IGN);
  obeyNoColor();
  cl::SetVersionPrinter(printVersion);
  // Before the end of the streams, which are older.
  outs();
  errs();
  std::atexit(finishAtExit);
  std::vector<std::unique_ptr<Command>> commands;
  commands.push_back(makeRunCommand());
  commands.push_back(makeInspectCommand());
  commands.push_back(makeBenchCommand());
  commands.push_back(makeDoctorCommand());
  commands.push_back(makeCompileCommand());
  commands.push_back(makeCacheCommand());
  commands.push_back(makeCompletionCommand(commands));
  // LLVM's libraries bring options of their own.
  cl::OptionCategory none("none");
  cl::HideUnrelatedOptions(none);
  for (auto &command : commands)
    command->hideOtherOptions();
  if (Error error = parseCommandLine(argc, argv))
    return finish(report(std::move(error)));
  return finish(runChosen(commands));
}
