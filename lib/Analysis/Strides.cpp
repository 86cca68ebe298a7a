//===- Strides.cpp - Which tensors are strided views ----------------------===//
//
// Part of Fuse, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fuse/Analysis/Strides.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr int64_t vectorBytes = 16;

static StrideKind kindOfArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  unsigned number = argument.getArgNumber();
  if (auto kernel = dyn_cast<KernelOp>(parent))
    return strideKind(kernel.getInputs()[number]);
  auto function = dyn_cast<FunctionOpInterface>(parent);
  if (!function || !argument.getOwner()->isEntryBlock())
    return StrideKind::dense;
  auto name = function.getArgAttrOfType<StringAttr>(number, kStridedAttr);
  return name ? symbolizeStrideKind(name.getValue()).value_or(StrideKind::any)
              : StrideKind::dense;
}

/// Whether the strides that an expansion of the last dimension makes are
/// multiples of a vector.
static bool keepsRowsAligned(tensor::ExpandShapeOp expand) {
  auto reassociation = expand.getReassociationIndices();
  if (reassociation.empty() || reassociation.back().size() == 1)
    return true;
  RankedTensorType type = expand.getResultType();
  int64_t stride = (type.getElementTypeBitWidth() + 7) / 8;
  for (int64_t dim :
       llvm::reverse(ArrayRef(reassociation.back()).drop_front())) {
    if (type.isDynamicDim(dim))
      return false;
    stride *= type.getDimSize(dim);
    if (stride % vectorBytes != 0)
      return false;
  }
  return true;
}

StrideKind mlir::fuse::strideKind(Value tensor) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return kindOfArgument(argument);
  Operation *op = tensor.getDefiningOp();
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(op))
    return StrideKind::dense;
  StrideKind kind = strideKind(op->getOperand(0));
  auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
  if (kind == StrideKind::aligned_rows && expand && !keepsRowsAligned(expand))
    return StrideKind::rows;
  return kind;
}

/// The dimensions of a group that can be walked.
static SmallVector<int64_t> walkedDims(tensor::CollapseShapeOp op,
                                       ArrayRef<int64_t> group) {
  return llvm::to_vector(llvm::make_filter_range(group, [&](int64_t dim) {
    return op.getSrcType().getDimSize(dim) != 1;
  }));
}

bool mlir::fuse::joinsDims(tensor::CollapseShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(),
                      [&](const ReassociationIndices &group) {
                        return walkedDims(op, group).size() > 1;
                      });
}

namespace {
/// Follows an argument through reshapes, and which of its dimensions each
/// dimension of a reshape is a part of, or is joined from.
class JoinFinder {
public:
  explicit JoinFinder(BlockArgument argument) {
    int64_t rank = cast<RankedTensorType>(argument.getType()).getRank();
    joined.resize(rank);
    for (int64_t dim = 0; dim < rank; ++dim)
      all.push_back({dim, dim});
    follow(argument, all);
  }

  SmallVector<unsigned> dims() const {
    return SmallVector<unsigned>(joined.set_bits());
  }

private:
  /// The first and the last dimension of the argument.
  using Range = std::pair<int64_t, int64_t>;

  void follow(Value view, ArrayRef<Range> ranges);
  SmallVector<Range> expand(tensor::ExpandShapeOp op, ArrayRef<Range> ranges);
  SmallVector<Range> collapse(tensor::CollapseShapeOp op,
                              ArrayRef<Range> ranges);

  SmallVector<Range> all;
  llvm::BitVector joined;
};
} // namespace

SmallVector<JoinFinder::Range> JoinFinder::expand(tensor::ExpandShapeOp op,
                                                  ArrayRef<Range> ranges) {
  SmallVector<Range> result;
  for (auto [group, range] :
       llvm::zip_equal(op.getReassociationIndices(), ranges))
    result.append(group.size(), range);
  return result;
}

SmallVector<JoinFinder::Range> JoinFinder::collapse(tensor::CollapseShapeOp op,
                                                    ArrayRef<Range> ranges) {
  SmallVector<Range> result;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    SmallVector<int64_t> walked = walkedDims(op, group);
    if (walked.empty())
      walked.push_back(group.back());
    Range range{ranges[walked.front()].first, ranges[walked.back()].second};
    joined.set(range.first, range.second);
    result.push_back(range);
  }
  return result;
}

void JoinFinder::follow(Value view, ArrayRef<Range> ranges) {
  for (Operation *user : view.getUsers())
    llvm::TypeSwitch<Operation *>(user)
        .Case<tensor::CastOp>([&](auto op) { follow(op, ranges); })
        .Case<tensor::ExpandShapeOp>([&](auto op) {
          if (op.getSrc() == view)
            follow(op.getResult(), expand(op, ranges));
        })
        .Case<tensor::CollapseShapeOp>(
            [&](auto op) { follow(op.getResult(), collapse(op, ranges)); });
}

SmallVector<unsigned> mlir::fuse::joinedDims(BlockArgument argument) {
  return isa<RankedTensorType>(argument.getType()) ? JoinFinder(argument).dims()
                                                   : SmallVector<unsigned>();
}

BlockArgument mlir::fuse::scalarOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      return {};
    value = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(value);
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  bool isScalar =
      function && function.getArgAttr(argument.getArgNumber(), kScalarAttr);
  return isScalar ? argument : BlockArgument();
}
