//===- StageDump.h - A program's text after every stage ---------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are called NUMBER-STAGE.EXTENSION, as in 03-fuse-schedule.mlir. What is
// made for other facts than the usual ones also says which do not hold, as in
// 03-fuse-schedule.unaligned.mlir.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_COMPILER_STAGEDUMP_H
#define FUSE_LIB_COMPILER_STAGEDUMP_H

#include "fuse/Runtime/Facts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace fuse::jit {

/// The name of a stage's file, without its folder.
std::string stageFileName(unsigned number, llvm::StringRef stage,
                          const runtime::Facts &facts,
                          llvm::StringRef extension);

/// Writes files into a folder, or nothing if that is "".
class StageDump {
public:
  explicit StageDump(std::string directory) : directory(std::move(directory)) {}

  bool isOn() const { return !directory.empty(); }

  std::string path(llvm::StringRef fileName) const;

  /// Makes the folder if needed. Fails if the file cannot be written.
  llvm::Error write(llvm::StringRef fileName,
                    llvm::function_ref<void(llvm::raw_ostream &)> print) const;

private:
  std::string directory;
};

} // namespace fuse::jit

#endif // FUSE_LIB_COMPILER_STAGEDUMP_H
