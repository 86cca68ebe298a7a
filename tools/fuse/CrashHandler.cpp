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
#include <array>
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

static constexpr int fatalSignals[] = {SIGILL, SIGTRAP, SIGABRT,
                                       SIGFPE, SIGBUS,  SIGSEGV};

/// LLVM's, which print the stack and end the process.
static std::array<struct sigaction, NSIG> &nextActions() {
  static std::array<struct sigaction, NSIG> actions = {};
  return actions;
}

static std::atomic<bool> isHandled = false;

/// LLVM's handlers are gone as soon as the first of them runs, so that a second
/// signal, of another thread in the same kernel, would end the process before
/// anything is printed. Threads that come later wait for the end instead.
static void handle(int number) {
  if (isHandled.exchange(true))
    for (;;)
      pause();
  [[maybe_unused]] ssize_t written =
      write(STDERR_FILENO, message().data(), message().size());
  sigaction(number, &nextActions()[number], nullptr);
  // Delivered when this handler returns.
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
  // Makes LLVM install its handlers, over which these are put.
  sys::AddSignalHandler([](void *) {}, nullptr);
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_ONSTACK;
  for (int number : fatalSignals)
    sigaction(number, &action, &nextActions()[number]);
}

} // namespace fuse::driver
