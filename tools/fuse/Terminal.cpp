//===- Terminal.cpp - What a terminal shows beside the output -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Terminal.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

namespace fuse::driver {

static constexpr unsigned barWidth = 24;

static bool hasNoColor() {
  std::optional<std::string> value = sys::Process::GetEnv("NO_COLOR");
  return value && !value->empty();
}

void obeyNoColor() {
  if (!hasNoColor())
    return;
  WithColor::setAutoDetectFunction([](const raw_ostream &) { return false; });
  outs().enable_colors(false);
  errs().enable_colors(false);
}

void printColored(raw_ostream &os, StringRef text, raw_ostream::Colors color,
                  bool bold) {
  bool shows = WithColor::defaultAutoDetectFunction()(os) && !hasNoColor();
  if (shows)
    os.changeColor(color, bold);
  os << text;
  if (shows)
    os.resetColor();
}

ProgressLine::ProgressLine()
    : isShown(sys::Process::StandardErrIsDisplayed()) {}

void ProgressLine::show(StringRef stage) {
  if (!isShown)
    return;
  errs() << "\r\x1b[K" << stage << " ...";
  errs().flush();
  isDirty = true;
}

void ProgressLine::show(StringRef stage, unsigned done, unsigned all) {
  if (!isShown)
    return;
  unsigned filled = all ? barWidth * done / all : 0;
  errs() << "\r\x1b[K" << stage << " [" << std::string(filled, '#')
         << std::string(barWidth - filled, '-')
         << formatv("] {0}/{1}", done, all);
  errs().flush();
  isDirty = true;
}

void ProgressLine::clear() {
  if (isDirty)
    errs() << "\r\x1b[K";
  isDirty = false;
}

} // namespace fuse::driver
