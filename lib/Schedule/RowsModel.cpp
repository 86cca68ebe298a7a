//===- RowsModel.cpp - Schedules of rows, as a board's times say ----------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/RowsModel.h"

#include "fuse/Schedule/LegalRows.h"
#include "fuse/Schedule/RowFeatures.h"
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
namespace json = llvm::json;

/// The files of lib/Schedule/Models.
static std::vector<StringRef> shippedTexts() {
  return {
#include "Models.inc"
  };
}

/// Few trees leave out what is far off, all of them what no refinement makes
/// the fastest.
static constexpr size_t fewTrees = 40, mostAfterFew = 48, mostRefined = 12;

/// Of calls, as the files name them.
static constexpr StringLiteral sizeNames[] = {"large", "small", "brief", "few"};

llvm::Expected<RowsModel> RowsModel::read(StringRef text) {
  llvm::Expected<json::Value> data = json::parse(text);
  if (!data)
    return data.takeError();
  const json::Object *object = data->getAsObject();
  if (!object || !object->getString("board"))
    return llvm::createStringError(
        "expected a model with the name of its 'board'; write it with "
        "tools/tuning/fit_schedules.py");
  llvm::Expected<TreeModel> trees = TreeModel::read(*object, rowFeatureNames());
  if (!trees)
    return trees.takeError();
  RowsModel model(std::move(*trees));
  model.board = object->getString("board")->str();
  if (const json::Object *margins = object->getObject("margins"))
    for (auto [margin, size] : llvm::zip(model.margins, sizeNames))
      margin = margins->getNumber(size);
  return model;
}

const RowsModel *RowsModel::of(const GPUTarget &gpu) {
  static const std::vector<RowsModel> models = [] {
    std::vector<RowsModel> read;
    for (StringRef text : shippedTexts())
      read.push_back(llvm::cantFail(RowsModel::read(text)));
    return read;
  }();
  if (!gpu.isMeasured)
    return nullptr;
  auto found = llvm::find_if(models, [&](const RowsModel &model) {
    return model.getBoard() == gpu.board;
  });
  return found == models.end() ? nullptr : &*found;
}

/// Rows of calls that stand for those that a schedule is for: of the only size,
/// or of sizes between two bounds, of which a call may have any.
static SmallVector<double, 2> rowsFor(const RowFacts &facts,
                                      const ScheduleTarget &target) {
  if (facts.rows > 0)
    return {double(facts.rows)};
  double few = target.fewBytes(), brief = target.briefBytes(),
         small = target.smallBytes();
  auto [low, high] = target.few     ? std::pair(few / 8, few)
                     : target.brief ? std::pair(few, brief)
                     : target.small ? std::pair(brief, small)
                                    : std::pair(small, 4 * small);
  // A third and two thirds of the way, as factors go.
  SmallVector<double, 2> rows;
  for (double part : {1.0 / 3, 2.0 / 3})
    rows.push_back(
        std::max(1.0, std::round(low * std::pow(high / low, part) /
                                 std::max(1.0, facts.bytesPerRow()))));
  return rows;
}

std::optional<double> RowsModel::marginFor(const RowFacts &facts,
                                           const ScheduleTarget &target) const {
  if (facts.length == 0)
    return std::nullopt;
  if (facts.rows == 0)
    return margins[target.small + target.brief + target.few];
  double bytes = facts.bytesPerRow() * facts.rows;
  return margins[(bytes <= target.smallBytes()) +
                 (bytes <= target.briefBytes()) + (bytes <= target.fewBytes())];
}

RowsScheduleAttr RowsModel::choose(RowsScheduleAttr ruled,
                                   const RowFacts &facts,
                                   const ScheduleTarget &target) const {
  std::optional<double> margin = marginFor(facts, target);
  if (!margin)
    return ruled;
  SmallVector<Ranked> ranked = rank(ruled.getContext(), facts, target);
  if (ranked.empty() ||
      ranked.front().loss + *margin >= predictLoss(facts, ruled, target))
    return ruled;
  return ranked.front().schedule;
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
  SmallVector<Ranked> ranked;
  auto keep = [&](size_t most) {
    llvm::stable_sort(ranked, [](const Ranked &a, const Ranked &b) {
      return a.loss < b.loss;
    });
    ranked.truncate(std::min(ranked.size(), most));
  };
  for (RowsScheduleAttr basic : basicRows(context, facts, target))
    ranked.push_back({basic, predictLoss(facts, basic, target, fewTrees)});
  keep(mostAfterFew);
  for (Ranked &each : ranked)
    each.loss = predictLoss(facts, each.schedule, target);
  keep(mostRefined);
  SmallVector<Ranked> best;
  std::swap(best, ranked);
  for (const Ranked &each : best)
    for (RowsScheduleAttr refined : refinedRows(each.schedule, facts, target))
      ranked.push_back({refined, predictLoss(facts, refined, target)});
  keep(SIZE_MAX);
  return ranked;
}
