//===- BenchProfile.cpp - What the hardware counters say ------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BenchProfile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace fuse::driver {

static constexpr StringLiteral kernelNameColumn = "Kernel Name";
static constexpr StringLiteral stallPrefix =
    "smsp__average_warps_issue_stalled_";
static constexpr StringLiteral stallSuffix = "_per_issue_active.ratio";
/// How long ncu may take for a case.
static constexpr unsigned maxSeconds = 300;

static Error makeError(const Twine &message) {
  return createStringError(inconvertibleErrorCode(), message);
}

/// The fields of a line of CSV; those in quotes may hold commas.
static SmallVector<std::string> splitLine(StringRef line) {
  SmallVector<std::string> fields(1);
  bool quoted = false;
  for (char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

/// Thousands may be separated by commas. What is no number counts as 0.
static double toNumber(std::string text) {
  llvm::erase(text, ',');
  double number = 0;
  return to_float(text, number) ? number : 0;
}

static KernelProfile readLaunch(const StringMap<std::string> &fields) {
  auto number = [&](StringRef metric) {
    return toNumber(fields.lookup(metric));
  };
  KernelProfile profile;
  // "softmax(float *, ...)" where there are symbols.
  profile.name = StringRef(fields.lookup(kernelNameColumn)).split('(').first;
  profile.bytesRead = number("dram__bytes_read.sum");
  profile.bytesWritten = number("dram__bytes_write.sum");
  profile.seconds = number("gpu__time_duration.sum") * 1e-9;
  profile.occupancy =
      number("sm__warps_active.avg.pct_of_peak_sustained_active");
  profile.possibleOccupancy = number("sm__maximum_warps_per_active_cycle_pct");
  for (const auto &field : fields) {
    StringRef reason = field.first();
    if (!reason.consume_front(stallPrefix) ||
        !reason.consume_back(stallSuffix) || reason == "selected")
      continue;
    double cycles = toNumber(field.second);
    if (cycles <= profile.stallCycles)
      continue;
    profile.stall = reason;
    profile.stallCycles = cycles;
  }
  return profile;
}

Expected<std::vector<KernelProfile>> parseProfile(StringRef csv) {
  SmallVector<std::string> header;
  std::vector<KernelProfile> profiles;
  SmallVector<StringRef> lines;
  csv.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    // ncu talks in lines that begin with ==.
    if (line.starts_with("=="))
      continue;
    SmallVector<std::string> values = splitLine(line.rtrim("\r"));
    if (header.empty()) {
      header = std::move(values);
      continue;
    }
    StringMap<std::string> fields;
    for (auto [name, value] : zip(header, values))
      fields[name] = value;
    KernelProfile profile = readLaunch(fields);
    // The line after the header has the units.
    if (profile.name.empty())
      continue;
    llvm::erase_if(profiles, [&](const KernelProfile &other) {
      return other.name == profile.name;
    });
    profiles.push_back(std::move(profile));
  }
  if (!is_contained(header, kernelNameColumn))
    return makeError("expected a table of kernels from ncu, but got none; run "
                     "it on a program with a GPU");
  return std::move(profiles);
}

static Expected<std::string> findNcu() {
  auto path = sys::findProgramByName("ncu");
  if (path)
    return *path;
  return makeError("expected Nsight Compute (ncu) on the PATH, but found none; "
                   "install it, or leave out --profile");
}

namespace {
/// A temporary file, deleted with the object.
class ScratchFile {
public:
  static Expected<std::unique_ptr<ScratchFile>> create(StringRef suffix,
                                                       StringRef content);
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;
  ~ScratchFile() { sys::fs::remove(path); }

  StringRef name() const { return path; }
  std::string read() const;

private:
  ScratchFile() = default;

  SmallString<128> path;
};
} // namespace

Expected<std::unique_ptr<ScratchFile>> ScratchFile::create(StringRef suffix,
                                                           StringRef content) {
  std::unique_ptr<ScratchFile> file(new ScratchFile);
  int descriptor = -1;
  if (std::error_code ec = sys::fs::createTemporaryFile("fuse-bench", suffix,
                                                        descriptor, file->path))
    return makeError("expected to write a temporary file, but got: " +
                     ec.message() + "; set TMPDIR to a writable folder");
  raw_fd_ostream(descriptor, /*shouldClose=*/true) << content;
  return std::move(file);
}

std::string ScratchFile::read() const {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// ncu's options, and the program that it runs: fuse run, on the same sizes.
static std::vector<std::string> commandLine(StringRef ncu, StringRef logPath,
                                            StringRef programPath,
                                            const BenchCase &benchCase,
                                            const BenchOptions &options) {
  static int anchor;
  std::vector<std::string> words = {
      ncu.str(), "--csv", "--page", "raw", "--print-units", "base",
      // The clocks are left alone: others may use the machine.
      "--clock-control", "none", "--section", "WarpStateStats", "--section",
      "Occupancy", "--metrics",
      "dram__bytes_read.sum,dram__bytes_write.sum,gpu__time_duration.sum",
      "--log-file", logPath.str(), sys::fs::getMainExecutable(nullptr, &anchor),
      "run", programPath.str(), "--repeat", "1"};
  for (StringRef dim : benchCase.dims)
    words.insert(words.end(), {"--dim", dim.str()});
  if (!benchCase.entry.empty())
    words.insert(words.end(), {"--entry", benchCase.entry});
  if (!options.compile.chip.empty())
    words.insert(words.end(), {"--chip", options.compile.chip});
  if (options.compile.target == jit::Target::CPU)
    words.insert(words.end(), {"--target", "cpu"});
  if (options.compile.strict)
    words.push_back("--strict");
  if (!options.compile.tuningFile.empty())
    words.insert(words.end(), {"--tuning", options.compile.tuningFile});
  for (StringRef size : options.compile.sizes)
    words.insert(words.end(), {"--size", size.str()});
  if (options.compile.lengths != jit::CompileOptions().lengths)
    words.insert(words.end(),
                 {"--lengths", std::to_string(options.compile.lengths)});
  if (options.compile.candidate != 0)
    words.insert(words.end(),
                 {"--candidate", std::to_string(options.compile.candidate)});
  return words;
}

/// What ncu says of errors, or all of it.
static std::string complaint(StringRef log) {
  SmallVector<StringRef> lines, errors;
  log.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  copy_if(lines, std::back_inserter(errors),
          [](StringRef line) { return line.starts_with("==ERROR=="); });
  return join(errors.empty() ? lines : errors, "\n");
}

/// Without what the driver launches, such as the one that empties the cache.
static Expected<std::vector<KernelProfile>>
ownKernels(Expected<std::vector<KernelProfile>> profiles,
           const BenchResult &result) {
  if (profiles)
    llvm::erase_if(*profiles, [&](const KernelProfile &profile) {
      return none_of(result.kernels, [&](const KernelResult &kernel) {
        return kernel.name == profile.name;
      });
    });
  return profiles;
}

Expected<std::vector<KernelProfile>> profileBench(const BenchCase &benchCase,
                                                  const BenchOptions &options,
                                                  const BenchResult &result) {
  Expected<std::string> ncu = findNcu();
  if (!ncu)
    return ncu.takeError();
  auto program = ScratchFile::create("mlir", benchCase.text);
  if (!program)
    return program.takeError();
  auto log = ScratchFile::create("csv", "");
  if (!log)
    return log.takeError();
  auto output = ScratchFile::create("txt", "");
  if (!output)
    return output.takeError();
  std::vector<std::string> words =
      commandLine(*ncu, (*log)->name(), (*program)->name(), benchCase, options);
  SmallVector<StringRef> arguments(words.begin(), words.end());
  std::optional<StringRef> redirects[] = {std::nullopt, (*output)->name(),
                                          (*output)->name()};
  std::string failure;
  int status =
      sys::ExecuteAndWait(*ncu, arguments, /*Env=*/std::nullopt, redirects,
                          maxSeconds, /*MemoryLimit=*/0, &failure);
  if (status == 0)
    return ownKernels(parseProfile((*log)->read()), result);
  std::string said = complaint((*log)->read() + (*output)->read()) + failure;
  return makeError(formatv("expected ncu to profile '{0}', but it ended with "
                           "{1}:\n{2}\ntry it alone: ncu fuse run ...",
                           benchCase.name, status, said));
}

static const KernelProfile *findProfile(ArrayRef<KernelProfile> profiles,
                                        StringRef name) {
  const auto *it = find_if(profiles, [&](const KernelProfile &profile) {
    return profile.name == name;
  });
  return it == profiles.end() ? nullptr : it;
}

/// "268.437 MB read, 268.435 planned".
static std::string share(double achieved, int64_t planned, StringRef what) {
  return formatv("{0:F3} MB {1}, {2:F3} planned", achieved * 1e-6, what,
                 planned * 1e-6);
}

void printProfile(raw_ostream &os, const BenchResult &result,
                  ArrayRef<KernelProfile> profiles) {
  for (const KernelResult &kernel : result.kernels) {
    const KernelProfile *profile = findProfile(profiles, kernel.name);
    if (!profile)
      continue;
    os << formatv(
        "  profile of {0}: {1}; {2}; {3:F2} us; occupancy {4:F1} of "
        "{5:F1} %; waits for {6}, {7:F1} cycles an instruction\n",
        kernel.name, share(profile->bytesRead, kernel.bytesRead, "read"),
        share(profile->bytesWritten, kernel.bytesWritten, "written"),
        profile->seconds * 1e6, profile->occupancy, profile->possibleOccupancy,
        profile->stall.empty() ? "nothing" : profile->stall,
        profile->stallCycles);
  }
}

json::Array profileJSON(ArrayRef<KernelProfile> profiles) {
  json::Array array;
  for (const KernelProfile &profile : profiles)
    array.push_back(
        json::Object{{"name", profile.name},
                     {"bytes_read", profile.bytesRead},
                     {"bytes_written", profile.bytesWritten},
                     {"us", profile.seconds * 1e6},
                     {"occupancy", profile.occupancy},
                     {"possible_occupancy", profile.possibleOccupancy},
                     {"stall", profile.stall},
                     {"stall_cycles", profile.stallCycles}});
  return array;
}

} // namespace fuse::driver
