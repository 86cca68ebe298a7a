//===- LowerBody.cpp - What both GPU and CPU lowering need ----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LowerBody.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::fuse;

/// True if `op` becomes one instruction, or a short sequence without a call, on
/// every target.
static bool hasInstruction(Operation *op) {
  if (!isa_and_present<math::MathDialect>(op->getDialect()))
    return !isa<arith::RemFOp>(op);
  return isa<math::FmaOp, math::AbsFOp, math::AbsIOp, math::FloorOp,
             math::CeilOp, math::RoundEvenOp, math::TruncOp, math::CopySignOp,
             math::SqrtOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp>(op);
}

LogicalResult mlir::fuse::verifyMathIsExpanded(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    if (hasInstruction(op))
      return WalkResult::advance();
    op->emitOpError("expected math that is expanded, but got an op that would "
                    "become a library call; run fuse-expand-math first");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LogicalResult mlir::fuse::lowerStructuredControlFlow(Operation *root) {
  MLIRContext *context = root->getContext();
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  ConversionTarget target(*context);
  target.addIllegalDialect<scf::SCFDialect>();
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  if (failed(applyPartialConversion(root, target, std::move(patterns))))
    return failure();

  // The conversion to LLVM expects 1-D forms of these vector ops.
  RewritePatternSet vectorPatterns(context);
  vector::populateVectorFromElementsUnrollPatterns(vectorPatterns);
  vector::populateVectorToElementsUnrollPatterns(vectorPatterns);
  vector::populateVectorBroadcastLoweringPatterns(vectorPatterns);
  vector::populateVectorShapeCastLoweringPatterns(vectorPatterns);
  vector::populateVectorInterleaveLoweringPatterns(vectorPatterns);
  // The driver's simplification of regions merges blocks that look alike and
  // may never end; LLVM does that better.
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return applyPatternsGreedily(root, std::move(vectorPatterns), config);
}

void mlir::fuse::populateBodyToLLVMPatterns(const LLVMTypeConverter &converter,
                                            RewritePatternSet &patterns) {
  arith::populateArithToLLVMConversionPatterns(converter, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
  populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
  populateVectorToLLVMConversionPatterns(converter, patterns);
  ub::populateUBToLLVMConversionPatterns(converter, patterns);
  // Ahead of upstream's patterns that call libdevice for the same ops.
  populateMathToLLVMConversionPatterns(converter, patterns,
                                       /*approximateLog1p=*/false,
                                       /*benefit=*/10);
}
