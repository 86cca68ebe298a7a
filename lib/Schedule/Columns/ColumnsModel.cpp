//===- ColumnsModel.cpp - Schedules of columns, by a board's times --------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/ColumnsModel.h"

#include "fuse/Schedule/ColumnFeatures.h"
#include "fuse/Schedule/LegalColumns.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr BoardModel::Limits limits = {
    /*fewTrees=*/20, /*mostAfterFew=*/40, /*mostRefined=*/10, /*mostOfEach=*/6};

std::vector<StringRef> ColumnsModel::shipped() {
  return {
#include "columns-models.inc"
  };
}

llvm::Expected<ColumnsModel> ColumnsModel::read(StringRef text) {
  llvm::Expected<llvm::json::Value> data = llvm::json::parse(text);
  if (!data)
    return data.takeError();
  const llvm::json::Object *object = data->getAsObject();
  llvm::Expected<BoardModel> model = BoardModel::read(
      object ? *object : llvm::json::Object(), columnFeatureNames());
  if (!model)
    return model.takeError();
  return ColumnsModel(std::move(*model));
}

/// The only call, or calls that stand for those of the target's size.
static SmallVector<ColumnFacts::Call, 2>
callsFor(const ColumnFacts &facts, const ScheduleTarget &target) {
  if (facts.columns && facts.places)
    return {facts.callOf(0)};
  SmallVector<ColumnFacts::Call, 2> calls;
  double each = std::max(1.0, facts.inputBytes + facts.outputBytes);
  for (double bytes : bytesOfCalls(target))
    calls.push_back(facts.callOf(bytes / each));
  return calls;
}

double ColumnsModel::predictLoss(const ColumnFacts &facts,
                                 ColumnsScheduleAttr schedule,
                                 const ScheduleTarget &target,
                                 size_t mostTrees) const {
  double sum = 0;
  SmallVector<ColumnFacts::Call, 2> calls = callsFor(facts, target);
  for (const ColumnFacts::Call &call : calls)
    sum += trees.predict(columnFeatures(facts, schedule, call, *target.gpu),
                         mostTrees);
  return sum / calls.size();
}

/// Basic schedules of the kinds that were timed. Nobody has timed columns that
/// are walked twice, which stay in registers if there is room, nor vectors that
/// leave edges, which are the widest.
static SmallVector<ColumnsScheduleAttr>
knownColumns(MLIRContext *context, const ColumnFacts &facts,
             const ScheduleTarget &target) {
  SmallVector<ColumnsScheduleAttr> basic = basicColumns(context, facts, target);
  auto isHeld = [](ColumnsScheduleAttr each) {
    return isa<RegistersHoldAttr>(each.getHold());
  };
  if (llvm::any_of(basic, isHeld))
    llvm::erase_if(basic, std::not_fn(isHeld));
  if (facts.mayLeaveEdges)
    llvm::erase_if(basic, [&](ColumnsScheduleAttr each) {
      return each.getVector() < facts.widest;
    });
  return basic;
}

SmallVector<ColumnsModel::Ranked>
ColumnsModel::rank(MLIRContext *context, const ColumnFacts &facts,
                   const ScheduleTarget &target) const {
  return rankRefined<ColumnsScheduleAttr>(
      limits, knownColumns(context, facts, target),
      [&](ColumnsScheduleAttr each) {
        return refinedColumns(each, facts, target);
      },
      [&](ColumnsScheduleAttr each, size_t numTrees) {
        return predictLoss(facts, each, target, numTrees);
      });
}

ColumnsScheduleAttr ColumnsModel::choose(MLIRContext *context,
                                         const ColumnFacts &facts,
                                         const ScheduleTarget &target) const {
  SmallVector<Ranked> ranked = rank(context, facts, target);
  return ranked.empty() ? ColumnsScheduleAttr() : ranked.front().schedule;
}
