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

  llvm::SmallSet<int, 4> classes;

private:
  const DimClasses &dims;
};
} // namespace

/// What each row or, of sums over rows, all columns together have.
static void addLengths(KernelOp kernel, const DimClasses &dims,
                       Sources &sources) {
  std::string reason;
  if (isa<RowsScheduleAttr>(kernel.getScheduleAttr())) {
    auto segments = reductionSegmentsOf(kernel, dims, reason);
    if (succeeded(segments))
      for (const ReductionSegment &segment : *segments)
        for (const Extent &extent : segment.space.columns())
          sources.add(extent);
    return;
  }
  if (!isa<ColumnsScheduleAttr>(kernel.getScheduleAttr()))
    return;
  FailureOr<ReductionSpace> space = reductionSpaceOf(kernel, dims, reason);
  if (succeeded(space))
    for (const Extent &extent : space->keptExtents())
      sources.add(extent);
}

SmallVector<StringRef> mlir::fuse::lengthsOf(func::FuncOp function,
                                             ArrayRef<KernelOp> kernels,
                                             const DimClasses &dims) {
  Sources sources(dims);
  for (KernelOp kernel : kernels)
    addLengths(kernel, dims, sources);
  llvm::SmallSetVector<StringRef, 2> names;
  for (BlockArgument argument : function.getArguments()) {
    auto list = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                     kDimsAttr);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    unsigned next = 0;
    for (int64_t axis = 0; list && type && axis < type.getRank(); ++axis) {
      if (!type.isDynamicDim(axis))
        continue;
      Extent extent = dims.extent(argument, axis);
      auto name = cast<StringAttr>(list[next++]);
      if (!extent.isStatic() && sources.classes.contains(extent.cls))
        names.insert(name.getValue());
    }
  }
  return names.takeVector();
}
