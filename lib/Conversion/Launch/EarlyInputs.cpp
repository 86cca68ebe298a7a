//===- EarlyInputs.cpp - What is there before a program's launches --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EarlyInputs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

static Value behindReshapes(Value value) {
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         tensor::CastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// Whether a launch writes all of the value. Kernels before this one are
/// launches by now.
static bool isWrittenByLaunch(Value value) {
  auto launch = value.getDefiningOp<LaunchOp>();
  if (!launch)
    return false;
  unsigned number = cast<OpResult>(value).getResultNumber();
  return llvm::none_of(LaunchOp::getPairs(launch.getCopiesAttr()),
                       [&](auto pair) { return pair.first == number; });
}

SmallVector<int64_t> mlir::fuse::earlyInputsOf(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto isMultiplied = [&](unsigned input) {
    return llvm::any_of(body.getArgument(input).getUsers(),
                        llvm::IsaPred<ContractOp>);
  };
  SmallVector<int64_t> early;
  bool followsLaunch = false;
  for (auto [number, input] : llvm::enumerate(kernel.getInputs())) {
    Value source = behindReshapes(input);
    if (isa<BlockArgument>(source))
      early.push_back(number);
    followsLaunch |= isMultiplied(number) && isWrittenByLaunch(source);
  }
  return followsLaunch ? early : SmallVector<int64_t>();
}

SmallVector<int64_t> mlir::fuse::prefetchedInputsOf(KernelOp kernel) {
  SmallVector<int64_t> found;
  bool followsLaunch = false;
  for (auto [number, input] : llvm::enumerate(kernel.getInputs())) {
    Value source = behindReshapes(input);
    followsLaunch |= bool(source.getDefiningOp<LaunchOp>());
    if (!isWrittenByLaunch(source))
      found.push_back(number);
  }
  return followsLaunch ? found : SmallVector<int64_t>();
}

bool mlir::fuse::hasPrefetchedInputs(KernelFrame &frame) {
  return frame.function->hasAttr(kPrefetchedInputsAttr);
}

bool mlir::fuse::isPrefetched(KernelFrame &frame, BlockArgument input) {
  auto numbers =
      frame.function->getAttrOfType<DenseI64ArrayAttr>(kPrefetchedInputsAttr);
  return numbers && llvm::is_contained(numbers.asArrayRef(),
                                       int64_t(input.getArgNumber()));
}

void mlir::fuse::prefetchAndWait(KernelFrame &frame, int64_t threads,
                                 llvm::function_ref<void()> body) {
  // Of the largest chips: blocks of later waves have nothing to wait for.
  constexpr int64_t threadsAtOnce = 160 * 2048;
  Index most = Index::constant(llvm::divideCeil(threadsAtOnce, threads));
  frame.ifTrue(frame.emitter.less(frame.blockId(), most), body);
  NVVM::GriddepcontrolOp::create(frame.builder, frame.loc(),
                                 NVVM::GridDepActionKind::wait);
}

void mlir::fuse::prefetchAt(KernelFrame &frame, Value pointer) {
  NVVM::PrefetchOp::create(
      frame.builder, frame.loc(),
      NVVM::PrefetchCacheLevelAttr::get(frame.builder.getContext(),
                                        NVVM::PrefetchCacheLevel::L2),
      /*evictPriority=*/NVVM::CacheEvictionPriorityAttr(), pointer,
      /*predicate=*/Value(), /*tensormap=*/UnitAttr(), /*uniform=*/UnitAttr(),
      /*in_param_space=*/UnitAttr());
}
