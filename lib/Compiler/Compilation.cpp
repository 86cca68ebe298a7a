//===- Compilation.cpp - From text to code, without a device --------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Compiler/Compilation.h"
#include "CodeCache.h"
#include "PlanRanges.h"
#include "StageDump.h"
#include "fuse/Analysis/DimClasses.h"
#include "fuse/Analysis/Strides.h"
#include "fuse/Codegen/NVPTX.h"
#include "fuse/Codegen/Translate.h"
#include "fuse/Compiler/Frontend.h"
#include "fuse/Compiler/PlanBuilder.h"
#include "fuse/Compiler/RunPasses.h"
#include "fuse/Compiler/ShimTable.h"
#include "fuse/Compiler/SizeNames.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Explain/CodeRemarks.h"
#include "fuse/Explain/Diagnostics.h"
#include "fuse/Explain/KernelInfo.h"
#include "fuse/Pipelines/InitAll.h"
#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Runtime/DiskCache.h"
#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/TuningFile.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
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

namespace {
/// A pipeline with its name in fuse-opt.
struct NamedPipeline {
  StringRef name;
  void (*build)(OpPassManager &, const mlir::fuse::PipelineOptions &);
};
} // namespace

/// What a program goes through, in this order; see docs/pipelines.md.
static const NamedPipeline pipelines[] = {
    {"fuse-form", mlir::fuse::buildFormPipeline},
    {"fuse-schedule", mlir::fuse::buildSchedulePipeline},
    {"fuse-lower", mlir::fuse::buildLowerPipeline},
    {"fuse-codegen", mlir::fuse::buildCodegenPipeline},
};

struct Compilation::State {
  State(StringRef text, StringRef fileName, const CompileOptions &options)
      : text(text), fileName(fileName), options(options), cache(options),
        dump(options.dumpDirectory),
        context(dialects(), MLIRContext::Threading::DISABLED) {
    collectRemarks(context, remarks);
  }

  /// Whether the kernels are a GPU's.
  bool isForGPU() const { return options.target != Target::CPU; }
  bool isEmulated() const { return options.target == Target::Emulator; }
  void configure(mlir::fuse::PipelineOptions &pipeline,
                 const Facts &facts) const;
  func::FuncOp entryOf(ModuleOp program) const;
  llvm::Error parse();
  llvm::Error form();
  std::optional<Code> find(const Facts &facts);
  Expected<Code> compile(const Facts &facts);
  llvm::Error emit(gpu::GPUModuleOp kernels, const Facts &facts, Code &code);
  llvm::Error run(Stage stage, ModuleOp program, const Facts &facts);
  OwningOpRef<ModuleOp> programFor(const Facts &facts);
  Expected<OwningOpRef<ModuleOp>> lower(Stage stage, const Facts &facts);
  Expected<OwningOpRef<ModuleOp>> unscheduled(const Facts &facts);
  std::string pipelinesAfter(unsigned done, const Facts &facts) const;
  llvm::Error dumpIR(unsigned done, StringRef name, ModuleOp program,
                     const Facts &facts) const;
  mlir::fuse::LLVMObserver dumpLLVM(const Facts &facts,
                                    llvm::Error &error) const;

  std::string text, fileName;
  CompileOptions options;
  /// Those of the options, by the compiler's names.
  std::vector<std::string> sizes;
  CodeCache cache;
  StageDump dump;
  std::optional<GPUTarget> gpu;
  /// The tuning file; empty if there is none.
  std::string tuning;
  /// Of the code that is being made.
  std::vector<Remark> remarks;
  /// Guards the context, whose own threads are off.
  std::mutex mutex;
  MLIRContext context;
  std::string entry;
  /// At Stage::Kernels; null as long as all code was found in the cache.
  OwningOpRef<ModuleOp> module;
  /// For the usual facts, found when the compilation was created.
  std::optional<Code> usual;
};

void Compilation::State::configure(mlir::fuse::PipelineOptions &pipeline,
                                   const Facts &facts) const {
  pipeline.chip = isForGPU() ? options.chip : "cpu";
  pipeline.strict = options.strict;
  pipeline.aligned = facts.aligned16;
  pipeline.divisible = facts.divisible;
  pipeline.size = facts.callSize;
  pipeline.inPlace = !facts.separate;
  pipeline.indexBits = facts.index32 ? 32 : 64;
  pipeline.launchOverlap = options.launchOverlap;
  pipeline.candidate = options.candidate;
  pipeline.tuning = tuning;
  for (unsigned input : facts.copied)
    pipeline.copied.push_back(input);
  for (const std::string &size : sizes)
    pipeline.sizes.push_back(size);
}

func::FuncOp Compilation::State::entryOf(ModuleOp program) const {
  return program.lookupSymbol<func::FuncOp>(entry);
}

/// Kernels are formed once, for any facts.
static Facts factsOf(Stage stage, const Facts &facts) {
  return stage == Stage::Kernels ? Facts() : facts;
}

/// What fuse-opt has to run after the first `done` pipelines.
std::string Compilation::State::pipelinesAfter(unsigned done,
                                               const Facts &facts) const {
  std::string arguments;
  for (unsigned i = done; i < std::size(pipelines); ++i) {
    mlir::fuse::PipelineOptions pipeline;
    configure(pipeline, factsOf(static_cast<Stage>(i), facts));
    std::string values;
    llvm::raw_string_ostream stream(values);
    pipeline.print(stream);
    arguments += llvm::formatv(" -{0}='{1}'", pipelines[i].name,
                               StringRef(values).trim("{}"));
  }
  return arguments;
}

/// Dumps the program as it is after the first `done` pipelines.
llvm::Error Compilation::State::dumpIR(unsigned done, StringRef name,
                                       ModuleOp program,
                                       const Facts &facts) const {
  std::string file = stageFileName(done + 1, name, facts, "mlir");
  return dump.write(file, [&](raw_ostream &os) {
    if (std::string next = pipelinesAfter(done, facts); !next.empty())
      os << "// To go on: fuse-opt" << next << " " << dump.path(file) << "\n";
    program.print(os);
    os << "\n";
  });
}

/// Null if nothing is dumped. `error` gets what went wrong.
mlir::fuse::LLVMObserver
Compilation::State::dumpLLVM(const Facts &facts, llvm::Error &error) const {
  if (!dump.isOn())
    return nullptr;
  return [this, facts, &error, number = std::size(pipelines) + 1](
             StringRef stage, const llvm::Module &module) mutable {
    std::string file = stageFileName(++number, stage, facts, "ll");
    error = llvm::joinErrors(std::move(error),
                             dump.write(file, [&](raw_ostream &os) {
                               module.print(os, /*AAW=*/nullptr);
                             }));
  };
}

/// Takes a program from the stage before `stage` to it.
llvm::Error Compilation::State::run(Stage stage, ModuleOp program,
                                    const Facts &facts) {
  unsigned number = static_cast<unsigned>(stage);
  const NamedPipeline &pipeline = pipelines[number];
  mlir::fuse::PipelineOptions values;
  configure(values, factsOf(stage, facts));
  if (llvm::Error error = runPasses(
          program,
          [&](OpPassManager &passes) { pipeline.build(passes, values); },
          options.reproducerDirectory))
    return error;
  return dumpIR(number + 1, pipeline.name, program, facts);
}

/// A program's text may be what a stage has left, in which kernels stand beside
/// it.
static llvm::Error checkLaunches(func::FuncOp entry) {
  for (auto launch : entry.getOps<mlir::fuse::LaunchOp>())
    if (!SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr()))
      return makeError(
          launch.getLoc(),
          llvm::formatv("expected 'fuse.launch' to name a function of "
                        "a gpu.module in the program, but got {0}; "
                        "write a fuse.kernel, which the compiler lowers",
                        debugString(launch.getKernelAttr())));
  return llvm::Error::success();
}

llvm::Error Compilation::State::parse() {
  Expected<OwningOpRef<ModuleOp>> parsed =
      parseProgram(context, text, fileName);
  if (!parsed)
    return parsed.takeError();
  module = std::move(*parsed);
  Expected<func::FuncOp> function = selectEntry(*module, options.entry);
  if (!function)
    return function.takeError();
  if (llvm::Error error = checkLaunches(*function))
    return error;
  entry = function->getName().str();
  auto unified = unifySizes(options.sizes, sizeNames(*function), "size");
  if (!unified)
    return unified.takeError();
  sizes = std::move(*unified);
  // What the entry does not use is not compiled.
  for (auto other : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    if (other != *function && SymbolTable::symbolKnownUseEmpty(other, *module))
      other.erase();
  return dumpIR(0, "parsed", *module, Facts::usual());
}

/// Parses the program and forms kernels, unless that is done.
llvm::Error Compilation::State::form() {
  if (module)
    return llvm::Error::success();
  llvm::Error error = parse();
  if (!error)
    error = run(Stage::Kernels, *module, Facts::usual());
  if (error)
    module = nullptr;
  return error;
}

/// The code for these facts, if it is in the cache. Who wants to see the stages
/// wants them made.
std::optional<Code> Compilation::State::find(const Facts &facts) {
  auto key = cache.keyOf(text, fileName, tuning, facts);
  return key && !dump.isOn() ? cache.find(*key) : std::nullopt;
}

/// Tells the passes which arguments and results are views with strides. What
/// the program's text says of one holds for all calls.
static void setLayouts(func::FuncOp entry, const Facts &facts) {
  Builder builder(entry.getContext());
  unsigned arguments = entry.getNumArguments();
  for (auto [number, layout] : llvm::enumerate(facts.layouts)) {
    StringAttr value = builder.getStringAttr(name(layout));
    if (layout == ::fuse::runtime::Layout::Dense)
      continue;
    if (number >= arguments) {
      if (!entry.getResultAttr(number - arguments, mlir::fuse::kStridedAttr))
        entry.setResultAttr(number - arguments, mlir::fuse::kStridedAttr,
                            value);
    } else if (!entry.getArgAttr(number, mlir::fuse::kStridedAttr)) {
      entry.setArgAttr(number, mlir::fuse::kStridedAttr, value);
    }
  }
}

/// A copy of the program, for calls with these facts.
OwningOpRef<ModuleOp> Compilation::State::programFor(const Facts &facts) {
  OwningOpRef<ModuleOp> program = module->clone();
  setLayouts(entryOf(*program), facts);
  assumeSizes(entryOf(*program), facts);
  return program;
}

/// A copy of the program, lowered to `stage`.
Expected<OwningOpRef<ModuleOp>> Compilation::State::lower(Stage stage,
                                                          const Facts &facts) {
  OwningOpRef<ModuleOp> program = programFor(facts);
  for (Stage next : {Stage::Schedule, Stage::Gpu, Stage::LLVM})
    if (next <= stage)
      if (llvm::Error error = run(next, *program, facts))
        return std::move(error);
  return std::move(program);
}

/// The module of all kernels in a program at Stage::LLVM; null if it has none.
static gpu::GPUModuleOp kernelsOf(ModuleOp program) {
  auto modules = program.getOps<gpu::GPUModuleOp>();
  return modules.empty() ? nullptr : *modules.begin();
}

llvm::Error Compilation::State::emit(gpu::GPUModuleOp kernels,
                                     const Facts &facts, Code &code) {
  llvm::Error dumped = llvm::Error::success();
  unsigned number = std::size(pipelines) + 4;
  if (isEmulated()) {
    auto object = mlir::fuse::compileEmulatorObject(kernels, emulatorShims());
    if (!object)
      return llvm::joinErrors(object.takeError(), std::move(dumped));
    code.object = std::move(*object);
    return dumped;
  }
  if (!isForGPU()) {
    mlir::fuse::HostOptions hostOptions;
    hostOptions.observer = dumpLLVM(facts, dumped);
    auto object = cache.compileForHost(kernels, hostOptions);
    if (!object)
      return llvm::joinErrors(object.takeError(), std::move(dumped));
    code.object = std::move(*object);
    return llvm::joinErrors(
        std::move(dumped),
        dump.write(stageFileName(number, "kernels", facts, "o"),
                   [&](raw_ostream &os) {
                     os.write(code.object.data(), code.object.size());
                   }));
  }
  mlir::fuse::PTXOptions ptxOptions;
  ptxOptions.lineInfo = options.lineInfo;
  ptxOptions.observer = dumpLLVM(facts, dumped);
  Expected<std::string> ptx = mlir::fuse::emitPTX(kernels, *gpu, ptxOptions);
  if (!ptx)
    return llvm::joinErrors(ptx.takeError(), std::move(dumped));
  code.ptx = std::move(*ptx);
  auto dumpPTX = [&] {
    return dump.write(stageFileName(number, "kernels", facts, "ptx"),
                      [&](raw_ostream &os) { os << code.ptx; });
  };
  if (llvm::Error error = llvm::joinErrors(std::move(dumped), dumpPTX()))
    return error;
  auto assembled = cache.assemble(code.ptx, *gpu);
  if (!assembled)
    return assembled.takeError();
  code.assembled = std::move(*assembled);
  // What was assembled last, if anything spilled.
  std::string bounded =
      mlir::fuse::withLeastBlocks(code.ptx, code.assembled.kernels);
  if (bounded == code.ptx)
    return llvm::Error::success();
  code.ptx = std::move(bounded);
  return dumpPTX();
}

Compilation::Compilation(std::unique_ptr<State> state)
    : state(std::move(state)) {}
Compilation::~Compilation() = default;

const CompileOptions &Compilation::options() const { return state->options; }

Expected<std::unique_ptr<Compilation>>
Compilation::create(StringRef text, StringRef fileName,
                    const CompileOptions &options) {
  assert(options.target != Target::Auto && "the caller picks the target");
  if (options.cache)
    if (llvm::Error error = ::fuse::runtime::DiskCache::checkLimit())
      return std::move(error);
  auto state = std::make_unique<State>(text, fileName, options);
  if (state->isForGPU()) {
    Expected<GPUTarget> gpu = mlir::fuse::lookupGPUTarget(options.chip);
    if (!gpu)
      return gpu.takeError();
    state->gpu = *gpu;
    if (std::string path = tuningPath(options);
        options.tuned && llvm::sys::fs::exists(path))
      state->tuning = path;
  }
  state->usual = state->find(Facts::usual());
  if (!state->usual)
    if (llvm::Error error = state->form())
      return std::move(error);
  return std::unique_ptr<Compilation>(new Compilation(std::move(state)));
}

Expected<Code> Compilation::State::compile(const Facts &facts) {
  if (llvm::Error error = form())
    return std::move(error);
  remarks.clear();
  auto program = lower(Stage::Gpu, facts);
  if (!program)
    return program.takeError();
  func::FuncOp entry = entryOf(**program);
  Expected<Plan> plan = buildPlan(entry);
  if (!plan)
    return plan.takeError();
  Code code;
  code.kernels = describeKernels(entry, plan->spec);
  code.missed = missedFusions(entry);
  code.plan = std::move(*plan);
  // What scheduling collapses in dense tensors it leaves alone in views.
  func::FuncOp formed = entryOf(*module);
  for (auto [argument, input] :
       llvm::zip_equal(formed.getArguments(), code.plan.spec.inputs))
    input.joined.assign(mlir::fuse::joinedDims(argument));
  for (auto [returned, output] :
       llvm::zip_equal(formed.front().getTerminator()->getOpOperands(),
                       code.plan.spec.outputs))
    output.joined.assign(mlir::fuse::joinedDims(returned));
  if (llvm::Error error = run(Stage::LLVM, **program, facts))
    return std::move(error);
  if (gpu::GPUModuleOp kernels = kernelsOf(**program))
    if (llvm::Error error = emit(kernels, facts, code))
      return std::move(error);
  if (llvm::Error error = checkTensorCores(entry, code.assembled))
    return std::move(error);
  if (llvm::Error error =
          remarkOnCode(entry, code.kernels, code.ptx, code.assembled, facts))
    return std::move(error);
  code.remarks = std::move(remarks);
  return std::move(code);
}

Expected<Code> Compilation::generate(const Facts &facts) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (facts == Facts::usual() && state->usual) {
    Code code = std::move(*state->usual);
    state->usual.reset();
    return std::move(code);
  }
  if (std::optional<Code> found = state->find(facts))
    return std::move(*found);
  Expected<Code> code = state->compile(facts);
  if (!code)
    return code.takeError();
  if (auto key = state->cache.keyOf(state->text, state->fileName, state->tuning,
                                    facts))
    state->cache.add(*key, *code);
  return code;
}

/// A copy of the program as schedulers get it.
Expected<OwningOpRef<ModuleOp>>
Compilation::State::unscheduled(const Facts &facts) {
  OwningOpRef<ModuleOp> program = programFor(facts);
  mlir::fuse::PipelineOptions values;
  configure(values, facts);
  if (llvm::Error error = runPasses(
          *program,
          [&](OpPassManager &passes) {
            mlir::fuse::buildViewPipeline(passes, values);
          },
          options.reproducerDirectory))
    return std::move(error);
  return std::move(program);
}

static Expected<SmallVector<mlir::fuse::AssumedSize>>
assumedOf(func::FuncOp entry, const mlir::fuse::DimClasses &dims) {
  auto assumed = mlir::fuse::readAssumedSizes(entry, dims);
  if (succeeded(assumed))
    return std::move(*assumed);
  return llvm::createStringError(
      "expected sizes of dynamic dims in fuse.assumed_sizes, but got others");
}

Expected<std::vector<TuningKey>> Compilation::tuningKeys(const Facts &facts) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (llvm::Error error = state->form())
    return std::move(error);
  auto program = state->unscheduled(facts);
  if (!program)
    return program.takeError();
  func::FuncOp entry = state->entryOf(**program);
  mlir::fuse::DimClasses dims(entry);
  auto assumed = assumedOf(entry, dims);
  if (!assumed)
    return assumed.takeError();
  std::vector<TuningKey> keys;
  for (auto kernel : entry.getOps<mlir::fuse::KernelOp>())
    keys.push_back({kernel.getKernelName().str(),
                    mlir::fuse::kernelKey(kernel, dims, facts.divisible,
                                          facts.callSize, *assumed)});
  return keys;
}

/// The schedule that it gets, and, if its text has none, all others that it
/// could have.
static std::vector<ScheduleCandidate>
candidatesOf(mlir::fuse::KernelOp kernel,
             mlir::fuse::ScheduleAttrInterface chosen,
             const mlir::fuse::DimClasses &dims,
             const mlir::fuse::ScheduleTarget &target) {
  SmallVector<mlir::fuse::Candidate> found = {{chosen, std::nullopt}};
  if (!kernel.getScheduleAttr())
    for (mlir::fuse::Candidate &other :
         mlir::fuse::findCandidates(kernel, dims, target))
      if (other.schedule != chosen)
        found.push_back(std::move(other));
  std::vector<ScheduleCandidate> result;
  for (const mlir::fuse::Candidate &candidate : found) {
    result.push_back({debugString(candidate.schedule), {}, {}});
    if (!target.gpu)
      continue;
    ScheduleCandidate &added = result.back();
    added.work = estimateWork(kernel, dims, candidate.schedule, *target.gpu);
    added.estimate = estimateTime(kernel, dims, candidate.schedule, target);
  }
  return result;
}

Expected<std::vector<KernelCandidates>>
Compilation::candidates(const Facts &facts) {
  std::lock_guard<std::mutex> lock(state->mutex);
  if (llvm::Error error = state->form())
    return std::move(error);
  auto target = mlir::fuse::ScheduleTarget::of(
      state->isForGPU() ? state->options.chip : "cpu", facts.divisible,
      state->options.strict);
  if (!target)
    return target.takeError();
  target->aligned = facts.aligned16;
  target->size = facts.callSize;
  // A tuning file and --candidate choose, too.
  auto scheduled = state->lower(Stage::Schedule, facts);
  if (!scheduled)
    return scheduled.takeError();
  llvm::StringMap<mlir::fuse::ScheduleAttrInterface> chosen;
  for (auto kernel : state->entryOf(**scheduled).getOps<mlir::fuse::KernelOp>())
    chosen[kernel.getKernelName()] = kernel.getScheduleAttr();
  auto program = state->unscheduled(facts);
  if (!program)
    return program.takeError();
  func::FuncOp entry = state->entryOf(**program);
  mlir::fuse::DimClasses dims(entry);
  auto assumed = assumedOf(entry, dims);
  if (!assumed)
    return assumed.takeError();
  target->assumed = std::move(*assumed);
  std::vector<KernelCandidates> kernels;
  for (auto kernel : entry.getOps<mlir::fuse::KernelOp>())
    kernels.push_back(
        {kernel.getKernelName().str(),
         candidatesOf(kernel, chosen.lookup(kernel.getKernelName()), dims,
                      *target)});
  return kernels;
}

/// The LLVM IR of the kernels.
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
  if (llvm::Error error = state->form())
    return std::move(error);
  auto program = state->lower(stage, facts);
  if (!program)
    return program.takeError();
  if (stage == Stage::LLVM) {
    gpu::GPUModuleOp kernels = kernelsOf(**program);
    if (!kernels)
      return std::string();
    return printLLVM(kernels, state->options.lineInfo);
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*program)->print(stream);
  stream << "\n";
  return text;
}

} // namespace fuse::jit
