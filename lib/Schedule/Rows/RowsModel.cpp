//===- RowsModel.cpp - Schedules of rows, as a board's times say ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/RowsModel.h"

#include "fuse/Schedule/LegalRows.h"
#include "fuse/Schedule/RowFeatures.h"
#include "mlir/AsmParser/AsmParser.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
namespace json = llvm::json;

static constexpr BoardModel::Limits limits = {/*fewTrees=*/40,
                                              /*mostAfterFew=*/48,
                                              /*mostRefined=*/12,
                                              /*mostOfEach=*/12};

std::vector<StringRef> RowsModel::shipped() {
  return {
#include "rows-models.inc"
  };
}

llvm::Expected<RowsModel> RowsModel::read(StringRef text) {
  llvm::Expected<json::Value> data = json::parse(text);
  if (!data)
    return data.takeError();
  json::Object none;
  const json::Object *object = data->getAsObject();
  llvm::Expected<BoardModel> trees =
      BoardModel::read(object ? *object : none, rowFeatureNames());
  if (!trees)
    return trees.takeError();
  RowsModel model(std::move(*trees));
  if (llvm::Error error = model.readWinners(*object))
    return std::move(error);
  return model;
}

/// {"schedules": [text], "winners": {key: [length, size, number, ...]}}.
llvm::Error RowsModel::readWinners(const json::Object &data) {
  const json::Object *all = data.getObject("winners");
  const json::Array *texts = data.getArray("schedules");
  if (!all || !texts)
    return llvm::Error::success();
  auto wrong = [] {
    return llvm::createStringError(
        "expected 'winners' as a length, a size from 0 to 3 and the number of "
        "one of the 'schedules' each; write them with "
        "tools/tuning/fit_schedules.py");
  };
  for (const json::Value &text : *texts)
    schedules.push_back(text.getAsString().value_or("").str());
  for (const auto &[key, value] : *all) {
    const json::Array *numbers = value.getAsArray();
    if (!numbers || numbers->size() % 3 != 0)
      return wrong();
    std::vector<Winner> &found = winners[StringRef(key)];
    for (size_t i = 0; i < numbers->size(); i += 3) {
      auto at = [&](size_t place) {
        return (*numbers)[i + place].getAsInteger().value_or(-1);
      };
      if (at(0) < 1 || at(1) < 0 || at(1) >= int64_t(allCallSizes.size()) ||
          at(2) < 0 || at(2) >= int64_t(schedules.size()))
        return wrong();
      found.push_back({at(0), CallSize(at(1)), unsigned(at(2))});
    }
  }
  return llvm::Error::success();
}

/// Rows of calls that stand for those that a schedule is for: of the only size,
/// or of sizes between two bounds, of which a call may have any.
static SmallVector<double, 2> rowsFor(const RowFacts &facts,
                                      const ScheduleTarget &target) {
  if (facts.rows > 0)
    return {double(facts.rows)};
  SmallVector<double, 2> rows = bytesOfCalls(target);
  for (double &each : rows)
    each = std::max(1.0, std::round(each / std::max(1.0, facts.bytesPerRow())));
  return rows;
}

/// By a call's bytes if they are known.
static CallSize sizeOf(const RowFacts &facts, const ScheduleTarget &target) {
  return facts.rows == 0 ? target.size
                         : target.sizeOf(facts.bytesPerRow() * facts.rows);
}

/// Whether the row's vectors are legal, and the blocks' threads and shared
/// memory, and blocks stay for what all rows are reduced to: what a key and a
/// length leave open.
static bool suits(RowsScheduleAttr schedule, const RowFacts &facts,
                  const ScheduleTarget &target) {
  int64_t vector = schedule.getVector(), threads = schedule.getThreads();
  bool isWhole = facts.inner != 0 && facts.inner % vector == 0;
  bool mayHaveEdges = facts.mayLeaveEdges && !facts.columnSums &&
                      schedule.threadsPerRow() >= 2 * vector;
  constexpr int64_t otherBytes = 1024;
  int64_t bytes =
      isa<SharedHoldAttr>(schedule.getHold())
          ? llvm::divideCeil(facts.length, schedule.blocksPerRow()) *
                facts.inputBytes * schedule.getHold().getStages()
          : 0;
  return vector <= facts.widest && threads <= target.maxThreads &&
         (isWhole || mayHaveEdges) &&
         (schedule.getPersistent() > 0 || !facts.isAcross) &&
         bytes + otherBytes <= target.sharedBytes;
}

/// Whether a schedule for rows of another length leaves a thread of a product
/// with so many accesses of 16 bytes at most.
static bool holdsFew(RowsScheduleAttr schedule, const RowFacts &facts) {
  constexpr int64_t mostHeld = 8;
  return !isa<RegistersHoldAttr>(schedule.getHold()) ||
         facts.length * schedule.rowsPerThread() <=
             mostHeld * facts.widest * schedule.threadsPerRow();
}

/// No tree has seen products, which take the winner of the nearest length, up
/// to so many times as long or short, as powers of two go; another size of
/// calls is as far as this.
static constexpr double furthestProduct = 1.5, otherSize = 0.5;

RowsScheduleAttr RowsModel::winner(MLIRContext *context, const RowFacts &facts,
                                   const ScheduleTarget &target) const {
  auto known = winners.find(facts.key());
  if (known == winners.end() || !target.gpu->isMeasured ||
      target.gpu->board != board)
    return {};
  CallSize size = sizeOf(facts, target);
  RowsScheduleAttr nearest;
  double least = furthestProduct;
  for (const Winner &each : known->second) {
    bool isAlike = each.length == facts.length && each.size == size;
    double far = std::abs(std::log2(double(each.length) / facts.length)) +
                 (each.size != size ? otherSize : 0);
    if (!isAlike && !(facts.isProduct() && far < least))
      continue;
    auto schedule = dyn_cast_or_null<RowsScheduleAttr>(
        parseAttribute(schedules[each.schedule], context));
    bool isSame = each.length == facts.length;
    if (!schedule || !suits(schedule, facts, target) ||
        !(isSame || holdsFew(schedule, facts)))
      continue;
    if (isAlike)
      return schedule;
    nearest = schedule;
    least = far;
  }
  return nearest;
}

RowsScheduleAttr RowsModel::choose(MLIRContext *context, const RowFacts &facts,
                                   const ScheduleTarget &target) const {
  if (RowsScheduleAttr measured = winner(context, facts, target))
    return measured;
  SmallVector<Ranked> ranked = rank(context, facts, target);
  return ranked.empty() ? RowsScheduleAttr() : ranked.front().schedule;
}

double RowsModel::predictLoss(const RowFacts &facts, RowsScheduleAttr schedule,
                              const ScheduleTarget &target,
                              size_t mostTrees) const {
  double sum = 0;
  SmallVector<double, 2> sizes = rowsFor(facts, target);
  for (double rows : sizes)
    sum += trees.predict(rowFeatures(facts, schedule, rows, *target.gpu),
                         mostTrees);
  return sum / sizes.size();
}

SmallVector<RowsModel::Ranked>
RowsModel::rank(MLIRContext *context, const RowFacts &facts,
                const ScheduleTarget &target) const {
  return rankRefined<RowsScheduleAttr>(
      limits, basicRows(context, facts, target),
      [&](RowsScheduleAttr each) { return refinedRows(each, facts, target); },
      [&](RowsScheduleAttr each, size_t numTrees) {
        return predictLoss(facts, each, target, numTrees);
      });
}
