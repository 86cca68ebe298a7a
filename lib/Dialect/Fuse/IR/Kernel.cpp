//===- Kernel.cpp - Verifiers of kernels and launches ---------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Dialect/Fuse/IR/Fuse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

YieldOp KernelOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}

static LogicalResult verifyTypes(KernelOp op, TypeRange inner, StringRef what,
                                 TypeRange outer, StringRef where) {
  if (inner.size() != outer.size())
    return op.emitOpError("expected ")
           << outer.size() << " " << what << "s, one for each " << where
           << ", but got " << inner.size() << "; add or remove " << what << "s";
  for (auto [index, types] : llvm::enumerate(llvm::zip(inner, outer)))
    if (auto [got, expected] = types; got != expected)
      return op.emitOpError("expected ")
             << what << " #" << index << " of type " << expected << ", but got "
             << got << "; give it the type of the " << where;
  return success();
}

static bool mayStandInKernel(Operation &op) {
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op))
    return true;
  // The sizes of an expanded tensor.
  if (isa<tensor::DimOp, arith::ConstantIndexOp, arith::ConstantOp,
          arith::DivUIOp>(op) &&
      op.getResult(0).getType().isIndex())
    return true;
  return isa<FuseDialect>(op.getDialect()) &&
         !op.hasTrait<fuse::OpTrait::Composite>() &&
         !isa<LaunchOp, KernelOp>(op);
}

LogicalResult KernelOp::verifyRegions() {
  Block &body = getBody().front();
  // 1. The block's arguments have the types of `inputs`.
  if (failed(verifyTypes(*this, body.getArgumentTypes(), "block argument",
                         getInputs().getTypes(), "input")))
    return failure();
  // 2. The yielded values have the types of the results.
  if (failed(verifyTypes(*this, getYield().getOperandTypes(), "yielded value",
                         getResultTypes(), "result")))
    return failure();
  // 3. The body holds primitives of this dialect, tensor reshapes and the
  //    sizes that these need only.
  for (Operation &op : body)
    if (!mayStandInKernel(op))
      return op.emitOpError("expected a primitive of fuse or a tensor reshape "
                            "in a fuse.kernel, but got ")
             << op.getName() << "; run fuse-decompose, or move it outside";
  // 4. All elements of a constant in the body are equal.
  for (ConstantOp constant : body.getOps<ConstantOp>())
    if (!constant.getValue().isSplat())
      return constant.emitOpError("expected equal elements of a constant in a "
                                  "fuse.kernel, but got ")
             << constant.getValue() << "; make it an input of the kernel";
  return success();
}

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  // 1. `kernel` is @MODULE::@FUNCTION, and where that module stands in the
  //    program, it holds the function.
  SymbolRefAttr kernel = getKernel();
  if (kernel.getNestedReferences().size() != 1)
    return emitOpError("expected kernel to be @MODULE::@FUNCTION, but got ")
           << kernel << "; name the module and the function";
  Operation *module =
      symbolTable.lookupNearestSymbolFrom(*this, kernel.getRootReference());
  if (!module || !module->hasTrait<mlir::OpTrait::SymbolTable>())
    return success();
  if (symbolTable.lookupSymbolIn(module, kernel.getLeafReference()))
    return success();
  return emitOpError("expected kernel to name a function of ")
         << kernel.getRootReference() << ", but got "
         << kernel.getLeafReference() << "; name one that is there";
}

/// Whether `pair` is [result, input] with numbers in range and equal types.
static bool isPairOfOneType(LaunchOp op, Attribute pair) {
  auto numbers = dyn_cast<ArrayAttr>(pair);
  if (!numbers || numbers.size() != 2)
    return false;
  auto result = dyn_cast<IntegerAttr>(numbers[0]);
  auto input = dyn_cast<IntegerAttr>(numbers[1]);
  if (!result || !input)
    return false;
  uint64_t resultIndex = result.getValue().getLimitedValue();
  uint64_t inputIndex = input.getValue().getLimitedValue();
  return resultIndex < op.getNumResults() &&
         inputIndex < op.getInputs().size() &&
         op.getResult(resultIndex).getType() ==
             op.getInputs()[inputIndex].getType();
}

static LogicalResult verifyPairs(LaunchOp op, ArrayAttr pairs, StringRef name) {
  if (!pairs)
    return success();
  for (Attribute pair : pairs)
    if (!isPairOfOneType(op, pair))
      return op.emitOpError("expected ")
             << name << " to hold pairs [result, input] of one type, but got "
             << pair << "; number results and inputs from 0";
  return success();
}

static LogicalResult verifyTensorMaps(LaunchOp op) {
  size_t values = 0, operands = op.getInputs().size() + op.getNumResults();
  if (ArrayAttr maps = op.getTensorMapsAttr())
    for (auto map : maps.getAsRange<TensorMapAttr>()) {
      values += 2 * map.getBox().size() - 1;
      if (map.getOperand() < 0 || map.getOperand() >= int64_t(operands))
        return op.emitOpError("expected a tensor map of one of ")
               << operands << " inputs and results, but got "
               << map.getOperand() << "; number them from 0";
    }
  if (op.getMapDims().size() == values)
    return success();
  return op.emitOpError("expected ")
         << values << " map_dims, the sizes and strides of each tensor map, "
         << "but got " << op.getMapDims().size() << "; give those missing";
}

LogicalResult
TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t operand, ArrayRef<int64_t> box) {
  constexpr size_t mostDims = 5;
  constexpr int64_t mostElements = 256;
  // 1. `box` has 1 to 5 sizes from 1 to 256.
  auto isLegal = [](int64_t size) { return size >= 1 && size <= mostElements; };
  if (!box.empty() && box.size() <= mostDims && llvm::all_of(box, isLegal))
    return success();
  return emitError() << "expected a box of 1 to " << mostDims
                     << " sizes from 1 to " << mostElements << ", but got ["
                     << box << "]; copy less at a time";
}

/// 8. `touched_pointers` and `at_most` hold numbers of pointers, the former as
///    many as there are values in `touched`.
static LogicalResult verifyTouched(LaunchOp op) {
  auto touched = op.getTouchedPointers().value_or(ArrayRef<int64_t>());
  auto bounded = op.getAtMost().value_or(ArrayRef<int64_t>());
  int64_t pointers = op.getInputs().size() + op.getNumResults();
  for (ArrayRef<int64_t> numbers : {touched, bounded})
    for (int64_t number : numbers)
      if (number < 0 || number >= pointers)
        return op.emitOpError("expected touched_pointers and at_most to hold "
                              "numbers of the ")
               << pointers << " pointers, but got " << number
               << "; number inputs from 0, and results after them";
  if (touched.size() == op.getTouched().size())
    return success();
  return op.emitOpError("expected a value in touched for each of ")
         << touched.size() << " touched_pointers, but got "
         << op.getTouched().size() << "; give the missing numbers";
}

LogicalResult LaunchOp::verify() {
  // 2. `threads` is from 1 to 1024.
  if (getThreads() < 1 || getThreads() > 1024)
    return emitOpError("expected 1 to 1024 threads, but got ")
           << static_cast<int64_t>(getThreads()) << "; choose a smaller block";
  // 3. `result_dims` has one value for each dynamic dimension of the results.
  size_t dynamic = 0;
  for (Type type : getResultTypes())
    dynamic += cast<RankedTensorType>(type).getNumDynamicDims();
  if (getResultDims().size() != dynamic)
    return emitOpError("expected ")
           << dynamic << " result_dims, one for each dynamic dimension of the "
           << "results, but got " << getResultDims().size()
           << "; give the missing sizes";
  // 4. `in_place` holds pairs [result, input] of one type.
  if (failed(verifyPairs(*this, getInPlaceAttr(), "in_place")))
    return failure();
  // 5. `copies` holds pairs [result, input] of one type, at most one a result.
  if (failed(verifyPairs(*this, getCopiesAttr(), "copies")))
    return failure();
  llvm::SmallDenseSet<int64_t> copied;
  for (auto [result, input] : getPairs(getCopiesAttr()))
    if (!copied.insert(result).second)
      return emitOpError("expected copies to name each result once, but got "
                         "result #")
             << result << " twice; remove one";
  // 6. `gathered` holds numbers of inputs.
  for (int64_t number : getGathered().value_or(ArrayRef<int64_t>()))
    if (number < 0 || number >= int64_t(getInputs().size()))
      return emitOpError("expected gathered to hold numbers of the ")
             << getInputs().size() << " inputs, but got " << number
             << "; number them from 0";
  // 7. `map_dims` has two values less one for each size of each map's box, and
  //    the maps are of inputs and results.
  if (failed(verifyTensorMaps(*this)))
    return failure();
  return verifyTouched(*this);
}

SmallVector<std::pair<unsigned, unsigned>> LaunchOp::getPairs(ArrayAttr pairs) {
  SmallVector<std::pair<unsigned, unsigned>> numbers;
  if (pairs)
    for (auto pair : pairs.getAsRange<ArrayAttr>())
      numbers.emplace_back(cast<IntegerAttr>(pair[0]).getInt(),
                           cast<IntegerAttr>(pair[1]).getInt());
  return numbers;
}

//===----------------------------------------------------------------------===//
// Sizes on the host
//===----------------------------------------------------------------------===//

LogicalResult ScalarOp::verify() {
  // 1. The operand has one element.
  if (getInput().getType().hasStaticShape() &&
      getInput().getType().getNumElements() == 1)
    return success();
  return emitOpError("expected an operand with one element, but got ")
         << getInput().getType() << "; pass several numbers as a tensor";
}

LogicalResult StrideOp::verify() {
  // 1. `dim` is a dimension of the operand.
  int64_t rank = getInput().getType().getRank();
  int64_t dim = static_cast<int64_t>(getDim());
  if (dim >= 0 && dim < rank)
    return success();
  return emitOpError("expected dim to be one of the ")
         << rank << " dimensions of " << getInput().getType() << ", but got "
         << dim << "; number them from 0";
}

LogicalResult RequireOp::verify() {
  // 1. `message` is not empty.
  if (!getMessage().empty())
    return success();
  return emitOpError("expected a message, but got none; say what the sizes "
                     "must be");
}
