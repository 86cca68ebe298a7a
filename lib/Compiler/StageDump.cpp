//===- StageDump.cpp - A program's text after every stage -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageDump.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace fuse::jit {

std::string stageFileName(unsigned number, StringRef stage,
                          const runtime::Facts &facts, StringRef extension) {
  SmallVector<StringRef> missing;
  const runtime::Facts usual = runtime::Facts::usual();
  if (facts.aligned16 != usual.aligned16)
    missing.push_back("unaligned");
  if (facts.divisible != usual.divisible)
    missing.push_back("ragged");
  if (facts.index32 != usual.index32)
    missing.push_back("index64");
  if (facts.separate != usual.separate)
    missing.push_back("in-place");
  if (facts.callSize != runtime::CallSize::large)
    missing.push_back(name(facts.callSize));
  for (runtime::Layout layout : facts.layouts)
    missing.push_back(runtime::name(layout));
  for (StringRef size : facts.sizes)
    missing.push_back(size);
  if (!facts.copied.empty())
    missing.push_back("copied");
  return formatv("{0,0+2}-{1}{2}{3}.{4}", number, stage,
                 missing.empty() ? "" : ".", join(missing, "-"), extension);
}

std::string StageDump::path(StringRef fileName) const {
  SmallString<128> result(directory);
  sys::path::append(result, fileName);
  return std::string(result);
}

Error StageDump::write(StringRef fileName,
                       function_ref<void(raw_ostream &)> print) const {
  if (!isOn())
    return Error::success();
  std::string file = path(fileName);
  std::error_code code = sys::fs::create_directories(directory);
  if (!code) {
    raw_fd_ostream stream(file, code);
    if (!code)
      print(stream);
    stream.close();
    if (!code)
      code = stream.error();
    stream.clear_error();
  }
  if (!code)
    return Error::success();
  return createStringError(
      code, formatv("{0}: expected to write a stage of the program, but got: "
                    "{1}; name a writable folder",
                    file, code.message()));
}

} // namespace fuse::jit
