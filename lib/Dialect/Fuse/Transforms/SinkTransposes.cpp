//===- SinkTransposes.cpp - Transposes behind other movements -------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that transposes reads tiles of what lies in memory in another order,
// and finds them behind the transpose. A pad between the two would be in its
// way, but
//
//   pad(f(transpose(x))) = transpose(pad(f(x)))
//
// and rows of pad(f(x)) are read in vectors. So are those of reversals, and of
// concatenations whose operands are transposed alike. A scan between a
// transpose and the one that undoes it walks another dimension:
//
//   transpose(scan(f(transpose(x)))) = scan dim = 0 (f(x))
//
//===----------------------------------------------------------------------===//

#include "SinkTransposes.h"

#include "ReshapeOperands.h"

#include "fuse/Dialect/Fuse/IR/Fuse.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

/// Ops between a movement and the transpose that are looked through.
static constexpr unsigned mostPassed = 16;

/// The first transpose that the value is computed from element by element.
static TransposeOp transposeBefore(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (auto transpose = dyn_cast_or_null<TransposeOp>(op))
    return transpose;
  if (!isShapeless(op) || depth == mostPassed)
    return {};
  for (Value operand : op->getOperands())
    if (TransposeOp found = transposeBefore(operand, depth + 1))
      return found;
  return {};
}

namespace {
/// Values without a transpose that comes last in what they are computed by.
class Untransposed {
public:
  explicit Untransposed(ArrayRef<int64_t> permutation)
      : permutation(permutation) {}

  /// Whether nothing but this transpose, and ops that follow from it alone,
  /// makes the value.
  bool has(Value value) const;
  Value of(OpBuilder &builder, Value value) const;
  /// The type that becomes `type` by the transpose.
  RankedTensorType typeOf(RankedTensorType type) const {
    return type.clone(before(type.getShape()));
  }
  /// A list with an element for each dimension, as it is before the transpose.
  SmallVector<int64_t> before(ArrayRef<int64_t> list) const {
    SmallVector<int64_t> result(list.size());
    for (auto [dim, each] : llvm::zip_equal(permutation, list))
      result[dim] = each;
    return result;
  }

private:
  bool isOne(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type &&
           llvm::all_of(type.getShape(), [](int64_t n) { return n == 1; });
  }

  SmallVector<int64_t> permutation;
};
} // namespace

bool Untransposed::has(Value value) const {
  Operation *op = value.getDefiningOp();
  if (auto transpose = dyn_cast_or_null<TransposeOp>(op))
    return transpose.getPermutation() == ArrayRef(permutation);
  if (!isShapeless(op) || !op->hasOneUse() ||
      tensorType(value).getRank() != static_cast<int64_t>(permutation.size()))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return isOne(operand) || has(operand);
  });
}

Value Untransposed::of(OpBuilder &builder, Value value) const {
  Operation *op = value.getDefiningOp();
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return transpose.getInput();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isOne(operand) ? operand : of(builder, operand));
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(typeOf(tensorType(value)));
  return clone->getResult(0);
}

/// The movement before the transpose; null for an op that is none.
static Value moveBefore(OpBuilder &builder, Operation *op,
                        const Untransposed &untransposed,
                        ArrayRef<int64_t> permutation) {
  Location loc = op->getLoc();
  RankedTensorType type = untransposed.typeOf(tensorType(op->getResult(0)));
  SmallVector<Value> inputs;
  for (Value operand : op->getOperands())
    inputs.push_back(untransposed.of(builder, operand));
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](PadOp pad) {
        return PadOp::create(builder, loc, type, inputs.front(),
                             untransposed.before(pad.getLow()),
                             untransposed.before(pad.getHigh()),
                             pad.getValue());
      })
      .Case([&](ReverseOp reverse) {
        SmallVector<int64_t> dims;
        for (int64_t dim : reverse.getDims())
          dims.push_back(permutation[dim]);
        llvm::sort(dims);
        return ReverseOp::create(builder, loc, type, inputs.front(), dims);
      })
      .Case([&](ConcatOp concat) {
        return ConcatOp::create(builder, loc, type, inputs,
                                permutation[concat.getDim()]);
      })
      .Case([&](ScanOp scan) {
        return ScanOp::create(
            builder, loc, type, scan.getKindAttr(), inputs.front(),
            builder.getI64IntegerAttr(permutation[scan.getAxis()]),
            scan.getExclusiveAttr(), scan.getReverseAttr());
      })
      .Default(Value());
}

static void sinkBehind(Operation *op) {
  TransposeOp transpose;
  for (Value operand : op->getOperands())
    if (!transpose)
      transpose = transposeBefore(operand);
  if (!transpose)
    return;
  SmallVector<int64_t> permutation(transpose.getPermutation());
  // Rows that stay whole are read in vectors anyway.
  int64_t last = static_cast<int64_t>(permutation.size()) - 1;
  Untransposed untransposed(permutation);
  bool isTransposed = llvm::all_of(op->getOperands(), [&](Value operand) {
    return untransposed.has(operand);
  });
  if (permutation.back() == last || !isTransposed)
    return;
  OpBuilder builder(op);
  Value moved = moveBefore(builder, op, untransposed, permutation);
  Value result = TransposeOp::create(
      builder, op->getLoc(), op->getResult(0).getType(), moved, permutation);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

/// Whether nothing but the inverse of the transpose before it reads a scan.
static bool isTransposedBack(Operation *op) {
  TransposeOp before = transposeBefore(op->getOperand(0));
  auto behind = op->hasOneUse() ? dyn_cast<TransposeOp>(*op->user_begin())
                                : TransposeOp();
  return before && behind &&
         isIdentityPermutation(
             llvm::map_to_vector(behind.getPermutation(), [&](int64_t dim) {
               return before.getPermutation()[dim];
             }));
}

void mlir::fuse::sinkTransposes(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (isa<PadOp, ReverseOp, ConcatOp>(op) ||
        (isa<ScanOp>(op) && isTransposedBack(&op)))
      sinkBehind(&op);
}
