//===- Traffic.cpp - Bytes that kernels move ------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"
#include "fuse/Analysis/DimNames.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Numbers as text
//===----------------------------------------------------------------------===//

SizeNames::SizeNames(func::FuncOp function, const DimClasses &dims)
    : dims(dims), names(nameDims(function, dims)) {}

std::string SizeNames::name(int cls) const {
  auto known = names.find(cls);
  if (known != names.end())
    return known->second;
  // A size with a rest, which is no sum of products.
  if (std::optional<SizeRule> rule = definingRule(cls, dims))
    return llvm::formatv("ceil(({0})/{1})", str(dividendOf(*rule)),
                         rule->divisor);
  return "?";
}

std::string SizeNames::str(const DimPolynomial &sum) const {
  using Term = std::pair<SmallVector<std::string>, int64_t>;
  SmallVector<Term> terms;
  DimPolynomial expanded = sum.expanded(dims);
  for (const auto &[classes, factor] : expanded.terms()) {
    auto texts = llvm::map_range(classes, [&](int cls) { return name(cls); });
    terms.push_back({llvm::to_vector(texts), factor});
    llvm::sort(terms.back().first);
  }
  llvm::sort(terms, [](const Term &a, const Term &b) {
    return a.first.size() != b.first.size() ? a.first.size() > b.first.size()
                                            : a.first < b.first;
  });
  std::string text;
  for (const auto &[factors, coefficient] : terms) {
    if (!text.empty())
      text += coefficient < 0 ? " - " : " + ";
    else if (coefficient < 0)
      text += "-";
    SmallVector<std::string> product(factors);
    if (product.empty() || std::abs(coefficient) != 1)
      product.insert(product.begin(), std::to_string(std::abs(coefficient)));
    text += llvm::join(product, "*");
  }
  return text.empty() ? "0" : text;
}

void ByteCount::add(const ElementCount &count, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  DimPolynomial size(getElementBytes(type.getElementType()));
  atMost |= count.atMost;
  if (count.least.size() == 1) {
    sum += count.least.front() * size;
    return;
  }
  Least &least = minima.emplace_back();
  for (const DimPolynomial &each : count.least)
    least.push_back(each * size);
}

std::optional<ByteCount> ByteCount::without(const ByteCount &part,
                                            const DimClasses &dims) const {
  ByteCount rest = *this;
  rest.sum -= part.sum;
  rest.atMost = atMost && part.minima.empty() && !part.atMost;
  for (const Least &least : part.minima) {
    auto *same = llvm::find(rest.minima, least);
    if (same == rest.minima.end())
      return std::nullopt;
    rest.minima.erase(same);
  }
  if (rest.sum.isNeverNegative() || rest.sum.expanded(dims).isNeverNegative())
    return rest;
  return std::nullopt;
}

std::string ByteCount::str(const SizeNames &names) const {
  SmallVector<std::string> texts;
  if (!sum.terms().empty() || minima.empty())
    texts.push_back(names.str(sum));
  for (auto least = minima.begin(); least != minima.end(); ++least) {
    if (llvm::is_contained(llvm::make_range(minima.begin(), least), *least))
      continue;
    auto numbers = llvm::map_range(
        *least, [&](const DimPolynomial &each) { return names.str(each); });
    auto times = llvm::count(minima, *least);
    texts.push_back((times > 1 ? std::to_string(times) + "*" : "") + "min(" +
                    llvm::join(numbers, ", ") + ")");
  }
  return (atMost ? "at most " : "") + llvm::join(texts, " + ");
}

//===----------------------------------------------------------------------===//
// What ops move
//===----------------------------------------------------------------------===//

static bool isReshape(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

/// The value whose elements `value` has: a reshape is the same buffer.
static Value throughReshapes(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isReshape(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

ByteCount mlir::fuse::kernelBytes(KernelOp kernel, const DimClasses &dims) {
  Footprint footprint(kernel, dims);
  llvm::MapVector<Value, ElementCount> read;
  for (auto [input, argument] :
       llvm::zip(kernel.getInputs(), kernel.getBody().getArguments())) {
    Value buffer = throughReshapes(input);
    ElementCount count = footprint.read(argument);
    auto [other, isNew] = read.insert({buffer, count});
    if (!isNew)
      other->second = footprint.sum(other->second, count, buffer,
                                    /*mayOverlap=*/true);
  }
  ByteCount total;
  for (const auto &[buffer, count] : read)
    total.add(count, buffer);
  for (Value value : kernel.getYield().getValues())
    total.add(footprint.written(value), value);
  return total;
}

namespace {
/// The ops that one op of the program became.
struct SourceOp {
  llvm::SmallSetVector<Operation *, 8> ops;
  /// Tensors from outside that they read, and of theirs that others read.
  llvm::SmallSetVector<Value, 8> read, written;
};
} // namespace

/// Where `op` stands in the program; the op itself if nobody knows.
static const void *placeOf(Operation *op) {
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return place.getAsOpaquePointer();
  return op;
}

static bool movesBytes(Operation *op) {
  return isa<FuseDialect>(op->getDialect()) && !isa<ConstantOp, YieldOp>(op);
}

static llvm::MapVector<const void *, SourceOp> sourceOps(KernelOp kernel) {
  llvm::MapVector<const void *, SourceOp> sources;
  for (Operation &op : kernel.getBody().front())
    if (movesBytes(&op))
      sources[placeOf(&op)].ops.insert(&op);
  auto readBy = [&](Operation *user, const void *place) {
    for (Value operand : user->getOperands()) {
      Value value = throughReshapes(operand);
      Operation *producer = value.getDefiningOp();
      if (producer && !movesBytes(producer))
        continue;
      if (producer && place == placeOf(producer))
        continue;
      if (place)
        sources[place].read.insert(value);
      if (producer)
        sources[placeOf(producer)].written.insert(value);
    }
  };
  for (Operation &op : kernel.getBody().front())
    if (movesBytes(&op))
      readBy(&op, placeOf(&op));
  readBy(kernel.getYield(), nullptr);
  return sources;
}

ByteCount mlir::fuse::separateBytes(KernelOp kernel, const DimClasses &dims) {
  ByteCount total;
  for (const auto &[place, source] : sourceOps(kernel)) {
    SmallVector<Operation *> ops;
    for (Operation &op : kernel.getBody().front())
      if (isReshape(&op) || source.ops.contains(&op))
        ops.push_back(&op);
    Footprint footprint(ops, source.written.getArrayRef(), dims);
    for (Value value : source.read)
      total.add(footprint.read(value), value);
    for (Value value : source.written)
      total.add(footprint.written(value), value);
  }
  return total;
}
