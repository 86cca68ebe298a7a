//===- TreeModel.cpp - Boosted trees, as data -----------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/TreeModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;
using namespace mlir::fuse;

static Error wrong(const Twine &expected) {
  return createStringError("expected a model with " + expected +
                           "; write it with tools/tuning/fit_schedules.py");
}

/// The numbers of an array; an error if any is none.
static Expected<SmallVector<double>> numbersOf(const json::Object &object,
                                               StringRef key) {
  const json::Array *array = object.getArray(key);
  if (!array)
    return wrong("an array '" + key + "'");
  SmallVector<double> numbers;
  for (const json::Value &value : *array) {
    std::optional<double> number = value.getAsNumber();
    if (!number)
      return wrong("numbers in '" + key + "'");
    numbers.push_back(*number);
  }
  return numbers;
}

Expected<TreeModel> TreeModel::read(const json::Object &data,
                                    ArrayRef<StringLiteral> features) {
  TreeModel model;
  model.start = data.getNumber("start").value_or(0);
  SmallVector<uint32_t> numbers;
  const json::Array *names = data.getArray("features");
  const json::Array *trees = data.getArray("trees");
  if (!names || !trees)
    return wrong("'features' and 'trees'");
  for (const json::Value &name : *names) {
    const auto *found = find(features, name.getAsString().value_or(""));
    if (found == features.end())
      return wrong("features that this version has, but not '" +
                   name.getAsString().value_or("") + "'");
    numbers.push_back(found - features.begin());
  }
  for (const json::Value &tree : *trees) {
    const json::Object *object = tree.getAsObject();
    if (!object)
      return wrong("objects in 'trees'");
    if (Error error = model.addTree(*object, numbers))
      return std::move(error);
  }
  return model;
}

Error TreeModel::addTree(const json::Object &tree, ArrayRef<uint32_t> numbers) {
  SmallVector<SmallVector<double>, 5> columns;
  for (StringRef key : {"feature", "at_most", "left", "right", "leaf"}) {
    Expected<SmallVector<double>> column = numbersOf(tree, key);
    if (!column)
      return column.takeError();
    columns.push_back(std::move(*column));
  }
  size_t count = columns[0].size();
  if (!all_of(ArrayRef(columns).slice(1, 3),
              [&](const auto &column) { return column.size() == count; }) ||
      columns[4].size() != count + 1)
    return wrong("a leaf more than nodes in each tree");
  auto firstNode = static_cast<int32_t>(nodes.size());
  auto firstLeaf = static_cast<int32_t>(leaves.size());
  for (size_t i = 0; i < count; ++i) {
    if (columns[0][i] < 0 || columns[0][i] >= numbers.size())
      return wrong("nodes that ask for features of the model");
    Node node{numbers[static_cast<size_t>(columns[0][i])],
              static_cast<float>(columns[1][i]), 0, 0};
    for (auto [column, child] :
         {std::pair(2, &Node::left), std::pair(3, &Node::right)}) {
      double to = columns[column][i];
      // Children come later, so that a walk ends.
      bool isNode = to > i && to < count;
      bool isLeaf = to < 0 && -1 - to < count + 1;
      if (!isNode && !isLeaf)
        return wrong("children that are leaves or come after their node");
      node.*child = isNode ? firstNode + static_cast<int32_t>(to)
                           : static_cast<int32_t>(to) - firstLeaf;
    }
    nodes.push_back(node);
  }
  append_range(leaves, columns[4]);
  roots.push_back(count == 0 ? -1 - firstLeaf : firstNode);
  return Error::success();
}

double TreeModel::predict(ArrayRef<float> values, size_t mostTrees) const {
  double sum = start;
  for (int32_t at :
       ArrayRef(roots).take_front(std::min(mostTrees, roots.size()))) {
    while (at >= 0) {
      const Node &node = nodes[at];
      at = values[node.feature] <= node.atMost ? node.left : node.right;
    }
    sum += leaves[-1 - at];
  }
  return sum;
}
