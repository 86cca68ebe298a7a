//===- TreeModel.h - Boosted trees, as data ---------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of regression trees over named features, read from JSON:
//
//   {"features": ["length", ...], "start": 0.1,
//    "trees": [{"feature": [0, 3], "at_most": [12, 4.5],
//               "left": [1, -1], "right": [-3, -2], "leaf": [0.2, -0.1, 0]}]}
//
// A node goes left where its feature is at most its number. A child below 0 is
// leaf number -1 - child. A tree without nodes is its only leaf.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_SCHEDULE_TREEMODEL_H
#define FUSE_SCHEDULE_TREEMODEL_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <cstdint>
#include <vector>

namespace mlir::fuse {

class TreeModel {
public:
  /// `features` are the names of what predict() gets, of which the model may
  /// use any. An error says what is wrong with the data.
  static llvm::Expected<TreeModel>
  read(const llvm::json::Object &data,
       llvm::ArrayRef<llvm::StringLiteral> features);

  /// `values` has as many numbers as `features` had names. The first trees
  /// alone tell what is far off.
  double predict(llvm::ArrayRef<float> values,
                 size_t mostTrees = SIZE_MAX) const;

  size_t numTrees() const { return roots.size(); }

private:
  struct Node {
    uint32_t feature;
    float atMost;
    /// Numbers of nodes, or of leaves below 0.
    int32_t left, right;
  };

  llvm::Error addTree(const llvm::json::Object &tree,
                      llvm::ArrayRef<uint32_t> numbers);

  double start = 0;
  std::vector<Node> nodes;
  std::vector<float> leaves;
  /// As the children of nodes are.
  std::vector<int32_t> roots;
};

} // namespace mlir::fuse

#endif // FUSE_SCHEDULE_TREEMODEL_H
