//===- ListSchedules.cpp - What kernels could have, as JSON ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/Candidates.h"
#include "fuse/Schedule/ColumnFeatures.h"
#include "fuse/Schedule/LegalColumns.h"
#include "fuse/Schedule/LegalRows.h"
#include "fuse/Schedule/Passes.h"
#include "fuse/Schedule/RowFeatures.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_LISTSCHEDULES
#include "fuse/Schedule/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;
namespace json = llvm::json;

/// The only shape of rows of a kernel.
static std::optional<ReductionSegment> onlySegment(KernelOp kernel,
                                                   const DimClasses &dims) {
  Reason reason;
  auto segments = reductionSegmentsOf(kernel, dims, reason);
  if (failed(segments) || segments->size() != 1 ||
      !segments->front().space.overLastDims() ||
      segments->front().space.hasGroups())
    return std::nullopt;
  return segments->front();
}

namespace {
struct ListSchedulesPass
    : public mlir::fuse::impl::ListSchedulesBase<ListSchedulesPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::Expected<ScheduleTarget> target = ScheduleTarget::of(chip, false);
    if (!target) {
      getOperation().emitError() << llvm::toString(target.takeError());
      return signalPassFailure();
    }
    DimClasses dims(getOperation());
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      json::Object entry{{"kernel", kernel.getKernelName()}};
      std::optional<ReductionSegment> segment = onlySegment(kernel, dims);
      if (features.empty())
        list(kernel, dims, segment, *target, entry);
      else if (failed(listFeatures(kernel, segment, dims, *target, entry)))
        return signalPassFailure();
      llvm::outs() << json::Value(std::move(entry)) << "\n";
    }
  }

private:
  /// What is chosen for calls of each size, and what is legal.
  void list(KernelOp kernel, const DimClasses &dims,
            const std::optional<ReductionSegment> &segment,
            ScheduleTarget target, json::Object &entry) {
    json::Array chosen, legal, registers;
    for (CallSize size : allCallSizes) {
      target.size = size;
      if (auto schedule = proposeSchedule(kernel, dims, target))
        chosen.push_back(debugString(schedule));
    }
    target.size = CallSize::large;
    ScheduleAttrInterface proposed = proposeSchedule(kernel, dims, target);
    struct Predicted {
      double us;
      int64_t registers;
    };
    auto add = [&](ScheduleAttrInterface schedule, Predicted predicted) {
      legal.push_back(json::Array{debugString(schedule), predicted.us});
      registers.push_back(predicted.registers);
    };
    auto predict = [&](ScheduleAttrInterface schedule) -> Predicted {
      return {estimateTime(kernel, dims, schedule, target).seconds * 1e6,
              estimateWork(kernel, dims, schedule, *target.gpu).registers};
    };
    if (segment && isa_and_nonnull<RowsScheduleAttr>(proposed)) {
      RowFacts facts = rowFactsOf(kernel, *segment, dims, target);
      entry["bytes_per_row"] = facts.bytesPerRow();
      entry["key"] = facts.key();
      for (RowsScheduleAttr basic : basicRows(&getContext(), facts, target)) {
        Predicted predicted = predict(basic);
        for (RowsScheduleAttr refined : refinedRows(basic, facts, target))
          add(refined, predicted);
      }
    } else if (std::optional<ColumnFacts> facts =
                   scheduledColumns(kernel, dims, proposed, target)) {
      entry["key"] = facts->key();
      for (ColumnsScheduleAttr basic :
           basicColumns(&getContext(), *facts, target)) {
        Predicted predicted = predict(basic);
        for (ColumnsScheduleAttr refined :
             refinedColumns(basic, *facts, target))
          add(refined, predicted);
      }
    } else if (proposed && target.gpu) {
      for (ScheduleAttrInterface other :
           alternativesTo(proposed, kernel, dims, target))
        add(other, predict(other));
    }
    entry["chosen"] = std::move(chosen);
    entry["legal"] = std::move(legal);
    entry["registers"] = std::move(registers);
  }

  LogicalResult fail(const Twine &what) {
    return getOperation().emitError() << what;
  }

  LogicalResult listFeatures(KernelOp kernel,
                             const std::optional<ReductionSegment> &segment,
                             const DimClasses &dims,
                             const ScheduleTarget &target,
                             json::Object &entry) {
    ScheduleAttrInterface proposed = proposeSchedule(kernel, dims, target);
    if (segment && isa_and_nonnull<RowsScheduleAttr>(proposed)) {
      RowFacts facts = rowFactsOf(kernel, *segment, dims, target);
      entry["key"] = facts.key();
      return listFeaturesOf<RowsScheduleAttr>(
          "rows", rowFeatureNames(),
          [&](RowsScheduleAttr schedule, double rows) {
            return rowFeatures(facts, schedule, rows, *target.gpu);
          },
          entry);
    }
    if (auto facts = scheduledColumns(kernel, dims, proposed, target)) {
      entry["key"] = facts->key();
      return listFeaturesOf<ColumnsScheduleAttr>(
          "elements", columnFeatureNames(),
          [&](ColumnsScheduleAttr schedule, double elements) {
            return columnFeatures(*facts, schedule, facts->callOf(elements),
                                  *target.gpu);
          },
          entry);
    }
    return success();
  }

  /// Of each line's schedule in a call of the line's size.
  template <typename Schedule>
  LogicalResult listFeaturesOf(
      StringRef unit, ArrayRef<StringLiteral> names,
      llvm::function_ref<SmallVector<float, 64>(Schedule, double)> featuresOf,
      json::Object &entry) {
    auto buffer = llvm::MemoryBuffer::getFile(features);
    if (!buffer)
      return fail("expected a file of " + unit + " and schedules, but got " +
                  features + ": " + buffer.getError().message());
    json::Array found;
    SmallVector<StringRef> lines;
    (*buffer)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
    for (StringRef line : lines) {
      auto [count, text] = line.split(' ');
      double size = 0;
      auto schedule =
          dyn_cast_or_null<Schedule>(parseAttribute(text, &getContext()));
      if (count.getAsDouble(size) || !schedule)
        return fail("expected a number of " + unit +
                    " and a schedule of the kernel's kind, but got '" + line +
                    "'");
      found.push_back(json::Array(featuresOf(schedule, size)));
    }
    entry["names"] = json::Array(names);
    entry["features"] = std::move(found);
    return success();
  }
};
} // namespace
