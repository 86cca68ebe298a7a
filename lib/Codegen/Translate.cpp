//===- Translate.cpp - A lowered gpu.module to LLVM IR --------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/Translate.h"
#include "VectorizerWorkarounds.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/ConstraintElimination.h"

using namespace mlir;
using namespace mlir::fuse;

void mlir::fuse::registerCodegenTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

/// A fused location translates to line 0 where its parts differ, which hides
/// the op from the line table. The first part is the op that the user wrote.
static void keepFirstLocations(ModuleOp module) {
  module.walk([](Operation *op) {
    if (auto source = op->getLoc()->findInstanceOf<FileLineColLoc>())
      op->setLoc(source);
  });
  // The file of a line is that of the function; take it from an op where the
  // function was made by the compiler.
  module.walk([](LLVM::LLVMFuncOp function) {
    if (isa<FileLineColLoc>(function.getLoc()))
      return;
    function.walk([&](Operation *op) {
      if (!isa<FileLineColLoc>(op->getLoc()))
        return WalkResult::advance();
      function->setLoc(op->getLoc());
      return WalkResult::interrupt();
    });
  });
}

/// Gives every function a scope, without which locations are dropped. Only
/// directives: the sections of a full line table are of no use in PTX.
static LogicalResult addDebugScopes(ModuleOp module) {
  keepFirstLocations(module);
  PassManager manager(module.getContext());
  LLVM::DIScopeForLLVMFuncOpPassOptions options;
  options.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
  manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass(options));
  return manager.run(module);
}

llvm::Expected<std::unique_ptr<llvm::Module>>
mlir::fuse::translateToLLVMIR(gpu::GPUModuleOp module,
                              llvm::LLVMContext &context, bool lineInfo) {
  auto fail = [&](StringRef what) {
    return llvm::createStringError(
        llvm::Twine("expected gpu.module '") + module.getName() +
        "' to hold LLVM and NVVM ops only, but " + what +
        "; run fuse-gpu-to-nvvm or fuse-gpu-to-cpu first");
  };
  OwningOpRef<ModuleOp> copy =
      ModuleOp::create(module.getLoc(), module.getName());
  OpBuilder builder = OpBuilder::atBlockEnd(copy->getBody());
  for (Operation &op : *module.getBody()) {
    if (!isa_and_present<LLVM::LLVMDialect>(op.getDialect()))
      return fail("it holds '" + op.getName().getStringRef().str() + "'");
    builder.clone(op);
  }
  if (lineInfo && failed(addDebugScopes(*copy)))
    return fail("its debug scopes could not be made");

  std::unique_ptr<llvm::Module> result =
      translateModuleToLLVMIR(*copy, context, module.getName());
  if (!result)
    return fail("its translation failed, as the diagnostics say");
  return result;
}

static llvm::OptimizationLevel getLevel(unsigned level) {
  switch (level) {
  case 0:
    return llvm::OptimizationLevel::O0;
  case 1:
    return llvm::OptimizationLevel::O1;
  case 2:
    return llvm::OptimizationLevel::O2;
  default:
    return llvm::OptimizationLevel::O3;
  }
}

/// Constraint elimination compares every condition with all before it. Where
/// blocks look for their tensor among many, that is slow and finds nothing.
static bool isWorthItsTime(llvm::StringRef pass, llvm::Any unit) {
  constexpr size_t mostBlocks = 64;
  const auto *function = llvm::any_cast<const llvm::Function *>(&unit);
  return pass != llvm::ConstraintEliminationPass::name() || !function ||
         (*function)->size() <= mostBlocks;
}

llvm::Error mlir::fuse::optimizeLLVMIR(llvm::Module &module,
                                       llvm::TargetMachine &machine,
                                       const OptimizeOptions &options) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  if (options.observer)
    options.observer("translated", module);

  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = options.vectorize;
  tuning.LoopInterleaving = options.vectorize;
  tuning.SLPVectorization = options.vectorize;
  llvm::PassInstrumentationCallbacks callbacks;
  callbacks.registerShouldRunOptionalPassCallback(isWorthItsTime);
  llvm::PassBuilder builder(&machine, tuning, /*PGOOpt=*/std::nullopt,
                            &callbacks);
  if (options.vectorize)
    keepDivisionsUnconditional(builder);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);

  llvm::OptimizationLevel level = getLevel(options.level);
  llvm::ModulePassManager passes =
      level == llvm::OptimizationLevel::O0
          ? builder.buildO0DefaultPipeline(level)
          : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);

  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(module, &stream))
    return llvm::createStringError(
        "expected valid LLVM IR after optimization, but got: " + message +
        "; lower the optimization level and report the kernel");
  if (options.observer)
    options.observer("optimized", module);
  return llvm::Error::success();
}
