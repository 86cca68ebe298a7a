//===- InitAll.cpp - Everything a Fuse tool knows -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Pipelines/InitAll.h"

#include "fuse/Codegen/Passes.h"
#include "fuse/Conversion/Passes.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/Transforms/Passes.h"
#include "fuse/Explain/Passes.h"
#include "fuse/Fusion/Passes.h"
#include "fuse/Pipelines/Pipelines.h"
#include "fuse/Schedule/MmaRankings.h"
#include "fuse/Schedule/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mlir::fuse::registerAllDialects(DialectRegistry &registry) {
  registry.insert<FuseDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                  arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  ub::UBDialect, vector::VectorDialect>();
  MmaRankings::addTo(registry);
}

void mlir::fuse::registerAllPasses() {
  registerFuseTransformsPasses();
  registerFuseFusionPasses();
  registerFuseExplainPasses();
  registerFuseSchedulePasses();
  registerFuseConversionPasses();
  registerFuseCodegenPasses();
  registerFusePipelines();
  registerTransformsPasses();
}
