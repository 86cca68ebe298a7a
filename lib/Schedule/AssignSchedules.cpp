//===- AssignSchedules.cpp - Give every kernel a schedule -----------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Passes.h"
#include "fuse/Schedule/Scheduler.h"
#include "fuse/Target/CPUTarget.h"
#include "fuse/Target/GPUTarget.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_ASSIGNSCHEDULES
#include "fuse/Schedule/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct AssignSchedulesPass
    : public mlir::fuse::impl::AssignSchedulesBase<AssignSchedulesPass> {
  using Base::Base;

  void runOnOperation() override {
    FailureOr<ScheduleTarget> target = resolveTarget();
    if (failed(target))
      return signalPassFailure();
    DimClasses dims(getOperation());
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (!kernel.getScheduleAttr() && failed(assign(kernel, dims, *target)))
        return signalPassFailure();
  }

private:
  FailureOr<ScheduleTarget> resolveTarget() {
    ScheduleTarget target;
    target.divisible = divisible;
    if (chip == "cpu") {
      target.isGPU = false;
      target.vectorBits = CPUTarget::host().vectorBits;
      return target;
    }
    llvm::Expected<GPUTarget> gpu = lookupGPUTarget(chip);
    if (!gpu) {
      getOperation().emitError() << llvm::toString(gpu.takeError());
      return failure();
    }
    target.vectorBits = gpu->widestLoadBits;
    target.maxThreads = gpu->maxThreadsPerBlock;
    return target;
  }

  LogicalResult assign(KernelOp kernel, const DimClasses &dims,
                       const ScheduleTarget &target) {
    for (auto propose : {proposeContraction, proposeRows, proposeColumns,
                         proposeTranspose, proposePointwise})
      if (ScheduleAttrInterface schedule = propose(kernel, dims, target)) {
        kernel.setScheduleAttr(schedule);
        return success();
      }
    return kernel.emitError()
           << "expected a kernel that one of the schedulers can run, but none "
              "of them applies; split it into several kernels";
  }
};
} // namespace
