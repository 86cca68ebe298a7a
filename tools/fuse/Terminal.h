//===- Terminal.h - What a terminal shows beside the output -----*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_TOOLS_FUSE_TERMINAL_H
#define FUSE_TOOLS_FUSE_TERMINAL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace fuse::driver {

/// Turns colours off where NO_COLOR is set and not empty; LLVM turns them off
/// where no terminal is.
void obeyNoColor();

/// `text` in a colour, where the stream shows one.
void printColored(llvm::raw_ostream &os, llvm::StringRef text,
                  llvm::raw_ostream::Colors color, bool bold = false);

/// What a command is at, in one line on the standard error that each step
/// overwrites and the end removes. Nothing where no terminal is.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// "compile".
  void show(llvm::StringRef stage);
  /// "compile [######------] 3/8".
  void show(llvm::StringRef stage, unsigned done, unsigned all);
  void clear();

private:
  bool isShown;
  bool isDirty = false;
};

} // namespace fuse::driver

#endif // FUSE_TOOLS_FUSE_TERMINAL_H
