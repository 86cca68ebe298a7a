//===- main.cpp - Many programs, each in several ways ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One line a program:
//
//   right PATH
//   unbounded PATH
//   wrong PATH: CHECK: result 0: 3 of 33 elements: expected ...
//
// With --trace a line "check PATH: CHECK" stands before each check, so that
// whoever started this process knows what it died of.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace fuse::crosscheck;

static cl::OptionCategory category("fuse-crosscheck");
static cl::list<std::string> files(cl::Positional, cl::OneOrMore,
                                   cl::cat(category), cl::desc("FILE.mlir..."));
static cl::list<Check> chosen(
    "check", cl::CommaSeparated, cl::cat(category),
    cl::desc("What to check; without it, all that a case asks for"),
    cl::values(
        clEnumValN(Check::Fused, "fused", "The program as it is compiled"),
        clEnumValN(Check::Unaligned, "unaligned", "... on unaligned tensors"),
        clEnumValN(Check::Strided, "strided", "... on views with strides"),
        clEnumValN(Check::Unfused, "unfused", "Each op a kernel of its own"),
        clEnumValN(Check::Strict, "strict", "Rounding after every op"),
        clEnumValN(Check::Schedules, "schedules", "Other schedules"),
        clEnumValN(Check::Twins, "twins", "The file's other functions"),
        clEnumValN(Check::Emulated, "emulated", "The GPU's kernels, emulated"),
        clEnumValN(Check::EmulatedSchedules, "emulated-schedules",
                   "Other schedules of these"),
        clEnumValN(Check::Compiled, "compiled",
                   "Compiled for a GPU, which need not be there"),
        clEnumValN(Check::GPU, "gpu", "The program on a GPU"),
        clEnumValN(Check::GPUSchedules, "gpu-schedules",
                   "Other schedules there")));
static cl::opt<unsigned>
    schedules("schedules", cl::cat(category), cl::init(3),
              cl::desc("Other schedules to try for each program"));
static cl::list<std::string>
    dims("dim", cl::cat(category), cl::value_desc("NAME=SIZE"),
         cl::desc("The size of a dynamic dim, instead of the file's"));
static cl::opt<bool> trace("trace", cl::cat(category),
                           cl::desc("Say which check is about to run"));

static Expected<Summary> checkFile(StringRef path) {
  auto program = readCase(path);
  if (!program)
    return program.takeError();
  for (const std::string &dim : dims)
    setDim(*program, dim);
  SmallVector<Check> which(chosen.begin(), chosen.end());
  if (which.empty())
    which.assign(program->checks.begin(), program->checks.end());
  return crosscheck(*program, which, schedules, [&](Check check) {
    if (trace) {
      outs() << "check " << path << ": " << name(check) << "\n";
      outs().flush();
    }
  });
}

/// An error on one line.
static std::string oneLine(Error error) {
  std::string text = toString(std::move(error));
  llvm::replace(text, '\n', ' ');
  return text;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Programs in several ways\n");
  bool isRight = true;
  for (const std::string &path : files) {
    Expected<Summary> summary = checkFile(path);
    if (!summary) {
      isRight = false;
      outs() << "wrong " << path << ": " << oneLine(summary.takeError())
             << "\n";
    } else {
      outs() << formatv("{0} {1}: {2:F4}\n",
                        summary->unbounded ? "unbounded" : "right", path,
                        summary->boundRatio);
    }
    outs().flush();
  }
  return isRight ? 0 : 1;
}
