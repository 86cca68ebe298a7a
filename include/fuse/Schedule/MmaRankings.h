//===- MmaRankings.h - Schedules that were ranked before --------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_MMARANKINGS_H
#define FUSE_SCHEDULE_MMARANKINGS_H

#include "fuse/Schedule/MmaModel.h"
#include "mlir/IR/DialectInterface.h"
#include <map>
#include <mutex>

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::fuse {

/// What rankMmaSchedules() has found in a context. The layers of a model have
/// products of a few sizes, and several passes ask for each of them.
class MmaRankings : public DialectInterface::Base<MmaRankings> {
public:
  explicit MmaRankings(Dialect *dialect) : Base(dialect) {}

  /// Lets contexts of the registry remember.
  static void addTo(DialectRegistry &registry);
  /// As rankMmaSchedules(), which a context asks once if it remembers.
  static SmallVector<MmaScheduleAttr> of(MLIRContext *context,
                                         const MmaProduct &product,
                                         const MmaForm &form,
                                         const GPUTarget &gpu);

private:
  using Key = std::pair<std::string, std::vector<double>>;
  mutable std::mutex mutex;
  mutable std::map<Key, SmallVector<MmaScheduleAttr>> known;
};

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_MMARANKINGS_H
