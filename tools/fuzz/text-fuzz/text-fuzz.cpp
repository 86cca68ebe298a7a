//===- text-fuzz.cpp - Changed program texts must never crash -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// text-fuzz --count 100000 test examples
//
// Compiles mutants of the programs in the corpus in child processes. A child
// that dies, takes too long for one mutant or uses too much memory leaves that
// mutant in --keep with what it printed, and a new child goes on behind it. The
// exit status is 0 exactly if there was none.
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "Targets.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace llvm;
using namespace fuse::fuzz;

static cl::list<std::string> corpusPaths(cl::Positional, cl::OneOrMore,
                                         cl::desc("FILE or FOLDER..."));
static cl::opt<uint64_t> mutants("count", cl::init(3000),
                                 cl::desc("The number of mutants"));
static cl::opt<uint64_t> first("first", cl::init(0),
                               cl::desc("The number of the first mutant"));
static cl::opt<uint64_t> seed("seed", cl::init(0),
                              cl::desc("Another seed, other mutants"));
static cl::opt<unsigned>
    limitSeconds("limit", cl::init(20),
                 cl::desc("Seconds of a processor for one mutant"));
static cl::opt<unsigned> limitMegabytes("memory", cl::init(1024),
                                        cl::desc("Megabytes for one mutant"));
static cl::opt<std::string> keep("keep", cl::init("text-fuzz"),
                                 cl::desc("The folder of bad mutants"));
static cl::opt<bool> print("print", cl::desc("Print the first mutant instead"));

static ExitOnError exitOnError("text-fuzz: ");

namespace {
/// What a child tells its parent, in shared memory.
struct Progress {
  /// The mutant that it works on.
  std::atomic<uint64_t> current;
  std::atomic<uint64_t> passed;
};

/// Exit codes of a child.
enum ChildStatus { Done = 0, TooMuchMemory = 77 };
} // namespace

static int64_t peakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

/// Works until the end or until it dies.
[[noreturn]] static void work(const Mutator &mutator, Progress &progress,
                              uint64_t begin, uint64_t end,
                              const std::string &log) {
  int descriptor = open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  dup2(descriptor, STDERR_FILENO);
  dup2(descriptor, STDOUT_FILENO);
  ArrayRef<Target> targets = getTargets();
  int64_t before = peakMegabytes();
  for (uint64_t number = begin; number < end; ++number) {
    progress.current = number;
    const Target &target = targets[number % targets.size()];
    if (target.run(mutator.mutant(number)))
      ++progress.passed;
    if (peakMegabytes() - before > limitMegabytes)
      _exit(TooMuchMemory);
  }
  _exit(Done);
}

/// What the child has used of a processor.
static double cpuSeconds(pid_t child) {
  clockid_t clock;
  timespec time;
  if (clock_getcpuclockid(child, &clock) != 0 ||
      clock_gettime(clock, &time) != 0)
    return 0;
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/// Waits for the child; kills it if it stays with one mutant for too long, on
/// the processor, or waiting for something else.
static int waitFor(pid_t child, const Progress &progress, bool &hung) {
  using Clock = std::chrono::steady_clock;
  uint64_t last = progress.current;
  double used = 0;
  auto since = Clock::now();
  int status;
  while (waitpid(child, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (uint64_t now = progress.current; now != last) {
      last = now;
      used = cpuSeconds(child);
      since = Clock::now();
    } else if (cpuSeconds(child) - used > limitSeconds ||
               Clock::now() - since > std::chrono::seconds(30 * limitSeconds)) {
      hung = true;
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
  }
  return status;
}

static std::string describe(int status, bool hung) {
  if (hung)
    return formatv("no end after {0} s", limitSeconds.getValue());
  if (WIFSIGNALED(status))
    return formatv("signal {0}", WTERMSIG(status));
  if (WEXITSTATUS(status) == TooMuchMemory)
    return formatv("more than {0} MB", limitMegabytes.getValue());
  return formatv("exit status {0}", WEXITSTATUS(status));
}

static std::string pathOf(uint64_t number, StringRef extension) {
  SmallString<128> path(keep);
  sys::path::append(path,
                    formatv("mutant_{0}_{1}.{2}", seed, number, extension));
  return std::string(path);
}

static void writeMutant(const Mutator &mutator, uint64_t number) {
  std::error_code code;
  raw_fd_ostream file(pathOf(number, "mlir"), code);
  if (code)
    exitOnError(createFileError(pathOf(number, "mlir"), code));
  file << mutator.mutant(number);
}

/// Runs all mutants and returns how many were bad.
static unsigned runAll(const Mutator &mutator, Progress &progress) {
  std::string log = pathOf(first, "running.log");
  unsigned bad = 0;
  uint64_t end = first + mutants;
  for (uint64_t next = first; next < end;) {
    progress.current = next;
    pid_t child = fork();
    if (child == 0)
      work(mutator, progress, next, end, log);
    bool hung = false;
    int status = waitFor(child, progress, hung);
    if (!hung && WIFEXITED(status) && WEXITSTATUS(status) == Done)
      break;
    uint64_t number = progress.current;
    ++bad;
    writeMutant(mutator, number);
    sys::fs::rename(log, pathOf(number, "log"));
    ArrayRef<Target> targets = getTargets();
    outs() << formatv("mutant {0} ({1}): {2}, see {3}\n", number,
                      targets[number % targets.size()].name,
                      describe(status, hung), pathOf(number, "mlir"));
    outs().flush();
    next = number + 1;
  }
  sys::fs::remove(log);
  return bad;
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "Compiles mutants of programs\n");
  std::vector<std::string> corpus = exitOnError(readCorpus(corpusPaths));
  size_t programs = corpus.size();
  Mutator mutator(std::move(corpus), seed);
  if (print) {
    outs() << mutator.mutant(first);
    return 0;
  }
  if (std::error_code code = sys::fs::create_directories(keep))
    exitOnError(createFileError(keep, code));
  void *shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED)
    exitOnError(createStringError("expected shared memory, but got none"));
  auto *progress = new (shared) Progress();
  unsigned bad = runAll(mutator, *progress);
  outs() << formatv("{0} mutants of {1} programs, {2} compiled, {3} bad\n",
                    mutants.getValue(), programs, progress->passed.load(), bad);
  return bad > 0;
}
