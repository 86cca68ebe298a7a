//===- Pipelines.cpp - From a program to kernels --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Pipelines/Pipelines.h"

#include "fuse/Codegen/Passes.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"
#include "fuse/Explain/Passes.h"
#include "fuse/Fusion/Passes.h"
#include "fuse/Schedule/Passes.h"
#include "fuse/Target/GPUTarget.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlir::fuse;

/// Two blocks for every multiprocessor; a few for each core of a host. Clusters
/// share rows of which their blocks take three quarters of their memory.
static FuseSplitReductionsOptions splitOptions(StringRef chip) {
  FuseSplitReductionsOptions split;
  split.sharedByBlocks = chip != "cpu";
  llvm::Expected<GPUTarget> gpu = lookupGPUTarget(chip);
  if (!gpu) {
    llvm::consumeError(gpu.takeError());
    split.blocks = 64;
    return split;
  }
  split.blocks = 2 * gpu->multiprocessors;
  split.blocksPerRow = gpu->maxClusterSize;
  if (gpu->maxClusterSize > 1)
    split.sharedRowBytes =
        gpu->maxClusterSize * (gpu->maxSharedBytesPerBlock / 4 * 3);
  return split;
}

static FuseSumBlocksOptions blockOptions(const PipelineOptions &options) {
  FuseSumBlocksOptions blocks;
  llvm::Expected<GPUTarget> gpu = lookupGPUTarget(options.chip);
  if (!gpu)
    llvm::consumeError(gpu.takeError());
  blocks.rounds = !options.strict && gpu && gpu->hasWgmma;
  return blocks;
}

/// The chip, what kernels may rely on in a call, and whether they round all.
template <typename PassOptions>
static PassOptions withFacts(const PipelineOptions &options) {
  PassOptions result;
  result.chip = options.chip;
  result.aligned = options.aligned;
  result.divisible = options.divisible;
  result.strict = options.strict;
  return result;
}

void mlir::fuse::buildFormPipeline(OpPassManager &pm,
                                   const PipelineOptions &options) {
  SpecializeDimsOptions specialize;
  llvm::append_range(specialize.sizes, options.sizes);
  pm.addNestedPass<func::FuncOp>(createSpecializeDims(specialize));
  pm.addPass(createFuseDecompose());
  if (options.fusion) {
    // What is written twice is recognised like what is written once.
    pm.addPass(createCSEPass());
    pm.addNestedPass<func::FuncOp>(createFuseFoldRepeats());
    if (!options.strict) {
      FuseJoinProductsOptions products;
      products.narrowOnly = options.chip != "cpu";
      pm.addNestedPass<func::FuncOp>(createFuseJoinProducts(products));
    }
    FuseReduceMatrixVectorOptions vectors;
    llvm::Expected<GPUTarget> gpu = lookupGPUTarget(options.chip);
    vectors.streams = gpu && !options.strict;
    llvm::consumeError(gpu.takeError());
    // A CPU computes operands while it packs them.
    if (options.chip == "cpu")
      vectors.mostRows = 1;
    if (options.chip != "cpu" && !options.strict)
      pm.addNestedPass<func::FuncOp>(createFuseSplitRotaries());
    pm.addNestedPass<func::FuncOp>(createFuseReduceMatrixVector(vectors));
    if (options.chip != "cpu" && !options.strict) {
      pm.addNestedPass<func::FuncOp>(createFuseRepeatStatistics());
      pm.addNestedPass<func::FuncOp>(createFuseJoinSums());
    }
    pm.addNestedPass<func::FuncOp>(createFuseKeepReducedDims());
    pm.addNestedPass<func::FuncOp>(createFuseWidenReductions());
    if (!options.strict)
      pm.addNestedPass<func::FuncOp>(createFuseUnrollReductions());
    pm.addNestedPass<func::FuncOp>(createFuseNestReductions());
    pm.addNestedPass<func::FuncOp>(createFuseGatherRows());
    if (!options.strict) {
      pm.addNestedPass<func::FuncOp>(createFuseSplitConcats());
      pm.addNestedPass<func::FuncOp>(createFuseFormSoftmax());
    }
    pm.addNestedPass<func::FuncOp>(createFuseShareExponentials());
    pm.addNestedPass<func::FuncOp>(createFuseRaiseMovement());
    pm.addNestedPass<func::FuncOp>(createFuseSplitPads());
  }
  // Strict programs round each deviation, and a CPU's cache makes a walk cheap.
  bool online = options.fusion && !options.strict && options.chip != "cpu";
  FuseFormWelfordOptions statistics;
  statistics.statisticsOnly = true;
  if (online) {
    pm.addNestedPass<func::FuncOp>(createFuseFormWelford(statistics));
    FuseOnlineSoftmaxOptions softmaxes;
    softmaxes.columnsOnly = true;
    pm.addNestedPass<func::FuncOp>(createFuseOnlineSoftmax(softmaxes));
  }
  if (options.fusion)
    pm.addNestedPass<func::FuncOp>(
        createFuseSplitReductions(splitOptions(options.chip)));
  pm.addNestedPass<func::FuncOp>(createFusePropagateReshapes());
  if (options.fusion) {
    pm.addNestedPass<func::FuncOp>(createFuseRaiseMovement());
    pm.addNestedPass<func::FuncOp>(createFuseSumBlocks(blockOptions(options)));
  }
  if (options.fusion && !options.strict) {
    HoistRowScaleOptions hoist;
    hoist.normsOnly = true;
    hoist.chip = options.chip;
    pm.addNestedPass<func::FuncOp>(createHoistRowScale(hoist));
  }
  if (options.fusion) {
    AlignContractionsOptions align;
    align.chip = options.chip;
    pm.addNestedPass<func::FuncOp>(createAlignContractions(align));
  }
  // Folds look for equal operands, which the first makes of equal ones.
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  if (online)
    pm.addNestedPass<func::FuncOp>(createFuseFormWelford());
  pm.addNestedPass<func::FuncOp>(createBindDims());
  FormKernelsOptions form;
  form.chip = options.chip;
  form.fusion = options.fusion;
  form.strict = options.strict;
  pm.addNestedPass<func::FuncOp>(createFormKernels(form));
}

void mlir::fuse::buildViewPipeline(OpPassManager &pm,
                                   const PipelineOptions &options) {
  CopyViewsOptions copy;
  copy.chip = options.chip;
  llvm::append_range(copy.copied, options.copied);
  pm.addNestedPass<func::FuncOp>(createCopyViews(copy));
  pm.addNestedPass<func::FuncOp>(
      createSplitContractions(withFacts<SplitContractionsOptions>(options)));
  pm.addNestedPass<func::FuncOp>(createSplitTileStatistics(
      withFacts<SplitTileStatisticsOptions>(options)));
  pm.addNestedPass<func::FuncOp>(createCollapseDims());
  pm.addNestedPass<func::FuncOp>(
      createDetachContractions(withFacts<DetachContractionsOptions>(options)));
  if (options.fusion) {
    pm.addNestedPass<func::FuncOp>(
        createAttachOperands(withFacts<AttachOperandsOptions>(options)));
    pm.addNestedPass<func::FuncOp>(
        createCombineInReaders(withFacts<CombineInReadersOptions>(options)));
  }
}

void mlir::fuse::buildSchedulePipeline(OpPassManager &pm,
                                       const PipelineOptions &options) {
  buildViewPipeline(pm, options);
  auto assign = withFacts<AssignSchedulesOptions>(options);
  assign.size = options.size;
  assign.candidate = options.candidate;
  assign.tuning = options.tuning;
  pm.addNestedPass<func::FuncOp>(createAssignSchedules(assign));
  pm.addNestedPass<func::FuncOp>(createFuseSplitWelford());
  pm.addNestedPass<func::FuncOp>(createFuseOnlineSoftmax());
  auto explain = withFacts<FuseExplainOptions>(options);
  pm.addPass(createFuseExplain(explain));
}

void mlir::fuse::buildLowerPipeline(OpPassManager &pm,
                                    const PipelineOptions &options) {
  LowerKernelsOptions lower;
  lower.strict = options.strict;
  lower.aligned = options.aligned;
  lower.divisible = options.divisible;
  lower.inPlace = options.inPlace;
  // An unknown chip is an error where schedules are assigned.
  llvm::Expected<GPUTarget> gpu = lookupGPUTarget(options.chip);
  lower.float8 = gpu && gpu->hasFloat8;
  // All GPUs that are known, sm_80 and later.
  lower.packedExtremes = bool(gpu);
  lower.cluster = gpu ? gpu->maxClusterSize : 1;
  lower.wgmma = gpu && gpu->hasWgmma;
  lower.sharedBytes = gpu ? gpu->maxSharedBytesPerBlock : 0;
  lower.float64Places = gpu ? gpu->float64Places : 0;
  bool overlaps = options.launchOverlap && gpu && gpu->hasLaunchOverlap;
  lower.overlap = overlaps;
  llvm::consumeError(gpu.takeError());
  pm.addPass(createLowerKernels(lower));
  // Most of the equal ones, before anything else is done to each.
  pm.addPass(createShareCode());
  ExpandMathOptions math;
  math.target = options.chip == "cpu" ? MathTarget::Cpu : MathTarget::Cuda;
  pm.addPass(createExpandMath(math));
  pm.addPass(createCSEPass());
  if (overlaps)
    pm.addNestedPass<gpu::GPUModuleOp>(createOverlapLaunches());
  pm.addPass(createShareCode());
}

void mlir::fuse::buildCodegenPipeline(OpPassManager &pm,
                                      const PipelineOptions &options) {
  pm.addPass(createFuseMergeKernels());
  if (options.chip == "cpu") {
    pm.addNestedPass<gpu::GPUModuleOp>(createFuseGPUToCPU());
    return;
  }
  FuseGPUToNVVMOptions nvvm;
  nvvm.indexBits = options.indexBits;
  pm.addNestedPass<gpu::GPUModuleOp>(createFuseGPUToNVVM(nvvm));
}

/// Registers a pipeline that refuses chips that it does not know: some of its
/// passes do without one.
static void registerPipeline(
    StringRef name, StringRef description,
    std::function<void(OpPassManager &, const PipelineOptions &)> build) {
  registerPassPipeline(
      name, description,
      [build = std::move(build)](
          OpPassManager &pm, StringRef text,
          llvm::function_ref<LogicalResult(const Twine &)> fail) {
        PipelineOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        if (options.chip != "cpu") {
          auto gpu = lookupGPUTarget(options.chip);
          if (!gpu)
            return fail(llvm::toString(gpu.takeError()));
        }
        build(pm, options);
        return success();
      },
      [](llvm::function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(PipelineOptions());
      });
}

void mlir::fuse::registerFusePipelines() {
  registerPipeline("fuse-form", "Form kernels from a program",
                   buildFormPipeline);
  registerPipeline("fuse-schedule", "Give formed kernels their schedules",
                   buildSchedulePipeline);
  registerPipeline("fuse-lower", "Lower scheduled kernels to gpu functions",
                   buildLowerPipeline);
  registerPipeline("fuse-codegen",
                   "Turn gpu functions into one module of LLVM's dialects",
                   buildCodegenPipeline);
  registerPipeline("fuse-compile",
                   "From a program to gpu functions: form, schedule, lower",
                   [](OpPassManager &pm, const PipelineOptions &options) {
                     buildFormPipeline(pm, options);
                     buildSchedulePipeline(pm, options);
                     buildLowerPipeline(pm, options);
                   });
}
