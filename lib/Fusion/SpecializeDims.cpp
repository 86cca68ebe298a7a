//===- SpecializeDims.cpp - Dynamic dimensions of a size that is given ----===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments get the sizes, then each op in turn the type that its operands
// make. From here on the program is the one that its author would have written
// for these sizes.
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/DimNames.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Fusion/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_SPECIALIZEDIMS
#include "fuse/Fusion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct SpecializeDimsPass
    : public mlir::fuse::impl::SpecializeDimsBase<SpecializeDimsPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  FailureOr<llvm::StringMap<int64_t>> readSizes();
  LogicalResult checkNames(const llvm::StringMap<int64_t> &sizes,
                           const DenseMap<int, std::string> &names);
  void refineArguments(const llvm::StringMap<int64_t> &sizes,
                       const DimClasses &dims,
                       const DenseMap<int, std::string> &names);
  void dropNames(BlockArgument argument, RankedTensorType type);
};
} // namespace

FailureOr<llvm::StringMap<int64_t>> SpecializeDimsPass::readSizes() {
  llvm::StringMap<int64_t> result;
  for (StringRef text : sizes) {
    auto [name, number] = text.rsplit('=');
    int64_t size;
    bool isSize = !name.empty() && !number.getAsInteger(10, size) && size >= 0;
    if (isSize && result.try_emplace(name, size).second)
      continue;
    return getOperation().emitError()
           << "expected sizes of the form NAME=SIZE, one for a name, but got '"
           << text << "'; write one such as n=4096";
  }
  return result;
}

LogicalResult
SpecializeDimsPass::checkNames(const llvm::StringMap<int64_t> &sizes,
                               const DenseMap<int, std::string> &names) {
  llvm::StringSet<> known;
  SmallVector<StringRef> listed;
  for (const auto &[cls, name] : names)
    if (known.insert(name).second)
      listed.push_back(name);
  llvm::sort(listed);
  for (const auto &size : sizes)
    if (!known.contains(size.getKey()))
      return getOperation().emitError()
             << "expected the name of a dynamic dim, "
             << (listed.empty() ? "of which there are none"
                                : "one of " + llvm::join(listed, ", "))
             << ", but got '" << size.getKey() << "'; name it in fuse.dims";
  return success();
}

/// The type with the sizes that are known of the value.
static RankedTensorType refine(RankedTensorType type,
                               ArrayRef<Extent> extents) {
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, extent] : llvm::zip_equal(shape, extents))
    if (ShapedType::isDynamic(size) && extent.isStatic())
      size = extent.size;
  return type.clone(shape);
}

/// Removes the names of dimensions that `type` has the sizes of.
void SpecializeDimsPass::dropNames(BlockArgument argument,
                                   RankedTensorType type) {
  unsigned number = argument.getArgNumber();
  auto names = getOperation().getArgAttrOfType<ArrayAttr>(number, kDimsAttr);
  if (!names)
    return;
  auto old = cast<RankedTensorType>(argument.getType());
  SmallVector<Attribute> kept;
  unsigned next = 0;
  for (int64_t axis = 0; axis < old.getRank(); ++axis) {
    if (!old.isDynamicDim(axis))
      continue;
    if (type.isDynamicDim(axis))
      kept.push_back(names[next]);
    ++next;
  }
  if (kept.empty())
    getOperation().removeArgAttr(number, kDimsAttr);
  else
    getOperation().setArgAttr(number, kDimsAttr,
                              ArrayAttr::get(&getContext(), kept));
}

void SpecializeDimsPass::refineArguments(
    const llvm::StringMap<int64_t> &sizes, const DimClasses &dims,
    const DenseMap<int, std::string> &names) {
  for (BlockArgument argument : getOperation().getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type)
      continue;
    SmallVector<Extent> extents = dims.extents(argument);
    for (Extent &extent : extents)
      if (auto it = sizes.find(names.lookup(extent.cls));
          !extent.isStatic() && it != sizes.end())
        extent = {it->second};
    RankedTensorType refined = refine(type, extents);
    dropNames(argument, refined);
    argument.setType(refined);
  }
}

/// The one dynamic size among those that a static one is split into follows.
static SmallVector<OpFoldResult> refineExpanded(tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> shape = op.getMixedOutputShape();
  for (auto [axis, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t size = op.getSrcType().getDimSize(axis), known = 1, dynamic = -1;
    unsigned dynamics = 0;
    for (int64_t dim : group) {
      std::optional<int64_t> constant = getConstantIntValue(shape[dim]);
      known *= constant.value_or(1);
      dynamic = constant ? dynamic : dim;
      dynamics += !constant;
    }
    if (!ShapedType::isDynamic(size) && dynamics == 1 && known > 0 &&
        size % known == 0)
      shape[dynamic] = OpBuilder(op).getIndexAttr(size / known);
  }
  return shape;
}

static LogicalResult refineResults(tensor::ExpandShapeOp op) {
  SmallVector<OpFoldResult> shape = refineExpanded(op);
  auto [sizes, values] = decomposeMixedValues(shape);
  auto type = cast<RankedTensorType>(op.getType()).clone(sizes);
  OpBuilder builder(op);
  auto refined =
      tensor::ExpandShapeOp::create(builder, op.getLoc(), type, op.getSrc(),
                                    op.getReassociationIndices(), shape);
  op.replaceAllUsesWith(refined.getResult());
  op.erase();
  return success();
}

static LogicalResult refineResults(tensor::CollapseShapeOp op) {
  op.getResult().setType(tensor::CollapseShapeOp::inferCollapsedType(
      op.getSrcType(), op.getReassociationMaps()));
  return success();
}

/// What the operands say of the results of an op that infers them.
static LogicalResult refineResults(InferTypeOpInterface op) {
  SmallVector<Type> types;
  if (failed(op.inferReturnTypes(op->getContext(), op->getLoc(),
                                 op->getOperands(), op->getRawDictionaryAttrs(),
                                 op->getPropertiesStorage(), op->getRegions(),
                                 types)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(type);
  return success();
}

/// Of an op that infers none, such as a broadcast: the sizes that it says are
/// those of its operands.
static LogicalResult refineEqual(Operation *op) {
  DimClasses dims{ArrayRef(op)};
  for (Value result : op->getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      result.setType(refine(type, dims.extents(result)));
  return success();
}

static LogicalResult refineBlock(Block &block);

static LogicalResult refineResults(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), kernel.getInputs()))
    argument.setType(input.getType());
  if (failed(refineBlock(body)))
    return failure();
  for (auto [result, value] :
       llvm::zip_equal(kernel.getResults(), kernel.getYield().getValues()))
    result.setType(value.getType());
  return success();
}

/// Where the sizes do not fit, the inference says so.
static LogicalResult refineBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto refined =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<KernelOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                  InferTypeOpInterface>(
                [](auto known) { return refineResults(known); })
            .Default([](Operation *other) { return refineEqual(other); });
    if (failed(refined))
      return failure();
  }
  return success();
}

void SpecializeDimsPass::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isExternal() || sizes.empty())
    return;
  FailureOr<llvm::StringMap<int64_t>> given = readSizes();
  DimClasses dims(function);
  DenseMap<int, std::string> names = nameDims(function, dims);
  if (failed(given) || failed(checkNames(*given, names)))
    return signalPassFailure();
  refineArguments(*given, dims, names);
  if (failed(refineBlock(function.getBody().front())))
    return signalPassFailure();
  Operation *end = function.getBody().front().getTerminator();
  function.setFunctionType(
      FunctionType::get(&getContext(), function.getBody().getArgumentTypes(),
                        end->getOperandTypes()));
}
