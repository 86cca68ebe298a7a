//===- CallSizes.cpp - Calls that move few bytes --------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/OpCost.h"
#include "fuse/Schedule/Scheduler.h"

using namespace mlir;
using namespace mlir::fuse;

void ScheduleTarget::setSizes(bool isSmall, bool isBrief, bool isFew) {
  few = isFew;
  brief = isBrief || isFew;
  small = isSmall || brief;
}

/// Up to so many times the size of the L2 kernels that wait less won on an H200
/// (docs/tuning.md, "What measurements decided").
static constexpr int64_t smallPerL2 = 4;

int64_t ScheduleTarget::smallBytes() const {
  return gpu ? smallPerL2 * gpu->l2Bytes : 0;
}

/// Of a multiprocessor: a row of 32 KiB, read and written.
static constexpr int64_t briefPerMultiprocessor = 64 << 10;

int64_t ScheduleTarget::briefBytes() const {
  return gpu ? briefPerMultiprocessor * gpu->multiprocessors : 0;
}

/// Of a multiprocessor: with a row of 32 KiB, read and written, in every
/// fourth.
static constexpr int64_t fewPerMultiprocessor = 8 << 10;

int64_t ScheduleTarget::fewBytes() const {
  return gpu ? fewPerMultiprocessor * gpu->multiprocessors : 0;
}

/// What a call moves, if that is known.
static std::optional<double> movedBytes(KernelOp kernel) {
  double bytes = 0;
  bool isStatic = true;
  auto add = [&](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    isStatic &= !type || type.hasStaticShape();
    bytes += estimatedBytes(value);
  };
  llvm::for_each(kernel.getBody().getArguments(), add);
  llvm::for_each(kernel.getYield().getValues(), add);
  return isStatic ? std::optional(bytes) : std::nullopt;
}

bool mlir::fuse::isSmallCall(KernelOp kernel, const ScheduleTarget &target) {
  std::optional<double> bytes = movedBytes(kernel);
  return bytes ? *bytes <= target.smallBytes() : target.small;
}

bool mlir::fuse::isBriefCall(KernelOp kernel, const ScheduleTarget &target) {
  std::optional<double> bytes = movedBytes(kernel);
  return bytes ? *bytes <= target.briefBytes() : target.brief;
}
