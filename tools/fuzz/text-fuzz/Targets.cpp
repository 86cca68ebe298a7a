//===- Targets.cpp - The ways into the compiler ---------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Targets.h"
#include "fuse/Compiler/Frontend.h"
#include "fuse/Execution/JIT.h"
#include "fuse/Pipelines/InitAll.h"
#include "fuse/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

using namespace llvm;

namespace fuse::fuzz {

template <typename T> static bool succeeds(Expected<T> result) {
  if (result)
    return true;
  consumeError(result.takeError());
  return false;
}

static bool compile(StringRef text, jit::Target target, StringRef chip) {
  jit::CompileOptions options;
  options.target = target;
  options.chip = chip.str();
  options.cache = false;
  auto compilation = jit::Compilation::create(text, "mutant.mlir", options);
  if (!compilation)
    return succeeds(std::move(compilation));
  if (target == jit::Target::CPU)
    return succeeds((*compilation)->generate(runtime::Facts()));
  // LLVM's own code for the GPU is slow and not ours.
  return succeeds(
      (*compilation)->print(jit::Stage::LLVM, runtime::Facts::usual()));
}

static bool compileForHost(StringRef text) {
  return compile(text, jit::Target::CPU, "");
}

static bool compileForGPU(StringRef text) {
  return compile(text, jit::Target::CUDA, "sm_90");
}

static bool runPasses(StringRef text) {
  mlir::DialectRegistry registry;
  mlir::fuse::registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::ScopedDiagnosticHandler silence(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  auto module = jit::parseProgram(context, text, "mutant.mlir");
  if (!module)
    return succeeds(std::move(module));
  mlir::PassManager passes(&context);
  mlir::fuse::PipelineOptions options;
  mlir::fuse::buildFormPipeline(passes, options);
  mlir::fuse::buildSchedulePipeline(passes, options);
  mlir::fuse::buildLowerPipeline(passes, options);
  return mlir::succeeded(passes.run(**module));
}

ArrayRef<Target> getTargets() {
  static const Target targets[] = {
      {"cpu", compileForHost}, {"gpu", compileForGPU}, {"passes", runPasses}};
  return targets;
}

} // namespace fuse::fuzz
