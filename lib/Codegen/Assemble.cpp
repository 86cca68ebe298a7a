//===- Assemble.cpp - PTX to cubin ----------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/Assemble.h"
#include "NvJitLink.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::fuse;
using llvm::StringRef;

/// Reads the number before `unit` in `line`; 0 if there is none.
static unsigned getNumberBefore(StringRef line, StringRef unit) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return 0;
  StringRef text = line.take_front(at).rtrim();
  size_t begin = text.find_last_not_of("0123456789");
  text = text.drop_front(begin == StringRef::npos ? 0 : begin + 1);
  unsigned value = 0;
  return text.getAsInteger(10, value) ? 0 : value;
}

std::vector<KernelResources> mlir::fuse::parseAssemblerLog(StringRef log) {
  std::vector<KernelResources> kernels;
  while (!log.empty()) {
    StringRef line;
    std::tie(line, log) = log.split('\n');
    StringRef rest = line.drop_front(
        std::min(line.find("Compiling entry function '"), line.size()));
    if (rest.consume_front("Compiling entry function '")) {
      kernels.emplace_back();
      kernels.back().name = rest.split('\'').first.str();
      continue;
    }
    if (kernels.empty())
      continue;
    KernelResources &kernel = kernels.back();
    if (line.contains("bytes stack frame")) {
      kernel.stackBytes = getNumberBefore(line, " bytes stack frame");
      kernel.spillStoreBytes = getNumberBefore(line, " bytes spill stores");
      kernel.spillLoadBytes = getNumberBefore(line, " bytes spill loads");
    } else if (line.contains("Used ")) {
      kernel.registers = getNumberBefore(line, " registers");
      kernel.sharedBytes = getNumberBefore(line, " bytes smem");
    }
  }
  return kernels;
}

std::vector<SerializedMma> mlir::fuse::parseSerializedMma(StringRef log) {
  std::vector<SerializedMma> found;
  while (!log.empty()) {
    StringRef line;
    std::tie(line, log) = log.split('\n');
    size_t code = line.find("(C75");
    size_t begin = std::min(code, line.find("Potential Performance Loss"));
    if (begin == StringRef::npos)
      continue;
    StringRef message = line.drop_front(begin).trim();
    // The function stands last, in quotes.
    StringRef kernel;
    if (StringRef rest = message; rest.consume_back("'"))
      kernel = rest.rsplit('\'').second;
    found.push_back({kernel.str(), message.str()});
  }
  return found;
}

std::optional<std::string> mlir::fuse::findPtxas() {
  // Another one in its place would be a surprise.
  if (auto path = llvm::sys::Process::GetEnv("FUSE_PTXAS");
      path && !path->empty())
    return path;
  llvm::SmallVector<std::string> folders;
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (auto home = llvm::sys::Process::GetEnv(name))
      folders.push_back(*home + "/bin");
  folders.push_back("/usr/local/cuda/bin");
  if (auto path = llvm::sys::findProgramByName("ptxas"))
    return *path;
  llvm::SmallVector<StringRef> refs(folders.begin(), folders.end());
  if (auto path = llvm::sys::findProgramByName("ptxas", refs))
    return *path;
  return std::nullopt;
}

namespace {
/// A temporary file that goes away with its scope.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(StringRef suffix) {
    TemporaryFile file;
    if (std::error_code code =
            llvm::sys::fs::createTemporaryFile("fuse", suffix, file.path))
      return makeError(code);
    file.remover.setFile(file.path);
    return std::move(file);
  }

  StringRef getPath() const { return path; }

  llvm::Error write(StringRef text) {
    std::error_code code;
    llvm::raw_fd_ostream os(path, code);
    if (!code) {
      os << text;
      os.close();
      code = os.error();
      os.clear_error();
    }
    return code ? makeError(code) : llvm::Error::success();
  }

  /// The bytes in it; empty if it cannot be read.
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

private:
  static llvm::Error makeError(std::error_code code) {
    return llvm::createStringError(
        code, "expected a temporary folder that can be written, but got: " +
                  code.message() + "; set TMPDIR");
  }

  llvm::SmallString<64> path;
  llvm::FileRemover remover;
};
} // namespace

static llvm::Error makeRejection(StringRef assembler, const GPUTarget &target,
                                 StringRef log) {
  return llvm::createStringError(
      llvm::Twine("expected PTX that ") + assembler + " assembles for " +
      target.chip + ", but got:\n" + log.trim() +
      "\nuse a CUDA toolkit that knows this chip and PTX " +
      llvm::Twine(target.ptxVersion / 10) + "." +
      llvm::Twine(target.ptxVersion % 10) + ", or set FUSE_PTXAS to its ptxas");
}

/// Whether there is something to compile side by side.
static bool hasSeveralKernels(StringRef ptx) {
  return ptx.count(".entry ") > 1;
}

/// In any order: those that are compiled side by side come as they are done.
static void sortByName(std::vector<KernelResources> &kernels) {
  llvm::sort(kernels, [](const KernelResources &a, const KernelResources &b) {
    return a.name < b.name;
  });
}

static llvm::Expected<AssembledModule>
runPtxas(const std::string &program, StringRef ptx, const GPUTarget &target,
         const AssembleOptions &options) {
  if (!llvm::sys::fs::can_execute(program))
    return llvm::createStringError(
        "expected FUSE_PTXAS to name a program, but got '" + program +
        "'; correct it, or unset it");
  auto input = TemporaryFile::create("ptx");
  if (!input)
    return input.takeError();
  auto output = TemporaryFile::create("cubin");
  if (!output)
    return output.takeError();
  auto log = TemporaryFile::create("log");
  if (!log)
    return log.takeError();
  if (llvm::Error error = input->write(ptx))
    return std::move(error);

  std::string arch = ("-arch=" + target.chip).str(), message, text;
  auto run = [&](bool inParallel) {
    llvm::SmallVector<StringRef> args = {program, "-O3", "-v", arch};
    if (options.lineInfo)
      args.push_back("-lineinfo");
    if (inParallel)
      args.push_back("-split-compile=0");
    args.append({"-o", output->getPath(), input->getPath()});
    int status = llvm::sys::ExecuteAndWait(
        program, args, std::nullopt,
        {StringRef(), log->getPath(), log->getPath()}, 0, 0, &message);
    text = log->read();
    return status;
  };
  bool isLarge = hasSeveralKernels(ptx);
  int status = run(isLarge);
  // Those of the first releases for sm_90 know no such option.
  if (status != 0 && isLarge && StringRef(text).contains("split-compile"))
    status = run(/*inParallel=*/false);
  if (status != 0 && StringRef(text).trim().empty())
    text = message.empty()
               ? ("no output and exit code " + llvm::Twine(status)).str()
               : message;
  if (status != 0)
    return makeRejection("ptxas", target, text);

  AssembledModule result;
  result.assembler = Assembler::Ptxas;
  result.assemblerName = "ptxas (" + program + ")";
  std::string cubin = output->read();
  result.cubin.assign(cubin.begin(), cubin.end());
  result.kernels = parseAssemblerLog(text);
  sortByName(result.kernels);
  result.serialized = parseSerializedMma(text);
  return result;
}

static llvm::Expected<AssembledModule>
runNvJitLink(const NvJitLink &library, StringRef ptx, const GPUTarget &target,
             const AssembleOptions &options) {
  AssembledModule result;
  std::string log;
  if (!library.link(ptx, target.chip, options.lineInfo, result.cubin, log))
    return makeRejection("nvJitLink", target, log);
  result.assembler = Assembler::NvJitLink;
  result.assemblerName = "nvJitLink (" + library.getPath().str() + ")";
  result.kernels = parseAssemblerLog(log);
  sortByName(result.kernels);
  result.serialized = parseSerializedMma(log);
  return result;
}

static llvm::Expected<AssembledModule>
assembleOnce(StringRef ptx, const GPUTarget &target,
             const AssembleOptions &options) {
  bool any = options.assembler == Assembler::Any;
  if (any || options.assembler == Assembler::Ptxas) {
    if (std::optional<std::string> program = findPtxas())
      return runPtxas(*program, ptx, target, options);
    if (!any)
      return llvm::createStringError(
          "expected ptxas, but found none; set FUSE_PTXAS or CUDA_HOME, or "
          "leave the choice of the assembler open");
  }
  if (any || options.assembler == Assembler::NvJitLink) {
    if (const NvJitLink *library = NvJitLink::load())
      return runNvJitLink(*library, ptx, target, options);
    if (!any)
      return llvm::createStringError(
          "expected libnvJitLink, but found none; install the CUDA toolkit's "
          "nvJitLink, or leave the choice of the assembler open");
  }
  AssembledModule result;
  result.assemblerName = "the CUDA driver, at load";
  return result;
}

namespace {
/// The directives between a kernel's parameters and its body.
struct Bounds {
  /// Of the line behind `.maxntid`, whose numbers are the block's threads.
  size_t end = 0;
  uint64_t threads = 1;
};
} // namespace

/// From a kernel's `.entry` to its body; empty if it is not there.
static StringRef headOf(StringRef ptx, StringRef kernel) {
  size_t entry = ptx.find((".entry " + kernel + "(").str());
  size_t body = ptx.find('{', std::min(entry, ptx.size()));
  if (entry == StringRef::npos || body == StringRef::npos)
    return {};
  return ptx.slice(entry, body);
}

/// Nothing of a kernel without `.maxntid`, or with a bound on its registers.
static std::optional<Bounds> boundsOf(StringRef ptx, StringRef kernel) {
  StringRef head = headOf(ptx, kernel);
  size_t line = head.find(".maxntid");
  if (line == StringRef::npos || head.contains(".minnctapersm") ||
      head.contains(".maxnreg"))
    return std::nullopt;
  Bounds bounds;
  size_t end = head.find('\n', line);
  if (end == StringRef::npos)
    return std::nullopt;
  bounds.end = head.data() - ptx.data() + end + 1;
  llvm::SmallVector<StringRef, 3> numbers;
  head.slice(line, end)
      .drop_front(StringRef(".maxntid").size())
      .split(numbers, ',');
  for (StringRef number : numbers) {
    uint64_t size = 0;
    if (number.trim().getAsInteger(10, size) || size == 0)
      return std::nullopt;
    bounds.threads *= size;
  }
  return bounds;
}

/// Where the line with a kernel's `.minnctapersm` stands, and its size, which
/// is 0 if there is none.
static std::pair<size_t, size_t> leastBlocksLine(StringRef ptx,
                                                 StringRef kernel) {
  StringRef head = headOf(ptx, kernel);
  size_t line = head.find(".minnctapersm");
  size_t end = head.find('\n', std::min(line, head.size()));
  if (line == StringRef::npos || end == StringRef::npos)
    return {0, 0};
  return {head.data() - ptx.data() + line, end + 1 - line};
}

/// Whether the kernel has a bound without which its threads may have more
/// registers: one block may have all of a multiprocessor's anyway.
static bool isHeldByBound(StringRef ptx, StringRef kernel) {
  auto [begin, size] = leastBlocksLine(ptx, kernel);
  StringRef line = ptx.substr(begin, size).trim();
  unsigned blocks = 0;
  return line.consume_front(".minnctapersm") &&
         !line.trim().getAsInteger(10, blocks) && blocks > 1;
}

static unsigned spilledBytes(const KernelResources &kernel) {
  return kernel.spillStoreBytes + kernel.spillLoadBytes;
}

/// The text from a kernel's `.entry` to the end of its body.
static StringRef textOf(StringRef ptx, StringRef kernel) {
  StringRef head = headOf(ptx, kernel);
  if (head.empty())
    return {};
  size_t begin = head.data() - ptx.data(), end = begin + head.size();
  for (int depth = 0; end < ptx.size();) {
    char c = ptx[end++];
    depth += (c == '{') - (c == '}');
    if (c == '}' && depth == 0)
      return ptx.slice(ptx.rfind('\n', begin) + 1, end);
  }
  return {};
}

/// The kernels that get another bound.
static std::vector<KernelResources>
changedOf(llvm::ArrayRef<KernelResources> kernels) {
  std::vector<KernelResources> found;
  llvm::copy_if(kernels, std::back_inserter(found),
                [](const KernelResources &kernel) {
                  return kernel.leastBlocks > 0 || kernel.losesBound;
                });
  return found;
}

/// Whether no kernel spills more than before, and one less. Both assemblies are
/// of the same kernels, in the same order.
static bool spillsLess(llvm::ArrayRef<KernelResources> now,
                       llvm::ArrayRef<KernelResources> before) {
  bool anyLess = false;
  for (auto [kernel, old] : llvm::zip(now, before)) {
    if (kernel.name != old.name || spilledBytes(kernel) > spilledBytes(old))
      return false;
    anyLess |= spilledBytes(kernel) < spilledBytes(old);
  }
  return anyLess && now.size() == before.size();
}

std::string
mlir::fuse::withLeastBlocks(StringRef ptx,
                            llvm::ArrayRef<KernelResources> kernels) {
  std::string text = ptx.str();
  for (const KernelResources &kernel : kernels) {
    if (kernel.losesBound) {
      auto [line, size] = leastBlocksLine(text, kernel.name);
      text.erase(line, size);
    }
    if (kernel.leastBlocks > 0)
      if (std::optional<Bounds> bounds = boundsOf(text, kernel.name))
        text.insert(
            bounds->end,
            (".minnctapersm " + llvm::Twine(kernel.leastBlocks) + "\n").str());
  }
  return text;
}

/// Whether other bounds may be of use: the few kernels that get some are
/// assembled without the others, which takes a part of the time.
static bool mayHelp(StringRef ptx, llvm::ArrayRef<KernelResources> kernels,
                    const GPUTarget &target, const AssembleOptions &options) {
  std::vector<KernelResources> changed = changedOf(kernels);
  if (changed.size() == kernels.size())
    return true;
  std::string alone = ptx.str();
  for (const KernelResources &kernel : kernels)
    if (kernel.leastBlocks == 0 && !kernel.losesBound)
      if (StringRef text = textOf(alone, kernel.name); !text.empty())
        alone.erase(text.data() - alone.data(), text.size());
  llvm::Expected<AssembledModule> tried = assembleOnce(alone, target, options);
  if (!tried) {
    llvm::consumeError(tried.takeError());
    return true;
  }
  llvm::erase_if(tried->kernels, [&](const KernelResources &kernel) {
    return llvm::none_of(changed, [&](const KernelResources &other) {
      return other.name == kernel.name;
    });
  });
  return spillsLess(tried->kernels, changed);
}

llvm::Expected<AssembledModule>
mlir::fuse::assemblePTX(StringRef ptx, const GPUTarget &target,
                        const AssembleOptions &options) {
  llvm::Expected<AssembledModule> first = assembleOnce(ptx, target, options);
  if (!first)
    return first;
  std::vector<KernelResources> kernels = first->kernels;
  for (KernelResources &kernel : kernels) {
    if (spilledBytes(kernel) == 0)
      continue;
    if (std::optional<Bounds> bounds = boundsOf(ptx, kernel.name))
      kernel.leastBlocks = target.blocksWith(bounds->threads, kernel.registers);
    else
      kernel.losesBound = isHeldByBound(ptx, kernel.name);
  }
  std::string bounded = withLeastBlocks(ptx, kernels);
  if (bounded == ptx || !mayHelp(bounded, kernels, target, options))
    return first;
  llvm::Expected<AssembledModule> second =
      assembleOnce(bounded, target, options);
  if (!second) {
    llvm::consumeError(second.takeError());
    return first;
  }
  // Without its bound a kernel cannot hand registers on, and waits for
  // products.
  if (!spillsLess(second->kernels, kernels) ||
      second->serialized.size() > first->serialized.size())
    return first;
  for (auto [kernel, with] : llvm::zip_equal(second->kernels, kernels))
    std::tie(kernel.leastBlocks, kernel.losesBound) =
        std::tie(with.leastBlocks, with.losesBound);
  return second;
}
