//===- CrashHandler.cpp - What a crash of the driver says -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrashHandler.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <csignal>
#include <string>
#include <unistd.h>

using namespace llvm;

namespace fuse::driver {

/// Made beforehand: a handler of signals must not allocate.
static std::string &message() {
  static std::string text;
  return text;
}

static std::atomic<bool> isPrinted = false;

static void printMessage(void *) {
  if (isPrinted)
    return;
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, message().data(), message().size());
  // Afterwards, so that of two signals at once none ends the process before.
  isPrinted = true;
}

/// LLVM's handler gives way to the one before it as soon as it runs. A second
/// signal then, of another thread that runs the same kernel, ends here.
static void dieOfSecondSignal(int number) {
  printMessage(nullptr);
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void installCrashHandler(int argc, char **argv) {
  raw_string_ostream stream(message());
  stream << "error: fuse crashed, which is a bug; report what this writes to "
            "stages/:";
  bool dumps = false;
  for (int i = 0; i < argc; ++i) {
    stream << ' ';
    sys::printArg(stream, argv[i], /*Quote=*/false);
    dumps |= StringRef(argv[i]).ltrim('-').starts_with("dump-stages");
  }
  stream << (dumps ? "\n" : " --dump-stages stages\n");
  setBugReportMsg("");
  for (int number : {SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV})
    std::signal(number, dieOfSecondSignal);
  // LLVM calls these in the order in which they were added. The one that prints
  // the stack takes long.
  sys::AddSignalHandler(printMessage, nullptr);
}

} // namespace fuse::driver
