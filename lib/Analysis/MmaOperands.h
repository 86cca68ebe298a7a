//===- MmaOperands.h - Operands that copies by tensor map read --*- C++ -*-===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSE_LIB_ANALYSIS_MMAOPERANDS_H
#define FUSE_LIB_ANALYSIS_MMAOPERANDS_H

#include "fuse/Analysis/ContractionSpace.h"
#include "fuse/Analysis/MmaSpace.h"

namespace mlir::fuse {

struct StreamedSpace;

/// The operands of a contraction for the rows and the columns of its result.
struct ContractionSides {
  explicit ContractionSides(const ContractionSpace &space) {
    ContractOp op = space.op;
    rows = space.nIsOnRhs ? op.getLhs() : op.getRhs();
    columns = space.nIsOnRhs ? op.getRhs() : op.getLhs();
    rowAxes = space.nIsOnRhs ? op.getLhsAxes() : op.getRhsAxes();
    columnAxes = space.nIsOnRhs ? op.getRhsAxes() : op.getLhsAxes();
  }

  Value rows, columns;
  StringRef rowAxes, columnAxes;
};

/// Whether a copy by tensor map can read the elements of a tensor, see
/// MmaSpace.h; `edge` are the inputs and results of a group.
bool fitsTensorMap(ArrayRef<Value> edge, const DimClasses &dims, Value tensor,
                   TensorFacts facts);

/// The innermost dimension comes first, then the other one of the product.
void orderDims(MmaOperand &operand, char own, char k);

/// Where a computed operand's elements come from.
struct OperandSource {
  Value input;
  /// The numbers of the input's dimensions that each of the operand's has.
  SmallVector<SmallVector<unsigned, 2>> dims;
  ComputedOperand computed;
};

/// The input that `operand`, which the group computes, has its elements from,
/// the narrowest if there are several; none if it is not computed place by
/// place.
std::optional<OperandSource> operandSourceOf(Value operand,
                                             ArrayRef<Operation *> ops,
                                             const DimClasses &dims);

/// A tensor behind what repeats, turns or reshapes it in the group, and for
/// each of its dimensions the letter of the operand's; none where it is
/// computed.
struct MovedTensor {
  Value tensor;
  std::string axes;
};
std::optional<MovedTensor>
movedTensorOf(Value value, StringRef axes, const DimClasses &dims,
              llvm::function_ref<bool(Operation *)> isInside);

/// The tensors that are joined to the operand along `axis`, in order; the
/// operand alone where none are.
SmallVector<Value>
joinedTensors(Value operand, StringRef axes, char axis,
              llvm::function_ref<bool(Operation *)> isInside);

/// The features of the keys that the values of the second contraction are, as
/// an operand of it, if they are some of a part's. A slice is only read where
/// it lies; all features of a part are where rows are wide, and else a tile of
/// their own is faster.
std::optional<MmaOperand> valuesInKeys(StreamedSpace &space,
                                       const MmaGroup &group,
                                       const DimClasses &dims,
                                       ContractOp product, Value values);

/// The dimensions of a tensor map, at most.
inline constexpr size_t mostMapDims = 5;

/// Finds how copies read operands, or why they cannot.
class MmaOperandFinder {
public:
  MmaOperandFinder(const MmaGroup &group, const DimClasses &dims,
                   TensorFacts facts, Reason &reason)
      : group(group), dims(dims), facts(facts), reason(reason),
        edge(group.inputs) {
    llvm::append_range(edge, group.results);
  }

  /// `own` are the axes of the rows or the columns, the last of which has the
  /// others joined to it, as the summed one has that of its blocks. A part of
  /// an operand has some of the summed axis.
  FailureOr<MmaOperand> find(const ContractionSpace &space, Value tensor,
                             StringRef axes, ArrayRef<char> own,
                             std::optional<char> blocks = std::nullopt,
                             bool isPart = false);
  /// The same of what is gathered, in the group, from pages of rows along
  /// `rows`. Where nothing is gathered as find().
  FailureOr<MmaOperand> findPaged(const ContractionSpace &space, Value tensor,
                                  StringRef axes, char own, char rows);

private:
  LogicalResult refuse(Reason why) {
    reason = std::move(why);
    return failure();
  }

  const MmaGroup &group;
  const DimClasses &dims;
  TensorFacts facts;
  Reason &reason;
  SmallVector<Value> edge;
};

} // namespace mlir::fuse

#endif // FUSE_LIB_ANALYSIS_MMAOPERANDS_H
