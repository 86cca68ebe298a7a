//===- EarlyInputs.cpp - What is there before a program's launches --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EarlyInputs.h"

#include "fuse/Analysis/KernelEdge.h"

using namespace mlir;
using namespace mlir::fuse;

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
