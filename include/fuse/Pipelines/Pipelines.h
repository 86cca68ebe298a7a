//===- Pipelines.h - From a program to kernels ------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of a compilation, in four parts that follow each other. Each part
// ends where the IR is worth looking at, and can be run alone by its name in
// fuse-opt:
//
//   fuse-form      program -> fuse.kernel ops             (--emit=kernels)
//   fuse-schedule  -> each with its schedule              (--emit=schedule)
//   fuse-lower     -> gpu.module ops and fuse.launch      (--emit=gpu)
//   fuse-codegen   -> one gpu.module of LLVM's dialects   (--emit=llvm)
//
// What comes after, the code generator, takes that gpu.module.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_PIPELINES_PIPELINES_H
#define FUSE_PIPELINES_PIPELINES_H

#include "fuse/Schedule/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::fuse {

/// What a compilation is for and may rely on.
struct PipelineOptions : public PassPipelineOptions<PipelineOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("The GPU to compile for, or cpu for the host"),
      llvm::cl::init("sm_90")};
  Option<bool> fusion{
      *this, "fusion",
      llvm::cl::desc("Merge ops into kernels; without it each is its own"),
      llvm::cl::init(true)};
  Option<bool> strict{
      *this, "strict",
      llvm::cl::desc("Round after every op to its element type"),
      llvm::cl::init(false)};
  Option<bool> aligned{*this, "aligned",
                       llvm::cl::desc("Tensors start at multiples of 16 bytes"),
                       llvm::cl::init(true)};
  Option<bool> divisible{
      *this, "divisible",
      llvm::cl::desc("Dynamic last dimensions are multiples of 16 bytes"),
      llvm::cl::init(false)};
  Option<CallSize> size{*this, "size", llvm::cl::desc("How much calls move"),
                        llvm::cl::init(CallSize::large), callSizeValues()};
  Option<bool> inPlace{
      *this, "in-place",
      llvm::cl::desc(
          "Results may lie where inputs do, if that is proven right"),
      llvm::cl::init(true)};
  Option<bool> launchOverlap{
      *this, "launch-overlap",
      llvm::cl::desc("Kernels may be launched while the one before still runs, "
                     "where the chip can do that"),
      llvm::cl::init(true)};
  Option<unsigned> indexBits{
      *this, "index-bits",
      llvm::cl::desc("Width of an index in a GPU's kernels: 32 or 64"),
      llvm::cl::init(64)};
  Option<unsigned> candidate{
      *this, "candidate",
      llvm::cl::desc("Which of the possible schedules kernels get, from the "
                     "choice on and then from fast to slow"),
      llvm::cl::init(0)};
  Option<std::string> tuning{
      *this, "tuning",
      llvm::cl::desc("A file with the schedules that measuring has found"),
      llvm::cl::init("")};
  ListOption<unsigned> copied{
      *this, "copied",
      llvm::cl::desc("Numbers of strided arguments whose dimensions cannot be "
                     "joined, so that reshapes copy them")};
  ListOption<std::string> sizes{
      *this, "sizes",
      llvm::cl::desc("Sizes of dynamic dimensions by name: NAME=SIZE")};
};

/// Composites to primitives, canonical form, names for dimensions, kernels.
void buildFormPipeline(OpPassManager &pm, const PipelineOptions &options);

/// What kernels are when they get their schedules: dense where that is needed.
void buildViewPipeline(OpPassManager &pm, const PipelineOptions &options);

/// All of that, a schedule for every kernel, and the online form where a row is
/// walked several times.
void buildSchedulePipeline(OpPassManager &pm, const PipelineOptions &options);

/// Scheduled kernels to gpu functions, math expanded.
void buildLowerPipeline(OpPassManager &pm, const PipelineOptions &options);

/// All kernels in one gpu.module, in the LLVM dialect and that of the target.
void buildCodegenPipeline(OpPassManager &pm, const PipelineOptions &options);

/// The pipelines under their names, for fuse-opt.
void registerFusePipelines();

} // namespace mlir::fuse

#endif // FUSE_PIPELINES_PIPELINES_H
