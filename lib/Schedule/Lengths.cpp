//===- Lengths.cpp - The dynamic dims that schedules follow ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Scheduler.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"

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
  bool contains(const Extent &extent) const {
    return classes.contains(extent.cls);
  }

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
  std::string reason;
  if (auto rows = dyn_cast<RowsScheduleAttr>(kernel.getScheduleAttr())) {
    auto segments = reductionSegmentsOf(kernel, dims, reason);
    if (failed(segments) || rows.getWholeGrid())
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

SmallVector<StringRef> mlir::fuse::lengthsOf(func::FuncOp function,
                                             ArrayRef<KernelOp> kernels,
                                             const DimClasses &dims) {
  Sources lengths(dims), counts(dims);
  for (KernelOp kernel : kernels)
    addLengths(kernel, dims, lengths, counts);
  // Dimensions of one name are equal, whether or not an op needs that.
  llvm::SmallSetVector<StringRef, 2> names, counted;
  for (BlockArgument argument : function.getArguments()) {
    auto list = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                     kDimsAttr);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    unsigned next = 0;
    for (int64_t axis = 0; list && type && axis < type.getRank(); ++axis) {
      if (!type.isDynamicDim(axis))
        continue;
      Extent extent = dims.extent(argument, axis);
      StringRef name = cast<StringAttr>(list[next++]).getValue();
      if (lengths.contains(extent))
        names.insert(name);
      if (counts.contains(extent))
        counted.insert(name);
    }
  }
  names.set_subtract(counted);
  return names.takeVector();
}
