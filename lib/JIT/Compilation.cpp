//===- Compilation.cpp - From text to code, without a device --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/JIT/Compilation.h"
#include "CodeCache.h"
#include "EmulatorCode.h"
#include "KernelInfo.h"
#include "fuse/Codegen/NVPTX.h"
#include "fuse/Codegen/Passes.h"
#include "fuse/Codegen/Translate.h"
#include "fuse/JIT/Diagnostics.h"
#include "fuse/JIT/Frontend.h"
#include "fuse/JIT/PlanBuilder.h"
#include "fuse/Pipelines/InitAll.h"
#include "fuse/Pipelines/Pipelines.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"
#include <mutex>

using llvm::Expected;
using namespace mlir;
using ::fuse::runtime::Facts;
using mlir::fuse::GPUTarget;

namespace fuse::jit {

static const DialectRegistry &dialects() {
  static const DialectRegistry registry = [] {
    DialectRegistry result;
    mlir::fuse::registerAllDialects(result);
    mlir::fuse::registerCodegenTranslations(result);
    return result;
  }();
  return registry;
}

struct Compilation::State {
  State(const CompileOptions &options)
      : options(options), cache(options),
        context(dialects(), MLIRContext::Threading::DISABLED) {}

  /// Whether the kernels are a GPU's.
  bool isForGPU() const { return options.target != Target::CPU; }
  bool isEmulated() const { return options.target == Target::Emulator; }
  void configure(mlir::fuse::PipelineOptions &pipeline,
                 const Facts &facts) const;
  void buildCodegen(OpPassManager &passes, const Facts &facts) const;
  func::FuncOp entryOf(ModuleOp program) const;
  llvm::Error parse(StringRef text, StringRef fileName);
  llvm::Error formKernels();
  llvm::Error emit(gpu::GPUModuleOp kernels, Code &code);
  llvm::Error runPasses(ModuleOp program,
                        function_ref<void(OpPassManager &)> build);
  Expected<OwningOpRef<ModuleOp>> lower(Stage stage, const Facts &facts);

  CompileOptions options;
  CodeCache cache;
  std::optional<GPUTarget> gpu;
  /// Guards the context, whose own threads are off.
  std::mutex mutex;
  MLIRContext context;
  std::string entry;
  /// At Stage::Kernels.
  OwningOpRef<ModuleOp> module;
};

void Compilation::State::configure(mlir::fuse::PipelineOptions &pipeline,
                                   const Facts &facts) const {
  pipeline.chip = isForGPU() ? options.chip : "cpu";
  pipeline.strict = options.strict;
  pipeline.aligned = facts.aligned16;
  pipeline.divisible = facts.divisible;
}

/// What turns the kernels' gpu.module into LLVM's dialect.
void Compilation::State::buildCodegen(OpPassManager &passes,
                                      const Facts &facts) const {
  if (!isForGPU()) {
    passes.addNestedPass<gpu::GPUModuleOp>(mlir::fuse::createFuseGPUToCPU());
    return;
  }
  mlir::fuse::FuseGPUToNVVMOptions nvvm;
  nvvm.indexBits = facts.index32 ? 32 : 64;
  passes.addNestedPass<gpu::GPUModuleOp>(mlir::fuse::createFuseGPUToNVVM(nvvm));
}

func::FuncOp Compilation::State::entryOf(ModuleOp program) const {
  return program.lookupSymbol<func::FuncOp>(entry);
}

llvm::Error
Compilation::State::runPasses(ModuleOp program,
                              function_ref<void(OpPassManager &)> build) {
  DiagnosticCollector diagnostics(&context);
  PassManager passes(&context);
  build(passes);
  if (succeeded(passes.run(program)))
    return llvm::Error::success();
  return diagnostics.takeError(
      "expected the program to compile, but a pass failed without a reason; "
      "report this program");
}

llvm::Error Compilation::State::parse(StringRef text, StringRef fileName) {
  Expected<OwningOpRef<ModuleOp>> parsed =
      parseProgram(context, text, fileName);
  if (!parsed)
    return parsed.takeError();
  module = std::move(*parsed);
  Expected<func::FuncOp> function = selectEntry(*module, options.entry);
  if (!function)
    return function.takeError();
  entry = function->getName().str();
  // What the entry does not use is not compiled.
  for (auto other : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    if (other != *function && SymbolTable::symbolKnownUseEmpty(other, *module))
      other.erase();
  return llvm::Error::success();
}

llvm::Error Compilation::State::formKernels() {
  mlir::fuse::PipelineOptions pipeline;
  configure(pipeline, {});
  return runPasses(*module, [&](OpPassManager &passes) {
    mlir::fuse::buildFormPipeline(passes, pipeline);
  });
}

/// Moves all kernels into one gpu.module, so that they are compiled and
/// assembled at once. Launches name kernels by their own names alone.
static gpu::GPUModuleOp mergeKernels(ModuleOp program) {
  gpu::GPUModuleOp first;
  for (auto module :
       llvm::make_early_inc_range(program.getOps<gpu::GPUModuleOp>())) {
    if (!first) {
      first = module;
      continue;
    }
    first.getBody()->getOperations().splice(first.getBody()->end(),
                                            module.getBody()->getOperations());
    module.erase();
  }
  return first;
}

/// A copy of the program, lowered to `stage`.
Expected<OwningOpRef<ModuleOp>> Compilation::State::lower(Stage stage,
                                                          const Facts &facts) {
  OwningOpRef<ModuleOp> program = module->clone();
  mlir::fuse::PipelineOptions pipeline;
  configure(pipeline, facts);
  llvm::Error error = runPasses(*program, [&](OpPassManager &passes) {
    if (stage >= Stage::Schedule)
      mlir::fuse::buildSchedulePipeline(passes, pipeline);
    if (stage >= Stage::Gpu)
      mlir::fuse::buildLowerPipeline(passes, pipeline);
  });
  if (error)
    return std::move(error);
  return std::move(program);
}

llvm::Error Compilation::State::emit(gpu::GPUModuleOp kernels, Code &code) {
  if (isEmulated()) {
    auto object = mlir::fuse::compileEmulatorObject(kernels, emulatorShims());
    if (!object)
      return object.takeError();
    code.object = std::move(*object);
    return llvm::Error::success();
  }
  if (!isForGPU()) {
    auto object = cache.compileForHost(kernels);
    if (!object)
      return object.takeError();
    code.object = std::move(*object);
    return llvm::Error::success();
  }
  mlir::fuse::PTXOptions ptxOptions;
  ptxOptions.lineInfo = options.lineInfo;
  Expected<std::string> ptx = mlir::fuse::emitPTX(kernels, *gpu, ptxOptions);
  if (!ptx)
    return ptx.takeError();
  code.ptx = std::move(*ptx);
  auto assembled = cache.assemble(code.ptx, *gpu);
  if (!assembled)
    return assembled.takeError();
  code.assembled = std::move(*assembled);
  return llvm::Error::success();
}

Compilation::Compilation(std::unique_ptr<State> state)
    : state(std::move(state)) {}
Compilation::~Compilation() = default;

const CompileOptions &Compilation::options() const { return state->options; }

Expected<std::unique_ptr<Compilation>>
Compilation::create(StringRef text, StringRef fileName,
                    const CompileOptions &options) {
  assert(options.target != Target::Auto && "the caller picks the target");
  auto state = std::make_unique<State>(options);
  if (state->isForGPU()) {
    Expected<GPUTarget> gpu = mlir::fuse::lookupGPUTarget(options.chip);
    if (!gpu)
      return gpu.takeError();
    state->gpu = *gpu;
  }
  if (llvm::Error error = state->parse(text, fileName))
    return std::move(error);
  if (llvm::Error error = state->formKernels())
    return std::move(error);
  return std::unique_ptr<Compilation>(new Compilation(std::move(state)));
}

Expected<Code> Compilation::generate(const Facts &facts) {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto program = state->lower(Stage::Gpu, facts);
  if (!program)
    return program.takeError();
  func::FuncOp entry = state->entryOf(**program);
  Expected<Plan> plan = buildPlan(entry);
  if (!plan)
    return plan.takeError();
  Code code;
  code.kernels = describeKernels(entry, *plan);
  code.missed = missedFusions(entry);
  code.plan = std::move(*plan);
  gpu::GPUModuleOp kernels = mergeKernels(**program);
  if (!kernels)
    return std::move(code);
  if (llvm::Error error =
          state->runPasses(**program, [&](OpPassManager &passes) {
            state->buildCodegen(passes, facts);
          }))
    return std::move(error);
  if (llvm::Error error = state->emit(kernels, code))
    return std::move(error);
  return std::move(code);
}

/// The LLVM IR of the kernels in `program`, which is at Stage::Gpu.
static Expected<std::string> printLLVM(gpu::GPUModuleOp kernels,
                                       bool lineInfo) {
  llvm::LLVMContext context;
  auto ir = mlir::fuse::translateToLLVMIR(kernels, context, lineInfo);
  if (!ir)
    return ir.takeError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*ir)->print(stream, /*AAW=*/nullptr);
  return text;
}

Expected<std::string> Compilation::print(Stage stage, const Facts &facts) {
  std::lock_guard<std::mutex> lock(state->mutex);
  auto program = state->lower(std::min(stage, Stage::Gpu), facts);
  if (!program)
    return program.takeError();
  if (stage == Stage::LLVM) {
    gpu::GPUModuleOp kernels = mergeKernels(**program);
    if (!kernels)
      return std::string();
    if (llvm::Error error =
            state->runPasses(**program, [&](OpPassManager &passes) {
              state->buildCodegen(passes, facts);
            }))
      return std::move(error);
    return printLLVM(kernels, state->options.lineInfo);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*program)->print(stream);
  stream << "\n";
  return text;
}

} // namespace fuse::jit
