//===- CodeCache.h - Compiled code, from disk where it is -------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_COMPILER_CODECACHE_H
#define FUSE_LIB_COMPILER_CODECACHE_H

#include "fuse/Codegen/Assemble.h"
#include "fuse/Codegen/HostObject.h"
#include "fuse/Compiler/CodeArchive.h"
#include "fuse/Compiler/Compilation.h"
#include "fuse/Runtime/DiskCache.h"

namespace fuse::jit {

/// Whole compilations, and the two slow last steps of one, answered from the
/// options' archive or from disk. A cache that cannot be opened or written only
/// costs time, so it is never an error.
class CodeCache {
public:
  explicit CodeCache(const CompileOptions &options);

  /// The key of the code for a text, by all that decides what it becomes: the
  /// build of Fuse, the options, the file of schedules `tuning`, the facts, the
  /// assembler and the host. Nullopt where code is not kept.
  std::optional<runtime::DiskCache::Key>
  keyOf(llvm::StringRef text, llvm::StringRef fileName, llvm::StringRef tuning,
        const runtime::Facts &facts) const;
  std::optional<Code> find(const runtime::DiskCache::Key &key) const;
  void add(const runtime::DiskCache::Key &key, const Code &code) const;

  /// assemblePTX(), keyed by the PTX, the chip and the assembler's file.
  llvm::Expected<mlir::fuse::AssembledModule>
  assemble(llvm::StringRef ptx, const mlir::fuse::GPUTarget &target);

  /// compileHostObject(), keyed by the text of `module` and the host. Always
  /// compiles if there is an observer.
  llvm::Expected<llvm::SmallVector<char, 0>>
  compileForHost(mlir::gpu::GPUModuleOp module,
                 const mlir::fuse::HostOptions &options);

private:
  /// From disk, or assembled.
  llvm::Expected<mlir::fuse::AssembledModule>
  load(llvm::StringRef ptx, const mlir::fuse::GPUTarget &target);

  const CompileOptions options;
  std::optional<runtime::DiskCache> disk;
};

} // namespace fuse::jit

#endif // FUSE_LIB_COMPILER_CODECACHE_H
