//===- HtmlPTX.cpp - A kernel's PTX with its accesses marked --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtmlReport.h"
#include "fuse/Compiler/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using mlir::fuse::PTXAccess;

namespace fuse::driver {

/// What every access of a streamed operand is promised to have.
static constexpr unsigned promisedBits = 128;
/// Lines that are shown around each marked one, and at the start, of a text
/// that is cut.
static constexpr size_t linesAround = 3, linesAtStart = 24;

namespace {
struct Line {
  StringRef text, mark;
  bool isShown = true;
};
} // namespace

static bool isOnTensorCores(StringRef line) {
  StringRef opcode = line.ltrim().split(' ').first;
  return opcode.starts_with("wgmma.mma_async") || opcode.starts_with("mma.") ||
         opcode.starts_with("cp.async.bulk.tensor");
}

/// The lines of the kernel's function without line numbers and blank lines, and
/// the marks of each.
static std::vector<Line> linesOf(StringRef ptx, const KernelReport &kernel) {
  std::map<unsigned, StringRef> marks;
  for (const PTXAccess &access : kernel.ptx->accesses)
    if (jit::accessedOperand(*kernel.info, access) &&
        jit::mayBeStreamed(*kernel.info, access))
      marks[access.ptxLine] = access.bits >= promisedBits ? "good" : "bad";
  std::vector<Line> lines;
  std::string entry = ".entry " + kernel.info->symbol + "(";
  bool isInside = false;
  unsigned number = 0;
  for (StringRef line : split(ptx, '\n')) {
    ++number;
    isInside |= line.contains(entry);
    if (!isInside)
      continue;
    StringRef trimmed = line.trim();
    if (!trimmed.empty() && !trimmed.starts_with(".loc") &&
        !trimmed.starts_with("//")) {
      auto mark = marks.find(number);
      lines.push_back({line, mark != marks.end()     ? mark->second
                             : isOnTensorCores(line) ? "cores"
                                                     : ""});
    }
    if (line.starts_with("}"))
      break;
  }
  return lines;
}

/// Leaves what is near a mark, near the start, or the end.
static void cut(std::vector<Line> &lines) {
  std::vector<char> keeps(lines.size(), false);
  for (size_t i = 0; i < lines.size(); ++i)
    if (i < linesAtStart || i + linesAround >= lines.size() ||
        !lines[i].mark.empty())
      for (size_t j = i - std::min(i, linesAround);
           j <= std::min(lines.size() - 1, i + linesAround); ++j)
        keeps[j] = true;
  for (auto [line, isKept] : zip_equal(lines, keeps))
    line.isShown = isKept;
}

static void addText(json::Array &segments, std::string text, StringRef mark) {
  if (text.empty())
    return;
  json::Object segment{{"text", std::move(text)}};
  if (!mark.empty())
    segment["class"] = mark;
  segments.push_back(std::move(segment));
}

json::Object markPTX(StringRef ptx, const KernelReport &kernel,
                     size_t mostBytes) {
  std::vector<Line> lines = linesOf(ptx, kernel);
  size_t bytes = 0;
  for (const Line &line : lines)
    bytes += line.text.size() + 1;
  bool isCut = bytes > mostBytes;
  if (isCut)
    cut(lines);
  json::Array segments;
  std::string plain;
  size_t hidden = 0;
  auto endGap = [&] {
    if (hidden > 0)
      plain += formatv("        ... {0} lines\n", hidden);
    hidden = 0;
  };
  for (const Line &line : lines) {
    if (!line.isShown) {
      ++hidden;
      continue;
    }
    endGap();
    if (line.mark.empty()) {
      (plain += line.text) += "\n";
      continue;
    }
    addText(segments, std::move(plain), "");
    plain = "\n";
    addText(segments, line.text.str(), line.mark);
  }
  endGap();
  addText(segments, std::move(plain), "");
  return json::Object{{"lines", int64_t(lines.size())},
                      {"cut", isCut},
                      {"segments", std::move(segments)}};
}

} // namespace fuse::driver
