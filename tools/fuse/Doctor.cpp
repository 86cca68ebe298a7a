//===- Doctor.cpp - fuse doctor -------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Command.h"
#include "Terminal.h"
#include "Version.h"
#include "fuse/Codegen/Assemble.h"
#include "fuse/Execution/JIT.h"
#include "fuse/Runtime/CudaDriver.h"
#include "fuse/Runtime/DiskCache.h"
#include "fuse/Target/CPUTarget.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace llvm;
using mlir::fuse::Assembler;

namespace fuse::driver {

namespace {
/// A piece of what is installed.
struct Finding {
  std::string what, found;
  /// What it costs that it is missing; empty where it is there.
  std::string cost;
};

class DoctorCommand : public Command {
public:
  DoctorCommand()
      : Command("doctor", "Show what is here, and what is missed") {}

  Error execute() override;

private:
  void add(StringRef what, const Twine &found) {
    findings.push_back({what.str(), found.str(), ""});
  }
  void addMissing(StringRef what, Error error, StringRef cost);
  void checkAssembler(StringRef what, Assembler assembler, StringRef cost);
  void checkGPUs();
  void checkCache();
  void checkPython();
  void print() const;
  void printJSON() const;

  cl::opt<bool> asJSON{"json", cl::sub(sub), cl::cat(category),
                       cl::desc("The same as JSON")};
  std::vector<Finding> findings;
};
} // namespace

/// Only the first line of `error`.
void DoctorCommand::addMissing(StringRef what, Error error, StringRef cost) {
  std::string message = toString(std::move(error));
  findings.push_back(
      {what.str(), StringRef(message).split('\n').first.str(), cost.str()});
}

/// Assembles an empty kernel, which shows more than that the file is there.
void DoctorCommand::checkAssembler(StringRef what, Assembler assembler,
                                   StringRef cost) {
  static constexpr StringLiteral ptx =
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry probe() { ret; }\n";
  auto target = cantFail(mlir::fuse::lookupGPUTarget("sm_90"));
  mlir::fuse::AssembleOptions options;
  options.assembler = assembler;
  auto module = mlir::fuse::assemblePTX(ptx, target, options);
  if (module)
    add(what, module->assemblerName);
  else
    addMissing(what, module.takeError(), cost);
}

/// "RTX 4090 (--chip rtx-4090); no schedule was measured on it, ..".
static std::string boardText(StringRef chip) {
  auto target = cantFail(mlir::fuse::lookupGPUTarget(chip));
  return formatv("{0} (--chip {1}){2}", target.board, chip,
                 target.isMeasured ? ""
                                   : "; no schedule was measured on it, so "
                                     "--autotune may find faster ones");
}

void DoctorCommand::checkGPUs() {
  auto driver = runtime::CudaDriver::get();
  if (!driver)
    return addMissing("CUDA driver", driver.takeError(),
                      "programs run on the CPU; PTX is still made and "
                      "inspected");
  add("CUDA driver",
      formatv("for CUDA {0}.{1}, {2} device(s)", driver->version() / 1000,
              driver->version() % 1000 / 10, driver->deviceCount()));
  for (int i = 0; i < driver->deviceCount(); ++i) {
    auto device = runtime::CudaDevice::get(i);
    if (!device) {
      addMissing("GPU", device.takeError(), "it is not used");
      continue;
    }
    const runtime::CudaDeviceInfo &info = device->info();
    add("GPU", formatv("{0}, sm_{1}, {2} multiprocessors, {3:F1} GB", info.name,
                       info.sm, info.multiprocessors, info.memoryBytes * 1e-9));
    if (auto chip = jit::chipOf(info))
      add("modelled as", boardText(*chip));
    else
      consumeError(chip.takeError());
  }
}

void DoctorCommand::checkCache() {
  static constexpr StringLiteral cost =
      "every process compiles anew; set FUSE_CACHE_DIR to a writable folder";
  auto cache = runtime::DiskCache::open();
  if (!cache)
    return addMissing("cache", cache.takeError(), cost);
  runtime::DiskCache::Key key("doctor", LLVM_VERSION_STRING, {"probe"});
  if (Error error = cache->store(key, "probe"))
    return addMissing("cache", std::move(error), cost);
  add("cache", cache->directory() + ", writable");
}

/// Prints a line for each piece: what it is, what is there, and if nothing is,
/// what that costs. Imports nothing: torch would take seconds.
static constexpr StringLiteral pythonProbe = R"(
import importlib.metadata as metadata, importlib.util as util, os, re, sys
def version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
def say(what, found, cost=""):
    print(what, found or "not installed", "" if found else cost, sep="\t")
def place(name):
    spec = util.find_spec(name)
    return os.path.dirname(spec.origin) if spec and spec.origin else ""
say("Python", sys.version.split()[0] + ", " + sys.executable)
say("fuse_compiler", place("fuse_compiler"), "no programs from Python; install the wheel, or set "
    "PYTHONPATH to the folder python of the sources")
torch, found = place("torch"), version("torch")
if torch and os.path.exists(torch + "/version.py"):
    text = open(torch + "/version.py").read()
    cuda = re.search(r"^cuda[^=]*= '(.*)'", text, re.MULTILINE)
    found += ", for CUDA " + cuda[1] if cuda else ", for the CPU"
say("torch", found, "no backend of torch.compile and no fuse_compiler.ops")
jax = version("jax")
gpus = any(version(f"jax-cuda{n}-plugin") for n in (12, 13))
say("JAX", jax and jax + (", for CUDA" if gpus else ", for the CPU"), "no fuse_compiler.jax")
)";

/// The output of the interpreter that is asked.
static Expected<std::string> askPython() {
  // The one that runs this, where it is a wheel's.
  const char *own = std::getenv("FUSE_PYTHON");
  ErrorOr<std::string> python = sys::findProgramByName(own ? own : "python3");
  if (!python)
    return createStringError("no python3 on the PATH");
  SmallString<128> path;
  if (std::error_code code =
          sys::fs::createTemporaryFile("fuse-doctor", "txt", path))
    return createStringError(code, "expected a temporary file");
  FileRemover remover(path);
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(path),
                                          StringRef()};
  std::string message;
  if (sys::ExecuteAndWait(*python, {*python, "-c", pythonProbe},
                          /*Env=*/std::nullopt, redirects,
                          /*SecondsToWait=*/30, /*MemoryLimit=*/0, &message))
    return createStringError(*python + " does not run: " + message);
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError(), "expected to read its answer");
  return (*buffer)->getBuffer().str();
}

void DoctorCommand::checkPython() {
  Expected<std::string> answer = askPython();
  if (!answer)
    return addMissing("Python", answer.takeError(),
                      "programs are compiled from files, C and C++ alone");
  SmallVector<StringRef> lines, words;
  StringRef(*answer).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    words.clear();
    line.split(words, '\t');
    if (words.size() == 3)
      findings.push_back({words[0].str(), words[1].str(), words[2].str()});
  }
}

void DoctorCommand::print() const {
  for (const Finding &finding : findings) {
    outs() << formatv("{0,-14} ", finding.what);
    if (!finding.cost.empty())
      printColored(outs(), "missing: ", raw_ostream::YELLOW);
    outs() << finding.found << "\n";
    if (!finding.cost.empty())
      outs() << formatv("{0,-14} cost: {1}\n", "", finding.cost);
  }
}

void DoctorCommand::printJSON() const {
  json::Array array;
  for (const Finding &finding : findings) {
    json::Object object{{"what", finding.what},
                        {"found", finding.cost.empty()}};
    object[finding.cost.empty() ? "is" : "error"] = finding.found;
    if (!finding.cost.empty())
      object["cost"] = finding.cost;
    array.push_back(std::move(object));
  }
  outs() << formatv("{0:2}\n",
                    json::Value(json::Object{{"findings", std::move(array)}}));
}

Error DoctorCommand::execute() {
  add("Fuse", versionText());
  add("LLVM", LLVM_VERSION_STRING);
  auto cpu = mlir::fuse::CPUTarget::host();
  add("CPU", formatv("{0}, {1} core(s), vectors of {2} bits", cpu.name,
                     cpu.cores, cpu.vectorBits));
  checkGPUs();
  checkAssembler("ptxas", Assembler::Ptxas,
                 "no registers and spills in 'fuse inspect', unless nvJitLink "
                 "is there");
  checkAssembler("nvJitLink", Assembler::NvJitLink,
                 "without ptxas, too, the driver assembles PTX at each load");
  checkCache();
  checkPython();
  asJSON ? printJSON() : print();
  return Error::success();
}

std::unique_ptr<Command> makeDoctorCommand() {
  return std::make_unique<DoctorCommand>();
}

} // namespace fuse::driver
