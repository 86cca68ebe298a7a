//===- Evaluate.cpp - The oracle ------------------------------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Reference/Evaluate.h"
#include "Findings.h"
#include "Operations.h"
#include "ReorderedScales.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir::fuse;
using namespace mlir::fuse::reference;
using llvm::ArrayRef;
using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using mlir::Operation;
using mlir::RankedTensorType;
namespace arith = mlir::arith;
namespace tensor = mlir::tensor;

//===----------------------------------------------------------------------===//
// What the families share
//===----------------------------------------------------------------------===//

llvm::Error mlir::fuse::reference::makeError(Operation *op,
                                             const llvm::Twine &message) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getLoc() << ": '" << op->getName() << "' op " << message;
  return llvm::createStringError(text);
}

DType mlir::fuse::reference::getResultDType(Operation *op) {
  return *getDType(getElementTypeOrSelf(op->getResult(0).getType()));
}

llvm::Error mlir::fuse::reference::checkSize(Operation *op,
                                             const llvm::Twine &what,
                                             int64_t expected, int64_t size) {
  if (expected == size)
    return llvm::Error::success();
  return makeError(op, "expected " + what + " to be equal, but got " +
                           llvm::Twine(expected) + " and " + llvm::Twine(size) +
                           "; pass inputs of such sizes");
}

llvm::Expected<Sizes>
mlir::fuse::reference::getBroadcastShape(Operation *op, Operands operands) {
  size_t rank = 0;
  for (const Value *operand : operands)
    rank = std::max(rank, operand->shape.size());
  Sizes shape(rank, 1);
  llvm::SmallVector<bool> isFixed(rank, false);
  for (auto [operand, type] :
       llvm::zip_equal(operands, op->getOperandTypes())) {
    ArrayRef<int64_t> sizes = cast<RankedTensorType>(type).getShape();
    size_t lead = rank - sizes.size();
    for (auto [i, size] : llvm::enumerate(operand->shape)) {
      if (sizes[i] == 1)
        continue;
      if (isFixed[lead + i])
        if (auto error = checkSize(op, "the sizes of the operands",
                                   shape[lead + i], size))
          return std::move(error);
      shape[lead + i] = size;
      isFixed[lead + i] = true;
    }
  }
  return shape;
}

//===----------------------------------------------------------------------===//
// A program
//===----------------------------------------------------------------------===//

namespace {

/// Runs the ops of one block, whose values it holds.
class Evaluator {
public:
  explicit Evaluator(Findings *findings) : findings(findings) {}

  llvm::Error bind(mlir::Value variable, ValuePtr value);
  llvm::Error runBlock(mlir::Block &block);
  ValuePtr get(mlir::Value variable) const { return tensors.lookup(variable); }

private:
  llvm::Error run(Operation *op);
  llvm::Expected<Value> evaluateFuseOp(Operation *op, Operands operands);
  llvm::Expected<Value> evaluateSumOfProducts(Operation *op, Operands operands);
  llvm::Expected<Value> evaluateSum(ReduceOp op, const Value &operand);
  llvm::Error runKernel(KernelOp kernel);
  llvm::Error bindBoth(Operation *op, std::pair<Value, Value> values);
  llvm::Error runIndex(Operation *op);
  llvm::Error runSizeArithmetic(Operation *op);
  llvm::Expected<Value> evaluateTensorOp(Operation *op, Operands operands);
  llvm::Expected<Value> reshape(Operation *op);
  Sizes getExpandedShape(tensor::ExpandShapeOp op) const;

  llvm::Error bind(mlir::Value variable, Value value) {
    return bind(variable, std::make_shared<const Value>(std::move(value)));
  }

  void find(Operation *op, Operands operands, const Value &result);

  /// Null where nobody asks.
  Findings *findings;
  llvm::DenseMap<mlir::Value, ValuePtr> tensors;
  llvm::DenseMap<mlir::Value, int64_t> indices;
};

} // namespace

static std::string describe(DType dtype, ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t size : shape)
    os << size << "x";
  os << getName(dtype);
  return text;
}

/// Every value must fit its type: sizes that a program forces to be equal
/// without an op that compares them show here.
llvm::Error Evaluator::bind(mlir::Value variable, ValuePtr value) {
  auto type = dyn_cast<RankedTensorType>(variable.getType());
  bool fits = type && getDType(type.getElementType()) == value->dtype &&
              type.getRank() == static_cast<int64_t>(value->shape.size());
  if (fits)
    for (auto [expected, size] : llvm::zip(type.getShape(), value->shape))
      fits &= mayBeEqual(expected, size);
  if (!fits) {
    std::string expected;
    llvm::raw_string_ostream(expected) << variable.getType();
    return llvm::createStringError(
        "expected a value of type " + expected + ", but got one of " +
        describe(value->dtype, value->shape) +
        "; pass inputs that have the program's sizes");
  }
  tensors[variable] = std::move(value);
  return llvm::Error::success();
}

llvm::Error Evaluator::runBlock(mlir::Block &block) {
  for (Operation &op : block.without_terminator())
    if (auto error = run(&op))
      return error;
  return llvm::Error::success();
}

static llvm::Error makeUnknownError(Operation *op) {
  return makeError(op, "expected an op of the fuse dialect, a reshape, slice, "
                       "concat or pad, but got another; verify an earlier "
                       "stage of the program");
}

/// Whether the op computes a size from two others.
static bool isSizeArithmetic(Operation *op) {
  return isa<arith::ArithDialect>(op->getDialect()) &&
         op->getNumOperands() == 2 && op->getNumResults() == 1 &&
         op->getResult(0).getType().isIndex();
}

llvm::Error Evaluator::run(Operation *op) {
  if (auto kernel = dyn_cast<KernelOp>(op))
    return runKernel(kernel);
  if (auto stats = dyn_cast<SoftmaxStatsOp>(op))
    return bindBoth(op,
                    evaluateSoftmaxStats(stats, *tensors.at(stats.getInput())));
  if (auto welford = dyn_cast<WelfordOp>(op))
    return bindBoth(op,
                    evaluateWelford(welford, *tensors.at(welford.getInput())));
  if (auto top = dyn_cast<TopKOp>(op)) {
    auto found = evaluateTopK(top, *tensors.at(top.getInput()));
    return found ? bindBoth(op, std::move(*found)) : found.takeError();
  }
  if (isa<tensor::DimOp, arith::ConstantOp>(op) || isSizeArithmetic(op))
    return runIndex(op);
  bool isTensorOp = isa<tensor::TensorDialect>(op->getDialect());
  if (!isTensorOp && !isa<FuseDialect>(op->getDialect()))
    return makeUnknownError(op);

  llvm::SmallVector<const Value *> operands;
  for (mlir::Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      operands.push_back(tensors.at(operand).get());
  auto result = isTensorOp ? evaluateTensorOp(op, operands)
                           : evaluateFuseOp(op, operands);
  if (!result)
    return result.takeError();
  find(op, operands, *result);
  return bind(op->getResult(0), std::move(*result));
}

void Evaluator::find(Operation *op, Operands operands, const Value &result) {
  if (!findings)
    return;
  findLostBounds(op, operands, result, *findings);
  if (auto norm = dyn_cast<RmsNormOp>(op))
    findRowsOutOfRange(norm, *operands.front(), *findings);
  if (auto norm = dyn_cast<LayerNormOp>(op))
    findRowsOutOfRange(norm, *operands.front(), *findings);
}

llvm::Expected<Value> Evaluator::evaluateTensorOp(Operation *op,
                                                  Operands operands) {
  using Result = llvm::Expected<Value>;
  auto getIndex = [&](mlir::Value index) { return indices.at(index); };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
          [&](Operation *) { return reshape(op); })
      .Case([&](tensor::ExtractSliceOp slice) {
        return evaluateExtractSlice(slice, *operands.front(), getIndex);
      })
      .Case([&](tensor::ConcatOp concat) {
        return evaluateTensorConcat(concat, operands);
      })
      .Case([&](tensor::PadOp pad) {
        return evaluateTensorPad(pad, *operands.front(), getIndex);
      })
      .Default([&](Operation *) { return makeUnknownError(op); });
}

llvm::Expected<Value> Evaluator::evaluateFuseOp(Operation *op,
                                                Operands operands) {
  using Result = llvm::Expected<Value>;
  const Value *first = operands.empty() ? nullptr : operands.front();
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](CastOp cast) { return evaluateCast(cast, *first); })
      .Case([&](ConstantOp source) { return evaluateConstant(source); })
      .Case([&](IotaOp iota) { return evaluateIota(iota, first); })
      .Case([&](TransposeOp op) { return evaluateTranspose(op, *first); })
      .Case([&](SliceOp slice) { return evaluateSlice(slice, *first); })
      .Case(
          [&](DynamicSliceOp op) { return evaluateDynamicSlice(op, operands); })
      .Case([&](PadOp pad) { return evaluatePad(pad, *first); })
      .Case([&](ReverseOp reverse) { return evaluateReverse(reverse, *first); })
      .Case([&](ConcatOp concat) { return evaluateConcat(concat, operands); })
      .Case([&](BroadcastOp op) { return evaluateBroadcast(op, operands); })
      .Case([&](GatherOp gather) {
        return evaluateGather(gather, *first, *operands[1]);
      })
      .Case([&](TakeAlongOp op) { return evaluateTakeAlong(op, operands); })
      .Case([&](UnpackOp unpack) { return evaluateUnpack(unpack, *first); })
      .Case([&](ScatterOp op) { return evaluateScatter(op, operands); })
      .Case([&](RandomOp random) {
        return evaluateRandom(random, *first,
                              random.getLike() ? operands[1] : nullptr);
      })
      .Case([&](DropoutOp dropout) {
        return evaluateDropout(dropout, *first, *operands[1]);
      })
      .Case([&](ArgMaxOp arg) { return evaluateArgMax(arg, *first); })
      .Case([&](ArgMinOp arg) { return evaluateArgMin(arg, *first); })
      .Case([&](SegmentSumOp sum) {
        return evaluateSegmentSum(sum, *first, *operands[1]);
      })
      .Case([&](ScanOp scan) { return evaluateScan(scan, *first); })
      .Case([&](ReduceOp reduce) { return evaluateSum(reduce, *first); })
      .Case([&](SoftmaxOp softmax) { return evaluateSoftmax(softmax, *first); })
      .Case([&](LogSoftmaxOp softmax) {
        return evaluateLogSoftmax(softmax, *first);
      })
      .Case([&](LogSumExpOp sum) { return evaluateLogSumExp(sum, *first); })
      .Case([&](RmsNormOp norm) { return evaluateRmsNorm(norm, operands); })
      .Case([&](LayerNormOp norm) { return evaluateLayerNorm(norm, operands); })
      .Case<MatmulOp, ContractOp>(
          [&](Operation *) { return evaluateSumOfProducts(op, operands); })
      .Case([&](AttentionOp attention) {
        return evaluateAttention(attention, operands);
      })
      .Case([&](RotaryOp rotary) { return evaluateRotary(rotary, operands); })
      .Default([&](Operation *) { return evaluatePointwise(op, operands); });
}

llvm::Expected<Value> Evaluator::evaluateSumOfProducts(Operation *op,
                                                       Operands operands) {
  auto evaluate = [&](Operands factors) {
    if (auto matmul = dyn_cast<MatmulOp>(op))
      return evaluateMatmul(matmul, factors);
    return evaluateContract(cast<ContractOp>(op), factors);
  };
  llvm::Expected<Value> result = evaluate(operands);
  if (!result)
    return result;
  auto getTensor = [&](mlir::Value value) -> const Value & {
    return *tensors.at(value);
  };
  if (llvm::Error error =
          allowReorderedProducts(op, getTensor, evaluate, *result))
    return std::move(error);
  return result;
}

llvm::Expected<Value> Evaluator::evaluateSum(ReduceOp op,
                                             const Value &operand) {
  Value result = evaluateReduce(op, operand);
  auto getTensor = [&](mlir::Value value) -> const Value & {
    return *tensors.at(value);
  };
  auto evaluate = [&](Operands terms) -> llvm::Expected<Value> {
    return evaluateReduce(op, *terms.front());
  };
  if (llvm::Error error = allowReorderedScales(op, getTensor, evaluate, result))
    return std::move(error);
  return result;
}

llvm::Error Evaluator::runKernel(KernelOp kernel) {
  Evaluator inside(findings);
  mlir::Block &body = kernel.getBody().front();
  for (auto [argument, input] :
       llvm::zip_equal(body.getArguments(), kernel.getInputs()))
    if (auto error = inside.bind(argument, tensors.at(input)))
      return error;
  if (auto error = inside.runBlock(body))
    return error;
  for (auto [result, yielded] :
       llvm::zip_equal(kernel.getResults(), kernel.getYield().getValues()))
    if (auto error = bind(result, inside.get(yielded)))
      return error;
  return llvm::Error::success();
}

llvm::Error Evaluator::bindBoth(Operation *op, std::pair<Value, Value> values) {
  if (auto error = bind(op->getResult(0), std::move(values.first)))
    return error;
  return bind(op->getResult(1), std::move(values.second));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

llvm::Error Evaluator::runSizeArithmetic(Operation *op) {
  int64_t a = indices.at(op->getOperand(0)), b = indices.at(op->getOperand(1));
  bool divides = isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp,
                     arith::CeilDivUIOp, arith::CeilDivSIOp, arith::RemUIOp,
                     arith::RemSIOp>(op);
  if (divides && b <= 0)
    return makeError(op, "expected a positive divisor of a size, but got " +
                             llvm::Twine(b) + "; correct the sizes");
  auto result =
      llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
          .Case<arith::AddIOp>([&](auto) { return a + b; })
          .Case<arith::SubIOp>([&](auto) { return a - b; })
          .Case<arith::MulIOp>([&](auto) { return a * b; })
          .Case<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(
              [&](auto) { return a / b; })
          .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
              [&](auto) { return (a + b - 1) / b; })
          .Case<arith::RemUIOp, arith::RemSIOp>([&](auto) { return a % b; })
          .Case<arith::MinUIOp, arith::MinSIOp>(
              [&](auto) { return std::min(a, b); })
          .Case<arith::MaxUIOp, arith::MaxSIOp>(
              [&](auto) { return std::max(a, b); })
          .Default([](Operation *) { return std::nullopt; });
  if (!result)
    return makeUnknownError(op);
  indices[op->getResult(0)] = *result;
  return llvm::Error::success();
}

llvm::Error Evaluator::runIndex(Operation *op) {
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    ArrayRef<int64_t> shape = tensors.at(dim.getSource())->shape;
    int64_t axis = indices.at(dim.getIndex());
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
      return makeError(op, "expected a dimension of the tensor, but got " +
                               llvm::Twine(axis) + "; correct the index");
    indices[dim.getResult()] = shape[axis];
    return llvm::Error::success();
  }
  if (isSizeArithmetic(op))
    return runSizeArithmetic(op);
  // A tensor.pad looks for its constant itself.
  if (llvm::all_of(op->getUsers(), llvm::IsaPred<tensor::YieldOp>))
    return llvm::Error::success();
  auto number =
      dyn_cast<mlir::IntegerAttr>(cast<arith::ConstantOp>(op).getValue());
  if (!number || !number.getType().isIndex())
    return makeError(op, "expected a constant of type index, but got another; "
                         "write it as fuse.constant");
  indices[op->getResult(0)] = number.getInt();
  return llvm::Error::success();
}

Sizes Evaluator::getExpandedShape(tensor::ExpandShapeOp op) const {
  Sizes shape;
  auto dynamic = op.getOutputShape().begin();
  for (int64_t size : op.getStaticOutputShape())
    shape.push_back(mlir::ShapedType::isDynamic(size) ? indices.at(*dynamic++)
                                                      : size);
  return shape;
}

llvm::Expected<Value> Evaluator::reshape(Operation *op) {
  Value value = *tensors.at(op->getOperand(0));
  Sizes shape;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    shape = getExpandedShape(expand);
  } else {
    auto collapse = cast<tensor::CollapseShapeOp>(op);
    for (const mlir::ReassociationIndices &group :
         collapse.getReassociationIndices()) {
      shape.push_back(1);
      for (int64_t axis : group)
        shape.back() *= value.shape[axis];
    }
  }
  if (auto error = checkSize(op, "the numbers of elements of both shapes",
                             value.size(), countElements(shape)))
    return std::move(error);
  value.shape = shape;
  return value;
}

//===----------------------------------------------------------------------===//
// Entry
//===----------------------------------------------------------------------===//

llvm::Expected<llvm::SmallVector<Value>>
mlir::fuse::reference::evaluate(func::FuncOp function, ArrayRef<Value> inputs,
                                Findings *findings) {
  if (inputs.size() != function.getNumArguments())
    return llvm::createStringError(
        "expected " + llvm::Twine(function.getNumArguments()) +
        " inputs, but got " + llvm::Twine(inputs.size()) +
        "; pass one for each argument of @" + function.getName());
  Evaluator evaluator(findings);
  for (auto [argument, input] : llvm::zip(function.getArguments(), inputs))
    if (auto error =
            evaluator.bind(argument, std::make_shared<const Value>(input)))
      return std::move(error);
  mlir::Block &body = function.getBody().front();
  if (auto error = evaluator.runBlock(body))
    return std::move(error);
  llvm::SmallVector<Value> results;
  for (mlir::Value returned : body.getTerminator()->getOperands())
    results.push_back(*evaluator.get(returned));
  return results;
}
