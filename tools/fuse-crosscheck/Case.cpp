//===- Case.cpp - A program file with what to run it on -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "fuse/Compiler/Source.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include <optional>

using namespace llvm;

namespace fuse::crosscheck {

static constexpr std::pair<StringLiteral, Fill> fills[] = {
    {"normal", Fill::Normal}, {"rare", Fill::Rare}, {"special", Fill::Special},
    {"masked", Fill::Masked}, {"wide", Fill::Wide}, {"small", Fill::Small},
};

StringRef name(Check check) {
  switch (check) {
  case Check::Fused:
    return "fused";
  case Check::Unaligned:
    return "unaligned";
  case Check::Strided:
    return "strided";
  case Check::Unfused:
    return "unfused";
  case Check::Strict:
    return "strict";
  case Check::Schedules:
    return "schedules";
  case Check::Twins:
    return "twins";
  case Check::Emulated:
    return "emulated";
  case Check::EmulatedSchedules:
    return "emulated-schedules";
  case Check::Compiled:
    return "compiled";
  case Check::GPU:
    return "gpu";
  case Check::GPUSchedules:
    return "gpu-schedules";
  }
  llvm_unreachable("every check has a name");
}

bool Case::wants(Check check) const {
  if (check == Check::GPUSchedules)
    return is_contained(checks, check) || wants(Check::Schedules) ||
           wants(Check::EmulatedSchedules);
  return !isUsual(check) || is_contained(checks, check);
}

static Error makeError(const Case &it, const Twine &message) {
  return createStringError(inconvertibleErrorCode(), it.path + ": " + message);
}

static Error setFill(Case &it, StringRef value) {
  for (auto [spelling, fill] : fills)
    if (spelling == value) {
      it.fill = fill;
      return Error::success();
    }
  return makeError(it, formatv("expected --fill normal, rare, special, masked, "
                               "wide or small, but got '{0}'; choose one",
                               value));
}

static Error setChecks(Case &it, StringRef value) {
  it.checks.clear();
  for (StringRef word : split(value, ',')) {
    const Check *found =
        find_if(allChecks, [&](Check check) { return name(check) == word; });
    if (found == std::end(allChecks))
      return makeError(
          it, formatv("expected --check of: {0}; but got '{1}'; choose some",
                      join(map_range(allChecks, name), ", "), word));
    it.checks.push_back(*found);
  }
  return Error::success();
}

static Error readComment(Case &it, StringRef comment) {
  auto [option, value] = comment.split(' ');
  value = value.trim();
  if (option == "dim") {
    it.dims.push_back(value.str());
    return Error::success();
  }
  if (option == "fill")
    return setFill(it, value);
  if (option == "check")
    return setChecks(it, value);
  if (option == "seed" && !value.getAsInteger(10, it.seed))
    return Error::success();
  return makeError(it,
                   formatv("expected --dim NAME=SIZE, --seed NUMBER, --fill "
                           "or --check, but got '--{0}'; correct it",
                           comment));
}

Expected<Case> readCase(StringRef path) {
  auto source = jit::readSource(path);
  if (!source)
    return source.takeError();
  Case result;
  result.path = path.str();
  result.text = (*source)->getBuffer().str();
  copy_if(allChecks, std::back_inserter(result.checks), isUsual);
  for (line_iterator line(**source); !line.is_at_end(); ++line) {
    StringRef comment = *line;
    if (comment.consume_front("// --"))
      if (Error error = readComment(result, comment))
        return std::move(error);
  }
  return std::move(result);
}

void setDim(Case &it, StringRef dim) {
  StringRef name = dim.split('=').first;
  erase_if(it.dims,
           [&](StringRef other) { return other.split('=').first == name; });
  it.dims.push_back(dim.str());
}

} // namespace fuse::crosscheck
