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
#include <string>

using namespace llvm;

namespace fuse::driver {

/// Made beforehand: a handler of signals must not allocate.
static std::string &message() {
  static std::string text;
  return text;
}

static void printMessage(void *) {
  errs() << message();
  errs().flush();
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
  sys::AddSignalHandler(printMessage, nullptr);
}

} // namespace fuse::driver
