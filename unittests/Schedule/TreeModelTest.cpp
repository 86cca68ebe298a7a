//===- TreeModelTest.cpp - Boosted trees, as data -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Schedule/TreeModel.h"
#include "gtest/gtest.h"

using namespace mlir::fuse;

namespace {
constexpr llvm::StringLiteral features[] = {"length", "threads", "vector"};

llvm::Expected<TreeModel> read(llvm::StringRef text) {
  llvm::json::Value data = llvm::cantFail(llvm::json::parse(text));
  return TreeModel::read(*data.getAsObject(), features);
}

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<TreeModel> model = read(text);
  return model ? "" : llvm::toString(model.takeError());
}

// Feature 0 of the model is the caller's third.
constexpr llvm::StringLiteral twoTrees = R"({
  "features": ["vector", "length"], "start": 1,
  "trees": [
    {"feature": [1, 0], "at_most": [10, 4], "left": [1, -1], "right": [-3, -2],
     "leaf": [0.5, 0.25, 8]},
    {"feature": [], "at_most": [], "left": [], "right": [], "leaf": [100]}]})";
} // namespace

TEST(TreeModelTest, SumsTheLeavesThatValuesLeadTo) {
  llvm::Expected<TreeModel> model = read(twoTrees);
  ASSERT_TRUE(bool(model)) << llvm::toString(model.takeError());
  EXPECT_EQ(model->numTrees(), 2u);
  // Equal goes left.
  EXPECT_DOUBLE_EQ(model->predict({10, 0, 4}), 101.5);
  EXPECT_DOUBLE_EQ(model->predict({10, 0, 5}), 101.25);
  EXPECT_DOUBLE_EQ(model->predict({11, 0, 4}), 109);
}

TEST(TreeModelTest, RefusesWhatIsNoModel) {
  EXPECT_NE(errorOf("{}").find("'features' and 'trees'"), std::string::npos);
  EXPECT_NE(
      errorOf(R"({"features": ["width"], "trees": []})").find("not 'width'"),
      std::string::npos);
  // A child that is its own parent would never end.
  EXPECT_NE(errorOf(R"({"features": ["length"], "trees": [
              {"feature": [0], "at_most": [1], "left": [0], "right": [-2],
               "leaf": [1, 2]}]})")
                .find("come after their node"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"features": ["length"], "trees": [
              {"feature": [0], "at_most": [1], "left": [-1], "right": [-3],
               "leaf": [1, 2]}]})")
                .find("children"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"features": ["length"], "trees": [
              {"feature": [0], "at_most": [1], "left": [-1], "right": [-2],
               "leaf": [1]}]})")
                .find("a leaf more than nodes"),
            std::string::npos);
  EXPECT_NE(errorOf(R"({"features": ["length"], "trees": [
              {"feature": [1], "at_most": [1], "left": [-1], "right": [-2],
               "leaf": [1, 2]}]})")
                .find("features of the model"),
            std::string::npos);
}
