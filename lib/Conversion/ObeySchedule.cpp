//===- ObeySchedule.cpp - From each kind of schedule to its code ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ObeySchedule.h"
#include "Columns/LowerColumns.h"
#include "Mma/LowerMma.h"
#include "Mma/LowerStreamed.h"
#include "Mma/SplitSums.h"
#include "Mma/StreamedParts.h"
#include "Pointwise/LowerPointwise.h"
#include "Pointwise/LowerTranspose.h"
#include "Reductions/CombineParts.h"
#include "Rows/LowerOrdered.h"
#include "Rows/LowerRows.h"
#include "Tiles/LowerContraction.h"
#include "Tiles/LowerStreamedPanels.h"
#include "Tiles/LowerTiled.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

FailureOr<Grid> mlir::fuse::obeySchedule(KernelFrame &frame) {
  return llvm::TypeSwitch<Attribute, FailureOr<Grid>>(
             frame.kernel.getScheduleAttr())
      .Case<PointwiseScheduleAttr>(
          [&](auto schedule) { return lowerPointwise(frame, schedule); })
      .Case<ColumnsScheduleAttr>(
          [&](auto schedule) { return lowerColumns(frame, schedule); })
      .Case<RowsScheduleAttr>(
          [&](auto schedule) { return lowerRows(frame, schedule); })
      .Case<OrderedScheduleAttr>(
          [&](auto schedule) { return lowerOrdered(frame, schedule); })
      .Case<TransposeScheduleAttr>(
          [&](auto schedule) { return lowerTranspose(frame, schedule); })
      .Case<ContractionScheduleAttr>(
          [&](auto schedule) { return lowerContraction(frame, schedule); })
      .Case<TiledScheduleAttr>(
          [&](auto schedule) { return lowerTiled(frame, schedule); })
      .Case<MmaScheduleAttr>(
          [&](auto schedule) { return lowerMma(frame, schedule); })
      .Case<StreamedScheduleAttr>(
          [&](auto schedule) { return lowerStreamed(frame, schedule); })
      .Case<StreamedPanelsScheduleAttr>(
          [&](auto schedule) { return lowerStreamedPanels(frame, schedule); })
      .Default([&](Attribute schedule) -> FailureOr<Grid> {
        return frame.kernel.emitError()
               << "expected a schedule of this dialect, but got " << schedule
               << "; run fuse-assign-schedules";
      });
}

FailureOr<Grid> mlir::fuse::combineParts(KernelFrame &frame) {
  if (auto streamed =
          dyn_cast<StreamedScheduleAttr>(frame.kernel.getScheduleAttr()))
    return lowerStreamedCombination(frame, streamed);
  if (auto mma = dyn_cast<MmaScheduleAttr>(frame.kernel.getScheduleAttr());
      mma && mma.leavesParts())
    return lowerSplitCombination(frame);
  return lowerCombination(frame);
}

FailureOr<std::optional<PartLayout>>
mlir::fuse::planParts(KernelOp kernel, const DimClasses &dims,
                      const EmitOptions &options) {
  if (auto streamed = dyn_cast<StreamedScheduleAttr>(kernel.getScheduleAttr()))
    return streamedPartLayoutOf(kernel, dims, streamed, options);
  if (auto mma = dyn_cast<MmaScheduleAttr>(kernel.getScheduleAttr());
      mma && mma.leavesParts())
    return splitPartLayoutOf(kernel, dims, mma, options);
  return partLayoutOf(kernel, dims);
}
