//===- GPUToNVVM.cpp - Lower the kernels of a gpu.module to NVVM ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerBody.h"
#include "fuse/Codegen/Passes.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSEGPUTONVVM
#include "fuse/Codegen/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Enough for the widest access to shared memory.
static constexpr uint64_t sharedAlignment = 16;

static void alignSharedMemory(gpu::GPUModuleOp module) {
  module.walk([](LLVM::GlobalOp global) {
    if (global.getAddrSpace() ==
        static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared))
      global.setAlignment(
          std::max(global.getAlignment().value_or(0), sharedAlignment));
  });
}

namespace {
/// Arguments that kernels get by value, by function: tensor maps, whose address
/// copies take. The conversion to LLVM's dialect forgets that.
class ByValueArguments {
public:
  explicit ByValueArguments(gpu::GPUModuleOp module) {
    for (auto function : module.getOps<gpu::GPUFuncOp>())
      for (unsigned i = 0; i < function.getNumArguments(); ++i)
        if (Attribute type = function.getArgAttr(i, byVal))
          found[function.getName()].emplace_back(i, type);
  }

  void restore(gpu::GPUModuleOp module) const {
    auto constant = NVVM::NVVMDialect::getGridConstantAttrName();
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      for (auto [number, type] : found.lookup(function.getName())) {
        function.setArgAttr(number, byVal, type);
        function.setArgAttr(number, constant,
                            UnitAttr::get(module.getContext()));
      }
  }

private:
  StringRef byVal = LLVM::LLVMDialect::getByValAttrName();
  llvm::StringMap<SmallVector<std::pair<unsigned, Attribute>>> found;
};
} // namespace

/// Lowers the nvvm ops that LLVM has no intrinsic for to inline PTX.
static LogicalResult lowerPTXBuilders(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  populateNVVMToLLVMConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addDynamicallyLegalDialect<NVVM::NVVMDialect>([](Operation *op) {
    auto builder = dyn_cast<NVVM::BasicPtxBuilderInterface>(op);
    return !builder || builder.hasIntrinsic();
  });
  return applyPartialConversion(module, target, std::move(patterns));
}

static LogicalResult lowerToNVVM(gpu::GPUModuleOp module, unsigned indexBits) {
  MLIRContext *context = module.getContext();
  LowerToLLVMOptions options(context);
  options.overrideIndexBitwidth(indexBits);
  LLVMTypeConverter converter(context, options);
  configureGpuToNVVMTypeConverter(converter);

  RewritePatternSet patterns(context);
  populateBodyToLLVMPatterns(converter, patterns);
  populateGpuToNVVMConversionPatterns(converter, patterns);

  LLVMConversionTarget target(*context);
  target.addLegalDialect<NVVM::NVVMDialect>();
  target.addIllegalDialect<gpu::GPUDialect>();
  target.addLegalOp<gpu::GPUModuleOp>();
  return applyFullConversion(module, target, std::move(patterns));
}

namespace {
struct FuseGPUToNVVM : fuse::impl::FuseGPUToNVVMBase<FuseGPUToNVVM> {
  using Base::Base;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    if (indexBits != 32 && indexBits != 64) {
      module.emitError("expected index-bits 32 or 64, but got ")
          << indexBits << "; choose 32 where every index fits in 31 bits";
      return signalPassFailure();
    }
    ByValueArguments byValue(module);
    if (failed(verifyMathIsExpanded(module)) ||
        failed(lowerStructuredControlFlow(module)) ||
        failed(lowerToNVVM(module, indexBits)) ||
        failed(lowerPTXBuilders(module)))
      return signalPassFailure();
    alignSharedMemory(module);
    byValue.restore(module);
  }
};
} // namespace
