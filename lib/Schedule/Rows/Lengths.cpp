//===- Lengths.cpp - The dynamic dims that schedules follow ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimNames.h"
#include "fuse/Analysis/ReductionSegments.h"
#include "fuse/Schedule/Scheduler.h"
#include "llvm/ADT/SmallSet.h"
#include <set>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Collects the classes of dimensions that others follow from.
class Sources {
public:
  explicit Sources(const DimClasses &dims) : dims(dims) {}

  void add(const Extent &extent) {
    if (extent.isStatic() || !classes.insert(extent.cls).second)
      return;
    for (const SizeRule &rule : dims.rules(extent.cls))
      for (const Extent &term : rule.terms)
        add(term);
  }

  void add(ArrayRef<Extent> extents) {
    for (const Extent &extent : extents)
      add(extent);
  }
  bool contains(int cls) const { return classes.contains(cls); }

private:
  llvm::SmallSet<int, 4> classes;
  const DimClasses &dims;
};
} // namespace

/// What each row or, of sums over rows, all columns together have goes to
/// `lengths`, and the numbers of rows to `counts`. Blocks that share a whole
/// tensor follow neither.
static void addLengths(KernelOp kernel, const DimClasses &dims,
                       Sources &lengths, Sources &counts) {
  Reason reason;
  if (auto rows = dyn_cast<RowsScheduleAttr>(kernel.getScheduleAttr())) {
    auto segments = reductionSegmentsOf(kernel, dims, reason);
    if (failed(segments) || rows.sharesGrid())
      return;
    for (const ReductionSegment &segment : *segments) {
      lengths.add(segment.space.columns());
      counts.add(segment.space.keptExtents());
    }
    return;
  }
  if (!isa<ColumnsScheduleAttr>(kernel.getScheduleAttr()))
    return;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  if (failed(space))
    return;
  lengths.add(space->keptExtents());
  counts.add(space->reducedExtents());
}

SmallVector<std::string> mlir::fuse::lengthsOf(func::FuncOp function,
                                               ArrayRef<KernelOp> kernels,
                                               const DimClasses &dims) {
  Sources lengths(dims), counts(dims);
  for (KernelOp kernel : kernels)
    addLengths(kernel, dims, lengths, counts);
  // Dimensions of one name are equal, whether or not an op needs that.
  DenseMap<int, std::string> names = nameDims(function, dims);
  std::set<std::string> found;
  for (const auto &[cls, name] : names)
    if (lengths.contains(cls))
      found.insert(name);
  for (const auto &[cls, name] : names)
    if (counts.contains(cls))
      found.erase(name);
  return {found.begin(), found.end()};
}
