//===- LaunchPlan.h - What the sizes of a call decide -----------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_RUNTIME_LAUNCHPLAN_H
#define FUSE_LIB_RUNTIME_LAUNCHPLAN_H

#include "ArenaPlan.h"
#include "fuse/Runtime/Arguments.h"
#include "fuse/Runtime/ProgramSpec.h"
#include "fuse/Runtime/TensorMap.h"
#include <map>
#include <memory>
#include <mutex>

namespace fuse::runtime {

/// The sizes of one step.
struct StepPlan {
  /// Blocks of a kernel; 0 for a copy.
  int64_t grid = 0;
  int64_t bytesRead = 0;
  int64_t bytesWritten = 0;
  /// The kernel's i64 arguments in order.
  llvm::SmallVector<int64_t, 4> scalars;
  /// Its tensor maps in order.
  llvm::SmallVector<TensorMapShape, 0> maps;
};

/// Everything about a call that depends on the symbols only.
struct LaunchPlan {
  ArenaPlan arena;
  llvm::SmallVector<StepPlan, 4> steps;

  static llvm::Expected<LaunchPlan> compute(const ProgramSpec &spec,
                                            llvm::ArrayRef<int64_t> symbols);
};

/// The plans of the sizes seen last. Thread-safe.
class LaunchPlanCache {
public:
  explicit LaunchPlanCache(const ProgramSpec &spec) : spec(spec) {}

  llvm::Expected<std::shared_ptr<const LaunchPlan>>
  get(llvm::ArrayRef<int64_t> symbols);

private:
  const ProgramSpec &spec;
  std::mutex mutex;
  std::map<SymbolValues, std::shared_ptr<const LaunchPlan>> plans;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_LAUNCHPLAN_H
