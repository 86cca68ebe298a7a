//===- OutputFile.cpp - Files that are whole or as they were --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Runtime/OutputFile.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace fuse::runtime {

/// Writes all, and takes the stream's error, on which it would end the process.
static std::error_code writeAll(raw_fd_ostream &os,
                                function_ref<void(raw_ostream &)> write) {
  write(os);
  os.flush();
  std::error_code code = os.error();
  os.clear_error();
  return code;
}

Error writeFile(StringRef path, function_ref<void(raw_ostream &)> write) {
  // Of a link, the file that it names is replaced.
  SmallString<256> target;
  if (sys::fs::real_path(path, target))
    target = path;
  sys::fs::file_status status;
  bool exists = !sys::fs::status(target, status);
  if (exists && !sys::fs::is_regular_file(status)) {
    std::error_code code;
    raw_fd_ostream os(target, code, sys::fs::CD_OpenExisting);
    return errorCodeToError(code ? code : writeAll(os, write));
  }
  if (exists)
    if (std::error_code code =
            sys::fs::access(target, sys::fs::AccessMode::Write))
      return errorCodeToError(code);
  auto temporary = sys::fs::TempFile::create(
      target + ".%%%%%%%%.tmp",
      exists ? status.permissions() : sys::fs::all_read | sys::fs::all_write);
  if (!temporary)
    return temporary.takeError();
  std::error_code code;
  {
    raw_fd_ostream os(temporary->FD, /*shouldClose=*/false);
    code = writeAll(os, write);
  }
  if (!code)
    return temporary->keep(target);
  return joinErrors(errorCodeToError(code), temporary->discard());
}

} // namespace fuse::runtime
