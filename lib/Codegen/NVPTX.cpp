//===- NVPTX.cpp - A lowered gpu.module to PTX ----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Codegen/NVPTX.h"

#include "ConvergentAsm.h"
#include "JoinBitwise.h"
#include "PtxasWorkarounds.h"
#include "SplitKernels.h"
#include "UnpackBFloat16.h"
#include "WgmmaCopies.h"
#include "fuse/Codegen/PTXInspect.h"
#include "fuse/Codegen/Translate.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/ThreadPool.h"
#include <mutex>

using namespace mlir;
using namespace mlir::fuse;

static void initializeNVPTX() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

static llvm::CodeGenOptLevel getCodeGenLevel(unsigned level) {
  return llvm::CodeGenOpt::getLevel(level).value_or(
      llvm::CodeGenOptLevel::Aggressive);
}

/// The chip's, or that of products of 8-bit floats by mma.sync: only programs
/// with these ask for as new a driver.
static unsigned ptxVersionOf(gpu::GPUModuleOp module, const GPUTarget &target) {
  constexpr unsigned ofFloat8Products = 84;
  bool hasThem =
      module
          .walk([](LLVM::CallIntrinsicOp call) {
            return call.getIntrin().starts_with("llvm.nvvm.mma.m16n8k32.")
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  return hasThem ? std::max(target.ptxVersion, ofFloat8Products)
                 : target.ptxVersion;
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createMachine(const GPUTarget &target, unsigned ptxVersion, unsigned optLevel) {
  initializeNVPTX();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *llvmTarget =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!llvmTarget)
    return llvm::createStringError(
        "expected an LLVM with the NVPTX target, but got: " + error +
        "; use an LLVM that was built with NVPTX");
  std::unique_ptr<llvm::TargetMachine> machine(llvmTarget->createTargetMachine(
      triple, target.chip, "+ptx" + std::to_string(ptxVersion), {},
      std::nullopt, std::nullopt, getCodeGenLevel(optLevel)));
  if (!machine)
    return llvm::createStringError(
        llvm::Twine("expected LLVM's NVPTX target to know '") + target.chip +
        "', but got no target machine; use a newer LLVM");
  return machine;
}

/// Fails on a function that the PTX declares but does not define.
static llvm::Error verifyResolved(const PTXModule &module) {
  if (module.externalFunctions.empty())
    return llvm::Error::success();
  return llvm::createStringError(
      "expected PTX that defines all it calls, but got calls of " +
      llvm::join(module.externalFunctions, ", ") +
      "; expand the ops that these stand for before fuse-gpu-to-nvvm");
}

/// Fails on a kernel that waits for the launches before it, but may touch
/// memory first. The optimizer takes what is behind a noalias pointer for
/// unchanged while the kernel runs, so that it may move a load across the wait.
static llvm::Error verifyWaits(const PTXModule &module) {
  for (const PTXKernel &kernel : module.kernels)
    if (kernel.count("griddepcontrol.wait") && !kernel.waitsAtStart)
      return llvm::createStringError(
          "expected kernel '" + kernel.name +
          "' to run griddepcontrol.wait in all threads and before its first "
          "access to memory, but got it later; move it to the kernel's start");
  return llvm::Error::success();
}

static llvm::Error verifyPTX(llvm::StringRef ptx) {
  llvm::Expected<PTXModule> module = parsePTX(ptx);
  if (!module)
    return module.takeError();
  if (llvm::Error error = verifyResolved(*module))
    return error;
  return verifyWaits(*module);
}

/// Optimizes the kernels and writes their PTX. Of the process's state it only
/// reads, so that modules of different contexts can be compiled side by side.
static llvm::Expected<std::string> compileModule(llvm::Module &ir,
                                                 const GPUTarget &target,
                                                 unsigned ptxVersion,
                                                 const PTXOptions &options) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      createMachine(target, ptxVersion, options.optLevel);
  if (!machine)
    return machine.takeError();
  if (options.flushDenormals)
    for (llvm::Function &function : ir)
      if (!function.isDeclaration())
        function.addFnAttr("denormal-fp-math-f32",
                           "preserve-sign,preserve-sign");

  markAssemblyConvergent(ir);
  OptimizeOptions optimize;
  optimize.level = options.optLevel;
  optimize.observer = options.observer;
  if (llvm::Error error = optimizeLLVMIR(ir, **machine, optimize))
    return std::move(error);

  keepMagnitudesUnbounded(ir);
  keepNegationsOutOfMinMax(ir);
  splitNarrowAdditions(ir);
  keepNaNsOutOfComparisons(ir);
  unpackBFloat16(ir);
  joinBitwise(ir);
  copySumsBehindWaits(ir);

  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  llvm::legacy::PassManager codegen;
  if ((*machine)->addPassesToEmitFile(codegen, stream, nullptr,
                                      llvm::CodeGenFileType::AssemblyFile))
    return llvm::createStringError(
        "expected LLVM's NVPTX target to emit assembly, but it cannot; use an "
        "LLVM that was built with NVPTX");
  codegen.run(ir);
  return std::string(ptx);
}

namespace {
/// A module of LLVM's in a context that no other thread uses, and its PTX.
struct Part {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> ir;
  std::optional<llvm::Expected<std::string>> ptx;
};
} // namespace

/// One PTX module of several with the same version and target.
static std::string joinPTX(llvm::ArrayRef<std::unique_ptr<Part>> parts) {
  static constexpr llvm::StringLiteral lastDirective = ".address_size 64\n";
  std::string joined;
  for (const std::unique_ptr<Part> &part : parts) {
    StringRef text = **part->ptx;
    if (!joined.empty())
      text = text.split(lastDirective).second;
    joined += text;
  }
  return joined;
}

/// MLIR's context has one thread: what comes from it is made in order, and
/// compiled while the next is made.
static llvm::Expected<std::string>
compileParts(llvm::ArrayRef<gpu::GPUModuleOp> modules, const GPUTarget &target,
             unsigned ptxVersion, const PTXOptions &options) {
  std::vector<std::unique_ptr<Part>> parts;
  llvm::Error error = llvm::Error::success();
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(modules.size()));
  for (gpu::GPUModuleOp module : modules) {
    auto part = std::make_unique<Part>();
    auto ir = translateToLLVMIR(module, part->context, options.lineInfo);
    if (!ir) {
      error = llvm::joinErrors(std::move(error), ir.takeError());
      break;
    }
    part->ir = std::move(*ir);
    parts.push_back(std::move(part));
    pool.async([part = parts.back().get(), &target, ptxVersion, &options] {
      part->ptx.emplace(compileModule(*part->ir, target, ptxVersion, options));
    });
  }
  pool.wait();
  for (const std::unique_ptr<Part> &part : parts)
    if (!*part->ptx)
      error = llvm::joinErrors(std::move(error), part->ptx->takeError());
  if (error)
    return std::move(error);
  return joinPTX(parts);
}

llvm::Expected<std::string> mlir::fuse::emitPTX(gpu::GPUModuleOp module,
                                                const GPUTarget &target,
                                                const PTXOptions &options) {
  // Who looks at the IR sees all of it, and the files of lines have numbers.
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> split;
  if (!options.observer && !options.lineInfo)
    split = splitKernels(module);
  SmallVector<gpu::GPUModuleOp> modules;
  for (OwningOpRef<gpu::GPUModuleOp> &kernel : split)
    modules.push_back(*kernel);
  if (modules.empty())
    modules.push_back(module);
  llvm::Expected<std::string> ptx =
      compileParts(modules, target, ptxVersionOf(module, target), options);
  if (!ptx)
    return ptx;
  if (llvm::Error error = verifyPTX(*ptx))
    return std::move(error);
  return ptx;
}
