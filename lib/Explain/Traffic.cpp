//===- Traffic.cpp - Bytes that kernels move ------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Traffic.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;

DimNames::DimNames(func::FuncOp function, const DimClasses &dims) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    auto given = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      kDimsAttr);
    if (!type || !given)
      continue;
    unsigned next = 0;
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      if (!type.isDynamicDim(axis) || next >= given.size())
        continue;
      auto name = cast<StringAttr>(given[next++]);
      Extent extent = dims.extent(argument, axis);
      if (!extent.isStatic() && !name.empty())
        names.try_emplace(extent.cls, name.str());
    }
  }
}

std::string DimNames::name(int cls) const {
  auto found = names.find(cls);
  return found == names.end() ? "d" + std::to_string(cls) : found->second;
}

ByteCount ByteCount::of(Value tensor, const DimClasses &dims,
                        const DimNames &names) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t factor = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  SmallVector<std::string> symbols;
  for (const Extent &extent : dims.extents(tensor)) {
    if (extent.isStatic())
      factor *= extent.size;
    else
      symbols.push_back(names.name(extent.cls));
  }
  llvm::sort(symbols);
  ByteCount result;
  result.terms[symbols] = factor;
  return result;
}

ByteCount &ByteCount::operator+=(const ByteCount &other) {
  for (const auto &[symbols, factor] : other.terms)
    terms[symbols] += factor;
  return *this;
}

ByteCount &ByteCount::operator-=(const ByteCount &other) {
  for (const auto &[symbols, factor] : other.terms)
    terms[symbols] -= factor;
  return *this;
}

std::string ByteCount::str() const {
  std::string text;
  for (const auto &[symbols, factor] : llvm::reverse(terms)) {
    if (factor == 0)
      continue;
    if (!text.empty())
      text += factor < 0 ? " - " : " + ";
    else if (factor < 0)
      text += "-";
    text += std::to_string(std::abs(factor));
    for (const std::string &symbol : symbols)
      text += "*" + symbol;
  }
  return text.empty() ? "0" : text;
}

/// The value whose elements `value` has: a reshape is the same buffer.
static Value throughReshapes(Value value) {
  while (auto *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

ByteCount mlir::fuse::kernelBytes(KernelOp kernel, const DimClasses &dims,
                                  const DimNames &names) {
  llvm::SmallSetVector<Value, 8> crossing;
  crossing.insert_range(llvm::map_range(kernel.getInputs(), throughReshapes));
  crossing.insert_range(kernel.getResults());
  ByteCount total;
  for (Value value : crossing)
    total += ByteCount::of(value, dims, names);
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

ByteCount mlir::fuse::separateBytes(KernelOp kernel, const DimClasses &dims,
                                    const DimNames &names) {
  ByteCount total;
  for (const auto &[place, source] : sourceOps(kernel))
    for (const auto &values : {source.read, source.written})
      for (Value value : values)
        total += ByteCount::of(value, dims, names);
  return total;
}
