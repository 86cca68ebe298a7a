//===- TuningFile.cpp - What measuring has found --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/TuningFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <mutex>

using namespace mlir;
using namespace mlir::fuse;
using llvm::formatv;

static constexpr StringLiteral versionKey = "fuse-tuning";
static constexpr int64_t version = 1;
/// How long to wait for other writers, each of which takes milliseconds.
static constexpr std::chrono::seconds patience(30);

static llvm::Error fileError(StringRef path, const Twine &what) {
  return llvm::createStringError(
      formatv("expected '{0}' to be a tuning file, but {1}; remove the file, "
              "or name another one in the option tuning or in FUSE_TUNING",
              path, what.str()));
}

static bool parse(const llvm::json::Value &value, TuningEntry &entry) {
  llvm::json::Path::Root root;
  llvm::json::ObjectMapper map(value, root);
  return map && map.map("chip", entry.chip) &&
         map.map("kernel", entry.kernel) &&
         map.map("log2_bytes", entry.log2Bytes) &&
         map.map("schedule", entry.schedule) &&
         map.map("seconds", entry.seconds);
}

llvm::Expected<TuningFile> TuningFile::read(StringRef path) {
  TuningFile file;
  // Read, not mapped: a mapped file that is cut short later would crash.
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false,
                                            /*IsVolatile=*/true);
  if (!buffer && buffer.getError() == std::errc::no_such_file_or_directory)
    return file;
  if (!buffer)
    return fileError(path, "got: " + buffer.getError().message());
  llvm::Expected<llvm::json::Value> parsed =
      llvm::json::parse((*buffer)->getBuffer());
  if (!parsed)
    return fileError(path, "got: " + llvm::toString(parsed.takeError()));
  const llvm::json::Object *object = parsed->getAsObject();
  std::optional<int64_t> found =
      object ? object->getInteger(versionKey) : std::nullopt;
  const llvm::json::Array *entries =
      object ? object->getArray("entries") : nullptr;
  if (!found || !entries)
    return fileError(path, "got no \"" + versionKey + "\" and \"entries\"");
  if (*found != version)
    return fileError(path, "got version " + Twine(*found) + " instead of " +
                               Twine(version));
  for (auto [number, value] : llvm::enumerate(*entries)) {
    TuningEntry entry;
    if (!parse(value, entry))
      return fileError(path,
                       "entry " + Twine(number) + " has not all of its fields");
    file.add(entry);
  }
  return file;
}

void TuningFile::add(const TuningEntry &entry) {
  for (TuningEntry &other : known)
    if (other.chip == entry.chip && other.kernel == entry.kernel &&
        other.log2Bytes == entry.log2Bytes) {
      other = entry;
      return;
    }
  known.push_back(entry);
}

/// The variant "a" of a chip runs what the chip does, as fast. Boards have
/// other names.
static StringRef plainChip(StringRef chip) {
  if (chip.starts_with("sm_"))
    chip.consume_back("a");
  return chip;
}

const TuningEntry *TuningFile::find(StringRef chip, StringRef kernel) const {
  const TuningEntry *best = nullptr;
  for (const TuningEntry &entry : known)
    if (plainChip(entry.chip) == plainChip(chip) && entry.kernel == kernel &&
        (!best || entry.log2Bytes > best->log2Bytes))
      best = &entry;
  return best;
}

std::string TuningFile::text() const {
  llvm::json::Array entries;
  for (const TuningEntry &entry : known)
    entries.push_back(llvm::json::Object{{"chip", entry.chip},
                                         {"kernel", entry.kernel},
                                         {"log2_bytes", entry.log2Bytes},
                                         {"schedule", entry.schedule},
                                         {"seconds", entry.seconds}});
  llvm::json::Value value = llvm::json::Object{{versionKey, version},
                                               {"entries", std::move(entries)}};
  return formatv("{0:2}\n", value);
}

static llvm::Error lockError(StringRef path, std::error_code code) {
  return llvm::createStringError(formatv(
      "expected to lock '{0}.lock' for the tuning file within {1} s, but got: "
      "{2}; wait for other tuning to end, or name another file in the "
      "option tuning or in FUSE_TUNING",
      path, patience.count(), code.message()));
}

namespace {
/// The sole right to write a tuning file. The system's lock on a file beside it
/// is gone with its process, and is a process's, not a thread's: hence the
/// mutex.
class WriterLock {
public:
  llvm::Error acquire(StringRef path) {
    if (std::error_code code = llvm::sys::fs::openFileForReadWrite(
            path + ".lock", descriptor, llvm::sys::fs::CD_OpenAlways,
            llvm::sys::fs::OF_None))
      return lockError(path, code);
    if (std::error_code code = llvm::sys::fs::tryLockFile(descriptor, patience))
      return lockError(path, code);
    return llvm::Error::success();
  }

  ~WriterLock() {
    // Closing is unlocking.
    if (descriptor >= 0)
      (void)llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  }

private:
  static std::mutex threads;
  std::lock_guard<std::mutex> guard{threads};
  int descriptor = -1;
};
} // namespace

std::mutex WriterLock::threads;

llvm::Error TuningFile::merge(StringRef path, ArrayRef<TuningEntry> entries) {
  StringRef directory = llvm::sys::path::parent_path(path);
  if (!directory.empty())
    if (std::error_code code = llvm::sys::fs::create_directories(directory))
      return llvm::createStringError(
          formatv("expected to make '{0}' for the tuning file, but got: {1}; "
                  "name another one in the option tuning or in FUSE_TUNING",
                  directory, code.message()));
  WriterLock lock;
  if (llvm::Error error = lock.acquire(path))
    return error;
  llvm::Expected<TuningFile> file = read(path);
  if (!file)
    return file.takeError();
  for (const TuningEntry &entry : entries)
    file->add(entry);
  std::string text = file->text();
  // A temporary file that is renamed.
  return llvm::writeToOutput(path, [&](raw_ostream &os) {
    os << text;
    return llvm::Error::success();
  });
}
