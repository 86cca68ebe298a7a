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

/// Up to so many times the size of the L2 kernels that wait less won on an H200
/// (docs/tuning.md, "What measurements decided").
static constexpr int64_t smallPerL2 = 4;
/// Of a multiprocessor: a row of 32 KiB, read and written; and such a row for
/// every eighth multiprocessor.
static constexpr int64_t briefPerMultiprocessor = 64 << 10,
                         fewPerMultiprocessor = 8 << 10;

int64_t ScheduleTarget::mostBytes(CallSize size) const {
  if (!gpu)
    return 0;
  switch (size) {
  case CallSize::large:
    return std::numeric_limits<int64_t>::max();
  case CallSize::small:
    return smallPerL2 * gpu->l2Bytes;
  case CallSize::brief:
    return briefPerMultiprocessor * gpu->multiprocessors;
  case CallSize::few:
    return fewPerMultiprocessor * gpu->multiprocessors;
  }
  llvm_unreachable("every size has its bound");
}

CallSize ScheduleTarget::sizeOf(double bytes) const {
  CallSize found = CallSize::large;
  if (!gpu)
    return found;
  for (CallSize each : allCallSizes)
    if (bytes <= mostBytes(each))
      found = each;
  return found;
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

CallSize mlir::fuse::callSize(KernelOp kernel, const ScheduleTarget &target) {
  std::optional<double> bytes = movedBytes(kernel);
  return bytes ? target.sizeOf(*bytes) : target.size;
}
