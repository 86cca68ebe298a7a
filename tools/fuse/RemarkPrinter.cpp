//===- RemarkPrinter.cpp - Remarks beside the user's source ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RemarkPrinter.h"
#include "fuse/Compiler/Report.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace fuse::driver {

namespace {
/// How a fact reads.
struct Phrase {
  StringLiteral key;
  const char *format;
};
} // namespace

/// In the order in which they are printed. What the message says is not here.
static constexpr Phrase phrases[] = {
    {"Lines", "lines: {0}"},
    {"BytesMoved", "moves {0} bytes"},
    {"BytesSaved", "saves {0} bytes against a kernel for each op"},
    {"BytesCost", "costs {0} bytes"},
    {"Count", "instructions: {0}"},
    {"Schedule", "schedule {0}"},
    {"Predicted", "predicted {0}"},
    {"RunnerUp", "runner-up {0}"},
    {"Decided", "decided by {0}"},
};

static void printDetails(const jit::Remark &remark, raw_ostream &os) {
  for (const Phrase &phrase : phrases)
    for (const auto &[key, value] : remark.facts)
      if (key == phrase.key && !value.empty())
        os << "  = " << formatv(phrase.format, value) << "\n";
  if (!remark.reason.empty())
    os << "  = why: " << remark.reason << "\n";
  if (!remark.suggestion.empty())
    os << "  = help: " << remark.suggestion << "\n";
}

void printRemarks(ArrayRef<jit::Remark> remarks, StringRef fileName,
                  StringRef text, raw_ostream &os) {
  SourceMgr sources;
  unsigned buffer = sources.AddNewSourceBuffer(
      MemoryBuffer::getMemBuffer(text, fileName), SMLoc());
  for (const jit::Remark &remark : remarks) {
    std::string message = formatv("{0} [{1}, {2}]", remark.message,
                                  jit::name(remark.kind), remark.category);
    SMLoc place;
    if (remark.line > 0 && remark.file == fileName)
      place =
          sources.FindLocForLineAndColumn(buffer, remark.line, remark.column);
    if (place.isValid())
      sources.PrintMessage(os, place, SourceMgr::DK_Remark, message);
    else
      os << formatv("{0}:{1}:{2}: remark: {3}\n",
                    remark.file.empty() ? fileName : StringRef(remark.file),
                    remark.line, remark.column, message);
    printDetails(remark, os);
  }
}

} // namespace fuse::driver
