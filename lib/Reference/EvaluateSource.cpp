//===- EvaluateSource.cpp - Constants and indices -------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;

static double toDouble(llvm::APFloat number) {
  bool losesInfo;
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

llvm::Expected<Value> mlir::fuse::reference::evaluateConstant(ConstantOp op) {
  auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  if (!elements)
    return makeError(op, "expected elements written as dense<..>, but got "
                         "another form; write them in the program");
  Value result =
      Value::zeros(getResultDType(op), elements.getType().getShape());
  if (isFloat(result.dtype)) {
    auto numbers = elements.getValues<llvm::APFloat>();
    llvm::transform(numbers, result.data.begin(), toDouble);
    return result;
  }
  bool isBool = result.dtype == DType::I1;
  llvm::transform(elements.getValues<llvm::APInt>(), result.ints.begin(),
                  [&](const llvm::APInt &number) {
                    return isBool ? static_cast<int64_t>(number.getBoolValue())
                                  : wrap(result.dtype, number.getSExtValue());
                  });
  return result;
}

Value mlir::fuse::reference::evaluateIota(IotaOp op, const Value *like) {
  Sizes shape = like ? like->shape : Sizes(op.getType().getShape());
  Value result = Value::zeros(getResultDType(op), shape);
  Arithmetic arithmetic(result.dtype);
  Sizes along(shape.size(), 0);
  along[op.getDim()] = 1;
  int64_t first = op.getFromEnd() ? -shape[op.getDim()] : 0;
  forEachPoint(shape, {along}, 1 << 14,
               [&](int64_t number, llvm::ArrayRef<int64_t> at) {
                 int64_t index = first + at.front();
                 if (!isFloat(result.dtype))
                   result.ints[number] = wrap(result.dtype, index);
                 else
                   store(result, number,
                         arithmetic.constant(static_cast<double>(index)));
               });
  return result;
}
