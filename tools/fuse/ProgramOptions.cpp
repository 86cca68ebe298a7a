//===- ProgramOptions.cpp - Options of what compiles a program ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cstdlib>

using namespace llvm;

namespace fuse::driver {

ProgramOptions::ProgramOptions(cl::SubCommand &sub,
                               cl::OptionCategory &category,
                               jit::Target defaultTarget)
    : file(cl::Positional, cl::Required, cl::sub(sub), cl::cat(category),
           cl::desc("FILE.mlir")),
      entry("entry", cl::sub(sub), cl::cat(category), cl::value_desc("NAME"),
            cl::desc("The function to compile, if there are several")),
      target("target", cl::sub(sub), cl::cat(category), cl::init(defaultTarget),
             cl::desc("What to compile for"),
             cl::values(clEnumValN(jit::Target::Auto, "auto",
                                   "CUDA where there is a GPU, else the CPU"),
                        clEnumValN(jit::Target::CPU, "cpu", "The host"),
                        clEnumValN(jit::Target::CUDA, "cuda", "An NVIDIA GPU"),
                        clEnumValN(jit::Target::Emulator, "emu",
                                   "A GPU's kernels on the host, checked"))),
      chip("chip", cl::sub(sub), cl::cat(category), cl::value_desc("sm_XX"),
           cl::desc("The GPU to compile for: a chip, such as sm_90a, a "
                    "board, such as rtx-4090, or a board's file")),
      emulatorSeed("emu-seed", cl::sub(sub), cl::cat(category), cl::init(0),
                   cl::value_desc("N"),
                   cl::desc("Decides the order of threads with --target emu")),
      strict("strict", cl::sub(sub), cl::cat(category),
             cl::desc("Round after every op, not only where a value leaves "
                      "its kernel")),
      noLaunchOverlap("no-launch-overlap", cl::sub(sub), cl::cat(category),
                      cl::desc("Launch kernels one after the other also where "
                               "the GPU could overlap their launches")),
      noCache("no-cache", cl::sub(sub), cl::cat(category),
              cl::desc("Neither read nor write compiled code on disk")),
      dumpStages("dump-stages", cl::sub(sub), cl::cat(category),
                 cl::value_desc("DIR"),
                 cl::desc("Write the program to DIR after every stage")),
      tuningFile("tuning", cl::sub(sub), cl::cat(category),
                 cl::value_desc("FILE.json"),
                 cl::desc("Measured schedules; FUSE_TUNING, or tuning.json in "
                          "the cache's folder, without it")),
      candidate("candidate", cl::sub(sub), cl::cat(category), cl::init(0),
                cl::value_desc("K"),
                cl::desc("Give kernels the K-th schedule of those possible, "
                         "from the choice (0) on, then from fast to slow")),
      sizes("size", cl::sub(sub), cl::cat(category),
            cl::value_desc("NAME=SIZE"),
            cl::desc("Compile for this size of a dynamic dim only")),
      lengths("lengths", cl::sub(sub), cl::cat(category),
              cl::init(jit::CompileOptions().lengths), cl::value_desc("N"),
              cl::desc("For how many lengths of rows that are dynamic calls "
                       "get code of their own")) {}

/// Where a bug of the compiler is written down.
static std::string reproducerDirectory(const std::string &dumpDirectory) {
  if (!dumpDirectory.empty())
    return dumpDirectory;
  SmallString<128> directory;
  sys::path::system_temp_directory(/*erasedOnReboot=*/true, directory);
  return std::string(directory);
}

Error ProgramOptions::checkTuningFile() const {
  const char *named = tuningFile.empty() && target != jit::Target::CPU
                          ? std::getenv("FUSE_TUNING")
                          : nullptr;
  std::string path = named ? named : tuningFile.getValue();
  if (path.empty() || sys::fs::exists(path))
    return Error::success();
  return createStringError(
      formatv("expected {0} to name a tuning file, but '{1}' does not exist; "
              "correct the path, or make the file with --autotune",
              named ? "FUSE_TUNING" : "--tuning", path));
}

jit::CompileOptions ProgramOptions::compileOptions() const {
  jit::CompileOptions options;
  options.entry = entry;
  options.target = target;
  options.chip = chip;
  options.emulatorSeed = emulatorSeed;
  options.strict = strict;
  options.launchOverlap = !noLaunchOverlap;
  options.cache = !noCache;
  options.dumpDirectory = dumpStages;
  options.tuningFile = tuningFile;
  options.candidate = candidate;
  options.sizes.assign(sizes.begin(), sizes.end());
  options.lengths = lengths;
  options.reproducerDirectory = reproducerDirectory(dumpStages);
  return options;
}

} // namespace fuse::driver
