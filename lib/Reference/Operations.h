//===- Operations.h - The ops, by family ------------------------*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each family of ops has a file of its own. The operands are values in the
// order of the op's operands; what the types leave open (dynamic sizes) is
// checked here.
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_REFERENCE_OPERATIONS_H
#define FUSE_LIB_REFERENCE_OPERATIONS_H

#include "Bounded.h"
#include "IndexSpace.h"
#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "fuse/Reference/Findings.h"
#include "fuse/Reference/Value.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace mlir::fuse::reference {

using ValuePtr = std::shared_ptr<const Value>;
using Operands = llvm::ArrayRef<const Value *>;

/// "expected EXPECTED, but got GOT; REMEDY", with the op and its place.
llvm::Error makeError(Operation *op, const llvm::Twine &message);

/// The element type of the op's first result.
DType getResultDType(Operation *op);

/// The common shape of the operands, whose sizes must be equal wherever the
/// types do not repeat a static 1.
llvm::Expected<Sizes> getBroadcastShape(Operation *op, Operands operands);

/// Fails unless `size` is `expected`; `what` names the two.
llvm::Error checkSize(Operation *op, const llvm::Twine &what, int64_t expected,
                      int64_t size);

/// An element of a float value as another op sees it: where it may have been
/// rounded to an infinity, nothing is known.
inline Bounded load(const Value &value, double maxFinite, int64_t index) {
  Bounded x = {value.data[index], value.getError(index)};
  if (std::isfinite(x.value) && x.magnitude() > maxFinite)
    x.error = kInfinity;
  return x;
}

/// A float value, read element by element.
class Reader {
public:
  explicit Reader(const Value &value)
      : value(value),
        maxFinite(isSaturating(value.dtype) ? kInfinity
                                            : getMaxFinite(value.dtype)) {}
  Bounded operator[](int64_t index) const {
    return load(value, maxFinite, index);
  }

private:
  const Value &value;
  double maxFinite;
};

inline void store(Value &value, int64_t index, Bounded element) {
  value.data[index] = element.value;
  value.error[index] = std::isnan(element.error) ? kInfinity : element.error;
}

/// `x` rounded to `dtype` as a cast does.
Bounded roundCast(DType from, DType to, Bounded x);

/// The end of a composite that computes in `from`: rounded to `to` if its value
/// leaves the kernel, else perhaps not.
Bounded mayRound(DType from, DType to, Bounded x);

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

/// Pointwise ops, gated activations among them; not casts and iotas.
llvm::Expected<Value> evaluatePointwise(Operation *op, Operands operands);
/// The same on integers and booleans.
llvm::Expected<Value> evaluateIntegers(Operation *op, const Sizes &space,
                                       Operands operands);
Value evaluateCast(CastOp op, const Value &input);
llvm::Expected<Value> evaluateConstant(ConstantOp op);
/// `like` is null without that operand.
Value evaluateIota(IotaOp op, const Value *like);

Value evaluateTranspose(TransposeOp op, const Value &input);
llvm::Expected<Value> evaluateSlice(SliceOp op, const Value &input);
Value evaluatePad(PadOp op, const Value &input);
Value evaluateReverse(ReverseOp op, const Value &input);
llvm::Expected<Value> evaluateConcat(ConcatOp op, Operands operands);
/// Of the operand alone, or with `like`.
llvm::Expected<Value> evaluateBroadcast(BroadcastOp op, Operands operands);
Value evaluateGather(GatherOp op, const Value &table, const Value &ids);
Value evaluateDynamicSlice(DynamicSliceOp op, Operands operands);
llvm::Expected<Value> evaluateTakeAlong(TakeAlongOp op, Operands operands);
Value evaluateUnpack(UnpackOp op, const Value &input);
/// Of `into`, `ids` and `updates`.
llvm::Expected<Value> evaluateScatter(ScatterOp op, Operands operands);

/// The value of an operand of type index.
using GetIndex = llvm::function_ref<int64_t(mlir::Value)>;
llvm::Expected<Value> evaluateExtractSlice(tensor::ExtractSliceOp op,
                                           const Value &input,
                                           GetIndex getIndex);
llvm::Expected<Value> evaluateTensorConcat(tensor::ConcatOp op,
                                           Operands operands);
llvm::Expected<Value> evaluateTensorPad(tensor::PadOp op, const Value &input,
                                        GetIndex getIndex);

/// `like` is null without that operand.
Value evaluateRandom(RandomOp op, const Value &seed, const Value *like);
Value evaluateDropout(DropoutOp op, const Value &input, const Value &seed);

Value evaluateArgMax(ArgMaxOp op, const Value &input);
Value evaluateArgMin(ArgMinOp op, const Value &input);
Value evaluateReduce(ReduceOp op, const Value &input);
Value evaluateSegmentSum(SegmentSumOp op, const Value &input,
                         const Value &offsets);
Value evaluateScan(ScanOp op, const Value &input);
/// Values and ids.
llvm::Expected<std::pair<Value, Value>> evaluateTopK(TopKOp op,
                                                     const Value &input);
std::pair<Value, Value> evaluateWelford(WelfordOp op, const Value &input);
std::pair<Value, Value> evaluateSoftmaxStats(SoftmaxStatsOp op,
                                             const Value &input);
Value evaluateSoftmax(SoftmaxOp op, const Value &input);
Value evaluateLogSoftmax(LogSoftmaxOp op, const Value &input);
Value evaluateLogSumExp(LogSumExpOp op, const Value &input);
llvm::Expected<Value> evaluateRmsNorm(RmsNormOp op, Operands operands);
llvm::Expected<Value> evaluateLayerNorm(LayerNormOp op, Operands operands);
/// Adds the rows whose squares are too large or too small for the type in which
/// they are computed, so that the result is not that of the formula.
void findRowsOutOfRange(RmsNormOp op, const Value &input, Findings &findings);
void findRowsOutOfRange(LayerNormOp op, const Value &input, Findings &findings);

llvm::Expected<Value> evaluateMatmul(MatmulOp op, Operands operands);
llvm::Expected<Value> evaluateContract(ContractOp op, Operands operands);

/// The tensor that an op's operand or result has.
using GetTensor = llvm::function_ref<const Value &(mlir::Value)>;

/// Takes the bounds from those elements of `result`, the result of the matmul
/// or contraction `op`, that a program may make infinite by taking factors of
/// its operands in another order. `evaluate` is the op on other operands.
llvm::Error allowReorderedProducts(
    Operation *op, GetTensor get,
    llvm::function_ref<llvm::Expected<Value>(Operands)> evaluate,
    Value &result);
llvm::Expected<Value> evaluateAttention(AttentionOp op, Operands operands);
llvm::Expected<Value> evaluateRotary(RotaryOp op, Operands operands);

} // namespace mlir::fuse::reference

#endif // FUSE_LIB_REFERENCE_OPERATIONS_H
