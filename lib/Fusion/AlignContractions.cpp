//===- AlignContractions.cpp - Rows that tensor cores can read ------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CostModel.h"

#include "fuse/Analysis/OpCost.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Dialect/Fuse/IR/SliceSizes.h"
#include "fuse/Fusion/Passes.h"
#include "fuse/Target/GPUTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

namespace mlir::fuse {
#define GEN_PASS_DEF_ALIGNCONTRACTIONS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Rows that tensor maps read start at multiples of so many bytes.
static constexpr int64_t rowBytes = 16;

namespace {
/// The axes of a contraction that get a longer size, each with the number of
/// zeros behind it.
struct Padding {
  ContractOp contract;
  llvm::SmallDenseMap<char, int64_t, 4> zeros;

  int64_t of(char axis) const { return zeros.lookup(axis); }
  bool isNeeded(StringRef axes) const {
    return llvm::any_of(axes, [&](char axis) { return of(axis) != 0; });
  }
};
} // namespace

/// What `contract` needs so that neighbours in memory of either operand fill
/// whole units; nothing if it needs none or a size is not known.
static std::optional<Padding> findPadding(ContractOp contract) {
  auto type = contract.getLhs().getType();
  Type element = type.getElementType();
  if (!element.isF16() && !element.isBF16() && !contract.usesTF32() &&
      type.getElementTypeBitWidth() != 8)
    return std::nullopt;
  if (contract.getContractedAxes().size() != 1)
    return std::nullopt;
  Padding padding;
  padding.contract = contract;
  for (auto [operand, axes] :
       {std::pair(contract.getLhs(), contract.getLhsAxes()),
        std::pair(contract.getRhs(), contract.getRhsAxes())}) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (axes.empty() || type.isDynamicDim(type.getRank() - 1))
      return std::nullopt;
    int64_t size = type.getShape().back(),
            unit = rowBytes * 8 / type.getElementTypeBitWidth();
    // A size of 1 may repeat.
    if (size <= 1)
      return std::nullopt;
    if (int64_t zeros = llvm::alignTo(size, unit) - size)
      padding.zeros[axes.back()] = zeros;
  }
  if (padding.zeros.empty())
    return std::nullopt;
  return padding;
}

/// The products of the contraction; a dynamic size counts as a large one.
static double productsOf(ContractOp contract) {
  double products = estimatedElements(contract.getResult());
  auto lhs = cast<RankedTensorType>(contract.getLhs().getType());
  for (char axis : contract.getContractedAxes()) {
    int64_t size = lhs.getDimSize(contract.getLhsAxes().find(axis));
    products *= static_cast<double>(std::max<int64_t>(size, 1));
  }
  return products;
}

/// The seconds of a kernel that copies `value`.
static double copySeconds(Value value, const MachineRates &machine) {
  return machine.launchSeconds +
         2 * estimatedBytes(value) / machine.bytesPerSecond;
}

/// Whether the copies take less than the ordinary cores take for the products.
static bool isWorthwhile(const Padding &padding, const MachineRates &machine) {
  ContractOp contract = padding.contract;
  double copies = 0;
  if (padding.isNeeded(contract.getLhsAxes()))
    copies += copySeconds(contract.getLhs(), machine);
  if (padding.isNeeded(contract.getRhsAxes()))
    copies += copySeconds(contract.getRhs(), machine);
  if (padding.isNeeded(contract.getResultAxes()))
    copies += copySeconds(contract.getResult(), machine);
  return copies < productsOf(contract) / machine.operationsPerSecond;
}

/// The type with the padding's zeros behind the dimensions of `axes`.
static RankedTensorType padded(Type type, StringRef axes,
                               const Padding &padding) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [size, axis] : llvm::zip_equal(shape, axes))
    if (int64_t zeros = padding.of(axis))
      size += zeros;
  return tensor.clone(shape);
}

static Value padOperand(OpBuilder &builder, Value operand, StringRef axes,
                        const Padding &padding) {
  if (!padding.isNeeded(axes))
    return operand;
  auto type = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> low(axes.size(), 0), high;
  for (char axis : axes)
    high.push_back(padding.of(axis));
  return PadOp::create(builder, operand.getLoc(), padded(type, axes, padding),
                       operand, low, high,
                       builder.getFloatAttr(type.getElementType(), 0));
}

/// Zeros along the summed axis change no sum; those along another one give
/// results that a slice drops.
static void rewrite(const Padding &padding) {
  ContractOp contract = padding.contract;
  OpBuilder builder(contract);
  StringRef axes = contract.getResultAxes();
  RankedTensorType type = contract.getType();
  Value lhs =
      padOperand(builder, contract.getLhs(), contract.getLhsAxes(), padding);
  Value rhs =
      padOperand(builder, contract.getRhs(), contract.getRhsAxes(), padding);
  auto wide = ContractOp::create(
      builder, contract.getLoc(), padded(type, axes, padding),
      contract.getSpecAttr(), lhs, rhs, contract.getPrecisionAttr());
  Value result = wide;
  if (padding.isNeeded(axes)) {
    SmallVector<int64_t> zeros(axes.size(), 0), ones(axes.size(), 1);
    result = SliceOp::create(builder, contract.getLoc(), type, result, zeros,
                             sliceSizes(type.getShape()), ones);
  }
  contract.replaceAllUsesWith(result);
  contract.erase();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether tensor cores read the elements along the summed axis only.
static bool hasOneOrder(ContractOp contract) {
  return contract.usesTF32() ||
         contract.getLhs().getType().getElementTypeBitWidth() == 8;
}

/// Whether the contraction is a product of matrices, for each place of other
/// axes: each operand has an axis that the other one lacks.
static bool isProduct(ContractOp contract) {
  auto hasOwn = [](StringRef axes, StringRef others) {
    return llvm::any_of(axes,
                        [&](char axis) { return !others.contains(axis); });
  };
  return contract.getContractedAxes().size() == 1 &&
         hasOwn(contract.getLhsAxes(), contract.getRhsAxes()) &&
         hasOwn(contract.getRhsAxes(), contract.getLhsAxes());
}

/// The operand with axis `k` last, and so its `axes`.
static Value transposeTo(OpBuilder &builder, Value operand, std::string &axes,
                         char k) {
  auto type = cast<RankedTensorType>(operand.getType());
  if (axes.back() == k)
    return operand;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, axes.size()));
  auto *place = order.begin() + axes.find(k);
  std::rotate(place, place + 1, order.end());
  SmallVector<int64_t> shape;
  std::string moved;
  for (int64_t dim : order) {
    shape.push_back(type.getDimSize(dim));
    moved += axes[dim];
  }
  axes = moved;
  return TransposeOp::create(builder, operand.getLoc(), type.clone(shape),
                             operand, order);
}

/// The contraction of operands that lie along the summed axis, copied if they
/// do not, where the copies take less than the ordinary cores take for the
/// products.
static ContractOp orderAlongSum(ContractOp contract,
                                const MachineRates &machine) {
  if (!hasOneOrder(contract) || !isProduct(contract))
    return contract;
  char k = contract.getContractedAxes().front();
  std::string words[] = {contract.getLhsAxes().str(),
                         contract.getRhsAxes().str()};
  SmallVector<Value> operands(contract->getOperands());
  double copies = 0;
  for (auto [axes, operand] : llvm::zip_equal(words, operands))
    copies += axes.back() == k ? 0 : copySeconds(operand, machine);
  if (copies == 0 ||
      copies >= productsOf(contract) / machine.operationsPerSecond)
    return contract;
  OpBuilder builder(contract);
  for (auto [axes, operand] : llvm::zip_equal(words, operands))
    operand = transposeTo(builder, operand, axes, k);
  std::string spec =
      words[0] + "," + words[1] + "->" + contract.getResultAxes().str();
  auto ordered =
      ContractOp::create(builder, contract.getLoc(), contract.getType(),
                         builder.getStringAttr(spec), operands[0], operands[1],
                         contract.getPrecisionAttr());
  contract.replaceAllUsesWith(ordered.getResult());
  contract.erase();
  return ordered;
}

namespace {
struct AlignContractionsPass
    : public mlir::fuse::impl::AlignContractionsBase<AlignContractionsPass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::Expected<GPUTarget> gpu = lookupGPUTarget(chip);
    if (!gpu) {
      // Where schedules are assigned an unknown chip is an error.
      llvm::consumeError(gpu.takeError());
      return;
    }
    MachineRates machine = MachineRates::of(chip);
    SmallVector<Padding> found;
    for (Block &block : getOperation().getBody())
      for (ContractOp contract :
           llvm::make_early_inc_range(block.getOps<ContractOp>())) {
        unsigned bits = contract.getLhs().getType().getElementTypeBitWidth();
        if (!gpu->multiplies(bits))
          continue;
        ContractOp ordered = orderAlongSum(contract, machine);
        std::optional<Padding> padding = findPadding(ordered);
        if (padding && isWorthwhile(*padding, machine))
          found.push_back(std::move(*padding));
      }
    llvm::for_each(found, rewrite);
  }
};
} // namespace
