//===- RunPasses.cpp - Runs passes and explains their failure -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/RunPasses.h"
#include "fuse/Explain/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using llvm::formatv;
using namespace mlir;

namespace fuse::jit {

namespace {
/// A reproducer in a file, or nowhere.
class Reproducer : public ReproducerStream {
public:
  explicit Reproducer(std::unique_ptr<llvm::raw_fd_ostream> file)
      : file(std::move(file)) {}

  StringRef description() override { return "the reproducer"; }
  raw_ostream &os() override { return file ? *file : llvm::nulls(); }

private:
  std::unique_ptr<llvm::raw_fd_ostream> file;
};

/// Makes the file when the pass manager asks for it.
class ReproducerFile {
public:
  ReproducerFile(StringRef directory, DiagnosticCollector &diagnostics)
      : directory(directory), diagnostics(diagnostics) {}

  std::unique_ptr<ReproducerStream> open();

  /// "" if none was needed, or if it could not be made.
  StringRef path() const { return file; }

private:
  std::string directory;
  DiagnosticCollector &diagnostics;
  SmallString<128> file;
};
} // namespace

std::unique_ptr<ReproducerStream> ReproducerFile::open() {
  // The pass manager is about to say that it failed, which is no news.
  bool isExplained = diagnostics.hasError();
  diagnostics.close();
  if (isExplained)
    return std::make_unique<Reproducer>(nullptr);
  SmallString<128> model(directory);
  llvm::sys::path::append(model, "fuse-reproducer-%%%%%%.mlir");
  int descriptor = 0;
  if (llvm::sys::fs::create_directories(directory) ||
      llvm::sys::fs::createUniqueFile(model, descriptor, file)) {
    file.clear();
    return std::make_unique<Reproducer>(nullptr);
  }
  return std::make_unique<Reproducer>(
      std::make_unique<llvm::raw_fd_ostream>(descriptor, /*shouldClose=*/true));
}

llvm::Error runPasses(ModuleOp program,
                      function_ref<void(OpPassManager &)> build,
                      StringRef reproducerDirectory) {
  MLIRContext *context = program.getContext();
  DiagnosticCollector diagnostics(context);
  ReproducerFile reproducer(reproducerDirectory, diagnostics);
  auto passes = PassManager::on<ModuleOp>(context);
  build(passes);
  // Once at the end, not after each pass; fuse-opt does the latter.
  passes.enableVerifier(false);
  if (!reproducerDirectory.empty())
    passes.enableCrashReproducerGeneration(
        [&](std::string &) { return reproducer.open(); });
  if (succeeded(passes.run(program)) && succeeded(verify(program)))
    return llvm::Error::success();
  std::string advice =
      reproducer.path().empty()
          ? "report this program"
          : formatv("report {0}, on which this does the same: fuse-opt "
                    "--run-reproducer {0}",
                    reproducer.path())
                .str();
  return diagnostics.takeError(
      "expected the program to compile, but a pass failed without a reason; " +
      advice);
}

} // namespace fuse::jit
