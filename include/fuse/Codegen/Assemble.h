//===- Assemble.h - PTX to cubin --------------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three assemblers may be there. ptxas is looked for in $FUSE_PTXAS, $PATH,
// $CUDA_HOME/bin, $CUDA_PATH/bin and /usr/local/cuda/bin, in this order.
// libnvJitLink is looked for by the dynamic loader and beside these. Where
// there is neither, the CUDA driver assembles the PTX when it loads it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_CODEGEN_ASSEMBLE_H
#define FUSE_CODEGEN_ASSEMBLE_H

#include "fuse/Target/GPUTarget.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::fuse {

enum class Assembler {
  /// The first of the following that is there.
  Any,
  Ptxas,
  NvJitLink,
  /// No cubin: the driver takes the PTX.
  Driver,
};

/// What the assembler says about a kernel. Sizes are in bytes.
struct KernelResources {
  std::string name;
  /// Of 32 bits, per thread.
  unsigned registers = 0;
  /// Per thread.
  unsigned spillStoreBytes = 0;
  unsigned spillLoadBytes = 0;
  unsigned stackBytes = 0;
  /// Static shared memory per block.
  unsigned sharedBytes = 0;
  /// The `.minnctapersm` that the kernel got here; 0 if none.
  unsigned leastBlocks = 0;
  /// Whether the kernel lost its own `.minnctapersm` here.
  bool losesBound = false;
};

/// What the assembler says of matrix instructions that it runs one after the
/// other, or waits for where the program does not: the kernel is right, but
/// several times slower.
struct SerializedMma {
  /// Empty if the assembler does not say.
  std::string kernel;
  /// Such as "(C7517) warpgroup.wait is injected in around line 24 by ...".
  std::string message;
};

struct AssembledModule {
  /// The assembler that was used; never Any.
  Assembler assembler = Assembler::Driver;
  /// Its name for people, such as "ptxas (/usr/local/cuda/bin/ptxas)".
  std::string assemblerName;
  /// Empty if the driver is to assemble.
  llvm::SmallVector<char, 0> cubin;
  /// Empty if the driver is to assemble.
  std::vector<KernelResources> kernels;
  std::vector<SerializedMma> serialized;
};

struct AssembleOptions {
  Assembler assembler = Assembler::Any;
  /// Keep the source lines of .loc directives in the cubin.
  bool lineInfo = false;
};

/// Assembles `ptx` for `target`. Fails if the chosen assembler is not there or
/// rejects the PTX, with what it said.
///
/// Where a kernel spills and has no bounds of its own, the module is assembled
/// a second time with that kernel's `.minnctapersm`, the blocks that its
/// registers had room for: ptxas often spills to fit blocks that fit without.
/// Where one has a `.minnctapersm` of its schedule and spills to meet it, it is
/// assembled without. The second cubin counts if no kernel spills more in it,
/// and one less; that is tried first for these kernels alone.
llvm::Expected<AssembledModule>
assemblePTX(llvm::StringRef ptx, const GPUTarget &target,
            const AssembleOptions &options = {});

/// The PTX with the `.minnctapersm` of each kernel that has `leastBlocks`, and
/// without that of each that loses it; what the assembler took.
std::string withLeastBlocks(llvm::StringRef ptx,
                            llvm::ArrayRef<KernelResources> kernels);

/// The path of ptxas, if it is there.
std::optional<std::string> findPtxas();

/// Parses what `ptxas -v` and nvJitLink's `-verbose` say. Text that is not
/// about a kernel is skipped.
std::vector<KernelResources> parseAssemblerLog(llvm::StringRef log);

/// The lines of such a log with a code of C7500 to C7599 or with "Potential
/// Performance Loss", which are those about wgmma and setmaxnreg.
std::vector<SerializedMma> parseSerializedMma(llvm::StringRef log);

} // namespace mlir::fuse

#endif // FUSE_CODEGEN_ASSEMBLE_H
