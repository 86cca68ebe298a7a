//===- BoardModel.cpp - What the models of boards share -------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/BoardModel.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

llvm::Expected<BoardModel>
BoardModel::read(const llvm::json::Object &data,
                 ArrayRef<llvm::StringLiteral> features) {
  std::optional<StringRef> board = data.getString("board");
  if (!board)
    return llvm::createStringError(
        "expected a model with the name of its 'board'; write it with "
        "tools/tuning/fit_schedules.py");
  llvm::Expected<TreeModel> trees = TreeModel::read(data, features);
  if (!trees)
    return trees.takeError();
  BoardModel model;
  model.board = board->str();
  model.trees = std::move(*trees);
  return model;
}

SmallVector<double, 2> mlir::fuse::bytesOfCalls(const ScheduleTarget &target) {
  double high = target.mostBytes(target.size), low = high / 8;
  if (target.size == CallSize::large) {
    low = target.mostBytes(CallSize::small);
    high = 4 * low;
  } else if (target.size != CallSize::few) {
    low = target.mostBytes(CallSize(static_cast<unsigned>(target.size) + 1));
  }
  // A third and two thirds of the way, as factors go.
  return {low * std::pow(high / low, 1.0 / 3),
          low * std::pow(high / low, 2.0 / 3)};
}
