//===- HostValues.cpp - Sizes and shapes in a host function ---------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostValues.h"
#include "fuse/Analysis/Strides.h"
#include "fuse/Compiler/Frontend.h"
#include "fuse/Explain/Diagnostics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using llvm::Expected;
using llvm::formatv;
using namespace mlir;
using ::fuse::runtime::SizeExpr;
using ::fuse::runtime::StrideSpec;

using mlir::fuse::kDimsAttr;
using mlir::fuse::kNameAttr;

namespace fuse::jit {

SizeExpr HostValues::symbolFor(StringRef name) {
  int64_t fixed;
  if (!name.getAsInteger(10, fixed))
    return fixed;
  auto it = llvm::find(symbolNames, name);
  if (it != symbolNames.end())
    return SizeExpr::symbol(it - symbolNames.begin());
  symbolNames.push_back(name.str());
  return SizeExpr::symbol(symbolNames.size() - 1);
}

HostValues::HostValues(func::FuncOp entry) {
  for (BlockArgument argument : entry.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto names = entry.getArgAttrOfType<ArrayAttr>(index, kDimsAttr);
    auto argumentName = entry.getArgAttrOfType<StringAttr>(index, kNameAttr);
    ShapeExpr shape;
    unsigned next = 0;
    for (auto [axis, size] : llvm::enumerate(
             cast<RankedTensorType>(argument.getType()).getShape())) {
      if (!ShapedType::isDynamic(size))
        shape.push_back(size);
      else if (names && next < names.size())
        shape.push_back(symbolFor(cast<StringAttr>(names[next++]).getValue()));
      else
        shape.push_back(
            symbolFor(formatv("{0}.{1}",
                              argumentName ? argumentName.getValue() : "", axis)
                          .str()));
    }
    shapes[argument] = std::move(shape);
  }
}

Expected<SizeExpr> HostValues::size(Value index) const {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return SizeExpr(constant.getSExtValue());
  auto it = sizes.find(index);
  if (it != sizes.end())
    return it->second;
  return makeError(index.getLoc(),
                   "expected a size made of dims and constants by index "
                   "arithmetic, but got another value; report this program");
}

const ShapeExpr &HostValues::shape(Value tensor) const {
  auto it = shapes.find(tensor);
  assert(it != shapes.end() && "a tensor is visited before its uses");
  return it->second;
}

llvm::Error HostValues::setShape(Value tensor, ValueRange dynamicSizes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (dynamicSizes.size() != type.getNumDynamicDims())
    return makeError(tensor.getLoc(),
                     formatv("expected {0} dynamic sizes, but got {1}; give "
                             "one for each '?'",
                             type.getNumDynamicDims(), dynamicSizes.size()));
  ShapeExpr shape;
  unsigned next = 0;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      shape.push_back(size);
      continue;
    }
    Expected<SizeExpr> dynamicSize = this->size(dynamicSizes[next++]);
    if (!dynamicSize)
      return dynamicSize.takeError();
    shape.push_back(*dynamicSize);
  }
  shapes[tensor] = std::move(shape);
  return llvm::Error::success();
}

/// The operator of an op on two indices. The unsigned and the signed forms
/// agree, since sizes are not negative.
static std::optional<SizeExpr::Op> operatorOf(Operation *op) {
  using Op = SizeExpr::Op;
  return llvm::TypeSwitch<Operation *, std::optional<Op>>(op)
      .Case<arith::AddIOp>([](auto) { return Op::Add; })
      .Case<arith::SubIOp>([](auto) { return Op::Sub; })
      .Case<arith::MulIOp>([](auto) { return Op::Mul; })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [](auto) { return Op::CeilDiv; })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
          [](auto) { return Op::FloorDiv; })
      .Case<arith::RemUIOp, arith::RemSIOp>([](auto) { return Op::Mod; })
      .Case<arith::MinUIOp, arith::MinSIOp>([](auto) { return Op::Min; })
      .Case<arith::MaxUIOp, arith::MaxSIOp>([](auto) { return Op::Max; })
      .Default([](Operation *) { return std::nullopt; });
}

llvm::Error HostValues::visitDim(tensor::DimOp op) {
  std::optional<int64_t> axis = op.getConstantIndex();
  const ShapeExpr &shape = this->shape(op.getSource());
  if (!axis || *axis < 0 || *axis >= int64_t(shape.size()))
    return makeError(op.getLoc(), "expected a constant axis of the tensor, but "
                                  "got another; write it as arith.constant");
  sizes[op.getResult()] = shape[*axis];
  return llvm::Error::success();
}

/// The program's argument or result that a stride is asked of.
static std::optional<StrideSpec> stridedTensor(mlir::fuse::StrideOp op) {
  unsigned dim = op.getDim();
  if (auto argument = dyn_cast<BlockArgument>(op.getInput()))
    return StrideSpec{argument.getArgNumber(), dim};
  Operation *buffer = op.getInput().getDefiningOp<tensor::EmptyOp>();
  auto number =
      buffer ? buffer->getAttrOfType<IntegerAttr>(mlir::fuse::kResultAttr)
             : IntegerAttr();
  if (!number)
    return std::nullopt;
  return StrideSpec{unsigned(number.getInt()), dim, /*isOutput=*/true};
}

llvm::Error HostValues::visitStride(mlir::fuse::StrideOp op) {
  std::optional<StrideSpec> wanted = stridedTensor(op);
  if (!wanted)
    return makeError(op.getLoc(), "expected the stride of an argument or a "
                                  "result of the program, but got another "
                                  "tensor's; only those have strides");
  auto it = llvm::find(strideSpecs, *wanted);
  unsigned number = it - strideSpecs.begin();
  if (it == strideSpecs.end())
    strideSpecs.push_back(*wanted);
  sizes[op.getResult()] = SizeExpr::symbol(symbolNames.size() + number);
  return llvm::Error::success();
}

Expected<bool> HostValues::visitIndexOp(Operation *op) {
  if (auto stride = dyn_cast<mlir::fuse::StrideOp>(op)) {
    if (llvm::Error error = visitStride(stride))
      return std::move(error);
    return true;
  }
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    if (llvm::Error error = visitDim(dim))
      return std::move(error);
    return true;
  }
  if (auto castOp = dyn_cast<arith::IndexCastOp>(op)) {
    Expected<SizeExpr> value = size(castOp.getIn());
    if (!value)
      return value.takeError();
    sizes[castOp.getOut()] = *value;
    return true;
  }
  std::optional<SizeExpr::Op> kind = operatorOf(op);
  if (!kind)
    return false;
  Expected<SizeExpr> lhs = size(op->getOperand(0));
  if (!lhs)
    return lhs.takeError();
  Expected<SizeExpr> rhs = size(op->getOperand(1));
  if (!rhs)
    return rhs.takeError();
  sizes[op->getResult(0)] = SizeExpr::binary(*kind, *lhs, *rhs);
  return true;
}

llvm::Error HostValues::checkReshape(Operation *op) const {
  SizeExpr from = numElements(shape(op->getOperand(0)));
  SizeExpr to = numElements(shape(op->getResult(0)));
  if (isSameSize(from, to))
    return llvm::Error::success();
  return makeError(op->getLoc(),
                   formatv("expected a reshape to {0} elements, but got one to "
                           "{1}, which is not provably the same; give the "
                           "split sizes statically",
                           from.str(symbolNames), to.str(symbolNames)));
}

llvm::Error HostValues::visitReshape(Operation *op) {
  ShapeExpr shape;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    const ShapeExpr &source = this->shape(collapse.getSrc());
    for (const ReassociationIndices &group : collapse.getReassociationIndices())
      shape.push_back(
          numElements(ArrayRef(source).slice(group.front(), group.size())));
    // The type may know a size that the expressions do not.
    for (auto [dim, size] :
         llvm::zip(shape, collapse.getResultType().getShape()))
      if (!ShapedType::isDynamic(size))
        dim = size;
    shapes[collapse.getResult()] = shape;
  } else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    if (llvm::Error error =
            setShape(expand.getResult(), expand.getOutputShape()))
      return error;
  } else {
    shape = this->shape(op->getOperand(0));
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    for (auto [dim, size] : llvm::zip(shape, type.getShape()))
      if (!ShapedType::isDynamic(size))
        dim = size;
    shapes[op->getResult(0)] = shape;
  }
  return checkReshape(op);
}

} // namespace fuse::jit
