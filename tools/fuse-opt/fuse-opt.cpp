//===- fuse-opt.cpp - Runs passes on a program as text --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/Source.h"
#include "fuse/Pipelines/InitAll.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;
using namespace mlir;

/// Prints `error`; false for success.
static bool report(Error error) {
  if (!error)
    return false;
  WithColor::error() << toString(std::move(error)) << "\n";
  return true;
}

/// mlir-opt's main function, with the checks of a text from anywhere before the
/// parser sees it.
int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  DialectRegistry registry;
  mlir::fuse::registerAllDialects(registry);
  mlir::fuse::registerAllPasses();
  auto [inputName, outputName] = registerAndParseCLIOptions(
      argc, argv, "Fuse optimizer and pass driver\n", registry);
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return asMainReturnCode(
        MlirOptMain(argc, argv, inputName, outputName, registry));

  auto source = ::fuse::jit::readSource(inputName);
  if (!source)
    return report(source.takeError());
  if (report(::fuse::jit::checkSource((*source)->getBuffer(), inputName)))
    return EXIT_FAILURE;
  std::string message;
  auto output = openOutputFile(outputName, &message);
  if (!output)
    return report(createStringError(message));
  if (failed(MlirOptMain(output->os(), std::move(*source), registry, config)))
    return EXIT_FAILURE;
  output->keep();
  return EXIT_SUCCESS;
}
