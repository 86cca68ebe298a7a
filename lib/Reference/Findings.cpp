//===- Findings.cpp - What the oracle tells of an op ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Findings.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir::fuse::reference;
using mlir::Operation;

static std::string nameOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "'" << op->getName() << "'";
  if (auto place = op->getLoc()->findInstanceOf<mlir::FileLineColLoc>())
    os << " at " << place.getFilename().getValue() << ":" << place.getLine()
       << ":" << place.getColumn();
  return text;
}

static bool hasUnbounded(const Value &value) {
  return llvm::any_of(value.error,
                      [](double error) { return std::isinf(error); });
}

void mlir::fuse::reference::findLostBounds(Operation *op, Operands operands,
                                           const Value &result,
                                           Findings &findings) {
  if (!hasUnbounded(result) || llvm::any_of(operands, [](const Value *value) {
        return hasUnbounded(*value);
      }))
    return;
  Finding finding{Finding::Kind::boundLost, nameOf(op), 0, {}};
  for (auto [index, error] : llvm::enumerate(result.error))
    if (std::isinf(error) && finding.count++ == 0)
      finding.first = getPosition(result.shape, index);
  findings.push_back(std::move(finding));
}

void mlir::fuse::reference::addRowsOutOfRange(Operation *op,
                                              llvm::ArrayRef<int64_t> shape,
                                              llvm::ArrayRef<int64_t> numbers,
                                              Findings &findings) {
  if (numbers.empty())
    return;
  findings.push_back({Finding::Kind::outOfRange, nameOf(op),
                      static_cast<int64_t>(numbers.size()),
                      getPosition(shape.drop_back(), numbers.front()), "rows"});
}

std::string Finding::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  bool lost = kind == Kind::boundLost;
  os << op
     << (lost ? " loses the bound of " : " squares what is out of range in ")
     << count << " " << unit << ", the first at [";
  llvm::interleaveComma(first, os);
  os << "]";
  return text;
}
