//===- Remark.cpp - Collects the compiler's remarks -----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Explain/Remark.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using remark::detail::MLIRRemarkStreamerBase;

namespace fuse::jit {

llvm::StringRef name(Remark::Kind kind) {
  switch (kind) {
  case Remark::Kind::Passed:
    return "passed";
  case Remark::Kind::Missed:
    return "missed";
  case Remark::Kind::Analysis:
    return "analysis";
  }
  llvm_unreachable("every kind is handled");
}

static Remark::Kind kindOf(const remark::detail::Remark &remark) {
  switch (remark.getRemarkType()) {
  case llvm::remarks::Type::Passed:
    return Remark::Kind::Passed;
  case llvm::remarks::Type::Missed:
    return Remark::Kind::Missed;
  default:
    return Remark::Kind::Analysis;
  }
}

static Remark convert(const remark::detail::Remark &from) {
  Remark result;
  result.kind = kindOf(from);
  result.category = from.getCombinedCategoryName().str();
  if (auto place = from.getLocation()->findInstanceOf<FileLineColLoc>()) {
    result.file = place.getFilename().str();
    result.line = place.getLine();
    result.column = place.getColumn();
  }
  for (const remark::detail::Remark::Arg &arg : from.getArgs()) {
    if (arg.key == "Remark")
      result.message += arg.val;
    else if (arg.key == "Reason")
      result.reason = arg.val;
    else if (arg.key == "Suggestion")
      result.suggestion = arg.val;
    else
      result.facts.emplace_back(arg.key, arg.val);
  }
  return result;
}

namespace {
class Collector : public MLIRRemarkStreamerBase {
public:
  explicit Collector(std::vector<Remark> &remarks) : remarks(remarks) {}

  void streamOptimizationRemark(const remark::detail::Remark &from) override {
    remarks.push_back(convert(from));
  }

private:
  std::vector<Remark> &remarks;
};
} // namespace

void collectRemarks(MLIRContext &context, std::vector<Remark> &remarks) {
  remark::RemarkCategories categories;
  // `all` alone enables no kind.
  categories.passed = categories.missed = categories.analysis = "fuse-.*";
  LogicalResult enabled = remark::enableOptimizationRemarks(
      context, std::make_unique<Collector>(remarks),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
  (void)enabled;
  assert(succeeded(enabled) && "the pattern of categories is valid");
}

} // namespace fuse::jit
