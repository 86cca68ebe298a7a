//===- Options.h - How to compile a program ---------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_COMPILER_OPTIONS_H
#define FUSE_COMPILER_OPTIONS_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fuse::runtime {
struct Allocator;
} // namespace fuse::runtime

namespace fuse::jit {

class CodeArchive;

enum class Target {
  /// CUDA if there is a driver and a device, else the CPU.
  Auto,
  CPU,
  CUDA,
  /// The GPU's kernels, run on the host with every access checked.
  Emulator,
};

struct CompileOptions {
  /// The function to compile; empty means the only public one.
  std::string entry;
  Target target = Target::Auto;
  /// A chip, such as "sm_90a", a board, such as "rtx-4090", or a board's file
  /// (lookupGPUTarget() in fuse/Target/GPUTarget.h); empty means that of the
  /// device, and sm_90 for the emulator.
  std::string chip;
  /// Number of the CUDA device.
  int device = 0;
  /// Round after every op, as the program says, instead of where a value
  /// leaves its kernel.
  bool strict = false;
  /// The emulator's order of blocks, warps and lanes.
  uint64_t emulatorSeed = 0;
  /// Which of the schedules that the compiler sees for a kernel it takes: the
  /// choice, or one of the others from fast to slow by its model of time.
  unsigned candidate = 0;
  /// The file with the schedules that autotune() has found. Empty means
  /// $FUSE_TUNING, or else "tuning.json" in the cache's folder.
  std::string tuningFile;
  /// Whether to look into that file.
  bool tuned = true;
  /// Map instructions to lines of the program, for profilers and inspection.
  bool lineInfo = false;
  /// On chips from sm_90 on, launch each kernel while the one before it in the
  /// stream still runs; it waits itself before it touches memory.
  bool launchOverlap = true;
  /// Sizes of dynamic dims, as NAME=SIZE. The code is for these, and takes no
  /// others.
  std::vector<std::string> sizes;
  /// Where rows have a dynamic length, so many lengths, the first that occur,
  /// get programs of their own (fuse/Execution/JIT.h).
  unsigned lengths = 8;
  /// Keep compiled code on disk for the next process.
  bool cache = true;
  /// Empty means runtime::DiskCache's default.
  std::string cacheDirectory;
  /// Code that need not be compiled, and that gets what is. Null means none.
  std::shared_ptr<CodeArchive> archive;
  /// Where the program gets temporaries and constants. Null means from the
  /// driver, or from the C library.
  std::shared_ptr<const runtime::Allocator> allocator;
  /// A folder that gets the program's text after every stage; empty means that
  /// nothing is written.
  std::string dumpDirectory;
  /// A folder that gets a reproducer if a pass crashes, or fails without a
  /// message; empty means that nothing is written.
  std::string reproducerDirectory;
};

/// The tuning file that `options` mean; "" if there is none, since no folder
/// is known.
std::string tuningPath(const CompileOptions &options);

} // namespace fuse::jit

#endif // FUSE_COMPILER_OPTIONS_H
